// SPDX-License-Identifier: BSD-2-Clause
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATIENCE = 4'000'000,  // cycles, 16 ms
    LATE = 20'000,         // when late receives are posted
};

static void post(struct bench *b, const struct script *s, const struct script_msg *m)
{
    bool asks = script_asks(m);
    struct mr_wqe w = bench_wqe(asks ? m->to : m->from, asks ? m->from : m->to, m->len);

    if (!m->signaled)
        w.flags = 0;
    w.opcode = m->op;
    w.imm = m->op == MR_OP_SEND_IMM || m->op == MR_OP_WRITE_IMM ? ~m->msg : 0;
    if (script_atomic(m)) {
        w.raddr = BENCH_VA + m->counter;
        w.compare = script_compare_value(s, m);
        w.swap = script_swap_value(m);
    }
    switch (m->fault) {
    case SCRIPT_REMOTE_KEY: w.rkey = BENCH_KEY + 0x100; break;
    case SCRIPT_REMOTE_BOUNDS: w.raddr = BENCH_VA + SCRIPT_USER; break;
    case SCRIPT_LOCAL_KEY: w.sge_key = BENCH_KEY ^ 1; break;
    case SCRIPT_LOCAL_BOUNDS: w.sge_addr = BENCH_VA + SCRIPT_USER; break;
    case SCRIPT_LOCAL_STRADDLE: w.sge_addr = BENCH_VA + SCRIPT_USER - m->len + 1; break;
    default: break;
    }
    bench_post(b, m->side, m->stream, w);
}

/** Posts the receives that come in advance, or those that come late. */
static void post_receives(struct bench *b, const struct script *s, bool late)
{
    bool is_late[2][SCRIPT_STREAMS] = {};

    for (unsigned i = 0; i < s->n; i++) {
        const struct script_msg *m = &s->msg[i];
        is_late[m->side][m->stream] |= m->late;
        if (script_takes(m) && is_late[m->side][m->stream] == late)
            bench_recv(b, !m->side, m->stream, m->to, m->op == MR_OP_WRITE_IMM ? 0 : m->len);
    }
}

/** What a run carries along. */
struct at {
    const struct script *s;
    unsigned early;  // messages that were reported before they were in the peer's memory
};

/** A completion without error says that its message and all earlier ones of its stream are in the peer's memory. */
static void completed(struct bench *b, unsigned side, const struct mr_cqe *c)
{
    struct at *at = b->arg;

    for (unsigned i = 0; i < at->s->n; i++) {
        const struct script_msg *m = &at->s->msg[i];
        bool recv = c->flags & MR_CQEF_RECV;
        if (script_asks(m) || m->fault || m->behind || b->cfg.stream[m->stream] != c->stream || m->msg > c->msg)
            continue;
        if (m->side == (recv ? !side : side))
            at->early += memcmp(b->side[m->side].user + m->from, b->side[!m->side].user + m->to, m->len) != 0;
    }
}

/** The next completion of a stream's sends or receives from *at on; null: no more. */
static const struct mr_cqe *next_cpl(const struct bench *b, unsigned side, unsigned k, bool recv, uint32_t *at)
{
    const struct bench_side *e = &b->side[side];

    while (*at < e->n_cpl)
        if (e->cpl[*at].stream != b->cfg.stream[k] || !(e->cpl[*at].flags & MR_CQEF_RECV) == recv)
            ++*at;
        else
            return &e->cpl[(*at)++];
    return nullptr;
}

static unsigned complain(const struct script *s, const struct bench *b, unsigned side, const char *what, uint64_t at)
{
    printf("  %s, engine %s, host %u: %s (%llu)\n", s->name, b->cfg.engine, side, what, (unsigned long long)at);
    return 1;
}

/** Completions of receives of one stream of one side against the script. */
static unsigned check_receives(const struct script *s, const struct bench *b, unsigned side, unsigned k)
{
    uint32_t at = 0;
    unsigned wrong = 0;

    for (unsigned i = 0; i < s->n; i++) {
        const struct script_msg *m = &s->msg[i];
        if (m->side == side || m->stream != k || m->behind || m->fault || !script_takes(m))
            continue;
        const struct mr_cqe *c = next_cpl(b, side, k, true, &at);
        bool imm = m->op != MR_OP_SEND;
        if (!c)
            return wrong + complain(s, b, side, "a receive is missing, message", m->msg);
        if (c->msg != m->msg || c->wqe != m->match || c->status)
            wrong += complain(s, b, side, "receive of another message", (uint64_t)c->msg);
        else if (c->byte_len != m->len || c->opcode != m->op || !(c->flags & MR_CQEF_IMM) != !imm ||
                 (imm && c->imm != ~m->msg))
            wrong += complain(s, b, side, "wrong length, operation or immediate", (uint64_t)c->byte_len);
    }
    if (next_cpl(b, side, k, true, &at))
        wrong += complain(s, b, side, "a receive too many, stream", k);
    return wrong;
}

