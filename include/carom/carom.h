/* SPDX-License-Identifier: MIT
 * Carom: exact impacts of moving circles, in many worlds at once. Includes every public header. */
#ifndef CAROM_CAROM_H
#define CAROM_CAROM_H

#include <carom/base.h>
#include <carom/csb.h>
#include <carom/device.h>
#include <carom/fall.h>
#include <carom/fantastic_bits.h>
#include <carom/game.h>
#include <carom/gas.h>
#include <carom/lab.h>
#include <carom/look.h>
#include <carom/measures.h>
#include <carom/network.h>
#include <carom/picture.h>
#include <carom/player.h>
#include <carom/probe.h>
#include <carom/query.h>
#include <carom/recipe.h>
#include <carom/replay.h>
#include <carom/rollout.h>
#include <carom/scene.h>
#include <carom/search.h>
#include <carom/soccer.h>
#include <carom/stones.h>
#include <carom/toi.h>
#include <carom/toi_accelerated.h>
#include <carom/toi_arcs.h>
#include <carom/toi_walls.h>
#include <carom/worlds.h>

#endif
