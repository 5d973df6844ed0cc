/* SPDX-License-Identifier: MIT
 * `carom verify`: replays recorded games of the referee and compares every number that they hold.
 */
#include "verify.h"

#include <math.h>

#include <stdlib.h>
#include <string.h>

/* The games that have traces. */
static const struct {
    const char *game;
    verify_batch *verify;
} verifiers[] = {
    {"csb", verify_csb},
    {"fall", verify_fall},
    {"fantastic_bits", verify_fantastic_bits},
    {"stones", verify_stones},
};

void carom_help_verify(void)
{
    puts("carom verify GAME [--isa NAME] FILE...\n"
         "\n"
         "Replays traces of the game's referee in f64 and compares every number: the start, the events of each turn\n"
         "(times and bodies), the state before friction and rounding, the state after the turn; bit for bit, the\n"
         "sign of a zero included, but where the list below says otherwise. Prints the first 20 mismatches and the\n"
         "sums; exit code 1 if there are any, 2 if no trace could be played.\n"
         "\n"
         "games\n"
         "  csb                   by the rules of the referee's test mode; I, B, U, S, P: the records of the trace;\n"
         "                        positions and velocities of I and S, which are whole, have no -0 there\n"
         "  fantastic_bits        every number\n"
         "  fall                  the first 50 collisions in order, all numbers within 1e-9; scenes with springs or\n"
         "                        moving polygons and reads of velocities are passed over; where the engine misses a\n"
         "                        collision of slightly accelerated circles the replay of that trace ends\n"
         "  stones                traces of the plugin: sweeps, hits, every number of every stone after the tick;\n"
         "                        shotDistance, which is reached through pow, to 1e-12");
}

void verify_demand(carom_status status, const char *doing)
{
    if (status != CAROM_OK) {
        carom_die("cannot %s: %s", doing, carom_status_string(status));
    }
}

void verify_compare(const place *at, const char *field, double expected, double found)
{
    if (expected == found && signbit(expected) == signbit(found)) { /* not true for a NaN, which no trace holds */
        return;
    }
    if (at->count->mismatches++ < VERIFY_SHOWN) {
        printf("%s: %s, %s, %s: the trace has %.17g, carom %.17g\n", at->file, at->when, at->who, field, expected,
               found);
    }
}

void verify_compare_near(const place *at, const char *field, double expected, double found, double tolerance)
{
    if (!(fabs(expected - found) <= tolerance * fabs(expected))) {
        verify_compare(at, field, expected, found);
    }
}

void verify_get(const carom_worlds *worlds, const char *name, size_t count, void *values)
{
    size_t index;
    verify_demand(carom_worlds_find_field(worlds, name, &index), "find a field");
    verify_demand(carom_worlds_get(worlds, index, 0, count, values), "read a field");
}

static verify_batch *find_verifier(const char *game)
{
    for (size_t k = 0; k < sizeof verifiers / sizeof verifiers[0]; k++) {
        if (strcmp(verifiers[k].game, game) == 0) {
            return verifiers[k].verify;
        }
    }
    carom_die("no traces of a game '%s' can be verified (see carom verify --help)", game);
}

int carom_command_verify(arguments *args)
{
    const char *game = NULL;
    const char *value;
    carom_isa isa = CAROM_ISA_DEFAULT;
    char **files = args->list; /* the words that are files move to the front of the list */
    size_t file_count = 0;
    while (*args->list != NULL) {
        char *word = *args->list;
        if (carom_take_value(args, "--isa", &value)) {
            isa = carom_parse_isa(value);
        } else if (carom_take_word(args) == NULL) {
            carom_refuse(args);
        } else if (game == NULL) {
            game = word;
        } else {
            files[file_count++] = word;
        }
    }
    if (game == NULL) {
        carom_die("which game? (see carom verify --help)");
    }
    verify_batch *verify = find_verifier(game);
    if (file_count == 0) {
        carom_die("which traces? (see carom verify --help)");
    }
    files[file_count] = NULL;

    tally count = {0};
    for (size_t i = 0; i < file_count; i += VERIFY_BATCH) {
        verify(files + i, isa, &count);
    }
    if (count.mismatches > VERIFY_SHOWN) {
        printf("(the first %d mismatches are shown)\n", VERIFY_SHOWN);
    }
    printf("%zu traces, %zu turns, %zu mismatches\n", count.traces, count.turns, count.mismatches);
    if (count.traces == 0) {
        carom_die("no trace was played");
    }
    return count.mismatches > 0 ? EXIT_MISMATCH : 0;
}
