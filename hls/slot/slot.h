// SPDX-License-Identifier: BSD-2-Clause
/*
 * slot - remembers every packet that is not acknowledged, by path and sequence
 * number modulo the window, so that exactly that packet can be sent again.
 *
 * It is the NIC's largest table (256 packets per path); on a card it lives in
 * HBM or DDR: one write per packet sent, one read per packet acknowledged.
 */
#ifndef MR_SLOT_H
#define MR_SLOT_H

#include "desc.h"

#define MR_SLOTS (MR_ROWS * MR_WIRE_WINDOW)

/** What of a packet is kept; where it stood says its path and number. */
struct slot_rec {
    u(16) stream;
    u(16) life;
    u(24) peer;
    u(16) pd;
    u(32) msg;
    u(32) offset;
    u(32) msg_len;
    u(13) len;
    u(8) opcode;
    u(8) flags;
    u(64) raddr;
    u(32) rkey;
    u(32) imm;
    u(64) laddr;
    u(32) lkey;
    u(32) match;
    bool rsp;
    bool list;
    bool bus;
};

struct slot {
    MR_IN(struct pkt, wr);
    MR_IN(struct slot_req, req);    // SLOT_DONE, SLOT_ERROR
    MR_IN(struct slot_req, again);  // SLOT_RESEND
    MR_IN(struct slot_req, move);   // SLOT_MOVE, SLOT_ERROR: of an incarnation that has ended
    MR_OUT(struct done, done);
    MR_OUT(struct fail, fail);
    MR_OUT(struct rnr_note, rnr);   // SLOT_ERROR with MR_ERR_RNR; left out when there is no room
    MR_OUT(struct pkt, resend);
    MR_OUT(struct pkt, moved);
    MR_STAT(u(16), served);  // requests of `req` that were read, wraps: a credit waits for those before it
    bool busy;           // rec_q answers asked
    struct slot_req asked;
    struct slot_rec recs[MR_SLOTS];
    struct slot_rec rec_q;
};

#endif
