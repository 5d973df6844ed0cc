/* SPDX-License-Identifier: MIT
 * The surroundings of the candidates block in docs/search.md: games of csb, a search's descriptor, and the number of
 * the policy `race`. Creates and runs the search that the block describes.
 */
#include <carom/carom.h>
/* directives */

int main(void)
{
    const carom_game *csb = carom_game_find("csb");
    const carom_worlds_desc made = carom_worlds_desc_default(csb);
    carom_worlds *worlds;
    carom_search *search;
    size_t race;
    if (carom_worlds_create(&made, &worlds) != CAROM_OK || carom_game_find_policy(csb, "race", &race) != CAROM_OK) {
        return 1;
    }
    carom_search_desc desc = carom_search_desc_default(csb);
    /* the rest */
    if (carom_search_create(worlds, &desc, &search) != CAROM_OK || carom_search_run(search, worlds) != CAROM_OK) {
        return 1;
    }
    carom_search_destroy(search);
    carom_worlds_destroy(worlds);
    return 0;
}
