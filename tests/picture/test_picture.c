/* SPDX-License-Identifier: MIT
 * Pictures of worlds: what pixels a mark covers, and how much; where bodies are; what SVG holds; errors.
 */
#include "batch.h"
#include "tests/scenes/scene_samples.h"

#include "picture/picture.h"

#define PI 3.14159265358979323846
#define SIDE 96
#define WHITE 0xffffffffu
#define BLACK 0x000000ffu

/* A picture of SIDE x SIDE; guard bytes around it detect writes outside. */
static uint8_t around[3 * SIDE * SIDE + 64];
static uint8_t *const rgb = around + 32;

static picture begin(void)
{
    picture p;
    carom_marks_begin(&p, SIDE, SIDE, BLACK, "test");
    return p;
}

/* Paints and forgets it; pixels' worth of white that it covers. */
static double area_of(picture *p)
{
    double sum = 0;
    memset(around, 0xa5, sizeof around);
    carom_marks_rgb(p, rgb);
    carom_marks_free(p);
    for (size_t k = 0; k < 32; k++) {
        assert_int_equal(around[k], 0xa5);
        assert_int_equal(around[sizeof around - 1 - k], 0xa5);
    }
    for (size_t k = 0; k < 3 * SIDE * SIDE; k++) {
        sum += rgb[k];
    }
    return sum / (3 * 255);
}

/* Where its white is in the mean. */
static void centre_of(double *x, double *y)
{
    double sum = 0;
    *x = *y = 0;
    for (int k = 0; k < SIDE * SIDE; k++) {
        sum += rgb[3 * k];
        *x += rgb[3 * k] * (k % SIDE + 0.5);
        *y += rgb[3 * k] * (k / SIDE + 0.5);
    }
    *x /= sum;
    *y /= sum;
}

TEST(circles_cover_their_area)
{
    uint64_t random = 1;
    for (int k = 0; k < 300; k++) {
        const double x = rng_in(&random, 40, 56), y = rng_in(&random, 40, 56), radius = rng_in(&random, 1, 30);
        const double width = rng_in(&random, 0.8, 3);
        double cx, cy;
        picture p = begin();
        carom_mark_circle(&p, x, y, radius, WHITE, 0, 0);
        assert_in_range(1e6 * fabs(area_of(&p) - PI * radius * radius), 0, 1e6 * (0.6 + 0.05 * radius));
        centre_of(&cx, &cy);
        assert_true(fabs(cx - x) < 0.2 && fabs(cy - y) < 0.2);
        p = begin();
        carom_mark_circle(&p, x, y, radius + 2, 0, WHITE, width);
        assert_in_range(1e6 * fabs(area_of(&p) - 2 * PI * (radius + 2) * width), 0, 1e6 * (0.5 + 0.08 * radius));
        centre_of(&cx, &cy);
        assert_true(fabs(cx - x) < 0.3 && fabs(cy - y) < 0.3);
    }
}

TEST(lines_cover_their_area)
{
    uint64_t random = 2;
    for (int k = 0; k < 400; k++) {
        double x = rng_in(&random, 8, 88), y = rng_in(&random, 8, 88), x2 = rng_in(&random, 8, 88),
               y2 = rng_in(&random, 8, 88), cx, cy;
        x2 = k % 4 == 0 ? x : x2;
        y2 = k % 4 == 1 ? y : y2;
        const double width = rng_in(&random, 0.4, 6), length = hypot(x2 - x, y2 - y);
        picture p = begin();
        carom_mark_line(&p, x, y, x2, y2, WHITE, width);
        const double ends = PI / 4 * width * width, wanted = length * width + ends;
        assert_in_range(1e6 * fabs(area_of(&p) - wanted), 0, 1e6 * (0.8 + 0.03 * wanted));
        centre_of(&cx, &cy);
        assert_true(fabs(cx - (x + x2) / 2) < 0.6 && fabs(cy - (y + y2) / 2) < 0.6);
        p = begin(); /* the same as a path, through its midpoint */
        carom_mark_path(&p, WHITE, width);
        carom_mark_point(&p, x, y);
        carom_mark_point(&p, (x + x2) / 2, (y + y2) / 2);
        carom_mark_point(&p, x2, y2);
        assert_in_range(1e6 * fabs(area_of(&p) - wanted), 0, 1e6 * (1.2 + width + 0.04 * wanted));
    }
}

