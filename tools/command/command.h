/* SPDX-License-Identifier: MIT
 * Shared by the commands of `carom`: exit on bad input, the progress bar, JSON output.
 *
 * Exit codes: 0 done, 1 a verification failed, 2 bad input or output, 130 interrupted (after the report).
 */
#ifndef CAROM_TOOLS_COMMAND_COMMAND_H
#define CAROM_TOOLS_COMMAND_COMMAND_H

#include "arguments.h"

#include <stdio.h>

#define EXIT_MISMATCH 1
#define EXIT_BAD 2
#define EXIT_INTERRUPTED 130

/* The whole program, with argv as in main(). Returns the exit code, unless it ends the process. */
int carom_command(int argc, char **argv);

/* ---- ends ---- */

/* Prints "carom: <message>" on stderr, always as one line, and exits with EXIT_BAD. */
_Noreturn void carom_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Zeroed memory, at least one byte; dies if there is none. */
void *carom_allocate(size_t count, size_t size) __attribute__((malloc));

/* Grows a list so that *room > count; dies if there is no memory. */
void *carom_widen(void *list, size_t count, size_t *room, size_t size);

/* Flushes stdout; dies if anything written to it was lost. Every command calls it last. */
void carom_finish_output(void);

/* Redirects stdout to the file `path`, which gets its name in carom_finish_output(): it appears only if complete. */
void carom_output_file(const char *path);

/* Discards that file, if any, after an interrupt, with a message on stderr. */
void carom_drop_output(void);

/* Dies unless the status is CAROM_OK: "cannot <doing>: ...". */
void carom_demand(carom_status status, const char *doing);

/* The instruction set that CAROM_ISA_DEFAULT means; dies if the environment names an unusable one. */
carom_isa carom_chosen_isa(void);

/* ---- lists of names, for help and messages ---- */

#define NAMES_SIZE 256

/* Write "race, random, ..." into text, and return it. */
char *carom_kind_names(const carom_game *game, char text[NAMES_SIZE]);
char *carom_policy_names(const carom_game *game, char text[NAMES_SIZE]);
char *carom_solver_names(char text[NAMES_SIZE]);

/* ---- time and progress ---- */

/* Seconds of a monotonic clock. */
double carom_now(void);

/* The bar is drawn on stderr if that is a terminal, at most ten times a second, with `text` (short) next to it.
 * carom_progress_erase() and carom_die() erase it. */
void carom_progress_draw(double fraction, const char *text);
void carom_progress_erase(void);

/* Runs work(job), which may be one long library call, on another thread. On this one show(job) draws the bar; it is
 * erased at the end. */
void carom_watch(void (*work)(void *job), void (*show)(void *job), void *job);

/* After carom_catch_interrupt(), Ctrl-C, SIGTERM or SIGHUP sets carom_interrupt, so that the results so far can be
 * reported; a second one ends the program at once. In out_file.c. */
extern volatile int carom_interrupt;
bool carom_interrupted(void);
void carom_catch_interrupt(void);

/* ---- output ---- */

/* Replaces every byte that is not part of a printable UTF-8 character by a question mark, since texts of programs and
 * files could contain terminal commands. Returns the text. */
char *carom_plain(char *text);

/* Writes the text to stdout with the same replacements. */
void carom_print_plain(const char *text);

/* Writes JSON to stdout, by a printf-like format: {'worlds': %zu}. A ' becomes a quotation mark, %s a quoted string or
 * null, %i true or false, %g null if not finite. */
void carom_json(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same to another file. */
void carom_json_file(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* text in quotes, escaped, to stdout. */
void carom_json_string(const char *text);

/* 1234567 -> "1,234,567" in text, which is returned. */
const char *carom_grouped(uint64_t number, char text[32]);

/* " (of kind: events nan)" of a batch with faults; "" without. */
const char *carom_fault_names(unsigned bits, char text[32]);

/* ---- the commands ---- */

extern const command_row carom_rollout_command, carom_run_command, carom_verify_command, carom_arena_command,
    carom_bot_command, carom_merge_command, carom_tune_command, carom_check_command, carom_record_command,
    carom_render_command, carom_view_command, carom_replay_command, carom_info_command, carom_bench_command,
    carom_bench_solvers_command, carom_run_gas_command, carom_recipe_make_command, carom_recipe_verify_command,
    carom_recipe_merge_command, carom_prove_command;

#endif
