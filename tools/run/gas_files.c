/* SPDX-License-Identifier: MIT
 * Files of `carom run gas`: see gas_files.h.
 *
 * Trajectories. Extended XYZ has a line with the number of disks, one with the columns, the box and the time, and a
 * line for each disk; LAMMPS dumps have ITEM lines for the same. Both hold positions in the box, unwrapped positions
 * and velocities, with 17 digits, so that they are exact.
 */
#define _POSIX_C_SOURCE 200809L

#include "gas_files.h"

#include "../command/out_file.h"
#include "../command/state_file.h"
#include "../command/system.h"
#include "../film/png.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/little.h"

static bool ends_with(const char *text, const char *end)
{
    const size_t a = strlen(text), b = strlen(end);
    return a > b && strcmp(text + a - b, end) == 0;
}

void carom_gas_files_check(gas_files *files)
{
    const char *name = files->trajectory;
    if (files->picture != NULL && !ends_with(files->picture, ".svg") && !ends_with(files->picture, ".png")) {
        carom_die("--picture: '%s' ends neither with .svg nor with .png", files->picture);
    }
    if (name == NULL) {
        return;
    }
    if (ends_with(name, ".xyz") || ends_with(name, ".extxyz")) {
        files->format = GAS_XYZ;
    } else if (ends_with(name, ".dump") || ends_with(name, ".lammpstrj")) {
        files->format = GAS_LAMMPS;
    } else {
        carom_die("--trajectory: '%s' ends neither with .xyz or .extxyz (extended XYZ) nor with .dump or .lammpstrj "
                  "(LAMMPS)",
                  name);
    }
}

/* ---- the state ---- */

/* The offset in a state of the other files' lengths; -1 without a state. */
typedef struct lengths {
    int64_t events, trajectory;
} lengths;

static void write_line(FILE *file, const void *run)
{
    fprintf(file, "carom run gas, state 1\n%s\n", (const char *)run);
}

static int64_t length_of(FILE *file, const char *path)
{
    if (file == NULL) {
        return -1;
    }
    errno = 0;
    if (!carom_system_flush(file)) {
        carom_file_unwritten(path);
    }
    return ftello(file);
}

void carom_gas_files_keep(gas_files *files, const carom_gas *gas, const char *run)
{
    if (files->state == NULL) {
        return;
    }
    lengths now = {length_of(files->events_file, files->events), length_of(files->trajectory_file, files->trajectory)};
    const size_t size = carom_gas_save_size(gas);
    void *save = carom_allocate(size, 1);
    carom_demand(carom_gas_save(gas, save, size), "save the gas");

    FILE *file = carom_state_begin(files->state);
    write_line(file, run);
    little_copy(&now, &now, sizeof now / sizeof(int64_t), sizeof(int64_t));
    fwrite(&now, sizeof now, 1, file);
    fwrite(save, size, 1, file);
    carom_state_end(file, files->state);
    free(save);
}

/* Loads the state; false if there is none yet. */
static bool load(gas_files *files, carom_gas *gas, const char *run, lengths *then)
{
    FILE *file = files->state != NULL ? carom_state_open(files->state) : NULL;
    if (file == NULL) {
        return false;
    }
    carom_state_check(file, files->state, write_line, run, "this run of a gas");
    const size_t size = carom_gas_save_size(gas);
    void *save = carom_allocate(size, 1);
    const bool whole = fread(then, sizeof *then, 1, file) == 1 && fread(save, size, 1, file) == 1 && getc(file) == EOF;
    fclose(file);
    little_copy(then, then, sizeof *then / sizeof(int64_t), sizeof(int64_t));
    if (!whole || carom_gas_load(gas, save, size) != CAROM_OK) {
        carom_state_refuse(files->state, "run gas");
    }
    free(save);
    return true;
}

/* ---- other files ---- */

/* Opens a file to continue at `length`, or begins it (length 0); without a state it appears only when complete. */
static FILE *open_at(const gas_files *files, const char *path, int64_t length)
{
    if (path == NULL || files->state == NULL) {
        return path != NULL ? carom_file_create(path) : NULL;
    }
    FILE *file = fopen(path, length > 0 ? "r+b" : "wb");
    const bool there = file != NULL && fseeko(file, 0, SEEK_END) == 0 && ftello(file) >= length &&
                       ftruncate(fileno(file), length) == 0 && fseeko(file, 0, SEEK_END) == 0;
    if (!there) {
        carom_die("cannot continue writing '%s', which should have %" PRIi64 " bytes", path, length);
    }
    return file;
}

void carom_gas_files_open(gas_files *files, carom_gas *gas, const char *run)
{
    lengths then = {-1, -1};
    (void)load(files, gas, run, &then);
    files->events_file = open_at(files, files->events, then.events > 0 ? then.events : 0);
    files->trajectory_file = open_at(files, files->trajectory, then.trajectory > 0 ? then.trajectory : 0);
    if (files->events_file != NULL && then.events <= 0) {
        fputs("time,kind,first,second,x,y,impulse_x,impulse_y\n", files->events_file);
    }
}

