/* SPDX-License-Identifier: MIT
 * `carom info`: the build, and what this machine can use of it.
 */
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

/* The devices, or why there are none. */
static void print_devices(void)
{
    carom_problem problem;
    const unsigned count = carom_device_count(&problem);
    printf("\ndevices\n");
    if (count == 0) {
        printf("  none: %s\n", problem.text);
    }
    for (unsigned k = 0; k < count; k++) {
        carom_device_info info;
        if (carom_device_describe(carom_device_cuda(k), &info, &problem) != CAROM_OK) {
            printf("  cuda:%u  %s\n", k, problem.text);
            continue;
        }
        printf("  cuda:%u  %s, %.0f GiB, %u multiprocessors, compute capability %u.%u, driver for CUDA %u.%u\n", k,
               info.name, (double)info.memory / 0x1p30, info.processors, info.major, info.minor, info.driver / 1000,
               info.driver % 1000 / 10);
    }
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
           "  pictures   SVG, PNG; moving ones with ffmpeg\n",
           reads_scenes() ? "in C, as JSON" : "in C only: no files");
    print_devices();
    puts("\ngames");
    for (size_t i = 0; i < carom_game_count(); i++) {
        const carom_game *game = carom_game_at(i);
        carom_game_info about = carom_game_describe(game);
        char names[NAMES_SIZE];
        printf("  %-9s  %s: %u players, %u bodies\n", about.name, about.title, about.players, about.bodies);
        printf("  %-9s  actions: %s\n", "", carom_kind_names(game, names));
        printf("  %-9s  policies: %s\n", "", carom_policy_names(game, names));
        const char *const *rungs;
        const size_t rung_count = carom_ladder(game, &rungs);
        for (size_t k = 0; k < rung_count; k++) {
            printf(k == 0 ? "  %-9s  ladder: %s" : "%s, %s", "", rungs[k]);
        }
        fputs(rung_count > 0 ? "\n" : "", stdout);
    }
}

/* The default as given to --set; seeds and lists have none. */
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

static void print_json_option(const carom_option *option, bool more)
{
    static const char *const types[] = {"count", "flag", "number", "choice", "preset", "seed", "list"};
    carom_json(more ? ", {'name': %s, 'type': %s" : "{'name': %s, 'type': %s", option->name, types[option->type]);
    if (option->choices != NULL) {
        carom_json(", 'default': %s, 'choices': [", option->choices[(unsigned)option->value]);
        for (unsigned k = 0; k <= (unsigned)option->high; k++) {
            carom_json(k > 0 ? ", %s" : "%s", option->choices[k]);
        }
        carom_json("]");
    } else if (option->type < CAROM_OPTION_SEED) {
        carom_json(", 'default': %.17g, 'low': %.17g, 'high': %.17g", option->value, option->low, option->high);
    }
    carom_json(", 'meaning': %s}", option->meaning);
}

static void print_json_game(const carom_game *game, bool more)
{
    carom_game_info about = carom_game_describe(game);
    carom_action_kind kind;
    carom_option option;
    carom_json(more ? ", {'name': %s" : "{'name': %s", about.name);
    carom_json(", 'title': %s, 'players': %u, 'bodies': %u, 'actions': [", about.title, about.players, about.bodies);
    for (size_t i = 0; carom_game_action_kind(game, i, &kind) == CAROM_OK; i++) {
        carom_json(i > 0 ? ", %s" : "%s", kind.name);
    }
    carom_json("], 'policies': [");
    for (size_t i = 0; carom_game_policy_name(game, i) != NULL; i++) {
        carom_json(i > 0 ? ", %s" : "%s", carom_game_policy_name(game, i));
    }
    const char *const *rungs;
    const size_t rung_count = carom_ladder(game, &rungs);
    carom_json("], 'ladder': [");
    for (size_t i = 0; i < rung_count; i++) {
        carom_json(i > 0 ? ", %s" : "%s", rungs[i]);
    }
    carom_json("], 'options': [");
    for (size_t i = 0; carom_game_option(game, i, &option) == CAROM_OK; i++) {
        print_json_option(&option, i > 0);
    }
    carom_json("]}");
}

static void print_json_devices(void)
{
    carom_problem problem;
    const unsigned count = carom_device_count(&problem);
    carom_json("'devices': [");
    for (unsigned k = 0; k < count; k++) {
        carom_device_info info = {.kind = "cuda"};
        (void)carom_device_describe(carom_device_cuda(k), &info, NULL);
        carom_json(k > 0 ? ", {'kind': %s, 'index': %u" : "{'kind': %s, 'index': %u", info.kind, k);
        carom_json(", 'name': %s, 'gigabytes': %.17g, 'multiprocessors': %u", info.name, (double)info.memory / 0x1p30,
                   info.processors);
        carom_json(", 'compute_capability': [%u, %u], 'cuda': [%u, %u]}", info.major, info.minor, info.driver / 1000,
                   info.driver % 1000 / 10);
    }
    carom_json("]");
    if (count == 0) {
        carom_json(", 'no_devices': %s", problem.text);
    }
}

static void print_json(void)
{
    carom_json("{'version': %s, 'compiler': %s, 'threads': %u, 'isa': %s, 'instruction_sets': [", carom_version(),
               carom_build_info(), carom_threads(), carom_isa_name(carom_chosen_isa()));
    for (carom_isa isa = CAROM_ISA_DEFAULT + 1; isa < CAROM_ISA_COUNT; isa++) {
        carom_json(isa > CAROM_ISA_DEFAULT + 1 ? ", {'name': %s" : "{'name': %s", carom_isa_name(isa));
        carom_json(", 'built': %i, 'usable': %i, 'lanes_f64': %u, 'lanes_f32': %u}", carom_isa_built(isa),
                   carom_isa_usable(isa), carom_isa_lanes(isa, CAROM_F64), carom_isa_lanes(isa, CAROM_F32));
    }
    carom_json("], 'parts': {'json': %i}, ", reads_scenes());
    print_json_devices();
    carom_json(", 'games': [");
    for (size_t i = 0; i < carom_game_count(); i++) {
        print_json_game(carom_game_at(i), i > 0);
    }
    carom_json("]}\n");
}

static int run(arguments *args)
{
    info_options options = {.json = false};
    carom_read_arguments(args, rows, &options);
    for (size_t k = 0; k < options.games.count; k++) { /* all, before anything is printed */
        if (carom_load_game(options.games.list[k]) == NULL) {
            carom_die("unexpected argument '%s': neither a game nor a shared object (see carom info --help)",
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
    .summary = "version, instruction sets, threads, devices, games",
    .about = "Version, compiler, instruction sets (built, usable, chosen), threads, optional parts of the build, "
             "the devices on which worlds can live, or why there are none, and the games with their kinds of action "
             "and their policies, including plug-in games in shared objects, whose code is "
             "run. For games that are named, and in JSON for all, also the options: names for --set, defaults, and "
             "valid values.",
    .rows = rows,
    .run = run};
