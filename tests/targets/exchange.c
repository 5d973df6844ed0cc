/* SPDX-License-Identifier: MIT
 * exchange write FILE | exchange check FILE: everything that Carom writes and another machine may read, in one file.
 *
 *     write   saves, records and replays of all games and of a scene, a search, a gas and a laboratory, and a recipe
 *     check   such a file, from another machine: each part has the bytes that this machine writes; loaded, it plays on
 *             to the state that this machine reaches without it
 *
 * A part is a line "NAME BYTES" and its bytes. Exits with 1 if a part differs.
 */
#include <carom/carom.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLDS 5 /* not a whole tile */
#define TICKS 40 /* before the save, and again after it */
#define SEED 2026
#define ROOM ((size_t)16 << 20) /* of the file */

static unsigned char *mine, *theirs; /* files; theirs: NULL while writing */
static size_t my_size, their_size, read_to;
static unsigned parts, different;

__attribute__((format(printf, 1, 2))) _Noreturn static void die(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit(2);
}

static void must(carom_status status, const char *what)
{
    if (status != CAROM_OK) {
        die("exchange: cannot %s: %s", what, carom_status_string(status));
    }
}

static void *take(size_t bytes)
{
    void *memory = calloc(bytes, 1);
    if (memory == NULL) {
        die("exchange: no memory");
    }
    return memory;
}

static void differs(const char *name, const char *how)
{
    printf("%s: %s\n", name, how);
    different++;
}

/* ---- parts ---- */

static void put(const void *bytes, size_t size)
{
    if (size > ROOM - my_size) {
        die("exchange: a file of more than %zu bytes", ROOM);
    }
    memcpy(mine + my_size, bytes, size);
    my_size += size;
}

/* Adds a part, and returns the bytes to load: the other machine's, if they are as long. */
static const void *exchange(const char *name, const void *bytes, size_t size)
{
    char head[96];
    const int length = snprintf(head, sizeof head, "%s %zu\n", name, size);
    parts++;
    put(head, (size_t)length);
    put(bytes, size);
    if (theirs == NULL) {
        return bytes;
    }

    const size_t whole = (size_t)length + size;
    if (whole > their_size - read_to || memcmp(theirs + read_to, head, (size_t)length) != 0) {
        die("%s: the file has another part there, or another size", name);
    }
    const unsigned char *other = theirs + read_to + (size_t)length;
    if (memcmp(other, bytes, size) != 0) {
        differs(name, "other bytes than this machine writes");
    }
    read_to += whole;
    return other;
}

/* ---- games and scenes ---- */

/* A course: a game with options whose lists and numbers have all widths. */
typedef struct course {
    const char *name;
    const carom_game *game;
    const void *options;
    carom_precision precision;
} course;

static carom_worlds *make(const course *c)
{
    carom_worlds_desc desc = carom_worlds_desc_default(c->game);
    carom_worlds *worlds = NULL;
    desc.options = c->options;
    desc.count = WORLDS;
    desc.precision = c->precision;
    desc.seed = SEED;
    desc.at_end = CAROM_RESET;
    must(carom_worlds_create(&desc, &worlds), "create worlds");
    return worlds;
}

static carom_step step_of(const course *c)
{
    carom_step step = carom_step_default();
    for (uint32_t p = 0; p < carom_game_describe(c->game).players; p++) {
        step.players[p].source = CAROM_POLICY;
    }
    step.ticks = TICKS;
    return step;
}

static uint64_t digest_of(const carom_worlds *worlds)
{
    uint64_t digest = 0;
    must(carom_worlds_digest(worlds, &digest), "compute a digest");
    return digest;
}

/* Plays on, and returns the digest. */
static uint64_t play_on(const course *c, carom_worlds *worlds)
{
    const carom_step step = step_of(c);
    must(carom_worlds_play(worlds, &step), "play");
    return digest_of(worlds);
}

static const char *named(const course *c, const char *part)
{
    static char name[80];
    snprintf(name, sizeof name, "%s.f%d.%s", c->name, (int)c->precision, part);
    return name;
}

static void compare(const char *name, uint64_t is, uint64_t should_be)
{
    if (is != should_be) {
        differs(name, "loaded, it plays on to another state");
    }
}

static bool append(void *user, const void *bytes, size_t size)
{
    unsigned char *stream = (unsigned char *)user;
    size_t used;
    memcpy(&used, stream, sizeof used);
    if (size > ROOM - sizeof used - used) {
        return false;
    }
    memcpy(stream + sizeof used + used, bytes, size);
    used += size;
    memcpy(stream, &used, sizeof used);
    return true;
}

