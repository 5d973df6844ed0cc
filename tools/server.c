/* SPDX-License-Identifier: MIT
 * The server of the viewer, by libmicrohttpd: see server.h. It answers five requests:
 *     GET /                                  the page
 *     GET /film                              what was seen so far
 *     GET /alive[?silent=S]                  nothing: the page is still there, and may say nothing for S seconds
 *     POST /gone                             nothing: it is not, unless another one is
 *     POST /more?since=N&ticks=T[&x=X&y=Y&press=P]   plays on
 */
#define _POSIX_C_SOURCE 200809L

#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define MOST_TICKS 1000 /* of one request */
#define MOST_SILENT 600 /* seconds */

static struct MHD_Daemon *running;
static uint64_t patience; /* in seconds of carom_now(): when it ends if nothing is asked for; 0: nobody has come yet */

bool server_can_serve(void)
{
    return true;
}

static enum MHD_Result answer_with(struct MHD_Connection *connection, unsigned code, const char *type, char *bytes,
                                   size_t size, enum MHD_ResponseMemoryMode mode)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(size, bytes, mode);
    if (response == NULL) {
        return MHD_NO;
    }
    MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Content-Security-Policy",
                            "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                            "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
                            "frame-ancestors 'none'");
    const enum MHD_Result result = MHD_queue_response(connection, code, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned code, const char *why)
{
    return answer_with(connection, code, "text/plain; charset=utf-8", (char *)(uintptr_t)why, strlen(why),
                       MHD_RESPMEM_PERSISTENT);
}

/* Was it meant for this server? A page of another host, whatever name it has given this machine, says so here. */
static bool is_ours(const server *s, struct MHD_Connection *connection)
{
    char here[2][32];
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
    snprintf(here[0], sizeof here[0], "127.0.0.1:%u", s->port);
    snprintf(here[1], sizeof here[1], "localhost:%u", s->port);
    const bool same = host != NULL && (strcmp(host, here[0]) == 0 || strcmp(host, here[1]) == 0);
    return same && (origin == NULL || (strncmp(origin, "http://", 7) == 0 && strcmp(origin + 7, host) == 0));
}

static bool number_of(struct MHD_Connection *connection, const char *name, double most, double *number)
{
    const char *text = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
    char *end;
    if (text == NULL) {
        return false;
    }
    *number = strtod(text, &end);
    return end != text && *end == '\0' && *number >= -most && *number <= most;
}

static bool read_asked(struct MHD_Connection *connection, server_asked *asked)
{
    double since, ticks, press = 0;
    memset(asked, 0, sizeof *asked);
    if (!number_of(connection, "since", 1e15, &since) || !number_of(connection, "ticks", MOST_TICKS, &ticks) ||
        since < 0 || ticks < 1) {
        return false;
    }
    asked->since = (uint64_t)since;
    asked->ticks = (uint64_t)ticks;
    asked->steers = number_of(connection, "x", 1e9, &asked->x) && number_of(connection, "y", 1e9, &asked->y);
    asked->press = number_of(connection, "press", 1, &press) && press != 0;
    return true;
}

static enum MHD_Result answer_json(struct MHD_Connection *connection, server_answer answer)
{
    if (answer.bytes == NULL) {
        return refuse(connection, MHD_HTTP_GONE, "there is no more\n");
    }
    return answer_with(connection, MHD_HTTP_OK, "application/json", answer.bytes, answer.size, MHD_RESPMEM_MUST_FREE);
}

/* From now on it waits for so many seconds. */
static void wait_for(double seconds)
{
    __atomic_store_n(&patience, (uint64_t)(carom_now() + seconds) + 1, __ATOMIC_RELAXED);
}

static enum MHD_Result answer_alive(const server *s, struct MHD_Connection *connection)
{
    double silent = 0;
    const bool said = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "silent") != NULL;
    if (said && (!number_of(connection, "silent", MOST_SILENT, &silent) || silent < 0)) {
        return refuse(connection, MHD_HTTP_BAD_REQUEST, "silent: seconds, at most 600\n");
    }
    if (silent > s->idle) {
        wait_for(silent);
    }
    return refuse(connection, MHD_HTTP_OK, "");
}

static enum MHD_Result handle(void *user, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **state)
{
    static int begun;
    const server *s = user;
    (void)version;
    (void)upload;
    if (*state == NULL) { /* the head has come; a body, which nobody wants, may follow */
        *state = &begun;
        return MHD_YES;
    }
    if (*upload_size != 0) {
        *upload_size = 0;
        return MHD_YES;
    }
    if (!is_ours(s, connection)) {
        return refuse(connection, MHD_HTTP_FORBIDDEN, "this server answers its own page only\n");
    }
    const bool gets = strcmp(method, "GET") == 0, posts = strcmp(method, "POST") == 0;
    if (!gets && !posts) {
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET and POST only\n");
    }
    wait_for(s->idle);
    if (gets && strcmp(path, "/") == 0) {
        return answer_with(connection, MHD_HTTP_OK, "text/html; charset=utf-8", (char *)(uintptr_t)s->page,
                           s->page_size, MHD_RESPMEM_PERSISTENT);
    }
    if (gets && strcmp(path, "/film") == 0) {
        return answer_json(connection, s->film(s->user));
    }
    if (gets && strcmp(path, "/alive") == 0) {
        return answer_alive(s, connection);
    }
    if (posts && strcmp(path, "/gone") == 0) {
        return refuse(connection, MHD_HTTP_OK, "");
    }
    if (posts && strcmp(path, "/more") == 0) {
        server_asked asked;
        return read_asked(connection, &asked)
                   ? answer_json(connection, s->more(s->user, &asked))
                   : refuse(connection, MHD_HTTP_BAD_REQUEST, "since and ticks are missing\n");
    }
    return refuse(connection, MHD_HTTP_NOT_FOUND, "there is no such thing here\n");
}

void server_start(server *s)
{
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(s->port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    errno = 0;
    running = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, handle, s, MHD_OPTION_SOCK_ADDR,
                               (struct sockaddr *)&address, MHD_OPTION_CONNECTION_LIMIT, 32u,
                               MHD_OPTION_CONNECTION_TIMEOUT, 30u, MHD_OPTION_END);
    if (running == NULL) {
        carom_die("cannot listen on 127.0.0.1:%u: %s", s->port, errno != 0 ? strerror(errno) : "the port is not free");
    }
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(running, MHD_DAEMON_INFO_BIND_PORT);
    s->port = info != NULL ? info->port : s->port;
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
    MHD_stop_daemon(running);
}
