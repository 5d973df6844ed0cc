/* SPDX-License-Identifier: MIT
 * The neighbours of a body in the deep engine: the bodies in the cells around it, collected into a list for its rule
 * set; and steps from cell to cell. A cell is at least as wide as two touching bodies are apart, so before one of them
 * leaves its cell two bodies can meet only if each is in the nine cells around the other. When a body enters a cell,
 * three more cells come within reach.
 *
 * Before this file a rule set (see deep/loop.h) defines
 *     void deep_consider(w, i, list, n)   makes the first meeting with one of list[0..n) that of body i, if it comes
 *                                         before the one it has; may write up to DEEP_SPARE entries beyond n
 */
#ifndef CAROM_DEEP_NEIGHBOURS_H
#define CAROM_DEEP_NEIGHBOURS_H

#include "deep/state.h"

/* Considers the bodies behind the heads of chains in rows x columns cells from (row, column) on. */
static void deep_look_behind(deep_world *w, int32_t i, uint32_t row, uint32_t column, uint32_t rows, uint32_t columns)
{
    const grid *g = &w->loop.cells;
    int32_t list[DEEP_LISTED];
    for (uint32_t r = row; r < row + rows; r++) {
        for (uint32_t c = column; c < column + columns; c++) {
            const int32_t head = grid_at(g, r, c)[GRID_PLACES - 1];
            int32_t k = head == GRID_NONE ? GRID_NONE : g->next[head];

            while (k != GRID_NONE) {
                uint32_t n = 0;
                for (; k != GRID_NONE && n < DEEP_LINKED; k = g->next[k]) {
                    list[n] = k;
                    n += k != i;
                }
                deep_consider(w, i, list, n);
            }
        }
    }
}

/* Considers all bodies in rows x columns cells from (row, column) on. */
CAROM_LANE void deep_look(deep_world *w, int32_t i, uint32_t row, uint32_t column, uint32_t rows, uint32_t columns)
{
    int32_t list[DEEP_LISTED];
    uint32_t n = 0;
    for (uint32_t r = row; r < row + rows; r++) {
        n += i_pack16(list + n, grid_at(&w->loop.cells, r, column), columns * GRID_PLACES, i);
    }
    deep_consider(w, i, list, n);
    if (w->loop.cells.chained != 0) {
        deep_look_behind(w, i, row, column, rows, columns);
    }
}

/* Moves a body into the next cell. way: 0 left, 1 right, 2 lower, 3 upper. */
CAROM_LANE void deep_step(deep_world *w, int32_t i, int way)
{
    grid *g = &w->loop.cells;
    const uint32_t cell = w->body[i].cell;
    uint32_t row = grid_row(cell), column = grid_column(cell);
    grid_remove(g, cell, i);
    row = way == 2 ? row - 1 : way == 3 ? row + 1 : row;
    column = way == 0 ? column - 1 : way == 1 ? column + 1 : column;
    w->body[i].cell = grid_name(row, column);
    grid_insert(g, w->body[i].cell, i);
}

/* Considers the bodies in the three cells that a step has brought within reach. */
CAROM_LANE void deep_look_on(deep_world *w, int32_t i, int way)
{
    const uint32_t row = grid_row(w->body[i].cell), column = grid_column(w->body[i].cell);
    if (way < 2) {
        deep_look(w, i, row - 1, way == 0 ? column - 1 : column + 1, 3, 1);
    } else {
        deep_look(w, i, way == 2 ? row - 1 : row + 1, column - 1, 1, 3);
    }
}

#endif
