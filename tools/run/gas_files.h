/* SPDX-License-Identifier: MIT
 * What `carom run gas` writes while it runs: events, a trajectory, and the state from which a run that was killed goes
 * on. With a state the other two are cut back to where they were when it was written.
 */
#ifndef CAROM_TOOLS_RUN_GAS_FILES_H
#define CAROM_TOOLS_RUN_GAS_FILES_H

#include "../command/command.h"

typedef enum gas_format { GAS_XYZ, GAS_LAMMPS } gas_format;

typedef struct gas_files {
    /* What the user has asked for; NULL: not that. */
    const char *state, *events, *trajectory, *picture;
    double interval; /* between two frames of the trajectory */
    double every;    /* between two states: a multiple of CAROM_GAS_EPOCH */

    gas_format format; /* by the name of the trajectory */
    FILE *events_file, *trajectory_file;
    unsigned watchers[2];
    size_t watcher_count;
} gas_files;

/* The formats by name; dies if a trajectory has neither. */
void carom_gas_files_check(gas_files *files);

/* Takes the state up, if there is a file of that name: the gas goes on from there, and files are cut back. Otherwise
 * they are begun. `run` is a line that says which run it is: a state of another one is refused. */
void carom_gas_files_open(gas_files *files, carom_gas *gas, const char *run);

/* Writes the state, and with it how long the other files are. */
void carom_gas_files_keep(gas_files *files, const carom_gas *gas, const char *run);

/* From here on the laboratory's events and frames are written. */
void carom_gas_files_watch(gas_files *files, carom_lab *lab);
void carom_gas_files_unwatch(gas_files *files, carom_lab *lab);

/* Writes the picture. */
void carom_gas_files_draw(const gas_files *files, carom_lab *lab);

/* Ends the files; dies if anything was lost. */
void carom_gas_files_close(gas_files *files);

#endif
