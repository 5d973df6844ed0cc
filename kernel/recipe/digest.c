/* SPDX-License-Identifier: MIT
 * The digest of transitions: a sum of one number for each, so that neither their order nor their division into parts
 * matters.
 *
 * The rows of a transition are words of 8 bytes, each row padded with zeros. Each of up to KEYS words is multiplied by
 * a separate odd number, and the products are added up. They do not depend on each other, which makes this fast; and
 * since an odd number has an inverse modulo 2^64, a single changed word always changes the sum. The sum enters the
 * state by a bijection, so the change persists to the end.
 */
#include <carom/recipe.h>

#include <string.h>

#include "base/hash.h"

#define KEYS 64

/* The factors: any odd numbers without a pattern. */
typedef struct digest_keys {
    uint64_t of[KEYS];
} digest_keys;

static digest_keys make_keys(void)
{
    digest_keys keys;
    for (size_t k = 0; k < KEYS; k++) {
        keys.of[k] = mix64((k + 1) * HASH_GOLDEN) | 1;
    }
    return keys;
}

/* A transition while its rows are added. */
typedef struct digest_state {
    uint64_t state, sum;
    size_t words; /* in the sum */
} digest_state;

static inline void close_sum(digest_state *s)
{
    s->state = mix64(s->state + s->sum);
    s->sum = 0;
    s->words = 0;
}

/* Adds a row. */
static inline void add_row(digest_state *s, const digest_keys *keys, const unsigned char *row, size_t bytes)
{
    size_t left = bytes;
    while (left > 0) {
        if (s->words == KEYS) {
            close_sum(s);
        }
        const size_t whole = left / sizeof(uint64_t), room = KEYS - s->words, count = whole < room ? whole : room;
        const uint64_t *const key = keys->of + s->words;
        uint64_t sum = 0;
        for (size_t k = 0; k < count; k++) {
            sum += little_read(row + k * sizeof(uint64_t), sizeof(uint64_t)) * key[k];
        }
        s->sum += sum;
        s->words += count;
        row += count * sizeof(uint64_t);
        left -= count * sizeof(uint64_t);

        /* The remaining bytes, less than a word. */
        if (left > 0 && left < sizeof(uint64_t) && s->words < KEYS) {
            uint64_t word = 0;
            for (; left > 0; left--) {
                word = word << 8 | row[left - 1];
            }
            s->sum += word * keys->of[s->words++];
        }
    }
}

carom_transitions carom_transitions_default(void)
{
    carom_transitions transitions;
    memset(&transitions, 0, sizeof transitions);
    transitions.size = sizeof transitions;
    return transitions;
}

carom_status carom_transitions_digest(const carom_transitions *transitions, uint64_t *digest)
{
    const carom_transitions *t = transitions;
    if (t == NULL || digest == NULL || t->size != sizeof *t) {
        return CAROM_ERROR_ARGUMENT;
    }
    const struct {
        const unsigned char *at;
        size_t bytes;
    } arrays[] = {{(const unsigned char *)t->observations, t->observation_bytes},
                  {(const unsigned char *)t->actions, t->action_bytes},
                  {(const unsigned char *)t->rewards, t->reward_bytes},
                  {(const unsigned char *)t->ends, t->end_bytes}};
    for (size_t a = 0; a < sizeof arrays / sizeof arrays[0] && t->ticks > 0 && t->worlds > 0; a++) {
        if ((arrays[a].at == NULL) != (arrays[a].bytes == 0)) {
            return CAROM_ERROR_ARGUMENT;
        }
    }

    const digest_keys keys = make_keys();
    uint64_t total = 0;
    for (size_t tick = 0; tick < t->ticks; tick++) {
        const uint64_t of_tick = mix64(t->first_tick + tick + HASH_GOLDEN);
        for (size_t world = 0; world < t->worlds; world++) {
            const uint64_t id = t->ids != NULL ? t->ids[world] : t->first_id + world;
            digest_state s = {mix64_other(of_tick + id), 0, 0};
            const size_t row = tick * t->worlds + world;
            for (size_t a = 0; a < sizeof arrays / sizeof arrays[0]; a++) {
                if (arrays[a].bytes > 0) {
                    add_row(&s, &keys, arrays[a].at + row * arrays[a].bytes, arrays[a].bytes);
                }
            }
            close_sum(&s);
            total += s.state;
        }
    }
    *digest = total;
    return CAROM_OK;
}
