/* SPDX-License-Identifier: MIT
 * Uniform grid over a box: columns and rows of equal cells with four places each, and a ring of cells around the box.
 *
 * A cell is four adjacent int32, the indices of the bodies in it or -1. The fourth place heads a chain through next[],
 * which is needed only in cells wider than sqrt(2) diameters if bodies do not overlap. So the three cells of a row
 * around a body are 48 contiguous bytes. The ring is empty, or a copy of the opposite side if the box is periodic, so a
 * search through neighbours needs no test for the border. A cell's name is row << 16 | column, both counted from 1.
 */
#ifndef CAROM_GRID_GRID_H
#define CAROM_GRID_GRID_H

#include "simd/lanes.h"

#define GRID_PLACES 4
#define GRID_MOST 65533u /* columns, or rows: a name has 16 bits for each, and the ring needs two */
#define GRID_PAD 16      /* readable places after the last cell, for wide registers */
#define GRID_NONE (-1)

typedef struct grid {
    int32_t *places;        /* [row][column][GRID_PLACES] */
    int32_t *next;          /* [body]: the next body of its chain, or GRID_NONE; valid for bodies in fourth places */
    uint32_t columns, rows; /* of cells, without the ring */
    uint32_t stride;        /* columns with the ring */
    uint32_t chained;       /* the number of bodies behind the head of a chain */
    bool wraps_x, wraps_y;  /* periodic in this direction */
} grid;

/* Places that a grid needs, padding included. */
CAROM_LANE size_t grid_places(uint32_t columns, uint32_t rows)
{
    return (size_t)(columns + 2) * (rows + 2) * GRID_PLACES + GRID_PAD;
}

/* Sets the size. The caller sets places and next. */
CAROM_LANE void grid_size(grid *g, uint32_t columns, uint32_t rows, bool wraps_x, bool wraps_y)
{
    g->columns = columns;
    g->rows = rows;
    g->stride = columns + 2;
    g->wraps_x = wraps_x;
    g->wraps_y = wraps_y;
}

CAROM_LANE void grid_clear(grid *g)
{
    const size_t count = grid_places(g->columns, g->rows);
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

/* The column or row at distance x from the box's left or lower side; inverse: 1 / the width of a cell. Positions
 * outside the box belong to the cells at the border. */
CAROM_LANE uint32_t grid_index(uint32_t count, real x, real inverse)
{
    const real place = x * inverse;
    return place > 0 ? place < (real)count ? 1 + (uint32_t)place : count : 1;
}

/* Where a column or row appears: itself, and its copies in the ring. There are three if it is the only one. */
CAROM_LANE int grid_copies(uint32_t index, uint32_t count, bool wraps, uint32_t copies[3])
{
    int n = 0;
    copies[n++] = index;
    if (wraps && index == 1) {
        copies[n++] = count + 1;
    }
    if (wraps && index == count) {
        copies[n++] = 0;
    }
    return n;
}

/* Updates the copies of a cell in the ring. */
CAROM_LANE void grid_mirror(const grid *g, uint32_t cell)
{
    const uint32_t row = grid_row(cell), column = grid_column(cell);
    const bool inner_row = !g->wraps_y || (row > 1 && row < g->rows);
    const bool inner_column = !g->wraps_x || (column > 1 && column < g->columns);
    if (inner_row && inner_column) {
        return;
    }

    uint32_t rows[3], columns[3];
    const int row_count = grid_copies(row, g->rows, g->wraps_y, rows);
    const int column_count = grid_copies(column, g->columns, g->wraps_x, columns);
    const int32_t *from = grid_at(g, row, column);
    for (int copy = 1; copy < row_count * column_count; copy++) {
        int32_t *to = grid_at(g, rows[copy / column_count], columns[copy % column_count]);
        for (int k = 0; k < GRID_PLACES; k++) {
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

/* Removes a body, which must be in that cell. */
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

/* Sorts n bodies by their cells: order[k] is the k-th body. The name of body i's cell is at cells + i * step bytes.
 * starts[] is scratch, with stride * (rows + 2) + 1 elements. */
CAROM_LANE void grid_order(const grid *g, uint32_t n, const void *cells, size_t step, uint32_t *starts, int32_t *order)
{
    const size_t count = (size_t)g->stride * (g->rows + 2);
    const unsigned char *bytes = (const unsigned char *)cells;

    /* A counting sort: starts[c] is the first index of cell c in order[]. */
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
