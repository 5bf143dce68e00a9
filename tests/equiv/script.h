// SPDX-License-Identifier: BSD-2-Clause
/*
 * script.h - what two hosts do to each other, as data: a list of Writes, run on
 * any engine, with everything that must come of it known beforehand.
 */
#ifndef EQUIV_SCRIPT_H
#define EQUIV_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

enum {
    SCRIPT_USER = 4 << 20,  // bytes of user memory of each host
    SCRIPT_STREAMS = 8,
    SCRIPT_QUEUE = 64,      // messages of one stream
    SCRIPT_MSGS = 512,
};

enum script_fault {
    SCRIPT_GOOD,
    SCRIPT_REMOTE_KEY,     // key that names nothing at the peer
    SCRIPT_REMOTE_BOUNDS,  // behind the peer's region
    SCRIPT_LOCAL_KEY,
    SCRIPT_LOCAL_BOUNDS,    // behind the own region
    SCRIPT_LOCAL_STRADDLE,  // begins inside the own region and ends one byte behind it
};

struct script_msg {
    uint8_t side;    // sender
    uint8_t stream;  // 0 to n_streams - 1
    uint8_t fault;
    bool signaled;
    uint32_t from;  // offsets in user memory
    uint32_t to;
    uint32_t len;
    // after script_end
    uint32_t msg;  // its number in its stream
    bool behind;   // an earlier one of its stream fails: it has no completion
};

struct script {
    const char *name;
    uint64_t seed;  // of everything
    unsigned n_streams;
    unsigned n;
    struct script_msg msg[SCRIPT_MSGS];
    uint32_t want[2];  // completions of each side
    uint64_t draws;    // randomness used up
    uint32_t room[2];  // next free target at each side
};

/** Starts an empty script. */
void script_begin(struct script *s, const char *name, uint64_t seed, unsigned n_streams);
/** A random number from 0 to n - 1. */
uint32_t script_below(struct script *s, uint32_t n);
/** Adds a Write; its place and alignment are random, no two targets meet. Sources and targets do not meet. */
void script_add(struct script *s, unsigned side, unsigned stream, uint32_t len, enum script_fault fault, bool signaled);
/** Computes what must come of it. */
void script_end(struct script *s);

/** What a host's user memory holds at the start. */
void script_fill(const struct script *s, unsigned side, uint8_t *user);
/** The status that a message must complete with, MR_ERR_*. */
unsigned script_status(const struct script_msg *m);
/** A host's user memory as it must be at the end; `now` where that is unknown. To be freed. */
uint8_t *script_memory(const struct script *s, unsigned side, const uint8_t *now);
/** A host's user memory with 0 where it is unknown what it must be. To be freed. */
uint8_t *script_known(const struct script *s, unsigned side, const uint8_t *now);
/** The first difference of two user memories; SCRIPT_USER: none. */
size_t script_differ(const uint8_t *a, const uint8_t *b);

#endif
