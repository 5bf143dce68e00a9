// SPDX-License-Identifier: BSD-2-Clause
/* test_share.c - rd_share, wr_share: every answer to whom asked, in order; nobody starves. */
#include "bench.h"
#include "rd_share/rd_share.h"
#include "suites.h"
#include "wr_share/wr_share.h"

void rd_share_step(struct rd_share *k);
void wr_share_step(struct wr_share *k);

static struct {
    struct rd_share k;
    LINK(struct rd_req, in[3], 4);
    LINK(struct rd_beat, out[3], 4);
    LINK(struct rd_req, req, 2);
    LINK(struct rd_beat, rd, 4);
    LINK(struct rd_user, order, RD_SHARE_DEPTH);
    LINK(struct rd_req, host, 256);
    unsigned sent[3], got[3], beat[3];
} r;

static void rd_step(void)
{
    IN_BEFORE(r.k.a, r.in[0]);
    IN_BEFORE(r.k.b, r.in[1]);
    IN_BEFORE(r.k.c, r.in[2]);
    IN_BEFORE(r.k.rd, r.rd);
    IN_BEFORE(r.k.order, r.order);
    OUT_BEFORE(r.k.req, r.req);
    r.k.order_out.valid = false;
    r.k.order_out.ready = true;  // never full: the kernel counts
    OUT_BEFORE(r.k.a_rd, r.out[0]);
    OUT_BEFORE(r.k.b_rd, r.out[1]);
    OUT_BEFORE(r.k.c_rd, r.out[2]);
    rd_share_step(&r.k);
    IN_AFTER(r.k.a, r.in[0]);
    IN_AFTER(r.k.b, r.in[1]);
    IN_AFTER(r.k.c, r.in[2]);
    IN_AFTER(r.k.rd, r.rd);
    IN_AFTER(r.k.order, r.order);
    MUST(!r.k.order_out.valid || !FULL(r.order));
    OUT_AFTER(r.k.req, r.req);
    OUT_AFTER(r.k.order_out, r.order);
    OUT_AFTER(r.k.a_rd, r.out[0]);
    OUT_AFTER(r.k.b_rd, r.out[1]);
    OUT_AFTER(r.k.c_rd, r.out[2]);
}

/** The host answers with 1 to 4 beats that say whose and which read it was. */
static void rd_host(bool answer)
{
    static unsigned at;
    if (!EMPTY(r.req) && !FULL(r.host)) {
        PUSH(r.host, HEAD(r.req));
        POP(r.req);
    }
    if (answer && !EMPTY(r.host) && !FULL(r.rd)) {
        struct rd_req q = HEAD(r.host);
        bool last = ++at == (unsigned)q.len;
        PUSH(r.rd, (struct rd_beat){.data = (u(512))q.addr << 8 | at, .last = last, .err = last && (q.addr & 8)});
        if (last) {
            POP(r.host);
            at = 0;
        }
    }
}

/** Beats of user u: read `got`, in order, 1 + got mod 4 of them. */
static void rd_user(unsigned u)
{
    if (EMPTY(r.out[u]) || !bench_go())
        return;
    struct rd_beat b = HEAD(r.out[u]);
    uint64_t addr = (uint64_t)u << 32 | r.got[u];
    unsigned len = 1 + r.got[u] % 4;
    POP(r.out[u]);
    r.beat[u]++;
    MUST(b.data == ((u(512))addr << 8 | r.beat[u]) && b.last == (r.beat[u] == len) && b.err == (b.last && (addr & 8)));
    if (b.last) {
        r.got[u]++;
        r.beat[u] = 0;
    }
}

static void rd_feed(unsigned u)
{
    if (!FULL(r.in[u])) {
        PUSH(r.in[u], (struct rd_req){.addr = (uint64_t)u << 32 | r.sent[u], .len = (u(16))(1 + r.sent[u] % 4)});
        r.sent[u]++;
    }
}

