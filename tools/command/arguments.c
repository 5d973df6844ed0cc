/* SPDX-License-Identifier: MIT
 * Arguments read by tables, and help printed from them: see arguments.h.
 */
#include "arguments.h"
#include "command.h"

#include "base/affinity.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 118
#define COLUMN 24 /* the start of the second column */
#define LINE 2048 /* of a help text, before wrapping */

const char *const carom_at_end_names[] = {
    [CAROM_PLAY_ON] = "play_on", [CAROM_FREEZE] = "freeze", [CAROM_RESET] = "reset", NULL};

/* ---- single values ---- */

uint64_t carom_parse_count(const char *what, const char *text, uint64_t least, uint64_t most)
{
    const char *digits = text[0] == '-' ? text + 1 : text;
    if (digits[0] == '\0' || strspn(digits, "0123456789") != strlen(digits)) {
        carom_die("%s: '%s' is not a whole number", what, text);
    }
    errno = 0;
    uint64_t value = strtoull(digits, NULL, 10);
    bool negative = text[0] == '-' && value != 0;
    if (negative || value < least) {
        carom_die("%s: %s is too small, it must be at least %" PRIu64, what, text, least);
    }
    if (errno == ERANGE || value > most) {
        carom_die("%s: %s is too large, it must be at most %" PRIu64, what, text, most);
    }
    return value;
}

double carom_parse_number(const char *what, const char *text, double least, double most)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value)) {
        carom_die("%s: '%s' is not a number", what, text);
    }
    if (value < least || value > most) {
        carom_die("%s: %s is not between %g and %g", what, text, least, most);
    }
    return value;
}

void carom_take_precision(const char *name, const char *text, void *to)
{
    const bool f32 = strcmp(text, "f32") == 0;
    if (!f32 && strcmp(text, "f64") != 0) {
        carom_die("%s: unknown precision '%s' (f32 or f64)", name, text);
    }
    *(carom_precision *)to = f32 ? CAROM_F32 : CAROM_F64;
}

void carom_take_isa(const char *name, const char *text, void *to)
{
    carom_isa isa;
    if (carom_isa_from_name(text, &isa) != CAROM_OK) {
        carom_die("%s: unknown instruction set '%s' (see carom info)", name, text);
    }
    if (isa != CAROM_ISA_DEFAULT && !carom_isa_usable(isa)) {
        carom_die("%s: %s is %s (see carom info)", name, text,
                  carom_isa_built(isa) ? "not usable on this machine" : "not part of this build");
    }
    *(carom_isa *)to = isa;
}

void carom_take_affinity(const char *name, const char *text, void *to)
{
    (void)to;
    unsigned list[AFFINITY_PROCESSORS];
    size_t count = 0;
    for (const char *at = text; at != NULL; at = strchr(at, ',')) {
        char number[24];
        at += *at == ',';
        const size_t length = strcspn(at, ",");
        if (length >= sizeof number || count == AFFINITY_PROCESSORS) {
            carom_die("%s: '%s' is not a list of processors", name, text);
        }
        snprintf(number, sizeof number, "%.*s", (int)length, at);
        list[count++] = (unsigned)carom_parse_count(name, number, 0, AFFINITY_PROCESSORS - 1);
    }

    affinity set;
    carom_problem problem = {""};
    if (carom_affinity_make(list, count, &set, &problem) != CAROM_OK) {
        carom_die("--%s", problem.text);
    }
    carom_affinity_set(&set);
}

void carom_take_solver(const char *name, const char *text, void *to)
{
    int variant;
    char names[NAMES_SIZE];
    if (carom_toi_variant_find(text, &variant) != CAROM_OK) {
        carom_die("%s: unknown solver '%s' (%s; also NAME/branches)", name, text, carom_solver_names(names));
    }
    *(int *)to = variant;
}

/* ---- rows ---- */

/* "--worlds" of "--worlds N". */
static size_t name_length(const argument_row *row)
{
    return strcspn(row->text, " ");
}

static bool is_word(const argument_row *row)
{
    return row->kind == ARGUMENT_WORD || row->kind == ARGUMENT_WORDS;
}

static void store(const argument_row *row, uint64_t value, void *at)
{
    const uint32_t four = (uint32_t)value;
    const uint16_t two = (uint16_t)value;
    const uint8_t one = (uint8_t)value;
    memcpy(at,
           row->size == sizeof value  ? (const void *)&value
           : row->size == sizeof four ? (const void *)&four
           : row->size == sizeof two  ? (const void *)&two
                                      : (const void *)&one,
           row->size);
}

void carom_default_arguments(const argument_row *rows, void *to)
{
    for (const argument_row *row = rows; row->text != NULL; row++) {
        void *at = (char *)to + row->at;
        if (row->kind == ARGUMENT_COUNT || row->kind == ARGUMENT_CHOICE) {
            store(row, row->usual, at);
        } else if (row->kind == ARGUMENT_NUMBER) {
            memcpy(at, &row->value, sizeof row->value);
        } else if (row->kind == ARGUMENT_GROUP) {
            carom_default_arguments(row->group, at);
        } else if (row->normal != NULL) {
            carom_read_argument(row, row->normal, to);
        }
    }
}

