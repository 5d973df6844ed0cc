/* SPDX-License-Identifier: MIT
 * Plug-in games. Their tables are checked before anything uses them, since they come from other people's builds.
 * Adopted games stay in a list that only grows, so that any thread can read it and add to it without a lock.
 */
#include "games/entry.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fpenv.h"
#include "base/problem.h"
#include "games/look.h"
#include "games/shared_object.h"
#include "worlds/layout.h"

#define MOST_NUMBERS 256 /* numbers of an action of one player, and options */
#define MOST_RAYS 64     /* of a body */
#define MOST_SEEN 65536  /* numbers that a player sees, and other counts */

/* A plug-in game. Never freed: callers hold pointers to `game`. */
typedef struct outsider {
    carom_game game;                 /* a copy of the entry's, with the library's own functions for its contexts */
    const carom_kit_entry *entry;    /* in the plug-in, which stays loaded */
    _Atomic(struct outsider *) next; /* set once, from NULL */
} outsider;

static _Atomic(outsider *) outsiders; /* the head of the list */

/* ---- the list ---- */

const carom_game *carom_game_outside(size_t index)
{
    const outsider *at = atomic_load(&outsiders);
    for (; at != NULL && index > 0; index--) {
        at = atomic_load(&at->next);
    }
    return at != NULL ? &at->game : NULL;
}

const carom_kit_entry *carom_game_entry_of(const carom_game *game)
{
    for (const outsider *at = atomic_load(&outsiders); at != NULL; at = atomic_load(&at->next)) {
        if (&at->game == game) {
            return at->entry;
        }
    }
    return NULL;
}

/* Appends a game unless its entry is already in the list. Returns the game in the list that has this entry, or NULL if
 * another game has the same name. */
static outsider *add(outsider *made)
{
    _Atomic(outsider *) *place = &outsiders;

    /* Try to append at every position from the first on. The exchange succeeds only at the end of the list; elsewhere,
     * and if another thread appends first, `there` receives the game at this position. */
    for (;;) {
        outsider *there = NULL;
        if (atomic_compare_exchange_strong(place, &there, made)) {
            return made;
        }
        if (there->entry == made->entry) {
            return there;
        }
        if (strcmp(there->game.info.name, made->game.info.name) == 0) {
            return NULL;
        }
        place = &there->next;
    }
}

/* ---- is it valid, and of this version? ---- */

/* Was the plug-in compiled from the headers of this version? Only then can its other tables be read. */
static carom_status check_version(const carom_kit_entry *entry, carom_problem *problem)
{
    static const size_t sizes[] = {KIT_STRUCTURES(KIT_SIZE)};
    if (entry->version != KIT_VERSION) {
        return carom_wrong(
            problem, CAROM_ERROR_FORMAT, "the game was built with version %u.%u.%u of the kit, and this is Carom %s",
            entry->version / 1000000, entry->version / 1000 % 1000, entry->version % 1000, carom_version());
    }

    bool same = entry->bytes == sizeof *entry && entry->layout == KIT_LAYOUT;
    for (size_t k = 0; same && k < sizeof entry->sizes / sizeof entry->sizes[0]; k++) {
        same = entry->sizes[k] == (k < KIT_SIZES ? sizes[k] : 0);
    }
    return same ? CAROM_OK
                : carom_wrong(problem, CAROM_ERROR_FORMAT,
                              "the game was built with other headers of the kit than this library");
}

/* At most 63 lower-case letters, digits and _, starting with a letter: such names are never paths, and need no
 * quotes. */
static bool is_name(const char *name)
{
    size_t length = 0;
    if (name == NULL || name[0] < 'a' || name[0] > 'z') {
        return false;
    }
    for (; name[length] != '\0'; length++) {
        const char c = name[length];
        if (length == 63 || !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) {
            return false;
        }
    }
    return true;
}

