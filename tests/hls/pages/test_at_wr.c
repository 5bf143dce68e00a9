// SPDX-License-Identifier: BSD-2-Clause
/* test_at_wr.c - every byte to where the page table says, in order, once, or none; ends; rates. */
#include "at_wr/at_wr.h"
#include "model.h"
#include "suites.h"

void at_wr_step(struct at_wr *k);

static struct {
    struct at_wr k;
    LINK(struct wr_req, in, 2);
    LINK(struct wr_beat, in_beat, 2);
    LINK(struct wr_req, req, 4);
    LINK(struct wr_beat, beat, 4);
    LINK(struct wr_done, done, 4);
    LINK(struct wr_done, out, 4);
    LINK(struct wr_part, parts, 8);
    LINK(struct wr_end, order, AT_WR_DEPTH);
    LINK(struct cfg_write, cfg, 2);
    LINK(struct model_req, sent, 1024);    // whose beats are to be given
    LINK(struct model_req, due, 1024);     // whose bytes are to arrive
    LINK(struct model_req, ends, 1024);    // that are to end
    LINK(bool, fate, 1024);                // of the host's writes
    unsigned n, got, beats, at, errors;
    uint64_t line;                         // of the host's write
    unsigned left, part;                   // its beats, of `due` arrived
} t;

static void step(void)
{
    IN_BEFORE_KEPT(t.k.in, t.in);
    IN_BEFORE_KEPT(t.k.in_beat, t.in_beat);
    IN_BEFORE_KEPT(t.k.done, t.done);
    IN_BEFORE_KEPT(t.k.parts, t.parts);
    IN_BEFORE_KEPT(t.k.order, t.order);
    IN_BEFORE_KEPT(t.k.cfg, t.cfg);
    OUT_BEFORE_KEPT(t.k.req, t.req);
    OUT_BEFORE_KEPT(t.k.beat, t.beat);
    OUT_BEFORE_KEPT(t.k.out, t.out);
    OUT_BEFORE_KEPT(t.k.parts_out, t.parts);
    OUT_BEFORE_KEPT(t.k.order_out, t.order);
    at_wr_step(&t.k);
    IN_AFTER(t.k.in, t.in);
    IN_AFTER(t.k.in_beat, t.in_beat);
    IN_AFTER(t.k.done, t.done);
    IN_AFTER(t.k.parts, t.parts);
    IN_AFTER(t.k.order, t.order);
    IN_AFTER(t.k.cfg, t.cfg);
    OUT_AFTER(t.k.req, t.req);
    OUT_AFTER(t.k.beat, t.beat);
    OUT_AFTER(t.k.out, t.out);
    OUT_AFTER(t.k.parts_out, t.parts);
    OUT_AFTER(t.k.order_out, t.order);
}

/** Byte i of write number n. */
static uint8_t value(unsigned n, unsigned i)
{
    return model_value((uint64_t)n << 20 | i);
}

static bool same_pages(struct model_req r, struct model_req *first)
{
    uint64_t at, bus;
    first->len = 0;
    if (!model_byte(r.addr, &bus))
        return false;
    first->addr = bus;
    while (first->len < r.len && model_byte(r.addr + first->len, &at) && at == bus + first->len)
        first->len++;
    return first->len == r.len;
}

/** The host opens a write: it must begin where the oldest one that is due goes on. */
static void host_open(void)
{
    struct wr_req q = HEAD(t.req);
    MUST(!EMPTY(t.due) && !FULL(t.fate) && q.addr >> 63 == 0);
    struct model_req r = HEAD(t.due), first;
    same_pages((struct model_req){r.addr + t.part, r.len - t.part}, &first);
    // Neighbours on the bus by chance are two writes all the same.
    MUST(q.addr == first.addr && q.len >= 1 && q.len <= first.len);
    PUSH(t.fate, model_range_fails((uint64_t)q.addr, (unsigned)q.len));
    t.line = (uint64_t)q.addr & ~63ull;
    t.left = model_beats((uint64_t)q.addr, (unsigned)q.len);
    POP(t.req);
}

/** Takes a beat: every byte of it must be the next of those that are due. */
static void host_beat(unsigned *number)
{
    struct wr_beat b = HEAD(t.beat);
    struct model_req r = HEAD(t.due);
    uint64_t bus;
    POP(t.beat);
    MUST(b.last == (t.left == 1));
    for (unsigned i = 0; i < 64; i++) {
        if (!(uint64_t)(b.keep >> i & 1))
            continue;
        MUST(t.part < r.len && model_byte(r.addr + t.part, &bus) && bus == t.line + i);
        MUST((uint8_t)(b.data >> 8 * i) == value(*number, t.part));
        t.part++;
    }
    t.line += 64;
    t.left--;
}

static unsigned number;  // of the write at the head of `due`

