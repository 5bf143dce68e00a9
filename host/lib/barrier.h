// SPDX-License-Identifier: BSD-2-Clause
/*
 * barrier.h - the two places where the order of memory accesses matters to the
 * device, each with its partner.
 */
#ifndef MRI_BARRIER_H
#define MRI_BARRIER_H

#include <stdatomic.h>

/**
 * Between the stores to memory that the device will read (queue entries and
 * payload) and the doorbell that tells it to.
 * Pairs with: the device fetches an entry only after it took the doorbell.
 */
static inline void mri_barrier_before_doorbell(void)
{
    atomic_thread_fence(memory_order_release);
}

/**
 * Loads the byte of a completion entry that holds the phase, before the rest
 * of the entry and before the payload that it announces.
 * Pairs with: the device writes payload before the entry, and the entry in one
 * piece (or with this byte last).
 */
static inline unsigned mri_load_phase(const unsigned char *shared_byte)
{
    return __atomic_load_n(shared_byte, __ATOMIC_ACQUIRE) & 1;
}

#endif