/* Checks the game's name, title, counts and functions. */
static carom_status check_counts(const carom_game *game, carom_problem *problem)
{
    const carom_game_info *info = &game->info;
    if (!is_name(info->name) || game->type.name == NULL || strcmp(game->type.name, info->name) != 0) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT,
                           "the game's name may only have lower-case letters, digits and _");
    }

    if (info->title == NULL || info->title[0] == '\0') {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "%s has no title", info->name);
    }

    if (info->players < 1 || info->players > CAROM_MAX_PLAYERS) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "%s has %u players: there may be 1 to %d", info->name,
                           info->players, CAROM_MAX_PLAYERS);
    }
    if (info->observation_size > MOST_SEEN || info->bodies > MOST_SEEN) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "%s: more than %d numbers in an observation, or bodies",
                           info->name, MOST_SEEN);
    }
    if (game->agents > MOST_SEEN) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "%s: a player has more than %d bodies", info->name, MOST_SEEN);
    }

    for (size_t k = 0; k < sizeof game->reserved / sizeof game->reserved[0]; k++) {
        if (game->reserved[k] != NULL) {
            return carom_wrong(problem, CAROM_ERROR_FORMAT,
                               "%s uses a part of its table that this version does not know", info->name);
        }
    }

    if (game->type.context_bytes == NULL || game->type.context_create == NULL || game->type.context_destroy == NULL ||
        game->type.context_hash == NULL || game->kernel == NULL || game->policy == NULL) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "%s lacks one of the functions of a game", info->name);
    }
    return CAROM_OK;
}

/* A block's owners: none, or rays. */
static bool are_owners_sound(const observation_block *block)
{
    bool sound = block->owners != NULL ? block->owner_count <= MOST_RAYS : block->owner_count == 1;
    for (uint32_t k = 0; sound && block->owners != NULL && k < block->owner_count; k++) {
        sound = is_name(block->owners[k]);
    }
    return sound;
}

/* Does a kind of observation have as many numbers as it claims, all with names and ranges? Pieces, which only games of
 * the library have, must be absent. */
static bool seen_is_sound(const carom_game *game, const observation_kind *seen)
{
    const carom_observation_kind *kind = &seen->kind;
    size_t numbers = 0;
    bool sound = is_name(kind->name) && kind->agents >= 1 && kind->agents <= MOST_SEEN && kind->size <= MOST_SEEN &&
                 (size_t)game->info.players * kind->agents * kind->size <= MOST_SEEN && seen->pieces == NULL &&
                 (seen->blocks != NULL || seen->block_count == 0) && seen->block_count <= MOST_SEEN;
    for (uint32_t b = 0; sound && b < seen->block_count; b++) {
        const observation_block *block = &seen->blocks[b];
        sound = are_owners_sound(block) && block->numbers != NULL && block->count <= MOST_SEEN;
        for (uint32_t k = 0; sound && k < block->count; k++) {
            sound = is_name(block->numbers[k].name) && block->numbers[k].unit != NULL &&
                    block->numbers[k].low <= block->numbers[k].high;
        }
        numbers += (size_t)block->owner_count * block->count;
    }
    return sound && numbers == kind->size;
}

/* Checks the kinds of observation: first `raw`, with one agent a player; then, if the game has them, `ego` and `lidar`,
 * with one agent a body. */
static carom_status check_seen(const carom_game *game, carom_problem *problem)
{
    static const char *const names[] = {"raw", "ego", "lidar"};
    const observation_kind *seen = game->observations;
    const uint32_t kinds = game->info.observation_kinds;
    bool sound = seen != NULL && kinds >= 1 && kinds <= 3;
    for (uint32_t k = 0; sound && k < kinds; k++) {
        const uint32_t view = seen[k].view;
        sound = seen_is_sound(game, &seen[k]) && !seen[k].shared && view < 3 &&
                (k > 0 ? view > seen[k - 1].view : view == 0) && strcmp(seen[k].kind.name, names[view]) == 0 &&
                seen[k].kind.agents == (k > 0 ? game->agents : 1);
    }
    sound = sound && seen[0].kind.size == game->info.observation_size;
    return sound ? CAROM_OK
                 : carom_wrong(problem, CAROM_ERROR_FORMAT, "%s: a number of an observation has a bad name or range",
                               game->info.name);
}

/* Checks the kinds of final value: at most 16, none with the name of the one that every game has. */
static carom_status check_values(const carom_game *game, carom_problem *problem)
{
    bool sound = game->value_kinds <= 16 && (game->values != NULL || game->value_kinds == 0);
    for (size_t v = 0; sound && v < game->value_kinds; v++) {
        const game_value *value = &game->values[v];
        sound = is_name(value->name) && strcmp(value->name, "game") != 0 && value->weights != NULL &&
                value->count <= GAME_MOST_WEIGHTS;
        for (size_t k = 0; sound && k < value->count; k++) {
            sound = is_name(value->weights[k].name);
        }
    }
    return sound
               ? CAROM_OK
               : carom_wrong(problem, CAROM_ERROR_FORMAT, "%s: a final value has a bad name or list", game->info.name);
}

