/* SPDX-License-Identifier: MIT
 * A shared object with the entry of air hockey, in which one thing is wrong: see tests/kit/kit.sh.
 */
#include <assert.h>
#include <string.h>

#include "games/entry.h"

extern const carom_kit_entry carom_air_hockey_entry;

__attribute__((visibility("default"))) extern carom_kit_entry carom_game_entry;
carom_kit_entry carom_game_entry;

static carom_game game;
static field_spec fields[16];
static carom_action_kind kind;
static game_options about;
static carom_option options[3];

#if defined(ISA)
static const game_kernel *none(carom_isa isa, carom_precision precision)
{
    (void)isa, (void)precision;
    return NULL;
}
#endif

__attribute__((constructor)) static void make(void)
{
    carom_game_entry = carom_air_hockey_entry;
    game = *carom_air_hockey_entry.game;
    memcpy(fields, game.type.fields, game.type.field_count * sizeof fields[0]);
    kind = game.kinds[0];
    game.type.fields = fields;
    game.kinds = &kind;
    about = *game.options;
    memcpy(options, about.table, sizeof options);
    about.table = options;
    game.options = &about;
    carom_game_entry.game = &game;
#if defined(VERSION)
    carom_game_entry.version = 99000000;
    carom_game_entry.game = NULL; /* it must not be read */
#elif defined(LAYOUT)
    carom_game_entry.layout ^= 1;
#elif defined(SIZES)
    carom_game_entry.sizes[3] += 8;
#elif defined(FIELDS)
    fields[1].count++;
#elif defined(DOUBLED)
    fields[1].name = fields[0].name;
#elif defined(PLAYERS)
    game.info.players = 5;
#elif defined(KINDS)
    kind.name = "other";
#elif defined(TRIAL)
    carom_game_entry.trial = NULL;
#elif defined(TAKEN)
    game.info.name = game.type.name = "csb";
#elif defined(BADNAME)
    game.info.name = game.type.name = "Air/hockey";
#elif defined(ISA)
    game.kernel = none;
#elif defined(OPTION_NAME)
    options[0].name = "Goals";
#elif defined(OPTION_TWICE)
    options[1].name = options[0].name;
#elif defined(OPTION_DEFAULT)
    options[0].value = options[0].high + 1;
#elif defined(OPTION_PLACE)
    options[0].offset = about.bytes;
#else
#error "what is to be wrong?"
#endif
}