static void rd__in_order(void)
{
    for (unsigned round = 0; round < 40; round++) {
        memset(&r, 0, sizeof r);
        bench_pause = below(200);
        unsigned odds[3] = {1 + below(8), 1 + below(8), 1 + below(8)}, host = 1 + below(4);
        for (unsigned i = 0; i < 3000; i++) {
            for (unsigned u = 0; u < 3; u++) {
                if (below(odds[u]) == 0)
                    rd_feed(u);
                rd_user(u);
            }
            rd_host(below(host) == 0);
            rd_step();
        }
        bench_pause = 0;
        for (unsigned i = 0; i < 4000; i++) {
            rd_host(true);
            rd_step();
            for (unsigned u = 0; u < 3; u++)
                rd_user(u);
        }
        for (unsigned u = 0; u < 3; u++)
            MUST(r.got[u] == r.sent[u] && r.got[u] > 0);
        MUST(r.k.dues == 0 && EMPTY(r.order));
    }
}

/** All three ask all the time: a gets three of four, b and c share the rest. No more than the depth under way. */
static void rd__shares(void)
{
    memset(&r, 0, sizeof r);
    bench_pause = 0;
    unsigned n[3] = {0};
    for (unsigned i = 0; i < 64 + 10; i++) {
        for (unsigned u = 0; u < 3; u++)
            rd_feed(u);
        rd_step();
        if (!EMPTY(r.req)) {
            n[(unsigned)(HEAD(r.req).addr >> 32)]++;
            POP(r.req);
        }
    }
    MUST(n[0] + n[1] + n[2] == RD_SHARE_DEPTH && r.k.dues == RD_SHARE_DEPTH);
    MUST(n[0] >= 46 && n[0] <= 50 && n[1] == n[2]);
}

static struct {
    struct wr_share k;
    LINK(struct wr_req, in[2], 4);
    LINK(struct wr_beat, in_beat[2], 4);
    LINK(struct wr_done, out[2], 4);
    LINK(struct wr_req, req, 2);
    LINK(struct wr_beat, beat, 2);
    LINK(struct wr_done, done, 4);
    LINK(struct wr_user, order, WR_SHARE_DEPTH);
    unsigned sent[2], beats[2], seen[2], got[2], run;
    LINK(bool, err, 256);
} w;

static bool wr_bad(unsigned user, unsigned i)
{
    return (i * 7 + user) % 5 == 0;
}

static void wr_step(void)
{
    IN_BEFORE(w.k.a, w.in[0]);
    IN_BEFORE(w.k.b, w.in[1]);
    IN_BEFORE(w.k.a_beat, w.in_beat[0]);
    IN_BEFORE(w.k.b_beat, w.in_beat[1]);
    IN_BEFORE(w.k.done, w.done);
    IN_BEFORE(w.k.order, w.order);
    OUT_BEFORE(w.k.req, w.req);
    OUT_BEFORE(w.k.beat, w.beat);
    w.k.order_out.valid = false;
    w.k.order_out.ready = true;
    OUT_BEFORE(w.k.a_done, w.out[0]);
    OUT_BEFORE(w.k.b_done, w.out[1]);
    bool waits = w.k.b.valid && w.k.b_beat.valid;
    wr_share_step(&w.k);
    w.run = w.k.a.ready ? (waits ? w.run + 1 : 0) : w.k.b.ready ? 0 : w.run;
    MUST(w.run <= WR_SHARE_RUN);
    IN_AFTER(w.k.a, w.in[0]);
    IN_AFTER(w.k.b, w.in[1]);
    IN_AFTER(w.k.a_beat, w.in_beat[0]);
    IN_AFTER(w.k.b_beat, w.in_beat[1]);
    IN_AFTER(w.k.done, w.done);
    IN_AFTER(w.k.order, w.order);
    MUST(!w.k.order_out.valid || !FULL(w.order));
    OUT_AFTER(w.k.req, w.req);
    OUT_AFTER(w.k.beat, w.beat);
    OUT_AFTER(w.k.order_out, w.order);
    OUT_AFTER(w.k.a_done, w.out[0]);
    OUT_AFTER(w.k.b_done, w.out[1]);
}

