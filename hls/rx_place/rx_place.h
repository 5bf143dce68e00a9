// SPDX-License-Identifier: BSD-2-Clause
/*
 * rx_place - moves a frame's payload to its place in host memory.
 *
 * in:  put   per frame: where to, how much, from which offset of the frame
 *      pay   the frame's beats from byte 64 on, up to last
 *      done  one per request, in order
 * out: req   write of put.len bytes at put.bus, if that is not 0
 *      beat  its data in 64-byte aligned beats; only bytes of the payload are kept
 *
 * Takes exactly the frame's pay beats: those behind the payload (Ethernet
 * padding, integrity value) and all of them when len is 0 are dropped. One beat
 * per step, frames back to back, but for a step per frame whose destination
 * takes one beat more than its source. If pay ends too early the rest of the
 * write carries undefined bytes.
 */
#ifndef MR_RX_PLACE_H
#define MR_RX_PLACE_H

#include "desc.h"
#include "ext.h"

struct rx_place {
    MR_IN(struct rx_put, put);
    MR_IN(struct pay_beat, pay);
    MR_OUT(struct wr_req, req);
    MR_OUT(struct wr_beat, beat);
    MR_IN(struct wr_done, done);
    MR_STAT(u(32), cnt_rx_bytes);
    MR_STAT(u(32), cnt_rx_bus_errors);
    MR_STAT(u(32), pending);  // writes requested and not done

    bool p_valid;   // first stage: pay beats belong to this frame
    bool p_first;   // none of them was taken
    u(6) p_at;      // offset of the payload in its first destination beat
    u(6) p_turn;    // bytes to rotate by: destination less source offset
    bool p_skip;    // the first destination beat begins in the first source beat and needs the second
    u(13) p_len;

    bool rot_valid; // between the stages: one pay beat, rotated
    bool rot_last;
    u(512) rot;

    u(6) q_at;      // second stage: p_at, 0 from the second destination beat on
    u(6) q_turn;
    bool q_skip;
    bool q_end;     // the frame's last pay beat is in prev
    u(14) q_rem;    // bytes from the start of the next destination beat to the payload's end
    u(512) prev;    // rotated beat in front of rot
};

#endif
