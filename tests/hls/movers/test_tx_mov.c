// SPDX-License-Identifier: BSD-2-Clause
#include <zlib.h>

#include "bench.h"
#include "ref.h"
#include "suites.h"
#include "tx_mov/tx_mov.h"

void tx_mov_step(struct tx_mov *k);

static struct {
    struct tx_mov k;
    LINK(struct tx_frame, frame, 2);
    LINK(struct rd_beat, rd, 80);
    LINK(struct tx_beat, beat, 2);
    LINK(struct crc_beat, crc, 2);
    LINK(struct fail, fail, 2);
} t;

static void step(void)
{
    IN_BEFORE(t.k.frame, t.frame);
    IN_BEFORE(t.k.rd, t.rd);
    OUT_BEFORE(t.k.beat, t.beat);
    OUT_BEFORE(t.k.crc, t.crc);
    OUT_BEFORE(t.k.fail, t.fail);
    tx_mov_step(&t.k);
    IN_AFTER(t.k.frame, t.frame);
    IN_AFTER(t.k.rd, t.rd);
    OUT_AFTER(t.k.beat, t.beat);
    OUT_AFTER(t.k.crc, t.crc);
    OUT_AFTER(t.k.fail, t.fail);
}

static uint8_t pay[4096 + 128], f[REF_MAX];

/** Queues a frame and the answer to its read; `have` beats of it, 0 = all. Returns its bytes without ICRC. */
static unsigned send(const struct ref *r, unsigned pay_at, bool err, unsigned have)
{
    unsigned len = ref_build(r, f) - 4, hlen = len - r->pay_len;
    u(1024) hdr = (u(1024))beat_of(f, hlen);
    if (hlen > 64)
        hdr |= (u(1024))beat_of(f + 64, hlen - 64) << 512;
    PUSH(t.frame, (struct tx_frame){
        .hdr = hdr, .hlen = (u(8))hlen, .pay_len = (u(13))r->pay_len, .pay_at = (u(6))pay_at,
        .l3_at = r->vlan ? 18 : 14, .ipv6 = r->ipv6, .stream = 0x1234, .msg = 0x56789abc});
    if (r->pay_len != 0) {
        static uint8_t answer[64 * 72];
        unsigned beats = (pay_at + r->pay_len + 63) / 64;
        rnd_fill(answer, 64);
        rnd_fill(answer + 64 * (beats - 1), 64);
        memcpy(answer + pay_at, r->pay, r->pay_len);
        if (have != 0)
            beats = have;
        for (unsigned b = 0; b < beats; b++)
            PUSH(t.rd, (struct rd_beat){.data = beat_of(answer + 64 * b, 64), .last = b + 1 == beats,
                                        .err = b + 1 == beats ? err : false});
    }
    return len;
}

/** Takes one frame from the kernel and compares it with f. */
static void receive(const struct ref *r, unsigned len, bool err, bool same)
{
    static uint8_t cov[REF_MAX];
    unsigned at = 0;
    bool failed = false;
    for (int i = 0; i < 5000 && at < len; i++) {
        step();
        if (!EMPTY(t.fail)) {
            MUST(err && !failed && HEAD(t.fail).code == 12 && HEAD(t.fail).stream == 0x1234);
            MUST(HEAD(t.fail).msg == 0x56789abc);
            failed = true;
            POP(t.fail);
        }
        MUST(t.beat.count == t.crc.count);
        while (!EMPTY(t.beat)) {
            struct tx_beat b = HEAD(t.beat);
            struct crc_beat c = HEAD(t.crc);
            POP(t.beat);
            POP(t.crc);
            bool last = len - at <= 64;
            MUST(b.last == last && b.n == (last ? len - at : 64) && b.poison == (last && err));
            MUST(c.last == last && c.n == b.n);
            if (same)
                MUST(b.data == beat_of(f + at, len - at));
            memcpy(cov + at, &c.data, 64);
            at += 64;
        }
    }
    MUST(at >= len && failed == err);
    if (same) {
        unsigned l3 = r->vlan ? 18 : 14;
        for (unsigned i = 0; i < 4; i++)
            cov[l3 + i] ^= 0xff;
        unsigned long v = crc32(0, cov + l3, len - l3);
        for (unsigned i = 0; i < 4; i++)
            MUST(f[len + i] == (uint8_t)(v >> 8 * i));
        for (unsigned i = 0; i < at; i++)
            if (i < l3 || i >= len)
                MUST(cov[i] == 0);
    }
}