static void host(bool answer)
{
    if (t.left && !EMPTY(t.beat))
        host_beat(&number);
    if (!t.left && !EMPTY(t.due) && t.part == HEAD(t.due).len) {
        POP(t.due);
        t.part = 0;
        number++;
    }
    while (!t.left && !EMPTY(t.due) && !model_there(HEAD(t.due))) {
        POP(t.due);
        number++;
    }
    if (!t.left && !EMPTY(t.req))
        host_open();
    if (answer && t.fate.count > (t.left != 0) && !FULL(t.done)) {
        PUSH(t.done, (struct wr_done){.err = HEAD(t.fate)});
        POP(t.fate);
    }
}

/** Gives the next beat of what was asked for. */
static void give(void)
{
    if (EMPTY(t.sent) || FULL(t.in_beat))
        return;
    struct model_req r = HEAD(t.sent);
    unsigned all = model_beats(r.addr, r.len);
    struct wr_beat b = {.last = t.at + 1 == all};
    for (unsigned i = 0; i < 64; i++) {
        uint64_t a = (r.addr & ~63ull) + 64ull * t.at + i;
        if (a < r.addr || a >= r.addr + r.len)
            continue;
        b.keep |= (u(64))1 << i;
        b.data |= (u(512))value(t.beats, (unsigned)(a - r.addr)) << 8 * i;
    }
    PUSH(t.in_beat, b);
    if (++t.at == all) {
        t.at = 0;
        t.beats++;
        POP(t.sent);
    }
}

static void end(void)
{
    if (EMPTY(t.out))
        return;
    MUST(!EMPTY(t.ends));
    struct model_req r = HEAD(t.ends);
    uint64_t bus;
    bool err = !model_there(r);
    for (unsigned i = 0; i < r.len && !err; i++)
        err |= model_byte(r.addr + i, &bus) && model_fails(bus);
    MUST(HEAD(t.out).err == err);
    t.errors += err;
    t.got++;
    POP(t.out);
    POP(t.ends);
}

static void ask(struct model_req r)
{
    PUSH(t.in, (struct wr_req){.addr = r.addr, .len = (u(16))r.len});
    PUSH(t.sent, r);
    PUSH(t.due, r);
    PUSH(t.ends, r);
    t.n++;
}

static void begin(void)
{
    memset(&t, 0, sizeof t);
    number = 0;
    bench_pause = 0;
    model_new();
    for (unsigned i = 0; i < MR_PAGES / 8; i++) {
        PUSH(t.cfg, (struct cfg_write){.table = MR_TBL_PAGES, .index = (u(16))i, .bits = model_row(i)});
        step();
        PUSH(t.cfg, (struct cfg_write){.table = MR_TBL_KEY, .index = (u(16))i, .bits = 0});
        step();
    }
}

static void at_wr__every_byte(void)
{
    for (unsigned round = 0; round < 60; round++) {
        begin();
        bench_pause = round % 4 == 0 ? 0 : below(200);
        unsigned odds = 1 + below(30), slow = 1 + below(3);
        for (unsigned i = 0; i < 6000; i++) {
            if (below(odds) == 0 && !FULL(t.in) && !FULL(t.ends) && !FULL(t.sent))
                ask(model_draw());
            if (bench_go())
                give();
            host(below(slow) == 0);
            step();
            if (bench_go())
                end();
        }
        bench_pause = 0;
        // The end of a dropped write may come before its beats.
        for (unsigned i = 0; i < 70000 && !(EMPTY(t.ends) && EMPTY(t.parts) && EMPTY(t.due)); i++) {
            give();
            host(true);
            step();
            end();
        }
        MUST(t.got == t.n && t.got > 20 && EMPTY(t.order) && EMPTY(t.parts) && EMPTY(t.due) && t.errors > 0);
    }
}

static unsigned steps_for(uint64_t addr, unsigned len, unsigned n)
{
    unsigned steps = 0, begun = t.n;
    while (t.got < begun + n) {
        while (t.n < begun + n && !FULL(t.in))
            ask((struct model_req){addr, len});
        give();
        host(true);
        step();
        end();
        MUST(++steps < 100 * n);
    }
    return steps;
}

static uint64_t page_address(bool crossing)
{
    for (;;) {
        struct model_req r = model_draw();
        uint64_t at = r.addr & ((1ull << (r.addr >> 57 & 63)) - 1);
        uint64_t end = r.addr - at + (1ull << (r.addr >> 57 & 63));
        if (r.addr >> 63 && !crossing && model_there((struct model_req){end - 64, 64}))
            return end - 64;
        if (r.addr >> 63 && crossing && model_there((struct model_req){end - 64, 128}))
            return end - 64;
    }
}

/** Direct: a write and a beat per step. Translated: two, three where a page ends. */
static void at_wr__rates(void)
{
    begin();
    MUST(steps_for(0x1000, 64, 500) <= 500 + 10);
    MUST(steps_for(0x1000, 4096, 20) <= 20 * 64 + 10);
    MUST(steps_for(page_address(false), 64, 500) <= 2 * 500 + 10);
    MUST(steps_for(page_address(true), 128, 500) <= 3 * 500 + 10);
}

CU_TestInfo tests_at_wr[] = {
    {"at_wr__every_byte", at_wr__every_byte},
    {"at_wr__rates", at_wr__rates},
    CU_TEST_INFO_NULL,
};