/* Records the ticks up to the save, and a note. */
static void exchange_replay(const course *c, carom_worlds *worlds)
{
    const carom_step step = step_of(c);
    carom_recorder_desc desc = carom_recorder_desc_default();
    carom_recorder *recorder;
    carom_replay *replay;
    carom_replay_difference difference;
    carom_problem problem = {""};
    unsigned char *stream = (unsigned char *)take(ROOM); /* its length, and its bytes */
    const carom_replay_note note = {.kind = CAROM_NOTE_MESSAGE, .world = WORLDS - 1, .text = "half-way", .length = 8};
    desc.options = c->options;
    desc.keyframe_ticks = TICKS / 4;
    desc.write = append;
    desc.user = stream;
    must(carom_recorder_create(worlds, &desc, &recorder, NULL), "record");
    must(carom_recorder_play(recorder, worlds, &step), "record");
    must(carom_recorder_note(recorder, &note), "record a note");
    must(carom_recorder_end(recorder), "record");
    carom_recorder_destroy(recorder);

    size_t size;
    memcpy(&size, stream, sizeof size);
    const void *bytes = exchange(named(c, "replay"), stream + sizeof size, size);
    if (carom_replay_open(bytes, size, &replay, &problem) != CAROM_OK) {
        differs(named(c, "replay"), problem.text);
    } else {
        must(carom_replay_verify(replay, CAROM_ISA_DEFAULT, 1, NULL, NULL, &difference), "verify a replay");
        if (difference.found || !carom_replay_describe(replay).whole) {
            differs(named(c, "replay"), "it plays to other states");
        }
        carom_replay_close(replay);
    }
    free(stream);
}

static void exchange_worlds(const course *c)
{
    carom_worlds *worlds = make(c), *loaded = make(c);
    const size_t each = carom_worlds_record_size(worlds);
    exchange_replay(c, worlds);

    /* One world has a seed that is not the batch's. */
    const uint8_t mask[WORLDS] = {0, 1};
    const uint64_t ids[WORLDS] = {0, 77}, seeds[WORLDS] = {0, 78};
    must(carom_worlds_restart(worlds, mask, ids, seeds), "restart");
    const size_t size = carom_worlds_save_size(worlds);
    unsigned char *save = (unsigned char *)take(size), *records = (unsigned char *)take(WORLDS * each);
    must(carom_worlds_save(worlds, save, size), "save worlds");
    must(carom_worlds_get_records(worlds, NULL, WORLDS, records, WORLDS * each), "get records");
    const void *other_save = exchange(named(c, "save"), save, size);
    const void *other_records = exchange(named(c, "records"), records, WORLDS * each);
    const uint64_t end = play_on(c, worlds);

    must(carom_worlds_load(loaded, other_save, size), "load worlds");
    compare(named(c, "save"), play_on(c, loaded), end);
    must(carom_worlds_load(loaded, save, size), "load worlds");
    must(carom_worlds_set_records(loaded, NULL, WORLDS, other_records, WORLDS * each), "set records");
    compare(named(c, "records"), play_on(c, loaded), end);
    carom_worlds_destroy(worlds);
    carom_worlds_destroy(loaded);
    free(save);
    free(records);
}

static void exchange_games(carom_precision precision)
{
    static const int32_t places[][2] = {{3000, 2000}, {13000, 7000}, {9000, 1500}};
    static const int64_t starts[] = {1, -2, 3};
    static const uint64_t map_seed = 9;
    const carom_csb_map map = {places, sizeof places / sizeof places[0], 3};
    carom_csb_options own = carom_csb_options_default(), drawn = own;
    carom_fall_options fall = carom_fall_options_default();
    carom_fantastic_bits_options bits = carom_fantastic_bits_options_default();
    carom_fall_body bodies[8];
    own.maps = &map;
    own.map_count = 1;
    drawn.map_count = 4;
    drawn.map_seed = &map_seed;
    fall.body_count = carom_fall_box(bodies);
    fall.bodies = bodies;
    fall.scatter = 0.75;
    bits.seeds = starts;
    bits.seed_count = sizeof starts / sizeof starts[0];
    const carom_soccer_options soccer = carom_soccer_options_default();
    const carom_stones_options stones = carom_stones_options_default();
    const course courses[] = {
        {"csb", carom_game_find("csb"), &own, precision},
        {"csb_drawn", carom_game_find("csb"), &drawn, precision},
        {"fall", carom_game_find("fall"), &fall, precision},
        {"fantastic_bits", carom_game_find("fantastic_bits"), &bits, precision},
        {"soccer", carom_game_find("soccer"), &soccer, precision},
        {"stones", carom_game_find("stones"), &stones, precision},
    };
    for (size_t k = 0; k < sizeof courses / sizeof courses[0]; k++) {
        exchange_worlds(&courses[k]);
    }
}

