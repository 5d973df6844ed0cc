/* SPDX-License-Identifier: MIT
 * Tests that fork. Before it come unistd.h and sys/wait.h.
 */
#ifndef CAROM_TESTS_CHILD_H
#define CAROM_TESTS_CHILD_H

#include "test.h"

/* Leaves a test where processes with threads cannot fork: in the user mode of qemu. */
#define NEEDS_FORK()                                                                                                   \
    do {                                                                                                               \
        if (getenv("CAROM_TEST_NO_FORK") != NULL) {                                                                    \
            skip();                                                                                                    \
        }                                                                                                              \
    } while (0)

typedef bool child_test(void);

enum { CHILD_SECONDS = 60 };

/* Forks; the child reports whether its test passes, and is killed if it hangs. */
static inline void assert_child(child_test *test)
{
    NEEDS_FORK();
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(CHILD_SECONDS);
        _exit(test() ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#endif
