// SPDX-License-Identifier: BSD-2-Clause
#include "bench.h"
#include "ref.h"
#include "rx_beat/rx_beat.h"
#include "suites.h"

void rx_beat_step(struct rx_beat *k);

enum { QUEUE = 16 };

/** One frame on its way, and what must come of it. */
struct item {
    uint8_t f[REF_MAX];
    unsigned len;      // bytes that the MAC gives
    unsigned end;      // where the IP length ends, 0 = not IP
    bool bad;
};

static struct {
    struct rx_beat k;
    LINK(struct mac_beat, mac, 2);
    LINK(struct crc_beat, crc, 2);
    LINK(struct rx_frame, frame, 2);
    LINK(struct pay_beat, pay, 4);
    struct item s[QUEUE];
    unsigned made, at;                // frames made, bytes of the newest one given to the MAC
    unsigned crc_frame, crc_at;       // frame and byte of it that the next crc beat is for
    unsigned frame_frame;
    unsigned pay_frame, pay_at;
} t;

static void step(void)
{
    IN_BEFORE(t.k.mac, t.mac);
    OUT_BEFORE(t.k.crc, t.crc);
    OUT_BEFORE(t.k.frame, t.frame);
    OUT_BEFORE(t.k.pay, t.pay);
    rx_beat_step(&t.k);
    IN_AFTER(t.k.mac, t.mac);
    OUT_AFTER(t.k.crc, t.crc);
    OUT_AFTER(t.k.frame, t.frame);
    OUT_AFTER(t.k.pay, t.pay);
}

static void check_crc(void)
{
    struct item *s = &t.s[t.crc_frame % QUEUE];
    struct crc_beat b = HEAD(t.crc);
    POP(t.crc);
    MUST(t.crc_frame < t.made);
    unsigned left = s->end > t.crc_at ? s->end - t.crc_at : 0;
    bool last = left <= 64 || s->len - t.crc_at <= 64;
    MUST(b.last == last);
    if (left <= 64)
        MUST(b.n == left);
    if (!s->bad || left == 0) {
        uint8_t got[64];
        memcpy(got, &b.data, 64);
        unsigned l3 = ref_l3(s->f);
        for (unsigned i = 0; i < 64; i++) {
            if (t.crc_at + i < l3 || i >= left)
                MUST(got[i] == 0);
            else if (t.crc_at + i >= l3 + 48) // no masked bytes any more
                MUST(got[i] == s->f[t.crc_at + i]);
        }
    }
    t.crc_at += 64;
    if (last) {
        t.crc_frame++;
        t.crc_at = 0;
    }
}

static void check_frame(void)
{
    struct item *s = &t.s[t.frame_frame % QUEUE];
    struct rx_frame f = HEAD(t.frame);
    POP(t.frame);
    uint8_t hdr[128], want[128] = {};
    memcpy(hdr, &f.hdr, 128);
    memcpy(want, s->f, s->len < 128 ? s->len : 128);
    MUST(memcmp(hdr, want, 128) == 0);
    MUST(f.len == (s->len > 64 * RX_BEAT_IDX_MAX ? RX_BEAT_LEN_MAX : s->len));
    MUST(f.bad == s->bad);
    MUST(f.has_pay == (s->len > 64));
    t.frame_frame++;
}

static void check_pay(void)
{
    while (t.s[t.pay_frame % QUEUE].len <= 64) {
        MUST(t.pay_frame < t.made);
        t.pay_frame++;
    }
    struct item *s = &t.s[t.pay_frame % QUEUE];
    struct pay_beat b = HEAD(t.pay);
    POP(t.pay);
    MUST(t.pay_frame < t.made);
    t.pay_at += 64;
    unsigned n = s->len - t.pay_at < 64 ? s->len - t.pay_at : 64;
    MUST(memcmp(&b.data, s->f + t.pay_at, n) == 0);
    bool last = s->len - t.pay_at <= 64 || t.pay_at == 64 * RX_BEAT_LIMIT;
    MUST(b.last == last);
    if (last) {
        t.pay_frame++;
        t.pay_at = 0;
    }
}

static unsigned pay_len_any(void)
{
    uint32_t c = below(8);
    return c == 0 ? below(4097) : c == 1 ? 4096 - below(3) : below(200);
}

