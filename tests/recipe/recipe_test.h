/* SPDX-License-Identifier: MIT
 * Shared by the tests of recipes: recipes that are made, read, played and refused, and a plain digest of a transition.
 */
#ifndef CAROM_TESTS_RECIPE_RECIPE_TEST_H
#define CAROM_TESTS_RECIPE_RECIPE_TEST_H

#include "test.h"

#include "base/hash.h"

static inline void end_carom_recipe(carom_recipe **recipe)
{
    carom_recipe_destroy(*recipe);
}

/* ---- texts ---- */

typedef struct recipe_text {
    char bytes[CAROM_RECIPE_BYTES + 64];
    size_t length;
} recipe_text;

static inline recipe_text write_text(const carom_recipe *recipe)
{
    recipe_text text;
    OK(carom_recipe_write(recipe, text.bytes, &text.length));
    return text;
}

/* Makes the checksum right again. */
static inline void seal(recipe_text *text)
{
    char line[32];
    text->length -= strlen("check 0123456789abcdef\n");
    const uint64_t sum = hash_bytes(1, text->bytes, text->length);
    snprintf(line, sizeof line, "check %016llx\n", (unsigned long long)sum);
    memcpy(text->bytes + text->length, line, strlen(line));
    text->length += strlen(line);
}

/* Replaces `what`, which must occur, by `with`. */
static inline void replace(recipe_text *text, const char *what, const char *with)
{
    text->bytes[text->length] = '\0';
    char *at = strstr(text->bytes, what);
    assert_non_null(at);
    const size_t old = strlen(what), new = strlen(with);
    memmove(at + new, at + old, text->length - (size_t)(at - text->bytes) - old);
    memcpy(at, with, new);
    text->length += new - old;
    seal(text);
}

static inline carom_recipe *parse(const recipe_text *text)
{
    carom_recipe *recipe = NULL;
    carom_problem problem = {""};
    if (carom_recipe_parse(text->bytes, text->length, &recipe, &problem) != CAROM_OK) {
        fail_msg("%s\n%.*s", problem.text, (int)text->length, text->bytes);
    }
    return recipe;
}

static inline void refused(const recipe_text *text, carom_status status, const char *why)
{
    carom_recipe *recipe = NULL;
    carom_problem problem = {""};
    assert_int_equal(carom_recipe_parse(text->bytes, text->length, &recipe, &problem), status);
    assert_null(recipe);
    if (strstr(problem.text, why) == NULL) {
        fail_msg("'%s' does not say '%s'", problem.text, why);
    }
}

/* ---- recipes ---- */

static inline carom_recipe *create(const carom_recipe_desc *desc)
{
    carom_recipe *recipe = NULL;
    carom_problem problem = {""};
    if (carom_recipe_create(desc, &recipe, &problem) != CAROM_OK) {
        fail_msg("%s", problem.text);
    }
    return recipe;
}

static inline void not_created(const carom_recipe_desc *desc, carom_status status, const char *why)
{
    carom_recipe *recipe = NULL;
    carom_problem problem = {""};
    assert_int_equal(carom_recipe_create(desc, &recipe, &problem), status);
    assert_null(recipe);
    if (strstr(problem.text, why) == NULL) {
        fail_msg("'%s' does not say '%s'", problem.text, why);
    }
}

static inline uint64_t play(const carom_recipe *recipe, size_t block, carom_isa isa, unsigned threads)
{
    carom_recipe_how how = carom_recipe_how_default();
    how.isa = isa;
    how.threads = threads;
    uint64_t digest = 0;
    OK(carom_recipe_play(recipe, block, &how, &digest));
    return digest;
}

static inline uint64_t play_all(const carom_recipe *recipe, carom_isa isa, unsigned threads)
{
    uint64_t sum = 0;
    for (size_t b = 0; b < carom_recipe_describe(recipe).blocks; b++) {
        sum += play(recipe, b, isa, threads);
    }
    return sum;
}

/* Leaves the test in builds without JSON. */
static inline void need_json(const carom_scene *scene)
{
    OWNED_TEXT char *text = NULL;
    if (carom_scene_write_json(scene, &text) == CAROM_ERROR_UNSUPPORTED) {
        skip();
    }
}

static inline carom_recipe_desc small(void)
{
    carom_recipe_desc desc = carom_recipe_desc_default(carom_game_find("csb"));
    desc.worlds = 10;
    desc.ticks = 5;
    desc.blocks = 2;
    desc.players[1] = "random";
    return desc;
}

/* ---- the digest in plain words, made of the rule alone ---- */

static inline uint64_t plain_digest(uint64_t id, uint64_t tick, const void *rows[4], const size_t bytes[4])
{
    uint64_t state = mix64_other(mix64(tick + HASH_GOLDEN) + id), sum = 0;
    size_t words = 0;
    for (int a = 0; a < 4; a++) {
        for (size_t at = 0; at < bytes[a]; at += 8) {
            uint64_t word = 0;
            memcpy(&word, (const char *)rows[a] + at, bytes[a] - at < 8 ? bytes[a] - at : 8);
            if (words == 64) {
                state = mix64(state + sum);
                sum = words = 0;
            }
            words++;
            sum += word * (mix64(words * HASH_GOLDEN) | 1);
        }
    }
    return mix64(state + sum);
}

#endif
