/* SPDX-License-Identifier: MIT
 * The program `carom`. The Python package has the same commands without this file: see python/src/module.c.
 */
#include "command.h"

int main(int argc, char **argv)
{
    return carom_command(argc, argv);
}
