// SPDX-License-Identifier: BSD-2-Clause
/* tx_join, alone and in front of tx_mov. */
#include "bench.h"
#include "suites.h"
#include "tx_join/tx_join.h"
#include "tx_mov/tx_mov.h"

void tx_join_step(struct tx_join *k);
void tx_mov_step(struct tx_mov *k);

enum { LEN_MAX = 4096, READS = 16, FRAMES = 64, ANSWER = 64 * 70 };

/** A frame's reads. */
struct reads {
    bool one;
    unsigned n;
    struct read {
        unsigned at, len;
        bool err;
        unsigned beats;  // of the answer; 0 = as many as its length needs
    } r[READS];
};

struct want {
    u(512) data;
    unsigned n;   // bytes that count
    bool last, err;
    bool loose;   // instead: any beats up to last, there with err
};

static struct {
    struct tx_join k;
    struct tx_mov mov;
    bool chain, alone;  // out goes to tx_mov; rd does, without tx_join
    LINK(struct join, join, FRAMES * READS);
    LINK(struct rd_beat, rd, FRAMES * 90);
    LINK(struct rd_beat, out, 2);
    LINK(struct want, want, FRAMES * 70);
    LINK(struct tx_frame, frame, FRAMES);
    LINK(struct tx_beat, beat, 2);
    LINK(struct crc_beat, crc, 2);
    LINK(struct fail, fail, 2);
    unsigned steps, rd_beats;
    bool seen[64][64];  // a read began at this offset of the answer's, the read's beat
} t;

static void step_join(void)
{
    IN_BEFORE(t.k.join, t.join);
    IN_BEFORE(t.k.rd, t.rd);
    OUT_BEFORE(t.k.out, t.out);
    tx_join_step(&t.k);
    t.rd_beats += t.k.rd.ready;
    IN_AFTER(t.k.join, t.join);
    IN_AFTER(t.k.rd, t.rd);
    OUT_AFTER(t.k.out, t.out);
    if (!t.k.out.valid)
        return;
    struct rd_beat b = t.k.out.data;
    struct want w = HEAD(t.want);
    MUST(!EMPTY(t.want));
    if (!w.loose || b.last)
        POP(t.want);
    MUST(w.loose ? !b.last || b.err == w.err : b.last == w.last && b.err == w.err);
    MUST(w.loose || memcmp(&b.data, &w.data, w.n) == 0);
}

static void step_mov(void)
{
    IN_BEFORE(t.mov.frame, t.frame);
    if (t.alone)
        IN_BEFORE(t.mov.rd, t.rd);
    else
        IN_BEFORE(t.mov.rd, t.out);
    OUT_BEFORE(t.mov.beat, t.beat);
    OUT_BEFORE(t.mov.crc, t.crc);
    OUT_BEFORE(t.mov.fail, t.fail);
    tx_mov_step(&t.mov);
    IN_AFTER(t.mov.frame, t.frame);
    if (t.alone)
        IN_AFTER(t.mov.rd, t.rd);
    else
        IN_AFTER(t.mov.rd, t.out);
    t.beat.count = t.crc.count = 0;
}

static void step(void)
{
    t.steps++;
    if (!t.alone)
        step_join();
    if (t.chain)
        step_mov();
    else if (!EMPTY(t.out))
        POP(t.out);
}

static bool idle(void)
{
    return EMPTY(t.join) && EMPTY(t.rd) && EMPTY(t.out) && EMPTY(t.want) && EMPTY(t.frame) &&
           !t.k.busy && !t.k.rot_valid && !t.mov.busy && !t.mov.rot_valid;
}

static unsigned settle(void)
{
    t.steps = 0;
    for (unsigned i = 0; i < 200000 && !idle(); i++)
        step();
    MUST(idle());
    MUST(t.k.rd_taken == (u(16))t.rd_beats);
    return t.steps;
}

static void begin(unsigned pause)
{
    memset(&t, 0, sizeof t);
    bench_pause = pause;
}

/** What must come of bytes that stand from `src` on, n of them count. */
static void want_bytes(const uint8_t *src, unsigned at, unsigned n, bool whole, bool err)
{
    unsigned end = at + n;
    for (unsigned b = 0; b < end; b += 64) {
        bool last = end - b <= 64;
        PUSH(t.want, (struct want){.data = beat_of(src + b, 64), .n = last && !whole ? end - b : 64,
                                   .last = last, .err = last && err});
    }
}

/** Queues the reads of a frame, when there is room. */
static void send(const struct reads *f)
{
    static uint8_t answer[ANSWER], whole[ANSWER + 64];
    unsigned total = 0;
    bool err = false, loose = false;
    while (t.join.count + READS > DEPTH(t.join) || t.rd.count + 90 > DEPTH(t.rd) ||
           t.want.count + 70 > DEPTH(t.want) || FULL(t.frame))
        step();
    for (unsigned i = 0; i < f->n; i++) {
        const struct read *r = &f->r[i];
        unsigned beats = r->beats != 0 ? r->beats : (r->at + r->len + 63) / 64;
        rnd_fill(answer, sizeof answer);
        if (!t.alone)
            PUSH(t.join, (struct join){.one = f->one, .at = (u(6))r->at, .len = (u(13))r->len,
                                       .last = i + 1 == f->n});
        for (unsigned b = 0; b < beats; b++)
            PUSH(t.rd, (struct rd_beat){.data = beat_of(answer + 64 * b, 64), .last = b + 1 == beats,
                                        .err = b + 1 == beats && r->err});
        if (!f->one)
            t.seen[total % 64][r->at] = true;
        memcpy(whole + total, answer + r->at, r->len);
        total += r->len;
        err |= r->err;
        loose |= r->beats != 0;
    }
    if (t.alone)
        return;
    if (loose)
        PUSH(t.want, (struct want){.loose = true, .err = err});
    else if (f->one)
        want_bytes(answer, f->r[0].at, f->r[0].len, true, err);
    else
        want_bytes(whole, 0, total, false, err);
}