/* Policies in lanes must exist for every instruction set that this machine can use, and their actions must fit their
 * buffer. */
static carom_status check_lane_policies(const carom_game *game, carom_problem *problem)
{
    const char *name = game->info.name;
    for (int isa = CAROM_ISA_SCALAR; game->lane_policies != NULL && isa < CAROM_ISA_COUNT; isa++) {
        const policy_kernel *kernel = game->lane_policies[isa];
        const bool wanted = isa == CAROM_ISA_SCALAR || carom_isa_usable((carom_isa)isa);
        if (kernel != NULL ? kernel->act == NULL : wanted) {
            return carom_wrong(problem, CAROM_ERROR_FORMAT, "%s: its policies are not built for %s", name,
                               carom_isa_name((carom_isa)isa));
        }
    }

    for (size_t k = 0; game->lane_policies != NULL && k < game->info.action_kinds; k++) {
        if (game->kinds[k].size * game->info.players > GAME_LANE_NUMBERS) {
            return carom_wrong(problem, CAROM_ERROR_FORMAT, "%s: policies in lanes give at most %d numbers", name,
                               GAME_LANE_NUMBERS);
        }
    }
    return CAROM_OK;
}

/* Checks how the game is drawn, if it has a table for it: complete lists, and a view with an area. */
static carom_status check_look(const carom_game *game, carom_problem *problem)
{
    const game_look *look = game->look;
    if (look == NULL) {
        return CAROM_OK;
    }

    bool sound = look->group_count <= MOST_SEEN && look->number_count <= MOST_SEEN &&
                 (look->groups != NULL || look->group_count == 0) && (look->numbers != NULL || look->number_count == 0);
    for (uint32_t g = 0; sound && g < look->group_count; g++) {
        sound = look->groups[g].name != NULL && (look->groups[g].count != 0 || look->bodies != NULL) &&
                look->groups[g].count <= MOST_SEEN;
    }
    for (uint32_t k = 0; sound && k < look->number_count; k++) {
        sound = look->numbers[k].name != NULL;
    }
    sound = sound && (look->view_of != NULL || (look->view.x0 < look->view.x1 && look->view.y0 < look->view.y1));

    return sound ? CAROM_OK
                 : carom_wrong(problem, CAROM_ERROR_FORMAT, "%s: its table for drawing is incomplete", game->info.name);
}

/* Checks the policies and the kinds of action, one of which must be `normalised` of F32: the default of rollouts and
 * searches. */
static carom_status check_kinds(const carom_game *game, carom_problem *problem)
{
    const char *name = game->info.name;
    bool normalised = false;
    if (game->info.action_kinds < 1 || game->info.action_kinds > 4 || game->kinds == NULL) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "%s has %u kinds of action: there may be 1 to 4", name,
                           game->info.action_kinds);
    }

    for (size_t k = 0; k < game->info.action_kinds; k++) {
        const carom_action_kind *kind = &game->kinds[k];
        if (!is_name(kind->name) || (kind->precision != CAROM_F32 && kind->precision != CAROM_F64) ||
            kind->size > MOST_NUMBERS) {
            return carom_wrong(problem, CAROM_ERROR_FORMAT, "%s: kind of action %zu has a bad name, precision or size",
                               name, k);
        }
        for (size_t other = 0; other < k; other++) {
            if (strcmp(game->kinds[other].name, kind->name) == 0) {
                return carom_wrong(problem, CAROM_ERROR_FORMAT, "%s has the kind of action %s twice", name, kind->name);
            }
        }
        normalised = normalised || (strcmp(kind->name, "normalised") == 0 && kind->precision == CAROM_F32);
    }

    if (!normalised) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "%s has no kind of action `normalised` of F32", name);
    }

    if (game->info.policies < 1 || game->info.policies > 64 || game->policies == NULL) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "%s has %u policies: there may be 1 to 64", name,
                           game->info.policies);
    }
    for (size_t k = 0; k < game->info.policies; k++) {
        if (!is_name(game->policies[k])) {
            return carom_wrong(problem, CAROM_ERROR_FORMAT, "%s: policy %zu has a bad name", name, k);
        }
    }
    return CAROM_OK;
}

