// SPDX-License-Identifier: BSD-2-Clause
#include "bench.h"
#include "rx_atomic/rx_atomic.h"
#include "track.h"

void rx_atomic_step(struct rx_atomic *k);

enum { MEM = 1024, BUS = 0x7000, DEPTH_MAX = 8 };

struct want { struct atom_done d; bool written; unsigned at; uint64_t value; };

static struct {
    struct rx_atomic k;
    LINK(struct cfg_write, cfg, 2);
    LINK(struct atom, atom, 4);
    LINK(struct rd_req, rd_req, 2);
    LINK(struct rd_beat, rd, 2);
    LINK(struct wr_req, wr_req, 2);
    LINK(struct wr_beat, wr_beat, 2);
    LINK(struct wr_done, wr_done, 2);
    LINK(struct atom_done, done, 2);
    uint8_t mem[MEM];
    struct mr_key keys[MR_KEYS];
    bool rd_err, wr_err;      // this atomic's accesses fail
    unsigned writes, reads;   // of this atomic
    bool writing;             // asked for and not done
    unsigned executed;
} t;

static void memory(void)
{
    if (!EMPTY(t.rd_req) && !FULL(t.rd) && bench_go()) {
        struct rd_req q = HEAD(t.rd_req);
        MUST(q.len == 8 && q.addr % 8 == 0 && q.addr >= BUS && q.addr + 8 <= BUS + MEM);
        u(512) data;
        memcpy(&data, t.mem + ((unsigned)q.addr - BUS) / 64 * 64, 64);
        PUSH(t.rd, (struct rd_beat){.data = data, .last = true, .err = t.rd_err});
        POP(t.rd_req);
        t.reads++;
    }
    if (!EMPTY(t.wr_req) && !EMPTY(t.wr_beat) && !FULL(t.wr_done) && bench_go()) {
        struct wr_req q = HEAD(t.wr_req);
        struct wr_beat b = HEAD(t.wr_beat);
        uint8_t data[64];
        MUST(q.len == 8 && q.addr % 8 == 0 && q.addr >= BUS && q.addr + 8 <= BUS + MEM && b.last);
        MUST(b.keep == (u(64))0xff << (q.addr % 64));
        memcpy(data, &b.data, 64);
        if (!t.wr_err)
            memcpy(t.mem + ((unsigned)q.addr - BUS), data + (unsigned)(q.addr % 64), 8);
        PUSH(t.wr_done, (struct wr_done){.err = t.wr_err});
        POP(t.wr_req);
        POP(t.wr_beat);
        t.writes++;
    }
}

static void step(void)
{
    IN_BEFORE(t.k.cfg, t.cfg);
    IN_BEFORE(t.k.atom, t.atom);
    IN_BEFORE(t.k.rd, t.rd);
    IN_BEFORE(t.k.wr_done, t.wr_done);
    OUT_BEFORE(t.k.rd_req, t.rd_req);
    OUT_BEFORE(t.k.wr_req, t.wr_req);
    OUT_BEFORE(t.k.wr_beat, t.wr_beat);
    OUT_BEFORE(t.k.done, t.done);
    rx_atomic_step(&t.k);
    IN_AFTER(t.k.cfg, t.cfg);
    IN_AFTER(t.k.atom, t.atom);
    IN_AFTER(t.k.rd, t.rd);
    t.writing = (t.writing || t.k.wr_req.valid) && !t.k.wr_done.ready;
    MUST(!(t.k.done.valid && t.writing));  // not before the write's end
    IN_AFTER(t.k.wr_done, t.wr_done);
    OUT_AFTER(t.k.rd_req, t.rd_req);
    OUT_AFTER(t.k.wr_req, t.wr_req);
    OUT_AFTER(t.k.wr_beat, t.wr_beat);
    OUT_AFTER(t.k.done, t.done);
    memory();
}

static void set_key(unsigned i, struct mr_key e)
{
    t.keys[i] = e;
    PUSH(t.cfg, (struct cfg_write){.table = MR_TBL_KEY, .index = (u(16))i, .bits = (u(512))mr_key_pack(e)});
    while (!EMPTY(t.cfg))
        step();
}

static void random_key(unsigned i)
{
    unsigned at = below(MEM / 2), len = 16 + below(MEM / 2 - 16);
    bool skew = below(8) == 0;  // virtual and bus address differ modulo 8
    at &= ~7u;
    set_key(i, (struct mr_key){.rights = below(6) ? (u(8))(MR_RIGHT_REMOTE_ATOMIC | (rnd() & 15)) : (u(8))(rnd() & 15),
        .tag = (u(8))rnd(), .pd = (u(16))below(2), .va = 0x123456789000 + at + (skew ? 4 : 0), .len = len, .bus = BUS + at});
}

static uint64_t load(unsigned at)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++)
        v |= (uint64_t)t.mem[at + i] << 8 * i;
    return v;
}

/** What the specification says of it. */
static struct want expect(struct atom a)
{
    struct want w = {.d = {.stream = a.stream, .life = a.life, .msg = a.msg}};
    unsigned i = (unsigned)(a.key >> 8);
    struct mr_key e = i < MR_KEYS ? t.keys[i] : (struct mr_key){0};
    uint64_t off = (uint64_t)a.addr - (uint64_t)e.va;

