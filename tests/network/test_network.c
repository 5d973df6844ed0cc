/* SPDX-License-Identifier: MIT
 * Networks: equal to plain arithmetic in 64 bits with every instruction set, for every number of rows and any inputs;
 * sums up to the greatest that 32 bits hold; a changed weight is detected; invalid and truncated texts.
 */
#include <fenv.h>

#include "tests/network/network_plain.h"

#define MOST_ROWS 33 /* two tiles and one */

static plain_network *drawn;
static char *text;

SET_UP
{
    drawn = (plain_network *)take(sizeof *drawn);
    text = (char *)take(PLAIN_TEXT);
}

TEAR_DOWN
{
    free(drawn);
    free(text);
}

/* ---- running ---- */

static float draw_input(uint64_t *seed)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, -0.0f, 3.4e38f, -3.4e38f, 1e-45f, 0.5f, -0.5f, 1.5f, 2.5f};
    const float scales[] = {0.001f, 1, 10, 30000};
    if (rng_one_in(seed, 8)) {
        return odd[rng_below(seed, sizeof odd / sizeof odd[0])];
    }
    return (float)rng_in(seed, -1, 1) * scales[rng_below(seed, 4)];
}

static void draw_network(uint64_t *seed, int value, int policy)
{
    int widths[PLAIN_LAYERS];
    for (int k = 0; k < PLAIN_LAYERS; k++) {
        widths[k] = 1 + rng_below(seed, rng_one_in(seed, 2) ? 9 : PLAIN_WIDTH);
    }
    plain_draw(drawn, seed, "csb", "ego", 1 + rng_below(seed, PLAIN_WIDTH), widths, rng_below(seed, PLAIN_LAYERS + 1),
               value, policy);
}

TEST(equal_to_plain_arithmetic)
{
    uint64_t seed = test_seed(31);
    const int networks = at_length(2000, 200, 40);
    for (int k = 0; k < networks; k++) {
        draw_network(&seed, k % 3 != 0, k % 3 != 1 ? 1 + rng_below(&seed, 11) : 0);
        OWNED(carom_network) *network = plain_make(drawn);
        const carom_network_info info = carom_network_about(network);
        const size_t rows = k < MOST_ROWS + 1 ? (size_t)k : (size_t)rng_below(&seed, MOST_ROWS + 1);
        FREED float *inputs = (float *)take((rows * info.inputs + 1) * sizeof(float));
        FREED float *wanted = (float *)take((rows * info.outputs + 1) * sizeof(float));
        for (size_t n = 0; n < rows * info.inputs; n++) {
            inputs[n] = draw_input(&seed);
        }
        for (size_t row = 0; row < rows; row++) {
            plain_run(drawn, inputs + row * info.inputs, wanted + row * info.outputs);
        }

        for (size_t i = 0; i < isa_count; i++) {
            FREED float *outputs = (float *)take((rows * info.outputs + 1) * sizeof(float));
            outputs[rows * info.outputs] = wanted[rows * info.outputs] = 7; /* nothing is written after the last */
            OK(carom_isa_force(isas[i]));
            OK(carom_network_run(network, inputs, rows, outputs));
            for (size_t n = 0; n <= rows * info.outputs; n++) {
                if (outputs[n] != wanted[n]) {
                    fail_msg("network %d, %s, number %zu: %.9g instead of %.9g", k, carom_isa_name(isas[i]), n,
                             (double)outputs[n], (double)wanted[n]);
                }
            }
        }
        OK(carom_isa_force(CAROM_ISA_DEFAULT));
    }
}

TEST(what_it_says_of_itself)
{
    uint64_t seed = 5;
    const int widths[] = {7, 5};
    plain_draw(drawn, &seed, "soccer", "raw", 11, widths, 2, 1, 3);
    plain_write(drawn, text);
    OWNED(carom_network) *network = plain_read(text);
    const carom_network_info info = carom_network_about(network);
    assert_string_equal(info.game, "soccer");
    assert_string_equal(info.observation, "raw");
    assert_int_equal(info.inputs, 11);
    assert_int_equal(info.value, 1);
    assert_int_equal(info.policy, 3);
    assert_int_equal(info.outputs, 4);
    assert_int_equal(info.weights, 11 * 7 + 7 * 5 + 5 * 4);
    *strstr(text, "digest") = '\0';
    assert_true(info.digest == plain_digest(text));
}

