/* SPDX-License-Identifier: MIT
 * `carom info`: what this build is and what this machine can do with it.
 */
#include "../film/paint.h"
#include "../source/game_file.h"

typedef struct info_options {
    word_list games;
    bool json;
} info_options;

#define OPTIONS info_options
static const argument_row rows[] = {WORDS("games", games, 0), JSON, END};

static bool reads_scenes(void)
{
    carom_scene *scene;
    const bool there = carom_scene_read_json("{}", 2, &scene, NULL) != CAROM_ERROR_UNSUPPORTED;
    carom_scene_destroy(scene);
    return there;
}

static void print_text(void)
{
    carom_isa chosen = carom_chosen_isa();
    printf("carom %s\n"
           "  built by   %s\n"
           "  threads    %u\n"
           "\n"
           "instruction sets       lanes f64   lanes f32\n",
           carom_version(), carom_build_info(), carom_threads());
    for (int i = CAROM_ISA_DEFAULT + 1; i < CAROM_ISA_COUNT; i++) {
        carom_isa isa = (carom_isa)i;
        printf("  %-9s  %20u  %10u   %s%s\n", carom_isa_name(isa), carom_isa_lanes(isa, CAROM_F64),
               carom_isa_lanes(isa, CAROM_F32),
               carom_isa_usable(isa)  ? "usable"
               : carom_isa_built(isa) ? "built, not usable here"
                                      : "not built",
               isa == chosen ? ", chosen" : "");
    }
    printf("\nparts\n"
           "  scenes     %s\n"
           "  pictures   %s\n",
           reads_scenes() ? "in C, as JSON" : "in C only: no files",
           picture_can_paint() ? "SVG, PNG; moving ones with ffmpeg" : "SVG only");
    puts("\ngames");
    for (size_t i = 0; i < carom_game_count(); i++) {
        const carom_game *game = carom_game_at(i);
        carom_game_info about = carom_game_describe(game);
        char names[NAMES_SIZE];
        printf("  %-9s  %s: %u players, %u bodies\n", about.name, about.title, about.players, about.bodies);
        printf("  %-9s  actions: %s\n", "", carom_kind_names(game, names));
        printf("  %-9s  policies: %s\n", "", carom_policy_names(game, names));
    }
}

/* The default as --set takes it; of a seed or list there is none. */
static const char *usual_of(const carom_option *option, char text[32])
{
    if (option->choices != NULL) {
        return option->choices[(unsigned)option->value];
    }
    const bool plain = option->type != CAROM_OPTION_SEED && option->type != CAROM_OPTION_LIST;
    snprintf(text, 32, plain ? "%.10g" : "none", option->value);
    return text;
}

static void print_options(const carom_game *game)
{
    carom_option option;
    char usual[32], range[NAMES_SIZE];
    printf("\noptions of %s\n", carom_game_describe(game).name);
    for (size_t k = 0; carom_game_option(game, k, &option) == CAROM_OK; k++) {
        printf("  %-21s  %-10s  %s\n  %-21s  %-10s  %s\n", option.name, usual_of(&option, usual),
               carom_option_range(game, &option, range), "", "", option.meaning);
    }
}

static const char *boolean(bool value)
{
    return value ? "true" : "false";
}

static void print_json_option(const carom_option *option, bool more)
{
    static const char *const types[] = {"count", "flag", "number", "choice", "preset", "seed", "list"};
    printf("%s{\"name\": ", more ? ", " : "");
    carom_json_string(option->name);
    printf(", \"type\": \"%s\"", types[option->type]);
    if (option->choices != NULL) {
        printf(", \"default\": ");
        carom_json_string(option->choices[(unsigned)option->value]);
        for (unsigned k = 0; k <= (unsigned)option->high; k++) {
            fputs(k == 0 ? ", \"choices\": [" : ", ", stdout);
            carom_json_string(option->choices[k]);
        }
        fputs("]", stdout);
    } else if (option->type < CAROM_OPTION_SEED) {
        printf(", \"default\": %.17g, \"low\": %.17g, \"high\": %.17g", option->value, option->low, option->high);
    }
    printf(", \"meaning\": ");
    carom_json_string(option->meaning);
    printf("}");
}

