/* SPDX-License-Identifier: MIT
 * The end of a game's source: carom/kit/rules.h comes before its rules, this file after them. Here they become what the
 * library plays: a kernel for one instruction set and precision, or the host's side. See carom/kit/engine/table.h.
 */
#ifndef CAROM_KIT_GAME_H
#define CAROM_KIT_GAME_H

#if !defined(CAROM_KIT_RULES_H)
#error "include carom/kit/rules.h before the rules, and carom/kit/game.h after them"
#endif

#include "carom/kit/engine/moves.h"
#include "carom/kit/engine/table.h"

#endif
