/* SPDX-License-Identifier: MIT
 * Saves what a search keeps from run to run in a buffer: a header, a part for each root, a checksum. Little-endian.
 * `past` is enough: a run derives everything else from it, the descriptor and the roots. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/problem.h"
#include "search/search.h"

#define SAVE_VERSION 1

/* The line end detects transfers that converted the buffer as text. */
static const unsigned char save_magic[8] = {'C', 'A', 'R', 'O', 'M', 'P', '\r', '\n'};

typedef struct save_header {
    unsigned char magic[8];
    uint32_t version, players;
    uint64_t content;     /* see struct carom_worlds */
    uint64_t description; /* describe() */
    uint64_t series;
    uint64_t count; /* roots */
    uint64_t draws;
} save_header;

/* The beginning of a root's part; the plans of all players follow. */
typedef struct save_root {
    search_moment moment;
    double value;
} save_root;

static_assert(sizeof(save_header) == 56, "the header has no padding");
static_assert(sizeof(save_root) == 32, "a root's part has no padding");

/* ---- the description of a search ---- */

static uint64_t add_number(uint64_t hash, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return hash_step(hash, hash_canonical_f64(bits));
}

/* A hash of the descriptor without the budget and without what does not affect results: searches of the same
 * description find the same plans. */
static uint64_t describe(const search_fixed *fixed)
{
    const carom_search_desc *d = &fixed->desc;
    const uint64_t whole[] = {(uint64_t)d->planner, d->player,      d->action_kind,    d->sequences,
                              d->horizon,           d->hold,        d->seed,           d->value_at_end,
                              d->value_kind,        d->reward_kind, fixed->elites,     d->other_rounds,
                              (uint64_t)d->against, d->cut_after,   fixed->candidates, d->weights != NULL};
    const double numbers[] = {d->discount, d->reward_weight,   d->final_weight, d->sigma,       d->sigma_least, d->keep,
                              d->mutation, d->mutation_spread, d->temperature,  d->other_share, d->cut_keep};
    uint64_t hash = hash_bytes(SAVE_VERSION, whole, sizeof whole);
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        hash = add_number(hash, numbers[k]);
    }
    if (d->network != NULL) {
        hash = hash_step(hash_step(hash, carom_network_about(d->network).digest), d->network_plan);
        hash = add_number(hash, d->network_weight);
    }
    for (size_t n = 0; n < fixed->series; n++) {
        hash = add_number(add_number(hash, (double)fixed->low[n]), (double)fixed->high[n]);
    }
    for (size_t k = 0; k < GAME_MOST_WEIGHTS && d->weights != NULL; k++) {
        hash = add_number(hash, fixed->weights[k]);
    }
    for (size_t c = 0; c < fixed->candidates && fixed->players > 1; c++) {
        const search_candidate *candidate = &fixed->list[c];
        const size_t policy = candidate->other == CAROM_OTHER_POLICY ? candidate->policy : 0;
        hash = hash_step(hash_step(hash_step(hash, (uint64_t)candidate->other), policy), candidate->round);
    }
    return hash_end(hash);
}

static save_header make_header(const carom_search *search, size_t count)
{
    save_header header = {.version = SAVE_VERSION,
                          .players = (uint32_t)search->fixed.players,
                          .content = search->fixed.content,
                          .description = describe(&search->fixed),
                          .series = search->fixed.series,
                          .count = count,
                          .draws = search->past.draws};
    memcpy(header.magic, save_magic, sizeof header.magic);
    return header;
}

/* ---- sizes: none can overflow, since the search itself has this much memory ---- */

static size_t plan_bytes(const search_fixed *fixed)
{
    return fixed->series * sizeof(float);
}

static size_t root_bytes(const search_fixed *fixed)
{
    return sizeof(save_root) + fixed->players * plan_bytes(fixed);
}

static size_t size_of(const search_fixed *fixed, size_t count)
{
    return sizeof(save_header) + count * root_bytes(fixed) + sizeof(uint64_t);
}

size_t carom_search_save_size(const carom_search *search, size_t count)
{
    return search != NULL && count <= search->fixed.roots ? size_of(&search->fixed, count) : 0;
}

/* ---- save ---- */

