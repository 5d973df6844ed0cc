/* SPDX-License-Identifier: MIT
 * Scenes as JSON text in a build without a JSON library.
 */
#include <stdio.h>
#include <stdlib.h>

#include "scenes/scenes.h"

carom_status carom_scene_read_json(const char *text, size_t length, carom_scene **scene, carom_problem *problem)
{
    (void)text, (void)length;
    if (scene != NULL) {
        *scene = NULL;
    }
    if (problem != NULL) {
        snprintf(problem->text, sizeof problem->text,
                 "this build of the library reads no JSON: it was built without Jansson");
    }
    return CAROM_ERROR_UNSUPPORTED;
}

carom_status carom_scene_write_json(const carom_scene *scene, char **text)
{
    (void)scene, (void)text;
    return CAROM_ERROR_UNSUPPORTED;
}

void carom_text_free(char *text)
{
    free(text);
}