/* Half of white on black, then black's half on that. */
TEST(colours_are_mixed)
{
    picture p = begin();
    carom_mark_circle(&p, 48, 48, 20, 0xff804080, 0, 0);
    carom_mark_line(&p, 48, 0, 48, 96, 0x0000ff80, 8);
    area_of(&p);
    const uint8_t *beside = rgb + 3 * (48 * SIDE + 36), *on = rgb + 3 * (48 * SIDE + 48);
    const int wanted[2][3] = {{128, 64, 32}, {64, 32, 144}};
    for (int k = 0; k < 3; k++) {
        assert_in_range(beside[k], wanted[0][k] - 1, wanted[0][k] + 1);
        assert_in_range(on[k], wanted[1][k] - 1, wanted[1][k] + 1);
    }
}

/* Shapes wholly or partly outside, or nowhere. */
TEST(marks_are_clipped)
{
    static const double odd[] = {-1e300, -1e9, -200, 300, 1e9, 1e300, (double)INFINITY, (double)-INFINITY, (double)NAN};
    for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) {
        picture p = begin();
        carom_mark_circle(&p, odd[k], 40, 5, WHITE, WHITE, 2);
        carom_mark_circle(&p, 40, odd[k], 5, WHITE, WHITE, 2);
        carom_mark_line(&p, odd[k], odd[k], odd[k], odd[k], WHITE, 2);
        carom_mark_text(&p, odd[k], odd[k], 12, 0, WHITE, "8");
        assert_true(area_of(&p) == 0);
    }
    picture p = begin();
    carom_mark_circle(&p, 0, 0, 20, WHITE, 0, 0);
    carom_mark_circle(&p, SIDE, SIDE, 20, WHITE, 0, 0);
    assert_in_range(area_of(&p), 100 * PI * 2 - 5, 100 * PI * 2 + 5);
    p = begin();
    carom_mark_circle(&p, 48, 48, 1e7, WHITE, 0, 0);
    assert_true(area_of(&p) == SIDE * SIDE);
    p = begin();
    carom_mark_line(&p, -1000, 48, 1000, 48, WHITE, 4);
    assert_in_range(area_of(&p), 4 * SIDE - 1, 4 * SIDE + 1);
}

/* Every printable ASCII character looks different; all others are a box, whatever their length in bytes. */
TEST(letters_differ)
{
    static uint8_t kept[128][3 * SIDE * SIDE];
    for (int c = ' '; c <= '~'; c++) {
        picture p = begin();
        const char text[2] = {(char)c, '\0'};
        carom_mark_text(&p, 48, 48, 60, 0, WHITE, text);
        const double area = area_of(&p);
        assert_true(c == ' ' ? area == 0 : area > 15 && area < 1200);
        memcpy(kept[c], rgb, sizeof kept[c]);
        for (int i = ' '; i < c; i++) {
            assert_true(memcmp(kept[i], kept[c], sizeof kept[c]) != 0 || (c == 'l' && i == 'I') ||
                        (c == '|' && i == 'l'));
        }
    }
    static const char *const others[] = {"\x01", "\x7f", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x8e\xb1"};
    static uint8_t box[3 * SIDE * SIDE];
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        picture p = begin();
        carom_mark_text(&p, 48, 48, 60, 0, WHITE, others[k]);
        assert_true(area_of(&p) > 100);
        if (k == 0) {
            memcpy(box, rgb, sizeof box);
        }
        assert_memory_equal(rgb, box, sizeof box);
    }
}

/* A path that crosses itself is no darker there. */
TEST(paths_are_painted_once)
{
    picture p = begin();
    carom_mark_path(&p, 0xffffff80, 6);
    static const double way[][2] = {{20, 20}, {80, 20}, {80, 80}, {50, 80}, {50, 4}};
    for (size_t k = 0; k < sizeof way / sizeof way[0]; k++) {
        carom_mark_point(&p, way[k][0], way[k][1]);
    }
    assert_true(area_of(&p) > 100);
    for (int k = 0; k < SIDE * SIDE; k++) {
        assert_in_range(rgb[3 * k], 0, 129);
    }
}

