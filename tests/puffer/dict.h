/* SPDX-License-Identifier: MIT
 * A dictionary like PufferLib's, for the logs.
 */
#ifndef CAROM_TESTS_PUFFER_DICT_H
#define CAROM_TESTS_PUFFER_DICT_H

#include <string.h>

typedef struct Dict {
    const char *keys[8];
    double values[8];
    int size;
} Dict;

static inline void dict_set(Dict *dict, const char *key, double value)
{
    dict->keys[dict->size] = key;
    dict->values[dict->size++] = value;
}

static inline double dict_value(const Dict *dict, const char *key)
{
    for (int k = 0; k < dict->size; k++) {
        if (strcmp(dict->keys[k], key) == 0) {
            return dict->values[k];
        }
    }
    return -1;
}

#endif