/* Is the default in a range that the option's type can store? */
static bool has_range(const carom_option *o)
{
    const bool ordered = o->low <= o->value && o->value <= o->high; /* false for NaN */
    return ordered && (o->type == CAROM_OPTION_NUMBER ||
                       (o->low >= 0 && o->high <= UINT32_MAX && o->value == (double)(uint32_t)o->value));
}

/* Checks the table of options: members within the structure, after its size, with defaults in their ranges, and no name
 * twice. Choices, presets, seeds and lists are for games of the library only. */
static carom_status check_options(const carom_game *game, carom_problem *problem)
{
    const game_options *about = game->options;
    if (about == NULL) {
        return CAROM_OK;
    }

    bool sound = about->count <= MOST_NUMBERS && about->table != NULL && about->bytes >= sizeof(size_t) &&
                 about->bytes <= MOST_SEEN;
    for (size_t k = 0; sound && k < about->count; k++) {
        const carom_option *o = &about->table[k];
        const size_t bytes = o->type == CAROM_OPTION_NUMBER ? sizeof(double) : sizeof(uint32_t);
        if (!is_name(o->name) || o->meaning == NULL || o->type > CAROM_OPTION_NUMBER || o->bytes != bytes ||
            o->offset < sizeof(size_t) || about->bytes < bytes || o->offset > about->bytes - bytes || !has_range(o)) {
            return carom_wrong(problem, CAROM_ERROR_FORMAT, "%s: option %zu has a bad name, type or default",
                               game->info.name, k);
        }
        for (size_t other = 0; other < k; other++) {
            sound = sound && strcmp(about->table[other].name, o->name) != 0;
        }
    }
    return sound ? CAROM_OK
                 : carom_wrong(problem, CAROM_ERROR_FORMAT, "%s has an option twice, or no list of them",
                               game->info.name);
}

/* Checks the table of fields: names that differ from each other and from the fields that every world has. */
static carom_status check_fields(const carom_game *game, carom_problem *problem)
{
    const world_type *type = &game->type;
    if (type->field_count > 4096 || (type->field_count > 0 && type->fields == NULL)) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "%s has no list of fields, or more than 4096", type->name);
    }

    for (size_t k = 0; k < type->field_count; k++) {
        const field_spec *field = &type->fields[k];
        if (!is_name(field->name) || field->type < CAROM_TYPE_REAL || field->type > CAROM_TYPE_INT8 ||
            field->role < CAROM_ROLE_STATE || field->role > CAROM_ROLE_DERIVED || field->count < 1 ||
            field->count > 1u << 20) {
            return carom_wrong(problem, CAROM_ERROR_FORMAT, "%s: field %zu has a bad name, type, role or count",
                               type->name, k);
        }
#define SAME_NAME(common, count, role) || strcmp(field->name, #common) == 0
        bool taken = false WORLD_INT32_FIELDS(SAME_NAME) WORLD_INT8_FIELDS(SAME_NAME);
#undef SAME_NAME
        for (size_t other = 0; other < k; other++) {
            taken = taken || strcmp(type->fields[other].name, field->name) == 0;
        }
        if (taken) {
            return carom_wrong(problem, CAROM_ERROR_FORMAT, "%s: there is already a field %s", type->name, field->name);
        }
    }
    return CAROM_OK;
}

/* Does a kernel, which has its tile as a C structure, find the fields where the library's layout of the table puts
 * them? */
static bool tile_fits(const kit_tile *tile, const world_layout *layout)
{
    bool fits = tile != NULL && tile->offsets != NULL && tile->bytes == layout->tile_bytes;
    for (size_t k = FIELD_COMMON; fits && k < layout->count; k++) {
        fits = tile->offsets[k - FIELD_COMMON] == layout->fields[k].offset;
    }
    return fits;
}

/* Checks the kernels of a precision: each complete and compiled for this layout, one for every instruction set that
 * this machine can use. */
