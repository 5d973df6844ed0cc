/* SPDX-License-Identifier: MIT
 * HTTP for the viewer: see http.h.
 */
#define _GNU_SOURCE /* accept4, memmem */

#include "http.h"
#include "../command/command.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS 64
#define ACCEPTED 16       /* at once: a new connection is read before it may be closed for another */
#define HEAD 16384        /* bytes of a request without its body */
#define BODY 65536        /* bytes of a body, which is read and ignored */
#define REQUEST_SECONDS 5 /* from a request's first byte to its last, and for each piece of an answer */
#define IDLE_SECONDS 60   /* between requests */
#define LEAVE_SECONDS 1   /* after the last answer: until the other side has read it */
#define POLICY                                                                                                         \
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; "   \
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

typedef enum phase { UNUSED, READING, WRITING, LEAVING } phase;

typedef struct connection {
    phase phase;
    int socket;
    bool ours; /* has sent a valid request */
    bool last; /* closes after this answer */
    double since, until;
    size_t length; /* bytes read but not yet used */
    size_t skip;   /* bytes left of a body */
    http_response response;
    char top[1024]; /* of the answer: its headers */
    size_t top_size, sent;
    char head[HEAD + 1];
} connection;

static const char *reason(unsigned code)
{
    static const struct {
        unsigned code;
        const char *text;
    } reasons[] = {{200, "OK"},
                   {400, "Bad Request"},
                   {403, "Forbidden"},
                   {404, "Not Found"},
                   {405, "Method Not Allowed"},
                   {410, "Gone"},
                   {413, "Content Too Large"},
                   {414, "URI Too Long"},
                   {431, "Request Header Fields Too Large"},
                   {501, "Not Implemented"}};
    for (size_t k = 0; k < sizeof reasons / sizeof reasons[0]; k++) {
        if (reasons[k].code == code) {
            return reasons[k].text;
        }
    }
    return "";
}

static void drop(connection *c)
{
    close(c->socket);
    free(c->response.owned);
    c->response.owned = NULL;
    c->phase = UNUSED;
}

/* ---- a request ---- */

/* The headers in use. */
typedef struct head_lines {
    const char *host, *origin, *length;
    bool closes, coded, wrong;
} head_lines;

static void take_header(char *line, head_lines *found)
{
    char *value = strchr(line, ':');
    if (value == NULL || value == line || line[0] == ' ' || line[0] == '\t') {
        found->wrong = true;
        return;
    }
    *value++ = '\0';
    value += strspn(value, " \t");
    for (size_t end = strlen(value); end > 0 && (value[end - 1] == ' ' || value[end - 1] == '\t'); end--) {
        value[end - 1] = '\0';
    }
    const struct {
        const char *name, **place;
    } kept[] = {{"Host", &found->host}, {"Origin", &found->origin}, {"Content-Length", &found->length}};
    for (size_t k = 0; k < sizeof kept / sizeof kept[0]; k++) {
        if (strcasecmp(line, kept[k].name) == 0) {
            found->wrong = found->wrong || *kept[k].place != NULL; /* twice */
            *kept[k].place = value;
        }
    }
    found->closes = found->closes || (strcasecmp(line, "Connection") == 0 && strcasecmp(value, "close") == 0);
    found->coded = found->coded || strcasecmp(line, "Transfer-Encoding") == 0;
}

