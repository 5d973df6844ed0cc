/* SPDX-License-Identifier: MIT
 * The uniform grid against plain lists: the entries around a cell, chains included, through insertions and removals;
 * the ring of a periodic box; the order of cells.
 */
#include "test.h"

#define CAROM_ISA_SCALAR CAROM_ISA_SCALAR
#define CAROM_REAL_BITS 64
#include "grid/grid.h"

#define BODIES 400

static uint64_t random_state = 1;

static uint32_t below(uint32_t n)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % n);
}

static int compare(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

/* The bodies of the nine cells around one, by the grid, in order of numbers. */
static size_t around(const grid *g, uint32_t row, uint32_t column, int32_t *list)
{
    size_t n = 0;
    for (uint32_t r = row - 1; r <= row + 1; r++) {
        const int32_t *at = grid_at(g, r, column - 1);
        for (int k = 0; k < 3 * GRID_PLACES; k++) {
            if (at[k] == GRID_NONE) {
                continue;
            }
            list[n++] = at[k];
            for (int32_t next = k % 4 == 3 ? g->next[at[k]] : GRID_NONE; next != GRID_NONE; next = g->next[next]) {
                list[n++] = next;
            }
        }
    }
    qsort(list, n, sizeof *list, compare);
    return n;
}

/* How often an entry `distance` cells away is visible: itself, and its images beyond either side. */
static int in_sight(int32_t distance, uint32_t count, bool wraps)
{
    const int32_t width = (int32_t)count;
    return (abs(distance) <= 1) + (wraps && abs(distance - width) <= 1) + (wraps && abs(distance + width) <= 1);
}

/* The same by looking at all bodies. */
static size_t around_plainly(const grid *g, const uint32_t *cells, uint32_t row, uint32_t column, int32_t *list)
{
    size_t n = 0;
    for (int32_t i = 0; i < BODIES; i++) {
        if (cells[i] == 0) {
            continue;
        }
        const int32_t dr = (int32_t)(cells[i] >> 16) - (int32_t)row,
                      dc = (int32_t)(cells[i] & 0xffff) - (int32_t)column;
        const int times = in_sight(dr, g->rows, g->wraps_y) * in_sight(dc, g->columns, g->wraps_x);
        for (int k = 0; k < times; k++) {
            list[n++] = i;
        }
    }
    return n;
}

static void check(uint32_t columns, uint32_t rows, bool wraps_x, bool wraps_y, unsigned steps)
{
    uint32_t cells[BODIES] = {0};
    int32_t next[BODIES], want[9 * BODIES], got[9 * BODIES];
    grid g = {.next = next};
    grid_size(&g, columns, rows, wraps_x, wraps_y);
    g.places = malloc(grid_places(columns, rows) * sizeof *g.places);
    grid_clear(&g);
    for (unsigned step = 0; step < steps; step++) {
        const int32_t i = (int32_t)below(BODIES);
        if (cells[i] != 0) {
            grid_remove(&g, cells[i], i);
            cells[i] = 0;
        } else {
            cells[i] = grid_name(1 + below(rows), 1 + below(columns));
            grid_insert(&g, cells[i], i);
        }
        const uint32_t row = 1 + below(rows), column = 1 + below(columns);
        const size_t n = around_plainly(&g, cells, row, column, want);
        assert_int_equal(around(&g, row, column, got), n);
        assert_memory_equal(got, want, n * sizeof *got);
    }
    for (int32_t i = 0; i < BODIES; i++) {
        if (cells[i] != 0) {
            grid_remove(&g, cells[i], i);
        }
    }
    assert_int_equal(g.chained, 0);
    for (size_t k = 0; k < grid_places(columns, rows); k++) {
        assert_int_equal(g.places[k], GRID_NONE);
    }
    free(g.places);
}

TEST(test_places)
{
    for (uint32_t side = 1; side <= 24; side++) {
        check(side, side, false, false, 4000);
        check(side, side, true, true, 4000);
        check(side, 25 - side, side % 3 == 0, side % 2 == 0, 4000);
    }
}

TEST(test_order)
{
    enum { SIDE = 7, ROWS = 4 };
    grid g;
    grid_size(&g, SIDE, ROWS, false, false);
    uint32_t starts[(SIDE + 2) * (ROWS + 2) + 1];
    struct {
        uint32_t cell, other;
    } cells[BODIES];
    int32_t order[BODIES];
    bool seen[BODIES] = {false};
    for (int i = 0; i < BODIES; i++) {
        cells[i].cell = grid_name(1 + below(ROWS), 1 + below(SIDE));
    }
    grid_order(&g, BODIES, &cells[0].cell, sizeof cells[0], starts, order);
    for (int k = 0; k < BODIES; k++) {
        assert_false(seen[order[k]]);
        seen[order[k]] = true;
        assert_true(k == 0 || cells[order[k - 1]].cell < cells[order[k]].cell ||
                    (cells[order[k - 1]].cell == cells[order[k]].cell && order[k - 1] < order[k]));
    }
}

TEST(test_index)
{
    static const double x[] = {-1e-9, 0, 0.5, 1, 9.99, 10, 11, 1e8};
    static const uint32_t want[] = {1, 1, 1, 2, 10, 10, 10, 10};
    for (int k = 0; k < 8; k++) {
        assert_int_equal(grid_index(10, x[k], 1), want[k]);
    }
}
