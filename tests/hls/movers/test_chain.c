// SPDX-License-Identifier: BSD-2-Clause
/* The chains as a whole: frames to memory, memory to frames, and the loop of both. */
#include "bad_frames.h"
#include "ref.h"
#include "rig.h"
#include "suites.h"

static struct rig_rx rx;
static struct rig_tx tx;
static uint8_t want[RIG_MEM]; // what rx.mem must be

static void begin(unsigned pause)
{
    memset(&rx, 0, sizeof rx);
    memset(&tx, 0, sizeof tx);
    rnd_fill(rx.mem, RIG_MEM);
    rnd_fill(tx.mem, RIG_MEM);
    memcpy(want, rx.mem, RIG_MEM);
    bench_pause = pause;
}

/** Gives the receive chain a whole frame. */
static void receive(const uint8_t *f, unsigned len, bool err)
{
    for (unsigned at = 0; at < len; at += 64) {
        bool last = len - at <= 64;
        while (FULL(rx.mac))
            rig_rx_step(&rx);
        // behind the end a MAC's beat holds anything
        u(512) junk = beat_of(f + at, 64);
        PUSH(rx.mac, (struct mac_beat){.data = junk, .n = last ? (u(7))(len - at) : (u(7))64,
                                       .last = last, .err = last && err});
        rig_rx_step(&rx);
    }
}

static void rx_settle(void)
{
    for (int i = 0; i < 10000 && !rig_rx_idle(&rx); i++)
        rig_rx_step(&rx);
    MUST(rig_rx_idle(&rx));
    MUST(memcmp(rx.mem, want, RIG_MEM) == 0);
}

static unsigned length_any(void)
{
    switch (below(8)) {
    case 0: return below(4097);
    case 1: return 4096 - below(2);
    case 2: return 0;
    default: return below(300);
    }
}

/** A random frame; returns its length, for DATA the payload's address too. */
static unsigned frame_any(struct ref *r, uint8_t *f, uint64_t *addr)
{
    static uint8_t pay[4096];
    ref_random(r);
    if (below(5) == 0) {
        r->kind = below(2) ? 2 : 5;
        r->opcode = 0;
        r->ext_len = r->kind == 2 ? 42 : 12;
    } else if (below(5) != 0) {
        struct ref_data d;
        rnd_fill(&d, sizeof d);
        d.stream &= 0xffffff;
        d.pay_len = length_any();
        rnd_fill(pay, d.pay_len);
        ref_set_data(r, &d);
        r->pay = pay;
        r->pay_len = d.pay_len;
        *addr = d.addr;
    }
    return ref_build(r, f);
}

static void place(uint64_t addr, const uint8_t *p, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        want[(addr + i) % RIG_MEM] = p[i];
}

static void chain__rx_good(void)
{
    static uint8_t f[REF_MAX];
    unsigned bytes = 0;
    begin(50);
    for (int i = 0; i < 4000; i++) {
        struct ref r;
        uint64_t addr = 0;
        unsigned len = frame_any(&r, f, &addr);
        place(addr, r.pay, r.pay_len);
        bytes += r.pay_len;
        rnd_fill(f + len, 200);
        if (len < 4100 && below(4) == 0)
            len += below(130); // Ethernet padding
        receive(f, len, false);
        if (i % 100 == 0)
            rx_settle();
    }
    rx_settle();
    MUST(rx.drops == 0 && rx.beat.cnt_rx_frames == 4000 && rx.place.cnt_rx_bytes == bytes);
}

/** Every malformed kind between good frames: counted, nothing of it written, the good ones are. */
static void chain__rx_bad(void)
{
    static uint8_t f[REF_MAX];
    uint32_t count[3] = {};
    begin(20);
    for (unsigned m = 0; m < bad_count; m++) {
        for (int i = 0; i < 60; i++) {
            struct ref r;
            uint64_t addr = 0;
            unsigned len;
            do
                len = frame_any(&r, f, &addr);
            while (!bad_fits(m, &r));
            enum bad_where where = BAD_NOT;
            bool err = false;
            if (below(2)) {
                rnd_fill(f + len, 128);
                err = bad_make(m, &r, f, &len) && m == 0;
                where = bad_table[m].where;
            }
            if (where == BAD_NOT)
                place(addr, r.pay, r.pay_len);
            else
                count[where]++;
            receive(f, len, err);
        }
        rx_settle();
        if (rx.parse.cnt_rx_bad_frame != count[BAD_FRAME] || rx.parse.cnt_rx_bad_icrc != count[BAD_ICRC] ||
            rx.parse.cnt_rx_bad_header != count[BAD_HEADER]) {
            printf("\nmiscounted: %s\n", bad_table[m].name);
            MUST(false);
        }
        MUST(rx.drops == count[0] + count[1] + count[2]);
    }
}

