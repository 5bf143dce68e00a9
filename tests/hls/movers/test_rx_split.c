// SPDX-License-Identifier: BSD-2-Clause
/* rx_split, whose moves are compared one by one, in front of rx_place and a memory. */
#include "bench.h"
#include "rx_place/rx_place.h"
#include "rx_split/rx_split.h"
#include "suites.h"

void rx_split_step(struct rx_split *k);
void rx_place_step(struct rx_place *k);

enum { MEM = 1 << 16, LEN_MAX = 4096, PIECES = 16, FRAMES = 64 };

/** A frame, and what is to become of it. */
struct frame {
    unsigned at, len;   // payload; len 0 = dropped
    unsigned size;      // from byte 0 to the end of the last beat's bytes; has_pay if above 64
    unsigned pieces;
    struct piece piece[PIECES];
    uint64_t bus;
    bool value;
    uint64_t data;
};

struct want_beat {
    u(512) data;
    unsigned n;  // bytes that count
    bool last;
};

static struct {
    struct rx_split k;
    struct rx_place place;
    bool alone;   // rx_place is given `direct` and `pay`, without rx_split
    bool sink;    // what rx_split puts out is not given to rx_place
    LINK(struct rx_deal, deal, FRAMES);
    LINK(struct piece, piece, FRAMES * PIECES);
    LINK(struct pay_beat, pay, FRAMES * 70);
    LINK(struct rx_put, direct, FRAMES);
    LINK(struct rx_put, put, 2);
    LINK(struct pay_beat, moved, 2);
    LINK(struct wr_req, req, 2);
    LINK(struct wr_beat, beat, 2);
    LINK(struct wr_done, done, 4);
    LINK(struct wr_done, placed, 2);
    LINK(struct rx_put, want_put, FRAMES * PIECES);
    LINK(struct want_beat, want_beat, FRAMES * 90);
    uint8_t mem[MEM], want[MEM];
    bool writing;
    bool loose;        // data and length of moves are undefined
    struct wr_req now;
    unsigned at;
    unsigned steps, beats;
    bool seen[64][64];  // a piece that is not the first began at this offset of a source, a destination beat
} t;

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
    for (unsigned i = 0; i < 64; i++)
        if (b.keep >> i & 1) {
            MUST(base + i >= t.now.addr && base + i < t.now.addr + t.now.len);
            t.mem[(base + i) % MEM] = data[i];
        }
    if (b.last) {
        MUST(base + 64 >= t.now.addr + t.now.len);
        t.writing = false;
        PUSH(t.done, (struct wr_done){});
    }
}

/** Compares what rx_split puts out with what was to come. */
static void compare(void)
{
    if (t.k.put.valid) {
        struct rx_put p = t.k.put.data, w = HEAD(t.want_put);
        MUST(!EMPTY(t.want_put));
        POP(t.want_put);
        MUST(p.len == w.len && p.has_pay == w.has_pay);
        MUST(p.len == 0 || (p.bus == w.bus && (t.loose || p.payload_at == w.payload_at)));
        MUST(p.payload_at >= 64 && p.payload_at < 128);
    }
    if (t.k.pay_out.valid) {
        struct want_beat w = HEAD(t.want_beat);
        MUST(!EMPTY(t.want_beat));
        POP(t.want_beat);
        t.beats++;
        MUST(t.k.pay_out.data.last == w.last);
        MUST(t.loose || memcmp(&t.k.pay_out.data.data, &w.data, w.n) == 0);
    }
}

static void step_split(void)
{
    IN_BEFORE(t.k.deal, t.deal);
    IN_BEFORE(t.k.piece, t.piece);
    IN_BEFORE(t.k.pay, t.pay);
    OUT_BEFORE(t.k.put, t.put);
    OUT_BEFORE(t.k.pay_out, t.moved);
    rx_split_step(&t.k);
    IN_AFTER(t.k.deal, t.deal);
    IN_AFTER(t.k.piece, t.piece);
    IN_AFTER(t.k.pay, t.pay);
    OUT_AFTER(t.k.put, t.put);
    OUT_AFTER(t.k.pay_out, t.moved);
    compare();
}

