/* SPDX-License-Identifier: MIT
 * The server of the viewer: on 127.0.0.1 alone, for one page and what that asks for. Its address holds a secret, so
 * that other users of the machine cannot read the page.
 */
#ifndef CAROM_TOOLS_VIEWER_SERVER_H
#define CAROM_TOOLS_VIEWER_SERVER_H

#include "../command/command.h"
#include "playground.h"

/* The numbers behind the ? of a request. */
typedef struct server_asked {
    uint64_t since, ticks;
    double x, y;
    bool steers, press; /* x and y were given; a button is down */
} server_asked;

typedef struct server_answer {
    char *bytes; /* of malloc(): the server frees them */
    size_t size;
} server_answer;

typedef struct server {
    uint16_t port;  /* 0: any that is free; then the one it has */
    char token[33]; /* drawn in server_start(): the page is http://127.0.0.1:port/token/ */
    const char *page;
    size_t page_size;
    /* Called by one thread at a time. */
    server_answer (*film)(void *user);
    server_answer (*more)(void *user, const server_asked *asked); /* bytes NULL: there is no more */
    void *user;
    const playground *playground;
    unsigned idle; /* seconds that it waits for a page that says nothing */
} server;

/* Starts it, on a thread of its own; dies if it cannot. */
void server_start(server *s);

/* Waits until Ctrl-C, or until the page, once it has come, has asked for nothing for `idle` seconds (it asks every few
 * seconds; one that is hidden says that it will do so less often); ends the server. */
void server_wait(void);

#endif
