// SPDX-License-Identifier: BSD-2-Clause
/*
 * ack_gate - holds an acknowledgment until what it speaks of is in host memory:
 * a completion at the sender then means that the receiving program finds the
 * bytes in place. [spec 5.3.4]
 *
 * rx_path numbers the writes that it orders; an acknowledgment carries the number
 * of the last one before it. A connection of which a write failed is not
 * acknowledged any more, until the host opens its entry anew: its peer gives up
 * in bounded time instead of believing what is not there.
 */
#ifndef MR_ACK_GATE_H
#define MR_ACK_GATE_H

#include "desc.h"
#include "ext.h"

struct ack_gate {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct path_id, order);    // writes in the order in which they were asked for
    MR_IN(struct wr_done, placed);   // their ends, in the same order
    MR_IN(struct held_ack, in);
    MR_OUT(struct ack, out);
    u(16) done;           // writes that have ended, modulo 2^16
    bool bad[MR_CONNS];   // a write of the connection failed
};

#endif
