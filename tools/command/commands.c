/* SPDX-License-Identifier: MIT
 * The commands of `carom`: finds the command and passes the arguments on.
 */
#include "command.h"

#include <string.h>

/* The first match is used. */
static const command_row *const commands[] = {
    &carom_rollout_command,     &carom_run_command,           &carom_verify_command,       &carom_arena_command,
    &carom_bot_command,         &carom_check_command,         &carom_record_command,       &carom_replay_command,
    &carom_render_command,      &carom_view_command,          &carom_merge_command,        &carom_tune_command,
    &carom_recipe_make_command, &carom_recipe_verify_command, &carom_recipe_merge_command, &carom_bench_solvers_command,
    &carom_prove_command,       &carom_info_command,          &carom_bench_command,
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static void help(void)
{
    puts("carom simulates circles that hit each other, exactly, in many worlds at once.\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        if (commands[i]->summary != NULL) {
            char text[64];
            snprintf(text, sizeof text, "carom %s %s", commands[i]->name, commands[i]->usage);
            char *options = strpbrk(text, "-[");
            if (options != NULL) {
                *options = '\0';
            }
            printf("  %-28s%s\n", text, commands[i]->summary);
        }
    }
    puts("\n"
         "  carom COMMAND --help        the options of a command\n"
         "  carom --version             the version\n"
         "\n"
         "The environment variable CAROM_ISA chooses an instruction set (scalar, sse4, avx2, ...).\n"
         "Exit codes: 0 done, 1 a comparison failed, 2 bad input or output, 130 interrupted.");
}

static bool is_help(const char *text)
{
    return strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0;
}

/* The number of words of a command's name, if the arguments begin with it; else 0. */
static int words_of(const command_row *c, char **list)
{
    const char *space = strchr(c->name, ' ');
    if (space == NULL) {
        return strcmp(list[0], c->name) == 0 ? 1 : 0;
    }
    const size_t first = (size_t)(space - c->name);
    return strlen(list[0]) == first && memcmp(list[0], c->name, first) == 0 && list[1] != NULL &&
                   strcmp(list[1], space + 1) == 0
               ? 2
               : 0;
}

static int run(const command_row *chosen, char **list)
{
    for (char **text = list; *text != NULL; text++) {
        if (is_help(*text)) {
            carom_print_help(chosen);
            return 0;
        }
    }
    /* An invalid choice in the environment is an error even if an option overrides it. */
    carom_chosen_isa();
    arguments args = {.command = chosen->name, .list = list};
    return chosen->run(&args);
}

int carom_command(int argc, char **argv)
{
    if (argc < 2) {
        carom_die("which command? (see carom --help)");
    }
    int code = -1;
    if (is_help(argv[1])) {
        help();
        code = 0;
    } else if (strcmp(argv[1], "--version") == 0) {
        printf("carom %s\n", carom_version());
        code = 0;
    }
    for (size_t i = 0; i < COMMANDS && code < 0; i++) {
        const int words = words_of(commands[i], argv + 1);
        if (words > 0) {
            code = run(commands[i], argv + 1 + words);
        }
    }
    if (code < 0) {
        carom_die("unknown %s '%s' (see carom --help)", argv[1][0] == '-' ? "option" : "command", argv[1]);
    }
    if (code == EXIT_INTERRUPTED) {
        carom_drop_output();
    }
    carom_finish_output();
    return code;
}
