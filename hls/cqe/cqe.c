// SPDX-License-Identifier: BSD-2-Clause
#include "cqe/cqe.h"

typedef u(MR_CQS_LOG2) cq_ix;

/** Puts the entry out; true when the row is to be written. */
MR_INLINE bool cqe_emit(struct cqe *k, struct cqe_row *r)
{
    struct mr_cqe e = k->cpl_r.cqe;
    u(17) at = r->pidx & (u(17))(((u(17))1 << (u(17))r->log2) - (u(17))1);
    u(1) half = (u(1))at;

    if (!k->wr.ready || !k->beat.ready)
        return false;
    k->busy = false;
    if (r->base == 0) {
        k->ended++;
        return false;
    }
    e.time = k->now;
    e.phase = (u(8))(u(1))~(u(1))(r->pidx >> (u(17))r->log2);
    mr_put(k->wr, (struct wr_req){.addr = r->base + ((u(64))at << 5), .len = MR_CQE_BYTES});
    mr_put(k->beat, (struct wr_beat){
        .data = (u(512))mr_cqe_pack(e) << (half ? (u(512))256 : (u(512))0),
        .keep = half ? (u(64))0xffffffff00000000 : (u(64))0xffffffff, .last = true});
    r->pidx++;
    k->cnt_cqes++;
    return true;
}

MR_KERNEL(cqe)
{
    struct cqe_row row = k->row_q;
    struct cfg_write w = k->cfg.data;
    cq_ix at = (cq_ix)k->cpl_r.cq;
    bool write = false;

    if (k->done.valid) {
        mr_take(k->done);
        k->ended++;
        k->cnt_cqe_bus_errors += k->done.data.err;
    }
    if (k->busy) {
        write = cqe_emit(k, &row);
    } else if (k->cfg.valid) {
        struct mr_cq q = mr_cq_unpack((u(128))w.bits);
        mr_take(k->cfg);
        write = w.table == MR_TBL_CQ;
        at = (cq_ix)w.index;
        row = (struct cqe_row){.base = q.base, .log2 = (u(5))q.log2};
    } else if (k->cpl.valid || k->recv.valid) {
        bool recv = k->recv.valid && (k->turn || !k->cpl.valid);
        struct completion c = recv ? k->recv.data : k->cpl.data;
        if (recv)
            mr_take(k->recv);
        else
            mr_take(k->cpl);
        k->turn = !recv;
        k->cpl_r = c;
        k->row_q = k->rows[(cq_ix)c.cq];
        k->busy = true;
    } else if (k->flush.valid) {
        mr_take(k->flush);
        k->cpl_r = k->flush.data;
        k->row_q = k->rows[(cq_ix)k->flush.data.cq];
        k->busy = true;
    }
    if (write)
        k->rows[at] = row;
}