static void step_place(void)
{
    if (t.alone) {
        IN_BEFORE(t.place.put, t.direct);
        IN_BEFORE(t.place.pay, t.pay);
    } else {
        IN_BEFORE(t.place.put, t.put);
        IN_BEFORE(t.place.pay, t.moved);
    }
    IN_BEFORE(t.place.done, t.done);
    OUT_BEFORE(t.place.placed, t.placed);
    OUT_BEFORE(t.place.req, t.req);
    OUT_BEFORE(t.place.beat, t.beat);
    rx_place_step(&t.place);
    if (t.alone) {
        IN_AFTER(t.place.put, t.direct);
        IN_AFTER(t.place.pay, t.pay);
    } else {
        IN_AFTER(t.place.put, t.put);
        IN_AFTER(t.place.pay, t.moved);
    }
    IN_AFTER(t.place.done, t.done);
    OUT_AFTER(t.place.placed, t.placed);
    OUT_AFTER(t.place.req, t.req);
    OUT_AFTER(t.place.beat, t.beat);
    if (!EMPTY(t.placed))
        POP(t.placed);
}

static void step(void)
{
    t.steps++;
    if (!t.alone)
        step_split();
    if (t.sink) {
        t.put.count = t.moved.count = 0;
        return;
    }
    step_place();
    memory();
}

static bool idle(void)
{
    return EMPTY(t.deal) && EMPTY(t.piece) && EMPTY(t.pay) && EMPTY(t.direct) && EMPTY(t.put) && EMPTY(t.moved) &&
           EMPTY(t.req) && EMPTY(t.beat) && EMPTY(t.done) && !t.writing && t.k.mode == SPLIT_NONE &&
           t.k.pieces == 0 && !t.place.p_valid && !t.place.next_valid && !t.place.rot_valid && t.place.q.left == 0;
}

/** Until all is done; what arrived is what was sent. Returns the steps it took. */
static unsigned settle(void)
{
    t.steps = 0;
    for (unsigned i = 0; i < 200000 && !idle(); i++)
        step();
    MUST(idle() && EMPTY(t.want_put) && EMPTY(t.want_beat));
    MUST(t.sink || memcmp(t.mem, t.want, MEM) == 0);
    return t.steps;
}

static void begin(unsigned pause)
{
    memset(&t, 0, sizeof t);
    rnd_fill(t.mem, MEM);
    memcpy(t.want, t.mem, MEM);
    bench_pause = pause;
}

static uint8_t bytes[64 * 80]; // of the frame that is sent

/** One move of n bytes at offset `from` of src, in beats of which the last is `end`; n 0 = all up to it. */
static void want_move(const uint8_t *src, unsigned from, unsigned n, unsigned end, uint64_t bus)
{
    unsigned first = n != 0 ? from / 64 : 0, last = n != 0 && end == 0 ? (from + n - 1) / 64 : end;
    PUSH(t.want_put, (struct rx_put){
        .bus = bus, .len = (u(16))n, .payload_at = (u(8))(64 + from % 64), .has_pay = true});
    for (unsigned b = first; b <= last; b++)
        PUSH(t.want_beat, (struct want_beat){.data = beat_of(src + 64 * b, 64), .n = 64, .last = b == last});
    for (unsigned i = 0; i < n; i++)
        t.want[(bus + i) % MEM] = src[from + i];
}

/** What must come of a frame with `beats` pay beats. */
static void want_frame(const struct frame *f, unsigned beats)
{
    static uint8_t value[64];
    bool by_value = f->value && f->len != 0;
    memcpy(value, &f->data, 8);
    const uint8_t *src = by_value ? value : bytes + 64;
    unsigned from = by_value ? 0 : f->at - 64, end = by_value || beats == 0 ? 0 : beats - 1;
    if (f->len == 0 && beats == 0)
        PUSH(t.want_put, (struct rx_put){});
    else if (f->len == 0)
        want_move(bytes + 64, 0, 0, end, 0);
    else if (f->pieces == 0)
        want_move(src, from, f->len, end, f->bus);
    for (unsigned i = 0; f->len != 0 && i < f->pieces; i++) {
        unsigned n = (unsigned)f->piece[i].len;
        if (i != 0 && !by_value)
            t.seen[from % 64][(uint64_t)f->piece[i].bus % 64] = true;
        want_move(src, from, n, 0, f->piece[i].bus);
        from += n;
    }
    if (by_value)  // only the value's bytes count; pieces of it are one beat each
        for (unsigned i = 0, n = f->pieces != 0 ? f->pieces : 1; i < n; i++)
            t.want_beat.q[(t.want_beat.head + t.want_beat.count - 1 - i) % DEPTH(t.want_beat)].n = 8;
}