static void close_one(const gas_files *files, FILE *file, const char *path)
{
    if (file == NULL) {
        return;
    }
    if (files->state == NULL) {
        carom_file_finish(file, path, true);
        return;
    }
    errno = 0;
    const bool good = ferror(file) == 0;
    if (fclose(file) != 0 || !good) {
        carom_file_unwritten(path);
    }
}

void carom_gas_files_close(gas_files *files)
{
    close_one(files, files->events_file, files->events);
    close_one(files, files->trajectory_file, files->trajectory);
}

/* ---- events ---- */

static bool write_events(void *user, const carom_lab_event *events, size_t count)
{
    FILE *file = ((const gas_files *)user)->events_file;
    for (size_t k = 0; k < count; k++) {
        const carom_lab_event *e = &events[k];
        fprintf(file, "%.17g,%s,%" PRIu32 ",%" PRIu32 ",%.17g,%.17g,%.17g,%.17g\n", e->time,
                e->kind == CAROM_IMPACT_SIDE ? "side" : "disk", e->first, e->second, e->x, e->y, e->jx, e->jy);
    }
    return ferror(file) == 0;
}

/* ---- frames ---- */

static void write_xyz(FILE *file, const carom_lab_frame *f, const carom_lab_info *info)
{
    fprintf(file, "%zu\n", info->bodies);
    fprintf(file, "Lattice=\"%.17g 0 0 0 %.17g 0 0 0 1\" ", info->width, info->height);
    fprintf(file, "Properties=species:S:1:pos:R:3:unwrapped:R:2:velo:R:3:radius:R:1 ");
    fprintf(file, "Time=%.17g pbc=\"%c %c F\"\n", f->time, info->periodic_x ? 'T' : 'F', info->periodic_y ? 'T' : 'F');
    for (size_t i = 0; i < info->bodies; i++) {
        fprintf(file, "H %.17g %.17g 0 %.17g %.17g %.17g %.17g 0 %.17g\n", f->x[i], f->y[i], f->ux[i], f->uy[i],
                f->vx[i], f->vy[i], info->radii[i]);
    }
}

static void write_lammps(FILE *file, const carom_lab_frame *f, const carom_lab_info *info)
{
    const char *x = info->periodic_x ? "pp" : "ff", *y = info->periodic_y ? "pp" : "ff";
    fprintf(file, "ITEM: TIMESTEP\n%" PRIu64 "\nITEM: TIME\n%.17g\n", f->index, f->time);
    fprintf(file, "ITEM: NUMBER OF ATOMS\n%zu\n", info->bodies);
    fprintf(file, "ITEM: BOX BOUNDS %s %s pp\n0 %.17g\n0 %.17g\n-0.5 0.5\n", x, y, info->width, info->height);
    fputs("ITEM: ATOMS id type x y z xu yu vx vy vz radius\n", file);
    for (size_t i = 0; i < info->bodies; i++) {
        fprintf(file, "%zu 1 %.17g %.17g 0 %.17g %.17g %.17g %.17g 0 %.17g\n", i + 1, f->x[i], f->y[i], f->ux[i],
                f->uy[i], f->vx[i], f->vy[i], info->radii[i]);
    }
}

static bool write_frame(void *user, const carom_lab_frame *frame)
{
    const gas_files *files = user;
    carom_lab_info info;
    (void)carom_lab_describe(frame->lab, &info);
    (files->format == GAS_XYZ ? write_xyz : write_lammps)(files->trajectory_file, frame, &info);
    return ferror(files->trajectory_file) == 0;
}

void carom_gas_files_watch(gas_files *files, carom_lab *lab)
{
    const carom_lab_watcher events = {.interval = INFINITY, .window = INFINITY, .events = write_events, .user = files};
    const carom_lab_watcher frames = {.interval = files->interval, .sample = write_frame, .user = files};
    if (files->events_file != NULL) {
        carom_demand(carom_lab_watch(lab, &events, &files->watchers[files->watcher_count++]), "watch the gas");
    }
    if (files->trajectory_file != NULL) {
        carom_demand(carom_lab_watch(lab, &frames, &files->watchers[files->watcher_count++]), "watch the gas");
    }
}

void carom_gas_files_unwatch(gas_files *files, carom_lab *lab)
{
    while (files->watcher_count > 0) {
        (void)carom_lab_unwatch(lab, files->watchers[--files->watcher_count]);
    }
}

/* ---- the picture ---- */

void carom_gas_files_draw(const gas_files *files, carom_lab *lab)
{
    if (files->picture == NULL) {
        return;
    }
    const carom_picture_desc desc = carom_picture_desc_default();
    uint32_t width, height;
    char *text = NULL;
    carom_demand(carom_lab_picture_size(lab, &desc, &width, &height), "draw the gas");
    FILE *file = carom_file_create(files->picture);
    bool good = true;
    if (ends_with(files->picture, ".svg")) {
        carom_demand(carom_lab_picture_svg(lab, &desc, &text), "draw the gas");
        good = fputs(text, file) >= 0;
        carom_text_free(text);
    } else {
        uint8_t *rgb = carom_allocate((size_t)3 * width, height);
        carom_demand(carom_lab_picture_pixels(lab, &desc, rgb), "draw the gas");
        good = carom_png_write(rgb, width, height, file);
        free(rgb);
    }
    carom_file_finish(file, files->picture, good);
}
