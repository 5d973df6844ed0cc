/* SPDX-License-Identifier: MIT
 * Shared by the tests of searches: searches from the roots of rollout_plain.h.
 */
#ifndef CAROM_TESTS_SEARCH_SEARCH_BATCH_H
#define CAROM_TESTS_SEARCH_SEARCH_BATCH_H

#include "tests/rollout/rollout_plain.h"

static inline carom_search *make_search(const carom_worlds *roots, const carom_search_desc *desc)
{
    carom_search *search = NULL;
    OK(carom_search_create(roots, desc, &search));
    return search;
}

/* Creating a search from `roots` fails with `usual` and one change: "member = value". */
#define SEARCH_REFUSED(usual, status, change)                                                                          \
    do {                                                                                                               \
        carom_search_desc desc = usual;                                                                                \
        carom_search *search = (carom_search *)(void *)&desc;                                                          \
        desc.change;                                                                                                   \
        assert_int_equal(carom_search_create(roots, &desc, &search), status);                                          \
        assert_null(search);                                                                                           \
    } while (0)

/* The plan of a new search from `count` roots of csb, the first of them root `first`. */
static inline void plan_from(const carom_search_desc *desc, carom_precision precision, carom_isa isa, unsigned threads,
                             size_t first, size_t count, float *plan)
{
    OWNED(carom_worlds) *roots = make_roots(precision, isa, threads, first, count);
    OWNED(carom_search) *search = make_search(roots, desc);
    OK(carom_search_run(search, roots));
    OK(carom_search_plan(search, 0, plan));
}

/* Player 0's plan from three roots is the same on every instruction set, on one to three threads, and from each root
 * alone. */
static inline void same_bits(const carom_search_desc *desc, carom_precision precision)
{
    enum { WORLDS = 3, NUMBERS = 24 }; /* of a plan: 6 rows of 4 */
    float want[WORLDS * NUMBERS], got[WORLDS * NUMBERS];
    assert_int_equal(desc->horizon * 4, NUMBERS);
    plan_from(desc, precision, CAROM_ISA_SCALAR, 1, 0, WORLDS, want);
    for (int isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++) {
        for (unsigned threads = 1; threads <= 3 && carom_isa_usable((carom_isa)isa); threads++) {
            plan_from(desc, precision, (carom_isa)isa, threads, 0, WORLDS, got);
            assert_memory_equal(got, want, sizeof got);
        }
    }
    for (size_t root = 0; root < WORLDS; root++) {
        plan_from(desc, precision, CAROM_ISA_DEFAULT, 1, root, 1, got);
        assert_memory_equal(got, want + root * NUMBERS, NUMBERS * sizeof *got);
    }
}

#endif