    if (e.rights == 0 || e.tag != (u(8))a.key || e.pd != a.pd)
        w.d.code = MR_ERR_REMOTE_KEY;
    else if (!(e.rights & MR_RIGHT_REMOTE_ATOMIC))
        w.d.code = MR_ERR_REMOTE_RIGHT;
    else if (a.addr < e.va || off > e.len || (uint64_t)e.len - off < 8)
        w.d.code = MR_ERR_REMOTE_BOUNDS;
    else if (a.addr % 8 != 0 || (e.bus + off) % 8 != 0)
        w.d.code = MR_ERR_REMOTE_ALIGN;
    if (w.d.code != 0)
        return w;
    w.at = (unsigned)((uint64_t)e.bus + off - BUS);
    uint64_t old = load(w.at);
    w.written = !t.rd_err && (a.add || old == a.compare);
    w.value = a.add ? old + (uint64_t)a.compare : (uint64_t)a.swap;
    if (t.rd_err || (w.written && t.wr_err))
        w.d.code = MR_ERR_BUS;
    else
        w.d.value = old;
    return w;
}

static struct atom random_atom(void)
{
    unsigned i = below(MR_KEYS + (below(8) == 0));
    struct mr_key e = t.keys[i % MR_KEYS];
    struct atom a = {.stream = (u(16))rnd(), .life = (u(8))rnd(), .msg = rnd(), .add = below(2),
        .key = i << 8 | (below(16) ? (uint32_t)e.tag : below(256)), .pd = below(16) ? e.pd : (u(16))below(3),
        .compare = (uint64_t)rnd() << 32 | rnd(), .swap = (uint64_t)rnd() << 32 | rnd()};
    uint64_t off = below(12) == 0 ? below((uint32_t)e.len + 24) - 12 : below((uint32_t)e.len / 8) * 8;
    a.addr = (uint64_t)e.va + off + (e.va % 8 != 0 && below(2) ? 4 : 0);
    off = (uint64_t)a.addr - (uint64_t)e.va + (uint64_t)e.bus - BUS;
    if (below(2) && off + 8 <= MEM)
        a.compare = load((unsigned)off);
    return a;
}

static void atomic__random(void)
{
    static uint8_t mem[MEM];
    unsigned codes[16] = {0};
    memset(&t, 0, sizeof t);
    for (unsigned i = 0; i < MEM; i++)
        t.mem[i] = (uint8_t)rnd();
    for (unsigned n = 0; n < 20000; n++) {
        bench_pause = n % 100 == 0 ? below(200) : bench_pause;
        if (n == 0 || below(20) == 0)
            random_key(below(MR_KEYS));
        t.rd_err = below(30) == 0;
        t.wr_err = below(30) == 0;
        t.writes = t.reads = 0;
        struct atom a = random_atom();
        struct want w = expect(a);
        memcpy(mem, t.mem, MEM);
        for (unsigned i = 0; w.written && !t.wr_err && i < 8; i++)
            mem[w.at + i] = (uint8_t)(w.value >> 8 * i);
        PUSH(t.atom, a);
        for (unsigned i = 0; EMPTY(t.done); i++) {
            MUST(i < 1000);
            step();
        }
        struct atom_done d = HEAD(t.done);
        POP(t.done);
        MUST(d.stream == w.d.stream && d.life == w.d.life && d.msg == w.d.msg && d.code == w.d.code && d.value == w.d.value);
        MUST(t.writes == w.written && memcmp(mem, t.mem, MEM) == 0);
        t.executed += d.code == 0;
        codes[(unsigned)d.code & 15]++;
        MUST(t.k.cnt_rx_atomics == t.executed);
    }
    for (unsigned i = 0; i < 15; i++)
        if (i <= 3 || i == MR_ERR_BUS || i == MR_ERR_REMOTE_ALIGN) {
            printf(" code %u: %u;", i, codes[i]);
            MUST(codes[i] > 20);
        }
}

/** Several stand in the FIFO: in order, one after the other, and a new key waits for the one under way. */
static void atomic__in_order(void)
{
    struct mr_key e = {.rights = MR_RIGHT_REMOTE_ATOMIC, .tag = 9, .va = 0x1000, .len = 64, .bus = BUS};
    memset(&t, 0, sizeof t);
    set_key(1, e);
    bench_pause = 100;
    for (unsigned n = 0; n < 2000; n++) {
        if (!FULL(t.atom))
            PUSH(t.atom, (struct atom){.msg = n, .add = true, .addr = 0x1008, .key = 0x109, .compare = 1});
        else
            n--;
        step();
        for (; !EMPTY(t.done); t.executed++) {
            MUST(HEAD(t.done).msg == t.executed && HEAD(t.done).value == t.executed && HEAD(t.done).code == 0);
            POP(t.done);
        }
    }
    for (unsigned i = 0; i < 1000 && t.executed < 2000; i++) {
        step();
        for (; !EMPTY(t.done); t.executed++)
            POP(t.done);
    }
    MUST(t.executed == 2000 && load(8) == 2000);
    bench_pause = 0;
    PUSH(t.atom, (struct atom){.add = true, .addr = 0x1008, .key = 0x109, .compare = 1});
    step();
    e.rights = 0;
    set_key(1, e); // is not taken before the atomic has ended
    MUST(load(8) == 2001 && !EMPTY(t.done));
}

CU_TestInfo tests_rx_atomic[] = {
    {"atomic__random", atomic__random},
    {"atomic__in_order", atomic__in_order},
    CU_TEST_INFO_NULL,
};
