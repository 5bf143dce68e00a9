// SPDX-License-Identifier: BSD-2-Clause
#include "ref_recv.h"

static void unpack(struct mr_sge *to, u(2048) sges)
{
    for (unsigned i = 0; i < MR_SGE_MAX; i++)
        to[i] = mr_sge_unpack((u(128))(sges >> (128 * i)));
}

uint64_t ref_sum(const struct mr_sge *s)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < MR_SGE_MAX; i++)
        sum += (uint64_t)s[i].len;
    return sum;
}

static void use_up(struct ref_queue *q, uint32_t index)
{
    q->recv[index % REF_POSTED].used = true;
    while (q->gone != q->have && q->recv[q->gone % REF_POSTED].used)
        q->gone++;
}

/** The receives that a stream holds of a shared queue are used up. */
static void release(struct ref *r, struct ref_stream *s)
{
    for (unsigned i = 0; i < MR_RECVS && s->rq < MR_RQS; i++) {
        struct ref_queue *q = &r->queue[s->rq];
        if (!s->bound[i].valid || !q->open || !q->shared || s->bound[i].life != q->life)
            continue;
        use_up(q, s->bound[i].index);
        r->released++;
    }
}

void ref_config(struct ref *r, struct cfg_write w)
{
    if (w.table == MR_TBL_STREAM) {
        struct mr_stream m = mr_stream_unpack((u(256))w.bits);
        struct ref_stream *s = &r->stream[(unsigned)w.index];
        release(r, s);
        *s = (struct ref_stream){.open = m.state == 1, .rq = (unsigned)m.rq, .pd = (unsigned)m.pd};
    } else if (w.table == MR_TBL_RQ) {
        struct mr_rq m = mr_rq_unpack((u(128))w.bits);
        struct ref_queue *q = &r->queue[(unsigned)w.index];
        q->open = m.state == 1;
        q->shared = m.shared == 1;
        q->pd = (unsigned)m.pd;
        q->life++;
        q->have = q->next = q->gone = q->freed = 0;
    } else if (w.table == MR_TBL_KEY) {
        r->key[(unsigned)w.index] = mr_key_unpack((u(256))w.bits);
    }
}

void ref_request(struct ref *r, struct request q)
{
    struct ref_request *s = &r->stream[(unsigned)q.stream].request[(unsigned)q.msg % MR_MSGS];
    *s = (struct ref_request){.valid = true, .atomic = q.opcode != MR_OP_READ, .msg = (uint32_t)q.msg, .length = (uint32_t)q.length};
    unpack(s->sge, q.sges);
}

void ref_entry(struct ref *r, struct recv_entry e)
{
    if (e.rq >= MR_RQS || !r->queue[(unsigned)e.rq].open)
        return;
    struct ref_queue *q = &r->queue[(unsigned)e.rq];
    struct ref_recv *v = &q->recv[q->have++ % REF_POSTED];
    v->used = false;
    unpack(v->sge, e.sges);
}

void ref_ended(struct ref *r, struct ended e)
{
    struct ref_stream *s = &r->stream[(unsigned)e.stream];
    struct ref_request *q = &s->request[(unsigned)e.msg % MR_MSGS];
    if (e.request && q->msg == e.msg)
        q->valid = false;
    if (!e.recv || !s->open || e.match != s->ended)
        return;
    s->ended++;
    struct ref_bound *b = &s->bound[(unsigned)e.match % MR_RECVS];
    struct ref_bound was = *b;
    b->valid = false;
    if (s->rq >= MR_RQS || !r->queue[s->rq].open)
        return;
    struct ref_queue *rq = &r->queue[s->rq];
    if (rq->shared && was.valid && was.life == rq->life && (uint16_t)was.index == e.index)
        use_up(rq, was.index);
    if (!rq->shared && e.index == (u(16))e.match)
        for (uint32_t i = rq->gone; i != rq->have; i++)
            if ((uint16_t)i == e.index)
                use_up(rq, i);
}

static bool key_ok(const struct ref *r, struct mr_sge s, unsigned pd)
{
    unsigned at = (unsigned)(s.key >> 8);
    if (at >= MR_KEYS)
        return false;
    struct mr_key e = r->key[at];
    return e.tag == (s.key & 0xff) && e.pd == pd && (e.rights & MR_RIGHT_LOCAL_WRITE) && s.addr >= e.va &&
           (u(80))s.addr + s.len <= (u(80))e.va + e.len;
}

