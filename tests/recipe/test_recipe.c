/* SPDX-License-Identifier: MIT
 * Recipes: what they digest is what a batch that is stepped by hand does, whatever the blocks, threads and instruction
 * sets; a text that was changed is refused.
 */
#include "test.h"

#include "base/hash.h"

static inline void end_carom_recipe(carom_recipe **recipe)
{
    carom_recipe_destroy(*recipe);
}

/* ---- texts ---- */

typedef struct recipe_text {
    char bytes[CAROM_RECIPE_BYTES + 64];
    size_t length;
} recipe_text;

static recipe_text write_text(const carom_recipe *recipe)
{
    recipe_text text;
    OK(carom_recipe_write(recipe, text.bytes, &text.length));
    return text;
}

/* Makes the checksum right again. */
static void seal(recipe_text *text)
{
    char line[32];
    text->length -= strlen("check 0123456789abcdef\n");
    const uint64_t sum = hash_bytes(1, text->bytes, text->length);
    snprintf(line, sizeof line, "check %016llx\n", (unsigned long long)sum);
    memcpy(text->bytes + text->length, line, strlen(line));
    text->length += strlen(line);
}

/* Puts `with` in the place of `what`, which must be there. */
static void replace(recipe_text *text, const char *what, const char *with)
{
    text->bytes[text->length] = '\0';
    char *at = strstr(text->bytes, what);
    assert_non_null(at);
    const size_t old = strlen(what), new = strlen(with);
    memmove(at + new, at + old, text->length - (size_t)(at - text->bytes) - old);
    memcpy(at, with, new);
    text->length += new - old;
    seal(text);
}

static carom_recipe *parse(const recipe_text *text)
{
    carom_recipe *recipe = NULL;
    carom_problem problem = {""};
    if (carom_recipe_parse(text->bytes, text->length, &recipe, &problem) != CAROM_OK) {
        fail_msg("%s\n%.*s", problem.text, (int)text->length, text->bytes);
    }
    return recipe;
}

static void refused(const recipe_text *text, carom_status status, const char *why)
{
    carom_recipe *recipe = NULL;
    carom_problem problem = {""};
    assert_int_equal(carom_recipe_parse(text->bytes, text->length, &recipe, &problem), status);
    assert_null(recipe);
    if (strstr(problem.text, why) == NULL) {
        fail_msg("'%s' does not say '%s'", problem.text, why);
    }
}

/* ---- recipes ---- */

static carom_recipe *create(const carom_recipe_desc *desc)
{
    carom_recipe *recipe = NULL;
    carom_problem problem = {""};
    if (carom_recipe_create(desc, &recipe, &problem) != CAROM_OK) {
        fail_msg("%s", problem.text);
    }
    return recipe;
}

static void not_created(const carom_recipe_desc *desc, carom_status status, const char *why)
{
    carom_recipe *recipe = NULL;
    carom_problem problem = {""};
    assert_int_equal(carom_recipe_create(desc, &recipe, &problem), status);
    assert_null(recipe);
    if (strstr(problem.text, why) == NULL) {
        fail_msg("'%s' does not say '%s'", problem.text, why);
    }
}

static uint64_t play(const carom_recipe *recipe, size_t block, carom_isa isa, unsigned threads)
{
    const carom_recipe_how how = {.isa = isa, .threads = threads};
    uint64_t digest = 0;
    OK(carom_recipe_play(recipe, block, &how, &digest));
    return digest;
}

static uint64_t play_all(const carom_recipe *recipe, carom_isa isa, unsigned threads)
{
    uint64_t sum = 0;
    for (size_t b = 0; b < carom_recipe_describe(recipe).blocks; b++) {
        sum += play(recipe, b, isa, threads);
    }
    return sum;
}

/* ---- the digest in plain words, made of the rule alone ---- */

static uint64_t plain_digest(uint64_t id, uint64_t tick, const void *rows[4], const size_t bytes[4])
{
    uint64_t state = mix64_other(mix64(tick + HASH_GOLDEN) + id), sum = 0;
    size_t words = 0;
    for (int a = 0; a < 4; a++) {
        for (size_t at = 0; at < bytes[a]; at += 8) {
            uint64_t word = 0;
            memcpy(&word, (const char *)rows[a] + at, bytes[a] - at < 8 ? bytes[a] - at : 8);
            if (words == 64) {
                state = mix64(state + sum);
                sum = words = 0;
            }
            words++;
            sum += word * (mix64(words * HASH_GOLDEN) | 1);
        }
    }
    return mix64(state + sum);
}

