/* SPDX-License-Identifier: MIT
 * The server of the viewer: only on 127.0.0.1, for one page and its requests. Its address contains a secret, so that
 * other users of the machine cannot read the page.
 */
#ifndef CAROM_TOOLS_VIEWER_SERVER_H
#define CAROM_TOOLS_VIEWER_SERVER_H

#include "../command/command.h"
#include "playground.h"

/* The numbers after the ? of a request. */
typedef struct server_asked {
    uint64_t since, ticks;
    double x, y;
    bool steers, press; /* x and y were given; a button is down */
} server_asked;

typedef struct server_answer {
    char *bytes; /* from malloc(): the server frees them */
    size_t size;
} server_answer;

typedef struct server {
    uint16_t port;  /* 0: any free one; then its actual number */
    char token[33]; /* drawn in server_start(): the page is http://127.0.0.1:port/token/ */
    const char *page;
    size_t page_size;
    /* Called by only one thread at a time. */
    server_answer (*film)(void *user);
    server_answer (*more)(void *user, const server_asked *asked); /* bytes NULL: no more */
    void *user;
    const playground *playground;
    unsigned idle; /* seconds to wait for a silent page */
} server;

/* Starts it on another thread; dies on failure. */
void server_start(server *s);

/* Waits for Ctrl-C, or until the page, once opened, has sent no request for `idle` seconds (it sends one every few
 * seconds; a hidden page announces longer pauses); then stops the server. */
void server_wait(void);

#endif
