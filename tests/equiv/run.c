// SPDX-License-Identifier: BSD-2-Clause
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 4'000'000 }; // cycles, 16 ms

static void post(struct bench *b, const struct script_msg *m)
{
    struct mr_wqe w = bench_wqe(m->from, m->to, m->len);

    if (!m->signaled)
        w.flags = 0;
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
        if (m->side == side && !m->fault && !m->behind && b->cfg.stream[m->stream] == c->stream && m->msg <= c->msg)
            at->early += memcmp(b->side[side].user + m->from, b->side[!side].user + m->to, m->len) != 0;
    }
}

/** The next completion of a stream from *at on; null: no more. */
static const struct mr_cqe *next_cpl(const struct bench *b, unsigned side, unsigned k, uint32_t *at)
{
    const struct bench_side *e = &b->side[side];

    while (*at < e->n_cpl)
        if (e->cpl[(*at)++].stream == b->cfg.stream[k])
            return &e->cpl[*at - 1];
    return nullptr;
}

static unsigned complain(const struct script *s, const struct bench *b, unsigned side, const char *what, uint64_t at)
{
    printf("  %s, engine %s, host %u: %s (%llu)\n", s->name, b->cfg.engine, side, what, (unsigned long long)at);
    return 1;
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
        const struct mr_cqe *c = next_cpl(b, side, k, &at);
        if (!c)
            return wrong + complain(s, b, side, "a completion is missing, message", m->msg);
        if (c->msg != m->msg || c->wqe != m->msg)
            wrong += complain(s, b, side, "completion of another message", (uint64_t)c->msg);
        else if (c->status != script_status(m))
            wrong += complain(s, b, side, "wrong status", (uint64_t)c->status);
        else if (!m->fault && (c->byte_len != m->len || c->opcode != MR_OP_WRITE))
            wrong += complain(s, b, side, "wrong length or operation", (uint64_t)c->byte_len);
    }
    if (next_cpl(b, side, k, &at))
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
            wrong += check_stream(s, b, side, k);
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
    for (unsigned i = 0; i < s->n; i++)
        post(b, &s->msg[i]);
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
                               unsigned k, bool tell)
{
    uint32_t at[2] = {};

    for (;;) {
        const struct mr_cqe *x = next_cpl(a, side, k, &at[0]);
        const struct mr_cqe *y = next_cpl(b, side, k, &at[1]);
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
            wrong += compare_stream(s, a, b, side, k, tell);
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
