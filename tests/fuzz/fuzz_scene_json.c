/* SPDX-License-Identifier: MIT
 * libFuzzer: scenes as JSON text. A scene that was read can be written; reading that again and writing it gives the
 * same text.
 */
#include <carom/carom.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    carom_scene *scene, *again;
    carom_problem problem;
    char *text, *same;
    memset(&problem, 1, sizeof problem);
    if (carom_scene_read_json((const char *)data, size, &scene, &problem) != CAROM_OK) {
        if (scene != NULL || memchr(problem.text, '\0', sizeof problem.text) == NULL || problem.text[0] == '\0') {
            abort();
        }
        return 0;
    }
    if (carom_scene_write_json(scene, &text) != CAROM_OK ||
        carom_scene_read_json(text, strlen(text), &again, &problem) != CAROM_OK ||
        carom_scene_write_json(again, &same) != CAROM_OK || strcmp(text, same) != 0) {
        abort();
    }
    carom_text_free(text);
    carom_text_free(same);
    carom_scene_destroy(again);
    carom_scene_destroy(scene);
    return 0;
}
