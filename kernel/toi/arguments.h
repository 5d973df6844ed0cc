/* SPDX-License-Identifier: MIT
 * Whether the arrays that the public functions are given are whole; shared by toi.c, walls.c and accelerated.c.
 */
#ifndef CAROM_TOI_ARGUMENTS_H
#define CAROM_TOI_ARGUMENTS_H

#include <carom/toi_walls.h>

/* Every array is there, where there is something to read: the functions of one precision. */
#define TOI_ARGUMENTS(bits)                                                                                            \
    static inline bool bodies_complete_f##bits(size_t n, const carom_toi_bodies_f##bits *in)                           \
    {                                                                                                                  \
        return in != NULL &&                                                                                           \
               (n == 0 || (in->x != NULL && in->y != NULL && in->vx != NULL && in->vy != NULL && in->r != NULL));      \
    }                                                                                                                  \
                                                                                                                       \
    static inline bool segments_complete_f##bits(size_t n, const carom_toi_segments_f##bits *in)                       \
    {                                                                                                                  \
        return in != NULL && (n == 0 || (in->ax != NULL && in->ay != NULL && in->bx != NULL && in->by != NULL));       \
    }                                                                                                                  \
                                                                                                                       \
    static inline bool points_complete_f##bits(size_t n, const carom_toi_points_f##bits *in)                           \
    {                                                                                                                  \
        return in != NULL && (n == 0 || (in->x != NULL && in->y != NULL));                                             \
    }                                                                                                                  \
                                                                                                                       \
    static inline bool boxes_complete_f##bits(size_t n, const carom_toi_boxes_f##bits *in)                             \
    {                                                                                                                  \
        return in != NULL && (n == 0 || (in->x0 != NULL && in->y0 != NULL && in->x1 != NULL && in->y1 != NULL));       \
    }                                                                                                                  \
                                                                                                                       \
    /* Of hits, only the times are needed. */                                                                          \
    static inline bool hits_complete_f##bits(size_t n, const carom_toi_hits_f##bits *out)                              \
    {                                                                                                                  \
        return out != NULL && (n == 0 || out->t != NULL);                                                              \
    }

TOI_ARGUMENTS(32)
TOI_ARGUMENTS(64)

#undef TOI_ARGUMENTS

#endif