/* What a recipe of all worlds should give, and each block in `blocks`: one batch, which is stepped by hand. Policies
 * are asked one by one, and their actions given. */
static uint64_t by_hand(const carom_recipe *recipe, uint64_t *blocks)
{
    const carom_recipe_desc about = carom_recipe_describe(recipe);
    const carom_game *game = about.game;
    const carom_game_info info = carom_game_describe(game);
    const size_t worlds = (size_t)about.worlds;
    OWNED(carom_worlds) *batch = MAKE_WORLDS(game, .count = worlds, .options = about.options, .seed = about.seed,
                                             .precision = about.precision, .at_end = about.at_end);
    carom_action_kind kind;
    carom_observation_kind seen;
    carom_reward_kind rewarded;
    OK(carom_game_action_kind(game, about.action_kind, &kind));
    OK(carom_game_observation_kind(game, about.observation_kind, &seen));
    OK(carom_game_reward_kind(game, about.reward_kind, &rewarded));
    const size_t part = kind.size * (kind.precision / 8), acted = part * info.players;
    const size_t sees = info.players * seen.agents * seen.size * sizeof(float);
    const size_t gains = info.players * rewarded.agents * sizeof(float);
    FREED char *actions = take(worlds * acted + 1), *asked = take(worlds * acted + 1);
    FREED char *before = take(worlds * sees + 1), *after = take(worlds * sees + 1), *rewards = take(worlds * gains + 1);
    FREED uint8_t *ends = take(worlds);
    carom_step step =
        STEP_WITH(.action_kind = about.action_kind, .observation_kind = about.observation_kind,
                  .reward_kind = about.reward_kind, .actions = actions, .rewards = (float *)(void *)rewards,
                  .ends = ends, .observations = (float *)(void *)before);
    OK(carom_worlds_observe_step(batch, &step));
    uint64_t total = 0;
    for (uint64_t t = 0; t < about.ticks; t++) {
        memset(actions, 0, worlds * acted);
        for (uint32_t p = 0; p < info.players; p++) {
            size_t policy;
            if (carom_game_find_policy(game, about.players[p], &policy) == CAROM_OK) {
                OK(carom_worlds_policy(batch, policy, about.action_kind, asked));
                for (size_t w = 0; w < worlds; w++) {
                    memcpy(actions + w * acted + p * part, asked + w * acted + p * part, part);
                }
            }
        }
        step.observations = (float *)(void *)after;
        play_worlds(batch, &step);
        for (size_t w = 0, b = 0; w < worlds; w++) {
            const void *rows[4] = {before + w * sees, actions + w * acted, rewards + w * gains, ends + w};
            const size_t bytes[4] = {sees, acted, gains, 1};
            const uint64_t digest = plain_digest(w, t, rows, bytes);
            uint64_t first = 0, count = 0;
            OK(carom_recipe_block(recipe, b, &first, &count));
            if (w == first + count) {
                b++;
            }
            blocks[b] += digest;
            total += digest;
        }
        memcpy(before, after, worlds * sees);
    }
    return total;
}

/* ---- what is played ---- */

/* Plays a recipe in all ways, and compares with what was stepped by hand. */
static void in_all_ways(carom_recipe_desc desc)
{
    uint64_t blocks[CAROM_RECIPE_BLOCKS] = {0};
    desc.blocks = 3;
    OWNED(carom_recipe) *three = create(&desc);
    const uint64_t total = by_hand(three, blocks);
    desc.blocks = 1;
    OWNED(carom_recipe) *one = create(&desc);
    desc.blocks = 0;
    OWNED(carom_recipe) *many = create(&desc);
    for (size_t i = 0; i < isa_count; i++) {
        for (size_t b = 0; b < 3; b++) {
            assert_int_equal(play(three, b, isas[i], 1 + (unsigned)b), blocks[b]);
        }
        assert_int_equal(play_all(one, isas[i], 1), total);
    }
    assert_int_equal(play_all(one, CAROM_ISA_DEFAULT, 7), total);
    assert_int_equal(play_all(many, CAROM_ISA_DEFAULT, 2), total);

    /* The same from the text. */
    const recipe_text text = write_text(three);
    OWNED(carom_recipe) *again = parse(&text);
    assert_int_equal(play_all(again, CAROM_ISA_DEFAULT, 2), total);
}

