// SPDX-License-Identifier: BSD-2-Clause
/*
 * finish.h - from the state after the walk to what is printed: RAM ports,
 * registers behind RAM reads, output data.
 */
#ifndef HLSC_FINISH_H
#define HLSC_FINISH_H

#include "mem.h"

/** One synchronous read port: word <= ram[addr] where en. */
struct sync_port {
    uint32_t ram;
    ref en, addr;
    bool muxed; // some register behind it has other sources too
};

/** What is printed for a slot of the kernel's state. */
struct reg {
    ref next;     // value after the step (where the port does not read)
    int32_t sync; // index of a sync_port, or -1
    uint32_t leaf; // of the RAM
    bool muxed;   // has other sources than the port
    bool held;    // output data that may be older than this step
};

struct ram_port {
    ref en, addr, data;
};

struct ram_info {
    bool packed; // one word holds all leaves
    bool sync, async;
    struct ram_port *write; // one per leaf; equal en and addr if packed
    ref *reads;             // addresses of asynchronous reads
    uint32_t nreads;
};

extern struct sync_port *sync_port;
extern uint32_t sync_ports;
extern struct reg *reg; // one per slot
extern struct ram_info *ram_info;
extern struct text finish_notes;

void finish(void);

/** Calls fn for every root of the graph: what must be computed each cycle. */
void each_root(void (*fn)(ref));
/** Marks what is reachable from r in `mark` (node_count bytes). */
void reach_nodes(ref r, uint8_t *mark);

/** outdata.c: `data` where `valid` holds; the leftover of `stale`, if unproven, stays in it. */
ref data_where_valid(ref data, ref stale, ref valid);

#endif
