// SPDX-License-Identifier: BSD-2-Clause
/*
 * lockstep.h - a native kernel and its RTL, side by side, cycle by cycle.
 *
 * kut.h makes a `struct kut` for each kernel; gentop.c prints a Verilog module
 * that holds all kernels of a batch; top.cc gives access to its pins.
 */
#ifndef LOCKSTEP_H
#define LOCKSTEP_H

#include <stddef.h>
#include <stdint.h>

struct hlsc_port;

/** A kernel under test. */
struct kut {
    const char *name;
    size_t size;
    unsigned in_bits, out_bits;
    const struct hlsc_port *ports;
    void (*step)(void *k);
    void (*set_inputs)(void *k, const uint32_t *in_pins);
    void (*get_outputs)(const void *k, uint32_t *out_pins);
    void (*get_stats)(const void *k, uint32_t *out_pins);
};

/** All kernels of the batch, ended by nullptr. */
extern const struct kut *const kuts[];

/** Counted by the replay of traces, where the batch is built with TRACE=1. */
extern unsigned long trace_calls, trace_differences;

/** Words of a pin vector as the RTL top declares it: always wide for Verilator. */
static inline unsigned pin_words(unsigned bits)
{
    return bits < 96 ? 3 : (bits + 31) / 32;
}

#ifdef __cplusplus
extern "C" {
#endif
// top.cc
void rtl_open(void);
void rtl_reset(int low_active);
/** Inputs pass through a register in the RTL: they count from the next edge on. */
uint32_t *rtl_in(int kernel);
const uint32_t *rtl_out(int kernel);
/** One rising and falling edge; outputs follow the inputs that it took. */
void rtl_clock(void);
#ifdef __cplusplus
}
#endif

#endif