TEST(every_game)
{
    for (size_t g = 0; g < carom_game_count(); g++) {
        const carom_game *game = carom_game_at(g);
        const carom_game_info info = carom_game_describe(game);
        for (int f64 = 0; f64 <= 1; f64++) {
            carom_recipe_desc desc = carom_recipe_desc_default(game);
            desc.worlds = 37 + (uint64_t)unless_short(0x200, 0); /* more than a piece */
            desc.ticks = (uint64_t)unless_short(60, 25);
            desc.seed = 5 + g;
            desc.precision = f64 ? CAROM_F64 : CAROM_F32;
            desc.action_kind = info.action_kinds - 1;
            desc.observation_kind = f64 ? info.observation_kinds - 1 : 0;
            desc.reward_kind = f64 ? 0 : info.reward_kinds - 1;
            for (uint32_t p = 0; p < info.players; p++) {
                desc.players[p] = p == 2 ? "zero" : carom_game_policy_name(game, (p + (size_t)f64) % info.policies);
            }
            in_all_ways(desc);
        }
    }
}

/* Games that end, in all the ways in which they can go on then. */
TEST(ends)
{
    const carom_game *csb = carom_game_find("csb");
    carom_csb_options options;
    uint64_t map_seed = UINT64_MAX;
    OK(carom_game_options_default(csb, &options));
    options.map_seed = &map_seed;
    OK(carom_game_set_option(csb, &options, "ticks", 20, NULL));
    for (int end = CAROM_PLAY_ON; end <= CAROM_RESET; end++) {
        carom_recipe_desc desc = carom_recipe_desc_default(csb);
        desc.options = &options;
        desc.worlds = 33;
        desc.ticks = 45;
        desc.at_end = (carom_at_end)end;
        desc.players[1] = "zero";
        in_all_ways(desc);
    }
}

/* Leaves the test in builds without JSON. */
static void need_json(const carom_scene *scene)
{
    OWNED_TEXT char *text = NULL;
    if (carom_scene_write_json(scene, &text) == CAROM_ERROR_UNSUPPORTED) {
        skip();
    }
}

static carom_scene *table(bool hook);

TEST(scenes)
{
    OWNED(carom_scene) *scene = table(false);
    need_json(scene);
    carom_recipe_desc desc = carom_recipe_desc_default(carom_scene_game(scene));
    desc.worlds = 50;
    desc.ticks = 20;
    desc.players[0] = "random";
    in_all_ways(desc);
    desc.precision = CAROM_F32;
    in_all_ways(desc);

    OWNED(carom_scene) *hooked = table(true);
    desc.game = carom_scene_game(hooked);
    not_created(&desc, CAROM_ERROR_ARGUMENT, "hooks");
}

static void no_hook(void *user, const carom_scene_range *range)
{
    (void)user;
    (void)range;
}

static carom_scene *table(bool hook)
{
    carom_scene_body bodies[3] = {carom_scene_body_default(), carom_scene_body_default(), carom_scene_body_default()};
    carom_scene_wall wall = {-9, -3, 9, -4, 1, false, false};
    carom_scene_desc desc = carom_scene_desc_default();
    for (int k = 0; k < 3; k++) {
        bodies[k].x = 4 * k - 4;
        bodies[k].vx = 1 - k;
        bodies[k].ay = -0.5;
        bodies[k].acts = k != 1;
    }
    desc.bodies = bodies;
    desc.body_count = 3;
    desc.walls = &wall;
    desc.wall_count = 1;
    desc.contact_time = 0.01;
    desc.tick_hook = hook ? no_hook : NULL;
    return make_scene(&desc);
}

