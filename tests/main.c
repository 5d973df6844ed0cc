/* SPDX-License-Identifier: MIT
 * The main() of every test program: runs the TEST()s of its file, or those whose names match CAROM_TEST_ONLY.
 */
#include "test.h"

enum { MOST = 64 };

static struct CMUnitTest tests[MOST]; /* cmocka passes over those without a name */
static int lines[MOST];               /* their position */
static size_t count;
carom_isa isas[CAROM_ISA_COUNT];
size_t isa_count;
static void (*before)(void), (*after)(void);

/* Constructors run in any order: sorts tests in that of their file. */
void add_test(const char *name, CMUnitTestFunction run, int line)
{
    size_t at = count++;
    if (count > MOST) {
        fprintf(stderr, "more than %d tests in one file\n", (int)MOST);
        exit(1);
    }
    for (; at > 0 && lines[at - 1] > line; at--) {
        tests[at] = tests[at - 1];
        lines[at] = lines[at - 1];
    }
    tests[at].name = name;
    tests[at].test_func = run;
    lines[at] = line;
}

void add_set_up(void (*run)(void))
{
    before = run;
}

void add_tear_down(void (*run)(void))
{
    after = run;
}

static int set_up(void **state)
{
    (void)state;
    before();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    after();
    return 0;
}

int main(void)
{
    for (carom_isa isa = CAROM_ISA_SCALAR; isa < CAROM_ISA_COUNT; isa++) {
        if (carom_isa_usable(isa)) {
            isas[isa_count++] = isa;
        }
    }
    cmocka_set_test_filter(getenv("CAROM_TEST_ONLY"));
    return count == 0 ? 1
                      : cmocka_run_group_tests(tests, before != NULL ? set_up : NULL, after != NULL ? tear_down : NULL);
}
