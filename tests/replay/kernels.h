// SPDX-License-Identifier: BSD-2-Clause
/* kernels.h - every kernel of the process graph by its name, with its pins. */
#ifndef REPLAY_KERNELS_H
#define REPLAY_KERNELS_H

#include <stddef.h>
#include <stdint.h>

struct hlsc_port; // NAME.glue.h

struct kernel {
    const char *name;
    size_t size;  // of its struct
    uint32_t in_bits, out_bits;
    const struct hlsc_port *ports;  // up to one without a name
    void (*set_inputs)(void *k, const uint32_t *in_pins);
    void (*step)(void *k);
    void (*get_outputs)(const void *k, uint32_t *out_pins);
    void (*get_stats)(const void *k, uint32_t *out_pins);
};

/** Null: no such kernel. */
const struct kernel *kernel_find(const char *name);

/** A port as text-free numbers: struct hlsc_port is in generated headers only. */
struct port {
    const char *name;
    char kind;  // i, o, c (MR_CFG) or s (MR_STAT)
    uint32_t width, in_lo, out_lo;
};

/** Port n of a kernel; false: it has fewer. */
bool kernel_port(const struct kernel *k, unsigned n, struct port *p);

#endif