/** Takes a good frame and perhaps spoils it. */
static void make(struct item *s, bool spoil)
{
    static uint8_t pay[4096];
    struct ref r;
    rnd_fill(pay, 256);
    ref_random(&r);
    if (below(4))
        ref_random_data(&r, pay, pay_len_any());
    s->len = s->end = ref_build(&r, s->f);
    s->bad = false;
    if (below(4) == 0) { // Ethernet padding
        rnd_fill(s->f + s->len, 64);
        s->len += below(64);
    }
    switch (spoil ? below(6) : 6) {
    case 0: // truncated
        s->len = s->end - 1 - below(s->end - 20);
        if (s->len < 20)
            s->len = 20;
        s->bad = true;
        break;
    case 1: // oversize
        s->len = 64 * RX_BEAT_LIMIT + 1 + below(below(2) ? 64 : 8000);
        s->bad = true;
        break;
    case 2: // not IP
        put16(s->f + ref_l3(s->f) - 2, below(2) ? 0x0806 : 0x8100);
        s->end = 0;
        s->bad = true;
        break;
    case 3: // IP length of no sense
        if (!r.ipv6) {
            put16(s->f + ref_l3(s->f) + 2, below(2) ? 0 : 65535);
            s->end = ref_l3(s->f) + get16(s->f + ref_l3(s->f) + 2);
            s->bad = s->end > s->len;
        }
        break;
    default:
        break;
    }
}

static void feed(bool spoil)
{
    struct item *s = &t.s[(t.made + QUEUE - 1) % QUEUE];
    if (t.made == 0 || t.at >= s->len) {
        unsigned oldest = t.crc_frame < t.frame_frame ? t.crc_frame : t.frame_frame;
        if (t.pay_frame < oldest)
            oldest = t.pay_frame;
        if (t.made - oldest >= QUEUE - 1)
            return;
        s = &t.s[t.made % QUEUE];
        make(s, spoil && below(3) == 0);
        t.made++;
        t.at = 0;
    }
    bool last = s->len - t.at <= 64;
    struct mac_beat b = {
        .data = beat_of(s->f + t.at, 64),
        .n = last ? (u(7))(s->len - t.at) : (u(7))64,
        .last = last,
        .err = !last && below(2),
    };
    if (last && !s->bad && spoil && below(16) == 0)
        b.err = s->bad = true;
    if (!last && spoil && below(256) == 0) {
        b.n = 63;
        b.data &= ~((u(512))255 << 504);
        s->f[t.at + 63] = 0;
        s->bad = true;
    }
    PUSH(t.mac, b);
    t.at += 64;
}

static void run(unsigned frames, bool spoil, unsigned pause)
{
    memset(&t, 0, sizeof t);
    bench_pause = pause;
    unsigned idle = 0;
    while (t.frame_frame < frames && idle < 1000) {
        unsigned before = t.frame_frame;
        if (!FULL(t.mac) && (t.made < frames || t.at < t.s[(t.made + QUEUE - 1) % QUEUE].len))
            feed(spoil);
        step();
        if (!EMPTY(t.crc) && bench_go())
            check_crc();
        if (!EMPTY(t.pay) && bench_go())
            check_pay();
        if (!EMPTY(t.frame) && bench_go())
            check_frame();
        idle = before == t.frame_frame ? idle + 1 : 0;
    }
    while (!EMPTY(t.crc))
        check_crc();
    while (!EMPTY(t.pay))
        check_pay();
    MUST(t.frame_frame == frames && t.crc_frame == frames && t.pay_at == 0);
    MUST(t.k.cnt_rx_frames == frames);
}

static void rx_beat__good_frames(void) { run(3000, false, 60); }
static void rx_beat__bad_frames(void) { run(5000, true, 60); }
static void rx_beat__no_pause(void) { run(3000, true, 0); }

CU_TestInfo tests_rx_beat[] = {
    {"rx_beat__good_frames", rx_beat__good_frames},
    {"rx_beat__bad_frames", rx_beat__bad_frames},
    {"rx_beat__no_pause", rx_beat__no_pause},
    CU_TEST_INFO_NULL,
};
