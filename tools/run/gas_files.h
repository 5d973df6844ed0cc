/* SPDX-License-Identifier: MIT
 * Files that `carom run gas` writes while it runs: events, a trajectory, and the state from which a killed run resumes.
 * Resuming truncates the other two to their lengths in the state.
 */
#ifndef CAROM_TOOLS_RUN_GAS_FILES_H
#define CAROM_TOOLS_RUN_GAS_FILES_H

#include "../command/command.h"

typedef enum gas_format { GAS_XYZ, GAS_LAMMPS } gas_format;

typedef struct gas_files {
    /* The files that the user requested; NULL: not this one. */
    const char *state, *events, *trajectory, *picture;
    double interval; /* units of time between two frames of the trajectory */
    double every;    /* between two states: a multiple of CAROM_GAS_EPOCH */

    gas_format format; /* from the name of the trajectory */
    FILE *events_file, *trajectory_file;
    unsigned watchers[2];
    size_t watcher_count;
} gas_files;

/* Determines the format from the name; dies if it has neither. */
void carom_gas_files_check(gas_files *files);

/* Resumes from the state if the file exists: loads the gas and truncates the other files; otherwise begins them. `run`
 * is a line that identifies the run: the state of another run is refused. */
void carom_gas_files_open(gas_files *files, carom_gas *gas, const char *run);

/* Writes the state, with the lengths of the other files. */
void carom_gas_files_keep(gas_files *files, const carom_gas *gas, const char *run);

/* Starts writing the laboratory's events and frames. */
void carom_gas_files_watch(gas_files *files, carom_lab *lab);
void carom_gas_files_unwatch(gas_files *files, carom_lab *lab);

/* Writes the picture. */
void carom_gas_files_draw(const gas_files *files, carom_lab *lab);

/* Closes the files; dies if a write failed. */
void carom_gas_files_close(gas_files *files);

#endif
