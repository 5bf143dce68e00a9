// SPDX-License-Identifier: BSD-2-Clause
/*
 * fake.h - a device for tests of the library: registers, tables, doorbells and
 * completions as the real one has them, and all operations done by memcpy inside
 * this process; those that find no receive wait. Of a shared receive queue the
 * next one is taken. URI `fake:`. One at a time; connections lead back to itself.
 */
#ifndef TEST_FAKE_H
#define TEST_FAKE_H

#include <stdint.h>

#include "bus/bus.h"
#include "lib/rows.h"

extern const struct mr_bus_ops bus_fake;

/** What the device is like; fake_defaults() before every test. */
struct fake_knobs {
    uint32_t magic, version, layout_hash;
    uint32_t conns, streams, keys, cqs, rqs, sges;
    uint32_t paths, groups, planes, clock_khz;
    uint32_t reads_left;     // register reads until the bus dies
    uint32_t table_refuse;   // MR_TBL_* that is refused; 0 = none
    bool table_stuck;        // TBL_STATUS stays busy
    bool hold;               // entries wait for fake_run() instead of being done at the doorbell
    bool run_in_wait;        // wait does one of the held entries
    bool map_fails;
    uint32_t pages;
    uint64_t (*bus_of)(uint64_t page);  // bus address of a 4 KiB page of registered memory; NULL = its own
    bool no_irq;
    uint32_t fail_after;     // entries until one fails with fail_status; 0 = now
    uint8_t fail_status;     // 0 = none fails
};
extern struct fake_knobs fake;

/** A table entry as it was written, in order. */
struct fake_entry {
    uint32_t table, index;
    uint8_t first[8];  // bytes
};

/** What it has seen. */
struct fake_seen {
    uint32_t open, close, maps;   // maps: ranges mapped now
    uint32_t cq_doorbells, sq_doorbells, rq_doorbells;
    uint32_t sq_bell, rq_bell, eq_bell;  // the last ones as written
    uint32_t waits, relaxes;
    uint32_t overruns;            // completions written over ones not yet told as read
    uint32_t entries;             // table entries written
    struct fake_entry entry[1024];  // the first of them
};
extern struct fake_seen fake_seen;

void fake_defaults(void);
/** Does up to n held entries of all streams; returns how many. */
unsigned fake_run(unsigned n);
/** Writes a completion as it stands into queue `cq`. */
void fake_cqe(uint32_t cq, uint32_t stream, uint32_t wqe, uint8_t status);
void fake_cqe_as(uint32_t cq, struct mr_cqe e);
/** Writes an event and interrupts; nothing without event queue. */
void fake_event(uint32_t type, uint32_t object, uint32_t detail);
/** Entry i of a queue as it stands in memory; the table must have the stream or queue. */
const unsigned char *fake_sq_entry(uint32_t stream, uint32_t i);
const unsigned char *fake_rq_entry(uint32_t rq, uint32_t i);
/** The bus is dead from now on. */
void fake_die(void);
/** A register as it was written last. */
uint32_t fake_reg(uint32_t off);
void fake_counter(uint32_t i, uint32_t value);
/** The entry of a table as it was written last. */
const void *fake_entry(uint32_t table, uint32_t index);

#endif
