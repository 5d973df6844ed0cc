/* SPDX-License-Identifier: MIT
 * Recipes as text: changed and impossible recipes are refused.
 */
#include "recipe_test.h"

/* A recipe of small(), with its digests. */
static carom_recipe *made(void)
{
    const carom_recipe_desc desc = small();
    carom_recipe *recipe = create(&desc);
    for (size_t b = 0; b < 2; b++) {
        OK(carom_recipe_set_digest(recipe, b, play(recipe, b, CAROM_ISA_DEFAULT, 1)));
    }
    return recipe;
}

TEST(changed_texts)
{
    OWNED(carom_recipe) *recipe = made();
    const recipe_text text = write_text(recipe);
    assert_true(text.length < CAROM_RECIPE_BYTES);

    /* Each byte, changed in several ways; truncated anywhere; text appended. */
    for (size_t k = 0; k < text.length; k++) {
        static const unsigned char flips[] = {1, 2, 0x10, 0x20, 0x80, 0xff};
        for (size_t f = 0; f < sizeof flips; f++) {
            recipe_text other = text;
            other.bytes[k] = (char)((unsigned char)other.bytes[k] ^ flips[f]);
            refused(&other, CAROM_ERROR_FORMAT, k < strlen("carom recipe ") ? "not a recipe" : "damaged");
        }
        recipe_text cut = text;
        cut.length = k;
        refused(&cut, CAROM_ERROR_FORMAT, "recipe");
    }
    recipe_text longer = text;
    longer.bytes[longer.length++] = '\n';
    refused(&longer, CAROM_ERROR_FORMAT, "damaged");
    memset(longer.bytes + text.length, 'x', sizeof longer.bytes - text.length);
    longer.length = CAROM_RECIPE_BYTES + 1;
    refused(&longer, CAROM_ERROR_FORMAT, "at most 2048");

    /* With a correct checksum: another version, another game, or contents that Carom never writes. */
    static const struct {
        const char *what, *with;
        carom_status status;
        const char *why;
    } changes[] = {
        {"carom recipe 1", "carom recipe 2", CAROM_ERROR_UNSUPPORTED, "format 2"},
        {"version 0", "version 9", CAROM_ERROR_UNSUPPORTED, "made by Carom 9"},
        {"game csb", "game chess", CAROM_ERROR_UNSUPPORTED, "unknown game chess"},
        {"game csb", "game fall", CAROM_ERROR_FORMAT, ""},
        {"worlds 10", "worlds 010", CAROM_ERROR_FORMAT, "as Carom writes it"},
        {"worlds 10", "worlds 0", CAROM_ERROR_FORMAT, "number of worlds"},
        {"worlds 10", "worlds 18446744073709551626", CAROM_ERROR_FORMAT, "contradicts itself"},
        {"seed 0", "seed -1", CAROM_ERROR_FORMAT, "contradicts itself"},
        {"precision f64", "precision f65", CAROM_ERROR_FORMAT, "as Carom writes it"},
        {"precision f64", "precision f32", CAROM_ERROR_UNSUPPORTED, "another version of csb"},
        {"at-end reset", "at-end never", CAROM_ERROR_FORMAT, "as Carom writes it"},
        {"rewards game", "rewards x", CAROM_ERROR_FORMAT, "contradicts itself"},
        {"player race", "player nobody", CAROM_ERROR_FORMAT, "'nobody' is unknown"},
        {"player race", "player network:0123", CAROM_ERROR_UNSUPPORTED, "network"},
        {"blocks 2", "blocks 65", CAROM_ERROR_FORMAT, "number of blocks"},
        {"blocks 2", "blocks 3", CAROM_ERROR_FORMAT, "contradicts itself"},
        {"blocks 2", "blocks 1", CAROM_ERROR_FORMAT, "as Carom writes it"},
        {"worlds 10", "option tricks 10\nworlds 10", CAROM_ERROR_FORMAT, "no option 'tricks'"},
        {"worlds 10", "option ticks 0\nworlds 10", CAROM_ERROR_FORMAT, "ticks: 0"},
        {"worlds 10", "option ticks 5\nworlds 10", CAROM_ERROR_UNSUPPORTED, "another version of csb"},
    };
    for (size_t k = 0; k < sizeof changes / sizeof changes[0]; k++) {
        recipe_text other = text;
        replace(&other, changes[k].what, changes[k].with);
        refused(&other, changes[k].status, changes[k].why);
    }
}

/* Another player or another digest with the right checksum is a recipe: it differs when it is played, in its block. */
TEST(forged_digests)
{
    OWNED(carom_recipe) *recipe = made();
    const recipe_text text = write_text(recipe);
    uint64_t digests[2], found;
    char was[32], is[32];
    OK(carom_recipe_digest(recipe, 0, &digests[0]));
    OK(carom_recipe_digest(recipe, 1, &digests[1]));
    snprintf(was, sizeof was, "%016llx", (unsigned long long)digests[1]);
    snprintf(is, sizeof is, "%016llx", (unsigned long long)digests[1] + 1);
    recipe_text other = text;
    replace(&other, was, is);
    OWNED(carom_recipe) *forged = parse(&other);
    OK(carom_recipe_digest(forged, 0, &found));
    assert_int_equal(play(forged, 0, CAROM_ISA_DEFAULT, 1), found);
    OK(carom_recipe_digest(forged, 1, &found));
    assert_true(play(forged, 1, CAROM_ISA_DEFAULT, 1) != found);

    other = text;
    replace(&other, "player random", "player zero");
    OWNED(carom_recipe) *played = parse(&other);
    assert_true(play(played, 0, CAROM_ISA_DEFAULT, 1) != digests[0]);

    /* One that is not whole. */
    other = text;
    replace(&other, was, "----------------");
    OWNED(carom_recipe) *part = parse(&other);
    OK(carom_recipe_digest(part, 0, &found));
    assert_int_equal(carom_recipe_digest(part, 1, &found), CAROM_ERROR_VALUE);
    assert_int_equal(carom_recipe_digest(part, 2, &found), CAROM_ERROR_ARGUMENT);
}

