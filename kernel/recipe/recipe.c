/* SPDX-License-Identifier: MIT
 * Making recipes: their parts are checked once, by making one of their worlds.
 */
#include "recipe/recipe.h"

#include <stdlib.h>

#include "base/problem.h"
#include "games/game.h"

carom_recipe_desc carom_recipe_desc_default(const carom_game *game)
{
    carom_recipe_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.size = sizeof desc;
    desc.game = game;
    desc.worlds = desc.ticks = 1;
    desc.precision = CAROM_F64;
    desc.at_end = CAROM_RESET;
    for (uint32_t p = 0; game != NULL && p < game->info.players; p++) {
        desc.players[p] = game->info.policies > 0 ? carom_game_policy_name(game, 0) : "zero";
    }
    return desc;
}

void carom_recipe_destroy(carom_recipe *recipe)
{
    if (recipe != NULL) {
        carom_replay_drop_options(&recipe->options);
        carom_scene_destroy(recipe->scene);
        free(recipe->scene_text);
        free(recipe);
    }
}

/* ---- its parts ---- */

/* Copies the options, with everything that they point to. */
static carom_status copy_options(carom_recipe *r, const carom_recipe_desc *desc, carom_problem *problem)
{
    if (desc->options == NULL) {
        return CAROM_OK;
    }
    carom_worlds_desc worlds = carom_worlds_desc_default(desc->game);
    worlds.options = desc->options;
    worlds.precision = desc->precision;
    carom_status status = carom_game_check_options(&worlds, problem);
    if (status != CAROM_OK) {
        return status;
    }

    const game_options *about = desc->game->options;
    for (size_t k = 0; k < about->count; k++) {
        const carom_option *option = &about->table[k];
        const void *list = NULL;
        if (option->type == CAROM_OPTION_LIST) {
            memcpy((void *)&list, (const unsigned char *)desc->options + option->offset, sizeof list);
        }
        if (list != NULL) {
            return carom_wrong(problem, CAROM_ERROR_UNSUPPORTED, "%s: a list, which a recipe does not hold",
                               option->name);
        }
    }

    /* Write them, and read them back. */
    replay_buffer bytes = {NULL, 0, 0, false};
    replay_options scratch;
    memset(&scratch, 0, sizeof scratch);
    replay_walk out = {&bytes, NULL, 0, false};
    bool good = carom_replay_code_options(&out, desc->game, desc->options, &scratch);
    carom_replay_drop_options(&scratch);
    if (good && out.failed && !bytes.failed) {
        free(bytes.bytes);
        return carom_wrong(problem, CAROM_ERROR_UNSUPPORTED, "a recipe holds at most %d drawn maps", CAROM_REPLAY_MAPS);
    }
    good = good && !out.failed;
    replay_walk in = {NULL, bytes.bytes, bytes.size, false};
    good = good && carom_replay_code_options(&in, desc->game, NULL, &r->options) && !in.failed;
    free(bytes.bytes);
    r->desc.options = r->options.bytes;
    return good ? CAROM_OK : CAROM_ERROR_MEMORY;
}

/* Checks the numbers and the kinds. */
static carom_status check_numbers(const carom_recipe_desc *desc, carom_problem *problem)
{
    const carom_game_info *info = &desc->game->info;
    const uint64_t most = desc->worlds < CAROM_RECIPE_BLOCKS ? desc->worlds : CAROM_RECIPE_BLOCKS;
    const char *wrong = desc->worlds < 1 || desc->worlds > INT64_MAX                      ? "the number of worlds"
                        : desc->ticks < 1 || desc->ticks > INT64_MAX                      ? "the number of ticks"
                        : desc->precision != CAROM_F32 && desc->precision != CAROM_F64    ? "the precision"
                        : (unsigned)desc->at_end > CAROM_RESET                            ? "what happens at the end"
                        : desc->action_kind >= info->action_kinds                         ? "the kind of action"
                        : carom_game_seen(desc->game, desc->observation_kind).agents == 0 ? "the kind of observation"
                        : carom_game_rewarded(desc->game, desc->reward_kind) == 0         ? "the kind of reward"
                        : desc->blocks > most                                             ? "the number of blocks"
                                                                                          : NULL;
    return wrong == NULL ? CAROM_OK : carom_wrong(problem, CAROM_ERROR_ARGUMENT, "%s is out of range", wrong);
}

