/* SPDX-License-Identifier: MIT
 * Uniform grid over a square box: cells of equal side, a few places each, and a ring of cells around the box.
 *
 * A cell is four int32 side by side, the numbers of the bodies in it or -1; the fourth heads a chain through next[],
 * which bodies that keep their distance need only in cells wider than sqrt(2) diameters. So the three cells of a row
 * around a body are 48 bytes in one piece. The ring is empty in a solid box and repeats the opposite side in a periodic
 * one: looking at neighbours knows no border. A cell's name is row << 16 | column, both from 1.
 */
#ifndef CAROM_GRID_GRID_H
#define CAROM_GRID_GRID_H

#include "simd/lanes.h"

#define GRID_PLACES 4
#define GRID_MOST 65533u /* cells a side: a name has 16 bits for each */
#define GRID_PAD 16      /* places that reading a row in wide registers may touch beyond the last cell */
#define GRID_NONE (-1)

typedef struct grid {
    int32_t *places;  /* [row][column][GRID_PLACES] */
    int32_t *next;    /* [body]: of the chain */
    uint32_t side;    /* cells a side, without the ring */
    uint32_t stride;  /* with it */
    uint32_t chained; /* bodies behind a head of a chain */
    bool periodic;
} grid;

/* Places that the grid needs, padding included. */
CAROM_LANE size_t grid_places(uint32_t side)
{
    return (size_t)(side + 2) * (side + 2) * GRID_PLACES + GRID_PAD;
}

CAROM_LANE void grid_clear(grid *g)
{
    const size_t count = grid_places(g->side);
    g->chained = 0;
    for (size_t k = 0; k < count; k++) {
        g->places[k] = GRID_NONE;
    }
}

CAROM_LANE uint32_t grid_column(uint32_t cell)
{
    return cell & 0xffff;
}
CAROM_LANE uint32_t grid_row(uint32_t cell)
{
    return cell >> 16;
}
CAROM_LANE uint32_t grid_name(uint32_t row, uint32_t column)
{
    return row << 16 | column;
}

/* The first place of a cell of the box or its ring. */
CAROM_LANE int32_t *grid_at(const grid *g, uint32_t row, uint32_t column)
{
    return g->places + ((size_t)row * g->stride + column) * GRID_PLACES;
}

/* Column or row of a coordinate; `inverse` = 1 / side of a cell. */
CAROM_LANE uint32_t grid_index(const grid *g, real x, real inverse)
{
    const real place = x * inverse;
    const uint32_t k = place > 0 ? (uint32_t)place : 0;
    return 1 + (k < g->side ? k : g->side - 1);
}

/* The ring's copies of a cell that has changed. */
CAROM_LANE void grid_mirror(const grid *g, uint32_t cell)
{
    const uint32_t row = grid_row(cell), column = grid_column(cell), side = g->side;
    if (!g->periodic || (row > 1 && row < side && column > 1 && column < side)) {
        return;
    }
    const uint32_t other_row = row == 1 ? side + 1 : row == side ? 0 : row;
    const uint32_t other_column = column == 1 ? side + 1 : column == side ? 0 : column;
    const int32_t *from = grid_at(g, row, column);
    for (int copy = 1; copy < 4; copy++) {
        int32_t *to = grid_at(g, copy & 1 ? other_row : row, copy & 2 ? other_column : column);
        for (int k = 0; k < GRID_PLACES && to != from; k++) {
            to[k] = from[k];
        }
    }
}

CAROM_LANE void grid_insert(grid *g, uint32_t cell, int32_t body)
{
    int32_t *at = grid_at(g, grid_row(cell), grid_column(cell));
    int k = 0;
    while (k < GRID_PLACES - 1 && at[k] != GRID_NONE) {
        k++;
    }
    if (k == GRID_PLACES - 1) {
        g->next[body] = at[k];
        g->chained += at[k] != GRID_NONE;
    }
    at[k] = body;
    grid_mirror(g, cell);
}

/* The body must be there. */
CAROM_LANE void grid_remove(grid *g, uint32_t cell, int32_t body)
{
    int32_t *at = grid_at(g, grid_row(cell), grid_column(cell));
    int k = 0;
    while (k < GRID_PLACES - 1 && at[k] != body) {
        k++;
    }
    if (k < GRID_PLACES - 1) {
        at[k] = GRID_NONE;
    } else {
        int32_t *link = &at[k];
        g->chained -= *link != body || g->next[body] != GRID_NONE;
        while (*link != body) {
            link = &g->next[*link];
        }
        *link = g->next[body];
    }
    grid_mirror(g, cell);
}

/* order[k] = the k-th body in order of cells, by counting: starts[] has stride * stride + 1 elements. The name of body
 * i's cell is at cells + i * step bytes. */
CAROM_LANE void grid_order(const grid *g, uint32_t n, const void *cells, size_t step, uint32_t *starts, int32_t *order)
{
    const size_t count = (size_t)g->stride * g->stride;
    const unsigned char *bytes = (const unsigned char *)cells;
    for (size_t c = 0; c <= count; c++) {
        starts[c] = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t cell = *(const uint32_t *)(const void *)(bytes + i * step);
        starts[(size_t)grid_row(cell) * g->stride + grid_column(cell) + 1]++;
    }
    for (size_t c = 1; c <= count; c++) {
        starts[c] += starts[c - 1];
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t cell = *(const uint32_t *)(const void *)(bytes + i * step);
        order[starts[(size_t)grid_row(cell) * g->stride + grid_column(cell)]++] = (int32_t)i;
    }
}

#endif
