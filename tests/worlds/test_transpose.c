/* SPDX-License-Identifier: MIT
 * The transposing kernels of every instruction set against number by number: packing, unpacking, drawing.
 */
#include "test.h"

#include "base/random.h"
#include "transpose/transpose.h"

#define LANES_OF_TILE ((size_t)16)
#define MOST ((size_t)37) /* numbers of a row */
#define GUARD ((size_t)5)

/* Rows of different alignments, in an order that is not that of memory. */
#define ROW(storage, lane) ((storage) + (lane) * 7 % LANES_OF_TILE * (MOST + GUARD) + (lane) % GUARD)

TEST(test_pack)
{
    for (int isa = 0; isa < CAROM_ISA_COUNT; isa++) {
        static float narrow[LANES_OF_TILE * (MOST + GUARD)];
        static double wide[LANES_OF_TILE * (MOST + GUARD)];
        const void *narrow_rows[LANES_OF_TILE], *wide_rows[LANES_OF_TILE];
        if (!carom_isa_usable((carom_isa)isa)) {
            continue;
        }
        for (size_t k = 0; k < LANES_OF_TILE * (MOST + GUARD); k++) {
            narrow[k] = (float)k;
            wide[k] = (double)k + 0.1;
        }
        for (size_t lane = 0; lane < LANES_OF_TILE; lane++) {
            narrow_rows[lane] = ROW(narrow, lane);
            wide_rows[lane] = ROW(wide, lane);
        }
        for (uint32_t size = 1; size <= MOST; size++) {
            static _Alignas(64) float floats[(MOST + 1) * LANES_OF_TILE];
            static _Alignas(64) double doubles[(MOST + 1) * LANES_OF_TILE];
            memset(floats, 0xff, sizeof floats);
            memset(doubles, 0xff, sizeof doubles);
            carom_transpose((carom_isa)isa)->pack(floats, narrow_rows, size, sizeof(float));
            carom_transpose((carom_isa)isa)->pack(doubles, wide_rows, size, sizeof(double));
            for (size_t lane = 0; lane < LANES_OF_TILE; lane++) {
                for (size_t e = 0; e < size; e++) {
                    assert_true(floats[e * LANES_OF_TILE + lane] == ROW(narrow, lane)[e]);
                    assert_true(doubles[e * LANES_OF_TILE + lane] == ROW(wide, lane)[e]);
                }
                /* Nothing behind the tile is written. */
                assert_true(floats[size * LANES_OF_TILE + lane] != floats[size * LANES_OF_TILE + lane]);
                assert_true(doubles[size * LANES_OF_TILE + lane] != doubles[size * LANES_OF_TILE + lane]);
            }
        }
    }
}

TEST(test_unpack)
{
    static _Alignas(64) float lanes[MOST * LANES_OF_TILE];
    for (size_t k = 0; k < MOST * LANES_OF_TILE; k++) {
        lanes[k] = (float)k;
    }
    for (int isa = 0; isa < CAROM_ISA_COUNT; isa++) {
        for (uint32_t size = 1; size <= MOST && carom_isa_usable((carom_isa)isa); size++) {
            static float storage[LANES_OF_TILE * (MOST + GUARD)];
            float *rows[LANES_OF_TILE];
            for (size_t k = 0; k < LANES_OF_TILE * (MOST + GUARD); k++) {
                storage[k] = -1;
            }
            for (size_t lane = 0; lane < LANES_OF_TILE; lane++) {
                rows[lane] = lane % 3 == size % 3 ? NULL : ROW(storage, lane);
            }
            carom_transpose((carom_isa)isa)->unpack(rows, lanes, size);
            size_t written = 0, wanted = 0;
            for (size_t lane = 0; lane < LANES_OF_TILE; lane++) {
                for (size_t e = 0; e < size && rows[lane] != NULL; e++) {
                    assert_true(rows[lane][e] == lanes[e * LANES_OF_TILE + lane]);
                    wanted++;
                }
            }
            for (size_t k = 0; k < LANES_OF_TILE * (MOST + GUARD); k++) {
                written += storage[k] != -1;
            }
            assert_int_equal(written, wanted);
        }
    }
}

