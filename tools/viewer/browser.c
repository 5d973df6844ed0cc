/* SPDX-License-Identifier: MIT
 * POSIX, by xdg-open: see browser.h.
 */
#define _POSIX_C_SOURCE 200809L

#include "browser.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool make_page(browser *made, const char *address)
{
    const char *place = getenv("XDG_RUNTIME_DIR"), *temporary = getenv("TMPDIR");
    place = place != NULL && place[0] == '/' ? place : temporary != NULL && temporary[0] == '/' ? temporary : "/tmp";
    if (snprintf(made->folder, sizeof made->folder, "%s/carom-view-XXXXXX", place) >= (int)sizeof made->folder ||
        mkdtemp(made->folder) == NULL) {
        return false;
    }
    snprintf(made->page, sizeof made->page, "%s/view.html", made->folder);
    FILE *file = fopen(made->page, "w");
    bool whole = file != NULL;
    if (whole) {
        fprintf(file,
                "<!DOCTYPE html><title>Carom</title><meta name=\"referrer\" content=\"no-referrer\">"
                "<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n",
                address);
        whole = !ferror(file);
        whole = fclose(file) == 0 && whole;
    }
    return whole;
}

void browser_open(browser *b, const char *address)
{
    const pid_t child = make_page(b, address) ? fork() : -1;
    if (child == 0) {
        if (freopen("/dev/null", "w", stderr) != NULL && freopen("/dev/null", "w", stdout) != NULL) {
            execlp("xdg-open", "xdg-open", b->page, (char *)NULL);
        }
        _exit(127);
    }
}

void browser_forget(const browser *b)
{
    remove(b->page);
    remove(b->folder);
}