/* The caller's rounding changes nothing, and is as it was afterwards. */
TEST(whatever_the_caller_rounds)
{
    NOT_ON_WEB(); /* rounds to nearest only */
    uint64_t seed = 6;
    for (int k = 0; k < 20; k++) {
        draw_network(&seed, 1, 2);
        OWNED(carom_network) *network = plain_make(drawn);
        FREED float *inputs = (float *)take((size_t)drawn->inputs * sizeof(float));
        float wanted[3], outputs[3];
        for (int n = 0; n < drawn->inputs; n++) {
            inputs[n] = (float)rng_in(&seed, -2, 2);
        }
        OK(carom_network_run(network, inputs, 1, wanted));
        assert_int_equal(fesetround(FE_UPWARD), 0);
        const carom_status status = carom_network_run(network, inputs, 1, outputs);
        assert_int_equal(fegetround(), FE_UPWARD);
        assert_int_equal(fesetround(FE_TONEAREST), 0);
        OK(status);
        assert_memory_equal(outputs, wanted, sizeof wanted);
    }
}

/* ---- the greatest sums ---- */

/* One linear output of two inputs, of which the greatest amount is that of the weights times 32767, and the bias. */
static carom_status read_sum(int weight, int bias, carom_network **network)
{
    sprintf(text,
            "carom-network 1 game csb observation ego inputs 2 bits 0 limit 32767\n"
            "head value dense 1 linear bits 0 weights %d %d biases %d ",
            weight, weight, bias);
    sprintf(text + strlen(text), "digest %016llx", (unsigned long long)plain_digest(text));
    return carom_network_read(text, strlen(text), network, NULL);
}

TEST(sums_that_just_fit)
{
    /* 2 * 32767 * 32767 = 2147352578. */
    const int room = INT32_MAX - 2147352578;
    for (int sign = -1; sign <= 1; sign += 2) {
        carom_network *none = NULL;
        assert_int_equal(read_sum(sign * 32767, sign * (room + 1), &none), CAROM_ERROR_VALUE);
        assert_null(none);
        OWNED(carom_network) *network = NULL;
        OK(read_sum(sign * 32767, sign * room, &network));
        const float inputs[] = {INFINITY, 1e30f};
        for (size_t i = 0; i < isa_count; i++) {
            float sum = 0;
            OK(carom_isa_force(isas[i]));
            OK(carom_network_run(network, inputs, 1, &sum));
            assert_true(sum == (float)sign * (float)INT32_MAX);
        }
        OK(carom_isa_force(CAROM_ISA_DEFAULT));
    }
}

/* ---- changes ---- */

/* A changed weight or bias changes the digest, and the outputs that depend on it. */
TEST(one_number_changed)
{
    uint64_t seed = test_seed(7);
    const int widths[] = {6};
    plain_draw(drawn, &seed, "csb", "ego", 5, widths, 1, 1, 2);
    drawn->input_bits = 10;
    plain_write(drawn, text);
    const carom_network *whole = plain_read(text);
    const uint64_t digest = carom_network_about(whole).digest;
    carom_network_destroy((carom_network *)(uintptr_t)whole);
    for (int k = 0; k < 3; k++) {
        for (int o = 0; o < drawn->layers[k].outputs; o++) {
            for (int i = 0; i < drawn->layers[k].inputs; i++) {
                drawn->layers[k].weights[o][i] ^= 1;
                OWNED(carom_network) *changed = plain_make(drawn);
                assert_true(carom_network_about(changed).digest != digest);

                /* The same words under the old digest. */
                carom_network *none = NULL;
                carom_problem problem;
                plain_write(drawn, text);
                sprintf(strstr(text, "digest"), "digest %016llx", (unsigned long long)digest);
                assert_int_equal(carom_network_read(text, strlen(text), &none, &problem), CAROM_ERROR_FORMAT);
                assert_non_null(strstr(problem.text, "the network was changed"));
                drawn->layers[k].weights[o][i] ^= 1;
            }
        }
    }
}

/* ---- texts ---- */

#define BEGIN "carom-network 1 game csb observation ego inputs 2 bits 10 limit 4096\n"
#define HEAD "head value dense 1 linear bits 10\nweights 1 2 biases 3\n"

