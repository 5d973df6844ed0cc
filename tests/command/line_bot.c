/* SPDX-License-Identifier: MIT
 * A program that plays one of a game's built-in policies in `carom arena` by Carom's line protocol: it builds the world
 * from the first message, replays all players' actions in it, and runs the policy on it. If one number were read back
 * with other bits, its world and so the digests would soon differ.
 *
 * usage: line_bot GAME|SCENE.json|PLUGIN.so POLICY
 */
#include <carom/carom.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 262144

static char line[LINE];
static double did[LINE], all[LINE]; /* actions of all players */

_Noreturn static void die(const char *why)
{
    fprintf(stderr, "line_bot: %s (%.60s)\n", why, line);
    exit(1);
}

static void demand(carom_status status, const char *what)
{
    if (status != CAROM_OK) {
        die(what);
    }
}

static bool read_line(void)
{
    return fgets(line, sizeof line, stdin) != NULL;
}

static const carom_game *load(const char *name)
{
    const carom_game *game = carom_game_find(name);
    carom_problem problem;
    const size_t length = strlen(name);
    if (game == NULL && length > 3 && strcmp(name + length - 3, ".so") == 0) {
        demand(carom_game_open(name, &game, &problem), "no such game");
    }
    if (game == NULL) {
        static char text[1 << 20];
        carom_scene *scene; /* stays until the process ends */
        FILE *file = fopen(name, "rb");
        if (file == NULL) {
            die("no such file");
        }
        const size_t size = fread(text, 1, sizeof text, file);
        fclose(file);
        demand(carom_scene_read_json(text, size, &scene, &problem), "no scene");
        game = carom_scene_game(scene);
    }
    return game;
}

/* "option NAME VALUE" */
static void set_option(const carom_game *game, void *options)
{
    char name[64], value[256];
    size_t index;
    carom_option option;
    if (sscanf(line, "option %63s %255s", name, value) != 2) {
        die("no option");
    }
    demand(carom_game_find_option(game, name, &index), "an unknown option");
    demand(carom_game_option(game, index, &option), "an unknown option");
    if (option.type == CAROM_OPTION_LIST || option.type == CAROM_OPTION_SEED) {
        if (strcmp(value, "none") != 0) {
            die("an option that only its game could read");
        }
        return;
    }
    double number = strtod(value, NULL);
    for (size_t k = 0; option.choices != NULL && k <= (size_t)option.high; k++) {
        number = strcmp(option.choices[k], value) == 0 ? (double)k : number;
    }
    demand(carom_game_set_option(game, options, name, number, NULL), "an option out of its range");
}

typedef struct told {
    unsigned seat, players;
    uint64_t seed, world;
    char action[64];
} told;

static told read_greeting(const carom_game *game, void *options)
{
    told about = {.seat = 0};
    while (read_line() && strcmp(line, "ready\n") != 0) {
        if (strncmp(line, "option ", 7) == 0) {
            set_option(game, options);
        }
        (void)(sscanf(line, "seat %u", &about.seat) == 1 || sscanf(line, "players %u", &about.players) == 1 ||
               sscanf(line, "seed %" SCNu64, &about.seed) == 1 || sscanf(line, "world %" SCNu64, &about.world) == 1 ||
               sscanf(line, "action %63s", about.action) == 1);
    }
    return about;
}

/* "did" and the numbers of a player */
static void read_did(const carom_action_kind *kind, void *numbers)
{
    char *at = line + 3;
    for (uint32_t k = 0; k < kind->size; k++) {
        if (kind->precision == CAROM_F32) {
            ((float *)numbers)[k] = strtof(at, &at);
        } else {
            ((double *)numbers)[k] = strtod(at, &at);
        }
    }
    if (*at != '\n') {
        die("other numbers than there are");
    }
}

static void answer(const carom_action_kind *kind, const void *numbers)
{
    for (uint32_t k = 0; k < kind->size; k++) {
        if (kind->precision == CAROM_F32) {
            printf("%.9g ", (double)((const float *)numbers)[k]);
        } else {
            printf("%.17g ", ((const double *)numbers)[k]);
        }
    }
    printf("# mine\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        return 2;
    }
    const carom_game *game = load(argv[1]);
    const size_t size = carom_game_options_size(game);
    void *options = calloc(1, size + 1);
    carom_worlds_desc desc = carom_worlds_desc_default(game);
    carom_worlds *worlds;
    carom_action_kind kind;
    carom_step step = carom_step_default();
    size_t policy;
    if (options == NULL || (size > 0 && carom_game_options_default(game, options) != CAROM_OK)) {
        die("no options");
    }
    const told about = read_greeting(game, options);
    desc.options = size > 0 ? options : NULL;
    desc.seed = about.seed;
    desc.first_id = about.world;
    desc.threads = 1;
    demand(carom_worlds_create(&desc, &worlds), "no world");
    demand(carom_game_find_action_kind(game, about.action, &step.action_kind), "no such kind of action");
    demand(carom_game_action_kind(game, step.action_kind, &kind), "no such kind of action");
    demand(carom_game_find_policy(game, argv[2], &policy), "no such policy");

    const size_t part = (size_t)kind.size * (kind.precision / 8);
    if (about.players > CAROM_MAX_PLAYERS || part > sizeof did / CAROM_MAX_PLAYERS) {
        die("too many players or numbers");
    }
    size_t heard = 0;
    step.actions = did;
    while (read_line()) {
        if (strncmp(line, "did", 3) == 0) {
            read_did(&kind, (unsigned char *)did + heard++ * part);
        }
        if (strcmp(line, "go\n") == 0) {
            if (heard > 0) {
                demand(carom_worlds_play(worlds, &step), "cannot play");
            }
            heard = 0;
            demand(carom_worlds_policy(worlds, policy, step.action_kind, all), "no policy");
            answer(&kind, (const unsigned char *)all + about.seat * part);
        }
    }
    free(options);
    carom_worlds_destroy(worlds);
    return 0;
}