/** Request and beat belong together; ends come in the same order. */
static void wr_host(bool answer)
{
    if (!EMPTY(w.req) && !EMPTY(w.beat) && !FULL(w.err)) {
        struct wr_req q = HEAD(w.req);
        struct wr_beat b = HEAD(w.beat);
        unsigned u = (unsigned)(q.addr >> 32), i = (unsigned)(uint32_t)q.addr;
        MUST(u < 2 && i == w.seen[u] && b.data == (u(512))q.addr && b.last && b.keep == q.len);
        w.seen[u]++;
        PUSH(w.err, wr_bad(u, i));
        POP(w.req);
        POP(w.beat);
    }
    if (answer && !EMPTY(w.err) && !FULL(w.done)) {
        PUSH(w.done, (struct wr_done){.err = HEAD(w.err)});
        POP(w.err);
    }
}

static void wr_feed(unsigned u, bool more)
{
    if (more && !FULL(w.in[u]) && bench_go()) {
        PUSH(w.in[u], (struct wr_req){.addr = (uint64_t)u << 32 | w.sent[u], .len = (u(16))(1 + w.sent[u] % 64)});
        w.sent[u]++;
    }
    if (w.beats[u] < w.sent[u] && !FULL(w.in_beat[u]) && bench_go()) {
        PUSH(w.in_beat[u], (struct wr_beat){.data = (u(512))u << 32 | w.beats[u], .keep = 1 + w.beats[u] % 64, .last = true});
        w.beats[u]++;
    }
}

static void wr_user(unsigned u)
{
    if (EMPTY(w.out[u]))
        return;
    MUST(HEAD(w.out[u]).err == wr_bad(u, w.got[u]));
    w.got[u]++;
    POP(w.out[u]);
}

static void wr__in_order(void)
{
    for (unsigned round = 0; round < 40; round++) {
        memset(&w, 0, sizeof w);
        bench_pause = round == 0 ? 0 : below(200);
        unsigned host = 1 + below(4), odds[2] = {1 + below(6), 1 + below(6)};
        for (unsigned i = 0; i < 3000; i++) {
            for (unsigned u = 0; u < 2; u++) {
                if (below(odds[u]) == 0)
                    wr_feed(u, true);
                if (bench_go())
                    wr_user(u);
            }
            wr_host(below(host) == 0);
            wr_step();
        }
        bench_pause = 0;
        for (unsigned i = 0; i < 600; i++) {
            for (unsigned u = 0; u < 2; u++)
                wr_feed(u, false);
            wr_host(true);
            wr_step();
            wr_user(0);
            wr_user(1);
        }
        for (unsigned u = 0; u < 2; u++)
            MUST(w.got[u] > 0 && w.got[u] == w.sent[u]);
        MUST(w.k.dues == 0);
    }
}

/** Both write all the time and no end comes: b gets one of four, and no more than the depth is under way. */
static void wr__shares(void)
{
    memset(&w, 0, sizeof w);
    bench_pause = 0;
    for (unsigned i = 0; i < WR_SHARE_DEPTH + 10; i++) {
        wr_feed(0, true);
        wr_feed(1, true);
        wr_step();
        wr_host(false);
    }
    MUST(w.seen[0] + w.seen[1] == WR_SHARE_DEPTH && w.seen[1] == WR_SHARE_DEPTH / 4);
}

CU_TestInfo tests_share[] = {
    {"rd__in_order", rd__in_order},
    {"rd__shares", rd__shares},
    {"wr__in_order", wr__in_order},
    {"wr__shares", wr__shares},
    CU_TEST_INFO_NULL,
};