/* Parses the head in place. Returns 0, or the status for refusing the request; the connection then ends. */
static unsigned read_head(connection *c, size_t size, http_request *asked)
{
    head_lines found = {NULL, NULL, NULL, false, false, false};
    char *at = c->head, *end = c->head + size;
    if (memchr(c->head, '\0', size) != NULL) {
        return 400;
    }
    char *next = strstr(at, "\r\n");
    *next = '\0';
    char *target = strchr(at, ' '), *version = target != NULL ? strchr(target + 1, ' ') : NULL;
    if (version == NULL || target[1] != '/' ||
        (strcmp(version + 1, "HTTP/1.1") != 0 && strcmp(version + 1, "HTTP/1.0") != 0)) {
        return 400;
    }
    *target++ = '\0';
    *version = '\0';
    char *query = strchr(target, '?');
    asked->method = at;
    asked->path = target;
    asked->query = query != NULL ? query + 1 : "";
    if (query != NULL) {
        *query = '\0';
    }
    for (at = next + 2; at < end; at = next + 2) {
        next = strstr(at, "\r\n");
        *next = '\0';
        take_header(at, &found);
    }
    asked->host = found.host;
    asked->origin = found.origin;
    c->last = found.closes || strcmp(version + 1, "HTTP/1.0") == 0;
    const char *length = found.length != NULL ? found.length : "0";
    const size_t digits = strspn(length, "0123456789");
    if (found.wrong || digits == 0 || length[digits] != '\0') {
        return 400;
    }
    c->skip = digits < 9 ? (size_t)strtoul(length, NULL, 10) : BODY + 1;
    return found.coded ? 501 : c->skip > BODY ? 413 : 0;
}

bool http_number(const char *query, const char *name, double most, double *number)
{
    const size_t length = strlen(name);
    for (const char *at = query; at != NULL; at = strchr(at, '&')) {
        at += *at == '&';
        if (strncmp(at, name, length) == 0 && at[length] == '=') {
            char *end;
            const char *text = at + length + 1;
            *number = strtod(text, &end);
            return end != text && (*end == '\0' || *end == '&') && *number >= -most && *number <= most;
        }
    }
    return false;
}

/* ---- an answer ---- */

static void begin_answer(connection *c)
{
    const http_response *r = &c->response;
    const int size = snprintf(c->top, sizeof c->top,
                              "HTTP/1.1 %u %s\r\n"
                              "Content-Type: %s\r\n"
                              "Content-Length: %zu\r\n"
                              "Cache-Control: no-store\r\n"
                              "X-Content-Type-Options: nosniff\r\n"
                              "Referrer-Policy: no-referrer\r\n"
                              "Content-Security-Policy: %s\r\n"
                              "Cross-Origin-Resource-Policy: same-origin\r\n"
                              "%s\r\n",
                              r->code, reason(r->code), r->type, r->size, r->policy != NULL ? r->policy : POLICY,
                              c->last ? "Connection: close\r\n" : "");
    c->top_size = size > 0 ? (size_t)size : 0;
    c->sent = 0;
    c->phase = WRITING;
    c->until = carom_now() + REQUEST_SECONDS;
}

static void refuse(connection *c, unsigned code)
{
    const char *text = reason(code);
    c->response =
        (http_response){.code = code, .type = "text/plain; charset=utf-8", .bytes = text, .size = strlen(text)};
    c->last = true;
    c->length = 0;
    begin_answer(c);
}

/* Begins to answer if the head is complete. */
static void take_request(http_server *s, connection *c)
{
    const size_t skipped = c->skip < c->length ? c->skip : c->length;
    c->skip -= skipped;
    c->length -= skipped;
    memmove(c->head, c->head + skipped, c->length);
    c->head[c->length] = '\0';
    const char *end = memmem(c->head, c->length, "\r\n\r\n", 4);
    if (end == NULL) {
        if (c->length == HEAD) {
            refuse(c, memchr(c->head, '\n', c->length) != NULL ? 431 : 414);
        }
        return;
    }
    http_request asked;
    const size_t size = (size_t)(end - c->head) + 2; /* including the end of its last line */
    const unsigned wrong = read_head(c, size, &asked);
    if (wrong != 0) {
        refuse(c, wrong);
        return;
    }
    memset(&c->response, 0, sizeof c->response);
    s->answer(s->user, &asked, &c->response);
    c->ours = c->ours || c->response.ours;
    c->length -= size + 2;
    memmove(c->head, c->head + size + 2, c->length);
    begin_answer(c);
}

/* ---- connections ---- */

