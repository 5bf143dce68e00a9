// SPDX-License-Identifier: BSD-2-Clause
#include "bench.h"
#include "bad_frames.h"
#include "ref.h"
#include "rx_parse/rx_parse.h"
#include "suites.h"

void rx_parse_step(struct rx_parse *k);

static struct {
    struct rx_parse k;
    LINK(struct rx_frame, frame, 2);
    LINK(struct crc_sum, crc, 2);
    LINK(struct rx_pkt, pkt, 2);
} t;

static void step(void)
{
    IN_BEFORE(t.k.frame, t.frame);
    IN_BEFORE(t.k.crc, t.crc);
    OUT_BEFORE(t.k.pkt, t.pkt);
    rx_parse_step(&t.k);
    IN_AFTER(t.k.frame, t.frame);
    IN_AFTER(t.k.crc, t.crc);
    OUT_AFTER(t.k.pkt, t.pkt);
}

static struct rx_pkt parse(const uint8_t *f, unsigned len, bool bad, uint32_t crc)
{
    u(1024) hdr = (u(1024))beat_of(f, len);
    if (len > 64)
        hdr |= (u(1024))beat_of(f + 64, len - 64) << 512;
    PUSH(t.frame, (struct rx_frame){.hdr = hdr, .len = (u(16))len, .bad = bad, .has_pay = len > 64});
    PUSH(t.crc, (struct crc_sum){.crc = crc});
    for (int i = 0; i < 100 && EMPTY(t.pkt); i++)
        step();
    MUST(t.pkt.count == 1);
    struct rx_pkt p = HEAD(t.pkt);
    POP(t.pkt);
    step(); // the counters follow a step later
    return p;
}

enum { RESIDUE = 0xdebb20e3 };

static void make(struct ref *r)
{
    static uint8_t pay[4096];
    ref_random(r);
    switch (below(4)) {
    case 0:
        ref_random_data(r, pay, below(2) ? below(4097) : 0);
        break;
    case 1:
        r->kind = 2;
        r->opcode = 0;
        r->ext_len = 42;
        break;
    case 2:
        r->kind = 5;
        r->opcode = 0;
        r->ext_len = 12;
        break;
    default:
        break;
    }
}

static void parse__fields(void)
{
    static uint8_t f[REF_MAX];
    memset(&t, 0, sizeof t);
    bench_pause = 50;
    for (int i = 0; i < 5000; i++) {
        struct ref r;
        make(&r);
        unsigned len = ref_build(&r, f);
        struct rx_pkt p = parse(f, len, false, RESIDUE);
        unsigned l4 = ref_l4(f);
        MUST(!p.drop && p.ipv6 == r.ipv6 && p.has_pay == (len > 64));
        MUST(p.ce == ((r.tos & 3) == 3));
        MUST(p.base.version == 1 && p.base.kind == r.kind && p.base.opcode == r.opcode);
        MUST(p.base.flags == r.flags && p.base.conn == r.conn && p.base.path == r.path);
        MUST(p.base.psn == r.psn && p.base.ts == r.ts && p.base.epoch == r.epoch);
        MUST(memcmp(&p.ext, r.ext, r.ext_len) == 0);
        if (r.kind == 1)
            MUST(p.payload_at == l4 + 8 + 16 + 40);
        for (int b = 0; b < 16; b++) {
            MUST((u(8))(p.saddr >> 8 * (15 - b)) == r.saddr[b]);
            MUST((u(8))(p.daddr >> 8 * (15 - b)) == r.daddr[b]);
        }
        for (int b = 0; b < 6; b++)
            MUST((u(8))(p.dmac >> 8 * (5 - b)) == r.dmac[b]);
    }
    MUST(t.k.cnt_rx_bad_frame + t.k.cnt_rx_bad_icrc + t.k.cnt_rx_bad_header == 0);
}

/** Every way to spoil a frame is counted where it belongs. */
static void parse__bad_frames(void)
{
    static uint8_t f[REF_MAX];
    uint32_t want[3] = {};
    memset(&t, 0, sizeof t);
    bench_pause = 0;
    for (unsigned m = 0; m < bad_count; m++) {
        for (int i = 0; i < 200; i++) {
            struct ref r;
            do
                make(&r);
            while (!bad_fits(m, &r));
            unsigned len = ref_build(&r, f);
            bool flag = bad_make(m, &r, f, &len);
            bool drop = parse(f, len, flag, bad_table[m].where == BAD_ICRC ? rnd() | 4 : RESIDUE).drop;
            MUST(drop == (bad_table[m].where != BAD_NOT));
            if (drop)
                want[bad_table[m].where]++;
            if (t.k.cnt_rx_bad_frame != want[BAD_FRAME] || t.k.cnt_rx_bad_icrc != want[BAD_ICRC] ||
                t.k.cnt_rx_bad_header != want[BAD_HEADER]) {
                printf("\nmiscounted: %s\n", bad_table[m].name);
                MUST(false);
            }
        }
    }
}

static void parse__bad_order(void)
{
    static uint8_t f[REF_MAX];
    struct ref r;
    memset(&t, 0, sizeof t);
    ref_random(&r);
    r.version = 2;
    unsigned len = ref_build(&r, f);
    MUST(parse(f, len, true, 1).drop && t.k.cnt_rx_bad_frame == 1);
    MUST(parse(f, len, false, 1).drop && t.k.cnt_rx_bad_icrc == 1);
    MUST(parse(f, len, false, RESIDUE).drop && t.k.cnt_rx_bad_header == 1);
    MUST(t.k.cnt_rx_bad_frame == 1 && t.k.cnt_rx_bad_icrc == 1);
}

static void parse__frame_per_two_steps(void)
{
    memset(&t, 0, sizeof t);
    bench_pause = 0;
    unsigned got = 0;
    for (int i = 0; i < 1000; i++) {
        while (!FULL(t.frame)) {
            PUSH(t.frame, (struct rx_frame){});
            PUSH(t.crc, (struct crc_sum){});
        }
        step();
        if (!EMPTY(t.pkt)) {
            POP(t.pkt);
            got++;
        }
    }
    MUST(got >= 499);
}

CU_TestInfo tests_rx_parse[] = {
    {"parse__fields", parse__fields},
    {"parse__bad_frames", parse__bad_frames},
    {"parse__bad_order", parse__bad_order},
    {"parse__frame_per_two_steps", parse__frame_per_two_steps},
    CU_TEST_INFO_NULL,
};
