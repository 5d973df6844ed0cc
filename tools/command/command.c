/* SPDX-License-Identifier: MIT
 * The shared part of the commands: see command.h.
 */
#define _POSIX_C_SOURCE 200809L

#include "command.h"
#include "out_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- ends ---- */

static char output_path[4096]; /* our file that stdout is redirected to; "": none */

void carom_die(const char *format, ...)
{
    char line[8192];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    carom_progress_erase();
    fprintf(stderr, "carom: %s\n", carom_plain(line)); /* it contains user input, which may hold anything */
    exit(EXIT_BAD);
}

void *carom_allocate(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        carom_die("%s", carom_status_string(CAROM_ERROR_MEMORY));
    }
    return memory;
}

void *carom_widen(void *list, size_t count, size_t *room, size_t size)
{
    if (count < *room) {
        return list;
    }
    *room = 2 * *room + 16;
    void *larger = realloc(list, *room * size);
    if (larger == NULL) {
        carom_die("%s", carom_status_string(CAROM_ERROR_MEMORY));
    }
    return larger;
}

void carom_output_file(const char *path)
{
    if (snprintf(output_path, sizeof output_path, "%s", path) >= (int)sizeof output_path) {
        output_path[0] = '\0';
        carom_die("'%.60s...' is too long for a file name", path);
    }
    carom_catch_interrupt(); /* Ctrl-C must not leave the file behind */
    const char *part = carom_file_begin(path);
    if (freopen(part, "w", stdout) == NULL) {
        carom_die("cannot write %s: %s", part, strerror(errno));
    }
}

void carom_drop_output(void)
{
    if (output_path[0] != '\0') {
        fprintf(stderr, "carom: interrupted: %s is not written\n", output_path);
        carom_file_drop(output_path);
        output_path[0] = '\0';
    }
}

void carom_finish_output(void)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        carom_die("cannot write the output: %s", errno != 0 ? strerror(errno) : "an earlier write failed");
    }
    if (output_path[0] != '\0') {
        if (!carom_file_end(output_path)) {
            carom_die("cannot write %s: %s", output_path, strerror(errno));
        }
        output_path[0] = '\0';
    }
}

void carom_demand(carom_status status, const char *doing)
{
    if (status != CAROM_OK) {
        carom_die("cannot %s: %s", doing, carom_status_string(status));
    }
}

carom_isa carom_chosen_isa(void)
{
    carom_isa isa;
    if (carom_isa_current(&isa) != CAROM_OK) {
        const char *name = getenv("CAROM_ISA");
        carom_die("the environment variable CAROM_ISA is '%s': unknown or not usable on this machine",
                  name != NULL ? name : "");
    }
    return isa;
}

/* ---- lists of names ---- */

static void add_name(char text[NAMES_SIZE], const char *name)
{
    size_t length = strlen(text);
    snprintf(text + length, NAMES_SIZE - length, "%s%s", length > 0 ? ", " : "", name);
}

char *carom_kind_names(const carom_game *game, char text[NAMES_SIZE])
{
    text[0] = '\0';
    carom_action_kind kind;
    for (size_t i = 0; carom_game_action_kind(game, i, &kind) == CAROM_OK; i++) {
        add_name(text, kind.name);
    }
    return text;
}

char *carom_policy_names(const carom_game *game, char text[NAMES_SIZE])
{
    text[0] = '\0';
    for (size_t i = 0; carom_game_policy_name(game, i) != NULL; i++) {
        add_name(text, carom_game_policy_name(game, i));
    }
    return text;
}

char *carom_solver_names(char text[NAMES_SIZE])
{
    text[0] = '\0';
    add_name(text, "fast");
    for (int v = 0; v < CAROM_TOI_VARIANTS; v++) {
        add_name(text, carom_toi_variant_describe(v)->name);
    }
    return text;
}

/* ---- time and progress ---- */

double carom_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#define BAR 32 /* columns of the bar; the whole line stays below 79 */

static int drawn_columns; /* of the line on the terminal; 0: none */

void carom_progress_draw(double fraction, const char *text)
{
    static double drawn_at = -1;
    double now = carom_now();
    if (drawn_at >= 0 && now - drawn_at < 0.1) {
        return;
    }
    drawn_at = now;
    if (isatty(STDERR_FILENO) == 0) {
        return;
    }
    fraction = fraction > 0 ? (fraction < 1 ? fraction : 1) : 0; /* also for NaN, if there is nothing to do */
    int full = (int)(fraction * BAR);
    char line[80];
    snprintf(line, sizeof line, "[%.*s%.*s] %3d%%  %s", full, "################################", BAR - full,
             "................................", (int)(100 * fraction), text);
    int columns = (int)strlen(line);
    /* A line shorter than the last one must cover it. */
    fprintf(stderr, "\r%-*s", drawn_columns > columns ? drawn_columns : columns, line);
    fflush(stderr);
    drawn_columns = drawn_columns > columns ? drawn_columns : columns;
}

