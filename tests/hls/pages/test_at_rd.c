// SPDX-License-Identifier: BSD-2-Clause
/* test_at_rd.c - every byte from where the page table says, in order, once; errors; rates. */
#include "at_rd/at_rd.h"
#include "model.h"
#include "suites.h"

void at_rd_step(struct at_rd *k);

static struct {
    struct at_rd k;
    LINK(struct rd_req, in, 2);
    LINK(struct rd_beat, out, 4);
    LINK(struct rd_req, req, 4);
    LINK(struct rd_beat, rd, 4);
    LINK(struct rd_part, order, AT_RD_DEPTH);
    LINK(struct cfg_write, cfg, 2);
    LINK(struct model_req, asked, 1024);  // answers due
    LINK(struct rd_req, host, 1024);
    unsigned sent, got, beat, host_beat, errors;
} t;

static void step(void)
{
    IN_BEFORE_KEPT(t.k.in, t.in);
    IN_BEFORE_KEPT(t.k.rd, t.rd);
    IN_BEFORE_KEPT(t.k.order, t.order);
    IN_BEFORE_KEPT(t.k.cfg, t.cfg);
    OUT_BEFORE_KEPT(t.k.req, t.req);
    OUT_BEFORE_KEPT(t.k.out, t.out);
    OUT_BEFORE_KEPT(t.k.order_out, t.order);
    at_rd_step(&t.k);
    IN_AFTER(t.k.in, t.in);
    IN_AFTER(t.k.rd, t.rd);
    IN_AFTER(t.k.order, t.order);
    IN_AFTER(t.k.cfg, t.cfg);
    OUT_AFTER(t.k.req, t.req);
    OUT_AFTER(t.k.out, t.out);
    OUT_AFTER(t.k.order_out, t.order);
}

/** Takes requests, and gives one beat of an answer. */
static void host(bool answer)
{
    if (!EMPTY(t.req) && !FULL(t.host)) {
        MUST(HEAD(t.req).addr >> 63 == 0 && HEAD(t.req).len >= 1 && HEAD(t.req).len <= 4096);
        PUSH(t.host, HEAD(t.req));
        POP(t.req);
    }
    if (!answer || EMPTY(t.host) || FULL(t.rd))
        return;
    struct rd_req q = HEAD(t.host);
    uint64_t line = ((uint64_t)q.addr & ~63ull) + 64ull * t.host_beat;
    bool last = ++t.host_beat == model_beats((uint64_t)q.addr, (unsigned)q.len);
    u(512) data = 0;
    for (unsigned i = 0; i < 64; i++)
        data |= (u(512))model_value(line + i) << 8 * i;
    PUSH(t.rd, (struct rd_beat){.data = data, .last = last,
        .err = last && model_range_fails((uint64_t)q.addr, (unsigned)q.len)});
    if (last) {
        POP(t.host);
        t.host_beat = 0;
    }
}

/** Compares a beat of the answers with what the pages hold. */
static void answer(void)
{
    if (EMPTY(t.out))
        return;
    MUST(!EMPTY(t.asked));
    struct rd_beat b = HEAD(t.out);
    struct model_req r = HEAD(t.asked);
    bool there = model_there(r), err = !there;
    uint64_t line = (r.addr & ~63ull) + 64ull * t.beat, bus;
    POP(t.out);
    for (unsigned i = 0; i < 64; i++)
        if (line + i >= r.addr && line + i < r.addr + r.len && model_byte(line + i, &bus) && there)
            MUST((uint8_t)(b.data >> 8 * i) == model_value(bus));
    for (unsigned i = 0; i < r.len; i++)
        err |= model_byte(r.addr + i, &bus) && model_fails(bus);
    bool last = ++t.beat == model_beats(r.addr, r.len);
    MUST(b.last == last && b.err == (last && err));
    if (last) {
        t.errors += err;
        t.beat = 0;
        t.got++;
        POP(t.asked);
    }
}

static void ask(struct model_req r)
{
    PUSH(t.in, (struct rd_req){.addr = r.addr, .len = (u(16))r.len});
    PUSH(t.asked, r);
    t.sent++;
}

static void begin(void)
{
    memset(&t, 0, sizeof t);
    bench_pause = 0;
    model_new();
    for (unsigned i = 0; i < MR_PAGES / 8; i++) {
        PUSH(t.cfg, (struct cfg_write){.table = MR_TBL_PAGES, .index = (u(16))i, .bits = model_row(i)});
        step();
        PUSH(t.cfg, (struct cfg_write){.table = MR_TBL_KEY, .index = (u(16))i, .bits = 0});
        step();
    }
}

static void at_rd__every_byte(void)
{
    for (unsigned round = 0; round < 60; round++) {
        begin();
        bench_pause = round % 4 == 0 ? 0 : below(200);
        unsigned odds = 1 + below(30), slow = 1 + below(3);
        for (unsigned i = 0; i < 6000; i++) {
            if (below(odds) == 0 && !FULL(t.in) && !FULL(t.asked))
                ask(model_draw());
            host(below(slow) == 0);
            step();
            if (bench_go())
                answer();
        }
        bench_pause = 0;
        for (unsigned i = 0; i < 70000 && !EMPTY(t.asked); i++) {
            host(true);
            step();
            answer();
        }
        MUST(t.got == t.sent && t.got > 20 && EMPTY(t.order) && EMPTY(t.host) && t.errors > 0);
    }
}

/** Steps until n requests of this kind have left, their answers taken at once. */
static unsigned steps_for(uint64_t addr, unsigned len, unsigned n)
{
    unsigned steps = 0, begun = t.sent;
    while (t.got < begun + n) {
        while (t.sent < begun + n && !FULL(t.in))
            ask((struct model_req){addr, len});
        host(true);
        step();
        answer();
        MUST(++steps < 100 * n);
    }
    return steps;
}

static uint64_t page_address(bool crossing)
{
    for (;;) {
        struct model_req r = model_draw();
        uint64_t at = r.addr & ((1ull << (r.addr >> 57 & 63)) - 1);
        if (r.addr >> 63 && model_there((struct model_req){r.addr - at, 1})) {
            uint64_t end = r.addr - at + (1ull << (r.addr >> 57 & 63));
            if (!crossing)
                return end - 128;
            if (model_there((struct model_req){end - 64, 128}))
                return end - 64;
        }
    }
}

/** Direct: a request and a beat per step. Translated: two, three where a page ends. */
static void at_rd__rates(void)
{
    begin();
    MUST(steps_for(0x1000, 64, 500) <= 500 + 10);
    MUST(steps_for(0x1000, 4096, 20) <= 20 * 64 + 10);
    MUST(steps_for(page_address(false), 64, 500) <= 2 * 500 + 10);
    MUST(steps_for(page_address(true), 128, 500) <= 3 * 500 + 10);
}

CU_TestInfo tests_at_rd[] = {
    {"at_rd__every_byte", at_rd__every_byte},
    {"at_rd__rates", at_rd__rates},
    CU_TEST_INFO_NULL,
};
