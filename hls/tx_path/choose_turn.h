// SPDX-License-Identifier: BSD-2-Clause
/* choose_turn.h - policy: round robin over the paths with room, to compare with. */
#ifndef MR_CHOOSE_TURN_H
#define MR_CHOOSE_TURN_H

#include "tx_path/choose_least.h"

MR_INLINE u(COST_BITS) cost_turn(struct path_tx p, u(3) later)
{
    (void)p;
    return (u(COST_BITS))later;
}

#endif
