/* SPDX-License-Identifier: MIT
 * The functions of raylib that carom_puffer.h calls to draw: here they only count.
 */
#ifndef CAROM_TESTS_PUFFER_RAYLIB_H
#define CAROM_TESTS_PUFFER_RAYLIB_H

#include <stdbool.h>

typedef struct Color {
    unsigned char r, g, b, a;
} Color;

static struct {
    int windows, frames, circles, rings, lines, texts, outside;
} drawn;
static int window_width, window_height;

static inline bool IsWindowReady(void)
{
    return drawn.windows > 0;
}
static inline bool WindowShouldClose(void)
{
    return false;
}
static inline void SetTargetFPS(int fps)
{
    (void)fps;
}
static inline void CloseWindow(void) {}
static inline void BeginDrawing(void) {}
static inline void EndDrawing(void)
{
    drawn.frames++;
}
static inline void ClearBackground(Color color)
{
    (void)color;
}
static inline int MeasureText(const char *text, int size)
{
    return text[0] == 0 ? 0 : size / 2;
}

static inline void InitWindow(int width, int height, const char *title)
{
    (void)title;
    drawn.windows++;
    window_width = width;
    window_height = height;
}

static inline void seen_at(int x, int y)
{
    drawn.outside += x < 0 || y < 0 || x > window_width || y > window_height;
}

static inline void DrawCircle(int x, int y, float radius, Color color)
{
    (void)color;
    drawn.circles += radius > 1;
    seen_at(x, y);
}

static inline void DrawCircleLines(int x, int y, float radius, Color color)
{
    (void)color;
    drawn.rings += radius > 1;
    seen_at(x, y);
}

static inline void DrawLine(int x, int y, int x2, int y2, Color color)
{
    (void)color;
    drawn.lines += x != x2 || y != y2;
}

static inline void DrawText(const char *text, int x, int y, int size, Color color)
{
    (void)text;
    (void)color;
    drawn.texts += size > 0;
    seen_at(x, y);
}

#endif