carom_status carom_recipe_worlds(const carom_recipe *r, size_t count, const carom_recipe_how *how,
                                 carom_worlds **worlds)
{
    carom_worlds_desc desc = carom_worlds_desc_default(r->desc.game);
    desc.options = r->desc.options;
    desc.count = count;
    desc.precision = r->desc.precision;
    desc.isa = how->isa;
    desc.threads = how->threads;
    desc.affinity = how->affinity;
    desc.affinity_count = how->affinity_count;
    desc.seed = r->desc.seed;
    desc.at_end = r->desc.at_end;
    return carom_worlds_create(&desc, worlds);
}

/* Makes one world, and a search for each planner. */
static carom_status try_worlds(carom_recipe *r, carom_problem *problem)
{
    carom_recipe_how how = carom_recipe_how_default();
    how.threads = 1;
    carom_worlds *one = NULL;
    carom_status status = carom_recipe_worlds(r, 1, &how, &one);
    if (status != CAROM_OK) {
        return carom_wrong(problem, status, "%s in this precision cannot be made: %s", r->desc.game->info.name,
                           carom_status_string(status));
    }
    r->content = one->content;
    for (unsigned p = 0; p < r->desc.game->info.players && status == CAROM_OK; p++) {
        carom_search *search = NULL;
        if (r->players[p].said.source == CAROM_GIVEN) {
            const carom_search_desc desc = carom_plan_search(&r->players[p].said.plan, r->desc.game, p);
            status = carom_search_create(one, &desc, &search);
            carom_search_destroy(search);
        }
        if (status != CAROM_OK) {
            carom_wrong(problem, status, "player %u: the planner's keys are out of range: %s", p,
                        carom_status_string(status));
        }
    }
    carom_worlds_destroy(one);
    return status;
}

/* Finds the number of blocks: as many as fit. */
static carom_status choose_blocks(carom_recipe *r, size_t wanted, carom_problem *problem)
{
    const uint64_t worlds = r->desc.worlds;
    char text[CAROM_RECIPE_BYTES];
    size_t length;
    r->desc.blocks = wanted != 0 ? wanted : worlds < CAROM_RECIPE_BLOCKS ? (size_t)worlds : CAROM_RECIPE_BLOCKS;
    carom_status status = carom_recipe_write(r, text, &length);
    while (status == CAROM_ERROR_SIZE && wanted == 0 && r->desc.blocks > 1) {
        r->desc.blocks /= 2;
        status = carom_recipe_write(r, text, &length);
    }
    return status == CAROM_OK
               ? status
               : carom_wrong(problem, status, "the recipe would be longer than %d bytes%s", CAROM_RECIPE_BYTES,
                             r->scene_text != NULL ? ": the scene is too large" : "");
}

