/* SPDX-License-Identifier: MIT
 * libFuzzer: requests to the viewer's server, which runs here without a network: the linker replaces the functions of
 * sockets and threads (--wrap in meson.build). The bytes arrive in pieces, each preceded by its length. An answer 200
 * needs the secret of the address and the server's own host in the request.
 */
#define _GNU_SOURCE

#include "fuzz_command.h"

#include "viewer/http.h"
#include "viewer/server.h"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#define FAKE 1000 /* the listening socket; the next number is the connection */
#define PORT 8080
#define TOKEN "00000000000000000000000000000000"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

bool __wrap_http_listen(http_server *s, uint16_t *port);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *argument);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *argument);
int __wrap_accept4(int listener, struct sockaddr *address, socklen_t *size, int flags);
int __wrap_poll(struct pollfd *list, nfds_t count, int milliseconds);
int __real_poll(struct pollfd *list, nfds_t count, int milliseconds);
ssize_t __wrap_recv(int socket, void *bytes, size_t size, int flags);
ssize_t __wrap_send(int socket, const void *bytes, size_t size, int flags);
int __wrap_shutdown(int socket, int how);
int __wrap_close(int file);
int __real_close(int file);

static void *(*serve)(void *);
static http_server *serving; /* the argument of serve() */
static const uint8_t *left, *end;
static bool accepted, gave; /* a connection; an answer 200 */
static char *heard;         /* what the server has read */
static size_t heard_size;

bool __wrap_http_listen(http_server *s, uint16_t *port)
{
    s->listener = FAKE;
    *port = PORT;
    return true;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *argument)
{
    if (!fuzz_running) {
        return __real_pthread_create(thread, how, run, argument);
    }
    serve = run;
    serving = argument;
    return 0;
}

int __wrap_accept4(int listener, struct sockaddr *address, socklen_t *size, int flags)
{
    (void)listener, (void)address, (void)size, (void)flags;
    const bool another = !accepted;
    accepted = true;
    return another ? FAKE + 1 : -1;
}

int __wrap_poll(struct pollfd *list, nfds_t count, int milliseconds)
{
    if (!fuzz_running) {
        return __real_poll(list, count, milliseconds);
    }
    for (nfds_t k = 0; k < count; k++) {
        list[k].revents = (short)(list[k].fd >= 0 ? list[k].events : 0);
    }
    return 1;
}

ssize_t __wrap_recv(int socket, void *bytes, size_t size, int flags)
{
    (void)socket, (void)flags;
    if (left == end) {
        serving->stop = 1;
        return 0;
    }
    size_t piece = (size_t)*left++ + 1;
    piece = piece < (size_t)(end - left) ? piece : (size_t)(end - left);
    piece = piece < size ? piece : size;
    memcpy(bytes, left, piece);
    memcpy(heard + heard_size, left, piece);
    heard_size += piece;
    left += piece;
    if (piece == 0) { /* the request is too long */
        serving->stop = 1;
    }
    return (ssize_t)piece;
}

ssize_t __wrap_send(int socket, const void *bytes, size_t size, int flags)
{
    (void)socket, (void)flags;
    static volatile uint8_t sum;
    for (size_t k = 0; k < size; k++) { /* as a network does, it reads them all */
        sum = (uint8_t)(sum + ((const uint8_t *)bytes)[k]);
    }
    gave = gave || (size >= 13 && memcmp(bytes, "HTTP/1.1 200 ", 13) == 0);
    return size > 100 ? 100 : (ssize_t)size;
}

int __wrap_shutdown(int socket, int how)
{
    (void)socket, (void)how;
    return 0;
}

int __wrap_close(int file)
{
    return file >= FAKE ? 0 : __real_close(file);
}

static server_answer film(void *user)
{
    (void)user;
    server_answer made = {strdup("{}"), 2};
    return made;
}

static server_answer more(void *user, const server_asked *asked)
{
    (void)user;
    if (asked->ticks == 0 || asked->ticks > 1000 || !(asked->x <= 1e9) || !(asked->y >= -1e9)) {
        abort();
    }
    server_answer made = {asked->since % 2 == 0 ? strdup("[]") : NULL, 2};
    return made;
}

static int run(void *what)
{
    server *s = what;
    if (serve == NULL) {
        server_start(s);
        memcpy(s->token, TOKEN, sizeof TOKEN);
    }
    serving->stop = 0;
    serve(serving);
    return 0;
}

static bool was_heard(const char *text)
{
    return memmem(heard, heard_size, text, strlen(text)) != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const playground none = {.missing = "nothing", .page = (char *)(uintptr_t)"<p>nothing"};
    static server s = {.page = "<p>page", .page_size = 7, .film = film, .more = more, .playground = &none, .idle = 60};
    left = data;
    end = data + size;
    accepted = gave = false;
    heard = malloc(size + 1);
    heard_size = 0;
    if (heard == NULL) {
        abort();
    }
    fuzz_try(run, &s);
    if (gave && !(was_heard("/" TOKEN "/") && (was_heard("127.0.0.1:8080") || was_heard("localhost:8080")))) {
        abort();
    }
    free(heard);
    return 0;
}
