// SPDX-License-Identifier: BSD-2-Clause
/*
 * trace.h - what every kernel of an RTL NIC saw and said at its pins, cycle by
 * cycle, in a file; so that the same kernel can be stepped natively on it.
 *
 * With MR_TRACE, a kernel's Verilog calls mr_trace_<kernel>(id, in, out) at every
 * clock edge outside reset. sim.mk makes these functions; each ends in
 * sim_trace_put. NAME.glue.h says which pin is which bit.
 *
 * The file, all numbers in the order of the writing host:
 *
 *   8 bytes "MRTRACE1", then records
 *   u8 1  u16 id, u32 in_bits, u32 out_bits, u8 n, n bytes kernel   an instance, before its data
 *   u8 2  u16 id, varint cycles, bitmap, words                      so many cycles with the same pins
 *   u8 3                                                            all instances were reset
 *   u8 4                                                            end: without it, the file was cut off
 *
 * The pins of an instance are its in words, then its out words, 32 bits each.
 * Bit i of the bitmap (bit i % 8 of byte i / 8) says that word i differs from the
 * record before (from 0 at first); the words that differ follow. A varint has 7
 * bits per byte, lowest first, and bit 7 set in all bytes but the last. Records
 * of one instance are in the order of time; those of different ones are not.
 */
#ifndef SIM_TRACE_H
#define SIM_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIM_TRACE_IDS 1024     // instances
#define SIM_TRACE_BITS 16384   // pins of an instance in one direction

struct sim_trace;

/** Null and errno if the file cannot be made. */
struct sim_trace *sim_trace_open(const char *path);
/** 0, or -EIO if something was not written. Null is 0. */
int sim_trace_close(struct sim_trace *t);
/** All instances were reset. */
void sim_trace_reset(struct sim_trace *t);
/** Where this thread's sim_trace_put goes; null: nowhere. */
void sim_trace_select(struct sim_trace *t);
/** One cycle of one instance. */
void sim_trace_put(const char *kernel, uint32_t id, uint32_t in_bits, const uint32_t *in, uint32_t out_bits, const uint32_t *out);

struct sim_trace_reader;

enum sim_trace_kind { SIM_TRACE_INST, SIM_TRACE_DATA, SIM_TRACE_RESET, SIM_TRACE_END };

struct sim_trace_rec {
    enum sim_trace_kind kind;
    uint32_t id;
    const char *kernel; // INST, DATA
    uint32_t in_bits;
    uint32_t out_bits;
    uint64_t cycles;     // DATA
    const uint32_t *in;  // DATA; valid until the next call
    const uint32_t *out;
};

/** Null and errno. */
struct sim_trace_reader *sim_trace_read_open(const char *path);
void sim_trace_read_close(struct sim_trace_reader *r);
/** 1: a record; 0: behind the END record; -EINVAL: the file is damaged or cut off. */
int sim_trace_next(struct sim_trace_reader *r, struct sim_trace_rec *rec);

#ifdef __cplusplus
}
#endif

#endif
