/* SPDX-License-Identifier: MIT
 * A gas as a source: see gas_file.h.
 */
#include "gas_file.h"

#include "../command/out_file.h"
#include "../command/state_file.h"

#include <stdlib.h>
#include <string.h>

typedef struct gas_settings {
    carom_lab_desc lab;
    double tick;
    const char *state;
} gas_settings;

static const char *const boxes[] = {"periodic", "solid", NULL};
static const char *const starts[] = {"lattice", "grown", NULL};

#define OPTIONS gas_settings
static const argument_row rows[] = {COUNT("bodies", lab.bodies, 1, CAROM_SCENE_BODIES, 1000, ""),
                                    NUMBER("packing", lab.packing, 1e-8, 0.9, 0.5, ""),
                                    CHOICE("box", lab.horizontal, boxes, CAROM_GAS_PERIODIC, ""),
                                    CHOICE("start", lab.start, starts, CAROM_LAB_LATTICE, ""),
                                    NUMBER("tick", tick, 1e-4, 1e3, 0.05, ""),
                                    TEXT("state", state, NULL, ""),
                                    END};

static void take_settings(const game_settings *settings, gas_settings *to)
{
    carom_default_arguments(rows, to);
    for (size_t k = 0; k < settings->count; k++) {
        const char *text = settings->texts[k], *value = strchr(text, '=') + 1;
        void *at = to;
        const argument_row *row = carom_find_argument(rows, text, (size_t)(value - 1 - text), &at);
        if (row == NULL) {
            carom_die("--set: a gas has no option '%.*s': it has bodies, packing, box, start, tick and state",
                      (int)(value - 1 - text), text);
        }
        carom_read_argument(row, value, at);
    }
    to->lab.vertical = to->lab.horizontal;
}

/* The gas of a state of `carom run gas`. Its save is the end of the file, after two lines and the lengths of two
 * files. */
static carom_lab *load_state(const char *path, carom_gas **gas)
{
    FILE *file = carom_state_open(path);
    if (file == NULL) {
        carom_die("state: there is no file '%s'", path);
    }
    size_t size;
    char *bytes = carom_file_read(file, path, "carom ru", &size);
    const char *line = memchr(bytes, '\n', size);
    line = line != NULL ? memchr(line + 1, '\n', (size_t)(bytes + size - line - 1)) : NULL;
    const char *save = line != NULL ? line + 1 + 2 * sizeof(int64_t) : bytes;

    carom_gas_desc desc;
    carom_lab *lab = NULL;
    if (line == NULL || save > bytes + size ||
        carom_gas_saved(save, (size_t)(bytes + size - save), &desc) != CAROM_OK) {
        carom_state_refuse(path, "run gas");
    }
    carom_demand(carom_gas_create(&desc, gas), "create the gas");
    carom_demand(carom_gas_load(*gas, save, (size_t)(bytes + size - save)), "load the gas");
    carom_demand(carom_lab_of_gas(*gas, &lab), "create the gas");
    free(bytes);
    return lab;
}

carom_scene *carom_load_gas(const game_settings *settings, uint64_t seed, carom_precision precision)
{
    gas_settings s = {.lab = carom_lab_desc_default()};
    carom_problem problem;
    carom_lab *lab = NULL;
    carom_gas *gas = NULL;
    carom_scene *scene = NULL;
    take_settings(settings, &s);
    if (s.state != NULL) {
        lab = load_state(s.state, &gas);
    } else {
        s.lab.seed = seed;
        s.lab.precision = precision;
        const carom_status status = carom_lab_create(&s.lab, &lab, &problem);
        if (status != CAROM_OK) {
            carom_die("gas: %s", problem.text[0] != '\0' ? problem.text : carom_status_string(status));
        }
    }
    if (carom_lab_scene(lab, s.tick, &scene, &problem) != CAROM_OK) {
        carom_die("gas: %s", problem.text);
    }
    carom_lab_destroy(lab);
    carom_gas_destroy(gas);
    return scene;
}