/** Completions of one stream of one side against the script. */
static unsigned check_stream(const struct script *s, const struct bench *b, unsigned side, unsigned k)
{
    uint32_t at = 0;
    unsigned wrong = 0;

    for (unsigned i = 0; i < s->n; i++) {
        const struct script_msg *m = &s->msg[i];
        if (m->side != side || m->stream != k || m->behind || !(m->signaled || m->fault))
            continue;
        const struct mr_cqe *c = next_cpl(b, side, k, false, &at);
        if (!c)
            return wrong + complain(s, b, side, "a completion is missing, message", m->msg);
        if (c->msg != m->msg || c->wqe != m->msg)
            wrong += complain(s, b, side, "completion of another message", (uint64_t)c->msg);
        else if (c->status != script_status(m))
            wrong += complain(s, b, side, "wrong status", (uint64_t)c->status);
        else if (!m->fault && (c->byte_len != m->len || c->opcode != m->op))
            wrong += complain(s, b, side, "wrong length or operation", (uint64_t)c->byte_len);
    }
    if (next_cpl(b, side, k, false, &at))
        wrong += complain(s, b, side, "a completion too many, stream", k);
    return wrong;
}

static unsigned check(const struct script *s, const struct bench *b)
{
    unsigned wrong = 0;

    for (unsigned side = 0; side < 2; side++) {
        uint8_t *image = script_memory(s, side, b->side[side].user);
        size_t at = script_differ(image, b->side[side].user);
        if (at < SCRIPT_USER)
            wrong += complain(s, b, side, "memory is not as it must be from offset", at);
        free(image);
        for (unsigned k = 0; k < s->n_streams; k++)
            wrong += check_stream(s, b, side, k) + check_receives(s, b, side, k);
    }
    return wrong;
}

/** Every packet of every path is acknowledged: lost ends are repaired by timers, which takes a while. */
static unsigned check_closed(const struct script *s, struct bench *b)
{
    unsigned wrong = 0;

    for (unsigned i = 0; i < 2 * b->cfg.n_conns * b->cfg.paths; i++) {
        unsigned side = i % 2, path = i / 2 % b->cfg.paths, left = 300;
        struct mr_tele t;
        while (t = bench_tele(b, side, b->cfg.conn[i / 2 / b->cfg.paths], path),
               (t.una != t.psn || t.inflight) && left && !b->bad) {
            bench_settle(b, PATIENCE);
            left--;
        }
        if (!left)
            wrong += complain(s, b, side, "a path does not close", path);
    }
    return wrong;
}

struct bench *script_run(const struct script *s, const struct bench_cfg *cfg, unsigned *wrong)
{
    struct at at = {.s = s};
    struct bench *b;

    if (bench_new(cfg, &b)) {
        ++*wrong;
        return nullptr;
    }
    b->on_cpl = completed;
    b->arg = &at;
    script_fill(s, 0, b->side[0].user);
    script_fill(s, 1, b->side[1].user);
    post_receives(b, s, false);
    for (unsigned i = 0; i < s->n; i++)
        post(b, s, &s->msg[i]);
    bench_until(b, s->want, LATE);
    post_receives(b, s, true);
    if (!bench_until(b, s->want, PATIENCE))
        *wrong += complain(s, b, 0, "not all completions came, cycles", b->steps);
    if (!bench_settle(b, PATIENCE))
        *wrong += complain(s, b, 0, "it does not come to rest, cycles", b->steps);
    b->on_cpl = nullptr;
    if (at.early)
        *wrong += complain(s, b, 0, "completed before they were in the peer's memory", at.early);
    *wrong += check_closed(s, b);
    *wrong += check(s, b);
    *wrong += b->bad;
    return b;
}

static bool same_cpl(const struct mr_cqe *x, const struct mr_cqe *y)
{
    return x->status == y->status && x->wqe == y->wqe && x->msg == y->msg && x->byte_len == y->byte_len &&
           x->opcode == y->opcode && x->flags == y->flags && x->imm == y->imm;
}

static unsigned compare_stream(const struct script *s, const struct bench *a, const struct bench *b, unsigned side,
                               unsigned k, bool recv, bool tell)
{
    uint32_t at[2] = {};

    for (;;) {
        const struct mr_cqe *x = next_cpl(a, side, k, recv, &at[0]);
        const struct mr_cqe *y = next_cpl(b, side, k, recv, &at[1]);
        if (!x != !y || (x && !same_cpl(x, y)))
            return !tell || complain(s, b, side, "completion differs, message", x ? (uint64_t)x->msg : (uint64_t)y->msg);
        if (!x)
            return 0;
    }
}

unsigned script_compare(const struct script *s, const struct bench *a, const struct bench *b, bool tell)
{
    unsigned wrong = 0;

    for (unsigned side = 0; side < 2; side++) {
        for (unsigned k = 0; k < s->n_streams; k++)
            wrong += compare_stream(s, a, b, side, k, false, tell) + compare_stream(s, a, b, side, k, true, tell);
        uint8_t *p = script_known(s, side, a->side[side].user);
        uint8_t *q = script_known(s, side, b->side[side].user);
        size_t at = script_differ(p, q);
        if (at < SCRIPT_USER)
            wrong += !tell || complain(s, b, side, "memory differs from offset", at);
        free(p);
        free(q);
    }
    return wrong;
}
