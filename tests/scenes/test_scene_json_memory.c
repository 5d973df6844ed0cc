/* SPDX-License-Identifier: MIT
 * Scenes as JSON when the JSON library gets no memory: each of its allocations fails in turn. The status says so, there
 * is no scene or text, and every block is freed.
 */
#include "test.h"

#include <jansson.h>

static size_t asked, failing; /* allocations so far; which of them fails, SIZE_MAX: none */
static ptrdiff_t live;        /* blocks that are not freed yet */

static void *allocate(size_t size)
{
    void *block = asked++ == failing ? NULL : malloc(size);
    live += block != NULL;
    return block;
}

static void release(void *block)
{
    live -= block != NULL;
    free(block);
}

static void fail_at(size_t number)
{
    asked = 0;
    failing = number;
}

/* Nothing is longer than 15 characters: if memory for a longer name or number runs out, Jansson (2.14) drops a
 * character without an error. Something of every kind: objects, lists, numbers, words, escapes, comments. */
static const char text[] =
    "{\"about\": [\"a scene\", {\"with\": \"\\u00e9\"}, null], \"dt\": 0.25, \"solver\": \"half-b\","
    " \"reward\": {\"kind\": \"distance\", \"body\": 1, \"at\": [3, -4]},"
    " \"box\": {\"from\": [-10, -11], \"to\": [12, 13], \"horizontal\": \"solid\"},"
    " \"bodies\": [{\"x\": 1, \"y\": 2, \"mass\": \"infinite\"}, {\"x\": 5, \"acts\": true}], \"body\": {\"radius\": "
    "0.5},"
    " \"walls\": [{\"a\": [0, 1], \"b\": [2, 3]}], \"polygons\": [{\"corners\": [[0, 1], [2, 3], [4.5, 0]]}]}";

TEST(test_reading)
{
    carom_scene *scene;
    carom_problem problem;
    size_t failures = 0;
    for (carom_status status = CAROM_ERROR_MEMORY; status != CAROM_OK; failures++) {
        fail_at(failures);
        scene = (carom_scene *)(uintptr_t)1;
        status = carom_scene_read_json(text, sizeof text - 1, &scene, &problem);
        if (asked > failing) {
            assert_int_equal(status, CAROM_ERROR_MEMORY);
            assert_null(scene);
            assert_string_equal(problem.text, ""); /* nothing is wrong with the text */
        } else {
            assert_int_equal(status, CAROM_OK);
            carom_scene_destroy(scene);
        }
        assert_int_equal(live, 0);
    }
    print_message("reading: %zu allocations\n", failures - 1);
    assert_true(failures > 50);
}

/* Errors in the text are not reported as a lack of memory. */
TEST(test_wrong_texts)
{
    static const char *const wrong[] = {
        "{\"",           "{x\"",          "[\"\\q\"]",     "{\"a\" \"b\"}", "{1\"a\"", "[x", "{\"a\":\"b\",\"\\u0000\"",
        "[\"\\ud800\"]", "[\"a\" \"b\"]", "{\"a\": x\"\"}"};
    fail_at(SIZE_MAX);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        carom_scene *scene;
        carom_problem problem;
        assert_int_equal(carom_scene_read_json(wrong[k], strlen(wrong[k]), &scene, &problem), CAROM_ERROR_FORMAT);
        assert_non_null(strstr(problem.text, "line 1, column"));
    }
    assert_int_equal(live, 0);
}

TEST(test_writing)
{
    OWNED(carom_scene) *scene = NULL;
    char *whole, *written;
    size_t failures = 0;
    fail_at(SIZE_MAX);
    assert_int_equal(carom_scene_read_json(text, sizeof text - 1, &scene, NULL), CAROM_OK);
    assert_int_equal(carom_scene_write_json(scene, &whole), CAROM_OK);
    for (carom_status status = CAROM_ERROR_MEMORY; status != CAROM_OK; failures++) {
        fail_at(failures);
        written = NULL;
        status = carom_scene_write_json(scene, &written);
        if (status == CAROM_OK) { /* without that block, too: Jansson can do without some */
            assert_string_equal(written, whole);
            carom_text_free(written);
        } else {
            assert_int_equal(status, CAROM_ERROR_MEMORY);
            assert_null(written);
        }
        assert_int_equal(live, 0);
        if (status == CAROM_OK && asked > failing) {
            status = CAROM_ERROR_MEMORY; /* continue */
        }
    }
    print_message("writing: %zu allocations\n", failures - 1);
    assert_true(failures > 50);
    carom_text_free(whole);
}

SET_UP
{
    json_set_alloc_funcs(allocate, release);
}