/** Queues a frame, when there is room. */
static void send(const struct frame *f)
{
    unsigned beats = f->size > 64 ? (f->size - 1) / 64 : 0;
    MUST(f->len == 0 || f->value || f->at + f->len <= f->size);
    while (FULL(t.deal) || FULL(t.direct) || t.pay.count + beats > DEPTH(t.pay) ||
           t.piece.count + PIECES > DEPTH(t.piece) || t.want_put.count + PIECES > DEPTH(t.want_put) ||
           t.want_beat.count + 90 > DEPTH(t.want_beat))
        step();
    rnd_fill(bytes, sizeof bytes);
    if (t.alone)
        PUSH(t.direct, (struct rx_put){
            .bus = f->bus, .len = (u(16))f->len, .payload_at = (u(8))f->at, .has_pay = beats != 0});
    else
        PUSH(t.deal, (struct rx_deal){.bus = f->bus, .len = (u(16))f->len, .pieces = (u(5))f->pieces,
                                      .value = f->value, .data = f->data, .payload_at = (u(8))f->at,
                                      .has_pay = beats != 0});
    for (unsigned i = 0; i < f->pieces; i++)
        PUSH(t.piece, f->piece[i]);
    for (unsigned b = 1; b <= beats; b++)
        PUSH(t.pay, (struct pay_beat){.data = beat_of(bytes + 64 * b, 64), .last = b == beats});
    want_frame(f, beats);
    if (t.alone)
        t.want_put.count = t.want_beat.count = 0;
}

static uint64_t bus_any(void)
{
    return (uint64_t)rnd() << 32 | rnd();
}

/** Cuts the frame's payload into n pieces (at most a byte each), each 1 to LEN_MAX bytes, and puts them anywhere. */
static void cut(struct frame *f, unsigned n)
{
    f->pieces = n;
    unsigned left = f->len;
    for (unsigned i = 0; i < n; i++) {
        unsigned spare = left - (n - 1 - i);  // the others need a byte each
        unsigned len = i + 1 == n        ? left
                       : below(3) == 0   ? 1 + below(spare)
                       : below(4) == 0   ? (spare < 64 ? spare : 64)
                       : spare < 2 * left / (n - i) ? 1 + below(spare)
                                         : 1 + below(2 * left / (n - i));
        f->piece[i] = (struct piece){.bus = bus_any(), .len = (u(13))len, .last = i + 1 == n};
        left -= len;
    }
}

/** A frame with everything at random. */
static struct frame any(void)
{
    struct frame f = {.at = 64 + below(64), .bus = bus_any()};
    unsigned what = below(8), n = 1 + below(PIECES);
    f.len = below(4) == 0 ? 1 + below(LEN_MAX) : 1 + below(300);
    f.size = f.at + f.len + 4 + (below(3) == 0 ? below(200) : 0);
    if (f.size > 64 * 67)
        f.size = 64 * 67;
    if (what == 0) {  // a value; its frame may be a short one
        f.value = true;
        f.len = 8;
        f.data = bus_any();
        f.size = below(4) == 0 ? 60 : 65 + below(200);
        if (below(4) == 0)
            cut(&f, 1 + below(8));
    } else if (what == 1) {  // dropped
        if (f.len < n)
            f.len = n;
        if (below(2))
            cut(&f, n);
        f.value = below(4) == 0;
        f.size = below(3) == 0 ? 60 : f.size;
        f.len = 0;
    } else if (what > 3) {
        if (f.len < n)
            n = f.len;
        cut(&f, n);
    }
    return f;
}

static void split__every_alignment(void)
{
    begin(0);
    for (unsigned at = 64; at < 128; at++)
        for (unsigned len = 1; len <= 130; len += len < 66 ? 1 : 5) {
            struct frame f = {.at = at, .len = len + 1 + below(150)};
            f.size = at + f.len + 4;
            cut(&f, 2);
            unsigned n = f.len - len;
            f.piece[0].len = (u(13))len;
            f.piece[1].len = (u(13))n;
            f.piece[1].bus = (f.piece[1].bus & ~(u(64))63) | (u(64))((at * 17 + len) & 63);
            send(&f);
        }
    settle();
}

