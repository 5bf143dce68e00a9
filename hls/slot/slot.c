// SPDX-License-Identifier: BSD-2-Clause
#include "slot/slot.h"

typedef u(MR_GROUPS_LOG2 + MR_GROUP_LOG2 + 8) slot_ix;

MR_INLINE slot_ix slot_at(u(16) row, u(24) psn)
{
    return ((slot_ix)row << (slot_ix)8) | (slot_ix)(u(8))psn;
}

MR_INLINE struct pkt slot_packet(struct slot_req a, struct slot_rec r)
{
    return (struct pkt){.conn = a.conn, .path = a.path, .row = a.row, .epoch = a.epoch, .psn = a.psn,
        .stream = r.stream, .life = r.life, .peer = r.peer, .pd = r.pd, .msg = r.msg, .offset = r.offset,
        .msg_len = r.msg_len, .len = r.len, .opcode = r.opcode, .flags = r.flags, .raddr = r.raddr,
        .rkey = r.rkey, .imm = r.imm, .laddr = r.laddr, .lkey = r.lkey, .match = r.match, .rsp = r.rsp,
        .list = r.list, .bus = r.bus};
}

MR_INLINE struct slot_rec slot_record(struct pkt p)
{
    return (struct slot_rec){.stream = p.stream, .life = p.life, .peer = p.peer, .pd = p.pd, .msg = p.msg,
        .offset = p.offset, .msg_len = p.msg_len, .len = p.len, .opcode = p.opcode, .flags = p.flags,
        .raddr = p.raddr, .rkey = p.rkey, .imm = p.imm, .laddr = p.laddr, .lkey = p.lkey,
        .match = p.match, .rsp = p.rsp, .list = p.list, .bus = p.bus};
}

/** Gives the record to whom the request was for. Room was looked for before. */
MR_INLINE void slot_answer(struct slot *k)
{
    struct slot_req a = k->asked;
    struct slot_rec r = k->rec_q;

    if (a.why == SLOT_DONE) {
        // A response needs no completion here.
        if (!r.rsp)
            mr_put(k->done, (struct done){.stream = r.stream, .life = r.life, .msg = r.msg});
    } else if (a.why == SLOT_ERROR && a.code == MR_ERR_RNR) {
        // What is lost of these comes again with the next refusal.
        if (k->rnr.ready && !r.rsp)
            mr_put(k->rnr, (struct rnr_note){.stream = r.stream, .life = r.life, .conn = a.conn, .msg = r.msg});
    } else if (a.why == SLOT_ERROR) {
        mr_put(k->fail, (struct fail){.stream = r.stream, .life = r.life, .msg = r.msg, .code = a.code, .rsp = r.rsp});
    } else if (a.why == SLOT_RESEND) {
        mr_put(k->resend, slot_packet(a, r));
    } else {
        mr_put(k->moved, slot_packet(a, r));
    }
}

MR_KERNEL(slot)
{
    struct pkt p = k->wr.data;
    bool report = k->req.valid && k->done.ready && k->fail.ready;
    bool move = !report && k->move.valid && k->moved.ready && k->fail.ready;
    bool again = !report && !move && k->again.valid && k->resend.ready;
    struct slot_req q = report ? k->req.data : move ? k->move.data : k->again.data;

    // An answer in every second step: so what was room at the request is room now.
    if (k->busy) {
        slot_answer(k);
        k->busy = false;
    } else if (report || move || again) {
        k->served += report;
        if (report)
            mr_take(k->req);
        else if (move)
            mr_take(k->move);
        else
            mr_take(k->again);
        k->asked = q;
        k->rec_q = k->recs[slot_at(q.row, q.psn)];
        k->busy = true;
    }
    if (k->wr.valid) {
        mr_take(k->wr);
        k->recs[slot_at(p.row, p.psn)] = slot_record(p);
    }
}
