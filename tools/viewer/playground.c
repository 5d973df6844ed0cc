/* SPDX-License-Identifier: MIT
 * The playground: see playground.h.
 */
#define _POSIX_C_SOURCE 200809L

#include "playground.h"
#include "../command/command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_BYTES (64L << 20) /* of a file */

/* The page loads only files next to it, and sends nothing; the same as in site/playground/assemble. */
#define POLICY                                                                                                         \
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:; form-action 'none'; "       \
    "base-uri 'none'; frame-ancestors 'none'"

static const char *const needed[] = {"playground/index.html", "viewer/main.js", "carom/carom.js", "carom/carom.wasm"};

static const char how[] = "scripts/setup web\n"
                          "meson setup build-web --cross-file packaging/cross/wasm32.ini --prefix '%s'\n"
                          "ninja -C build-web javascript\n"
                          "meson install -C build-web --no-rebuild --tags playground\n";

static const char missing_page[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Carom</title>\n"
    "<h1>The playground is not installed</h1>\n"
    "<p>It needs the engine as WebAssembly, and <code>%s</code> is missing. In a folder with Carom's source:</p>\n"
    "<pre>%s</pre>\n<p><a href=\"../\">What carom view shows</a></p>\n</html>\n";

/* ---- locating it ---- */

/* Removes the last component of a path; false if it has none. */
static bool cut_last(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    return slash != NULL;
}

/* The text escaped for HTML; to be freed. */
static char *escaped(const char *text)
{
    char *made = carom_allocate(6 * strlen(text) + 1, 1), *to = made;
    for (; *text != '\0'; text++) {
        to += *text == '<' || *text == '>' || *text == '&' || *text == '"' || *text == '\''
                  ? sprintf(to, "&#%d;", *text)
                  : sprintf(to, "%c", *text);
    }
    return made;
}

/* Makes the page to show if a file is missing. */
static void write_page(playground *p)
{
    char commands[sizeof how + sizeof p->prefix];
    snprintf(commands, sizeof commands, how, p->prefix);
    char *file = escaped(p->missing), *steps = escaped(commands);
    const size_t room = sizeof missing_page + strlen(file) + strlen(steps);
    p->page = carom_allocate(room, 1);
    snprintf(p->page, room, missing_page, file, steps);
    free(file);
    free(steps);
}

void playground_find(playground *p)
{
    memset(p, 0, sizeof *p);
    const ssize_t length = readlink("/proc/self/exe", p->prefix, sizeof p->prefix - 1);
    p->prefix[length > 0 ? length : 0] = '\0';
    if (length <= 0 || !cut_last(p->prefix) || !cut_last(p->prefix)) {
        strcpy(p->prefix, "/usr/local");
    }
    snprintf(p->folder, sizeof p->folder, "%s/share/carom/web", p->prefix);
    for (size_t k = 0; k < sizeof needed / sizeof needed[0]; k++) {
        snprintf(p->missing, sizeof p->missing, "%s/%s", p->folder, needed[k]);
        if (access(p->missing, R_OK) != 0) {
            write_page(p);
            return;
        }
    }
    p->missing[0] = '\0';
}

void playground_tell_missing(const playground *p)
{
    if (p->missing[0] != '\0') {
        fprintf(stderr, "carom: the playground is not installed: %s is missing. In a folder with Carom's source:\n",
                p->missing);
        fprintf(stderr, how, p->prefix);
    }
}

void playground_free(playground *p)
{
    free(p->page);
}

/* ---- files ---- */

static const char *type_of(const char *path)
{
    static const char *const types[][2] = {{".html", "text/html; charset=utf-8"},
                                           {".js", "text/javascript; charset=utf-8"},
                                           {".css", "text/css; charset=utf-8"},
                                           {".json", "application/json"},
                                           {".wasm", "application/wasm"}};
    const char *ending = strrchr(path, '.');
    for (size_t k = 0; ending != NULL && k < sizeof types / sizeof types[0]; k++) {
        if (strcmp(ending, types[k][0]) == 0) {
            return types[k][1];
        }
    }
    return NULL;
}

/* Is it a path within the folder? Components have letters, digits and some marks, and do not begin with a mark. */
static bool is_within(const char *path)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    bool begins = true;
    for (; *path != '\0'; path++) {
        const bool letter = strchr(letters, *path) != NULL;
        if (!letter && (begins || strchr("_-./", *path) == NULL)) {
            return false;
        }
        begins = *path == '/';
    }
    return !begins;
}

/* The contents of a file, to be freed, or NULL. */
static char *read_file(const char *path, size_t *size)
{
    char *bytes = NULL;
    FILE *file = fopen(path, "rb");
    const long end =
        file != NULL && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1; /* a folder's size is beyond the limit */
    if (end >= 0 && end <= MOST_BYTES && fseek(file, 0, SEEK_SET) == 0) {
        *size = (size_t)end;
        bytes = carom_allocate(*size, 1);
        if (fread(bytes, 1, *size, file) != *size) {
            free(bytes);
            bytes = NULL;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return bytes;
}

static bool is_ours(const char *path)
{
    return strncmp(path, "playground/", 11) == 0 || strncmp(path, "viewer/", 7) == 0 || strncmp(path, "carom/", 6) == 0;
}

static void tell(http_response *response, unsigned code, const char *type, const char *bytes, size_t size)
{
    response->code = code;
    response->type = type;
    response->bytes = bytes;
    response->size = size;
}

bool playground_answer(const playground *p, const char *path, http_response *response)
{
    if (strcmp(path, "scene") == 0 && p->scene != NULL) {
        tell(response, 200, "application/json", p->scene, p->scene_size);
        return true;
    }
    const char *within = strcmp(path, "playground/") == 0 ? needed[0] : path;
    if (!is_ours(within) || !is_within(within) || type_of(within) == NULL) {
        return false;
    }
    if (p->page != NULL) {
        tell(response, 404, "text/html; charset=utf-8", p->page, strlen(p->page));
        return true;
    }
    char file[sizeof p->folder + 1024];
    size_t size;
    if (snprintf(file, sizeof file, "%s/%s", p->folder, within) >= (int)sizeof file) {
        return false;
    }
    response->owned = read_file(file, &size);
    if (response->owned == NULL) {
        return false;
    }
    tell(response, 200, type_of(within), response->owned, size);
    response->policy = POLICY;
    return true;
}
