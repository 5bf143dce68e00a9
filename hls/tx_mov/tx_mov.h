// SPDX-License-Identifier: BSD-2-Clause
/*
 * tx_mov - merges headers and payload into the beats of a frame.
 *
 * in:  frame  headers, how much payload, and where it starts in the read
 *      rd     the read's beats, up to last, if pay_len is not 0
 * out: beat   the frame without its integrity value
 *      crc    the same beats as the integrity value covers them
 *      fail   the payload read failed: MR_ERR_BUS; put with the frame's last beat,
 *             which is poisoned
 *
 * Payload follows headers of at least 64 bytes; a frame without payload may have
 * 58 or more. One beat per step, with one idle step in a frame whose payload
 * starts at a higher offset modulo 64 in the read than in the frame, unless the
 * read is a single beat. All outputs
 * must be ready. If rd ends too early, undefined bytes take the place of the rest.
 */
#ifndef MR_TX_MOV_H
#define MR_TX_MOV_H

#include "desc.h"
#include "ext.h"

struct tx_mov {
    MR_IN(struct tx_frame, frame);
    MR_IN(struct rd_beat, rd);
    MR_OUT(struct tx_beat, beat);
    MR_OUT(struct crc_beat, crc);
    MR_OUT(struct fail, fail);
    MR_STAT(u(32), cnt_tx_bus_errors);

    bool busy;          // f is being sent
    struct tx_frame f;
    u(2) at;            // beat of the frame that is next: 0, 1, 2 = any later one
    u(13) rem;          // bytes from the start of that beat to the frame's end
    u(6) turn;          // bytes to rotate by: offset in the frame less offset in the read
    bool skip;          // the first beat with payload begins in the first read beat and needs the second
    bool rd_open;       // read beats are still to be taken
    bool rd_end;        // the last one is in prev
    bool err;           // it had err set

    bool rot_valid;     // one read beat, rotated
    bool rot_last;
    bool rot_err;
    u(512) rot;
    u(512) prev;        // rotated beat in front of rot
};

#endif