/* Numbers that occur twice in a row, not at its start. */
TEST(test_twins)
{
    static _Alignas(64) float lanes[MOST * LANES_OF_TILE];
    for (size_t k = 0; k < MOST * LANES_OF_TILE; k++) {
        lanes[k] = (float)k;
    }
    for (int isa = 0; isa < CAROM_ISA_COUNT; isa++) {
        for (uint32_t size = 1; 2 * size + 3 <= MOST && carom_isa_usable((carom_isa)isa); size++) {
            static float storage[LANES_OF_TILE * (MOST + GUARD)];
            float *rows[LANES_OF_TILE];
            for (size_t before = 0; before < 2; before++) {
                const size_t at = before ? size + 2 : 1, twin = before ? 1 : size + 2;
                size_t wanted = 0, written = 0;
                for (size_t k = 0; k < LANES_OF_TILE * (MOST + GUARD); k++) {
                    storage[k] = -1;
                }
                for (size_t lane = 0; lane < LANES_OF_TILE; lane++) {
                    rows[lane] = lane % 7 == size % 7 ? NULL : ROW(storage, lane);
                }
                const transpose_piece piece = {0, size, at, twin};
                carom_transpose((carom_isa)isa)->unpack_pieces(rows, lanes, &piece, 1, size % 2 * MOST);
                for (size_t lane = 0; lane < LANES_OF_TILE; lane++) {
                    for (size_t e = 0; e < size && rows[lane] != NULL; e++) {
                        assert_true(rows[lane][at + e] == lanes[e * LANES_OF_TILE + lane]);
                        assert_true(rows[lane][twin + e] == lanes[e * LANES_OF_TILE + lane]);
                        wanted += 2;
                    }
                }
                for (size_t k = 0; k < LANES_OF_TILE * (MOST + GUARD); k++) {
                    written += storage[k] != -1;
                }
                assert_int_equal(written, wanted);
            }
        }
    }
}

/* Any length, to and from any position. */
TEST(test_stream)
{
    static _Alignas(64) float from[200], to[200];
    for (size_t k = 0; k < 200; k++) {
        from[k] = (float)k;
    }
    for (int isa = 0; isa < CAROM_ISA_COUNT; isa++) {
        for (size_t count = 0; count < 100 && carom_isa_usable((carom_isa)isa); count++) {
            for (size_t at = 0; at < 17; at++) {
                for (size_t k = 0; k < 200; k++) {
                    to[k] = -1;
                }
                carom_transpose((carom_isa)isa)->stream(to + at, from + count % 5, count);
                carom_transpose((carom_isa)isa)->settle();
                for (size_t k = 0; k < 200; k++) {
                    assert_true(to[k] == (k >= at && k < at + count ? from[count % 5 + k - at] : -1));
                }
            }
        }
    }
}

TEST(test_draw)
{
    uint64_t ids[LANES_OF_TILE];
    uint32_t sequences[LANES_OF_TILE];
    for (size_t lane = 0; lane < LANES_OF_TILE; lane++) {
        ids[lane] = lane / 3 * 0x123456789abcdefu;
        sequences[lane] = (uint32_t)lane * 99991;
    }
    for (int isa = 0; isa < CAROM_ISA_COUNT; isa++) {
        for (uint32_t size = 1; size <= MOST && carom_isa_usable((carom_isa)isa); size++) {
            static _Alignas(64) float lanes[MOST * LANES_OF_TILE];
            const uint64_t seed = 17 + size;
            const uint32_t tick = size * 3, player = size % 2;
            transpose_names names;
            transpose_name(&names, seed, ids, sequences);
            carom_transpose((carom_isa)isa)->draw(lanes, &names, tick, player, size);
            for (size_t lane = 0; lane < LANES_OF_TILE; lane++) {
                const philox_key key = philox_key_of(seed, ids[lane]);
                for (uint32_t e = 0; e < size; e++) {
                    uint32_t words[4] = {sequences[lane], tick, player << 16 | e / 4, key.tag};
                    philox4x32(words, key.key);
                    assert_true(lanes[e * LANES_OF_TILE + lane] ==
                                (float)((int32_t)(words[e % 4] >> 8) - (1 << 23)) * 0x1p-23f);
                }
            }
        }
    }
}