/** Bits flipped anywhere: what is written is right or nothing is. Then noise: nothing. */
static void chain__rx_noise(void)
{
    static uint8_t f[REF_MAX];
    begin(20);
    for (int i = 0; i < 3000; i++) {
        struct ref r;
        uint64_t addr = 0;
        unsigned len = frame_any(&r, f, &addr), data = rx.data;
        for (unsigned n = 1 + below(3); n > 0; n--)
            f[below(len)] ^= (uint8_t)(1u << below(8));
        if (below(4) == 0)
            rnd_fill(f + below(100), 40 + below(20)), len = len < 160 ? 160 : len;
        receive(f, len, false);
        for (int s = 0; s < 10000 && !rig_rx_idle(&rx); s++)
            rig_rx_step(&rx);
        if (rx.data != data)
            place(addr, r.pay, r.pay_len);
        MUST(rig_rx_idle(&rx));
        if (memcmp(rx.mem, want, RIG_MEM) != 0)
            MUST(false);
    }
    MUST(rx.drops > 2000);
}

/* ---- transmit ---- */

enum { CONNS = 4, FLIGHT = 64 };

static struct ref conn[CONNS];
static struct expected {
    uint8_t f[4400];
    unsigned len;
    bool poison;
} flight[FLIGHT];
static unsigned sent_n, seen_n, poisoned;
static uint8_t now_f[4400];
static unsigned now_len;

static void tx_configure(void)
{
    for (unsigned c = 0; c < CONNS; c++) {
        struct ref *r = &conn[c];
        ref_random(r);
        r->ipv6 = c & 1;
        r->vlan = c & 2;
        r->flow = 0;
        r->ip_id = r->udp_sum = 0;
        r->ip_frag = 0x4000;
        r->tos = (uint8_t)((r->tos & 0xfc) | 2);
        r->flags = r->epoch = r->path = 0;
        if (!r->ipv6) {
            memset(r->saddr, 0, 12);
            memset(r->daddr, 0, 12);
        }
        struct mr_conn e = {.state = 1, .flags = (u(8))(r->ipv6 * MR_CONNF_IPV6 | r->vlan * MR_CONNF_VLAN),
                            .peer = (u(24))r->conn, .vlan = r->tci, .tos = r->tos, .ttl = r->ttl};
        for (int i = 0; i < 6; i++) {
            e.smac = e.smac << 8 | r->smac[i];
            e.dmac = e.dmac << 8 | r->dmac[i];
        }
        for (int i = 0; i < 16; i++) {
            e.saddr = e.saddr << 8 | r->saddr[i];
            e.daddr = e.daddr << 8 | r->daddr[i];
        }
        PUSH(tx.cfg, (struct cfg_write){.table = MR_TBL_CONN, .index = (u(16))c, .bits = mr_conn_pack(e)});
        PUSH(tx.cfg, (struct cfg_write){.table = MR_TBL_PATH, .index = (u(16))(c * MR_GROUP),
                                        .bits = (u(512))r->sport | (u(512))MR_PATHST_OPEN << 24});
        while (!EMPTY(tx.cfg))
            rig_tx_step(&tx);
    }
    sent_n = seen_n = poisoned = now_len = 0;
}

/** Looks at what the transmit chain gave; hands it on to the receive chain if `loop`. */
static void tx_watch(bool loop)
{
    if (EMPTY(tx.mac) || (loop && FULL(rx.mac)))
        return;
    struct mac_beat b = HEAD(tx.mac);
    POP(tx.mac);
    MUST(now_len + 64 <= sizeof now_f);
    memcpy(now_f + now_len, &b.data, 64);
    now_len += (unsigned)b.n;
    if (loop)
        PUSH(rx.mac, b);
    if (!b.last)
        return;
    MUST(seen_n < sent_n);
    struct expected *e = &flight[seen_n++ % FLIGHT];
    MUST(now_len == e->len && memcmp(now_f, e->f, e->len - 4) == 0);
    MUST((memcmp(now_f + e->len - 4, e->f + e->len - 4, 4) != 0) == e->poison);
    now_len = 0;
}

