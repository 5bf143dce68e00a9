// SPDX-License-Identifier: BSD-2-Clause
/*
 * choose.h - policy: which path takes the next packet. Least loaded among those
 * with window; paths that the fabric did not mark come first.
 */
#ifndef MR_CHOOSE_H
#define MR_CHOOSE_H

#include "tx_path/tx_path.h"

/** A choice; `none` when no path can take a packet. */
struct path_choice {
    bool none;
    u(3) path;
};

/** A path may have as many packets outstanding as its window and the bit vector allow. */
MR_INLINE bool path_usable(struct path_tx p)
{
    return p.out < p.cwnd && (u(24))(p.next - p.una) < MR_WIRE_WINDOW;
}

/** Lower is better. */
MR_INLINE u(12) path_cost(struct path_row r, u(4) i)
{
    struct path_tx p = r.p[i];
    u(3) later = (u(3))i - r.turn;  // ties go round
    bool bad = i >= r.npaths || !path_usable(p);

    return (u(12))(((u(12))bad << 11) | ((u(12))p.marked << 10)) |
           (u(12))(((u(12))(p.out >> 2) << 3) | (u(12))later);
}

MR_INLINE struct path_choice path_choose(struct path_row r)
{
    u(12) best = path_cost(r, 0);
    u(3) at = 0;

    MR_UNROLL
    for (unsigned i = 1; i < MR_PATHS; i++) {
        u(12) cost = path_cost(r, (u(4))i);
        at = cost < best ? (u(3))i : at;
        best = cost < best ? cost : best;
    }
    return (struct path_choice){.none = (bool)(best >> 11), .path = at};
}

#endif
