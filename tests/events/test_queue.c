/* SPDX-License-Identifier: MIT
 * The calendar queue against a plain array: everything entered comes up, in order of keys.
 */
#include "test.h"

#define CAROM_ISA_SCALAR CAROM_ISA_SCALAR
#define CAROM_REAL_BITS 64
#include "events/queue.h"

static uint64_t random_state = 1;

static double uniform(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (double)(random_state >> 11) * 0x1p-53;
}

typedef struct owner {
    queue queue;
    uint32_t n;
    double *keys; /* the one event of each owner */
} owner;

static void refill(owner *o, double begin)
{
    queue_clear(&o->queue, begin);
    for (uint32_t i = 0; i < o->n; i++) {
        if (o->keys[i] < o->queue.end) {
            assert_true(queue_insert(&o->queue, o->keys[i], (int32_t)i));
        }
    }
}

static owner make(uint32_t n, double length)
{
    owner o = {.n = n, .keys = calloc(n, sizeof(double))};
    const size_t lines = (size_t)queue_buckets(n) + queue_pool(n);
    queue_create(&o.queue, aligned_alloc(64, lines * sizeof(queue_line)), n);
    o.queue.length = length;
    o.queue.last = 1000;
    return o;
}

static void destroy(owner *o)
{
    free(o->queue.lines);
    free(o->keys);
}

/* Takes `events` events; each owner then gets another by `draw`. No remaining event may ever be earlier. */
static void play(owner *o, unsigned events, double (*draw)(double now))
{
    for (uint32_t i = 0; i < o->n; i++) {
        o->keys[i] = draw(0);
    }
    refill(o, 0);
    double now = 0;
    unsigned taken = 0, rounds = 0;
    while (taken < events) {
        assert_true(++rounds < 100 * events + 1000);
        const queue_state state = queue_advance(&o->queue);
        if (state == QUEUE_AT_END) {
            queue_tune(&o->queue);
            refill(o, o->queue.end);
            continue;
        }
        if (state == QUEUE_FULL) {
            refill(o, now);
            continue;
        }
        const uint32_t last = --o->queue.count;
        const double key = o->queue.key[last];
        const int32_t who = o->queue.who[last];
        if (o->keys[who] != key) {
            continue; /* out of date */
        }
        if (taken % 7 == 0 || o->n < 100) {
            for (uint32_t i = 0; i < o->n; i++) {
                assert_true(o->keys[i] >= key);
            }
        }
        now = key;
        taken++;
        for (int k = 0; k < 2; k++) { /* the owner and another one, the entry of which becomes outdated */
            const uint32_t i = k == 0 ? (uint32_t)who : (uint32_t)(uniform() * o->n);
            o->keys[i] = draw(now);
            if (o->keys[i] < o->queue.end && !queue_insert(&o->queue, o->keys[i], (int32_t)i)) {
                refill(o, now);
            }
        }
    }
}

static double spread(double now)
{
    return now + uniform() * 2;
}

/* Most events soon, few late. */
static double skewed(double now)
{
    const double u = uniform();
    return now + u * u * u * u * 10;
}

/* Many at the same times. */
static double whole(double now)
{
    return (double)(int64_t)now + (double)(int64_t)(uniform() * 3);
}

static double at_once(double now)
{
    return now < 1 ? 1 : now + 1e-3;
}

TEST(test_order)
{
    static double (*const draws[])(double) = {spread, skewed, whole, at_once};
    static const uint32_t sizes[] = {1, 2, 3, 17, 300, 2000, 60000};
    for (size_t d = 0; d < 4; d++) {
        for (size_t s = 0; s < 7; s++) {
            if (sizes[s] > 2000 && d > 1) {
                continue;
            }
            owner o = make(sizes[s], d == 1 ? 100 : 0.01);
            play(&o, sizes[s] > 2000 ? 500 : 3000, draws[d]);
            destroy(&o);
        }
    }
}

TEST(test_tuning)
{
    owner o = make(1000, 1e-6);
    play(&o, 20000, spread);
    const double density = 1000 / 1.0 / (double)o.queue.buckets * o.queue.length; /* events of a bucket, about */
    assert_true(density > 0.2 * QUEUE_DENSITY && density < 5 * QUEUE_DENSITY);
    destroy(&o);
}

/* Ranks come out in order, equal ones included, while others go in; no more than there is room for. */
TEST(test_ties)
{
    enum { MOST = 1000 };
    static uint64_t rank[MOST];
    static int32_t who[MOST];
    ties t;
    ties_create(&t, rank, who, MOST);
    for (int32_t k = 0; k < MOST; k++) {
        const uint64_t drawn = (uint64_t)(uniform() * 300);
        assert_true(ties_push(&t, drawn << 10 | (uint64_t)k, k));
    }
    assert_false(ties_push(&t, 0, 0));
    uint64_t last = 0;
    for (unsigned taken = 0; t.count > 0; taken++) {
        const uint64_t first = t.rank[0];
        assert_true(first >= last && (int32_t)(first & 1023) == t.who[0]);
        ties_pop(&t);
        last = first;
        if (taken % 3 == 0 && taken < MOST) { /* not before the last one */
            assert_true(ties_push(&t, (((last >> 10) + (uint64_t)(uniform() * 9)) << 10) + 1023, 1023));
            last = last & ~UINT64_C(1023);
        }
    }
    assert_int_equal(t.count, 0);
}
