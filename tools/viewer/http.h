/* SPDX-License-Identifier: MIT
 * HTTP/1.1, as much of it as a page needs that is served to this machine alone.
 *
 * One thread serves all connections, and none can keep it from the others: a request has a few seconds to come, and
 * where there are too many connections those make room first that have never sent a request of ours.
 */
#ifndef CAROM_TOOLS_VIEWER_HTTP_H
#define CAROM_TOOLS_VIEWER_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct http_request {
    const char *method, *path;
    const char *query;         /* behind the ?, or "" */
    const char *host, *origin; /* headers; NULL: none */
} http_request;

typedef struct http_response {
    unsigned code; /* one of those in http.c */
    const char *type;
    const char *bytes;
    size_t size;
    char *owned;        /* what is to be freed when the bytes have been sent, or NULL */
    bool ours;          /* the request was meant for this server */
    const char *policy; /* Content-Security-Policy; NULL: that of a page which holds all that it needs */
} http_response;

typedef struct http_server {
    int listener;
    void (*answer)(void *user, const http_request *asked, http_response *response);
    void *user;
    int stop; /* set it and http_serve() returns */
} http_server;

/* Listens on 127.0.0.1; *port 0: any that is free, which is then told. False, with the reason in errno, if it
 * cannot. */
bool http_listen(http_server *s, uint16_t *port);

/* Answers until s->stop. */
void http_serve(http_server *s);

/* A number of a query: *number and true, or false if it is missing or beyond -most .. most. */
bool http_number(const char *query, const char *name, double most, double *number);

#endif
