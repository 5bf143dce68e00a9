// SPDX-License-Identifier: BSD-2-Clause
/*
 * nic.h - the native NIC: every kernel of the process graph as a C object, with
 * bounded FIFOs between them. No threads, no clock, no I/O: the caller steps it
 * and moves items across its edge.
 *
 * One NIC belongs to one thread at a time.
 */
#ifndef MR_NIC_H
#define MR_NIC_H

#include <stdint.h>

#include "ext.h"

struct mr_nic;

/** A NIC in reset state; NULL without memory. */
struct mr_nic *mr_nic_new(void);
void mr_nic_free(struct mr_nic *nic);

/**
 * One pass over all kernels in the order of their rows, at most one firing each.
 * `now` is the device clock in cycles; it never goes back.
 * Returns whether an item moved on any stream. False does not mean idle: timers
 * and work inside a kernel may still run, so a caller that rests must step again.
 */
bool mr_nic_step(struct mr_nic *nic, uint64_t now);

/** Level from the surroundings: received frames lost before they reached mac_rx. */
void mr_nic_set_mac_rx_drops(struct mr_nic *nic, uint32_t drops);

/*
 * Per stream into the NIC:   bool mr_nic_push_<name>(nic, const T *item), false when full.
 * Per stream out of the NIC: bool mr_nic_pop_<name>(nic, T *item), false when empty.
 */
#define MR_EXT_IN(T, name, to, in, depth) bool mr_nic_push_##name(struct mr_nic *nic, const T *item);
#define MR_EXT_OUT(T, name, from, out, depth) bool mr_nic_pop_##name(struct mr_nic *nic, T *item);
#include "graph/expand.h"

#endif