static carom_scene *make_scene(void)
{
    carom_scene_body bodies[6];
    const carom_scene_wall wall = {.ax = 3, .ay = 0, .bx = 4, .by = 2, .restitution = 0.75};
    carom_scene *scene;
    for (unsigned k = 0; k < 6; k++) {
        bodies[k] = carom_scene_body_default();
        bodies[k].x = 1 + 1.5 * k;
        bodies[k].y = 4;
        bodies[k].radius = 0.25;
        bodies[k].radius_spread = 0.0625;
        bodies[k].vx_spread = bodies[k].vy_spread = 4;
        bodies[k].acts = k == 0;
    }
    carom_scene_desc desc = carom_scene_desc_default();
    desc.bodies = bodies;
    desc.body_count = 6;
    desc.walls = &wall;
    desc.wall_count = 1;
    desc.box = (carom_scene_box){
        .x1 = 11, .y1 = 9, .horizontal = CAROM_SIDES_SOLID, .vertical = CAROM_SIDES_SOLID, .restitution = 0.9375};
    desc.dt = 0.0625;
    desc.advance = CAROM_OWN_CLOCK; /* records of bodies outlive ticks */
    desc.varies = CAROM_VARIES_RADIUS;
    desc.last_tick = 100;
    must(carom_scene_create(&desc, &scene, NULL), "make a scene");
    return scene;
}

/* ---- the rest ---- */

static void exchange_search(void)
{
    const course c = {"csb", carom_game_find("csb"), NULL, CAROM_F64};
    carom_worlds *roots = make(&c);
    carom_search_desc desc = carom_search_desc_default(c.game);
    carom_search *search, *loaded;
    float plan[2][WORLDS * 64];
    desc.sequences = 16;
    desc.rollouts = 64;
    desc.horizon = 4;
    must(carom_search_create(roots, &desc, &search), "create a search");
    must(carom_search_create(roots, &desc, &loaded), "create a search");
    must(carom_search_run(search, roots), "search");

    const size_t size = carom_search_save_size(search, WORLDS);
    void *save = take(size);
    must(carom_search_save(search, 0, WORLDS, save, size), "save a search");
    must(carom_search_load(loaded, 0, exchange("search.save", save, size), size, NULL), "load a search");
    memset(plan, 0, sizeof plan);
    must(carom_search_run(search, roots), "search");
    must(carom_search_run(loaded, roots), "search");
    must(carom_search_plan(search, 0, plan[0]), "get a plan");
    must(carom_search_plan(loaded, 0, plan[1]), "get a plan");
    if (memcmp(plan[0], plan[1], sizeof plan[0]) != 0) {
        differs("search.save", "loaded, it finds another plan");
    }
    carom_search_destroy(search);
    carom_search_destroy(loaded);
    carom_worlds_destroy(roots);
    free(save);
}

static carom_gas *make_gas(carom_precision precision)
{
    carom_gas_desc desc = carom_gas_desc_default();
    carom_gas *gas;
    desc.bodies = 100;
    desc.precision = precision;
    must(carom_gas_create(&desc, &gas), "create a gas");
    return gas;
}

static void exchange_gas(carom_precision precision)
{
    const char *name = precision == CAROM_F32 ? "gas.f32.save" : "gas.f64.save";
    carom_gas *gas = make_gas(precision), *loaded = make_gas(precision);
    must(carom_gas_run(gas, CAROM_GAS_EPOCH, NULL, NULL), "run a gas");
    const size_t size = carom_gas_save_size(gas);
    void *save = take(size);
    must(carom_gas_save(gas, save, size), "save a gas");
    must(carom_gas_load(loaded, exchange(name, save, size), size), "load a gas");
    must(carom_gas_run(gas, CAROM_GAS_EPOCH, NULL, NULL), "run a gas");
    must(carom_gas_run(loaded, CAROM_GAS_EPOCH, NULL, NULL), "run a gas");
    compare(name, carom_gas_digest(loaded), carom_gas_digest(gas));
    carom_gas_destroy(gas);
    carom_gas_destroy(loaded);
    free(save);
}

