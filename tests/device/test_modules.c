/* SPDX-License-Identifier: MIT
 * The device modules in the library: the build has embedded those that it lists, in a format that drivers accept.
 */
#include "tests/test.h"

#include "device/modules.h"

/* BUILT(X): X(name) for each module that was built. */
#define NAME(name) #name,
static const char *const built[] = {BUILT(NAME) NULL};

/* A fatbin begins with this word; anything else is PTX as text. */
#define FATBIN 0xba55ed50u

TEST(test_built)
{
    for (size_t k = 0; built[k] != NULL; k++) {
        const device_module *module = carom_device_module(built[k]);
        assert_non_null(module);
        assert_string_equal(module->name, built[k]);

        uint32_t first;
        memcpy(&first, module->image, sizeof first);
        if (first != FATBIN) {
            assert_int_equal(strlen((const char *)module->image) + 1, module->bytes);
            assert_non_null(strstr((const char *)module->image, "\n.version 7.0\n"));
            assert_non_null(strstr((const char *)module->image, ".entry carom_entry_"));
        } else {
            /* After the word: version and length of this header, then the length of what follows it. */
            uint16_t header;
            uint64_t rest;
            memcpy(&header, (const unsigned char *)module->image + 6, sizeof header);
            memcpy(&rest, (const unsigned char *)module->image + 8, sizeof rest);
            assert_int_equal(header + rest + 1, module->bytes);
        }
        assert_int_equal(((const unsigned char *)module->image)[module->bytes - 1], 0);
    }
}

TEST(test_others)
{
    assert_null(carom_device_module(""));
    assert_null(carom_device_module("csb"));
    assert_null(carom_device_module("csb_f16"));
}
