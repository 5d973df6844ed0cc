/* SPDX-License-Identifier: MIT
 * The playground as `carom view` serves it: a folder of files, which the build for WebAssembly installs beside the
 * command (site/meson.build). Where it is missing a page says how to get it.
 */
#ifndef CAROM_TOOLS_VIEWER_PLAYGROUND_H
#define CAROM_TOOLS_VIEWER_PLAYGROUND_H

#include "http.h"

typedef struct playground {
    char prefix[4096]; /* the folder above the command's own */
    char folder[4096 + 32];
    char missing[4096 + 64]; /* a file that it lacks; "": it is whole */
    char *page;              /* what is shown instead where a file is missing */
    const char *scene;       /* the scene that the command was given, as JSON; NULL: none */
    size_t scene_size;
} playground;

/* Looks for it: share/carom/web beside the folder in which the command lies. */
void playground_find(playground *p);

/* Says on stderr what is missing, and how it is built. */
void playground_tell_missing(const playground *p);

/* Answers for a path behind the token: a file of playground/, viewer/ or carom/, or `scene`. False: it is none of them,
 * or there is no such file. */
bool playground_answer(const playground *p, const char *path, http_response *response);

void playground_free(playground *p);

#endif