static void both_step(bool loop)
{
    rig_tx_step(&tx);
    tx_watch(loop);
    if (loop)
        rig_rx_step(&rx);
}

/** Sends len bytes from addr; they are to land at raddr. */
static void transmit(unsigned c, uint64_t addr, unsigned len, uint64_t raddr, bool loop)
{
    static uint8_t pay[4096];
    while (FULL(tx.data) || sent_n - seen_n >= FLIGHT)
        both_step(loop);
    struct pkt p = {.conn = (u(16))c, .via = (u(16))(c * MR_GROUP), .psn = (u(24))rnd(), .ts = rnd(), .peer = (u(24))rnd(), .msg = rnd(),
                    .offset = rnd(), .msg_len = rnd(), .len = (u(13))len, .opcode = MR_OP_WRITE_IMM, .match = 0,
                    .flags = (u(8))rnd(), .raddr = raddr, .rkey = rnd(), .imm = rnd(), .laddr = addr};
    struct ref r = conn[c];
    r.psn = (uint32_t)p.psn;
    r.ts = p.ts;
    r.flags = (uint8_t)p.flags;
    r.opcode = MR_OP_WRITE_IMM;
    struct ref_data d = {.stream = (uint32_t)p.peer, .msg = p.msg, .offset = p.offset, .msg_len = p.msg_len,
                         .key = p.rkey, .imm = p.imm, .addr = raddr, .pay_len = len};
    ref_set_data(&r, &d);
    for (unsigned i = 0; i < len; i++)
        pay[i] = tx.mem[(addr + i) % RIG_MEM];
    r.pay = pay;
    r.pay_len = len;
    struct expected *e = &flight[sent_n++ % FLIGHT];
    e->len = ref_build(&r, e->f);
    e->poison = len != 0 && addr >> RIG_ERR_BIT;
    poisoned += e->poison;
    if (loop && !e->poison)
        place(raddr, pay, len);
    PUSH(tx.data, p);
    both_step(loop);
}

static void tx_settle(bool loop)
{
    for (int i = 0; i < 20000 && !(rig_tx_idle(&tx) && seen_n == sent_n && (!loop || rig_rx_idle(&rx))); i++)
        both_step(loop);
    MUST(rig_tx_idle(&tx) && seen_n == sent_n);
    MUST(tx.fails == poisoned && tx.mov.cnt_tx_bus_errors == poisoned);
    if (loop)
        rx_settle();
}

static void chain__tx_every_alignment(void)
{
    begin(0);
    tx_configure();
    for (unsigned c = 0; c < CONNS; c++)
        for (unsigned at = 0; at < 64; at++)
            for (unsigned len = 0; len <= 130; len += len < 68 ? 1 : 5)
                transmit(c, 64 * below(1000) + at, len, 0, false);
    tx_settle(false);
}

static void chain__tx_random(void)
{
    begin(40);
    tx_configure();
    for (int i = 0; i < 2000; i++)
        transmit(below(CONNS), (uint64_t)rnd() << 31 | rnd(), length_any(), rnd(), false);
    tx_settle(false);
}

/** A frame whose payload could not be read is spoiled, and only that one. */
static void chain__tx_poison(void)
{
    begin(40);
    tx_configure();
    for (int i = 0; i < 1000; i++)
        transmit(below(CONNS), (uint64_t)below(4) << 62 | rnd(), length_any(), rnd(), false);
    tx_settle(false);
    MUST(poisoned > 100);
}

static void chain__loop(void)
{
    begin(40);
    tx_configure();
    for (int i = 0; i < 4000; i++) {
        uint64_t err = below(8) == 0 ? 1ull << RIG_ERR_BIT : 0;
        transmit(below(CONNS), err | rnd(), length_any(), (uint64_t)rnd() << 32 | rnd(), true);
    }
    tx_settle(true);
    MUST(poisoned > 100 && rx.drops == poisoned && rx.parse.cnt_rx_bad_icrc == poisoned);
    MUST(rx.pkts == 4000 && rx.data == 4000 - poisoned);
}

CU_TestInfo tests_chain[] = {
    {"chain__rx_good", chain__rx_good},
    {"chain__rx_bad", chain__rx_bad},
    {"chain__rx_noise", chain__rx_noise},
    {"chain__tx_every_alignment", chain__tx_every_alignment},
    {"chain__tx_random", chain__tx_random},
    {"chain__tx_poison", chain__tx_poison},
    {"chain__loop", chain__loop},
    CU_TEST_INFO_NULL,
};
