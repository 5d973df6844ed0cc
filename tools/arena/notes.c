/* SPDX-License-Identifier: MIT
 * Notes in the replay of an arena's game: see notes.h.
 */
#include "notes.h"

#include <ctype.h>
#include <string.h>

void carom_note_name(replay_writer *writer, unsigned seat, const char *name)
{
    if (writer != NULL) {
        carom_replay_say(writer, CAROM_NOTE_NAME, 0, seat, name, strlen(name));
    }
}

static const char *skip_space(const char *at)
{
    while (isspace((unsigned char)*at)) {
        at++;
    }
    return at;
}

/* The number of words of a command: "x y thrust"; "MOVE x y power", "ACCIO id". */
static int words_of(const char *game, const char *line)
{
    if (strcmp(game, "csb") == 0) {
        return 3;
    }
    return strncmp(line, "MOVE", 4) == 0 || strncmp(line, "THROW", 5) == 0 ? 4 : 2;
}

/* The beginning of a line's message; its end if there is none. */
static const char *find_message(const char *game, const char *line)
{
    const char *at = skip_space(line);
    for (int words = words_of(game, at); words > 0; words--) {
        while (*at != '\0' && !isspace((unsigned char)*at)) {
            at++;
        }
        at = skip_space(at);
    }
    return at;
}

void carom_note_messages(replay_writer *writer, unsigned seat, const char *game, char *const lines[PROTOCOL_LINES])
{
    char all[PROTOCOL_LINES * PROTOCOL_LINE] = "";
    size_t length = 0, said = 0;
    if (writer == NULL) {
        return;
    }
    for (int k = 0; k < PROTOCOL_LINES; k++) {
        const char *message = find_message(game, lines[k]);
        size_t bytes = strlen(message);
        while (bytes > 0 && isspace((unsigned char)message[bytes - 1])) {
            bytes--;
        }
        said += bytes;
        if (k > 0) {
            all[length++] = '\n';
        }
        length += (size_t)snprintf(all + length, sizeof all - length, "%.*s", (int)bytes, message);
    }
    if (said > 0) {
        carom_replay_say(writer, CAROM_NOTE_MESSAGE, 0, seat, all, length);
    }
}

void carom_note_message(replay_writer *writer, unsigned seat, const char *message)
{
    if (writer != NULL && message != NULL && message[0] != '\0') {
        carom_replay_say(writer, CAROM_NOTE_MESSAGE, 0, seat, message, strlen(message));
    }
}

void carom_note_errors(replay_writer *writer, unsigned seat, const char *errors, size_t length, size_t more)
{
    char text[PROGRAM_ERRORS + 64];
    if (writer == NULL) {
        return;
    }
    memcpy(text, errors, length);
    if (more > 0) {
        length += (size_t)snprintf(text + length, sizeof text - length, "\n[%zu more bytes]", more);
    }
    if (length > 0) {
        carom_replay_say(writer, CAROM_NOTE_ERROR, 0, seat, text, length);
    }
}

void carom_note_verdict(replay_writer *writer, unsigned seat, const char *text)
{
    if (writer != NULL) {
        carom_replay_say(writer, CAROM_NOTE_REFEREE, 0, seat, text, strlen(text));
    }
}
