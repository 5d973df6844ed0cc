/* SPDX-License-Identifier: MIT
 * The uniform grid against plain lists: what stands on the places around a cell, chains included, through insertions
 * and removals; the ring of a periodic box; the order of cells.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

/* The same by looking at all bodies. */
static size_t around_plainly(const grid *g, const uint32_t *cells, uint32_t row, uint32_t column, int32_t *list)
{
    size_t n = 0;
    for (int32_t i = 0; i < BODIES; i++) {
        if (cells[i] == 0) {
            continue;
        }
        const int32_t side = (int32_t)g->side, dr = (int32_t)(cells[i] >> 16) - (int32_t)row;
        const int32_t dc = (int32_t)(cells[i] & 0xffff) - (int32_t)column;
        const bool row_near = abs(dr) <= 1 || (g->periodic && abs(dr) == side - 1);
        const bool column_near = abs(dc) <= 1 || (g->periodic && abs(dc) == side - 1);
        if (row_near && column_near) {
            list[n++] = i;
        }
    }
    return n;
}

static void check(uint32_t side, bool periodic, unsigned steps)
{
    uint32_t cells[BODIES] = {0};
    int32_t next[BODIES], want[BODIES], got[4 * BODIES];
    grid g = {.side = side, .stride = side + 2, .periodic = periodic, .next = next};
    g.places = malloc(grid_places(side) * sizeof *g.places);
    grid_clear(&g);
    for (unsigned step = 0; step < steps; step++) {
        const int32_t i = (int32_t)below(BODIES);
        if (cells[i] != 0) {
            grid_remove(&g, cells[i], i);
            cells[i] = 0;
        } else {
            cells[i] = grid_name(1 + below(side), 1 + below(side));
            grid_insert(&g, cells[i], i);
        }
        const uint32_t row = 1 + below(side), column = 1 + below(side);
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
    for (size_t k = 0; k < grid_places(side); k++) {
        assert_int_equal(g.places[k], GRID_NONE);
    }
    free(g.places);
}

static void test_places(void **state)
{
    (void)state;
    for (uint32_t side = 1; side <= 24; side++) {
        check(side, false, 4000);
        if (side >= 5) {
            check(side, true, 4000);
        }
    }
}

static void test_order(void **state)
{
    (void)state;
    enum { SIDE = 7 };
    const grid g = {.side = SIDE, .stride = SIDE + 2};
    uint32_t starts[(SIDE + 2) * (SIDE + 2) + 1];
    struct {
        uint32_t cell, other;
    } cells[BODIES];
    int32_t order[BODIES];
    bool seen[BODIES] = {false};
    for (int i = 0; i < BODIES; i++) {
        cells[i].cell = grid_name(1 + below(SIDE), 1 + below(SIDE));
    }
    grid_order(&g, BODIES, &cells[0].cell, sizeof cells[0], starts, order);
    for (int k = 0; k < BODIES; k++) {
        assert_false(seen[order[k]]);
        seen[order[k]] = true;
        assert_true(k == 0 || cells[order[k - 1]].cell < cells[order[k]].cell ||
                    (cells[order[k - 1]].cell == cells[order[k]].cell && order[k - 1] < order[k]));
    }
}

static void test_index(void **state)
{
    (void)state;
    const grid g = {.side = 10, .stride = 12};
    static const double x[] = {-1e-9, 0, 0.5, 1, 9.99, 10, 11, 1e8};
    static const uint32_t want[] = {1, 1, 1, 2, 10, 10, 10, 10};
    for (int k = 0; k < 8; k++) {
        assert_int_equal(grid_index(&g, x[k], 1), want[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
