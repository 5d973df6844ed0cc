/* SPDX-License-Identifier: MIT
 * Watching a search. A watched search has a separate engine (search.h), which shows every generation before the
 * original engine learns from it: learning moves the distribution, after which the sequences could not be drawn again.
 */
#include "search/search.h"

#include <stdlib.h>

#include "base/memory.h"

typedef struct search_watch {
    struct search_engine engine;       /* of the search, with `learn` as below */
    const struct search_engine *inner; /* the original engine */
    carom_search_watch *call;          /* the caller's, called with `user` */
    void *user;
    bool open; /* within the call: the generation's sequences can be drawn again */
} search_watch;

static void watched_learn(carom_search *search)
{
    search_watch *watch = search->watch;
    const carom_search_drawn drawn = {&search->fixed.desc, search->run.from, search->run.report.generations,
                                      search->phase.player, search->generation.count};
    watch->open = true;
    watch->call(watch->user, search, &drawn);
    watch->open = false;
    watch->inner->learn(search);
}

carom_status carom_search_set_watch(carom_search *search, carom_search_watch *watch, void *user)
{
    if (search == NULL || search->run.from != NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (carom_is_on_device(search->home)) {
        return CAROM_ERROR_UNSUPPORTED;
    }

    /* Replace an earlier watcher. */
    if (search->watch != NULL) {
        search->engine = search->watch->inner;
        free(search->watch);
        search->watch = NULL;
    }
    if (watch == NULL) {
        return CAROM_OK;
    }

    search_watch *made = (search_watch *)calloc(1, sizeof *made);
    if (made == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    made->engine = *search->engine;
    made->engine.learn = watched_learn;
    made->inner = search->engine;
    made->call = watch;
    made->user = user;
    search->watch = made;
    search->engine = &made->engine;
    return CAROM_OK;
}

carom_status carom_search_sequences(const carom_search *search, size_t root, const uint32_t *sequences, size_t count,
                                    float *numbers, double *returns)
{
    if (search == NULL || search->watch == NULL || !search->watch->open || root >= search->fixed.roots) {
        return CAROM_ERROR_ARGUMENT;
    }
    const search_generation *generation = &search->generation;
    bool there = count <= generation->count;
    for (size_t k = 0; there && sequences != NULL && k < count; k++) {
        there = sequences[k] < generation->count;
    }
    if (!there) {
        return CAROM_ERROR_ARGUMENT;
    }

    const size_t players = search->fixed.players;
    for (size_t k = 0; returns != NULL && k < count; k++) {
        const size_t sequence = root * generation->count + (sequences != NULL ? sequences[k] : k);
        returns[k] = generation->returns[sequence * players + search->phase.player];
    }
    if (numbers == NULL || count == 0) {
        return CAROM_OK;
    }

    /* The working memory of one draw, then the sequences' numbers where the caller lists none. */
    const size_t room = memory_aligned(4 * carom_rollout_row_room(&generation->r));
    unsigned char *memory =
        (unsigned char *)carom_memory_take(room + (sequences == NULL ? count : 0) * sizeof *sequences);
    if (memory == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    uint32_t *all = (uint32_t *)(void *)(memory + room);
    for (size_t k = 0; sequences == NULL && k < count; k++) {
        all[k] = (uint32_t)k;
    }
    carom_rollout_sequences(&generation->r, search->phase.player, (uint32_t)root, sequences != NULL ? sequences : all,
                            count, numbers, (float *)(void *)memory);
    carom_memory_release(memory);
    return CAROM_OK;
}
