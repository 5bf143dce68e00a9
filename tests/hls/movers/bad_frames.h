// SPDX-License-Identifier: BSD-2-Clause
/* bad_frames.h - every way to spoil a good frame, and which counter must see it. */
#ifndef MOVERS_BAD_FRAMES_H
#define MOVERS_BAD_FRAMES_H

#include "ref.h"

enum bad_where { BAD_FRAME, BAD_ICRC, BAD_HEADER, BAD_NOT };

struct bad_kind {
    const char *name;
    enum bad_where where;
    char only;     // '4' or '6': IP version it is for; 'd': DATA; 0: all
    bool in_beats; // rx_beat finds it: rx_frame.bad, or the MAC's err
};

extern const struct bad_kind bad_table[];
extern const unsigned bad_count;

bool bad_fits(unsigned m, const struct ref *r);
/**
 * Spoils f of *len bytes; returns whether the MAC reports an error (in_beats: or
 * rx_beat would). The integrity value is right but for BAD_ICRC.
 */
bool bad_make(unsigned m, const struct ref *r, uint8_t *f, unsigned *len);

#endif