carom_status carom_search_save(const carom_search *search, size_t first, size_t count, void *buffer, size_t size)
{
    if (search == NULL || buffer == NULL || first > search->fixed.roots || count > search->fixed.roots - first ||
        search->run.from != NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    const search_fixed *fixed = &search->fixed;
    const size_t plan = plan_bytes(fixed), body = size_of(fixed, count) - sizeof(uint64_t); /* all but the checksum */
    if (size < body + sizeof(uint64_t)) {
        return CAROM_ERROR_SIZE;
    }
    carom_search *asked = (carom_search *)(uintptr_t)search;
    search_past *past = search->engine->read_past(asked);
    if (past == NULL) {
        return asked->failed;
    }

    unsigned char *bytes = (unsigned char *)buffer, *at = bytes;
    const save_header header = make_header(search, count);
    memcpy(at, &header, sizeof header);
    at += sizeof header;
    for (size_t root = first; root < first + count; root++) {
        const save_root head = {past->moments[root], past->values[root]};
        memcpy(at, &head, sizeof head);
        at += sizeof head;
        for (size_t p = 0; p < fixed->players; p++, at += plan) {
            memcpy(at, past->plans[p] + root * fixed->series, plan);
        }
    }

    search->engine->write_past(asked, past, false);
    const uint64_t checksum = hash_bytes(SAVE_VERSION, bytes, body);
    memcpy(at, &checksum, sizeof checksum);
    return CAROM_OK;
}

/* ---- load ---- */

/* Whether a run could have produced this part of a root. */
static bool is_root_sound(const search_fixed *fixed, const unsigned char *part)
{
    save_root head;
    memcpy(&head, part, sizeof head);
    part += sizeof head;
    bool sound = head.moment.met <= 1 && head.moment.fresh >> fixed->players == 0 && !isnan(head.value);
    for (size_t n = 0; n < fixed->players * fixed->series; n++) {
        float number;
        memcpy(&number, part + n * sizeof number, sizeof number);
        /* A run keeps within the bounds up to rounding; far outside, differences could become infinite. */
        const float low = fixed->low[n % fixed->series], high = fixed->high[n % fixed->series], wide = high - low;
        sound = sound && number >= low - wide && number <= high + wide;
    }
    return sound;
}

/* Checks a buffer; returns CAROM_OK or why it is refused. *count: the roots in it. */
static carom_status check(const carom_search *search, size_t first, const unsigned char *bytes, size_t size,
                          carom_problem *problem, size_t *count)
{
    const search_fixed *fixed = &search->fixed;
    const size_t least = size_of(fixed, 0), each = root_bytes(fixed);
    save_header header;
    if (size < sizeof header || memcmp(bytes, save_magic, sizeof save_magic) != 0) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "not a save of a search");
    }

    /* The header shows whether the save is of another search; the size must fit the number of roots. */
    memcpy(&header, bytes, sizeof header);
    save_header expected = make_header(search, header.count);
    expected.draws = header.draws;
    if (header.version != expected.version) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "a save of version %u: this library reads version %u",
                           header.version, expected.version);
    }
    if (header.content != expected.content) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT,
                           "the save is of another game or precision, or of other options");
    }
    if (memcmp(&header, &expected, sizeof header) != 0) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "the save is of a search with other parameters");
    }
    if (size < least || (size - least) % each != 0 || (size - least) / each != header.count) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "the save was cut or is too long: it has %zu bytes", size);
    }
    *count = (size - least) / each;

    uint64_t checksum;
    memcpy(&checksum, bytes + size - sizeof checksum, sizeof checksum);
    if (checksum != hash_bytes(SAVE_VERSION, bytes, size - sizeof checksum)) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "the save is damaged: its checksum is wrong");
    }
    if (first > fixed->roots || *count > fixed->roots - first) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "the save has %zu roots, the search %zu from root %zu on",
                           *count, first < fixed->roots ? fixed->roots - first : 0, first);
    }
    for (size_t root = 0; root < *count; root++) {
        if (!is_root_sound(fixed, bytes + sizeof header + root * each)) {
            return carom_wrong(problem, CAROM_ERROR_VALUE, "root %zu of the save is not valid", root);
        }
    }
    return CAROM_OK;
}

carom_status carom_search_load(carom_search *search, size_t first, const void *buffer, size_t size,
                               carom_problem *problem)
{
    size_t count = 0;
    if (search == NULL || buffer == NULL) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "no search, or no buffer");
    }
    if (search->run.from != NULL) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "a run is in progress");
    }
    const unsigned char *bytes = (const unsigned char *)buffer;
    const carom_status status = check(search, first, bytes, size, problem, &count);
    if (status != CAROM_OK) {
        return status;
    }

    const search_fixed *fixed = &search->fixed;
    search_past *past = search->engine->read_past(search);
    if (past == NULL) {
        return carom_wrong(problem, search->failed, "the plans cannot be read from their device");
    }
    const size_t plan = plan_bytes(fixed);
    save_header header;
    memcpy(&header, bytes, sizeof header);
    search->past.draws = header.draws;
    bytes += sizeof header;
    for (size_t root = first; root < first + count; root++) {
        save_root head;
        memcpy(&head, bytes, sizeof head);
        bytes += sizeof head;
        past->moments[root] = head.moment;
        past->values[root] = head.value;
        for (size_t p = 0; p < fixed->players; p++, bytes += plan) {
            memcpy(past->plans[p] + root * fixed->series, bytes, plan);
        }
    }
    search->engine->write_past(search, past, true);
    return search->failed;
}
