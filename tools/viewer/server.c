/* SPDX-License-Identifier: MIT
 * The server of the viewer: see server.h. It answers requests whose paths begin with its token:
 *     GET /TOKEN/                            the page
 *     GET /TOKEN/film                        the film so far
 *     GET /TOKEN/playground/, ...            the playground and its files, and /TOKEN/scene
 *     GET /TOKEN/alive[?silent=S]            nothing: the page is still open, and may be silent for S seconds
 *     POST /TOKEN/gone                       nothing: the page was closed; another may be open
 *     POST /TOKEN/more?since=N&ticks=T[&x=X&y=Y&press=P]   plays on
 */
#define _GNU_SOURCE /* getrandom */

#include "server.h"
#include "http.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define MOST_TICKS 1000 /* bytes of one request */
#define MOST_SILENT 600 /* seconds */

static http_server serving;
static pthread_t thread;
static uint64_t patience; /* in seconds of carom_now(): when it ends without a request; 0: no page was opened yet */

static void refuse(http_response *response, unsigned code, const char *why)
{
    response->code = code;
    response->type = "text/plain; charset=utf-8";
    response->bytes = why;
    response->size = strlen(why);
}

/* Is it meant for this server? The Host header of a page of another host differs, even if its name resolves to this
 * machine. */
static bool is_ours(const server *s, const http_request *asked)
{
    char here[2][32];
    const char *host = asked->host, *origin = asked->origin;
    snprintf(here[0], sizeof here[0], "127.0.0.1:%u", s->port);
    snprintf(here[1], sizeof here[1], "localhost:%u", s->port);
    const bool same = host != NULL && (strcmp(host, here[0]) == 0 || strcmp(host, here[1]) == 0);
    return same && (origin == NULL || (strncmp(origin, "http://", 7) == 0 && strcmp(origin + 7, host) == 0));
}

/* The rest of a path after "/TOKEN/", or NULL. Compares in constant time. */
static const char *behind_token(const server *s, const char *path)
{
    const size_t length = sizeof s->token - 1;
    unsigned wrong = 0;
    if (strlen(path) < length + 2) {
        return NULL;
    }
    for (size_t k = 0; k < length; k++) {
        wrong |= (unsigned)(s->token[k] ^ path[1 + k]);
    }
    return wrong == 0 && path[length + 1] == '/' ? path + length + 2 : NULL;
}

static bool read_asked(const char *query, server_asked *asked)
{
    double since, ticks, press = 0;
    memset(asked, 0, sizeof *asked);
    if (!http_number(query, "since", 1e15, &since) || !http_number(query, "ticks", MOST_TICKS, &ticks) || since < 0 ||
        ticks < 1) {
        return false;
    }
    asked->since = (uint64_t)since;
    asked->ticks = (uint64_t)ticks;
    asked->steers = http_number(query, "x", 1e9, &asked->x) && http_number(query, "y", 1e9, &asked->y);
    asked->press = http_number(query, "press", 1, &press) && press != 0;
    return true;
}

static void answer_json(http_response *response, server_answer answer)
{
    if (answer.bytes == NULL) {
        refuse(response, 410, "there are no more frames\n");
        return;
    }
    response->code = 200;
    response->type = "application/json";
    response->bytes = response->owned = answer.bytes;
    response->size = answer.size;
}

/* Sets the time to wait, in seconds. */
static void wait_for(double seconds)
{
    __atomic_store_n(&patience, (uint64_t)(carom_now() + seconds) + 1, __ATOMIC_RELAXED);
}

static void answer_alive(const server *s, const http_request *asked, http_response *response)
{
    double silent = 0;
    if (asked->query[0] != '\0' && (!http_number(asked->query, "silent", MOST_SILENT, &silent) || silent < 0)) {
        refuse(response, 400, "silent: seconds, at most 600\n");
        return;
    }
    if (silent > s->idle) {
        wait_for(silent);
    }
    refuse(response, 200, "");
}

static void answer_more(const server *s, const http_request *asked, http_response *response)
{
    server_asked more;
    if (read_asked(asked->query, &more)) {
        answer_json(response, s->more(s->user, &more));
    } else {
        refuse(response, 400, "since and ticks are missing\n");
    }
}

static void answer(void *user, const http_request *asked, http_response *response)
{
    const server *s = user;
    const bool gets = strcmp(asked->method, "GET") == 0, posts = strcmp(asked->method, "POST") == 0;
    const char *what = behind_token(s, asked->path);
    if (!is_ours(s, asked)) {
        refuse(response, 403, "this server answers its own page only\n");
        return;
    }
    if (what == NULL) {
        refuse(response, 404, "use the address printed by carom view\n");
        return;
    }
    response->ours = true;
    if (!gets && !posts) {
        refuse(response, 405, "GET and POST only\n");
        return;
    }
    wait_for(s->idle);
    if (gets && what[0] == '\0') {
        response->code = 200;
        response->type = "text/html; charset=utf-8";
        response->bytes = s->page;
        response->size = s->page_size;
    } else if (gets && strcmp(what, "film") == 0) {
        answer_json(response, s->film(s->user));
    } else if (gets && strcmp(what, "alive") == 0) {
        answer_alive(s, asked, response);
    } else if (posts && strcmp(what, "gone") == 0) {
        refuse(response, 200, "");
    } else if (posts && strcmp(what, "more") == 0) {
        answer_more(s, asked, response);
    } else if (!gets || !playground_answer(s->playground, what, response)) {
        refuse(response, 404, "not found\n");
    }
}

static void *serve(void *argument)
{
    http_serve(argument);
    return NULL;
}

void server_start(server *s)
{
    unsigned char drawn[(sizeof s->token - 1) / 2];
    if (getrandom(drawn, sizeof drawn, 0) != (ssize_t)sizeof drawn) {
        carom_die("cannot draw an address: %s", strerror(errno));
    }
    for (size_t k = 0; k < sizeof drawn; k++) {
        snprintf(s->token + 2 * k, 3, "%02x", drawn[k]);
    }
    serving = (http_server){.answer = answer, .user = s};
    if (!http_listen(&serving, &s->port) || pthread_create(&thread, NULL, serve, &serving) != 0) {
        carom_die("cannot listen on 127.0.0.1:%u: %s", s->port, strerror(errno));
    }
}

void server_wait(void)
{
    for (;;) {
        const struct timespec moment = {0, 100000000};
        nanosleep(&moment, NULL);
        const uint64_t until = __atomic_load_n(&patience, __ATOMIC_RELAXED);
        if (carom_interrupted() || (until != 0 && carom_now() > (double)until)) {
            break;
        }
    }
    __atomic_store_n(&serving.stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
}
