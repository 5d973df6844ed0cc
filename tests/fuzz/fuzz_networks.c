/* SPDX-License-Identifier: MIT
 * libFuzzer: networks as text, with a corrected digest, so that more than the first lines is parsed. Every network that
 * is accepted also runs, on numbers from the same bytes.
 */
#include <carom/carom.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The text with the digest that the library expects: its error names it if nothing else is wrong. */
static char *put_right(const uint8_t *data, size_t size, const carom_problem *problem, size_t *length)
{
    static const char instead[] = "' instead of ";
    const char *wanted = strstr(problem->text, "digest: '");
    wanted = wanted != NULL ? strstr(wanted, instead) : NULL;
    char *text = (char *)malloc(size + 40);
    if (text == NULL) {
        abort();
    }
    memcpy(text, data, size);
    text[size] = '\0';
    char *last = NULL;
    for (char *at = strstr(text, "digest"); at != NULL; at = strstr(at + 1, "digest")) {
        last = at;
    }
    if (wanted == NULL || last == NULL) {
        free(text);
        return NULL;
    }
    *length = (size_t)(last - text) + (size_t)sprintf(last, "digest %.16s", wanted + strlen(instead));
    return text;
}

static void run(const carom_network *network, const uint8_t *data, size_t size)
{
    const carom_network_info info = carom_network_about(network);
    const size_t bytes = info.inputs * sizeof(float);
    float *inputs = (float *)calloc(info.inputs, sizeof *inputs);
    float *outputs = (float *)calloc(info.outputs, sizeof *outputs);
    if (inputs == NULL || outputs == NULL) {
        abort();
    }
    memcpy(inputs, data, size < bytes ? size : bytes);
    if (carom_network_run(network, inputs, 1, outputs) != CAROM_OK) {
        abort();
    }
    free(inputs);
    free(outputs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    carom_network *network;
    carom_problem problem;
    memset(&problem, 1, sizeof problem);
    if (carom_network_read((const char *)data, size, &network, &problem) != CAROM_OK) {
        if (network != NULL || memchr(problem.text, '\0', sizeof problem.text) == NULL || problem.text[0] == '\0') {
            abort();
        }
        size_t length = 0;
        char *text = put_right(data, size, &problem, &length);
        if (text == NULL) {
            return 0;
        }
        if (carom_network_read(text, length, &network, NULL) == CAROM_OK) {
            run(network, data, size);
        }
        free(text);
    } else {
        run(network, data, size);
    }
    carom_network_destroy(network);
    return 0;
}
