/* SPDX-License-Identifier: MIT
 * Tests of carom/device.h without a device, and of errors of device calls on batches of this processor. tests/device
 * tests batches on a device. */

#include <carom/device.h>
#include <carom/scene.h>

#include "test.h"

#include <limits.h>

/* Does this machine have a device? Then there is no absence to test. */
static bool has_device(void)
{
    return carom_device_count(NULL) > 0;
}

static carom_worlds *make(const carom_worlds_desc *desc)
{
    carom_worlds *worlds;
    assert_int_equal(carom_worlds_create(desc, &worlds), CAROM_OK);
    return worlds;
}

TEST(test_numbers)
{
    assert_int_not_equal(carom_device_cuda(0), 0);
    assert_int_equal(carom_device_cuda(3), carom_device_cuda(0) + 3);

    /* No number, however great, becomes that of this processor. */
    for (unsigned below = 0; below < 1000; below++) {
        assert_int_not_equal(carom_device_cuda(UINT_MAX - below), 0);
    }
}

TEST(test_absence_has_a_reason)
{
    if (has_device()) {
        return;
    }
    carom_problem problem = {"as before"};
    assert_int_equal(carom_device_count(&problem), 0);
    assert_true(strstr(problem.text, "no driver: ") != NULL ||
                strstr(problem.text, "no programs for devices") != NULL ||
                strstr(problem.text, "finds no device") != NULL);

    carom_problem other = {""};
    carom_device_info info = {.driver = 77};
    assert_int_equal(carom_device_describe(carom_device_cuda(0), &info, &other), CAROM_ERROR_UNSUPPORTED);
    assert_string_equal(other.text, problem.text);
    assert_int_equal(info.driver, 77);

    void *memory = &info;
    assert_int_equal(carom_device_allocate(carom_device_cuda(0), 8, &memory, &other), CAROM_ERROR_UNSUPPORTED);
    assert_null(memory);
    assert_int_equal(carom_device_owns(carom_device_cuda(0), &info, 1, NULL), CAROM_ERROR_UNSUPPORTED);
    assert_int_equal(carom_device_order(carom_device_cuda(0), NULL, NULL, NULL), CAROM_ERROR_UNSUPPORTED);
}

TEST(test_no_batch_without_a_device)
{
    if (has_device()) {
        return;
    }
    for (size_t k = 0; k < carom_game_count(); k++) {
        carom_worlds_desc desc = carom_worlds_desc_default(carom_game_at(k));
        carom_problem problem = {"as before"};
        assert_int_equal(carom_device_check(&desc, &problem), CAROM_OK);
        assert_string_equal(problem.text, "");

        desc.device = carom_device_cuda(0);
        carom_worlds *worlds = (carom_worlds *)&desc;
        assert_int_equal(carom_device_check(&desc, &problem), CAROM_ERROR_UNSUPPORTED);
        assert_string_not_equal(problem.text, "");
        assert_int_equal(carom_worlds_create(&desc, &worlds), CAROM_ERROR_UNSUPPORTED);
        assert_null(worlds);
    }
}

TEST(test_arguments)
{
    carom_problem problem = {""};
    carom_device_info info;
    assert_int_equal(carom_device_check(NULL, &problem), CAROM_ERROR_ARGUMENT);
    assert_string_not_equal(problem.text, "");
    assert_int_equal(carom_device_describe(carom_device_cuda(0), NULL, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_device_allocate(carom_device_cuda(0), 8, NULL, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_device_write(carom_device_cuda(0), NULL, &info, 1, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_device_read(carom_device_cuda(0), &info, NULL, 1, NULL), CAROM_ERROR_ARGUMENT);
    carom_device_release(carom_device_cuda(0), NULL);

    /* The number of this processor names no device. */
    assert_int_not_equal(carom_device_describe(0, &info, NULL), CAROM_OK);
    assert_int_equal(carom_worlds_wait(NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_restart_queued(NULL, NULL, NULL, NULL, NULL), CAROM_ERROR_ARGUMENT);
}

TEST(test_batches_on_this_processor)
{
    const carom_worlds_desc desc = carom_worlds_desc_default(carom_game_find("csb"));
    OWNED(carom_worlds) *worlds = make(&desc);
    carom_problem problem;
    assert_int_equal(carom_worlds_describe(worlds).device, 0);
    assert_int_equal(carom_worlds_wait(worlds), CAROM_OK);
    assert_int_equal(carom_worlds_restart_queued(worlds, NULL, NULL, NULL, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_worlds_problem(worlds, &problem), CAROM_OK);
    assert_non_null(strstr(problem.text, "this processor"));
}
