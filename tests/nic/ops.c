// SPDX-License-Identifier: BSD-2-Clause
#include "ops.h"

#include <assert.h>

enum {
    AREA = (3 << 20) + (512 << 10),  // behind what pair.c uses of the memory
    SQ_STRIDE = 3,                   // 8 slots: 16 ranges, or OPS_INLINE bytes
    RQ_STRIDE = 2,                   // 16 ranges
    SQ_BYTES = OPS_SQ * (64 << SQ_STRIDE),
    RQ_BYTES = OPS_RQ * (64 << RQ_STRIDE),
};

static uint8_t *sq_of(struct pair_side *e, unsigned n)
{
    return e->mem + AREA + n * (SQ_BYTES + RQ_BYTES);
}

static uint8_t *rq_of(struct pair_side *e, unsigned n)
{
    return sq_of(e, n) + SQ_BYTES;
}

static void rq_open(struct pair *p, unsigned side, unsigned n)
{
    uint8_t entry[MR_RQ_BYTES];

    mr_rq_put(entry, (struct mr_rq){.base = (uintptr_t)rq_of(&p->side[side], n), .state = 1, .log2 = 4,
        .stride = RQ_STRIDE, .shared = n == 0, .pd = 7});
    assert(pair_table(p, side, MR_TBL_RQ, n, entry, sizeof entry) == 0);
    p->side[side].rq_pidx[n] = 0;
}

void ops_open(struct pair *p, unsigned n, struct ops_stream s)
{
    uint8_t entry[MR_STREAM_BYTES];

    assert(n > 0 && n < OPS_STREAMS);
    for (unsigned i = 0; i < 2; i++) {
        struct pair_side *e = &p->side[i];
        if (!s.shared || !e->rq_shared)
            rq_open(p, i, s.shared ? 0 : n);
        e->rq_shared |= s.shared;
        mr_stream_put(entry, (struct mr_stream){.state = 1, .sq_log2 = 4, .sq_stride = SQ_STRIDE, .peer = n,
            .weight = s.weight, .pd = 7, .sq_base = (uintptr_t)sq_of(e, n), .rnr_max = s.rnr_max,
            .rq = (u(16))(s.shared ? 0 : n)});
        assert(pair_table(p, i, MR_TBL_STREAM, n, entry, sizeof entry) == 0);
        e->more_pidx[n] = 0;
    }
}

static uintptr_t user_at(struct pair *p, unsigned side, uint64_t at)
{
    return (uintptr_t)p->side[side].user + at;
}

void ops_post(struct pair *p, unsigned side, unsigned n, const struct ops_wr *w)
{
    struct pair_side *e = &p->side[side];
    uint8_t *slot = sq_of(e, n) + (size_t)(e->more_pidx[n] % OPS_SQ) * (64 << SQ_STRIDE);
    uint32_t key = w->lkey ? w->lkey : PAIR_KEY;
    bool is_inline = w->flags & MR_WQEF_INLINE;
    struct mr_wqe q = {.opcode = (u(8))w->op, .flags = (u(8))(w->flags | MR_WQEF_SIGNALED),
        .nsge = (u(8))w->nranges, .length = is_inline ? w->len : ops_bytes(w->range, w->nranges),
        .raddr = user_at(p, !side, w->raddr), .rkey = w->rkey ? w->rkey : PAIR_KEY, .imm = w->imm,
        .compare = w->compare, .swap = w->swap};

    memset(slot, 0, 64 << SQ_STRIDE);
    if (w->nranges) {
        q.sge_addr = user_at(p, side, w->range[0].at);
        q.sge_key = key;
        q.sge_len = w->range[0].len;
    }
    mr_wqe_put(slot, q);
    for (unsigned i = 1; i < w->nranges; i++)
        mr_sge_put(slot + 64 + (size_t)(i - 1) * MR_SGE_BYTES,
            (struct mr_sge){.addr = user_at(p, side, w->range[i].at), .key = key, .len = w->range[i].len});
    if (is_inline && w->len)
        memcpy(slot + 64, w->data, w->len);
    e->more_pidx[n]++;
    pair_write(p, side, MR_REG_DB_SQ, n << 16 | e->more_pidx[n]);
}

void ops_post_raw(struct pair *p, unsigned side, unsigned n, struct mr_wqe w)
{
    struct pair_side *e = &p->side[side];
    uint8_t *slot = sq_of(e, n) + (size_t)(e->more_pidx[n] % OPS_SQ) * (64 << SQ_STRIDE);

    memset(slot, 0, 64 << SQ_STRIDE);
    mr_wqe_put(slot, w);
    e->more_pidx[n]++;
    pair_write(p, side, MR_REG_DB_SQ, n << 16 | e->more_pidx[n]);
}

void ops_recv(struct pair *p, unsigned side, unsigned n, const struct ops_range *r, unsigned nranges)
{
    struct pair_side *e = &p->side[side];
    uint8_t *slot = rq_of(e, n) + (size_t)(e->rq_pidx[n] % OPS_RQ) * (64 << RQ_STRIDE);

    memset(slot, 0, 64 << RQ_STRIDE);
    for (unsigned i = 0; i < nranges; i++)
        mr_sge_put(slot + (size_t)i * MR_SGE_BYTES,
            (struct mr_sge){.addr = user_at(p, side, r[i].at), .key = PAIR_KEY, .len = r[i].len});
    e->rq_pidx[n]++;
    pair_write(p, side, MR_REG_DB_RQ, n << 16 | e->rq_pidx[n]);
}

struct mr_cqe ops_wait(struct pair *p, unsigned side)
{
    struct mr_cqe c;

    return pair_wait(p, side, &c, PATIENCE) ? c : (struct mr_cqe){.status = 255};
}

uint32_t ops_bytes(const struct ops_range *r, unsigned n)
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < n; i++)
        sum += r[i].len;
    return sum;
}

void ops_gather(struct pair *p, unsigned side, const struct ops_range *r, unsigned n, uint8_t *to)
{
    for (unsigned i = 0; i < n; i++) {
        memcpy(to, p->side[side].user + r[i].at, r[i].len);
        to += r[i].len;
    }
}