TEST(texts_that_are_wrong)
{
    static const struct {
        const char *words;
        carom_status status;
        const char *problem;
    } texts[] = {
        {"", CAROM_ERROR_FORMAT, "line 1: 'the end of the text' instead of carom-network"},
        {"{\"layers\": []}", CAROM_ERROR_FORMAT, "'{\"layers\":' instead of carom-network"},
        {"carom-network 2", CAROM_ERROR_FORMAT, "'2' instead of 1"},
        {"carom-network 1 game csb inputs", CAROM_ERROR_FORMAT, "'inputs' instead of observation"},
        {"carom-network 1 game csb observation e inputs 0", CAROM_ERROR_VALUE, "inputs: 0 is not between 1 and 1024"},
        {"carom-network 1 game csb observation e inputs 1025", CAROM_ERROR_VALUE, "inputs: 1025"},
        {"carom-network 1 game csb observation e inputs x", CAROM_ERROR_FORMAT, "inputs: 'x' is not a whole number"},
        {"carom-network 1 game csb observation e inputs 99999999999999999999", CAROM_ERROR_VALUE, "inputs: 9999"},
        {"carom-network 1 game csb observation e inputs 2 bits 16", CAROM_ERROR_VALUE, "bits: 16"},
        {"carom-network 1 game csb observation e inputs 2 bits 9 limit 0", CAROM_ERROR_VALUE, "limit: 0"},
        {"carom-network 1 game 0123456789012345678901234567890123", CAROM_ERROR_FORMAT,
         "game: no name, or one that is too long"},
        {BEGIN, CAROM_ERROR_FORMAT, "line 2: 'the end of the text' instead of layer, head or digest"},
        {BEGIN "norm", CAROM_ERROR_FORMAT, "'norm' instead of layer, head or digest"},
        {BEGIN "layer convolution", CAROM_ERROR_FORMAT, "'convolution' is an unknown layer; there is dense"},
        {BEGIN "layer dense 0", CAROM_ERROR_VALUE, "outputs: 0"},
        {BEGIN "layer dense 4 swish", CAROM_ERROR_FORMAT, "'swish' is an unknown activation"},
        {BEGIN "layer dense 4 linear", CAROM_ERROR_FORMAT, "only heads are linear"},
        {BEGIN "layer dense 1 relu bits 8 limit 9 weights 1 2 3", CAROM_ERROR_FORMAT, "'3' instead of biases"},
        {BEGIN "layer dense 1 relu bits 8 limit 9 weights 1 40000", CAROM_ERROR_VALUE, "weight: 40000"},
        {BEGIN "layer dense 1 relu bits 8 limit 9 weights 1 1.5", CAROM_ERROR_FORMAT, "weight: '1.5' is not a whole"},
        {BEGIN "layer dense 1 relu bits 8 limit 9 weights 1 1 biases -", CAROM_ERROR_FORMAT,
         "bias: '-' is not a whole"},
        {BEGIN "layer dense 9 relu bits 8 limit 9 weights 1 1 1 1 1", CAROM_ERROR_FORMAT, "too short for 18 weights"},
        {BEGIN "layer dense 1 relu bits 8 limit 9 weights 32767 32767 biases 2147483647", CAROM_ERROR_VALUE,
         "output 0: its sum can reach"},
        {BEGIN "head best", CAROM_ERROR_FORMAT, "'best' is an unknown head; there are value and policy"},
        {BEGIN "head value dense 2 linear bits 1 weights 1 2 1 2 biases 1 2", CAROM_ERROR_FORMAT,
         "the value has 2 outputs instead of one"},
        {BEGIN HEAD "head value", CAROM_ERROR_FORMAT, "a second head value"},
        {BEGIN HEAD "layer", CAROM_ERROR_FORMAT, "layers come before heads"},
        {BEGIN HEAD "digest 0", CAROM_ERROR_FORMAT, "digest: '0' instead of"},
        {BEGIN "\x80", CAROM_ERROR_FORMAT, "this is not a word of a network"},
        {BEGIN "0123456789012345678901234567890123456789012345678901234567890123", CAROM_ERROR_FORMAT, "not a word"},
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        carom_network *network = (carom_network *)(void *)text;
        carom_problem problem = {""};
        assert_int_equal(carom_network_read(texts[k].words, strlen(texts[k].words), &network, &problem),
                         texts[k].status);
        assert_null(network);
        if (strstr(problem.text, texts[k].problem) == NULL) {
            fail_msg("'%s' instead of '%s'", problem.text, texts[k].problem);
        }
    }
}

