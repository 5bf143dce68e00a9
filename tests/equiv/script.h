// SPDX-License-Identifier: BSD-2-Clause
/*
 * script.h - what two hosts do to each other, as data: a list of operations, run on
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
    bool late;      // its receive, and all later ones of the stream, are posted when it has been refused
    uint8_t op;     // MR_OP_*
    // Offsets in user memory: data come from `from` of the sender, of a Read from that of the peer, and go
    // to `to` of the peer, of a Read or atomic to that of the one who asks.
    uint32_t from;
    uint32_t to;
    uint32_t counter;  // of an atomic: at the peer
    uint32_t len;
    // after script_end
    uint32_t msg;  // its number in its stream
    bool behind;   // an earlier one of its stream fails: it has no completion
    uint32_t match;   // its number among those of its stream that take a receive
    uint64_t before;  // of an atomic: the counter's value before
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
    uint32_t counter[2][SCRIPT_STREAMS];  // at the peer of that side; 0: none yet
};

/** Starts an empty script. */
void script_begin(struct script *s, const char *name, uint64_t seed, unsigned n_streams);
/** A random number from 0 to n - 1. */
uint32_t script_below(struct script *s, uint32_t n);
/** Adds a Write; its place and alignment are random, no two targets meet. Sources and targets do not meet. */
void script_add(struct script *s, unsigned side, unsigned stream, uint32_t len, enum script_fault fault, bool signaled);
/**
 * Adds any operation, MR_OP_*, likewise; an atomic's len is 8. The atomics of a stream work
 * on a counter of its own. What sends takes a receive, which is posted in advance or late.
 */
void script_add_op(struct script *s, unsigned side, unsigned stream, unsigned op, uint32_t len, enum script_fault fault,
                   bool late);
/** Does it take a receive of the peer? */
bool script_takes(const struct script_msg *m);
/** Is it a Read or an atomic, whose outcome goes to the one who asks? */
bool script_asks(const struct script_msg *m);
bool script_atomic(const struct script_msg *m);
/** Operands of an atomic, from its number: every third compare fails to match. */
uint64_t script_compare_value(const struct script *s, const struct script_msg *m);
uint64_t script_swap_value(const struct script_msg *m);
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
