/* SPDX-License-Identifier: MIT
 * Movies, on POSIX: see encoder.h.
 */
#define _POSIX_C_SOURCE 200809L

#include "encoder.h"
#include "../command/command.h"
#include "../command/out_file.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

encoder carom_encoder_begin(const char *path, encoder_kind kind, size_t width, size_t height, size_t rate)
{
    int ends[2];
    char size[64], text[24];
    const char *out = carom_file_begin(path);
    snprintf(size, sizeof size, "%zux%zu", width, height);
    snprintf(text, sizeof text, "%zu", rate);
    signal(SIGPIPE, SIG_IGN);
    if (pipe(ends) != 0) {
        carom_die("cannot start ffmpeg: %s", strerror(errno));
    }
    fflush(NULL);
    encoder e = {fork(), NULL};
    if (e.process < 0) {
        carom_die("cannot start ffmpeg: %s", strerror(errno));
    }
    if (e.process == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (kind == ENCODER_GIF) {
            execlp("ffmpeg", "ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size,
                   "-r", text, "-i", "-", "-vf",
                   "split[a][b];[a]palettegen=max_colors=128[p];[b][p]paletteuse=dither=none:diff_mode=rectangle", "-f",
                   "gif", out, (char *)NULL);
        } else {
            execlp("ffmpeg", "ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size,
                   "-r", text, "-i", "-", "-pix_fmt", "yuv420p", "-crf", "20", "-f", "mp4", out, (char *)NULL);
        }
        _exit(127);
    }
    close(ends[0]);
    e.to = fdopen(ends[1], "wb");
    return e;
}

void carom_encoder_end(encoder *e, const char *path)
{
    int status = 0;
    const bool whole = fclose(e->to) == 0;
    while (waitpid(e->process, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        carom_die("movies need ffmpeg, which is not installed (Debian: ffmpeg)");
    }
    if (!whole || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        carom_die("cannot write '%s': ffmpeg has failed", path);
    }
    if (!carom_file_end(path)) {
        carom_file_unwritten(path);
    }
}
