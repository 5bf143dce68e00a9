// SPDX-License-Identifier: BSD-2-Clause
#include "msg_model.h"

struct model_msg *model_at(struct model_stream *s, uint32_t msg)
{
    return &s->msg[msg % MODEL_KEEP];
}

bool model_complete(const struct model_msg *m)
{
    return m->taken == (1u << m->packets) - 1;
}

uint32_t model_packet_len(const struct model_msg *m, unsigned i)
{
    if (m->opcode == MR_OP_READ || m->opcode == MR_OP_CMP_SWAP || m->opcode == MR_OP_FETCH_ADD || m->opcode == MR_OP_ATOMIC_RSP)
        return 0;
    return i + 1 < m->packets ? m->mtu : m->length - m->mtu * (m->packets - 1);
}

static bool takes_receive(uint8_t op)
{
    return op == MR_OP_SEND || op == MR_OP_SEND_IMM || op == MR_OP_SEND_INV || op == MR_OP_WRITE_IMM;
}

void model_opened(struct model *m, struct cfg_write c)
{
    if (c.table != MR_TBL_STREAM)
        return;
    struct mr_stream t = mr_stream_unpack((u(256))c.bits);
    struct model_stream *s = &m->s[c.index];
    unsigned gen = s->gen + 1;

    *s = (struct model_stream){.open = t.state == 1, .gen = gen, .conn = t.conn, .rcq = t.rcq, .pd = t.pd};
}

void model_got(struct model *m, struct got g)
{
    struct mr_data d = mr_data_unpack(g.ext);
    struct model_stream *s = &m->s[g.stream];
    bool answer = g.opcode == MR_OP_READ_RSP || g.opcode == MR_OP_ATOMIC_RSP;
    struct model_msg *e = answer ? &s->req[d.msg % MR_MSGS] : model_at(s, d.msg);

    if (!s->open || e->msg != d.msg || d.msg >= (answer ? s->req_created : s->created) || d.rsvd0 != 0)
        return;
    if (answer && d.imm != 0) {
        e->code = d.imm;
    } else if (!e->over && e->code == 0) {
        unsigned i = e->packets == 1 || g.opcode == MR_OP_ATOMIC_RSP ? 0 : d.offset / e->mtu;
        MUST((e->taken >> i & 1) == 0);
        e->taken |= 1u << i;
    }
}

void model_cut(struct model *m, struct stream_count c)
{
    struct model_stream *s = &m->s[c.stream];
    for (unsigned i = 0; i < c.n; i++) {
        s->regular -= !s->is_error[s->places_at];
        s->places_at = (s->places_at + 1) % MR_AHEAD;
        s->places--;
    }
}

void model_rfail(struct model *m, struct fail f)
{
    struct model_stream *s = &m->s[f.stream];
    if (!s->open || s->failed)
        return;
    s->failed = true;
    MUST(!m->value[f.stream].due);
    m->value[f.stream] = (struct model_value){.due = true, .error = true, .msg = f.msg, .code = f.code};
}

/** The stream's message `msg` takes effect: everything before it was retired. */
static struct model_msg *retire(struct model *m, struct model_stream *s, uint32_t msg)
{
    struct model_msg *e = model_at(s, msg);
    MUST(s->open && msg - s->next < MR_TRACK && msg < s->created);
    for (; s->next != msg; s->next++) {
        struct model_msg *w = model_at(s, s->next);
        MUST(w->opcode == MR_OP_WRITE && model_complete(w));
    }
    MUST(e->msg == msg && model_complete(e));
    s->next++;
    m->retired++;
    return e;
}

void model_cpl(struct model *m, struct completion c, struct ended n)
{
    struct model_stream *s = &m->s[c.cqe.stream];
    struct model_msg *e = retire(m, s, c.cqe.msg);
    unsigned flags = MR_CQEF_RECV | (e->opcode != MR_OP_SEND ? MR_CQEF_IMM : 0) | (e->solicited ? MR_CQEF_SOLICITED : 0);

    MUST(takes_receive(e->opcode) && s->atoms_out == 0);
    MUST(c.cq == s->rcq && c.cqe.wqe == e->recv && c.cqe.opcode == e->opcode && c.cqe.status == 0);
    MUST(c.cqe.flags == flags && c.cqe.byte_len == e->length && c.cqe.imm == e->imm);
    MUST(n.recv && !n.request && n.stream == c.cqe.stream && n.index == e->recv && n.match == e->match);
    m->cpls++;
}

