/* SPDX-License-Identifier: MIT
 * Writes the index by which the tests' own libcuda finds translated modules: "HASH FOLDER/FILE" for each NAME=FILE
 * given, where NAME is a module that the library was built with.
 *
 * usage: index_modules FOLDER NAME=FILE...
 */
#include <inttypes.h>
#include <stdio.h>

#include "device/modules.h"

#include "image.h"

int main(int count, char **arguments)
{
    for (int i = 2; i < count; i++) {
        char name[64];
        const char *file = strchr(arguments[i], '=');
        const size_t length = file != NULL ? (size_t)(file - arguments[i]) : sizeof name;
        if (length >= sizeof name) {
            fprintf(stderr, "%s is not NAME=FILE\n", arguments[i]);
            return 1;
        }
        memcpy(name, arguments[i], length);
        name[length] = '\0';
        const device_module *module = carom_device_module(name);
        if (module == NULL) {
            fprintf(stderr, "the library has no module %s\n", name);
            return 1;
        }
        printf("%016" PRIx64 " %s/%s\n", image_hash(module->image), arguments[1], file + 1);
    }
    return 0;
}
