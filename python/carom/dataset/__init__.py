# SPDX-License-Identifier: MIT
"""Data sets: transitions and games of worlds, as Parquet.

    import carom, carom.dataset

    worlds = carom.Worlds("csb", seed=1, players=["race", "random"], observation="ego", precision="f32", at_end="reset")
    data = carom.dataset.write(worlds, "races", count=100_000, ticks=400, progress=True)
    for batch in data.batches(4096, shuffle_seed=1, as_="torch"):
        batch.observations, batch.actions, batch.rewards, batch.next_observations, batch.ends

Needs pyarrow: pip install 'carom[dataset]'.

A data set is a folder:

    manifest.json                  what was played, the columns with their units, and the blocks with digests
    transitions/000000.parquet     a file for each block, with a row for each step of each world
    games/000000.parquet           a row for each game of the block, including those cut off by the end of the data

A block is a number of worlds, from the start of their first games. Its rows are in the order of play: step by step, and
within a step by world id. Columns of the transitions, all without nulls:

    world                uint64    the world's id
    episode, tick        int32     the world's game (0 for its first), and the ticks of it played before the step
    observation.A.NAME   float32   what agent A saw before the step; unit and scale are in the column's metadata
    action.P.K           float32   number K of what player P did (float64 if the kind of action uses it)
    reward.A             float32   what agent A gained in the step
    end                  uint8     0 the game continues; 1 it was decided in the step; 2 it was stopped (its limit of
                                   ticks, or a fault)

The observation after a step is that of the world's next row, unless the step ended the game or the data: then it is the
final observation in `games`. `Dataset.batches` puts them together.
Columns of the games; those of the result are null if the game was cut off:

    world, episode       as above
    row                  int64     the game's last row, counted within the block
    ticks                uint32    that were played
    end                  uint8     as above; 0: cut off
    winner               int32     a player; -1: a draw
    score.P, return.P    int32, float64
    fault                uint32    bits of the fault that stopped it: 1 events, 2 nan, 4 range
    final_observation.A.NAME       after its last step here

A file gets its final name only once it is complete. Files are not forced to the disk: after a power failure run
`Dataset.verify()`.
"""

from ._convert import Arena, from_arena, from_events, from_replay
from ._layout import Part
from ._minari import to_minari
from ._read import Batch, Dataset, Difference, Episode
from ._write import Write, write

__all__ = [
    "Arena",
    "Batch",
    "Dataset",
    "Difference",
    "Episode",
    "Part",
    "Write",
    "from_arena",
    "from_events",
    "from_replay",
    "to_minari",
    "write",
]
