/* SPDX-License-Identifier: MIT
 * Searches on a device: their engine and their data there.
 */
#ifndef CAROM_DEVICE_SEARCH_H
#define CAROM_DEVICE_SEARCH_H

#include "search/search.h"

extern const struct search_engine carom_device_search;

/* device_ops.search_create and .search_destroy: allocate and release search->device. */
carom_status carom_device_search_create(carom_search *search, const carom_worlds *roots);
void carom_device_search_destroy(carom_search *search);

#endif
