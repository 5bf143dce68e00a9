// SPDX-License-Identifier: BSD-2-Clause
#include "bench.h"
#include "suites.h"
#include "tx_tail/tx_tail.h"

void tx_tail_step(struct tx_tail *k);

static struct {
    struct tx_tail k;
    LINK(struct tx_beat, beat, 4);
    LINK(struct crc_sum, crc, 4);
    LINK(struct mac_beat, mac, 4);
} t;

static void step(void)
{
    IN_BEFORE(t.k.beat, t.beat);
    IN_BEFORE(t.k.crc, t.crc);
    OUT_BEFORE(t.k.mac, t.mac);
    tx_tail_step(&t.k);
    IN_AFTER(t.k.beat, t.beat);
    IN_AFTER(t.k.crc, t.crc);
    OUT_AFTER(t.k.mac, t.mac);
}

static void frame(unsigned len, bool poison)
{
    static uint8_t f[1024], got[1024];
    uint32_t reg = rnd();
    rnd_fill(f, len);
    for (unsigned i = 0; i < 4; i++)
        f[len + i] = (uint8_t)((poison ? reg : ~reg) >> 8 * i);
    unsigned in = 0, out = 0;
    bool crc_given = false, ended = false;
    for (int i = 0; i < 2000 && !ended; i++) {
        if (in < len && !FULL(t.beat)) {
            bool last = len - in <= 64;
            PUSH(t.beat, (struct tx_beat){.data = beat_of(f + in, len - in), .n = last ? (u(7))(len - in) : (u(7))64,
                                          .last = last, .poison = last && poison});
            in += 64;
        }
        if (!crc_given && below(4) == 0) {
            PUSH(t.crc, (struct crc_sum){.crc = reg, .n = (u(7))rnd()});
            crc_given = true;
        }
        step();
        if (!EMPTY(t.mac)) {
            struct mac_beat b = HEAD(t.mac);
            POP(t.mac);
            MUST(b.n >= 1 && b.n <= 64 && (b.last || b.n == 64) && !b.err);
            memcpy(got + out, &b.data, 64);
            for (unsigned j = (unsigned)b.n; j < 64; j++)
                MUST(got[out + j] == 0);
            out += (unsigned)b.n;
            ended = b.last;
        }
    }
    MUST(ended && out == len + 4 && memcmp(got, f, len + 4) == 0);
    MUST(EMPTY(t.crc) && EMPTY(t.beat));
}

static void tail__every_length(void)
{
    memset(&t, 0, sizeof t);
    bench_pause = 60;
    for (int again = 0; again < 20; again++)
        for (unsigned len = 58; len < 58 + 200; len++)
            frame(len, below(4) == 0);
}

/** Without its value the last beat stays. */
static void tail__waits_for_crc(void)
{
    memset(&t, 0, sizeof t);
    bench_pause = 0;
    PUSH(t.beat, (struct tx_beat){.n = 64});
    PUSH(t.beat, (struct tx_beat){.n = 10, .last = true});
    for (int i = 0; i < 10; i++)
        step();
    MUST(t.mac.count == 1 && t.beat.count == 1);
    PUSH(t.crc, (struct crc_sum){});
    step();
    MUST(t.mac.count == 2 && EMPTY(t.beat) && EMPTY(t.crc));
}

CU_TestInfo tests_tx_tail[] = {
    {"tail__every_length", tail__every_length},
    {"tail__waits_for_crc", tail__waits_for_crc},
    CU_TEST_INFO_NULL,
};