void carom_progress_erase(void)
{
    if (drawn_columns > 0) {
        fprintf(stderr, "\r%*s\r", drawn_columns, "");
        fflush(stderr);
        drawn_columns = 0;
    }
}

typedef struct watched {
    void (*work)(void *job);
    void *job;
    int done;
} watched;

static void *run_watched(void *argument)
{
    watched *w = argument;
    w->work(w->job);
    __atomic_store_n(&w->done, 1, __ATOMIC_RELEASE);
    return NULL;
}

void carom_watch(void (*work)(void *job), void (*show)(void *job), void *job)
{
    watched w = {work, job, 0};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_watched, &w) != 0) {
        work(job); /* without a bar */
        return;
    }
    bool done = false;
    for (unsigned k = 0; !done; k++) {
        const struct timespec wait = {0, k < 20 ? 1000000 : 20000000};
        nanosleep(&wait, NULL);
        done = __atomic_load_n(&w.done, __ATOMIC_ACQUIRE) != 0;
        show(job);
    }
    pthread_join(thread, NULL);
    carom_progress_erase();
}

/* ---- output ---- */

/* Bytes of the UTF-8 character at `at`; 0 if it is invalid or a control character, which could be a command to the
 * terminal. */
static size_t character(const char *at)
{
    const unsigned char first = (unsigned char)*at;
    const size_t length = first < 0x80   ? 1
                          : first < 0xc2 ? 0
                          : first < 0xe0 ? 2
                          : first < 0xf0 ? 3
                          : first < 0xf5 ? 4
                                         : 0;
    for (size_t k = 1; k < length; k++) {
        if (((unsigned char)at[k] & 0xc0) != 0x80) {
            return 0;
        }
    }
    const bool control = length == 1 ? first < ' ' || first == 0x7f : first == 0xc2 && (unsigned char)at[1] < 0xa0;
    return control ? 0 : length;
}

char *carom_plain(char *text)
{
    for (char *at = text; *at != '\0';) {
        const size_t length = character(at);
        if (length == 0) {
            *at = '?';
        }
        at += length == 0 ? 1 : length;
    }
    return text;
}

void carom_print_plain(const char *text)
{
    for (size_t length; *text != '\0'; text += length == 0 ? 1 : length) {
        length = character(text);
        printf("%.*s", length == 0 ? 1 : (int)length, length == 0 ? "?" : text);
    }
}

static void write_string(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            fprintf(file, "\\%c", *text);
        } else if ((unsigned char)*text < ' ') {
            fprintf(file, "\\u%04x", (unsigned)(unsigned char)*text);
        } else {
            putc(*text, file);
        }
    }
    putc('"', file);
}

void carom_json_string(const char *text)
{
    write_string(stdout, text);
}

static void write_json(FILE *file, const char *format, va_list *list)
{
    while (*format != '\0') {
        char one[16]; /* conversion */
        const size_t length = *format == '%' ? strcspn(format, "sdiuxg") + 1 : 1;
        const char kind = (char)(*format == '%' ? format[length - 1] : '\0');
        snprintf(one, sizeof one, "%.*s", (int)length, format);
        const bool wide = strchr(one, 'l') != NULL || (strchr(one, 'z') != NULL && sizeof(size_t) == sizeof(uint64_t));
        format += length;
        if (kind == '\0') {
            putc(one[0] == '\'' ? '"' : one[0], file);
        } else if (kind == 's') {
            const char *text = va_arg(*list, const char *);
            if (text != NULL) {
                write_string(file, text);
            } else {
                fprintf(file, "null");
            }
        } else if (kind == 'g') {
            const double value = va_arg(*list, double);
            fprintf(file, isfinite(value) ? one : "null", value);
        } else if (kind == 'i') {
            fprintf(file, va_arg(*list, int) != 0 ? "true" : "false");
        } else if (wide) { /* NOLINT(bugprone-branch-clone): of another type */
            fprintf(file, one, va_arg(*list, uint64_t));
        } else {
            fprintf(file, one, va_arg(*list, unsigned));
        }
    }
}

void carom_json(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    write_json(stdout, format, &list);
    va_end(list);
}

void carom_json_file(FILE *file, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    write_json(file, format, &list);
    va_end(list);
}

const char *carom_grouped(uint64_t number, char text[32])
{
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, number);
    char *at = text;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0) {
            *at++ = ',';
        }
        *at++ = digits[i];
    }
    *at = '\0';
    return text;
}

const char *carom_fault_names(unsigned bits, char text[32])
{
    snprintf(text, 32, "%s%s%s%s%s", bits != 0 ? " (of kind:" : "", bits & CAROM_FAULT_EVENTS ? " events" : "",
             bits & CAROM_FAULT_NAN ? " nan" : "", bits & CAROM_FAULT_RANGE ? " range" : "", bits != 0 ? ")" : "");
    return text;
}