TEST(without_heads_or_with_words_after_the_end)
{
    carom_problem problem;
    carom_network *network = NULL;
    strcpy(text, BEGIN);
    sprintf(text + strlen(text), "digest %016llx", (unsigned long long)plain_digest(BEGIN));
    assert_int_equal(carom_network_read(text, strlen(text), &network, &problem), CAROM_ERROR_FORMAT);
    assert_non_null(strstr(problem.text, "no head"));

    strcpy(text, BEGIN HEAD);
    sprintf(text + strlen(text), "digest %016llx more", (unsigned long long)plain_digest(BEGIN HEAD));
    assert_int_equal(carom_network_read(text, strlen(text), &network, &problem), CAROM_ERROR_FORMAT);
    assert_non_null(strstr(problem.text, "'more' after the end"));
}

/* More layers than there may be. */
TEST(too_many_layers)
{
    carom_problem problem;
    carom_network *network = NULL;
    strcpy(text, BEGIN);
    for (int k = 0; k <= CAROM_NETWORK_LAYERS; k++) {
        strcat(text, k == 0 ? "layer dense 1 relu bits 8 limit 9 weights 1 1 biases 1\n"
                            : "layer dense 1 relu bits 8 limit 9 weights 1 biases 1\n");
    }
    assert_int_equal(carom_network_read(text, strlen(text), &network, &problem), CAROM_ERROR_FORMAT);
    assert_non_null(strstr(problem.text, "more than 8 layers"));
}

TEST(comments_and_blanks)
{
    OWNED(carom_network) *network = NULL;
    const char *words = BEGIN HEAD;
    sprintf(text, "# about\tit\r\n#\n%s# more # of it\r\n\t digest#end\n %016llx #", words,
            (unsigned long long)plain_digest(words));
    OK(carom_network_read(text, strlen(text), &network, NULL));
}

/* Truncated anywhere, it is refused, and no byte after the end is read: the copy has no more. */
TEST(cut_off_anywhere)
{
    uint64_t seed = 8;
    const int widths[] = {3};
    plain_draw(drawn, &seed, "csb", "ego", 4, widths, 1, 1, 2);
    plain_write(drawn, text);
    const size_t length = strlen(text) - 1; /* without the line break */
    for (size_t k = 0; k < length; k++) {
        FREED char *copy = (char *)malloc(k + (k == 0));
        assert_non_null(copy);
        memcpy(copy, text, k);
        carom_network *network = NULL;
        const carom_status status = carom_network_read(copy, k, &network, NULL);
        assert_true(status == CAROM_ERROR_FORMAT || status == CAROM_ERROR_VALUE);
        assert_null(network);
    }
}

/* Randomly changed bytes are refused, or read as a network that runs. */
TEST(changed_at_random)
{
    uint64_t seed = test_seed(9);
    const int widths[] = {3, 2};
    plain_draw(drawn, &seed, "csb", "ego", 4, widths, 2, 1, 2);
    plain_write(drawn, text);
    const size_t length = strlen(text);
    FREED char *copy = (char *)take(length + 1);
    const int times = at_length(1000000, 20000, 2000);
    for (int k = 0; k < times; k++) {
        memcpy(copy, text, length + 1);
        for (int changes = 1 + rng_below(&seed, 3); changes > 0; changes--) {
            copy[rng_below(&seed, (int)length)] = (char)(rng_one_in(&seed, 3) ? rng_below(&seed, 256) : ' ');
        }
        OWNED(carom_network) *network = NULL;
        const carom_status status = carom_network_read(copy, length, &network, NULL);
        assert_true((status == CAROM_OK) == (network != NULL));
    }
}

/* ---- files ---- */

TEST(files)
{
    carom_network *network = NULL;
    carom_problem problem;
    assert_int_equal(carom_network_load("no such file", &network, &problem), CAROM_ERROR_ARGUMENT);
    assert_string_equal(problem.text, "network: 'no such file' cannot be read");
    assert_int_equal(carom_network_load(".", &network, &problem), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_network_load(NULL, &network, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_network_load(".", NULL, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_network_read(NULL, 0, &network, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_network_read(text, 0, NULL, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_network_run(NULL, NULL, 0, NULL), CAROM_ERROR_ARGUMENT);
    carom_network_destroy(NULL);
}
