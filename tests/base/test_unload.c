/* SPDX-License-Identifier: MIT
 * The shared library is loaded, used on several threads, and unloaded, repeatedly: none of its threads is left. */
#include "test.h"

#include <dirent.h>
#include <dlfcn.h>

enum { TIMES = 50 };

/* Threads of this process; 0 if the system does not report them. */
static unsigned threads_there(void)
{
    unsigned count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (const struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
        count += task->d_name[0] != '.';
    }
    if (tasks != NULL) {
        assert_int_equal(closedir(tasks), 0);
    }
    return count;
}

static void *symbol(void *library, const char *name)
{
    void *address = dlsym(library, name);
    assert_non_null(address);
    return address;
}

/* POSIX has functions' addresses be object pointers; C has not. */
#define FUNCTION(library, type, name)                                                                                  \
    type *name##_p;                                                                                                    \
    *(void **)&name##_p = symbol(library, #name)

typedef const carom_game *find_function(const char *name);
typedef carom_worlds_desc desc_function(const carom_game *game);
typedef carom_status create_function(const carom_worlds_desc *desc, carom_worlds **worlds);
typedef carom_step step_function(void);
typedef carom_status play_function(carom_worlds *worlds, const carom_step *step);
typedef void destroy_function(carom_worlds *worlds);

TEST(test_unload)
{
    const unsigned before = threads_there();
    for (int i = 0; i < TIMES; ++i) {
        void *library = dlopen(CAROM_LIBRARY, RTLD_NOW | RTLD_LOCAL);
        assert_non_null(library);
        FUNCTION(library, find_function, carom_game_find);
        FUNCTION(library, desc_function, carom_worlds_desc_default);
        FUNCTION(library, create_function, carom_worlds_create);
        FUNCTION(library, step_function, carom_step_default);
        FUNCTION(library, play_function, carom_worlds_play);
        FUNCTION(library, destroy_function, carom_worlds_destroy);
        carom_worlds_desc desc = carom_worlds_desc_default_p(carom_game_find_p("csb"));
        desc.count = 100;
        desc.threads = 4;
        carom_worlds *worlds = NULL;
        const carom_step step = carom_step_default_p();
        assert_int_equal(carom_worlds_create_p(&desc, &worlds), CAROM_OK);
        assert_int_equal(carom_worlds_play_p(worlds, &step), CAROM_OK);
        carom_worlds_destroy_p(worlds);
        if (before != 0) {
            assert_true(threads_there() > before);
        }
        assert_int_equal(dlclose(library), 0);
        assert_int_equal(threads_there(), before);
    }
}
