/* SPDX-License-Identifier: MIT
 * Reads networks. A text is untrusted: every number is checked before it is used, and memory is allocated only for as
 * many numbers as the text can hold.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/problem.h"
#include "network/network.h"

#define LONGEST_WORD 48
#define LARGEST_FILE ((size_t)256 << 20)
#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static const char *const head_names[NETWORK_HEADS] = {"value", "policy"};
static const char *const activation_names[] = {"linear", "clip", "relu", "tanh"};
#define ACTIVATIONS (sizeof activation_names / sizeof activation_names[0])

/* The state of reading a text. */
typedef struct network_text {
    const char *at, *end;
    size_t line;
    char word[LONGEST_WORD]; /* the last one; "" at the end of the text */
    uint64_t digest;         /* of all words so far */
    carom_network *made;
    carom_problem *problem;
} network_text;

#define WRONG(status, ...) wrong(read, status, __VA_ARGS__)

__attribute__((format(printf, 3, 4))) static carom_status wrong(network_text *read, carom_status status,
                                                                const char *format, ...)
{
    char what[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return carom_wrong(read->problem, status, "network: line %zu: %s", read->line, what);
}

/* ---- words ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static void skip_blanks(network_text *read)
{
    bool comment = false;
    for (; read->at < read->end && (comment || is_blank(*read->at) || *read->at == '#'); read->at++) {
        comment = *read->at != '\n' && (comment || *read->at == '#');
        read->line += *read->at == '\n';
    }
}

/* Reads the next word; digested: includes it in the digest. */
static carom_status next_word(network_text *read, bool digested)
{
    skip_blanks(read);
    size_t length = 0;
    for (; read->at < read->end && !is_blank(*read->at) && *read->at != '#'; read->at++) {
        if (length + 1 == sizeof read->word || *read->at < '!' || *read->at > '~') {
            return WRONG(CAROM_ERROR_FORMAT, "this is not a word of a network");
        }
        read->word[length++] = *read->at;
    }
    read->word[length] = '\0';
    for (size_t k = 0; digested && k <= length; k++) {
        const unsigned char byte = k < length ? (unsigned char)read->word[k] : '\n';
        read->digest = (read->digest ^ byte) * FNV_PRIME;
    }
    return CAROM_OK;
}

static const char *or_end(const network_text *read)
{
    return read->word[0] != '\0' ? read->word : "the end of the text";
}

/* Requires the word `name` next. */
static carom_status expect(network_text *read, const char *name)
{
    const carom_status status = next_word(read, true);
    if (status != CAROM_OK) {
        return status;
    }
    return strcmp(read->word, name) == 0 ? CAROM_OK
                                         : WRONG(CAROM_ERROR_FORMAT, "'%s' instead of %s", or_end(read), name);
}

/* Reads an integer from least to most. */
static carom_status take_number(network_text *read, const char *what, int64_t least, int64_t most, int64_t *number)
{
    const carom_status status = next_word(read, true);
    if (status != CAROM_OK) {
        return status;
    }

    const char *digits = read->word + (read->word[0] == '-');
    const size_t length = strlen(digits);
    if (length == 0 || strspn(digits, "0123456789") != length) {
        return WRONG(CAROM_ERROR_FORMAT, "%s: '%s' is not a whole number", what, or_end(read));
    }
    int64_t amount = 0;
    for (size_t k = 0; k < length && amount <= INT32_MAX; k++) {
        amount = amount * 10 + (digits[k] - '0');
    }
    *number = digits > read->word ? -amount : amount;
    return *number >= least && *number <= most ? CAROM_OK
                                               : WRONG(CAROM_ERROR_VALUE, "%s: %s is not between %lld and %lld", what,
                                                       read->word, (long long)least, (long long)most);
}

/* Reads `name` and a number. */
static carom_status take_named(network_text *read, const char *name, int64_t least, int64_t most, int64_t *number)
{
    const carom_status status = expect(read, name);
    return status == CAROM_OK ? take_number(read, name, least, most, number) : status;
}

/* Reads `name` and a word. */
static carom_status take_name(network_text *read, const char *name, char *word)
{
    carom_status status = expect(read, name);
    status = status == CAROM_OK ? next_word(read, true) : status;
    if (status == CAROM_OK && (read->word[0] == '\0' || strlen(read->word) >= NETWORK_NAME)) {
        return WRONG(CAROM_ERROR_FORMAT, "%s: no name, or one that is too long", name);
    }
    if (status == CAROM_OK) {
        memcpy(word, read->word, strlen(read->word) + 1);
    }
    return status;
}

/* ---- layers ---- */

static size_t layer_padded(const network_layer *layer)
{
    return layer->blocks * NETWORK_BLOCK;
}

/* Reads "dense 32 relu bits 12 limit 4096", of a layer whose inputs have `bits` bits. */
static carom_status take_shape(network_text *read, network_layer *layer, int bits, bool head)
{
    int64_t outputs = 0, own = 0, limit = 1 << NETWORK_BITS;
    carom_status status = next_word(read, true);
    if (status == CAROM_OK && strcmp(read->word, "dense") != 0) {
        return WRONG(CAROM_ERROR_FORMAT, "'%s' is an unknown layer; there is dense", or_end(read));
    }
    status = status == CAROM_OK ? take_number(read, "outputs", 1, CAROM_NETWORK_WIDTH, &outputs) : status;
    status = status == CAROM_OK ? next_word(read, true) : status;
    if (status != CAROM_OK) {
        return status;
    }

    size_t activation = 0;
    while (activation < ACTIVATIONS && strcmp(activation_names[activation], read->word) != 0) {
        activation++;
    }
    if (activation == ACTIVATIONS) {
        return WRONG(CAROM_ERROR_FORMAT, "'%s' is an unknown activation; there are linear, clip, relu, tanh",
                     or_end(read));
    }
    layer->activation = (network_activation)activation;
    if (layer->activation == NETWORK_LINEAR && !head) {
        return WRONG(CAROM_ERROR_FORMAT, "only heads are linear");
    }

    status = take_named(read, "bits", 0, 15, &own);
    if (status == CAROM_OK && (layer->activation == NETWORK_CLIP || layer->activation == NETWORK_RELU)) {
        status = take_named(read, "limit", 1, INT16_MAX, &limit);
    }
    if (status == CAROM_OK && layer->activation != NETWORK_LINEAR && bits + own < NETWORK_BITS) {
        return WRONG(CAROM_ERROR_VALUE, "bits: together with the %d of the inputs, fewer than %d", bits, NETWORK_BITS);
    }
    layer->outputs = (size_t)outputs;
    layer->bits = bits + (int)own;
    layer->limit = (int32_t)limit;
    return status;
}

/* Allocates a layer if the text can hold its numbers: each has at least a digit and a space. */
static carom_status take_room(network_text *read, network_layer *layer)
{
    layer->pairs = (layer->inputs + 1) / 2;
    layer->blocks = (layer->outputs + NETWORK_BLOCK - 1) / NETWORK_BLOCK;
    if ((size_t)(read->end - read->at) / 2 < layer->inputs * layer->outputs) {
        return WRONG(CAROM_ERROR_FORMAT, "the text is too short for %zu weights", layer->inputs * layer->outputs);
    }
    layer->packed = (int32_t *)carom_memory_take(layer_padded(layer) * layer->pairs * sizeof *layer->packed);
    layer->biases = (int32_t *)carom_memory_take(layer_padded(layer) * sizeof *layer->biases);
    return layer->packed != NULL && layer->biases != NULL ? CAROM_OK : CAROM_ERROR_MEMORY;
}

/* Reads the weights of an output, and sums their magnitudes. */
static carom_status take_weights(network_text *read, network_layer *layer, size_t output, int64_t *sum)
{
    for (size_t input = 0; input < layer->inputs; input++) {
        int64_t weight = 0;
        const carom_status status = take_number(read, "weight", -INT16_MAX, INT16_MAX, &weight);
        if (status != CAROM_OK) {
            return status;
        }
        int32_t *pair = layer->packed + (output / NETWORK_BLOCK * layer->pairs + input / 2) * NETWORK_BLOCK +
                        output % NETWORK_BLOCK;
        const uint32_t half = (uint32_t)(uint16_t)weight << (input % 2 * 16);
        *pair = (int32_t)((uint32_t)*pair | half);
        *sum += llabs(weight);
    }
    return CAROM_OK;
}

/* Reads weights and biases. No sum may overflow for any input; `most` is the largest magnitude of an input. */
static carom_status take_numbers(network_text *read, network_layer *layer, int64_t most)
{
    int64_t sums[CAROM_NETWORK_WIDTH] = {0};
    const int shift = layer->activation == NETWORK_LINEAR ? 0 : layer->bits - NETWORK_BITS;
    const int64_t half = shift > 0 ? (int64_t)1 << (shift - 1) : 0;
    carom_status status = expect(read, "weights");
    for (size_t output = 0; output < layer->outputs && status == CAROM_OK; output++) {
        status = take_weights(read, layer, output, &sums[output]);
    }
    status = status == CAROM_OK ? expect(read, "biases") : status;

    for (size_t output = 0; output < layer->outputs && status == CAROM_OK; output++) {
        int64_t bias = 0;
        status = take_number(read, "bias", -INT32_MAX, INT32_MAX, &bias);
        if (status == CAROM_OK && sums[output] * most + llabs(bias) + half > INT32_MAX) {
            return WRONG(CAROM_ERROR_VALUE, "output %zu: its sum can reach %lld, which is more than %d", output,
                         (long long)(sums[output] * most + llabs(bias) + half), INT32_MAX);
        }
        layer->biases[output] = (int32_t)(bias + half);
    }
    return status;
}

/* Reads a layer or a head, after its name. */
static carom_status take_layer(network_text *read, network_layer *layer, bool head)
{
    carom_network *made = read->made;
    const network_layer *before = made->count > 0 ? &made->layers[made->count - 1] : NULL;
    layer->inputs = before != NULL ? before->outputs : made->inputs;
    carom_status status = take_shape(read, layer, before != NULL ? NETWORK_BITS : made->input_bits, head);
    status = status == CAROM_OK ? take_room(read, layer) : status;
    status =
        status == CAROM_OK ? take_numbers(read, layer, before != NULL ? before->limit : made->input_limit) : status;
    if (status != CAROM_OK) {
        return status;
    }

    const size_t padded = layer_padded(layer) / 2;
    made->width = layer->pairs > made->width ? layer->pairs : made->width;
    made->width = padded > made->width ? padded : made->width;
    made->weights += layer->inputs * layer->outputs;
    if (layer->activation == NETWORK_TANH_TABLE && made->tanh == NULL) {
        made->tanh = (int16_t *)carom_memory_take(NETWORK_TANH * sizeof *made->tanh);
        if (made->tanh == NULL) {
            return CAROM_ERROR_MEMORY;
        }
        carom_network_fill_tanh(made->tanh);
    }
    return CAROM_OK;
}

static carom_status take_hidden(network_text *read)
{
    carom_network *made = read->made;
    if (made->heads[0].outputs + made->heads[1].outputs > 0) {
        return WRONG(CAROM_ERROR_FORMAT, "layers come before heads");
    }
    if (made->count == CAROM_NETWORK_LAYERS) {
        return WRONG(CAROM_ERROR_FORMAT, "more than %d layers", CAROM_NETWORK_LAYERS);
    }
    const carom_status status = take_layer(read, &made->layers[made->count], false);
    made->count += 1; /* so that its memory is freed with the network even after an error */
    return status;
}

static carom_status take_head(network_text *read)
{
    carom_network *made = read->made;
    const carom_status status = next_word(read, true);
    if (status != CAROM_OK) {
        return status;
    }
    size_t head = 0;
    while (head < NETWORK_HEADS && strcmp(head_names[head], read->word) != 0) {
        head++;
    }
    if (head == NETWORK_HEADS) {
        return WRONG(CAROM_ERROR_FORMAT, "'%s' is an unknown head; there are value and policy", or_end(read));
    }
    if (made->heads[head].outputs > 0) {
        return WRONG(CAROM_ERROR_FORMAT, "a second head %s", head_names[head]);
    }

    const carom_status taken = take_layer(read, &made->heads[head], true);
    if (taken == CAROM_OK && head == 0 && made->heads[0].outputs != 1) {
        return WRONG(CAROM_ERROR_FORMAT, "the value has %zu outputs instead of one", made->heads[0].outputs);
    }
    return taken;
}

/* ---- texts ---- */

static carom_status take_begin(network_text *read)
{
    carom_network *made = read->made;
    int64_t inputs = 0, bits = 0, limit = 0;
    carom_status status = expect(read, "carom-network");
    status = status == CAROM_OK ? expect(read, "1") : status;
    status = status == CAROM_OK ? take_name(read, "game", made->game) : status;
    status = status == CAROM_OK ? take_name(read, "observation", made->observation) : status;
    status = status == CAROM_OK ? take_named(read, "inputs", 1, CAROM_NETWORK_WIDTH, &inputs) : status;
    status = status == CAROM_OK ? take_named(read, "bits", 0, 15, &bits) : status;
    status = status == CAROM_OK ? take_named(read, "limit", 1, INT16_MAX, &limit) : status;
    made->inputs = (size_t)inputs;
    made->input_bits = (int)bits;
    made->input_limit = (int32_t)limit;
    made->width = ((size_t)inputs + 1) / 2;
    return status;
}

/* The digest is the last word. */
static carom_status take_end(network_text *read)
{
    carom_network *made = read->made;
    char digest[20];
    made->digest = read->digest;
    snprintf(digest, sizeof digest, "%016llx", (unsigned long long)made->digest);
    carom_status status = next_word(read, false);
    if (status == CAROM_OK && strcmp(read->word, digest) != 0) {
        return WRONG(CAROM_ERROR_FORMAT, "digest: '%s' instead of %s: the network was changed", or_end(read), digest);
    }
    status = status == CAROM_OK ? next_word(read, false) : status;
    if (status == CAROM_OK && read->word[0] != '\0') {
        return WRONG(CAROM_ERROR_FORMAT, "'%s' after the end of the network", read->word);
    }
    if (status == CAROM_OK && made->heads[0].outputs + made->heads[1].outputs == 0) {
        return WRONG(CAROM_ERROR_FORMAT, "no head, so no outputs");
    }
    return status;
}

static carom_status take_network(network_text *read)
{
    carom_status status = take_begin(read);
    while (status == CAROM_OK) {
        const uint64_t digest = read->digest;
        status = next_word(read, true);
        if (status == CAROM_OK && strcmp(read->word, "digest") == 0) {
            read->digest = digest;
            return take_end(read);
        }
        if (status == CAROM_OK && strcmp(read->word, "layer") == 0) {
            status = take_hidden(read);
        } else if (status == CAROM_OK && strcmp(read->word, "head") == 0) {
            status = take_head(read);
        } else if (status == CAROM_OK) {
            status = WRONG(CAROM_ERROR_FORMAT, "'%s' instead of layer, head or digest", or_end(read));
        }
    }
    return status;
}

carom_status carom_network_read(const char *text, size_t length, carom_network **network, carom_problem *problem)
{
    if (network == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    *network = NULL;
    if (text == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    carom_network *made = (carom_network *)calloc(1, sizeof *made);
    if (made == NULL) {
        return CAROM_ERROR_MEMORY;
    }
    network_text read = {
        .at = text, .end = text + length, .line = 1, .digest = FNV_START, .made = made, .problem = problem};
    const carom_status status = take_network(&read);
    if (status != CAROM_OK) {
        carom_network_destroy(made);
        return status;
    }
    *network = made;
    return CAROM_OK;
}

/* ---- files ---- */

/* The whole file, from malloc(); NULL if it cannot be read or is too large. */
static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    char *text = NULL;
    size_t room = 0;
    *length = 0;
    while (*length == room) { /* the file does not fit */
        room = room == 0 ? 65536 : 2 * room;
        char *more = room <= LARGEST_FILE ? (char *)realloc(text, room) : NULL;
        if (more == NULL) {
            free(text);
            (void)fclose(file);
            return NULL;
        }
        text = more;
        *length += fread(text + *length, 1, room - *length, file);
    }
    const bool failed = ferror(file) != 0;
    (void)fclose(file);
    if (failed) {
        free(text);
        return NULL;
    }
    return text;
}

carom_status carom_network_load(const char *path, carom_network **network, carom_problem *problem)
{
    if (network == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    *network = NULL;
    if (path == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }
    size_t length;
    char *text = read_file(path, &length);
    if (text == NULL) {
        return carom_wrong(problem, CAROM_ERROR_ARGUMENT, "network: '%.100s' cannot be read", path);
    }
    const carom_status status = carom_network_read(text, length, network, problem);
    free(text);
    return status;
}
