// SPDX-License-Identifier: BSD-2-Clause
/*
 * core.h - N NICs, their host memories and the link between them, cycle by
 * cycle. The server drives it over a socket; tests call it directly.
 *
 * Every NIC has its own clock, because a register access steps that NIC alone;
 * sim_step lets the NICs that are behind catch up before all go on together.
 */
#ifndef SIM_CORE_H
#define SIM_CORE_H

#include <stdint.h>

#include "engine.h"
#include "link.h"
#include "mem.h"

#define SIM_REG_CYCLES_MAX 8192 // a register access that takes longer has failed; the RTL gives up at 4096
#define SIM_REG_POSTED 64       // writes posted to one NIC and not yet begun
#define SIM_RESET_CYCLES 16     // the NIC's clock moves by as much at a reset

struct sim_cfg {
    const char *engine;       // "loopback", "native", "rtl"
    struct sim_link_cfg link; // nics and seed too
    struct sim_mem_cfg mem;   // of every NIC
    const char *const *lanes; // changes to single lanes, as sim_lane_edit reads them
    uint32_t n_lanes;
    const char *pcap;         // file or null
    bool pcap_rx;             // tap at the receiving MAC, not at the sending one
    const char *fst;          // file or null; NIC i writes NAME.i.EXT
    const char *trace;        // the same for the recorder of trace.h
};

struct sim;

/** The defaults of sim/README.md: engine "native", 2 NICs. */
struct sim_cfg sim_defaults(void);

/** 0; -EINVAL: cfg; -ENOENT: no such engine in this build; -ENOMEM; -EIO: a file or an engine. */
int sim_new(const struct sim_cfg *cfg, struct sim **out);
/** 0, or -EIO if the capture could not be written. */
int sim_free(struct sim *s);

uint32_t sim_nics(const struct sim *s);
struct sim_link *sim_link_of(struct sim *s);
/** Maps, owner, statistics: mem.h. */
struct sim_mem *sim_mem_of(struct sim *s, uint32_t nic);

/** A NIC's clock, ns. */
uint64_t sim_now_ns(const struct sim *s, uint32_t nic);

/** One cycle of the NICs whose clocks are furthest behind: of all, once they are level. */
void sim_step(struct sim *s);
/** That many cycles of every NIC, catching up first. */
void sim_run(struct sim *s, uint64_t cycles);

/** Register access: steps that NIC alone. 0, -EINVAL (offset), -EIO (bus error), -ETIMEDOUT. */
int sim_reg_read(struct sim *s, uint32_t nic, uint32_t offset, uint32_t *value);
int sim_reg_write(struct sim *s, uint32_t nic, uint32_t offset, uint32_t value);
/**
 * A write that nobody waits for, as a doorbell over PCIe: it is done in the NIC's
 * next cycles, after earlier ones, while all NICs go on together. False: SIM_REG_POSTED
 * of them wait already, and nothing was done. An answer with an error is counted.
 */
bool sim_reg_post(struct sim *s, uint32_t nic, uint32_t offset, uint32_t value);
/** True if n more writes can be posted. */
bool sim_reg_post_room(const struct sim *s, uint32_t nic, uint32_t n);
/** Posted writes that were answered with an error. */
uint64_t sim_reg_post_errors(const struct sim *s, uint32_t nic);

/** Has the NIC interrupted its host since the last call? */
bool sim_irq_take(struct sim *s, uint32_t nic);

/** Reset of one NIC: what it had under way on its bus and its port, and what was posted to it, is gone. Maps stay. */
void sim_nic_reset(struct sim *s, uint32_t nic);

/** All statistics as JSON, to be freed by the caller; null if memory is short. */
char *sim_stats_json(struct sim *s);

#endif
