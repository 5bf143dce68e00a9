// SPDX-License-Identifier: BSD-2-Clause
#include <zlib.h>

#include "bench.h"
#include "icrc/cover.h"
#include "icrc/icrc_acc.h"
#include "icrc/icrc_fix.h"
#include "ref.h"
#include "suites.h"

void icrc_acc_step(struct icrc_acc *k);
void icrc_fix_step(struct icrc_fix *k);

static struct {
    struct icrc_acc acc;
    struct icrc_fix fix;
    LINK(struct crc_beat, beat, 4);
    LINK(struct crc_sum, mid, 2);
    LINK(struct crc_sum, out, 2);
} t;

static void step(void)
{
    IN_BEFORE(t.acc.beat, t.beat);
    OUT_BEFORE(t.acc.sum, t.mid);
    icrc_acc_step(&t.acc);
    IN_AFTER(t.acc.beat, t.beat);
    OUT_AFTER(t.acc.sum, t.mid);
    IN_BEFORE(t.fix.in, t.mid);
    OUT_BEFORE(t.fix.out, t.out);
    icrc_fix_step(&t.fix);
    IN_AFTER(t.fix.in, t.mid);
    OUT_AFTER(t.fix.out, t.out);
}

/** Register after data[0..len) of which the first `skip` bytes are 0, 0xffffffff in front of the rest. */
static uint32_t reg_of(const uint8_t *data, unsigned skip, unsigned len)
{
    return (uint32_t)~crc32(0, data + skip, len - skip);
}

static void acc_fix__random_ranges(void)
{
    enum { FRAMES = 20000, QUEUE = 64 };
    static uint8_t data[4096 + 64];
    uint32_t want[QUEUE];
    uint8_t want_n[QUEUE];
    unsigned made = 0, got = 0, len = 0, at = 0;
    memset(&t, 0, sizeof t);
    bench_pause = 64;
    while (got < FRAMES) {
        if (at >= len && made < FRAMES && made - got < QUEUE) {
            len = below(8) == 0 ? 64 + below(4096 - 64) : 64 + below(128);
            unsigned skip = below(4) == 0 ? below(60) : below(2) ? 14 : 18;
            at = 0;
            memset(data, 0, sizeof data);
            rnd_fill(data + skip, len - skip);
            want[made % QUEUE] = reg_of(data, skip, len);
            want_n[made++ % QUEUE] = (uint8_t)((len - 1) % 64 + 1);
            for (unsigned i = skip; i < skip + 4; i++)
                data[i] ^= 0xff;
        }
        if (at < len && !FULL(t.beat)) {
            bool last = len - at <= 64;
            PUSH(t.beat, (struct crc_beat){
                .data = beat_of(data + at, 64), .n = last ? (u(7))(len - at) : (u(7))rnd(), .last = last});
            at += 64;
        }
        step();
        if (!EMPTY(t.out)) {
            MUST(HEAD(t.out).crc == want[got % QUEUE]);
            MUST(HEAD(t.out).n == want_n[got % QUEUE]);
            POP(t.out);
            got++;
        }
    }
    MUST(EMPTY(t.mid) && !t.acc.part_valid && !t.fix.a_valid && !t.fix.b_valid && !t.fix.c_valid);
}

/** The register ends up the same if the covered bytes end anywhere in the beat, even in front of it. */
static void fix__every_n(void)
{
    bench_pause = 0;
    for (unsigned n = 0; n <= 64; n++) {
        uint8_t zero[64] = {};
        uint32_t reg = rnd();
        memset(&t, 0, sizeof t);
        PUSH(t.mid, (struct crc_sum){.crc = ~(uint32_t)crc32(~reg, zero, 64 - n), .n = (u(7))n});
        for (int i = 0; i < 5; i++)
            step();
        MUST(t.out.count == 1 && HEAD(t.out).crc == reg);
    }
}

static void acc__beat_per_step(void)
{
    enum { BEATS = 1000 };
    memset(&t, 0, sizeof t);
    bench_pause = 0;
    unsigned sums = 0;
    for (unsigned i = 0; i < BEATS; i++) {
        MUST(EMPTY(t.beat));
        PUSH(t.beat, (struct crc_beat){.n = 1, .last = true});
        step();
        if (!EMPTY(t.out)) {
            POP(t.out);
            sums++;
        }
    }
    MUST(sums >= BEATS - 6);
}

static void cover__as_reference(void)
{
    static uint8_t f[REF_MAX], z[REF_MAX];
    for (int i = 0; i < 2000; i++) {
        struct ref r;
        ref_random(&r);
        unsigned len = ref_build(&r, f);
        memset(f + len, 0, 64);
        unsigned l3 = ref_l3(f);
        memset(z, 0, sizeof z);
        for (unsigned b = 0; b * 64 < len; b++) {
            u(512) c = icrc_cover(beat_of(f + 64 * b, 64), b == 0, b == 1, r.vlan, r.ipv6);
            memcpy(z + 64 * b, &c, 64);
        }
        for (unsigned j = 0; j < l3; j++)
            MUST(z[j] == 0);
        for (unsigned j = 0; j < 4; j++)
            z[l3 + j] ^= 0xff;
        unsigned long v = crc32(0, z + l3, len - 4 - l3);
        for (unsigned j = 0; j < 4; j++)
            MUST(f[len - 4 + j] == (uint8_t)(v >> 8 * j));
    }
}

CU_TestInfo tests_icrc[] = {
    {"acc_fix__random_ranges", acc_fix__random_ranges},
    {"fix__every_n", fix__every_n},
    {"acc__beat_per_step", acc__beat_per_step},
    {"cover__as_reference", cover__as_reference},
    CU_TEST_INFO_NULL,
};
