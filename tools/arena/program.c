/* SPDX-License-Identifier: MIT
 * Players that are programs: see program.h.
 */
#define _GNU_SOURCE /* pipe2 */

#include "program.h"
#include "../command/command.h"
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ./_+,:@-"
#define GRACE 0.25 /* seconds for a program to end after it has closed its output */

const char *const carom_trouble_names[TROUBLES] = {
    [TROUBLE_NONE] = "none", [TROUBLE_CRASHED] = "crashed", [TROUBLE_CLOSED] = "closed",  [TROUBLE_SILENT] = "silent",
    [TROUBLE_LATE] = "late", [TROUBLE_RUBBISH] = "rubbish", [TROUBLE_FLOODED] = "flooded"};

struct program {
    keeper keeper;
    int in, out;
    int err; /* -1: its standard error is not kept */
    bool shows;
    unsigned lines;      /* of an answer */
    size_t line;         /* the most bytes of such a line */
    size_t length;       /* read but not yet used */
    char *read;          /* [lines * line] */
    size_t errors, more; /* bytes of its standard error kept, and dropped, since the last report */
    bool told;           /* the kept ones have been reported */
    char error[PROGRAM_ERRORS];
};

program *carom_program_start(const char *command, const program_options *options)
{
    const bool show_errors = options->show_errors, keep_errors = options->keep_errors;
    program *made = carom_allocate(1, sizeof *made);
    char line[8192];
    int to[2], from[2], errors[2] = {-1, show_errors ? STDERR_FILENO : -1};
    /* If no character is special to the shell, this is a program with arguments: let it replace the shell, which would
     * otherwise keep the output open after the program has closed it. */
    const bool plain = command[strspn(command, PLAIN)] == '\0';
    if (snprintf(line, sizeof line, "%s%s", plain ? "exec " : "", command) >= (int)sizeof line) {
        carom_die("a command of more than %zu bytes is too long for a side", sizeof line - 8);
    }
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0 || (keep_errors && pipe2(errors, O_CLOEXEC) != 0)) {
        carom_die("cannot start '%s': %s", command, strerror(errno));
    }
    const int error = carom_keeper_start(&made->keeper, line, to[0], from[1], errors[1]);
    if (error != 0) {
        carom_die("cannot start '%s': %s", command, strerror(error));
    }
    close(to[0]);
    close(from[1]);
    made->lines = options->lines;
    made->line = options->line;
    made->read = carom_allocate(options->lines, options->line);
    made->in = to[1];
    made->out = from[0];
    made->err = errors[0];
    made->shows = show_errors;
    if (keep_errors) {
        close(errors[1]);
        fcntl(made->err, F_SETFL, O_NONBLOCK);
    }
    fcntl(made->in, F_SETFL, O_NONBLOCK);
    fcntl(made->out, F_SETFL, O_NONBLOCK);
    return made;
}

void carom_program_end(program *ended)
{
    if (ended == NULL) {
        return;
    }
    carom_keeper_end(&ended->keeper);
    close(ended->in);
    close(ended->out);
    if (ended->err >= 0) {
        close(ended->err);
    }
    free(ended->read);
    free(ended);
}

__attribute__((format(printf, 3, 4))) static void fail(program_answer *answer, trouble what, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(answer->why, sizeof answer->why, format, list);
    va_end(list);
    answer->trouble = what;
}