carom_status carom_recipe_make(const carom_recipe_desc *desc, carom_scene *scene, char *scene_text,
                               carom_recipe **recipe, carom_problem *problem)
{
    carom_recipe *r = (carom_recipe *)calloc(1, sizeof *r);
    if (r == NULL) {
        free(scene_text);
        carom_scene_destroy(scene);
        return CAROM_ERROR_MEMORY;
    }
    r->scene = scene;
    r->scene_text = scene_text;
    r->desc = *desc;
    r->desc.options = NULL;
    r->desc.scene = scene_text;

    carom_status status = check_numbers(desc, problem);
    status = status == CAROM_OK ? copy_options(r, desc, problem) : status;
    for (unsigned p = 0; p < CAROM_MAX_PLAYERS; p++) {
        const bool there = p < desc->game->info.players;
        r->desc.players[p] = there ? r->players[p].text : NULL;
        if (there && status == CAROM_OK) {
            status = desc->players[p] != NULL
                         ? carom_recipe_read_player(r, p, desc->players[p], problem)
                         : carom_wrong(problem, CAROM_ERROR_ARGUMENT, "player %u: no player is given", p);
        }
    }
    status = status == CAROM_OK ? try_worlds(r, problem) : status;
    status = status == CAROM_OK ? choose_blocks(r, desc->blocks, problem) : status;
    if (status != CAROM_OK) {
        carom_recipe_destroy(r);
        return status;
    }
    *recipe = r;
    return CAROM_OK;
}

/* Removes the white space between the parts of a JSON text. */
static void into_one_line(char *text)
{
    char *to = text;
    bool inside = false; /* a string */
    for (const char *at = text; *at != '\0'; at++) {
        if (inside && *at == '\\' && at[1] != '\0') {
            *to++ = *at++;
        } else if (*at == '"') {
            inside = !inside;
        } else if (!inside && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) {
            continue;
        }
        *to++ = *at;
    }
    *to = '\0';
}

carom_status carom_recipe_create(const carom_recipe_desc *desc, carom_recipe **recipe, carom_problem *problem)
{
    carom_wrong(problem, CAROM_OK, "%s", "");
    if (recipe != NULL) {
        *recipe = NULL;
    }
    if (desc == NULL || recipe == NULL || desc->size != sizeof *desc || desc->game == NULL) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "no game, or an invalid descriptor");
    }

    replay_buffer scene = {NULL, 0, 0, false};
    if (carom_replay_is_scene(desc->game)) {
        const carom_status status = carom_replay_append_scene(&scene, desc->game, desc->scene, problem);
        carom_replay_append(&scene, "", 1);
        if (status != CAROM_OK || scene.failed) {
            free(scene.bytes);
            return status != CAROM_OK ? status : CAROM_ERROR_MEMORY;
        }
        into_one_line((char *)scene.bytes);
    }
    return carom_recipe_make(desc, NULL, (char *)scene.bytes, recipe, problem);
}

carom_recipe_desc carom_recipe_describe(const carom_recipe *recipe)
{
    return recipe != NULL ? recipe->desc : carom_recipe_desc_default(NULL);
}

/* ---- blocks ---- */

carom_status carom_recipe_block(const carom_recipe *recipe, size_t block, uint64_t *first_world, uint64_t *worlds)
{
    if (recipe == NULL || first_world == NULL || worlds == NULL || block >= recipe->desc.blocks) {
        return CAROM_ERROR_ARGUMENT;
    }
    /* As equal as possible: the first ones have one more. */
    const uint64_t each = recipe->desc.worlds / recipe->desc.blocks, more = recipe->desc.worlds % recipe->desc.blocks;
    *first_world = block * each + (block < more ? block : more);
    *worlds = each + (block < more);
    return CAROM_OK;
}

carom_status carom_recipe_digest(const carom_recipe *recipe, size_t block, uint64_t *digest)
{
    if (recipe == NULL || digest == NULL || block >= recipe->desc.blocks) {
        return CAROM_ERROR_ARGUMENT;
    }
    if (!recipe->known[block]) {
        return CAROM_ERROR_VALUE;
    }
    *digest = recipe->digests[block];
    return CAROM_OK;
}

carom_status carom_recipe_set_digest(carom_recipe *recipe, size_t block, uint64_t digest)
{
    if (recipe == NULL || block >= recipe->desc.blocks) {
        return CAROM_ERROR_ARGUMENT;
    }
    recipe->digests[block] = digest;
    recipe->known[block] = true;
    return CAROM_OK;
}