const argument_row *carom_find_argument(const argument_row *rows, const char *name, size_t length, void **to)
{
    const argument_row *found = NULL;
    for (const argument_row *row = rows; row->text != NULL && found == NULL; row++) {
        void *inner = (char *)*to + row->at;
        if (row->kind == ARGUMENT_GROUP) {
            found = carom_find_argument(row->group, name, length, &inner);
            *to = found != NULL ? inner : *to;
        } else if (!is_word(row) && name_length(row) == length && memcmp(row->text, name, length) == 0) {
            found = row;
        }
    }
    return found;
}

/* "a, b or c" */
static void list_choices(const argument_row *row, char text[NAMES_SIZE])
{
    text[0] = '\0';
    for (const char *const *name = row->choices; *name != NULL; name++) {
        const size_t end = strlen(text);
        snprintf(text + end, NAMES_SIZE - end, "%s%s", end == 0 ? "" : name[1] == NULL ? " or " : ", ", *name);
    }
}

void carom_read_argument(const argument_row *row, const char *text, void *to)
{
    void *at = (char *)to + row->at;
    char name[64], names[NAMES_SIZE];
    snprintf(name, sizeof name, "%.*s", (int)name_length(row), row->text);
    if (row->kind == ARGUMENT_COUNT) {
        store(row, carom_parse_count(name, text, row->least, row->most), at);
    } else if (row->kind == ARGUMENT_NUMBER) {
        const double value = carom_parse_number(name, text, row->low, row->high);
        memcpy(at, &value, sizeof value);
    } else if (row->kind == ARGUMENT_CALL) {
        row->call(name, text, at);
    } else if (row->kind == ARGUMENT_CHOICE) {
        uint64_t k = 0;
        while (row->choices[k] != NULL && strcmp(row->choices[k], text) != 0) {
            k++;
        }
        if (row->choices[k] == NULL) {
            list_choices(row, names);
            carom_die("%s: unknown choice '%s' (%s)", name, text, names);
        }
        store(row, k, at);
    } else {
        memcpy(at, (const void *)&text, sizeof text);
    }
}

/* ---- reading ---- */

bool carom_was_given(const arguments *args, const char *name)
{
    const size_t length = strcspn(name, " ");
    bool was = false;
    for (size_t k = 0; k < args->given_count && !was; k++) {
        was = name_length(args->given[k]) == length && memcmp(args->given[k]->text, name, length) == 0;
    }
    return was;
}

_Noreturn static void refuse(const arguments *args, const char *text)
{
    carom_die("%s '%s' (see carom %s --help)", text[0] == '-' ? "unknown option" : "unexpected argument", text,
              args->command);
}

/* The two arguments after an option. */
static void read_pair(arguments *args, const argument_row *row, const char *text, void *to)
{
    double values[2];
    for (int k = 0; k < 2; k++) {
        if (text[strcspn(text, "=")] != '\0' || *args->list == NULL) {
            carom_die("%.*s needs two values (see carom %s --help)", (int)name_length(row), row->text, args->command);
        }
        values[k] = carom_parse_number(text, *args->list++, row->low, row->high);
    }
    memcpy((char *)to + row->at, values, sizeof values);
}

/* The next argument, an option: "--seed 1" or "--seed=1". */
static void read_option(arguments *args, const argument_row *rows, void *to)
{
    const char *text = *args->list++;
    const size_t length = strcspn(text, "=");
    const argument_row *row = carom_find_argument(rows, text, length, &to);
    if (row == NULL || (row->kind == ARGUMENT_FLAG && text[length] != '\0')) {
        refuse(args, text);
    }
    if (!carom_was_given(args, row->text) && args->given_count < sizeof args->given / sizeof args->given[0]) {
        args->given[args->given_count++] = row;
    }
    if (row->kind == ARGUMENT_FLAG) {
        *((bool *)((char *)to + row->at)) = true;
        return;
    }
    if (row->kind == ARGUMENT_PAIR) {
        read_pair(args, row, text, to);
        return;
    }
    const char *value = text[length] == '=' ? text + length + 1 : *args->list;
    if (value == NULL) {
        carom_die("%s needs a value (see carom %s --help)", text, args->command);
    }
    args->list += text[length] != '=';
    carom_read_argument(row, value, to);
}

/* The row of words that still has room, or NULL. */
static const argument_row *free_row(const argument_row *rows, const void *to)
{
    for (; rows->text != NULL; rows++) {
        const char *const *word = (const char *const *)(const void *)((const char *)to + rows->at);
        if (rows->kind == ARGUMENT_WORDS || (rows->kind == ARGUMENT_WORD && *word == NULL)) {
            return rows;
        }
    }
    return NULL;
}

