/* SPDX-License-Identifier: MIT
 * A bot's time: how much of it the target, the limit and the pauses of the turns before leave for searching.
 */
#include "tests/test.h"

#include "bot/clock.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

/* Without delays: the target counts, minus a margin and the time already used. */
TEST(test_idle)
{
    bot_clock clock = {.waited = 1};
    carom_clock_add(&clock, 0.2, 13);
    NEAR(carom_clock_left(&clock, 70, 75, 0), 69.3);
    NEAR(carom_clock_left(&clock, 70, 75, 2), 67.3);
    NEAR(carom_clock_left(&clock, 15, 20, 0), 14.3);
    NEAR(carom_clock_left(&clock, 5, 10, 0), 4.3);
    NEAR(carom_clock_left(&clock, 70, 100, 0), 69.3); /* a later limit changes nothing */
}

/* Other processes take the core now and then: the answer comes before the limit even if they take it for as long again
 * and a turn more. */
TEST(test_busy)
{
    bot_clock clock = {.waited = 1};
    carom_clock_add(&clock, 8, 10);
    carom_clock_add(&clock, 4, 10);
    NEAR(carom_clock_left(&clock, 70, 75, 0), 75 - 8 - 6 - 0.7);
    NEAR(carom_clock_left(&clock, 70, 75, 30), 75 - 8 - 6 - 0.7 - 30);
    NEAR(carom_clock_left(&clock, 70, 100, 0), 69.3);

    /* The time that it waited before it noticed the question is unknown: as long again. */
    clock.waited = 0;
    NEAR(carom_clock_left(&clock, 70, 75, 0), 75 - 8 - 6 - 8 - 0.7);
}

/* The reserve is 20 ms at first, then the longest of few turns; of many, the second longest. */
TEST(test_what_is_known)
{
    bot_clock clock = {.waited = 1};
    NEAR(carom_clock_left(&clock, 70, 75, 0), 75 - 20 - 0.7);
    carom_clock_add(&clock, 12, 1);
    NEAR(carom_clock_left(&clock, 70, 75, 0), 75 - 12 - 12 - 0.7);
    carom_clock_add(&clock, 4, 14);
    NEAR(carom_clock_left(&clock, 70, 75, 0), 75 - 12 - (12 + 14 * 4) / 15.0 - 0.7);
    carom_clock_add(&clock, 4, 1);
    NEAR(carom_clock_left(&clock, 70, 75, 0), 75 - 4 - 4.5 - 0.7);

    /* One mishap, whenever it was; two. */
    carom_clock_add(&clock, 4, 64);
    NEAR(carom_clock_left(&clock, 70, 75, 0), 75 - 4 - 4 - 0.7);
    carom_clock_add(&clock, 36, 1);
    NEAR(carom_clock_left(&clock, 70, 75, 0), 75 - 4 - 4.5 - 0.7);
    carom_clock_add(&clock, 4, 30);
    carom_clock_add(&clock, 20, 1);
    NEAR(carom_clock_left(&clock, 70, 75, 0), 75 - 20 - 4.75 - 0.7);

    /* 64 turns later they are forgotten. */
    carom_clock_add(&clock, 4, 64);
    NEAR(carom_clock_left(&clock, 70, 75, 0), 75 - 4 - 4 - 0.7);
    carom_clock_add(&clock, 9, 1e9); /* the only turn so far was very long */
    NEAR(carom_clock_left(&clock, 70, 75, 0), 75 - 9 - 9 - 0.7);
}

/* At least a quarter of the time, whatever happened; and a little, however late it is. */
TEST(test_least)
{
    bot_clock clock = {.waited = 1};
    carom_clock_add(&clock, 500, 64);
    NEAR(carom_clock_left(&clock, 70, 75, 0), 17.5 - 0.7);
    assert_true(carom_clock_left(&clock, 70, 75, 80) > 0);
    assert_true(carom_clock_left(&clock, 1, 6, 0) > 0);
}

/* Where the system reports how long a thread waited, the first call gives all of it, later calls the increase. */
TEST(test_waited)
{
    bot_clock clock = {.turns = 0};
    const double first = carom_clock_waited(&clock);
    assert_true(first >= 0 && fabs(first - clock.waited) < 1e-6);
    const double before = clock.waited, more = carom_clock_waited(&clock);
    assert_true(more >= 0 && fabs(before + more - clock.waited) < 1e-6);
    clock.waited += 1e9; /* time does not run backwards */
    assert_true(carom_clock_waited(&clock) == 0);
}