/** The packet's bytes, one by one piece; a touched key that fails, or too few entries: REMOTE_OP. */
static void place(const struct ref *r, struct ref_fate *f, const struct mr_sge *sge, unsigned pd, uint64_t from, unsigned len)
{
    uint64_t at = 0, to = from + len;
    unsigned got = 0;
    f->n = 0;
    for (unsigned i = 0; i < MR_SGE_MAX && got < len; at += (uint64_t)sge[i++].len) {
        uint64_t end = at + (uint64_t)sge[i].len;
        uint64_t lo = at > from ? at : from, hi = end < to ? end : to;
        if (lo >= hi)
            continue;
        if (!key_ok(r, sge[i], pd)) {
            f->seq.err = MR_ERR_REMOTE_OP;
            return;
        }
        struct mr_key e = r->key[(unsigned)(sge[i].key >> 8)];
        f->piece[f->n++] = (struct piece){.bus = e.bus + (sge[i].addr - e.va) + (lo - at), .len = (u(13))(hi - lo)};
        got += (unsigned)(hi - lo);
    }
    if (got < len) {
        f->seq.err = MR_ERR_REMOTE_OP;
    } else if (f->n == 1) {
        f->seq.bus = f->piece[0].bus;
        f->n = 0;
    } else if (f->n > 1) {
        f->piece[f->n - 1].last = true;
        f->seq.pieces = (u(5))f->n;
    }
}

/** Which receive takes the message; an error, or MR_ERR_OK. */
static unsigned find(struct ref *r, struct ref_stream *s, uint32_t match, uint32_t *index)
{
    if (!s->open)
        return MR_ERR_REMOTE_STREAM;
    if ((int32_t)(match - s->ended) < 0)
        return MR_ERR_REMOTE_OP;
    if (s->rq >= MR_RQS)
        return MR_ERR_RNR;
    struct ref_queue *q = &r->queue[s->rq];
    struct ref_bound *b = &s->bound[match % MR_RECVS];
    if (!q->open || q->pd != s->pd)
        return MR_ERR_RNR;
    if (!q->shared) {
        *index = match;
        return !b->valid && match >= q->gone && match < q->have && !q->recv[match % REF_POSTED].used ? MR_ERR_OK : MR_ERR_RNR;
    }
    if (match - s->ended >= MR_RECVS)
        return MR_ERR_REMOTE_OP;
    if (!b->valid || b->life != q->life) {
        if (q->next == q->have)
            return MR_ERR_RNR;
        *b = (struct ref_bound){.valid = true, .index = q->next++, .life = q->life};
    }
    *index = b->index;
    return MR_ERR_OK;
}

static void response(const struct ref *r, struct ref_fate *f, const struct ref_stream *s, struct mr_data d)
{
    const struct ref_request *q = &s->request[(unsigned)d.msg % MR_MSGS];
    bool atomic = f->seq.opcode == MR_OP_ATOMIC_RSP;
    if (!s->open || !q->valid || q->msg != d.msg || q->atomic != atomic) {
        f->seq.err = MR_ERR_REMOTE_OP;
    } else if (d.imm != 0) {
        f->seq.len = 0;
    } else if (atomic) {
        f->seq.len = 8;
        f->seq.value = true;
        place(r, f, q->sge, s->pd, 0, 8);
        if (f->n > 1)
            f->seq.err = MR_ERR_REMOTE_OP;
    } else if (d.msg_len != q->length || d.addr != d.offset) {
        f->seq.err = MR_ERR_REMOTE_OP;
    } else {
        place(r, f, q->sge, s->pd, (uint64_t)d.offset, (unsigned)d.pay_len);
    }
}

struct ref_fate ref_packet(struct ref *r, struct rx_seq q)
{
    struct ref_fate f = {.seq = q};
    struct mr_data d = mr_data_unpack(q.ext);
    struct ref_stream *s = &r->stream[(unsigned)q.stream % MR_STREAMS];
    unsigned op = (unsigned)q.opcode;
    uint32_t index = 0;
    f.seq.pieces = 0;
    f.seq.value = false;
    f.seq.recv = 0;
    if (q.kind != MR_KIND_DATA || q.drop || q.err != 0)
        return f;
    if (op == MR_OP_READ_RSP || op == MR_OP_ATOMIC_RSP) {
        response(r, &f, s, d);
    } else if (op == MR_OP_SEND || op == MR_OP_SEND_IMM || op == MR_OP_SEND_INV || op == MR_OP_WRITE_IMM) {
        f.seq.err = (u(8))find(r, s, (uint32_t)d.match, &index);
        f.seq.recv = (u(16))index;
        if (f.seq.err == 0 && op != MR_OP_WRITE_IMM) {
            struct ref_recv *v = &r->queue[s->rq].recv[index % REF_POSTED];
            if (d.msg_len > ref_sum(v->sge))
                f.seq.err = MR_ERR_REMOTE_BOUNDS;
            else
                place(r, &f, v->sge, s->pd, (uint64_t)d.offset, (unsigned)d.pay_len);
        }
    }
    if (f.seq.err != 0) {
        f.n = 0;
        f.seq.pieces = 0;
        f.seq.value = false;
    }
    return f;
}
