/* SPDX-License-Identifier: MIT
 * The program `carom`. The Python package has the same commands without this file: see python/src/module.c.
 */
#include "command.h"
#include "system.h"

int main(int argc, char **argv)
{
    carom_system_begin();
    return carom_command(argc, argv);
}
