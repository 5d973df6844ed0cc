/* SPDX-License-Identifier: MIT
 * The parts of HTTP/1.1 for a page that is served only to this machine.
 *
 * One thread serves all connections, and none can block the others: a request must arrive within a few seconds, and
 * with too many connections, those that never sent a valid request are closed first.
 */
#ifndef CAROM_TOOLS_VIEWER_HTTP_H
#define CAROM_TOOLS_VIEWER_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct http_request {
    const char *method, *path;
    const char *query;         /* after the ?, or "" */
    const char *host, *origin; /* headers; NULL: none */
} http_request;

typedef struct http_response {
    unsigned code; /* a status listed in http.c */
    const char *type;
    const char *bytes;
    size_t size;
    char *owned;        /* to be freed after the bytes have been sent, or NULL */
    bool ours;          /* the request was meant for this server */
    const char *policy; /* Content-Security-Policy; NULL: that of a self-contained page */
} http_response;

typedef struct http_server {
    int listener;
    void (*answer)(void *user, const http_request *asked, http_response *response);
    void *user;
    int stop; /* setting it makes http_serve() return */
} http_server;

/* Listens on 127.0.0.1; *port 0: any free port, which is stored. False on failure, with errno set. */
bool http_listen(http_server *s, uint16_t *port);

/* Answers until s->stop. */
void http_serve(http_server *s);

/* Reads a number of a query into *number; false if it is missing or outside -most .. most. */
bool http_number(const char *query, const char *name, double most, double *number);

#endif
