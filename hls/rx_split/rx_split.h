// SPDX-License-Identifier: BSD-2-Clause
/*
 * rx_split - makes the moves of rx_place out of a frame and the pieces of memory it goes to.
 *
 * in:  deal     per frame: what becomes of its payload
 *      piece    deal.pieces of them per frame, also of frames with len 0
 *      pay      the frame's beats from byte 64 on, up to last, if deal.has_pay
 * out: put      moves, for rx_place
 *      pay_out  the beats of each move, up to last
 *
 * pieces 0      one put, and the frame's beats as they are.
 * pieces 1 on   a put for each, with the beats that hold its bytes; payload_at says
 *               where in the first one. A beat that holds bytes of several pieces goes
 *               out several times. Beats behind the payload are dropped.
 * value         as above with a single source beat that holds `data` at its beginning;
 *               the frame's own beats are dropped.
 * len 0         one put that drains the frame's beats; its pieces are dropped.
 *
 * A step per beat that goes out or is dropped, a frame every step: nothing is added for
 * frames with pieces 0. With pieces: a step per frame more. With a value: one per beat
 * of its frame more. Of a frame with len 0 also a step per piece, while its beats pass.
 * A frame's deal and each of its pieces are taken with room for their put. Pieces are
 * taken when the frame's deal was: whoever sends both must not let pieces hold up the
 * deal that they belong to.
 *
 * If pay ends too early, the last beat goes out for each piece that is left, so that
 * every put has its beats; what is written is undefined.
 */
#ifndef MR_RX_SPLIT_H
#define MR_RX_SPLIT_H

#include "desc.h"

enum split_mode {
    SPLIT_NONE = 0,    // no beats of a frame are to come
    SPLIT_PASS = 1,    // they go on as they are
    SPLIT_DROP = 2,    // they are dropped
    SPLIT_PIECES = 3,  // they are dealt to the pieces
};

struct rx_split {
    MR_IN(struct rx_deal, deal);
    MR_IN(struct piece, piece);
    MR_IN(struct pay_beat, pay);
    MR_OUT(struct rx_put, put);
    MR_OUT(struct pay_beat, pay_out);

    u(2) mode;        // enum split_mode
    u(5) pieces;      // of the frame, that were not taken; but for SPLIT_PIECES, to be dropped
    bool from_value; // SPLIT_PASS, SPLIT_PIECES: the source is one beat with `value`
    bool rest;        // with it: the frame's own beats are dropped afterwards
    u(64) value;

    bool dealing;     // SPLIT_PIECES: a piece's beats go out; else the next one is to be taken
    u(6) at;          // offset in the source's next beat of the next payload byte
    u(13) left;       // dealing: bytes of the piece from there on
};

#endif