void carom_read_arguments(arguments *args, const argument_row *rows, void *to)
{
    char **words = args->list; /* the words of a list move to the front of the arguments */
    size_t count = 0;
    carom_default_arguments(rows, to);
    while (*args->list != NULL) {
        const argument_row *row = free_row(rows, to);
        if ((*args->list)[0] == '-') {
            read_option(args, rows, to);
        } else if (row == NULL) {
            refuse(args, *args->list);
        } else if (row->kind == ARGUMENT_WORD) {
            carom_read_argument(row, *args->list++, to);
        } else {
            words[count++] = *args->list++;
        }
    }
    const argument_row *row = free_row(rows, to);
    if (row != NULL && (row->kind == ARGUMENT_WORD || count < row->least)) {
        carom_die("which %s? (see carom %s --help)", row->text, args->command);
    }
    if (row != NULL) {
        words[count] = NULL;
        *(word_list *)(void *)((char *)to + row->at) = (word_list){words, count};
    }
}

/* ---- help ---- */

/* Prints the words of the text from column `at` on; following lines begin at column `indent`. */
static void print_wrapped(const char *text, int at, int indent)
{
    while (*text != '\0') {
        const int length = (int)strcspn(text, " \n"), spaces = (int)strspn(text + length, " ");
        if (at + length > COLUMNS && at > indent) {
            printf("\n%*s", indent, "");
            at = indent;
        }
        printf("%.*s", length, text);
        at += length;
        text += length + spaces;
        if (*text == '\n') {
            text++;
            printf("\n%*s", indent, "");
            at = indent;
        } else if (*text != '\0' && at + spaces + (int)strcspn(text, " \n") <= COLUMNS) {
            printf("%*s", spaces, "");
            at += spaces;
        } else if (*text != '\0') {
            printf("\n%*s", indent, "");
            at = indent;
        }
    }
    printf("\n");
}

void carom_print_text(const char *text)
{
    while (*text != '\0') {
        char line[LINE];
        const size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        if (line[0] == ' ') {
            puts(line);
        } else {
            print_wrapped(line, 0, 0);
        }
        text += length + (text[length] == '\n');
    }
}

void carom_print_row(const char *left, const char *right)
{
    const bool fits = strlen(left) <= COLUMN - 4;
    printf("  %-*s%s", fits ? COLUMN - 2 : 0, left, fits ? "" : "\n");
    printf("%*s", fits ? 0 : COLUMN, "");
    print_wrapped(right, COLUMN, COLUMN);
}

/* The default as text; false if there is none, or it could not be given. */
static bool print_default(const argument_row *row, char text[NAMES_SIZE])
{
    size_t choices = 0;
    while (row->choices != NULL && row->choices[choices] != NULL) {
        choices++;
    }
    if (row->kind == ARGUMENT_COUNT && row->usual >= row->least && row->usual <= row->most) {
        snprintf(text, NAMES_SIZE, "%" PRIu64, row->usual);
    } else if (row->kind == ARGUMENT_NUMBER && row->value >= row->low && row->value <= row->high) {
        snprintf(text, NAMES_SIZE, "%g", row->value);
    } else if (row->kind == ARGUMENT_CHOICE && row->usual < choices) {
        snprintf(text, NAMES_SIZE, "%s", row->choices[row->usual]);
    } else if (row->normal != NULL) {
        snprintf(text, NAMES_SIZE, "%s", row->normal);
    } else {
        return false;
    }
    return true;
}

void carom_print_rows(const argument_row *rows)
{
    for (const argument_row *row = rows; row->text != NULL; row++) {
        char left[NAMES_SIZE], right[LINE], normal[NAMES_SIZE];
        if (row->kind == ARGUMENT_GROUP) {
            carom_print_rows(row->group);
        }
        if (row->kind == ARGUMENT_GROUP || is_word(row)) {
            continue;
        }
        size_t end = (size_t)snprintf(left, sizeof left, "%s", row->text);
        for (size_t k = 0; row->kind == ARGUMENT_CHOICE && row->choices[k] != NULL && end < sizeof left; k++) {
            end += (size_t)snprintf(left + end, sizeof left - end, "%s%s", k == 0 ? " " : "|", row->choices[k]);
        }
        const char *place = strchr(row->help, '$');
        if (!print_default(row, normal)) {
            snprintf(right, sizeof right, "%s", row->help);
        } else if (place != NULL) {
            snprintf(right, sizeof right, "%.*s%s%s", (int)(place - row->help), row->help, normal, place + 1);
        } else {
            const char *mark = row->help[0] == '\0' ? "" : strpbrk(row->help, ",;.") != NULL ? "; " : ", ";
            snprintf(right, sizeof right, "%s%s%s by default", row->help, mark, normal);
        }
        carom_print_row(left, right);
    }
}

void carom_print_help(const command_row *c)
{
    printf("carom %s %s\n\n", c->name, c->usage);
    carom_print_text(c->about);
    puts("");
    carom_print_rows(c->rows);
    if (c->tables != NULL) {
        c->tables();
    }
    if (c->notes != NULL) {
        puts("");
        carom_print_text(c->notes);
    }
}