static carom_lab *make_lab(void)
{
    carom_lab_desc desc = carom_lab_desc_default();
    carom_lab *lab;
    carom_problem problem;
    desc.bodies = 20;
    desc.packing = 0.25;
    desc.aspect = 2; /* a scene, not a gas */
    desc.start = CAROM_LAB_GROWN;
    if (carom_lab_create(&desc, &lab, &problem) != CAROM_OK) {
        die("exchange: a laboratory: %s", problem.text);
    }
    return lab;
}

static void exchange_lab(void)
{
    carom_lab *lab = make_lab(), *loaded = make_lab();
    must(carom_lab_run(lab, 2, NULL, NULL), "run a laboratory");
    const size_t size = carom_lab_save_size(lab);
    void *save = take(size);
    must(carom_lab_save(lab, save, size), "save a laboratory");
    must(carom_lab_load(loaded, exchange("lab.save", save, size), size), "load a laboratory");
    must(carom_lab_run(lab, 2, NULL, NULL), "run a laboratory");
    must(carom_lab_run(loaded, 2, NULL, NULL), "run a laboratory");
    compare("lab.save", carom_lab_digest(loaded), carom_lab_digest(lab));
    carom_lab_destroy(lab);
    carom_lab_destroy(loaded);
    free(save);
}

/* Its text, with the digest of the transitions of its only block. */
static void exchange_recipe(const char *game, carom_precision precision)
{
    carom_recipe_desc desc = carom_recipe_desc_default(carom_game_find(game));
    carom_recipe *recipe;
    char text[CAROM_RECIPE_BYTES], name[80];
    uint64_t digest;
    size_t length;
    desc.worlds = 20;
    desc.ticks = TICKS;
    desc.precision = precision;
    desc.blocks = 1;
    must(carom_recipe_create(&desc, &recipe, NULL), "create a recipe");
    must(carom_recipe_play(recipe, 0, NULL, &digest), "play a recipe");
    must(carom_recipe_set_digest(recipe, 0, digest), "set a digest");
    must(carom_recipe_write(recipe, text, &length), "write a recipe");
    carom_recipe_destroy(recipe);

    snprintf(name, sizeof name, "%s.f%d.recipe", game, (int)precision);
    must(carom_recipe_parse((const char *)exchange(name, text, length), length, &recipe, NULL), "read a recipe");
    carom_recipe_destroy(recipe);
}

static void exchange_all(void)
{
    carom_scene *scene = make_scene();
    const carom_precision precisions[] = {CAROM_F32, CAROM_F64};
    for (int k = 0; k < 2; k++) {
        const course of_scene = {"scene", carom_scene_game(scene), NULL, precisions[k]};
        exchange_games(precisions[k]);
        exchange_worlds(&of_scene);
        exchange_gas(precisions[k]);
        exchange_recipe("csb", precisions[k]);
        exchange_recipe("soccer", precisions[k]);
    }
    exchange_search();
    exchange_lab();
    carom_scene_destroy(scene);
}

/* ---- the program ---- */

static FILE *open_file(const char *path, const char *mode)
{
    FILE *file = fopen(path, mode);
    if (file == NULL) {
        die("exchange: cannot open '%s'", path);
    }
    return file;
}

int main(int count, char **arguments)
{
    const bool writes = count == 3 && strcmp(arguments[1], "write") == 0;
    if (!writes && (count != 3 || strcmp(arguments[1], "check") != 0)) {
        die("usage: exchange write FILE | exchange check FILE");
    }
    mine = (unsigned char *)take(ROOM);
    if (!writes) {
        FILE *file = open_file(arguments[2], "rb");
        theirs = (unsigned char *)take(ROOM);
        their_size = fread(theirs, 1, ROOM, file);
        fclose(file);
    }
    exchange_all();
    if (writes) {
        FILE *file = open_file(arguments[2], "wb");
        const bool written = fwrite(mine, 1, my_size, file) == my_size;
        if (fclose(file) != 0 || !written) {
            die("exchange: cannot write '%s'", arguments[2]);
        }
    } else if (read_to != their_size) {
        differs(arguments[2], "it has more parts than this machine writes");
    }
    printf("%u parts, %u different\n", parts, different);
    return different == 0 ? 0 : 1;
}
