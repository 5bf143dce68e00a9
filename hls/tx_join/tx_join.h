// SPDX-License-Identifier: BSD-2-Clause
/*
 * tx_join - puts the reads of a frame's payload together, for tx_mov.
 *
 * in:  join  one per read, in the order of the reads
 *      rd    the reads' beats, each up to last
 * out: out   one answer per frame, up to last
 *
 * join.one: the read's beats as they are. Else the reads up to the one with join.last
 * become one answer: byte 0 of the payload in byte 0 of the first beat, no gaps, err on
 * the last beat if any of the reads had it. Bytes behind the payload are undefined.
 *
 * A beat of rd per step; a step more for a frame whose last read beat begins in one beat
 * of the answer and ends in the next. Nothing is added between reads and frames. A join
 * puts out nothing itself; beats wait for room, and for their join.
 *
 * If a read ends too early or late, its frame has undefined bytes, perhaps too few or
 * too many beats; those behind it are not affected.
 */
#ifndef MR_TX_JOIN_H
#define MR_TX_JOIN_H

#include "desc.h"
#include "ext.h"

struct tx_join {
    MR_IN(struct join, join);
    MR_IN(struct rd_beat, rd);
    MR_OUT(struct rd_beat, out);
    MR_STAT(u(16), rd_taken);  // beats taken of rd, wraps

    bool busy;      // first stage: rd beats belong to this read
    struct join j;  // at: 0 from the second beat on; len: bytes that are still to come
    u(6) turn;      // bytes to rotate by: offset in the answer less offset in the read
    u(6) next;      // offset in the answer, modulo 64, of the next read

    bool rot_valid; // between the stages: one rd beat, rotated
    bool rot_one;   // goes out as it is
    bool rot_last;  // ends an answer
    bool rot_err;
    u(6) rot_at;    // offset in the answer, modulo 64, of its first byte
    u(7) rot_end;   // behind its last one; above 64: it goes on in the next beat of the answer
    u(512) rot;

    u(512) acc;     // second stage: the answer's bytes in front of rot_at
    bool err;       // a read of the answer had err
};

#endif
