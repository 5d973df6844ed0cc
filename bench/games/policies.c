/* SPDX-License-Identifier: MIT
 * Built-in policies alone: worlds a second of carom_worlds_policy(), for all players, by game, policy, precision and
 * instruction set.
 *
 * Every policy plays 128 worlds against itself. From tick 16 on it is called once more every few ticks, and only that
 * is timed. Its actions must equal those in the first run on any instruction set.
 */
#include "bench/common/harness.h"

#include <stdlib.h>
#include <string.h>

#define WORLDS 128
#define BATCHES 8 /* of worlds at different ticks */
#define FIRST_TICK 16
#define APART 23 /* ticks */
#define MOST 256 /* cases */

typedef struct subject {
    const carom_game *game;
    size_t policy;
    carom_precision precision;
    /* The rest is made by make_batches(). */
    carom_worlds *batches[BATCHES]; /* narrowest instruction set */
    size_t row_bytes;
    uint64_t hashes[BATCHES]; /* of the answers; 0 as long as there are none */
} subject;

typedef struct question {
    subject *subject;
    carom_isa isa;
} question;

static carom_worlds *make_worlds(const subject *s, carom_isa isa)
{
    carom_worlds_desc desc = carom_worlds_desc_default(s->game);
    carom_worlds *worlds;
    desc.count = WORLDS;
    desc.seed = 1;
    desc.precision = s->precision;
    desc.isa = isa;
    desc.threads = 1;
    desc.at_end = CAROM_RESET;
    carom_bench_demand(carom_worlds_create(&desc, &worlds), "create worlds");
    return worlds;
}

static void copy_all(carom_worlds *to, const carom_worlds *from)
{
    carom_bench_demand(carom_worlds_copy(to, NULL, from, NULL, WORLDS), "copy worlds");
}

static void make_batches(subject *s)
{
    if (s->row_bytes != 0) {
        return;
    }
    const carom_game_info info = carom_game_describe(s->game);
    carom_action_kind kind;
    carom_bench_demand(carom_game_action_kind(s->game, 0, &kind), "find a kind of action");
    s->row_bytes = (size_t)info.players * kind.size * (kind.precision / 8);
    carom_worlds *worlds = make_worlds(s, CAROM_ISA_DEFAULT);
    unsigned char *actions = carom_bench_take(WORLDS, s->row_bytes);
    carom_step step = carom_step_default();
    step.actions = actions;
    for (size_t tick = 0, batch = 0; batch < BATCHES; tick++) {
        if (tick == FIRST_TICK + batch * APART) {
            s->batches[batch] = make_worlds(s, CAROM_ISA_DEFAULT);
            copy_all(s->batches[batch++], worlds);
        }
        carom_bench_demand(carom_worlds_policy(worlds, s->policy, 0, actions), "ask the policy");
        carom_bench_demand(carom_worlds_play(worlds, &step), "play");
    }
    carom_worlds_destroy(worlds);
    free(actions);
}

/* FNV-1a. */
static uint64_t hash_of(const unsigned char *bytes, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* An iteration calls it once for every batch. */
static void run(const void *argument, uint64_t iterations, bench_sample *sample)
{
    const question *q = argument;
    subject *s = q->subject;
    make_batches(s);
    carom_worlds *worlds[BATCHES];
    unsigned char *actions = carom_bench_take(WORLDS, s->row_bytes);
    for (size_t b = 0; b < BATCHES; b++) {
        worlds[b] = make_worlds(s, q->isa);
        copy_all(worlds[b], s->batches[b]);
        carom_bench_demand(carom_worlds_policy(worlds[b], s->policy, 0, actions), "ask the policy");
        const uint64_t hash = hash_of(actions, WORLDS * s->row_bytes);
        if (s->hashes[b] != 0 && s->hashes[b] != hash) {
            carom_bench_die("%s, policy %zu, f%d, %s: another answer", carom_game_describe(s->game).name, s->policy,
                            (int)s->precision, carom_isa_name(q->isa));
        }
        s->hashes[b] = hash;
    }
    for (uint64_t i = 0; i < iterations; i++) {
        carom_status status = CAROM_OK;
        carom_bench_start(sample);
        for (size_t b = 0; b < BATCHES && status == CAROM_OK; b++) {
            status = carom_worlds_policy(worlds[b], s->policy, 0, actions);
        }
        carom_bench_stop(sample);
        carom_bench_demand(status, "ask the policy");
    }
    for (size_t b = 0; b < BATCHES; b++) {
        carom_worlds_destroy(worlds[b]);
    }
    free(actions);
    sample->items = (double)iterations * BATCHES * WORLDS;
}

int main(int argc, char **argv)
{
    static const bench_program program = {"Built-in policies", "M worlds/s", 1e-6, {"x scalar"}, {{NULL, NULL, 0}}};
    static subject subjects[MOST];
    static question questions[MOST];
    size_t subject_count = 0, count = 0;
    carom_isa isas[CAROM_ISA_COUNT];
    const size_t isa_count = carom_bench_isas(isas);
    bench *b = carom_bench_create(argc, argv, &program);
    for (size_t g = 0; g < carom_game_count(); g++) {
        const carom_game *game = carom_game_at(g);
        const carom_game_info info = carom_game_describe(game);
        for (size_t k = 0; k < 2 * info.policies; k++) {
            if (subject_count == MOST || count + isa_count > MOST) {
                carom_bench_die("more than %d cases", MOST);
            }
            subject *s = &subjects[subject_count++];
            *s = (subject){.game = game, .policy = k / 2, .precision = k % 2 == 0 ? CAROM_F64 : CAROM_F32};
            size_t scalar = BENCH_NONE;
            for (size_t i = 0; i < isa_count; i++) {
                questions[count] = (question){s, isas[i]};
                bench_case c = carom_bench_case(run, &questions[count++]);
                c.baselines[0] = scalar;
                carom_bench_name(&c, "policies/%s/%s/f%d/%s", info.name, carom_game_policy_name(game, s->policy),
                                 (int)s->precision, carom_isa_name(isas[i]));
                const size_t number = carom_bench_add(b, &c);
                scalar = i == 0 ? number : scalar;
            }
        }
    }
    return carom_bench_run(b);
}
