/* SPDX-License-Identifier: MIT
 * The program `carom`: finds the command and hands the arguments over.
 */
#include "command.h"

#include <string.h>

typedef struct command {
    const char *name;
    int (*run)(arguments *args);
    void (*help)(void);
} command;

static const command commands[] = {
    {"rollout", carom_command_rollout, carom_help_rollout},
    {"run", carom_command_run, carom_help_run},
    {"verify", carom_command_verify, carom_help_verify},
    {"info", carom_command_info, carom_help_info},
};

static void help(void)
{
    puts("carom simulates circles that hit each other, exactly, in many worlds at once.\n"
         "\n"
         "  carom rollout GAME ...      play a game in many worlds: speed, outcome, digest\n"
         "  carom run SCENE ...         run a scene: speed, conservation, pressure\n"
         "  carom verify GAME FILE...   compare with recorded games, bit for bit\n"
         "  carom info                  version, instruction sets, threads, games\n"
         "\n"
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

static int run(const command *chosen, char **list)
{
    for (char **text = list; *text != NULL; text++) {
        if (is_help(*text)) {
            chosen->help();
            return 0;
        }
    }
    /* A wrong choice in the environment is an error even where an option overrides it. */
    carom_chosen_isa();
    arguments args = {chosen->name, list};
    return chosen->run(&args);
}

int main(int argc, char **argv)
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
    for (size_t i = 0; i < sizeof commands / sizeof commands[0] && code < 0; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            code = run(&commands[i], argv + 2);
        }
    }
    if (code < 0) {
        carom_die("unknown %s '%s' (see carom --help)", argv[1][0] == '-' ? "option" : "command", argv[1]);
    }
    carom_finish_output();
    return code;
}
