/* SPDX-License-Identifier: MIT
 * Players with networks: a policy player follows the network, alone and in a batch; a planner uses the network as its
 * keys say; invalid texts and files.
 */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include <unistd.h>

#include "tests/network/network_plain.h"

static inline void end_carom_player(carom_player **player)
{
    carom_player_destroy(*player);
}

/* Files of networks: of csb's pods, of its players, without a policy, of soccer's robots. */
enum { EGO, RAW, VALUE, SOCCER, FILES };
static char names[FILES][64];
static const carom_game *csb;

static void write_network(char name[64], const plain_network *network)
{
    FREED char *text = (char *)take(PLAIN_TEXT);
    plain_write(network, text);
    snprintf(name, 64, "network_XXXXXX");
    const int file = mkstemp(name);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    assert_int_equal(close(file), 0);
}

static void draw_file(int file, uint64_t seed, const char *game, const char *observation, int policy)
{
    FREED plain_network *made = (plain_network *)take(sizeof *made);
    carom_observation_kind seen;
    size_t kind;
    const carom_game *of = carom_game_find(game);
    OK(carom_game_find_observation_kind(of, observation, &kind));
    OK(carom_game_observation_kind(of, kind, &seen));
    const int widths[] = {8};
    plain_draw(made, &seed, game, observation, (int)seen.size, widths, 1, 1, policy);
    made->input_bits = 10, made->input_limit = 2048;
    for (int k = 0; k < 3; k++) {
        plain_layer *layer = &made->layers[k];
        layer->activation = k == 0 ? PLAIN_CLIP : file == SOCCER ? PLAIN_LINEAR : PLAIN_TANH;
        layer->limit = 1024, layer->bits = 10;
        for (int o = 0; o < layer->outputs; o++) {
            for (int i = 0; i < layer->inputs; i++) {
                layer->weights[o][i] = rng_below(&seed, 1401) - 700;
            }
            layer->biases[o] = rng_below(&seed, 200001) - 100000;
        }
    }
    write_network(names[file], made);
}

SET_UP
{
    csb = carom_game_find("csb");
    draw_file(EGO, 1, "csb", "ego", 2);
    draw_file(RAW, 2, "csb", "raw", 4);
    draw_file(VALUE, 3, "csb", "ego", 0);
    draw_file(SOCCER, 4, "soccer", "ego", 0);
    carom_action_kind kind;
    carom_observation_kind seen;
    size_t ego;
    OK(carom_game_action_kind(carom_game_find("soccer"), find_kind(carom_game_find("soccer"), "normalised"), &kind));
    OK(carom_game_find_observation_kind(carom_game_find("soccer"), "ego", &ego));
    OK(carom_game_observation_kind(carom_game_find("soccer"), ego, &seen));
    (void)unlink(names[SOCCER]);
    draw_file(SOCCER, 4, "soccer", "ego", (int)(kind.size / seen.agents));
}

TEAR_DOWN
{
    for (int k = 0; k < FILES; k++) {
        (void)unlink(names[k]);
    }
}

static const char *text_of(const char *format, int file)
{
    static char texts[4][256];
    static int next;
    char *text = texts[next++ % 4];
    snprintf(text, sizeof texts[0], format, names[file]);
    return text;
}

static carom_player *make_player(const carom_worlds *worlds, unsigned seat, const char *text)
{
    carom_player *player = NULL;
    carom_problem problem = {""};
    const carom_status status = carom_player_create(worlds, seat, text, &player, &problem);
    if (status != CAROM_OK) {
        fail_msg("%s: %s: %s", text, carom_status_string(status), problem.text);
    }
    return player;
}

static void play_turn(carom_worlds *worlds, carom_player *first, carom_player *second)
{
    carom_step step = STEP_WITH(.repeat = 1);
    OK(carom_player_take(first, worlds, &step));
    OK(carom_player_take(second, worlds, &step));
    play_worlds(worlds, &step);
}

/* ---- the policy ---- */

