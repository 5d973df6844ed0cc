/* SPDX-License-Identifier: MIT
 * Load the small integers of worlds from a tile and store them. Rows that are idle in every world (no spell, no snaffle
 * in a hand) are tested a word at a time and skipped: that is most of them.
 */
#ifndef CAROM_GAMES_FANTASTIC_BITS_INTS_H
#define CAROM_GAMES_FANTASTIC_BITS_INTS_H

#include "games/fantastic_bits/turn.h"

/* A row of int8: one byte of every world of a tile, as words. */
#define FB_TILE_WORDS ((TILE_LANES + 7) / 8)
typedef struct fb_bytes {
    uint64_t words[FB_TILE_WORDS];
} fb_bytes;

CAROM_LANE fb_bytes fb_bytes_of(const int8_t *row)
{
    fb_bytes bytes = {{0}};
    __builtin_memcpy(bytes.words, row, TILE_LANES);
    return bytes;
}

/* The lanes, as bits, in which some byte of `count` rows is not `idle`. */
CAROM_LANE unsigned fb_differs(int8_t (*rows)[TILE_LANES], unsigned count, int8_t idle)
{
    const uint64_t usual = (uint64_t)(uint8_t)idle * UINT64_C(0x0101010101010101);
    fb_bytes odd = {{0}};
    uint64_t any = 0;
    unsigned lanes = 0;

    for (unsigned k = 0; k < count; k++) {
        const fb_bytes row = fb_bytes_of(rows[k]);
        for (unsigned n = 0; n < FB_TILE_WORDS; n++) {
            odd.words[n] |= row.words[n] ^ usual;
        }
    }

    /* Where nothing differs, which is usual, there is no need to look at single bytes. */
    for (unsigned n = 0; n < FB_TILE_WORDS; n++) {
        any |= odd.words[n];
    }
    if (any != 0) {
        uint8_t bytes[TILE_LANES];
        __builtin_memcpy(bytes, odd.words, TILE_LANES);
        for (unsigned l = 0; l < TILE_LANES; l++) {
            lanes |= (unsigned)(bytes[l] != 0) << l;
        }
    }
    return lanes;
}

static void fb_take_spells(fb_ints *ints, tick_world w)
{
    for (int k = 0; k < FB_WIZARDS * FB_SPELLS; k++) {
        ints->countdown[k] = *at_countdown(w, k);
        ints->target[k] = *at_target(w, k);
    }
    for (int i = 0; i < FB_WIZARDS; i++) {
        ints->cast[i] = *at_cast(w, i);
        ints->cast_target[i] = *at_cast_target(w, i);
    }
    ints->spelled = true;
}

static void fb_take_hands(fb_ints *ints, tick_world w)
{
    for (int i = 0; i < FB_WIZARDS; i++) {
        ints->hold[i] = *at_hold(w, i);
        ints->wait[i] = *at_wait(w, i);
    }
    for (int s = 0; s < FB_SNAFFLES; s++) {
        ints->ignores[s] = (fb_set)*at_ignores(w, s);
    }
    ints->handy = true;
}

/* Loads the small integers of all worlds of a tile. */
CAROM_LANE void fb_take_ints(fb_ints *all_ints, tick_tile *tile)
{
    const unsigned spelled = fb_differs(tile->countdown, FB_WIZARDS * FB_SPELLS, 0) |
                             fb_differs(tile->target, FB_WIZARDS * FB_SPELLS, -1) |
                             fb_differs(tile->cast, FB_WIZARDS, -1) | fb_differs(tile->cast_target, FB_WIZARDS, -1);
    const unsigned handy = fb_differs(tile->hold, FB_WIZARDS, -1) | fb_differs(tile->wait, FB_WIZARDS, 0) |
                           fb_differs(tile->ignores, FB_SNAFFLES, 0);

    /* Sets of living snaffles: bytes are 0 or 1, so a shift by s stays within each byte. */
    fb_bytes sets = {{0}};
    for (int s = 0; s < FB_SNAFFLES; s++) {
        const fb_bytes row = fb_bytes_of(tile->alive[s]);
        for (unsigned n = 0; n < FB_TILE_WORDS; n++) {
            sets.words[n] |= row.words[n] << s;
        }
    }
    uint8_t alive[TILE_LANES];
    __builtin_memcpy(alive, sets.words, TILE_LANES);

    /* What every world has; hands and spells as if they were idle. */
    for (unsigned l = 0; l < TILE_LANES; l++) {
        const tick_world w = world_at(tile, l);
        fb_ints *ints = &all_ints[l];
        __builtin_memset(ints, 0, offsetof(fb_ints, countdown));
        __builtin_memset(ints->hold, -1, sizeof ints->hold);
        ints->able = (1u << FB_WIZARDS) - 1;
        ints->alive = ints->free = alive[l];
        ints->all = (fb_set)((1u << *at_snaffles(w, 0)) - 1);
        ints->none_alive = alive[l] == 0;
        for (int k = 0; k < 2; k++) {
            ints->last[k] = *at_last(w, k);
            ints->score[k] = *at_score(w, k);
            ints->mana[k] = *at_mana(w, k);
        }
    }

    /* The few worlds whose hands or spells are not. */
    EACH_LANE (l, handy) {
        fb_take_hands(&all_ints[l], world_at(tile, l));
    }
    EACH_LANE (l, spelled) {
        fb_take_spells(&all_ints[l], world_at(tile, l));
    }
}

static void fb_put_spells(tick_world w, const fb_ints *ints)
{
    for (int k = 0; k < FB_WIZARDS * FB_SPELLS; k++) {
        *at_countdown(w, k) = ints->countdown[k];
        *at_target(w, k) = ints->target[k];
    }
    for (int i = 0; i < FB_WIZARDS; i++) {
        *at_cast(w, i) = ints->cast[i];
        *at_cast_target(w, i) = ints->cast_target[i];
    }
}

static void fb_put_hands(tick_world w, const fb_ints *ints)
{
    for (int i = 0; i < FB_WIZARDS; i++) {
        *at_hold(w, i) = ints->hold[i];
        *at_wait(w, i) = ints->wait[i];
    }
    for (int s = 0; s < FB_SNAFFLES; s++) {
        *at_ignores(w, s) = (int8_t)ints->ignores[s];
    }
}

/* Stores the small integers of one world. Mana grows by 1 a tick. */
CAROM_LANE void fb_put_ints(tick_world w, const fb_ints *ints)
{
    for (int k = 0; k < 2; k++) {
        *at_last(w, k) = ints->last[k];
        *at_score(w, k) = ints->score[k];
        *at_mana(w, k) = (int8_t)(ints->mana[k] < FB_MOST_MANA ? ints->mana[k] + 1 : FB_MOST_MANA);
    }

    if (ints->scored) {
        for (int s = 0; s < FB_SNAFFLES; s++) {
            *at_alive(w, s) = (int8_t)(ints->alive >> s & 1);
        }
    }
    if (ints->handy) {
        fb_put_hands(w, ints);
    }
    if (ints->spelled) {
        fb_put_spells(w, ints);
    }
}

#endif
