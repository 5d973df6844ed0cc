/* SPDX-License-Identifier: MIT
 * The end of a game's source. Include carom/kit/rules.h before the rules and this file after them; it compiles them to
 * a kernel for one instruction set and precision, or to the host's side. See carom/kit/engine/table.h.
 */
#ifndef CAROM_KIT_GAME_H
#define CAROM_KIT_GAME_H

#if !defined(CAROM_KIT_RULES_H)
#error "include carom/kit/rules.h before the rules, and carom/kit/game.h after them"
#endif

#include "carom/kit/engine/moves.h"
#include "carom/kit/engine/table.h"

#endif