static void begin(unsigned pause)
{
    memset(&t, 0, sizeof t);
    rnd_fill(pay, sizeof pay);
    bench_pause = pause;
}

static void mov__every_alignment(void)
{
    begin(0);
    for (unsigned form = 0; form < 4; form++)
        for (unsigned at = 0; at < 64; at++)
            for (unsigned n = 0; n <= 130; n += n < 68 ? 1 : 3) {
                struct ref r;
                ref_random(&r);
                r.ipv6 = form & 1;
                r.vlan = form & 2;
                ref_random_data(&r, pay + below(64), n);
                receive(&r, send(&r, at, false, 0), false, true);
            }
    MUST(EMPTY(t.rd) && !t.k.busy && !t.k.rot_valid && t.k.cnt_tx_bus_errors == 0);
}

static void mov__random(void)
{
    begin(60);
    unsigned errs = 0;
    for (int i = 0; i < 3000; i++) {
        struct ref r;
        ref_random(&r);
        switch (below(4)) {
        case 0:
            r.ext_len = below(2) ? 42 : 12;
            break;
        case 1:
            break;
        default:
            ref_random_data(&r, pay + below(64), below(8) ? below(300) : below(4097));
            break;
        }
        bool err = r.pay_len != 0 && below(4) == 0;
        errs += err;
        receive(&r, send(&r, below(64), err, 0), err, true);
    }
    MUST(EMPTY(t.rd) && t.k.cnt_tx_bus_errors == errs);
}

/** A failed read that gives fewer beats than asked for does not stop the sender. */
static void mov__bad_short_read(void)
{
    begin(30);
    for (int i = 0; i < 500; i++) {
        struct ref r;
        ref_random(&r);
        unsigned at = below(64);
        ref_random_data(&r, pay, 65 + below(500));
        receive(&r, send(&r, at, true, 1), true, false);
        ref_random_data(&r, pay, below(100));
        receive(&r, send(&r, below(64), false, 0), false, true);
    }
}

/** Beats that a read gives over what was asked for are dropped with its frame. */
static void mov__bad_long_read(void)
{
    begin(30);
    for (int i = 0; i < 500; i++) {
        struct ref r;
        ref_random(&r);
        unsigned at = below(64), n = 1 + below(500);
        ref_random_data(&r, pay, n);
        receive(&r, send(&r, at, false, (at + n + 63) / 64 + 1 + below(3)), false, true);
    }
    for (int i = 0; i < 1000 && t.k.busy; i++)
        step();
    MUST(EMPTY(t.rd) && !t.k.busy);
}

static void mov__beat_per_step(void)
{
    enum { FRAMES = 50 };
    begin(0);
    unsigned steps = 0, beats = 0;
    for (int i = 0; i < FRAMES; i++) {
        struct ref r;
        ref_random(&r);
        ref_random_data(&r, pay, 4096);
        send(&r, below(64), false, 0);
        beats += (4096 + 64 + 63) / 64 + 1;
        while (!EMPTY(t.rd) || t.k.rd_open || t.k.rot_valid) {
            step();
            steps++;
            while (!EMPTY(t.beat))
                POP(t.beat), POP(t.crc);
        }
    }
    MUST(steps <= beats + 3 * FRAMES);
}

CU_TestInfo tests_tx_mov[] = {
    {"mov__every_alignment", mov__every_alignment},
    {"mov__random", mov__random},
    {"mov__bad_short_read", mov__bad_short_read},
    {"mov__bad_long_read", mov__bad_long_read},
    {"mov__beat_per_step", mov__beat_per_step},
    CU_TEST_INFO_NULL,
};
