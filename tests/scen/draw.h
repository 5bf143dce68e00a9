// SPDX-License-Identifier: BSD-2-Clause
/*
 * draw.h - scenarios drawn at random, all from a seed.
 */
#ifndef SCEN_DRAW_H
#define SCEN_DRAW_H

#include <stdio.h>

#include "scen.h"

enum {
    DRAW_CONNS = 8,
    DRAW_EVENTS = 24,  // 3 holes, 6 ports, 8 routes or 2 planes
    DRAW_LANES = 16,
    DRAW_TEXT = 48,
};

struct draw {
    struct scen_cfg cfg;
    struct scen_conn conn[DRAW_CONNS];
    struct scen_event event[DRAW_EVENTS];
    const char *lanes[DRAW_LANES];
    char text[DRAW_LANES][DRAW_TEXT];
    uint64_t key;
    uint64_t n;  // draws so far
};

/** Routes may die for good while others live: wants a transport that moves packets to another path. */
#define DRAW_DEAD 1

/** Fills in d, which must stay where it is; `flags`: DRAW_*. */
void draw_scenario(struct draw *d, const char *engine, uint64_t seed, unsigned flags);
/** What was drawn, in a few lines. */
void draw_print(const struct draw *d, FILE *to);

#endif