TEST(descriptors)
{
    static const struct {
        const char *player, *why;
        carom_status status;
    } players[] = {
        {"", "1 to 255", CAROM_ERROR_ARGUMENT},
        {"race ", "space", CAROM_ERROR_ARGUMENT},
        {"nobody", "'nobody' is unknown", CAROM_ERROR_ARGUMENT},
        {"network:0123456789abcdef", "network", CAROM_ERROR_UNSUPPORTED},
        {"cem:ms=5", "milliseconds", CAROM_ERROR_UNSUPPORTED},
        {"cem:64,precision=f32", "precision", CAROM_ERROR_UNSUPPORTED},
        {"cem:rollouts=64,depth=5", "unknown key 'depth'", CAROM_ERROR_ARGUMENT},
        {"cem:rollouts", "no key=value", CAROM_ERROR_ARGUMENT},
        {"cem:rollouts=1e3", "rollouts: '1e3'", CAROM_ERROR_ARGUMENT},
        {"cem:rollouts=64,sigma=nan", "sigma: 'nan'", CAROM_ERROR_ARGUMENT},
        {"cem:rollouts=64,sigma=1e999", "sigma", CAROM_ERROR_ARGUMENT},
        {"cem:rollouts=64,sigma=0", "sigma: 0 is not between", CAROM_ERROR_ARGUMENT},
        {"cem:rollouts=3", "rollouts: 3 is too small", CAROM_ERROR_ARGUMENT},
        {"cem:rollouts=64,rounds=4294967296", "rounds: 4294967296 is too large", CAROM_ERROR_ARGUMENT},
        {"cem:rollouts=64,other-side=nobody", "other-side: unknown choice 'nobody'", CAROM_ERROR_ARGUMENT},
        {"cem:rollouts=64,against=best", "against: unknown choice 'best'", CAROM_ERROR_ARGUMENT},
        {"cem:rollouts=64,value=none", "value: unknown choice 'none'", CAROM_ERROR_ARGUMENT},
    };
    carom_recipe_desc desc = small();
    desc.action_kind = find_kind(desc.game, "normalised");
    for (size_t k = 0; k < sizeof players / sizeof players[0]; k++) {
        desc.players[1] = players[k].player;
        not_created(&desc, players[k].status, players[k].why);
    }
    desc.players[1] = NULL;
    not_created(&desc, CAROM_ERROR_ARGUMENT, "player 1");

#define REFUSED(member, value, why)                                                                                    \
    do {                                                                                                               \
        desc = small();                                                                                                \
        desc.member = (value);                                                                                         \
        not_created(&desc, CAROM_ERROR_ARGUMENT, why);                                                                 \
    } while (0)
    REFUSED(size, 8, "descriptor");
    REFUSED(game, NULL, "game");
    REFUSED(worlds, 0, "worlds");
    REFUSED(ticks, 0, "ticks");
    REFUSED(precision, (carom_precision)16, "precision");
    REFUSED(at_end, CAROM_AS_MADE, "end");
    REFUSED(action_kind, 99, "action");
    REFUSED(observation_kind, 99, "observation");
    REFUSED(reward_kind, 99, "reward");
    REFUSED(blocks, 11, "blocks");

    /* Lists of options. */
    static const int32_t points[3][2] = {{1000, 1000}, {9000, 8000}, {15000, 1000}};
    const carom_csb_map map = {.count = 3, .laps = 1, .checkpoints = points};
    carom_csb_options options;
    desc = small();
    OK(carom_game_options_default(desc.game, &options));
    options.maps = &map;
    options.map_count = 1;
    desc.options = &options;
    not_created(&desc, CAROM_ERROR_UNSUPPORTED, "maps: a list");

    uint64_t word;
    assert_int_equal(carom_recipe_create(NULL, NULL, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_recipe_parse(NULL, 0, NULL, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_recipe_play(NULL, 0, NULL, &word), CAROM_ERROR_ARGUMENT);
    carom_recipe_destroy(NULL);
}

/* A scene that is too large; one that leaves room for few digests. */
TEST(long_texts)
{
    carom_scene_body bodies[200];
    for (int k = 0; k < 200; k++) {
        bodies[k] = carom_scene_body_default();
        bodies[k].x = k;
        bodies[k].radius = 0.25;
    }
    for (int count = 1; count <= 200; count = 2 * count + 8) {
        carom_scene_desc scene_desc = carom_scene_desc_default();
        scene_desc.bodies = bodies;
        scene_desc.body_count = (uint32_t)count;
        OWNED(carom_scene) *scene = make_scene(&scene_desc);
        need_json(scene);
        carom_recipe_desc desc = carom_recipe_desc_default(carom_scene_game(scene));
        desc.worlds = 1000;
        carom_recipe *recipe = NULL;
        carom_problem problem;
        const carom_status status = carom_recipe_create(&desc, &recipe, &problem);
        if (count > 100) {
            assert_int_equal(status, CAROM_ERROR_SIZE);
            assert_non_null(strstr(problem.text, "the scene is too large"));
        } else if (status == CAROM_OK) {
            const recipe_text text = write_text(recipe);
            assert_true(text.length <= CAROM_RECIPE_BYTES);
            OWNED(carom_recipe) *again = parse(&text);
            assert_int_equal(carom_recipe_describe(again).blocks, carom_recipe_describe(recipe).blocks);
        }
        carom_recipe_destroy(recipe);
    }
}