/* In soccer actions are normalised: the network's outputs for each robot's row, clipped. */
TEST(does_what_the_network_says)
{
    const carom_game *game = carom_game_find("soccer");
    OWNED(carom_worlds) *worlds = MAKE_WORLDS(game, .count = 5, .seed = 3);
    carom_network *network = NULL;
    OK(carom_network_load(names[SOCCER], &network, NULL));
    const carom_network_info info = carom_network_about(network);
    carom_step see = STEP_WITH(.repeat = 1);
    carom_observation_kind kind;
    OK(carom_game_find_observation_kind(game, "ego", &see.observation_kind));
    OK(carom_game_observation_kind(game, see.observation_kind, &kind));
    const size_t agents = kind.agents;
    FREED float *seen = (float *)take(5 * 2 * agents * kind.size * sizeof(float));
    FREED float *said = (float *)take(5 * 2 * agents * info.outputs * sizeof(float));
    see.observations = seen;

    for (unsigned seat = 0; seat < 2; seat++) {
        OWNED(carom_player) *player = make_player(worlds, seat, text_of("network:%s", SOCCER));
        OWNED(carom_player) *other = make_player(worlds, 1 - seat, "striker");
        assert_null(carom_player_search(player));
        for (int turn = 0; turn < 30; turn++) {
            FREED float *actions = (float *)take(5 * agents * info.policy * sizeof(float));
            OK(carom_player_act(player, worlds, actions, 0));
            OK(carom_worlds_observe_step(worlds, &see));
            OK(carom_network_run(network, seen, 5 * 2 * agents, said));
            for (size_t k = 0; k < 5 * agents * info.policy; k++) {
                const size_t own = k / info.policy, world = own / agents;
                const size_t row = (world * 2 + seat) * agents + own % agents;
                const float number = said[row * info.outputs + 1 + k % info.policy];
                assert_true(actions[k] == fminf(fmaxf(number, -1), 1));
            }
            play_turn(worlds, player, other);
        }
    }
    carom_network_destroy(network);
}

/* World i of a batch is played as it is alone, with each instruction set and on three threads. */
TEST(alone_and_in_a_batch)
{
    const char *const texts[] = {"network:%s",
                                 "cem:24,sequences=8,network=%s,network-weight=0.5,other-side=network+search"};
    for (size_t t = 0; t < 2; t++) {
        uint64_t wanted[3] = {0};
        for (size_t i = 0; i < isa_count + 3; i++) {
            const bool alone = i >= isa_count;
            const carom_isa isa = alone ? CAROM_ISA_DEFAULT : isas[i];
            OWNED(carom_worlds) *worlds = MAKE_WORLDS(csb, .count = alone ? 1 : 3, .seed = 4, .isa = isa, .threads = 3,
                                                      .first_id = alone ? i - isa_count : 0);
            OWNED(carom_player) *first = make_player(worlds, 0, text_of(texts[t], EGO));
            OWNED(carom_player) *second = make_player(worlds, 1, text_of(texts[t], RAW));
            for (int turn = 0; turn < 8; turn++) {
                play_turn(worlds, first, second);
            }
            for (size_t w = 0; w < (alone ? 1 : 3); w++) {
                uint64_t hash = 0;
                OK(carom_worlds_hash(worlds, w, 1, &hash));
                uint64_t *want = &wanted[alone ? i - isa_count : w];
                *want = *want == 0 ? hash : *want;
                assert_true(*want == hash);
            }
        }
    }
}

/* ---- planners ---- */

/* The games that two texts play against `race` end in the same state. */
static bool alike(const char *a, const char *b)
{
    uint64_t digests[2];
    for (int k = 0; k < 2; k++) {
        OWNED(carom_worlds) *worlds = MAKE_WORLDS(csb, .count = 2, .seed = 4);
        OWNED(carom_player) *first = make_player(worlds, 0, k == 0 ? a : b);
        OWNED(carom_player) *second = make_player(worlds, 1, "race");
        for (int turn = 0; turn < 6; turn++) {
            play_turn(worlds, first, second);
        }
        digests[k] = digest_of(worlds);
    }
    return digests[0] == digests[1];
}