static void read_more(http_server *s, connection *c)
{
    if (c->phase == LEAVING) { /* discard the rest of its input */
        if (recv(c->socket, c->head, HEAD, 0) <= 0) {
            drop(c);
        }
        return;
    }
    const ssize_t got = recv(c->socket, c->head + c->length, HEAD - c->length, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (got <= 0) {
        drop(c);
        return;
    }
    if (c->length == 0) {
        c->until = carom_now() + REQUEST_SECONDS;
    }
    c->length += (size_t)got;
    take_request(s, c);
}

static void write_more(http_server *s, connection *c)
{
    const bool top = c->sent < c->top_size;
    const char *bytes = top ? c->top + c->sent : c->response.bytes + (c->sent - c->top_size);
    const size_t whole = c->top_size + c->response.size, left = (top ? c->top_size : whole) - c->sent;
    const ssize_t put = left > 0 ? send(c->socket, bytes, left, MSG_NOSIGNAL) : 0;
    if (put < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (put < 0) {
        drop(c);
        return;
    }
    c->sent += (size_t)put;
    c->until = carom_now() + REQUEST_SECONDS;
    if (c->sent < whole) {
        return;
    }
    free(c->response.owned);
    c->response.owned = NULL;
    if (c->last) { /* closing it at once would lose the answer if there is unread input */
        shutdown(c->socket, SHUT_WR);
        c->phase = LEAVING;
        c->until = carom_now() + LEAVE_SECONDS;
        return;
    }
    c->phase = READING;
    c->until = carom_now() + (c->length > 0 ? REQUEST_SECONDS : IDLE_SECONDS);
    take_request(s, c);
}

/* A slot for one more: closes the oldest of the connections with the lowest priority. */
static connection *make_room(connection *all)
{
    connection *chosen = &all[0];
    for (size_t k = 0; k < CONNECTIONS; k++) {
        connection *c = &all[k];
        if (c->phase == UNUSED) {
            return c;
        }
        if (c->ours != chosen->ours ? chosen->ours : c->since < chosen->since) {
            chosen = c;
        }
    }
    drop(chosen);
    return chosen;
}

static void take_connections(const http_server *s, connection *all)
{
    for (int k = 0; k < ACCEPTED; k++) {
        const int socket = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket < 0) {
            return;
        }
        connection *c = make_room(all);
        c->phase = READING;
        c->socket = socket;
        c->ours = c->last = false;
        c->length = c->skip = 0;
        c->since = carom_now();
        c->until = c->since + REQUEST_SECONDS;
    }
}

bool http_listen(http_server *s, uint16_t *port)
{
    const int on = 1;
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(*port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s->listener < 0) {
        return false;
    }
    if (setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(s->listener, (const struct sockaddr *)&address, sizeof address) != 0 ||
        listen(s->listener, SOMAXCONN) != 0 || getsockname(s->listener, (struct sockaddr *)&address, &size) != 0) {
        close(s->listener);
        return false;
    }
    *port = ntohs(address.sin_port);
    return true;
}

void http_serve(http_server *s)
{
    connection *all = carom_allocate(CONNECTIONS, sizeof *all);
    while (__atomic_load_n(&s->stop, __ATOMIC_RELAXED) == 0) {
        struct pollfd ready[CONNECTIONS + 1];
        ready[CONNECTIONS] = (struct pollfd){s->listener, POLLIN, 0};
        for (size_t k = 0; k < CONNECTIONS; k++) {
            ready[k].fd = all[k].phase == UNUSED ? -1 : all[k].socket;
            ready[k].events = all[k].phase == WRITING ? POLLOUT : POLLIN;
            ready[k].revents = 0;
        }
        poll(ready, CONNECTIONS + 1, 100);
        for (size_t k = 0; k < CONNECTIONS; k++) {
            connection *c = &all[k];
            if (c->phase != UNUSED && ready[k].revents != 0) {
                if (c->phase == WRITING) {
                    write_more(s, c);
                } else {
                    read_more(s, c);
                }
            } else if (c->phase != UNUSED && carom_now() > c->until) {
                drop(c);
            }
        }
        if (ready[CONNECTIONS].revents != 0) {
            take_connections(s, all);
        }
    }
    for (size_t k = 0; k < CONNECTIONS; k++) {
        if (all[k].phase != UNUSED) {
            drop(&all[k]);
        }
    }
    close(s->listener);
    free(all);
}
