/* SPDX-License-Identifier: MIT
 * Command lines of fantastic_bits, as the referee reads them: a keyword in capitals, exactly one space, numbers
 * separated by white space, and optionally white space and a message.
 */
#include <carom/fantastic_bits.h>

#include <string.h>

/* Unlike isspace() this does not depend on the locale. */
static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Reads a number of 1 to `most` digits and advances *at past it. */
static bool read_number(const char **at, int most, bool may_be_negative, double *value)
{
    const char *c = *at;
    bool negative = may_be_negative && *c == '-';
    c += negative;
    int digits = 0;
    double number = 0;
    for (; *c >= '0' && *c <= '9' && digits < most; c++, digits++) {
        number = number * 10 + (*c - '0');
    }
    *at = c;
    *value = negative ? 0 - number : number;
    return digits > 0;
}

/* Advances *at past white space. Was there any? */
static bool skip_space(const char **at)
{
    const char *begin = *at;
    while (is_space(**at)) {
        ++*at;
    }
    return *at != begin;
}

/* Is this the end of the line, or white space and a message of at least one character? */
static bool is_end(const char *at)
{
    return *at == '\0' || (is_space(at[0]) && at[1] != '\0');
}

/* Keywords, each with the space after it. A spell has one number, its target's id; the others have x, y and a power. */
static const struct verb {
    const char *name;
    double number;
    bool spell;
} verbs[] = {
    {"MOVE ", CAROM_FANTASTIC_BITS_MOVE, false},          {"THROW ", CAROM_FANTASTIC_BITS_THROW, false},
    {"OBLIVIATE ", CAROM_FANTASTIC_BITS_OBLIVIATE, true}, {"PETRIFICUS ", CAROM_FANTASTIC_BITS_PETRIFICUS, true},
    {"ACCIO ", CAROM_FANTASTIC_BITS_ACCIO, true},         {"FLIPENDO ", CAROM_FANTASTIC_BITS_FLIPENDO, true},
};

carom_status carom_fantastic_bits_read_line(const char *line, double numbers[4])
{
    if (line == NULL || numbers == NULL) {
        return CAROM_ERROR_ARGUMENT;
    }

    numbers[1] = numbers[2] = numbers[3] = 0;
    for (size_t k = 0; k < sizeof verbs / sizeof verbs[0]; k++) {
        const size_t length = strlen(verbs[k].name);
        if (strncmp(line, verbs[k].name, length) != 0) {
            continue;
        }

        const char *at = line + length;
        bool good = verbs[k].spell ? read_number(&at, 3, true, &numbers[1])
                                   : read_number(&at, 8, true, &numbers[1]) && skip_space(&at) &&
                                         read_number(&at, 8, true, &numbers[2]) && skip_space(&at) &&
                                         read_number(&at, 8, false, &numbers[3]);
        if (good && is_end(at)) {
            numbers[0] = verbs[k].number;
            return CAROM_OK;
        }
    }

    numbers[0] = CAROM_FANTASTIC_BITS_BAD;
    numbers[1] = numbers[2] = numbers[3] = 0;
    return CAROM_ERROR_VALUE;
}