static carom_status check_kernels(const carom_kit_entry *entry, carom_precision precision, carom_problem *problem)
{
    const carom_game *game = entry->game;
    const char *name = game->info.name;
    world_layout layout;
    if (carom_layout_create(&game->type, precision, &layout) != CAROM_OK) {
        return CAROM_ERROR_MEMORY;
    }

    carom_status status = CAROM_OK;
    for (int isa = CAROM_ISA_SCALAR; status == CAROM_OK && isa < CAROM_ISA_COUNT; isa++) {
        const game_kernel *kernel = game->kernel((carom_isa)isa, precision);
        if (kernel == NULL) {
            if (isa == CAROM_ISA_SCALAR || carom_isa_usable((carom_isa)isa)) {
                status = carom_wrong(problem, CAROM_ERROR_FORMAT, "%s is not built for %s", name,
                                     carom_isa_name((carom_isa)isa));
            }
        } else if (kernel->worlds.start == NULL || kernel->worlds.check == NULL || kernel->worlds.derive == NULL ||
                   kernel->tick == NULL || kernel->observe == NULL || kernel->value == NULL) {
            status = carom_wrong(problem, CAROM_ERROR_FORMAT, "%s: its kernel for %s is incomplete", name,
                                 carom_isa_name((carom_isa)isa));
        } else if (!tile_fits(entry->tile((carom_isa)isa, precision), &layout)) {
            status = carom_wrong(problem, CAROM_ERROR_FORMAT,
                                 "%s: its list of fields does not fit the tiles of its kernel for %s, f%d", name,
                                 carom_isa_name((carom_isa)isa), (int)precision);
        }
    }

    carom_layout_destroy(&layout);
    return status;
}

/* ---- contexts ---- */

/* Creates the game's context. The game receives a complete structure of checked options, so that it need not handle
 * NULL or bad values. */
static carom_status make_context(const carom_game *game, const carom_worlds_desc *desc, void **context)
{
    carom_worlds_desc whole = *desc;
    void *options = game->options != NULL ? calloc(1, game->options->bytes) : NULL;
    carom_status status = game->options == NULL ? carom_game_check_options(desc, NULL)
                          : options == NULL     ? CAROM_ERROR_MEMORY
                                                : carom_options_read(desc, options);
    whole.options = options;
    status = status == CAROM_OK ? game->type.context_create(&whole, context) : status;
    free(options);
    return status;
}

/* world_type.context_bytes of adopted games. */
static size_t context_bytes(const carom_worlds_desc *desc)
{
    const carom_kit_entry *entry = carom_game_entry_of(desc->game);
    return carom_game_check_options(desc, NULL) == CAROM_OK ? entry->game->type.context_bytes(desc) : 0;
}

/* world_type.context_create of adopted games. */
static carom_status context_create(const carom_worlds_desc *desc, void **context)
{
    return make_context(carom_game_entry_of(desc->game)->game, desc, context);
}

carom_status carom_game_try(const carom_kit_entry *entry, const void *options, size_t worlds, size_t ticks,
                            carom_problem *problem)
{
    const carom_game *game = entry->game;
    carom_worlds_desc desc = carom_worlds_desc_default(game);
    desc.options = options;
    kit_trial trial = {.seed = 1, .ticks = ticks};
    void *context = NULL;
    carom_status status = make_context(game, &desc, &context);
    trial.context = context;

    /* The trial runs outside the thread pool, so set the floating-point environment here. */
    const fp_environment caller = fp_begin();
    for (trial.kind = 0; status == CAROM_OK && trial.kind < game->info.action_kinds; trial.kind++) {
        for (trial.policy = 0; status == CAROM_OK && trial.policy < game->info.policies; trial.policy++) {
            for (trial.id = 0; status == CAROM_OK && trial.id < worlds; trial.id++) {
                status = entry->trial(&trial, problem);
            }
        }
    }

    fp_end(caller);
    if (context != NULL) {
        game->type.context_destroy(context);
    }
    return status;
}

/* A short trial before a game is adopted; `carom check` runs longer ones. */
static carom_status check_trial(const carom_kit_entry *entry, carom_problem *problem)
{
    carom_problem why = {""};
    const carom_status status = carom_game_try(entry, NULL, 2, 16, &why);
    return status == CAROM_ERROR_FORMAT
               ? carom_wrong(problem, CAROM_ERROR_FORMAT, "%s: %s", entry->game->info.name, why.text)
               : status;
}

