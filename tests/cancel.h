/* SPDX-License-Identifier: MIT
 * A cancel flag raised by a CPU-time timer, and how long a call runs on after that. Define _XOPEN_SOURCE 700, which
 * setitimer() and sigaction() need, before including this file.
 */
#ifndef CAROM_TESTS_CANCEL_H
#define CAROM_TESTS_CANCEL_H

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>

static volatile int cancelled;
static volatile clock_t cancelled_at;

static inline void cancel_now(int signal)
{
    (void)signal;
    cancelled = 1;
    cancelled_at = clock();
}

/* Clears the flag, and raises it after this many microseconds; false without a timer. */
static inline int cancel_after(suseconds_t microseconds)
{
    const struct sigaction now = {.sa_handler = cancel_now};
    const struct itimerval once = {{0, 0}, {microseconds / 1000000, microseconds % 1000000}};
    cancelled = 0;
    return sigaction(SIGVTALRM, &now, NULL) == 0 && setitimer(ITIMER_VIRTUAL, &once, NULL) == 0;
}

/* Never; of a timer that may still run. */
static inline int cancel_never(void)
{
    const struct itimerval none = {{0, 0}, {0, 0}};
    return setitimer(ITIMER_VIRTUAL, &none, NULL) == 0;
}

/* Seconds of processor time from the flag to `end`. */
static inline double cancelled_for(clock_t end)
{
    return (double)(end - cancelled_at) / CLOCKS_PER_SEC;
}

#endif
