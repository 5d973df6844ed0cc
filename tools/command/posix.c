/* SPDX-License-Identifier: MIT
 * POSIX: see system.h.
 */
#define _POSIX_C_SOURCE 200809L

#include "system.h"

#include <signal.h>
#include <unistd.h>

void carom_system_begin(void) {}

void carom_system_on_end(void (*handler)(int), bool replace)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = handler};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        struct sigaction before;
        if (sigaction(numbers[k], NULL, &before) != 0) {
            continue;
        }
        const bool ignored = numbers[k] == SIGHUP && before.sa_handler == SIG_IGN;
        if (before.sa_handler == SIG_DFL || (replace && !ignored)) {
            sigaction(numbers[k], &action, NULL);
        }
    }
}

bool carom_system_rename(const char *from, const char *to)
{
    return rename(from, to) == 0;
}

bool carom_system_flush(FILE *file)
{
    return fflush(file) == 0 && fsync(fileno(file)) == 0;
}