TEST(texts_stand_where_they_should)
{
    for (int anchor = -1; anchor <= 1; anchor++) {
        picture p = begin();
        carom_mark_text(&p, 48, 60, 16, anchor, WHITE, "080");
        assert_true(area_of(&p) > 30);
        int left = SIDE, right = 0, top = SIDE, bottom = 0;
        for (int k = 0; k < SIDE * SIDE; k++) {
            if (rgb[3 * k] > 100) {
                left = k % SIDE < left ? k % SIDE : left;
                right = k % SIDE + 1 > right ? k % SIDE + 1 : right;
                top = k / SIDE < top ? k / SIDE : top;
                bottom = k / SIDE + 1 > bottom ? k / SIDE + 1 : bottom;
            }
        }
        const double place = anchor < 0 ? left : anchor == 0 ? (left + right) / 2.0 : right;
        assert_true(fabs(place - 48) <= 1.5);
        assert_in_range(right - left, 16, 28);
        assert_in_range(bottom - top, 10, 15);
        assert_true(anchor == 0 ? fabs((top + bottom) / 2.0 - 60) <= 1.5 : fabs(bottom - 60.0) <= 1.5);
    }
}

/* ---- worlds ---- */

static carom_worlds *make(const carom_game *game, carom_precision precision)
{
    carom_worlds *worlds = MAKE_WORLDS(game, .count = 19, .precision = precision, .seed = 3);
    carom_step step = STEP_WITH(.ticks = 20);
    step.players[0].source = step.players[1].source = CAROM_POLICY;
    assert_int_equal(carom_worlds_play(worlds, &step), CAROM_OK);
    return worlds;
}

static size_t occurrences(const char *text, const char *word)
{
    size_t count = 0;
    for (; (text = strstr(text, word)) != NULL; text++) {
        count++;
    }
    return count;
}

/* The pixels of a world, and guards after them; to be freed. */
static uint8_t *pixels_of(const carom_worlds *worlds, size_t world, const carom_picture_desc *desc, size_t *bytes)
{
    uint32_t width, height;
    assert_int_equal(carom_picture_size(worlds, world, desc, &width, &height), CAROM_OK);
    assert_true(width == desc->width && width % 2 == 0 && height % 2 == 0);
    *bytes = (size_t)3 * width * height;
    uint8_t *pixels = malloc(*bytes + 16);
    assert_non_null(pixels);
    memset(pixels, 0xa5, *bytes + 16);
    assert_int_equal(carom_picture_pixels(worlds, world, desc, pixels), CAROM_OK);
    for (size_t k = 0; k < 16; k++) {
        assert_int_equal(pixels[*bytes + k], 0xa5);
    }
    return pixels;
}

static void check(const carom_worlds *worlds)
{
    carom_picture_desc desc = carom_picture_desc_default();
    desc.width = 320;
    size_t count, shapes, circles = 0, bytes, again;
    static carom_look_body bodies[4096];
    static carom_look_shape shape[4096];
    carom_look_bodies(worlds, 7, bodies, 4096, &count);
    carom_look_shapes(worlds, 7, shape, 4096, &shapes);
    for (size_t k = 0; k < count; k++) {
        circles += bodies[k].there;
    }
    for (size_t k = 0; k < shapes; k++) {
        circles += shape[k].kind == CAROM_LOOK_CIRCLE;
    }
    OWNED_TEXT char *text = NULL;
    assert_int_equal(carom_picture_svg(worlds, 7, &desc, &text), CAROM_OK);
    assert_int_equal(strncmp(text, "<svg ", 5), 0);
    assert_string_equal(text + strlen(text) - 7, "</svg>\n");
    assert_int_equal(occurrences(text, "<circle"), circles);
    assert_non_null(strstr(text, ", tick 20"));
    uint8_t *here = pixels_of(worlds, 7, &desc, &bytes), *there = pixels_of(worlds, 7, &desc, &again);
    assert_memory_equal(here, there, bytes);
    free(there);
    there = pixels_of(worlds, 8, &desc, &again);
    assert_true(again == bytes && memcmp(here, there, bytes) != 0);
    free(there);
    free(here);
    desc.captions = false;
    here = pixels_of(worlds, 7, &desc, &again);
    assert_int_equal(bytes - again, 3 * 320 * 56);
    free(here);
}