/* Planners: the same by hand, in one batch with one search for each side. */
TEST(planners)
{
    const carom_game *csb = carom_game_find("csb");
    carom_recipe_desc desc = carom_recipe_desc_default(csb);
    desc.worlds = 37;
    desc.ticks = 6;
    desc.seed = 9;
    desc.action_kind = find_kind(csb, "normalised");
    desc.players[0] = "cem:rollouts=96,horizon=3,sequences=32,other-side=race,sigma=0.4,cut=1";
    desc.players[1] = "shooting:rollouts=64,sequences=64,seed=77,horizon=2,value=duel,reward=0";
    desc.blocks = 3;
    OWNED(carom_recipe) *recipe = create(&desc);

    carom_search_desc how[2] = {carom_search_desc_default(csb), carom_search_desc_default(csb)};
    how[0].rollouts = 96;
    how[0].horizon = 3;
    how[0].sequences = 32;
    how[0].other = CAROM_OTHER_POLICY;
    OK(carom_game_find_policy(csb, "race", &how[0].policy));
    how[0].sigma = 0.4;
    how[0].cut_after = 1;
    how[0].seed = 9;
    how[1].planner = CAROM_SHOOTING;
    how[1].player = 1;
    how[1].rollouts = 64;
    how[1].sequences = 64;
    how[1].seed = 77;
    how[1].horizon = 2;
    OK(carom_game_find_value_kind(csb, "duel", &how[1].value_kind));
    how[1].reward_weight = 0;

    carom_action_kind kind;
    carom_observation_kind seen;
    OK(carom_game_action_kind(csb, desc.action_kind, &kind));
    OK(carom_game_observation_kind(csb, 0, &seen));
    const size_t worlds = 37, sees = 2 * seen.size;
    OWNED(carom_worlds) *batch = MAKE_WORLDS(csb, .count = worlds, .seed = 9, .at_end = CAROM_RESET);
    OWNED(carom_search) *a = NULL, *b = NULL;
    OK(carom_search_create(batch, &how[0], &a));
    OK(carom_search_create(batch, &how[1], &b));
    FREED float *mine = take(worlds * kind.size * sizeof(float)), *theirs = take(worlds * kind.size * sizeof(float));
    FREED float *both = take(2 * worlds * kind.size * sizeof(float)), *rewards = take(2 * worlds * sizeof(float));
    FREED float *before = take(worlds * sees * sizeof(float)), *after = take(worlds * sees * sizeof(float));
    FREED uint8_t *ends = take(worlds);
    OK(carom_worlds_observe(batch, before));
    uint64_t total = 0;
    for (uint64_t t = 0; t < desc.ticks; t++) {
        OK(carom_search_run(a, batch));
        OK(carom_search_run(b, batch));
        OK(carom_search_actions(a, 0, mine));
        OK(carom_search_actions(b, 1, theirs));
        for (size_t w = 0; w < worlds; w++) {
            memcpy(both + 2 * w * kind.size, mine + w * kind.size, kind.size * sizeof(float));
            memcpy(both + (2 * w + 1) * kind.size, theirs + w * kind.size, kind.size * sizeof(float));
        }
        PLAY(batch, .action_kind = desc.action_kind, .actions = both, .rewards = rewards, .ends = ends,
             .observations = after);
        for (size_t w = 0; w < worlds; w++) {
            const void *rows[4] = {before + w * sees, both + 2 * w * kind.size, rewards + 2 * w, ends + w};
            const size_t bytes[4] = {sees * sizeof(float), 2 * kind.size * sizeof(float), 2 * sizeof(float), 1};
            total += plain_digest(w, t, rows, bytes);
        }
        memcpy(before, after, worlds * sees * sizeof(float));
    }
    for (size_t i = 0; i < isa_count; i++) {
        assert_int_equal(play_all(recipe, isas[i], 1 + (unsigned)i), total);
    }
    const recipe_text text = write_text(recipe);
    OWNED(carom_recipe) *again = parse(&text);
    assert_int_equal(play_all(again, CAROM_ISA_DEFAULT, 3), total);
}