static void print_json_game(const carom_game *game)
{
    carom_game_info about = carom_game_describe(game);
    printf("{\"name\": ");
    carom_json_string(about.name);
    printf(", \"title\": ");
    carom_json_string(about.title);
    printf(", \"players\": %u, \"bodies\": %u, \"actions\": [", about.players, about.bodies);
    carom_action_kind kind;
    for (size_t i = 0; carom_game_action_kind(game, i, &kind) == CAROM_OK; i++) {
        fputs(i > 0 ? ", " : "", stdout);
        carom_json_string(kind.name);
    }
    printf("], \"policies\": [");
    for (size_t i = 0; carom_game_policy_name(game, i) != NULL; i++) {
        fputs(i > 0 ? ", " : "", stdout);
        carom_json_string(carom_game_policy_name(game, i));
    }
    printf("], \"options\": [");
    carom_option option;
    for (size_t i = 0; carom_game_option(game, i, &option) == CAROM_OK; i++) {
        print_json_option(&option, i > 0);
    }
    printf("]}");
}

static void print_json(void)
{
    printf("{\"version\": ");
    carom_json_string(carom_version());
    printf(", \"compiler\": ");
    carom_json_string(carom_build_info());
    printf(", \"threads\": %u, \"isa\": ", carom_threads());
    carom_json_string(carom_isa_name(carom_chosen_isa()));
    printf(", \"instruction_sets\": [");
    for (int i = CAROM_ISA_DEFAULT + 1; i < CAROM_ISA_COUNT; i++) {
        carom_isa isa = (carom_isa)i;
        printf("%s{\"name\": ", i > CAROM_ISA_DEFAULT + 1 ? ", " : "");
        carom_json_string(carom_isa_name(isa));
        printf(", \"built\": %s, \"usable\": %s, \"lanes_f64\": %u, \"lanes_f32\": %u}", boolean(carom_isa_built(isa)),
               boolean(carom_isa_usable(isa)), carom_isa_lanes(isa, CAROM_F64), carom_isa_lanes(isa, CAROM_F32));
    }
    printf("], \"parts\": {\"json\": %s, \"png\": %s}, \"games\": [", boolean(reads_scenes()),
           boolean(picture_can_paint()));
    for (size_t i = 0; i < carom_game_count(); i++) {
        fputs(i > 0 ? ", " : "", stdout);
        print_json_game(carom_game_at(i));
    }
    puts("]}");
}

static int run(arguments *args)
{
    info_options options = {.json = false};
    carom_read_arguments(args, rows, &options);
    for (size_t k = 0; k < options.games.count; k++) { /* all, before anything is printed */
        if (carom_load_game(options.games.list[k]) == NULL) {
            carom_die("unexpected argument '%s': no game, and no shared object (see carom info --help)",
                      options.games.list[k]);
        }
    }
    if (options.json) {
        print_json();
        return 0;
    }
    print_text();
    for (size_t k = 0; k < options.games.count; k++) {
        print_options(carom_load_game(options.games.list[k]));
    }
    return 0;
}

const command_row carom_info_command = {
    .name = "info",
    .usage = "[GAME|./GAME.so ...] [--json]",
    .summary = "version, instruction sets, threads, games",
    .about = "Version, compiler, instruction sets (built, usable, chosen), threads, the parts that a build may lack, "
             "and the games with their kinds of action and their policies; those in shared objects, too, whose code is "
             "run. Of the games that are named, and as JSON of all, the options: what --set takes, its default, and "
             "what is allowed.",
    .rows = rows,
    .run = run};