static void split__every_pair(void)
{
    begin(0);
    for (unsigned from = 0; from < 64; from++)
        for (unsigned to = 0; to < 64; to++) {
            struct frame f = {.at = 64 + below(64), .len = 300};
            f.size = f.at + f.len + 4;
            cut(&f, 3);
            // the second piece begins at `from` of a source beat and goes to `to`
            unsigned first = (from + 128 - f.at % 64) % 64 + (below(2) ? 64 : 0);
            first = first == 0 ? 64 : first;
            unsigned second = 1 + below(140);
            f.piece[0].len = (u(13))first;
            f.piece[1].len = (u(13))second;
            f.piece[2].len = (u(13))(f.len - first - second);
            f.piece[1].bus = (f.piece[1].bus & ~(u(64))63) | to;
            if (first + second < f.len)
                send(&f);
            else
                to--;
        }
    settle();
    for (unsigned i = 0; i < 64 * 64; i++)
        MUST(t.seen[i / 64][i % 64]);
}

static void split__every_count(void)
{
    begin(30);
    for (int i = 0; i < 100; i++)
        for (unsigned n = 1; n <= PIECES; n++) {
            struct frame f = {.at = 64 + below(64), .len = below(3) == 0 ? n : n + below(below(8) ? 400 : 4080)};
            f.size = f.at + f.len + 4;
            cut(&f, n);
            send(&f);
        }
    settle();
}

static void split__random(void)
{
    for (unsigned pause = 0; pause <= 140; pause += 70) {
        begin(pause);
        for (int i = 0; i < 3000; i++) {
            struct frame f = any();
            send(&f);
        }
        settle();
    }
}

/** Steps for FRAMES frames like f, through rx_split alone, or what is set. */
static unsigned rate(struct frame f, bool alone, bool sink)
{
    begin(0);
    t.alone = alone;
    t.sink = sink;
    for (int i = 0; i < FRAMES; i++)
        send(&f);
    MUST(t.steps == 0);  // all of them were queued first
    return settle();
}

static void split__rate_pass(void)
{
    for (unsigned beats = 1; beats <= 66; beats += beats < 8 ? 1 : 29) {
        struct frame f = {.at = 98, .len = 64 * beats - 38, .size = 64 + 64 * beats};
        f.bus = 0x1000 + 34;
        if (f.len > LEN_MAX)
            f.len = LEN_MAX;
        MUST(rate(f, false, true) == FRAMES * beats + 1);  // the first deal
        unsigned without = rate(f, true, false), with = rate(f, false, false);
        MUST(with <= without + 2);  // of all frames, not of each
        f.len = 0;
        MUST(rate(f, false, true) == FRAMES * beats + 1);
    }
    MUST(rate((struct frame){.at = 64, .size = 60}, false, true) == FRAMES);
}

static void split__rate_pieces(void)
{
    for (unsigned n = 1; n <= PIECES; n++) {
        struct frame f = {.at = 98, .len = LEN_MAX, .size = 98 + LEN_MAX + 4 + (n & 1) * 90};
        cut(&f, n);
        unsigned steps = rate(f, false, true);
        unsigned beats = (f.size - 1) / 64, drop = beats - (f.at + f.len - 1) / 64;
        MUST(t.beats <= FRAMES * (beats + n));
        MUST(steps == t.beats + FRAMES * (1 + drop) + 1);  // the first piece, and what is behind the payload
    }
    struct frame v = {.at = 98, .len = 8, .size = 102, .value = true};
    MUST(rate(v, false, true) == FRAMES * 2 + 1);
    v.size = 60;
    MUST(rate(v, false, true) == FRAMES + 1);
}

/** A frame that is shorter than its pieces: every put gets beats, and the next frame its own. */
static void split__bad_short_pay(void)
{
    for (unsigned n = 1; n <= PIECES; n++) {
        begin(40);
        t.sink = t.loose = true;
        struct frame f = {.at = 100, .len = 200 * n, .size = 100 + 200 * n};
        cut(&f, n);
        send(&f);
        t.pay.count = t.want_beat.count = 0;
        PUSH(t.pay, (struct pay_beat){.last = true});
        for (unsigned i = 0; i < n; i++)
            PUSH(t.want_beat, (struct want_beat){.last = true});
        settle();
        t.loose = false;
        for (int i = 0; i < 20; i++) {
            f = any();
            send(&f);
        }
        settle();
    }
}

CU_TestInfo tests_rx_split[] = {
    {"split__every_alignment", split__every_alignment},
    {"split__every_pair", split__every_pair},
    {"split__every_count", split__every_count},
    {"split__random", split__random},
    {"split__rate_pass", split__rate_pass},
    {"split__rate_pieces", split__rate_pieces},
    {"split__bad_short_pay", split__bad_short_pay},
    CU_TEST_INFO_NULL,
};