/* A recipe of 10^6 transitions that was made before, on another machine. */
TEST(stored)
{
    recipe_text text;
    FILE *file = fopen(CAROM_TEST_DATA "/recipes/csb.recipe", "rb");
    assert_non_null(file);
    text.length = fread(text.bytes, 1, CAROM_RECIPE_BYTES, file);
    fclose(file);
    text.bytes[text.length] = '\0';

    /* The bits do not change with the version, until they are changed on purpose. */
    char was[64] = "", is[64];
    assert_int_equal(sscanf(text.bytes, "carom recipe 1\nversion %15[0-9.]", was + 8), 1);
    memcpy(was, "version ", 8);
    snprintf(is, sizeof is, "version %s", carom_version());
    replace(&text, was, is);

    OWNED(carom_recipe) *recipe = parse(&text);
    const carom_recipe_desc about = carom_recipe_describe(recipe);
    assert_int_equal(about.worlds * about.ticks, 1000000);
    for (size_t i = 0; i < isa_count; i++) {
        /* Where there is no vector set but an emulated one, a part of it will do for scalar. */
        const size_t stride =
            (size_t)(isas[i] == CAROM_ISA_SCALAR || isas[i] == CAROM_ISA_NEON ? 1 : unless_short(1, 7));
        for (size_t b = 0; b < about.blocks; b += stride) {
            uint64_t digest = 0;
            OK(carom_recipe_digest(recipe, b, &digest));
            assert_int_equal(play(recipe, b, isas[i], 0), digest);
        }
    }
}

/* ---- what is refused ---- */