TEST(keys_of_planners)
{
    const char *usual = text_of("cem:32,network=%s", EGO);
    assert_true(alike(usual, text_of("cem:32,network-weight=1,network-plan=1,network=%s", EGO)));
    assert_false(alike(usual, text_of("cem:32,network=%s,network-weight=0", EGO)));
    assert_false(alike(usual, text_of("cem:32,network=%s,network-plan=0", EGO)));
    assert_false(alike(text_of("cem:32,network=%s,network-weight=0.01", EGO),
                       text_of("cem:32,network=%s,network-weight=0.01,final=0", EGO)));
    assert_false(alike(usual, text_of("cem:32,network=%s,other-side=network", EGO)));
    assert_false(alike(usual, text_of("cem:32,network=%s", RAW)));
    assert_true(alike("cem:32", text_of("cem:32,network=%s,network-weight=0,network-plan=0", EGO)));
    assert_true(alike(text_of("cem:32,network=%s", VALUE), text_of("cem:32,network=%s,network-plan=0", VALUE)));
}

TEST(forgetting)
{
    OWNED(carom_worlds) *worlds = MAKE_WORLDS(csb, .count = 2, .seed = 4);
    OWNED(carom_player) *player = make_player(worlds, 0, text_of("network:%s", EGO));
    double first[2 * 6], again[2 * 6];
    OK(carom_player_act(player, worlds, first, 0));
    OK(carom_player_forget(player));
    OK(carom_player_act(player, worlds, again, 0));
    assert_memory_equal(first, again, sizeof first);
}

/* ---- errors ---- */

TEST(texts_that_are_wrong)
{
    const struct {
        const char *text, *problem;
        int file;
    } texts[] = {
        {"network:", "network: no file is named", EGO},
        {"network:nowhere", "network: 'nowhere' cannot be read", EGO},
        {"network:%s", "network: it has no policy", VALUE},
        {"network:%s", "network: it is for soccer, not for csb", SOCCER},
        {"cem:network=", "network: no file is named", EGO},
        {"cem:network=nowhere", "'nowhere' cannot be read", EGO},
        {"cem:network=%s,network-plan=2", "network-plan: '2' is neither 0 nor 1", EGO},
        {"cem:network=%s,network-weight=x", "network-weight: 'x' is not a number", EGO},
        {"cem:network=%s,network-plan=1", "network: it has no policy", VALUE},
        {"cem:network=%s,other-side=network", "network: it has no policy", VALUE},
        {"cem:network=%s", "network: it is for soccer, not for csb", SOCCER},
        {"cem:network-weight=1", "network: no file is named; the other keys need one", EGO},
        {"cem:other-side=network", "network: no file is named; the other keys need one", EGO},
    };
    OWNED(carom_worlds) *worlds = MAKE_WORLDS(csb, .count = 1);
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        carom_problem problem = {""};
        carom_player *player = NULL;
        const char *text = text_of(texts[k].text, texts[k].file);
        assert_int_equal(carom_player_check(csb, text, &problem), CAROM_ERROR_ARGUMENT);
        if (strstr(problem.text, texts[k].problem) == NULL) {
            fail_msg("%s: '%s' instead of '%s'", text, problem.text, texts[k].problem);
        }
        assert_int_equal(carom_player_create(worlds, 0, text, &player, NULL), CAROM_ERROR_ARGUMENT);
        assert_null(player);
    }
}

/* A file with one changed weight is refused. */
TEST(a_weight_that_is_changed)
{
    static char text[PLAIN_TEXT];
    char name[64] = "network_XXXXXX";
    FILE *file = fopen(names[EGO], "r");
    assert_non_null(file);
    const size_t length = fread(text, 1, sizeof text, file);
    assert_int_equal(fclose(file), 0);
    char *digit = strstr(text, "weights\n") + strlen("weights\n");
    digit += *digit == '-';
    *digit = *digit == '1' ? '2' : '1';
    const int changed = mkstemp(name);
    assert_true(changed >= 0);
    assert_int_equal(write(changed, text, length), length);
    assert_int_equal(close(changed), 0);

    carom_problem problem = {""};
    char player[96];
    snprintf(player, sizeof player, "network:%s", name);
    assert_int_equal(carom_player_check(csb, player, &problem), CAROM_ERROR_FORMAT);
    assert_non_null(strstr(problem.text, "the network was changed"));
    assert_int_equal(unlink(name), 0);
}
