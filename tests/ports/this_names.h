/* SPDX-License-Identifier: MIT
 * Renames what tests compile a second time in addition to the library: kernel/search/create.c, and the table in which
 * it finds the engine of a device.
 */
#ifndef CAROM_TESTS_PORTS_THIS_NAMES_H
#define CAROM_TESTS_PORTS_THIS_NAMES_H

#define carom_device_ops this_ops
#define carom_search_create this_create
#define carom_search_desc_default this_desc_default
#define carom_search_destroy this_destroy
#define carom_search_set_budget this_set_budget
#define carom_search_take_leaves this_take_leaves

#endif