static carom_recipe_desc small(void)
{
    carom_recipe_desc desc = carom_recipe_desc_default(carom_game_find("csb"));
    desc.worlds = 10;
    desc.ticks = 5;
    desc.blocks = 2;
    desc.players[1] = "random";
    return desc;
}

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

    /* Each byte, changed in several ways; cut anywhere; something behind it. */
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

    /* With the checksum right: what it says is another version, another game, or nothing that Carom writes. */
    static const struct {
        const char *what, *with;
        carom_status status;
        const char *why;
    } changes[] = {
        {"carom recipe 1", "carom recipe 2", CAROM_ERROR_UNSUPPORTED, "format 2"},
        {"version 0", "version 9", CAROM_ERROR_UNSUPPORTED, "made by Carom 9"},
        {"game csb", "game chess", CAROM_ERROR_UNSUPPORTED, "chess, which is not there"},
        {"game csb", "game fall", CAROM_ERROR_FORMAT, ""},
        {"worlds 10", "worlds 010", CAROM_ERROR_FORMAT, "as Carom writes it"},
        {"worlds 10", "worlds 0", CAROM_ERROR_FORMAT, "number of worlds"},
        {"worlds 10", "worlds 18446744073709551626", CAROM_ERROR_FORMAT, "contradicts itself"},
        {"seed 0", "seed -1", CAROM_ERROR_FORMAT, "contradicts itself"},
        {"precision f64", "precision f65", CAROM_ERROR_FORMAT, "as Carom writes it"},
        {"precision f64", "precision f32", CAROM_ERROR_UNSUPPORTED, "another version of csb"},
        {"at-end reset", "at-end never", CAROM_ERROR_FORMAT, "as Carom writes it"},
        {"rewards game", "rewards x", CAROM_ERROR_FORMAT, "contradicts itself"},
        {"player race", "player nobody", CAROM_ERROR_FORMAT, "'nobody' is no policy"},
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
        {"nobody", "no policy of csb", CAROM_ERROR_ARGUMENT},
        {"network:0123456789abcdef", "network", CAROM_ERROR_UNSUPPORTED},
        {"cem", "rollouts=N", CAROM_ERROR_ARGUMENT},
        {"cem:horizon=4", "rollouts=N", CAROM_ERROR_ARGUMENT},
        {"cem:rollouts=64,ms=5", "milliseconds", CAROM_ERROR_UNSUPPORTED},
        {"cem:rollouts=64,depth=5", "no key 'depth'", CAROM_ERROR_ARGUMENT},
        {"cem:rollouts", "no key=value", CAROM_ERROR_ARGUMENT},
        {"cem:rollouts=1e3", "rollouts: '1e3'", CAROM_ERROR_ARGUMENT},
        {"cem:rollouts=64,sigma=nan", "sigma: 'nan'", CAROM_ERROR_ARGUMENT},
        {"cem:rollouts=64,sigma=1e999", "sigma", CAROM_ERROR_ARGUMENT},
        {"cem:rollouts=64,sigma=0", "out of their ranges", CAROM_ERROR_ARGUMENT},
        {"cem:rollouts=3", "out of their ranges", CAROM_ERROR_ARGUMENT},
        {"cem:rollouts=64,rounds=4294967296", "rounds", CAROM_ERROR_ARGUMENT},
        {"cem:rollouts=64,other-side=nobody", "other-side: 'nobody'", CAROM_ERROR_ARGUMENT},
        {"cem:rollouts=64,against=best", "against: 'best'", CAROM_ERROR_ARGUMENT},
        {"cem:rollouts=64,value=none", "value: 'none'", CAROM_ERROR_ARGUMENT},
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
    const char *meaning = NULL;
    assert_string_equal(carom_recipe_planner_key(0, &meaning), "rollouts");
    assert_non_null(meaning);
    assert_null(carom_recipe_planner_key(99, NULL));
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

TEST(cancelled)
{
    carom_recipe_desc desc = small();
    OWNED(carom_recipe) *recipe = create(&desc);
    const volatile int now = 1;
    uint64_t progress = 0, digest = 42;
    carom_recipe_how how = {.cancel = &now, .progress = &progress};
    assert_int_equal(carom_recipe_play(recipe, 0, &how, &digest), CAROM_ERROR_CANCELLED);
    assert_int_equal(digest, 42);
    assert_int_equal(progress, 0);
    how.cancel = NULL;
    OK(carom_recipe_play(recipe, 0, &how, &digest));
    assert_int_equal(progress, 25);
    how.threads = CAROM_MAX_THREADS + 1;
    assert_int_equal(carom_recipe_play(recipe, 0, &how, &digest), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_recipe_play(recipe, 2, NULL, &digest), CAROM_ERROR_ARGUMENT);
}

/* ---- digests ---- */

#define ROWS 30
TEST(digests_of_arrays)
{
    /* Rows longer than the digest's list of factors, and of odd lengths. */
    static const size_t lengths[4] = {531, 515, 12, 1};
    unsigned char *arrays[4];
    uint64_t state = test_seed(3), ids[5], whole = 0, sum = 0, found = 0;
    for (int a = 0; a < 4; a++) {
        arrays[a] = take(ROWS * lengths[a]);
        for (size_t k = 0; k < ROWS * lengths[a]; k++) {
            arrays[a][k] = (unsigned char)rng_next(&state);
        }
    }
    for (int w = 0; w < 5; w++) {
        ids[w] = rng_next(&state);
    }
    carom_transitions t = carom_transitions_default();
    t.ticks = 6;
    t.worlds = 5;
    t.first_tick = 1000;
    t.ids = ids;
    t.observations = arrays[0];
    t.actions = arrays[1];
    t.rewards = arrays[2];
    t.ends = arrays[3];
    t.observation_bytes = lengths[0];
    t.action_bytes = lengths[1];
    t.reward_bytes = lengths[2];
    t.end_bytes = lengths[3];
    OK(carom_transitions_digest(&t, &whole));
    for (size_t row = 0; row < ROWS; row++) {
        const void *rows[4];
        for (int a = 0; a < 4; a++) {
            rows[a] = arrays[a] + row * lengths[a];
        }
        sum += plain_digest(ids[row % 5], 1000 + row / 5, rows, lengths);
    }
    assert_int_equal(whole, sum);

    /* Any one byte, or several within a word. */
    for (int a = 0; a < 4; a++) {
        for (size_t k = 0; k < ROWS * lengths[a]; k++) {
            const unsigned char was = arrays[a][k];
            arrays[a][k] = (unsigned char)(was ^ 1u << rng_below(&state, 8));
            OK(carom_transitions_digest(&t, &found));
            assert_true(found != whole);
            arrays[a][k] = was;
        }
    }

    /* Two rows that change places. */
    unsigned char row[600];
    for (int a = 0; a < 3; a++) {
        memcpy(row, arrays[a], lengths[a]);
        memmove(arrays[a], arrays[a] + 7 * lengths[a], lengths[a]);
        memcpy(arrays[a] + 7 * lengths[a], row, lengths[a]);
        OK(carom_transitions_digest(&t, &found));
        assert_true(found != whole);
        memcpy(arrays[a] + 7 * lengths[a], arrays[a], lengths[a]);
        memcpy(arrays[a], row, lengths[a]);
    }

    /* Parts add up: two ticks and four. */
    t.ticks = 2;
    OK(carom_transitions_digest(&t, &sum));
    t.ticks = 4;
    t.first_tick += 2;
    t.observations = arrays[0] + 10 * lengths[0];
    t.actions = arrays[1] + 10 * lengths[1];
    t.rewards = arrays[2] + 10 * lengths[2];
    t.ends = arrays[3] + 10 * lengths[3];
    OK(carom_transitions_digest(&t, &found));
    assert_int_equal(sum + found, whole);

    /* Without ids; without arrays. */
    t.ids = NULL;
    t.first_id = 7;
    OK(carom_transitions_digest(&t, &sum));
    for (int w = 0; w < 5; w++) {
        ids[w] = 7 + (uint64_t)w;
    }
    t.ids = ids;
    OK(carom_transitions_digest(&t, &found));
    assert_int_equal(sum, found);
    t.rewards = NULL;
    assert_int_equal(carom_transitions_digest(&t, &found), CAROM_ERROR_ARGUMENT);
    t.reward_bytes = 0;
    OK(carom_transitions_digest(&t, &found));
    assert_true(sum != found);
    t.size--;
    assert_int_equal(carom_transitions_digest(&t, &found), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_transitions_digest(NULL, &found), CAROM_ERROR_ARGUMENT);
    for (int a = 0; a < 4; a++) {
        free(arrays[a]);
    }
}

/* ---- what a step gives out of actions ---- */

TEST(played_actions)
{
    const carom_game *csb = carom_game_find("csb");
    for (size_t kind = 0; kind < carom_game_describe(csb).action_kinds; kind++) {
        carom_action_kind about;
        OK(carom_game_action_kind(csb, kind, &about));
        const size_t part = about.size * (about.precision / 8), worlds = 40, ticks = 3;
        OWNED(carom_worlds) *batch = MAKE_WORLDS(csb, .count = worlds, .seed = 4);
        OWNED(carom_worlds) *other = MAKE_WORLDS(csb, .count = worlds, .seed = 4);
        FREED char *asked = take(worlds * 2 * part), *given = take(ticks * worlds * part),
                   *played = take(ticks * worlds * 2 * part);
        for (size_t t = 0; t < ticks; t++) {
            OK(carom_worlds_policy(other, 1, kind, asked));
            for (size_t w = 0; w < worlds; w++) {
                memcpy(given + (t * worlds + w) * part, asked + 2 * w * part, part);
            }
        }

        /* Player 0 is given what it plays, player 1 is a policy; worlds 3 to 36. */
        carom_step step = STEP_WITH(.action_kind = kind, .ticks = ticks, .first = 3, .count = 34, .played = played);
        step.players[0].actions = given;
        step.players[0].action_kind = kind;
        step.players[1].source = CAROM_POLICY;
        play_worlds(batch, &step);
        for (size_t t = 0; t < ticks; t++) {
            OK(carom_worlds_policy(other, 0, kind, asked));
            for (size_t w = 0; w < 34; w++) {
                assert_memory_equal(played + 2 * (t * 34 + w) * part, given + (t * 34 + w) * part, part);
                assert_memory_equal(played + (2 * (t * 34 + w) + 1) * part, asked + (2 * (w + 3) + 1) * part, part);
            }
            carom_step one = step;
            one.ticks = 1;
            one.played = NULL;
            one.players[0].actions = given + t * 34 * part;
            play_worlds(other, &one);
        }
        step.repeat = 2;
        assert_int_equal(carom_worlds_play(batch, &step), CAROM_ERROR_ARGUMENT);
        step.repeat = 1;
        step.action_kind = (kind + 1) % carom_game_describe(csb).action_kinds;
        assert_int_equal(carom_worlds_play(batch, &step), CAROM_ERROR_ARGUMENT);
    }
}
