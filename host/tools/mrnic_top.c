// SPDX-License-Identifier: BSD-2-Clause
/* mrnic_top.c - `mrnic top`: looks again and again, on the terminal or as text. */
#include "mrnic.h"

#include <argp.h>
#include <curses.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "top.h"

struct options {
    const char *uri;
    bool batch;
    uint64_t count;  // frames; 0 = no end
    uint64_t interval_ms;
};

static const struct argp_option arg_options[] = {
    {"batch", 'b', nullptr, 0, "print frames as text, one below the other", 0},
    {"count", 'n', "N", 0, "end after N frames", 0},
    {"interval", 'i', "MS", 0, "real time between two frames, from 10 (1000)", 0},
    {"once", '1', nullptr, 0, "print one frame as text: --batch --count 1", 0},
    {},
};

static error_t parse(int key, char *arg, struct argp_state *st)
{
    struct options *o = st->input;

    switch (key) {
    case 'b': o->batch = true; return 0;
    case 'n': o->count = arg_whole(st, arg, 1, UINT32_MAX); return 0;
    case 'i': o->interval_ms = arg_whole(st, arg, 10, 3600000); return 0;
    case '1':
        o->batch = true;
        o->count = 1;
        return 0;
    case ARGP_KEY_ARG:
        if (o->uri)
            argp_error(st, "one device only");
        if (!strchr(arg, ':'))
            argp_error(st, "'%s' is no URI of a device", arg);
        o->uri = arg;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = arg_options,
    .parser = parse,
    .args_doc = "[URI]",
    .doc = "Shows a device's connections, paths and planes, live.\v"
           "On the terminal: q ends, the arrow and page keys scroll. Rates are per device time, which "
           "stands still while a simulator's programs compute; the first frame has none. A simulated "
           "NIC may belong to another program; each look steps it by some microseconds, so such a "
           "run need not repeat. A software NIC (soft:) can be seen by its own program only: here it "
           "is opened anew and has no connections.",
};

/* One frame; *before becomes what was seen. NULL if the device stopped answering. */
static char *frame(struct mr_device *dev, const char *uri, struct top_view *before)
{
    struct top_view v;
    char *text = nullptr;
    size_t n;

    if (top_look(dev, &v))
        return nullptr;
    FILE *f = open_memstream(&text, &n);
    if (f) {
        top_frame(f, uri, &v, before);
        fclose(f);
    }
    top_free(before);
    *before = v;
    return text;
}

static int run_text(struct mr_device *dev, const struct options *o, struct top_view *before)
{
    for (uint64_t i = 0; !o->count || i < o->count; i++) {
        if (i)
            usleep((useconds_t)(o->interval_ms * 1000));
        char *text = frame(dev, look_uri(o->uri), before);
        if (!text)
            return -EIO;
        printf("%s%s", i ? "\n" : "", text);
        free(text);
        if (fflush(stdout))
            return 0;  // nobody reads any more
    }
    return 0;
}

/* Writes the lines from `first` on that fit; returns how many the text has. */
static int draw(const char *text, int first)
{
    int lines = 0;

    erase();
    for (const char *p = text; *p; lines++) {
        size_t n = strcspn(p, "\n");
        if (lines >= first && lines - first < LINES)
            mvaddnstr(lines - first, 0, p, (int)n < COLS ? (int)n : COLS);
        p += n + (p[n] == '\n');
    }
    refresh();
    return lines;
}

/* The next first line after a key. */
static int scroll_by(int key, int first, int lines)
{
    int last = lines > LINES ? lines - LINES : 0;

    first += key == KEY_DOWN ? 1 : key == KEY_UP ? -1 : key == KEY_NPAGE ? LINES : key == KEY_PPAGE ? -LINES : 0;
    return first < 0 ? 0 : first > last ? last : first;
}

static int run_screen(struct mr_device *dev, const struct options *o, struct top_view *before)
{
    int first = 0, key = ERR, rc = 0;

    timeout((int)o->interval_ms);
    for (uint64_t i = 0; (!o->count || i < o->count) && key != 'q'; i++) {
        char *text = frame(dev, look_uri(o->uri), before);
        if (!text) {
            rc = -EIO;
            break;
        }
        int lines = draw(text, first);
        while ((key = getch()) != ERR && key != 'q') {
            first = scroll_by(key, first, lines);
            lines = draw(text, first);
        }
        free(text);
    }
    return rc;
}

int mrnic_top(int argc, char **argv)
{
    struct options o = {.interval_ms = 1000};
    struct top_view before = {};
    struct mr_device *dev;
    int rc;

    argp_parse(&argp, argc, argv, 0, nullptr, &o);
    if (look_open(o.uri, &dev))
        return 1;
    if (o.batch) {
        rc = run_text(dev, &o, &before);
    } else {
        SCREEN *screen = newterm(nullptr, stdout, stdin);
        if (!screen) {
            fprintf(stderr, "mrnic: this terminal cannot be drawn on; use --batch\n");
            mr_device_close(dev);
            return 1;
        }
        cbreak();
        noecho();
        keypad(stdscr, true);
        curs_set(0);
        rc = run_screen(dev, &o, &before);
        endwin();
        delscreen(screen);
    }
    top_free(&before);
    mr_device_close(dev);
    return rc ? look_fail(o.uri, rc) : 0;
}
