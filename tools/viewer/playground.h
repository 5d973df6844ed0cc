/* SPDX-License-Identifier: MIT
 * The playground for `carom view`: a folder of files that the build for WebAssembly installs next to the command
 * (site/meson.build). If it is missing, a page explains how to get it.
 */
#ifndef CAROM_TOOLS_VIEWER_PLAYGROUND_H
#define CAROM_TOOLS_VIEWER_PLAYGROUND_H

#include "http.h"

typedef struct playground {
    char prefix[4096]; /* the folder above the command's own */
    char folder[4096 + 32];
    char missing[4096 + 64]; /* a missing file; "": complete */
    char *page;              /* the page shown if a file is missing */
    const char *scene;       /* the command's scene as JSON; NULL: none */
    size_t scene_size;
} playground;

/* Looks for it in share/carom/web next to the command's folder. */
void playground_find(playground *p);

/* Reports on stderr what is missing, and how to build it. */
void playground_tell_missing(const playground *p);

/* Answers a request for a path after the token: a file of playground/, viewer/ or carom/, or `scene`. False if it is
 * none of them, or there is no such file. */
bool playground_answer(const playground *p, const char *path, http_response *response);

void playground_free(playground *p);

#endif