/* All checks of an entry, in an order in which each may rely on those before. */
static carom_status check_entry(const carom_kit_entry *entry, carom_problem *problem)
{
    carom_status status = check_version(entry, problem);
    if (status != CAROM_OK) {
        return status;
    }

    if (entry->game == NULL || entry->tile == NULL || entry->trial == NULL || entry->game->type.ops[0] == NULL ||
        entry->game->type.ops[1] == NULL) {
        return carom_wrong(problem, CAROM_ERROR_FORMAT, "the entry has no game");
    }

    status = check_counts(entry->game, problem);
    status = status == CAROM_OK ? check_kinds(entry->game, problem) : status;
    status = status == CAROM_OK ? check_options(entry->game, problem) : status;
    status = status == CAROM_OK ? check_fields(entry->game, problem) : status;
    status = status == CAROM_OK ? check_seen(entry->game, problem) : status;
    status = status == CAROM_OK ? check_values(entry->game, problem) : status;
    status = status == CAROM_OK ? check_lane_policies(entry->game, problem) : status;
    status = status == CAROM_OK ? check_look(entry->game, problem) : status;
    status = status == CAROM_OK ? check_kernels(entry, CAROM_F32, problem) : status;
    status = status == CAROM_OK ? check_kernels(entry, CAROM_F64, problem) : status;
    return status == CAROM_OK ? check_trial(entry, problem) : status;
}

/* ---- adopting and opening ---- */

/* The error for a name already in use. */
static carom_status refuse_name(const char *name, carom_problem *problem)
{
    carom_wrong(problem, CAROM_ERROR_FORMAT, "there is already a game named %s", name);
    return CAROM_ERROR_ARGUMENT;
}

carom_status carom_game_adopt(const carom_kit_entry *entry, const carom_game **game, carom_problem *problem)
{
    if (game != NULL) {
        *game = NULL;
    }
    if (problem != NULL) {
        problem->text[0] = '\0';
    }

    if (entry == NULL || game == NULL) {
        carom_wrong(problem, CAROM_ERROR_FORMAT, "no entry, or no pointer for the game");
        return CAROM_ERROR_ARGUMENT;
    }

    const carom_status status = check_entry(entry, problem);
    if (status != CAROM_OK) {
        return status;
    }

    const char *name = entry->game->info.name;
    if (carom_game_is_shipped(name)) {
        return refuse_name(name, problem);
    }

    /* Copy the game; functions of the library replace those for scratch and contexts. */
    outsider *made = malloc(sizeof *made);
    if (made == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    made->game = *entry->game;
    made->game.type.scratch_bytes = carom_game_scratch_bytes;
    made->game.type.context_bytes = context_bytes;
    made->game.type.context_create = context_create;
    made->entry = entry;
    atomic_init(&made->next, NULL);

    /* Another call may have adopted the same entry first: then return its game. */
    const outsider *added = add(made);
    if (added != made) {
        free(made);
    }
    if (added == NULL) {
        return refuse_name(name, problem);
    }
    *game = &added->game;
    return CAROM_OK;
}

carom_status carom_game_open(const char *path, const carom_game **game, carom_problem *problem)
{
    if (game != NULL) {
        *game = NULL;
    }
    if (problem != NULL) {
        problem->text[0] = '\0';
    }

    /* Without a slash the system would look for the file in its own folders. */
    if (path == NULL || game == NULL || strchr(path, '/') == NULL) {
        carom_wrong(problem, CAROM_ERROR_FORMAT, "the path of a game needs a slash, as in ./game.so");
        return CAROM_ERROR_ARGUMENT;
    }

    /* Adopt the entry of the shared object. From then on the object stays loaded. */
    carom_problem why = {""};
    void *object = NULL;
    carom_status status = carom_shared_object_open(path, &object, &why);
    if (status == CAROM_OK) {
        const void *entry = carom_shared_object_find(object, "carom_game_entry");
        status = entry != NULL
                     ? carom_game_adopt((const carom_kit_entry *)entry, game, &why)
                     : carom_wrong(&why, CAROM_ERROR_FORMAT, "there is no game in it: carom_game_entry is missing");
        if (status != CAROM_OK) {
            carom_shared_object_close(object);
        }
    }

    if (status != CAROM_OK && problem != NULL) {
        *problem = why;
    }
    return status;
}
