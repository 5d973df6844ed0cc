/* SPDX-License-Identifier: MIT
 * Pictures of the current state of a world, drawn by carom/look.h: as SVG text, or as pixels.
 *
 *     carom_picture_desc desc = carom_picture_desc_default();
 *     uint32_t width, height;
 *     carom_picture_size(worlds, 0, &desc, &width, &height);
 *     uint8_t *rgb = malloc((size_t)3 * width * height);
 *     carom_picture_pixels(worlds, 0, &desc, rgb);
 *
 * Functions only read the worlds; several threads may draw the same ones. Trails and impacts are not part of a state:
 * the command `carom render` draws them.
 */
#ifndef CAROM_PICTURE_H
#define CAROM_PICTURE_H

#include <carom/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_PICTURE_LEAST 16 /* pixels of a side */
#define CAROM_PICTURE_MOST 16384

typedef struct carom_picture_desc {
    size_t size;    /* sizeof(carom_picture_desc), set by carom_picture_desc_default() */
    uint32_t width; /* in pixels, even, CAROM_PICTURE_LEAST to CAROM_PICTURE_MOST; default 640 */
    bool dark;      /* light on dark */
    bool captions;  /* game, tick, hash and numbers in two lines below; default true. Pixels show ASCII only */
} carom_picture_desc;

CAROM_API carom_picture_desc carom_picture_desc_default(void);

/* The size of the picture in pixels. The height follows from the view (carom_look_view); both are even, as video
 * requires.
 *     CAROM_ERROR_ARGUMENT  NULL, or a world that does not exist
 *     CAROM_ERROR_VALUE     a width out of its range or odd; a height that would be out of that range */
CAROM_API carom_status carom_picture_size(const carom_worlds *worlds, size_t world, const carom_picture_desc *desc,
                                          uint32_t *width, uint32_t *height);

/* rgb[height][width][3], of that size: red, green, blue. Errors are those of carom_picture_size(), and
 * CAROM_ERROR_MEMORY; nothing is written then. */
CAROM_API carom_status carom_picture_pixels(const carom_worlds *worlds, size_t world, const carom_picture_desc *desc,
                                            uint8_t *rgb);

/* *text is SVG, NUL-terminated; free it with carom_text_free(). NULL after an error. Errors are those of
 * carom_picture_pixels(). */
CAROM_API carom_status carom_picture_svg(const carom_worlds *worlds, size_t world, const carom_picture_desc *desc,
                                         char **text);

#ifdef __cplusplus
}
#endif
#endif
