// SPDX-License-Identifier: BSD-2-Clause
/*
 * choose_least.h - policy: the path with the fewest packets outstanding; those
 * that answer their probes come first, then those that the fabric did not mark.
 */
#ifndef MR_CHOOSE_LEAST_H
#define MR_CHOOSE_LEAST_H

#include "tx_path/tx_path.h"

#define COST_BITS 12

/** `later`: how far the path is behind the one whose turn it is; decides ties. */
MR_INLINE u(COST_BITS) cost_least(struct path_tx p, u(3) later)
{
    // A marked path that is empty is tried again: only an answer can clear the mark.
    bool marked = p.marked && p.out != 0;

    return ((u(COST_BITS))p.quiet << 11) | ((u(COST_BITS))marked << 10) |
           ((u(COST_BITS))(p.out >> 2) << 3) | (u(COST_BITS))later;
}

#endif