/* Its output is closed: find out whether and how it has ended. */
static void look_why_closed(const program *asked, program_answer *answer)
{
    const int status = carom_keeper_wait(&asked->keeper, GRACE);
    if (status == -1) {
        fail(answer, TROUBLE_CLOSED, "closed its output");
    } else if (WIFSIGNALED(status)) {
        fail(answer, TROUBLE_CRASHED, "was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else if (WEXITSTATUS(status) > 128) { /* the convention of shells */
        fail(answer, TROUBLE_CRASHED, "ended with exit code %d (signal %d)", WEXITSTATUS(status),
             WEXITSTATUS(status) - 128);
    } else {
        fail(answer, TROUBLE_CRASHED, "ended with exit code %d", WEXITSTATUS(status));
    }
}

/* Reads the available output; false at its end. */
static bool take_output(program *asked)
{
    const ssize_t got = read(asked->out, asked->read + asked->length, asked->lines * asked->line - asked->length);
    if (got > 0) {
        asked->length += (size_t)got;
    }
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Reads its available standard error, so that it never blocks; false at its end. */
static bool take_errors(program *asked)
{
    char bytes[4096];
    ssize_t got = 0;
    if (asked->err < 0) {
        return false;
    }
    if (asked->told) {
        asked->errors = asked->more = 0;
        asked->told = false;
    }
    while ((got = read(asked->err, bytes, sizeof bytes)) > 0) {
        const size_t room = sizeof asked->error - asked->errors, kept = (size_t)got < room ? (size_t)got : room;
        memcpy(asked->error + asked->errors, bytes, kept);
        asked->errors += kept;
        asked->more += (size_t)got - kept;
        if (asked->shows) {
            fwrite(bytes, 1, (size_t)got, stderr);
        }
    }
    return got < 0 && (errno == EAGAIN || errno == EINTR);
}

const char *carom_program_errors(program *asked, size_t *length, size_t *more)
{
    take_errors(asked);
    *length = asked->errors;
    *more = asked->more;
    asked->told = true;
    return asked->error;
}

/* Splits the answer into lines if it is complete. */
static bool take_lines(program *asked, program_answer *answer)
{
    char *stops[PROTOCOL_LINES];
    char *at = asked->read, *end = asked->read + asked->length;
    for (unsigned k = 0; k < asked->lines; k++) {
        stops[k] = memchr(at, '\n', (size_t)(end - at));
        const size_t length = (size_t)((stops[k] != NULL ? stops[k] : end) - at);
        if (length >= asked->line) {
            fail(answer, TROUBLE_FLOODED, "wrote a line of %zu bytes or more", length);
            return true;
        }
        if (stops[k] == NULL) {
            return false;
        }
        answer->lines[k] = at;
        at = stops[k] + 1;
    }
    if (at != end) {
        fail(answer, TROUBLE_FLOODED, "wrote more than %u line%s", asked->lines, asked->lines == 1 ? "" : "s");
    }
    for (unsigned k = 0; k < asked->lines; k++) {
        char *stop = stops[k] > answer->lines[k] && stops[k][-1] == '\r' ? stops[k] - 1 : stops[k];
        *stop = '\0';
    }
    asked->length = 0;
    return true;
}

void carom_program_ask(program *asked, const char *question, size_t length, double limit, double patience,
                       program_answer *answer)
{
    const double start = carom_now();
    size_t written = 0;
    bool errs = asked->err >= 0; /* there may be more on its standard error */
    answer->trouble = TROUBLE_NONE;
    answer->interrupted = false;
    answer->seconds = 0;
    if (take_output(asked) && asked->length > 0) {
        fail(answer, TROUBLE_FLOODED, "wrote before it was asked");
        return;
    }
    while (!take_lines(asked, answer)) {
        const double left = start + patience - carom_now();
        if (left <= 0) {
            fail(answer, TROUBLE_SILENT, "no answer within %g s", patience);
            return;
        }
        if (carom_interrupted()) {
            answer->interrupted = true;
            return;
        }
        const bool more = written < length;
        /* poll() ignores descriptors below 0. */
        struct pollfd ends[3] = {
            {asked->out, POLLIN, 0}, {more ? asked->in : -1, POLLOUT, 0}, {errs ? asked->err : -1, POLLIN, 0}};
        poll(ends, 3, left < 0.05 ? (int)(1000 * left) + 1 : 50);
        if (ends[2].revents != 0) {
            errs = take_errors(asked);
        }
        if (ends[1].revents != 0) {
            const ssize_t put = write(asked->in, question + written, length - written);
            /* A program that does not read its input may still answer: its output decides. */
            written = put >= 0 ? written + (size_t)put : errno == EAGAIN || errno == EINTR ? written : length;
        }
        if (ends[0].revents != 0 && !take_output(asked)) {
            look_why_closed(asked, answer);
            return;
        }
    }
    answer->seconds = carom_now() - start;
    if (answer->trouble == TROUBLE_NONE && answer->seconds > limit) {
        fail(answer, TROUBLE_LATE, "answered after %.0f ms", 1e3 * answer->seconds);
    }
}
