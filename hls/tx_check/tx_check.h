// SPDX-License-Identifier: BSD-2-Clause
/*
 * tx_check - the last look before a packet's payload is read from the host.
 *
 * The local key is checked for every packet, first transmission or not, and the
 * address becomes a bus address. A packet that may not be sent, because its key
 * does not hold or because its stream has failed, becomes a NULL packet with the
 * same number, so that the path's sequence closes. [spec 7]
 *
 * A message with a list of local ranges has it here, in `lists`. All ranges are
 * checked with every packet, and the packet's bytes become pieces, 1 to 16, which
 * go out in front of the packet, also when it ends as NULL. The payload of a response
 * is what the peer asked for: its right is REMOTE_READ. [spec 7.6.2]
 *
 * Steps: 2 per packet; with a list 3 and 2 per range.
 */
#ifndef MR_TX_CHECK_H
#define MR_TX_CHECK_H

#include "desc.h"

/** A failed stream: nothing from this message on is sent any more. */
struct check_stop {
    bool failed;
    bool hard;  // all of it: responses that only tell an error too
    u(32) msg;
    u(16) life; // of the stream: packets of an earlier one are not sent any more
};

struct tx_check {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct stop, stop);
    MR_IN(struct sgl, list);     // always taken
    MR_IN(struct key_mark, mark);
    MR_IN(struct pkt, in);
    MR_OUT(struct piece, piece); // of packets with `list`; FIFO of at least MR_SGE_MAX
    MR_OUT(struct pkt, out);
    MR_OUT(struct fail, fail);
    MR_STAT(u(32), cnt_tx_local_errors);
    MR_STAT(u(8), took);  // entries taken, wraps
    u(3) state;       // enum check_state
    struct pkt pkt_r;
    u(2048) rest;     // list: ranges that are still to be looked at, the next one lowest
    u(32) at;         // list: bytes of the message in front of it
    u(5) left;        // list: ranges to be looked at
    u(8) code;        // MR_ERR_* so far
    u(256) keys[MR_KEYS];  // layout key
    u(256) key_q;
    struct check_stop stops[MR_STREAMS * 2];  // responses behind
    struct check_stop stop_q;
    bool clear;       // the place of a stream's responses is to be cleared too
    u(16) clear_at;
    u(16) clear_life;
    bool closed;      // and the stream is closed
    u(2048) lists[MR_STREAMS * MR_MSGS];
    u(2048) list_q;
};

#endif
