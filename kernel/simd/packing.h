/* SPDX-License-Identifier: MIT
 * Packing lanes together and spreading them out again, for instruction sets without an instruction for it: byte
 * shuffles of four 32-bit lanes, or permutations of four 64-bit lanes, from a table with an entry for every mask of
 * four.
 */
#ifndef CAROM_SIMD_PACKING_H
#define CAROM_SIMD_PACKING_H

/* A table that packs lanes: entry m moves the lanes of mask m to the front. NO: an unused lane. */
#define PACKING_PACK(ENTRY, NO)                                                                                        \
    ENTRY(NO, NO, NO, NO), ENTRY(0, NO, NO, NO), ENTRY(1, NO, NO, NO), ENTRY(0, 1, NO, NO), ENTRY(2, NO, NO, NO),      \
        ENTRY(0, 2, NO, NO), ENTRY(1, 2, NO, NO), ENTRY(0, 1, 2, NO), ENTRY(3, NO, NO, NO), ENTRY(0, 3, NO, NO),       \
        ENTRY(1, 3, NO, NO), ENTRY(0, 1, 3, NO), ENTRY(2, 3, NO, NO), ENTRY(0, 2, 3, NO), ENTRY(1, 2, 3, NO),          \
        ENTRY(0, 1, 2, 3)

/* A table that spreads lanes: entry m moves consecutive lanes to those of mask m. NO: an unused lane. */
#define PACKING_SPREAD(ENTRY, NO)                                                                                      \
    ENTRY(NO, NO, NO, NO), ENTRY(0, NO, NO, NO), ENTRY(NO, 0, NO, NO), ENTRY(0, 1, NO, NO), ENTRY(NO, NO, 0, NO),      \
        ENTRY(0, NO, 1, NO), ENTRY(NO, 0, 1, NO), ENTRY(0, 1, 2, NO), ENTRY(NO, NO, NO, 0), ENTRY(0, NO, NO, 1),       \
        ENTRY(NO, 0, NO, 1), ENTRY(0, 1, NO, 2), ENTRY(NO, NO, 0, 1), ENTRY(0, NO, 1, 2), ENTRY(NO, 0, 1, 2),          \
        ENTRY(0, 1, 2, 3)

#define PACKING_BYTES(a, b, c, d)                                                                                      \
    {4 * a, 4 * a + 1, 4 * a + 2, 4 * a + 3, 4 * b, 4 * b + 1, 4 * b + 2, 4 * b + 3,                                   \
     4 * c, 4 * c + 1, 4 * c + 2, 4 * c + 3, 4 * d, 4 * d + 1, 4 * d + 2, 4 * d + 3}
#define PACKING_WHOLES(a, b, c, d) {a, b, c, d}
#define PACKING_HALVES(a, b, c, d) {2 * a, 2 * a + 1, 2 * b, 2 * b + 1, 2 * c, 2 * c + 1, 2 * d, 2 * d + 1}

#endif
