/* SPDX-License-Identifier: MIT
 * Keepers of commands: see keeper.h.
 *
 * A keeper is forked from a process with several threads and does not call exec: until it ends it may only make system
 * calls.
 */
#define _GNU_SOURCE /* ppoll */

#include "keeper.h"
#include "../command/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KILL_SECONDS 5 /* then a keeper gives up: a process that cannot be killed waits for a device, say */

/* ---- the command: between fork and exec ---- */

_Noreturn static void become(const char *command, int in, int out, int err)
{
    static const int defaults[] = {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD};
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++) {
        signal(defaults[i], SIG_DFL);
    }
    bool ready = dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0;
    if (ready) {
        const int errors = err >= 0 ? err : open("/dev/null", O_WRONLY);
        ready = errors >= 0 && dup2(errors, STDERR_FILENO) >= 0;
    }
    if (ready) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    }
    _exit(127);
}

/* ---- the keeper ---- */

static void wake(int number)
{
    (void)number; /* only makes ppoll() return */
}

/* Closes everything except `control`: other keepers wait for the end of sockets that this process inherited, too. */
static void close_others(int control)
{
    const int kept = dup2(control, 0);
#ifdef SYS_close_range
    if (kept == 0 && syscall(SYS_close_range, 1U, ~0U, 0U) == 0) {
        return;
    }
#endif
    struct rlimit most;
    if (kept != 0 || getrlimit(RLIMIT_NOFILE, &most) != 0) {
        _exit(1);
    }
    for (int k = 1; k < (int)most.rlim_cur; k++) {
        close(k);
    }
}

/* Kills the children of this process. `command` is for systems that do not list children. */
static void kill_children(pid_t command)
{
    char bytes[512];
    pid_t id = 0;
    ssize_t got;
    const int list = open("/proc/thread-self/children", O_RDONLY);
    if (list < 0) {
        kill(command, SIGKILL);
        kill(-command, SIGKILL);
        return;
    }
    while ((got = read(list, bytes, sizeof bytes)) > 0) { /* numbers, each followed by a space */
        for (ssize_t k = 0; k < got; k++) {
            if (bytes[k] >= '0' && bytes[k] <= '9') {
                id = 10 * id + (bytes[k] - '0');
            } else if (id > 0) {
                kill(id, SIGKILL);
                id = 0;
            }
        }
    }
    close(list);
}

/* Processes that lose their parents meanwhile become children of this process and are killed, too. */
_Noreturn static void end_all(pid_t command)
{
    const double until = carom_now() + KILL_SECONDS;
    for (;;) {
        pid_t gone;
        kill_children(command);
        while ((gone = waitpid(-1, NULL, WNOHANG)) > 0) {
        }
        if ((gone < 0 && errno == ECHILD) || carom_now() > until) {
            _exit(0);
        }
        const struct timespec moment = {0, 200000};
        nanosleep(&moment, NULL);
    }
}

_Noreturn static void keep(const char *command, int control, int in, int out, int err)
{
    static const int ignored[] = {SIGPIPE, SIGINT, SIGTERM, SIGHUP}; /* the keeper ends with its owner */
    const struct sigaction woken = {.sa_handler = wake};
    sigset_t ends, before;
    setsid(); /* protects it from Ctrl-C, and keeps the command out of its owner's process group */
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, &before);
    sigaction(SIGCHLD, &woken, NULL);
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++) {
        signal(ignored[i], SIG_IGN);
    }
    const bool reaps = prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
    const pid_t child = reaps ? fork() : -1;
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        become(command, in, out, err);
    }
    const int error = child < 0 ? errno : 0;
    close_others(control);
    const bool told = write(0, &error, sizeof error) == (ssize_t)sizeof error;
    if (child < 0) {
        _exit(1);
    }
    if (!told) {
        end_all(child);
    }
    for (;;) {
        struct pollfd owner = {0, POLLIN, 0};
        int status;
        pid_t gone;
        while ((gone = waitpid(-1, &status, WNOHANG)) > 0) {
            if (gone == child && write(0, &status, sizeof status) != (ssize_t)sizeof status) {
                end_all(child);
            }
        }
        if (ppoll(&owner, 1, NULL, &before) > 0) { /* only the end can come */
            end_all(child);
        }
    }
}

/* ---- the owner ---- */

static void reap(pid_t id)
{
    while (waitpid(id, NULL, 0) < 0 && errno == EINTR) {
    }
}

static bool hear(int control, int *number)
{
    ssize_t got;
    do {
        got = read(control, number, sizeof *number);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *number;
}

int carom_keeper_start(keeper *made, const char *command, int in, int out, int err)
{
    int ends[2], error = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return errno;
    }
    made->control = ends[0];
    made->id = fork();
    if (made->id == 0) {
        keep(command, ends[1], in, out, err);
    }
    error = made->id < 0 ? errno : 0;
    close(ends[1]);
    if (error == 0 && !hear(made->control, &error)) {
        error = ECHILD;
    }
    if (error != 0) {
        close(made->control);
        if (made->id > 0) {
            reap(made->id);
        }
    }
    return error;
}

int carom_keeper_wait(const keeper *kept, double seconds)
{
    struct pollfd end = {kept->control, POLLIN, 0};
    int status;
    return poll(&end, 1, (int)(1000 * seconds)) > 0 && hear(kept->control, &status) ? status : -1;
}

void carom_keeper_end(const keeper *kept)
{
    const double until = carom_now() + 2 * KILL_SECONDS;
    pid_t gone;
    close(kept->control);
    kill(kept->id, SIGCONT); /* in case the command has stopped it */
    while ((gone = waitpid(kept->id, NULL, WNOHANG)) == 0 && carom_now() < until) {
        const struct timespec moment = {0, 200000};
        nanosleep(&moment, NULL);
    }
    if (gone == 0) {
        kill(kept->id, SIGKILL);
        reap(kept->id);
    }
}
