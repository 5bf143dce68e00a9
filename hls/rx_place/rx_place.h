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
 * per step, but for a step per frame whose destination takes one beat more than
 * its source; a frame every two steps. If pay ends too early the rest of the
 * write carries undefined bytes.
 */
#ifndef MR_RX_PLACE_H
#define MR_RX_PLACE_H

#include "desc.h"
#include "ext.h"

/** How one frame's payload is moved. */
struct place {
    u(6) at;    // offset of the payload in its first destination beat; q: 0 from the second one on
    u(6) turn;  // bytes to rotate by: destination less source offset
    bool skip;  // the first destination beat begins in the first source beat and needs the second
    u(7) left;  // destination beats; q: those that are still to be written
    u(6) tail;  // bytes up to the payload's end in the last one, 0 = 64
};

struct rx_place {
    MR_IN(struct rx_put, put);
    MR_IN(struct pay_beat, pay);
    MR_OUT(struct wr_req, req);
    MR_OUT(struct wr_beat, beat);
    MR_IN(struct wr_done, done);
    MR_OUT(struct wr_done, placed);  // each `done`, for ack_gate
    MR_STAT(u(32), cnt_rx_bytes);
    MR_STAT(u(32), cnt_rx_bus_errors);

    bool next_valid; // the frame whose put was taken and whose pay beats come next
    struct place next;

    bool p_valid;    // first stage: pay beats belong to this frame
    bool p_first;    // none of them was taken
    struct place p;

    bool rot_valid;  // between the stages: one pay beat, rotated
    bool rot_last;
    u(512) rot;

    struct place q;  // second stage: the frame that is written
    bool q_end;      // its last pay beat is in prev
    u(512) prev;     // rotated beat in front of rot
};

#endif
