// SPDX-License-Identifier: BSD-2-Clause
#include "bench.h"
#include "rx_place/rx_place.h"
#include "suites.h"

void rx_place_step(struct rx_place *k);

enum { MEM = 1 << 14, LEN_MAX = 4096 };

static struct {
    struct rx_place k;
    LINK(struct rx_put, put, 2);
    LINK(struct pay_beat, pay, 128);
    LINK(struct wr_req, req, 2);
    LINK(struct wr_beat, beat, 4);
    LINK(struct wr_done, done, 8);
    LINK(struct wr_done, placed, 2);
    unsigned asked, ended;  // writes
    uint8_t mem[MEM], want[MEM];
    bool writing;      // a request's beats are expected
    struct wr_req now;
    unsigned at;       // beats of it that came
    unsigned writes, errs, bytes, beats;
} t;

/** Memory: takes one beat, checks its shape, writes it. */
static void memory(void)
{
    if (!t.writing && !EMPTY(t.req)) {
        t.now = HEAD(t.req);
        POP(t.req);
        t.writing = true;
        t.at = 0;
        MUST(t.now.len >= 1 && t.now.len <= LEN_MAX);
    }
    if (!t.writing || EMPTY(t.beat) || FULL(t.done) || !bench_go())
        return;
    struct wr_beat b = HEAD(t.beat);
    POP(t.beat);
    uint8_t data[64];
    memcpy(data, &b.data, 64);
    uint64_t base = ((uint64_t)t.now.addr & ~63ull) + 64 * t.at++;
    for (unsigned i = 0; i < 64; i++) {
        bool in = base + i >= t.now.addr && base + i < t.now.addr + t.now.len;
        MUST((b.keep >> i & 1) == in);
        if (in)
            t.mem[(base + i) % MEM] = data[i];
    }
    t.beats++;
    bool last = base + 64 >= t.now.addr + t.now.len;
    MUST(b.last == last);
    if (last) {
        t.writing = false;
        bool err = below(8) == 0;
        PUSH(t.done, (struct wr_done){.err = err});
        t.asked++;
        t.writes++;
        t.errs += err;
    }
}

static void step(void)
{
    IN_BEFORE(t.k.put, t.put);
    IN_BEFORE(t.k.pay, t.pay);
    IN_BEFORE(t.k.done, t.done);
    OUT_BEFORE(t.k.placed, t.placed);
    OUT_BEFORE(t.k.req, t.req);
    OUT_BEFORE(t.k.beat, t.beat);
    rx_place_step(&t.k);
    IN_AFTER(t.k.put, t.put);
    IN_AFTER(t.k.pay, t.pay);
    IN_AFTER(t.k.done, t.done);
    OUT_AFTER(t.k.placed, t.placed);
    if (!EMPTY(t.placed)) {
        POP(t.placed);
        t.ended++;
    }
    OUT_AFTER(t.k.req, t.req);
    OUT_AFTER(t.k.beat, t.beat);
    memory();
}

static void idle_check(unsigned steps)
{
    for (unsigned i = 0; i < steps && !(EMPTY(t.put) && EMPTY(t.pay) && !t.k.p_valid && !t.k.next_valid && !t.k.rot_valid &&
                                        t.k.q.left == 0 && EMPTY(t.req) && EMPTY(t.beat) && EMPTY(t.done)); i++)
        step();
    MUST(EMPTY(t.put) && EMPTY(t.pay) && EMPTY(t.req) && EMPTY(t.beat) && !t.writing);
    MUST(t.ended == t.asked && EMPTY(t.done));
    MUST(t.k.cnt_rx_bytes == t.bytes && t.k.cnt_rx_bus_errors == t.errs);
    MUST(memcmp(t.mem, t.want, MEM) == 0);
}

/** A frame's put and pay beats: payload of len bytes at offset at, then `tail` more beats. */
static void send(uint64_t bus, unsigned len, unsigned at, unsigned tail)
{
    static uint8_t f[128 + LEN_MAX + 4 + 64 * 4];
    unsigned size = at + len + 4;
    rnd_fill(f + 64, size - 64);
    for (unsigned i = 0; i < len; i++)
        t.want[(bus + i) % MEM] = f[at + i];
    t.bytes += len;
    unsigned beats = (size - 64 + 63) / 64 + tail;
    while (t.put.count == DEPTH(t.put) || t.pay.count + beats > DEPTH(t.pay))
        step();
    PUSH(t.put, (struct rx_put){.bus = bus, .len = (u(16))len, .payload_at = (u(8))at, .has_pay = true});
    for (unsigned b = 1; b <= beats; b++)
        PUSH(t.pay, (struct pay_beat){.data = beat_of(f + 64 * b, 64), .last = b == beats});
}

static void begin(unsigned pause)
{
    memset(&t, 0, sizeof t);
    rnd_fill(t.mem, MEM);
    memcpy(t.want, t.mem, MEM);
    bench_pause = pause;
}

static void place__every_alignment(void)
{
    static const unsigned ats[] = {98, 102, 118, 122, 64, 127};
    begin(0);
    for (unsigned a = 0; a < sizeof ats / sizeof *ats; a++)
        for (unsigned to = 0; to < 64; to++)
            for (unsigned len = 1; len <= 130; len += len < 70 ? 1 : 7)
                send(0x1234000 + 64 * below(100) + to, len, ats[a], 0);
    idle_check(1000);
}

static void place__random(void)
{
    begin(70);
    for (int i = 0; i < 4000; i++) {
        unsigned len = below(4) == 0 ? 1 + below(LEN_MAX) : 1 + below(200);
        uint64_t bus = (uint64_t)rnd() << 32 | rnd();
        if (below(6) == 0) { // nothing to write: drain
            unsigned beats = 1 + below(5);
            bool has_pay = below(2);
            while (FULL(t.put) || t.pay.count + beats > DEPTH(t.pay))
                step();
            PUSH(t.put, (struct rx_put){.bus = bus, .payload_at = (u(8))(64 + below(64)), .has_pay = has_pay});
            for (unsigned b = 1; has_pay && b <= beats; b++)
                PUSH(t.pay, (struct pay_beat){.data = beat_of((uint8_t *)&t.k, 64), .last = b == beats});
        }
        send(bus, len, 64 + below(64), below(3) == 0 ? below(4) : 0);
    }
    idle_check(100000);
}

static void place__beat_per_step(void)
{
    enum { FRAMES = 50 };
    begin(0);
    unsigned steps = 0;
    for (int i = 0; i < FRAMES; i++) {
        send(0x100 + below(64), LEN_MAX, 98, 0);
        while (!EMPTY(t.pay)) {
            step();
            steps++;
        }
    }
    idle_check(100);
    // 66 pay beats at most per frame, a step for the put, one for the stage
    MUST(steps <= FRAMES * 68);
}

static void place__bad_short_pay(void)
{
    begin(0);
    t.bytes = 500;
    PUSH(t.put, (struct rx_put){.bus = 0, .len = 500, .payload_at = 98, .has_pay = true});
    PUSH(t.pay, (struct pay_beat){.last = true});
    for (int i = 0; i < 100; i++)
        step();
    MUST(t.writes == 1 && t.ended == t.asked);
    memcpy(t.want, t.mem, 500);
    send(1000, 100, 98, 0);
    idle_check(100);
}

CU_TestInfo tests_rx_place[] = {
    {"place__every_alignment", place__every_alignment},
    {"place__random", place__random},
    {"place__beat_per_step", place__beat_per_step},
    {"place__bad_short_pay", place__bad_short_pay},
    CU_TEST_INFO_NULL,
};