static void place(struct model_stream *s, uint8_t slot, bool error)
{
    MUST(s->places < MR_AHEAD && slot == s->slot);
    s->is_error[(s->places_at + s->places++) % MR_AHEAD] = error;
    s->slot = (uint8_t)((slot + 1) % MR_AHEAD);
}

void model_rsp(struct model *m, struct msg r)
{
    struct model_stream *s = &m->s[r.stream];
    struct model_value *v = &m->value[r.stream];

    MUST(s->open && r.conn == s->conn && r.err == 0 && !r.list && !r.bus && r.flags == 0 && r.rkey == 0);
    if (r.opcode == MR_OP_ATOMIC_RSP) {
        MUST(v->due && !v->error && r.msg == v->msg && r.raddr == v->value && r.imm == v->code && r.length == 0);
        *v = (struct model_value){0};
        place(s, r.slot, false);
    } else if (r.imm != 0) {
        MUST(v->due && v->error && r.msg == v->msg && r.imm == v->code && r.length == 0 && r.opcode == MR_OP_READ_RSP);
        *v = (struct model_value){0};
        place(s, r.slot, true);
        m->errors++;
    } else {
        struct model_msg *e = retire(m, s, r.msg);
        MUST(e->opcode == MR_OP_READ && r.opcode == MR_OP_READ_RSP && s->atoms_out == 0);
        MUST(r.length == e->length && r.laddr == e->addr && r.lkey == e->key && r.raddr == 0);
        MUST(s->regular++ < MR_AHEAD - 1);
        place(s, r.slot, false);
        m->reads++;
    }
}

void model_atom(struct model *m, struct atom a)
{
    struct model_stream *s = &m->s[a.stream];
    struct model_msg *e = retire(m, s, a.msg);

    MUST(e->opcode == (a.add ? MR_OP_FETCH_ADD : MR_OP_CMP_SWAP));
    MUST(a.addr == e->addr && a.key == e->key && a.pd == s->pd && a.compare == e->compare && a.swap == e->swap);
    MUST(s->regular++ < MR_AHEAD - 1);
    s->atoms_out++;
    m->atoms++;
}

void model_head(struct model *m, struct msg_head h)
{
    struct model_stream *s = &m->s[h.stream];
    MUST(h.msg - s->next <= MR_TRACK && h.msg <= s->created);
    for (; s->next != h.msg; s->next++) {
        struct model_msg *w = model_at(s, s->next);
        MUST(w->opcode == MR_OP_WRITE && model_complete(w));
    }
    s->told = h.msg;
}

void model_answered(struct model *m, uint16_t stream, uint32_t msg, uint8_t code, struct ended n)
{
    struct model_stream *s = &m->s[stream];
    struct model_msg *e = &s->req[msg % MR_MSGS];

    MUST(s->open && e->msg == msg && msg < s->req_created && !e->over);
    MUST(n.request && !n.recv && n.stream == stream && n.msg == msg);
    MUST(e->code != 0 ? code == (uint8_t)e->code : code == 0 && model_complete(e));
    e->over = true;
    m->dones += code == 0;
    m->fails += code != 0;
}

void model_at_rest(struct model *m)
{
    for (unsigned i = 0; i < MR_STREAMS; i++) {
        struct model_stream *s = &m->s[i];
        MUST(!m->value[i].due && s->next == s->told && s->atoms_out == 0);
        MUST(s->next == s->created || !model_complete(model_at(s, s->next)));
        for (unsigned j = 0; j < MR_MSGS; j++) {
            struct model_msg *e = &s->req[j];
            if (s->req_created > j)
                MUST(e->over == (e->code != 0 || model_complete(e)));
        }
    }
}
