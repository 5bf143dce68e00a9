// SPDX-License-Identifier: BSD-2-Clause
/*
 * mem.h - host memory behind a PCIe-like bus, as one NIC sees it.
 *
 * Reads: a burst is answered after rd_ns plus jitter; its data come in pieces
 * that end at multiples of `payload` bytes. Bursts of one id are answered in
 * order, those of different ids pass each other and, with `interleave`, mix
 * piece by piece. Writes: a burst takes effect as a whole, wr_ns plus jitter
 * after its last beat, and its answer follows; the order holds per id only.
 *
 * Only mapped ranges exist. A beat of a read in which no byte is mapped, and a
 * burst of a write with any enabled byte that is not mapped, are answered with
 * an error and touch nothing; unmapped bytes next to mapped ones in a beat read
 * as zero, because a bus of 64-byte beats cannot name less.
 */
#ifndef SIM_MEM_H
#define SIM_MEM_H

#include <stddef.h>
#include <stdint.h>

#include "engine.h"

/** Reaches the host's bytes; called inside mapped ranges only. 0 or -errno. */
struct sim_mem_ops {
    int (*read)(void *ctx, uint64_t addr, void *buf, size_t len);
    int (*write)(void *ctx, uint64_t addr, const void *buf, size_t len);
};

struct sim_mem_cfg {
    uint32_t rd_ns;        // request to first beat
    uint32_t rd_jitter_ns; // evenly from 0 to this, per burst
    uint32_t wr_ns;        // last beat to effect and answer
    uint32_t wr_jitter_ns;
    uint32_t rd_max;  // bursts under way, 1 to SIM_MEM_RD_MAX
    uint32_t wr_max;  // the same, 1 to SIM_MEM_WR_MAX
    uint32_t payload; // bytes, power of two, 64 to 4096
    uint64_t rd_rate; // bytes per second
    bool interleave;
};

#define SIM_MEM_RD_MAX 256
#define SIM_MEM_WR_MAX 64
#define SIM_MEM_MAPS_MAX 4096

struct sim_mem_stats {
    uint64_t rd_bursts;
    uint64_t rd_beats;
    uint64_t rd_errors; // bursts answered with an error
    uint64_t rd_peak;   // most bursts under way
    uint64_t wr_bursts;
    uint64_t wr_bytes; // enabled bytes
    uint64_t wr_errors;
    uint64_t wr_peak;
    uint64_t bad_bursts; // across 4 KiB, or last flag at the wrong beat: answered with an error
};

struct sim_mem;

/** The defaults of sim/README.md. */
struct sim_mem_cfg sim_mem_defaults(void);

/** `key`: randomness of this NIC's memory (rng.h). Null if memory is short or cfg is out of range. */
struct sim_mem *sim_mem_new(const struct sim_mem_cfg *cfg, uint64_t key);
void sim_mem_free(struct sim_mem *m);

/** Sets who owns the memory; drops all maps. */
void sim_mem_owner(struct sim_mem *m, const struct sim_mem_ops *ops, void *ctx);

/** True if somebody does. */
bool sim_mem_owned(const struct sim_mem *m);

/** 0, -EINVAL (empty or wrapping range), -ENOSPC. Ranges may overlap. */
int sim_mem_map(struct sim_mem *m, uint64_t addr, uint64_t len);
/** 0, -ENOENT if exactly this range was not mapped. */
int sim_mem_unmap(struct sim_mem *m, uint64_t addr, uint64_t len);

/** Forgets everything that is under way, as the bus does when the NIC is reset. */
void sim_mem_reset(struct sim_mem *m);

/** Before the engine's cycle: sets the memory's side of io. */
void sim_mem_drive(struct sim_mem *m, uint64_t now_ns, struct sim_io *io);
/** After it: takes what has moved. */
void sim_mem_take(struct sim_mem *m, uint64_t now_ns, const struct sim_io *io);

/** True if nothing is under way. */
bool sim_mem_idle(const struct sim_mem *m);
/** True if a write took effect since the last call. */
bool sim_mem_written(struct sim_mem *m);

const struct sim_mem_stats *sim_mem_stats(const struct sim_mem *m);

#endif
