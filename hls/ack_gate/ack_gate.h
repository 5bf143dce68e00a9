// SPDX-License-Identifier: BSD-2-Clause
/*
 * ack_gate - holds acknowledgments, and the news of accepted packets, until what
 * they speak of is in host memory: a completion, at either end, then means that
 * the bytes are in place. [spec 5.3.4, 7.1.7]
 *
 * rx_path numbers the packets that it has written; an acknowledgment carries the
 * number of the last one before it. A connection of which a write failed is not
 * acknowledged any more, until the host opens its entry anew: its peer gives up
 * in bounded time instead of believing what is not there.
 */
#ifndef MR_ACK_GATE_H
#define MR_ACK_GATE_H

#include "desc.h"
#include "ext.h"

struct ack_gate {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct ordered, order);    // packets in the order in which they are written, 1 to 16 writes each
    MR_IN(struct wr_done, placed);   // the ends of the writes, in the same order
    MR_IN(struct held_ack, in);
    MR_IN(struct held_got, got);
    MR_OUT(struct ack, out);
    MR_OUT(struct got, got_out);
    MR_STAT(u(8), marks);   // of `keys`, that came by, wraps
    MR_STAT(u(16), done);   // packets that were written, modulo 2^16
    MR_STAT(u(16), drops);  // of `got`, not passed on, modulo 2^16
    u(5) part;            // writes of the next one that have ended
    bool part_bad;        // one of them failed
    bool bad[MR_CONNS];   // a write of the connection failed
};

#endif
