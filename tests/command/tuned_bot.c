/* SPDX-License-Identifier: MIT
 * A program for the tests of `carom tune --bot`: it kicks a ball of the game fall up with a probability that is a known
 * function of two numbers, and down otherwise. Its strength peaks with 0.95 at k = 3.4 and depth = 4.5.
 *
 * usage: tuned_bot K DEPTH
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

int main(int argc, char **argv)
{
    char line[65536];
    uint64_t world = 0, bits;
    if (argc != 3) {
        return 2;
    }
    const double k = strtod(argv[1], NULL), depth = strtod(argv[2], NULL);
    const double x = (k - 3.4) / 2, y = (depth - 4.5) / 5, strength = 0.05 + 0.9 * exp(-3 * (x * x + y * y));
    memcpy(&bits, &k, sizeof bits);
    while (fgets(line, sizeof line, stdin) != NULL) {
        (void)sscanf(line, "world %" SCNu64, &world);
        if (strcmp(line, "go\n") == 0) {
            const uint64_t drawn = mix(mix(world + UINT64_C(0x9e3779b97f4a7c15)) ^ bits ^ (uint64_t)(depth * 64));
            puts((double)(drawn >> 11) / 9007199254740992.0 < strength ? "0 1" : "0 -1");
            fflush(stdout);
        }
    }
    return 0;
}
