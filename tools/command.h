/* SPDX-License-Identifier: MIT
 * What the commands of `carom` share: the end after bad input, reading of arguments, the progress bar, JSON strings.
 *
 * Exit codes: 0 done, 1 a verification failed, 2 bad input or output, 130 interrupted (after the report).
 */
#ifndef CAROM_TOOLS_COMMAND_H
#define CAROM_TOOLS_COMMAND_H

#include <carom/carom.h>

#include <stdio.h>

#define EXIT_MISMATCH 1
#define EXIT_BAD 2
#define EXIT_INTERRUPTED 130

/* The whole program: argv as main() has it; gives its exit code, unless it ends the process itself. */
int carom_command(int argc, char **argv);

/* ---- ends ---- */

/* Prints "carom: <message>" on stderr, always as one line, and exits with EXIT_BAD. */
_Noreturn void carom_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Flushes stdout; dies if anything written to it was lost. Every command calls it last. */
void carom_finish_output(void);

/* From here on stdout is the file `path`, which gets its name in carom_finish_output(): it is whole, or not there. */
void carom_output_file(const char *path);

/* Leaves no such file, for the run was interrupted; says so on stderr. Without one nothing happens. */
void carom_drop_output(void);

/* ---- arguments ---- */

typedef struct arguments {
    const char *command; /* "rollout": for messages */
    char **list;         /* what follows the command, NULL at the end */
} arguments;

/* If the next argument is the option `name` ("--json") it is taken. */
bool carom_take_flag(arguments *args, const char *name);

/* The same for an option with a value, written "--seed 1" or "--seed=1"; dies if the value is missing. */
bool carom_take_value(arguments *args, const char *name, const char **value);

/* Takes the next argument if it is no option; else NULL. */
const char *carom_take_word(arguments *args);

/* Takes the next argument, which there must be, as the command's one word; dies if it has that already, or if this is
 * an option. */
void carom_take_name(arguments *args, const char **name);

/* Dies because of the next argument: it is an unknown option, or one word too many. */
_Noreturn void carom_refuse(const arguments *args);

/* A whole number in [least, most], decimal digits only; dies otherwise. `what` is the option, for the message. */
uint64_t carom_parse_count(const char *what, const char *text, uint64_t least, uint64_t most);

/* A finite number in [least, most]; dies otherwise. */
double carom_parse_number(const char *what, const char *text, double least, double most);

/* "f32" or "f64"; dies otherwise. */
carom_precision carom_parse_precision(const char *text);

/* An instruction set that this machine can run; dies otherwise. */
carom_isa carom_parse_isa(const char *text);

/* A way to solve the time of impact: a variant of carom/toi.h, CAROM_TOI_BRANCHES included; dies otherwise. */
int carom_parse_solver(const char *text);

/* What CAROM_ISA_DEFAULT stands for; dies if the environment names an instruction set that cannot be used. */
carom_isa carom_chosen_isa(void);

/* ---- lists of names, for help and messages ---- */

#define NAMES_SIZE 256

/* "race, random, ..." into text; both return it. */
char *carom_kind_names(const carom_game *game, char text[NAMES_SIZE]);
char *carom_policy_names(const carom_game *game, char text[NAMES_SIZE]);
char *carom_solver_names(char text[NAMES_SIZE]);

/* ---- time and progress ---- */

/* Seconds of a clock that never goes back. */
double carom_now(void);

/* The bar lives on stderr, only if that is a terminal, and is drawn at most ten times a second. `text` (short) stands
 * beside it. It is erased by carom_progress_erase() and by carom_die(). */
void carom_progress_draw(double fraction, const char *text);
void carom_progress_erase(void);

/* Runs work(job), which may be one long call of the library, on a thread of its own. On this one show(job) draws the
 * bar from what the two share; at the end the bar is erased. */
void carom_watch(void (*work)(void *job), void (*show)(void *job), void *job);

/* From carom_catch_interrupt() on Ctrl-C, SIGTERM or SIGHUP sets carom_interrupt, so that what is done can be reported;
 * a second one ends the program at once. In out_file.c. */
extern volatile int carom_interrupt;
bool carom_interrupted(void);
void carom_catch_interrupt(void);

/* ---- output ---- */

/* Puts a question mark in the place of every byte that is not of a character to be seen, in UTF-8: a terminal would
 * take what programs and files say for commands. Returns the text. */
char *carom_plain(char *text);

/* The text to stdout, likewise. */
void carom_print_plain(const char *text);

/* text in quotes, escaped, to stdout. */
void carom_json_string(const char *text);

/* 1234567 -> "1,234,567" in text, which is returned. */
const char *carom_grouped(uint64_t number, char text[32]);

/* " (of kind: events nan)" of a batch with faults; "" without. */
const char *carom_fault_names(unsigned bits, char text[32]);

/* ---- the commands: what follows the command's name -> exit code ---- */

int carom_command_rollout(arguments *args);
int carom_command_run(arguments *args);
int carom_command_verify(arguments *args);
int carom_command_arena(arguments *args);
int carom_command_bot(arguments *args);
int carom_command_merge(arguments *args);
int carom_command_tune(arguments *args);
int carom_command_check(arguments *args);
int carom_command_record(arguments *args);
int carom_command_render(arguments *args);
int carom_command_view(arguments *args);
int carom_command_replay(arguments *args);
int carom_command_info(arguments *args);
int carom_command_bench(arguments *args);
int carom_command_bench_solvers(arguments *args);

/* Their help, to stdout. */
void carom_help_rollout(void);
void carom_help_run(void);
void carom_help_verify(void);
void carom_help_arena(void);
void carom_help_bot(void);
void carom_help_merge(void);
void carom_help_tune(void);
void carom_help_check(void);
void carom_help_record(void);
void carom_help_render(void);
void carom_help_view(void);
void carom_help_replay(void);
void carom_help_info(void);
void carom_help_bench(void);
void carom_help_bench_solvers(void);

#endif
