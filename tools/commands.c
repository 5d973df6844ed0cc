/* SPDX-License-Identifier: MIT
 * The commands of `carom`: finds the one that is meant and hands the arguments over.
 */
#include "command.h"

#include <string.h>

typedef struct command {
    const char *name; /* of one word or two; the first that fits is taken */
    int (*run)(arguments *args);
    void (*help)(void);
} command;

static const command commands[] = {
    {"rollout", carom_command_rollout, carom_help_rollout},
    {"run", carom_command_run, carom_help_run},
    {"verify", carom_command_verify, carom_help_verify},
    {"arena", carom_command_arena, carom_help_arena},
    {"bot", carom_command_bot, carom_help_bot},
    {"check", carom_command_check, carom_help_check},
    {"record", carom_command_record, carom_help_record},
    {"replay", carom_command_replay, carom_help_replay},
    {"render", carom_command_render, carom_help_render},
    {"view", carom_command_view, carom_help_view},
    {"info", carom_command_info, carom_help_info},
    {"merge", carom_command_merge, carom_help_merge},
    {"tune", carom_command_tune, carom_help_tune},
    {"bench solvers", carom_command_bench_solvers, carom_help_bench_solvers},
    {"bench", carom_command_bench, carom_help_bench},
};

static void help(void)
{
    puts("carom simulates circles that hit each other, exactly, in many worlds at once.\n"
         "\n"
         "  carom rollout GAME|FILE ... play a game or a scene in many worlds: speed, outcome, digest\n"
         "  carom run FILE|gas ...      run a scene: speed, conservation, pressure\n"
         "  carom verify GAME FILE...   compare with recorded games\n"
         "  carom arena GAME            bots play each other, or built-in sides: scores, Elo\n"
         "  carom bot GAME              a bot: speaks the game's protocol, plans by search\n"
         "  carom check GAME            the same bits from every instruction set? forks, saves and restores?\n"
         "  carom record GAME|FILE ...  play a game or a scene and write it down as a replay\n"
         "  carom replay FILE           play a replay anew and compare every tick\n"
         "  carom render GAME|FILE ...  draw a game, a scene or a replay: SVG, PNG, moving pictures\n"
         "  carom view GAME|FILE ...    watch a game, a scene or a replay in the browser; play it\n"
         "  carom merge FILE...         add up the parts of a run on several machines\n"
         "  carom tune GAME             find weights for a bot's search by self-play\n"
         "  carom bench solvers         time every way to solve the time of impact\n"
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

/* The words of a command's name, if the arguments begin with them; else 0. */
static int words_of(const command *c, char **list)
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
    for (size_t i = 0; i < sizeof commands / sizeof commands[0] && code < 0; i++) {
        const int words = words_of(&commands[i], argv + 1);
        if (words > 0) {
            code = run(&commands[i], argv + 1 + words);
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
