/* SPDX-License-Identifier: MIT
 * Golden digests: expected results as 64-bit numbers, one a line, in the tables of tests/data/golden/:
 *
 *     NAME  DIGEST-IN-F32  DIGEST-IN-F64
 *
 * Every instruction set, compiler and machine must produce these numbers. One may change only with the rules, policies,
 * draws or outputs that its name says (or with a test's own inputs), and the change log must say so. If a single build
 * or instruction set gives another number, the library is wrong, not the number.
 *
 * Set CAROM_GOLDEN_WRITE to a file name, and a test writes the table of its run there, provided that all instruction
 * sets agree:
 *
 *     CAROM_GOLDEN_WRITE=tests/data/golden/toi.txt build/tests/test_golden_toi
 *
 * These tests have no shorter form.
 */
#ifndef CAROM_TESTS_GOLDEN_GOLDEN_H
#define CAROM_TESTS_GOLDEN_GOLDEN_H

#include "base/hash.h"
#include "batch.h"

#include <inttypes.h>

/* ---- hashing: -0 as 0, every NaN as the same one ---- */

static inline void golden_add_f32s(uint64_t *sum, const float *numbers, size_t n)
{
    uint32_t bits;
    for (size_t k = 0; k < n; k++) {
        memcpy(&bits, &numbers[k], sizeof bits);
        *sum = hash_step(*sum, hash_canonical_f32(bits));
    }
}

static inline void golden_add_f64s(uint64_t *sum, const double *numbers, size_t n)
{
    uint64_t bits;
    for (size_t k = 0; k < n; k++) {
        memcpy(&bits, &numbers[k], sizeof bits);
        *sum = hash_step(*sum, hash_canonical_f64(bits));
    }
}

static inline void golden_add_word(uint64_t *sum, uint64_t word)
{
    *sum = hash_step(*sum, word);
}

static inline void golden_add_bytes(uint64_t *sum, const void *bytes, size_t size)
{
    *sum = hash_bytes(*sum, bytes, size);
}

/* Numbers of either precision. */
static inline void golden_add_reals(uint64_t *sum, carom_precision precision, const void *numbers, size_t n)
{
    if (precision == CAROM_F32)
        golden_add_f32s(sum, (const float *)numbers, n);
    else
        golden_add_f64s(sum, (const double *)numbers, n);
}

/* ---- the table ---- */

#define GOLDEN_ROWS 512
#define GOLDEN_NAME 64

typedef struct golden_row {
    char name[GOLDEN_NAME];
    uint64_t digest[2]; /* f32, f64 */
    bool known[2], met[2];
} golden_row;

static struct {
    const char *file; /* where it was read, or will be written */
    bool write;
    size_t count;
    unsigned wrong;
    golden_row rows[GOLDEN_ROWS];
} golden;

static inline golden_row *golden_find(const char *name)
{
    for (size_t k = 0; k < golden.count; k++)
        if (strcmp(golden.rows[k].name, name) == 0)
            return &golden.rows[k];
    assert_true(golden.count < GOLDEN_ROWS && strlen(name) < GOLDEN_NAME);
    golden_row *row = &golden.rows[golden.count++];
    memset(row, 0, sizeof *row);
    memcpy(row->name, name, strlen(name) + 1);
    return row;
}

/* Reads a table, or makes ready to write one. */
static inline void golden_open(const char *file)
{
    golden.file = getenv("CAROM_GOLDEN_WRITE");
    golden.write = golden.file != NULL;
    golden.count = golden.wrong = 0;
    if (golden.write)
        return;
    golden.file = file;
    FILE *in = fopen(file, "r");
    if (in == NULL)
        fail_msg("%s cannot be read", file);
    char line[256], name[GOLDEN_NAME];
    while (fgets(line, sizeof line, in) != NULL) {
        uint64_t f32, f64;
        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (sscanf(line, "%63s %" SCNx64 " %" SCNx64, name, &f32, &f64) != 3)
            fail_msg("%s: not a name and two digests: %s", file, line);
        golden_row *row = golden_find(name);
        assert_false(row->known[0]); /* each name once */
        row->digest[0] = f32;
        row->digest[1] = f64;
        row->known[0] = row->known[1] = true;
    }
    fclose(in);
}

/* Compares the results; continues after a difference, so that all are reported. */
static inline void golden_compare(const char *name, carom_precision precision, carom_isa isa, uint64_t sum)
{
    golden_row *row = golden_find(name);
    const size_t f64 = precision == CAROM_F64;
    const uint64_t digest = hash_end(sum);
    row->met[f64] = true;
    if (!row->known[f64] && golden.write) {
        row->digest[f64] = digest;
        row->known[f64] = true;
    }
    if (row->known[f64] && row->digest[f64] == digest)
        return;
    golden.wrong++;
    if (row->known[f64])
        print_error("%s, f%d, %s: 0x%016" PRIx64 ", but golden is 0x%016" PRIx64 "\n", name, (int)precision,
                    carom_isa_name(isa), digest, row->digest[f64]);
    else
        print_error("%s, f%d, %s: 0x%016" PRIx64 " is not in %s\n", name, (int)precision, carom_isa_name(isa), digest,
                    golden.file);
}

/* Fails if anything has differed, or if the table has rows that nothing was compared with. */
static inline void golden_close(void)
{
    FILE *out = golden.write ? fopen(golden.file, "w") : NULL;
    if (golden.write && out == NULL)
        fail_msg("%s cannot be written", golden.file);
    if (golden.write)
        fprintf(out, "# What the digests are, and when one may change: tests/golden/golden.h.\n");
    for (size_t k = 0; k < golden.count; k++) {
        const golden_row *row = &golden.rows[k];
        if (!row->met[0] || !row->met[1]) {
            print_error("%s is in %s, but was not compared\n", row->name, golden.file);
            golden.wrong++;
        }
        if (golden.write)
            fprintf(out, "%-48s 0x%016" PRIx64 " 0x%016" PRIx64 "\n", row->name, row->digest[0], row->digest[1]);
    }
    if (golden.write)
        assert_int_equal(fclose(out), 0);
    if (golden.wrong > 0)
        fail_msg("%u golden digests differ", golden.wrong);
}

#endif
