// SPDX-License-Identifier: BSD-2-Clause
/*
 * choose.h - which path of a group takes the next packet, by one of the policies
 * MR_POLICY_*. Each has a file of its own with one function: a path's cost, the
 * lowest of which is taken. [spec 8.3]
 */
#ifndef MR_CHOOSE_H
#define MR_CHOOSE_H

#include "tx_path/choose_least.h"
#include "tx_path/choose_turn.h"

/** A choice; `none` when no path can take a packet. */
struct path_choice {
    bool none;
    u(3) path;
};

/** The bit vector describes no more than this; what moves from a failed path may use all of it. */
MR_INLINE bool path_room(struct path_tx p)
{
    return p.state == PST_LIVE && (u(24))(p.next - p.una) < MR_WIRE_WINDOW && p.port == 0;
}

/** A path may have as many packets outstanding as its window; one while a probe is unanswered. */
MR_INLINE bool path_usable(struct path_tx p)
{
    return path_room(p) && p.out < p.cwnd && (!p.quiet || p.out == 0);
}

/** `moved`: for a packet of a failed path, which had its place in a window before. */
MR_INLINE struct path_choice path_choose(struct path_row r, u(3) turn, bool moved, u(32) policy)
{
    u(COST_BITS + 1) best = 0;
    u(3) at = 0;

    MR_UNROLL
    for (unsigned i = 0; i < MR_GROUP; i++) {
        struct path_tx p = r.p[i];
        u(3) later = (u(3))i - turn;
        u(COST_BITS) by = policy == MR_POLICY_TURN ? cost_turn(p, later) : cost_least(p, later);
        bool bad = moved ? !path_room(p) : !path_usable(p);
        u(COST_BITS + 1) cost = ((u(COST_BITS + 1))bad << COST_BITS) | (u(COST_BITS + 1))by;

        at = i == 0 || cost < best ? (u(3))i : at;
        best = i == 0 || cost < best ? cost : best;
    }
    return (struct path_choice){.none = (bool)(best >> COST_BITS), .path = at};
}

#endif