TEST(every_game)
{
    for (size_t g = 0; g < carom_game_count(); g++) {
        for (int f64 = 0; f64 < 2; f64++) {
            OWNED(carom_worlds) *worlds = make(carom_game_at(g), f64 != 0 ? CAROM_F64 : CAROM_F32);
            check(worlds);
        }
    }
}

/* Two bodies in a box of 10 x 5, y upwards: 20 pixels a unit, minus the margin. */
TEST(bodies_are_where_they_should_be)
{
    carom_scene_body of[2] = {carom_scene_body_default(), carom_scene_body_default()};
    carom_scene_desc desc = carom_scene_desc_default();
    of[0].x = 2, of[0].y = 4, of[0].radius = 0.5, of[0].acts = true;
    of[1].x = 8, of[1].y = 1, of[1].radius = 0.5;
    desc.bodies = of, desc.body_count = 2;
    desc.box.x1 = 10, desc.box.horizontal = CAROM_SIDES_SOLID;
    desc.box.y1 = 5, desc.box.vertical = CAROM_SIDES_SOLID;
    OWNED(carom_scene) *scene = make_scene(&desc);
    OWNED(carom_worlds) *worlds = MAKE_WORLDS(carom_scene_game(scene), .count = 1);
    carom_picture_desc how = carom_picture_desc_default();
    how.width = 208; /* with a margin of a fiftieth on both sides */
    how.captions = false;
    size_t bytes;
    for (int dark = 0; dark < 2; dark++) {
        how.dark = dark != 0;
        FREED uint8_t *pixels = pixels_of(worlds, 0, &how, &bytes);
        assert_int_equal(bytes, 3 * 208 * 108);
        const uint8_t *first = pixels + 3 * (24 * 208 + 44 + 6), *second = pixels + 3 * (84 * 208 + 164 + 6);
        assert_true(first[2] > first[0] + 40 && second[2] > second[0] + 20); /* both bluish */
        assert_true(abs(first[0] - second[0]) > 30);                         /* but not the same */
        assert_int_equal(pixels[0] > 128, dark == 0);                        /* ground */
        assert_memory_equal(pixels, pixels + 3 * (24 * 208 + 44 + 20), 3);   /* next to the body: ground */
        assert_memory_equal(pixels, pixels + 3 * (84 * 208 + 44), 3);        /* no body where y is downwards */
        assert_true(memcmp(pixels, pixels + 3 * (54 * 208 + 4), 3) != 0);    /* the box */
    }
}

TEST(arguments)
{
    OWNED(carom_worlds) *worlds = make(carom_game_find("csb"), CAROM_F64);
    carom_picture_desc desc = carom_picture_desc_default();
    uint32_t width = 1, height = 2;
    uint8_t byte = 7;
    char *text = (char *)&byte;
    assert_int_equal(carom_picture_size(worlds, 0, &desc, &width, &height), CAROM_OK);
    assert_true(width == 640 && height == 360 + 56);
    assert_int_equal(carom_picture_size(NULL, 0, &desc, &width, &height), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_picture_size(worlds, 19, &desc, &width, &height), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_picture_size(worlds, 0, NULL, &width, &height), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_picture_size(worlds, 0, &desc, NULL, &height), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_picture_size(worlds, 0, &desc, &width, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_picture_pixels(worlds, 0, &desc, NULL), CAROM_ERROR_ARGUMENT);
    assert_int_equal(carom_picture_svg(worlds, 0, &desc, NULL), CAROM_ERROR_ARGUMENT);
    static const uint32_t wrong[] = {0, 14, 641, 16386};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        desc.width = wrong[k];
        assert_int_equal(carom_picture_size(worlds, 0, &desc, &width, &height), CAROM_ERROR_VALUE);
        assert_int_equal(carom_picture_pixels(worlds, 0, &desc, &byte), CAROM_ERROR_VALUE);
        text = (char *)&byte;
        assert_int_equal(carom_picture_svg(worlds, 0, &desc, &text), CAROM_ERROR_VALUE);
        assert_null(text);
    }
    desc.width = 640;
    desc.size--;
    assert_int_equal(carom_picture_pixels(worlds, 0, &desc, &byte), CAROM_ERROR_ARGUMENT);
    assert_true(width == 640 && height == 360 + 56 && byte == 7);
}