/** A frame of n reads with `total` bytes in all. */
static struct reads any(unsigned n, unsigned total)
{
    struct reads f = {.n = n};
    for (unsigned i = 0; i < n; i++) {
        unsigned spare = total - (n - 1 - i), part = 2 * total / (n - i);
        unsigned len = i + 1 == n ? total : 1 + below(below(3) != 0 && part < spare ? part : spare);
        f.r[i] = (struct read){.at = below(64), .len = len, .err = below(20) == 0};
        total -= len;
    }
    return f;
}

static struct reads any_frame(void)
{
    unsigned n = below(3) == 0 ? 1 : 1 + below(READS);
    unsigned total = below(4) == 0   ? n
                     : below(6) == 0 ? n + below(LEN_MAX - READS)
                                     : n + below(300);
    struct reads f = any(n, total);
    f.one = n == 1 && below(2);
    return f;
}

static void join__every_alignment(void)
{
    begin(0);
    for (unsigned to = 0; to < 64; to++)
        for (unsigned from = 0; from < 64; from++)
            for (unsigned form = 0; form < 5; form++) {
                struct reads f = {.n = 3};
                f.r[0] = (struct read){.at = below(64), .len = to == 0 ? 64 : to};
                f.r[1] = (struct read){.at = from, .len = form == 0   ? 1
                                                          : form == 1 ? 64 - from
                                                          : form == 2 ? 64 - to
                                                          : form == 3 ? 128 - to
                                                                      : 1 + below(200)};
                f.r[2] = (struct read){.at = below(64), .len = 1 + below(130)};
                f.n = 2 + below(2);
                send(&f);
            }
    settle();
    for (unsigned i = 0; i < 64 * 64; i++)
        MUST(t.seen[i / 64][i % 64]);
}

static void join__every_length(void)
{
    begin(0);
    for (unsigned at = 0; at < 64; at++)
        for (unsigned len = 1; len <= 130; len++)
            for (unsigned one = 0; one < 2; one++)
                send(&(struct reads){.one = one, .n = 1, .r = {{.at = at, .len = len}}});
    settle();
}

static void join__random(void)
{
    for (unsigned pause = 0; pause <= 140; pause += 70) {
        begin(pause);
        for (int i = 0; i < 4000; i++) {
            struct reads f = any_frame();
            send(&f);
        }
        settle();
    }
}

/** Reads that end too early or too late do not touch the frames behind theirs. */
static void join__bad_reads(void)
{
    begin(50);
    for (int i = 0; i < 3000; i++) {
        struct reads f = any(1 + below(READS), 16 + below(800));
        unsigned bad = below(f.n);
        f.r[bad].beats = 1 + below(4);
        f.r[bad].err = true;
        send(&f);
        f = any_frame();
        send(&f);
    }
    settle();
}

static void join__rate_one(void)
{
    for (unsigned len = 64; len <= LEN_MAX; len += len < 512 ? 64 : 512) {
        begin(0);
        for (int i = 0; i < FRAMES; i++)
            send(&(struct reads){.one = true, .n = 1, .r = {{.len = len}}});
        MUST(t.steps == 0);  // all of them were queued first
        MUST(settle() == FRAMES * (len / 64) + 2);  // the first join, and the last beat's second stage
    }
}

static void join__rate_joined(void)
{
    begin(0);
    unsigned over = 0;
    for (int i = 0; i < FRAMES; i++) {
        struct reads f = any(1 + below(READS), 1000);
        // the last read's last beat: its bytes begin in one beat of the answer and end in the next
        struct read last = f.r[f.n - 1];
        unsigned tail = (last.at + last.len - 1) % 64 + 1;
        tail = tail < last.len ? tail : last.len;
        over += (1000 - tail) / 64 != 999 / 64;
        send(&f);
    }
    MUST(t.steps == 0);
    unsigned steps = settle();
    MUST(steps == t.rd_beats + over + 2);
}

/** Steps of tx_mov for frames of one read each, behind tx_join or not. */
static unsigned rate_mov(unsigned at, unsigned len, bool alone)
{
    begin(0);
    t.chain = true;
    t.alone = alone;
    for (int i = 0; i < FRAMES; i++) {
        PUSH(t.frame, (struct tx_frame){.hlen = 98, .pay_len = (u(13))len, .pay_at = (u(6))at, .l3_at = 14});
        t.frame.count--;  // `send` wants a place
        send(&(struct reads){.one = true, .n = 1, .r = {{.at = at, .len = len}}});
        t.frame.count++;
    }
    MUST(t.steps == 0);
    return settle();
}

static void join__rate_with_tx_mov(void)
{
    for (unsigned at = 0; at < 64; at += 21)
        for (unsigned len = 1; len <= LEN_MAX; len += len < 200 ? 33 : 1000) {
            unsigned without = rate_mov(at, len, true), with = rate_mov(at, len, false);
            MUST(with <= without + 2);  // of all frames, not of each
        }
}

CU_TestInfo tests_tx_join[] = {
    {"join__every_alignment", join__every_alignment},
    {"join__every_length", join__every_length},
    {"join__random", join__random},
    {"join__bad_reads", join__bad_reads},
    {"join__rate_one", join__rate_one},
    {"join__rate_joined", join__rate_joined},
    {"join__rate_with_tx_mov", join__rate_with_tx_mov},
    CU_TEST_INFO_NULL,
};
