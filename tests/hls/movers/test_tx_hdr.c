// SPDX-License-Identifier: BSD-2-Clause
#include "bench.h"
#include "ref.h"
#include "suites.h"
#include "tx_hdr/tx_hdr.h"

void tx_hdr_step(struct tx_hdr *k);

enum { CONNS = 8 };

static struct {
    struct tx_hdr k;
    LINK(struct pkt, data, 4);
    LINK(struct ack, ack, 4);
    LINK(struct err_note, err, 4);
    LINK(struct cfg_write, cfg, 4);
    LINK(struct tx_frame, frame, 4);
    LINK(struct rd_req, rd, 4);
    LINK(struct join, join, 4);
    struct ref conn[CONNS];         // header fields of a frame of the connection
    uint16_t sport[CONNS][MR_GROUP];
    unsigned index[CONNS];          // table index
    bool host_stops;                // payload reads are not answered
} t;

static void step(void)
{
    IN_BEFORE(t.k.data, t.data);
    IN_BEFORE(t.k.ack, t.ack);
    IN_BEFORE(t.k.err, t.err);
    IN_BEFORE(t.k.cfg, t.cfg);
    OUT_BEFORE(t.k.frame, t.frame);
    OUT_BEFORE(t.k.rd, t.rd);
    OUT_BEFORE(t.k.join, t.join);
    if (!t.host_stops)
        t.k.rd_taken = t.k.rd_asked;  // the host answers at once
    tx_hdr_step(&t.k);
    IN_AFTER(t.k.data, t.data);
    IN_AFTER(t.k.ack, t.ack);
    IN_AFTER(t.k.err, t.err);
    IN_AFTER(t.k.cfg, t.cfg);
    OUT_AFTER(t.k.frame, t.frame);
    OUT_AFTER(t.k.rd, t.rd);
    OUT_AFTER(t.k.join, t.join);
    while (!EMPTY(t.join))
        POP(t.join);
}

static void configure(unsigned table, unsigned index, u(512) bits)
{
    PUSH(t.cfg, (struct cfg_write){.table = (u(8))table, .index = (u(16))index, .bits = bits});
    while (!EMPTY(t.cfg))
        step();
}

/** The entry by its layout in host.def, byte by byte. */
static u(512) conn_entry(const struct ref *r, unsigned state)
{
    uint8_t e[64] = {};
    e[0] = (uint8_t)state;
    e[1] = (uint8_t)(r->ipv6 | r->vlan << 1);
    for (unsigned i = 0; i < 3; i++)
        e[5 + i] = (uint8_t)(r->conn >> 8 * i);
    for (unsigned i = 0; i < 6; i++) {
        e[8 + i] = r->smac[5 - i];
        e[14 + i] = r->dmac[5 - i];
    }
    for (unsigned i = 0; i < 16; i++) {
        e[20 + i] = r->saddr[15 - i];
        e[36 + i] = r->daddr[15 - i];
    }
    e[52] = (uint8_t)r->tci;
    e[53] = (uint8_t)(r->tci >> 8);
    e[57] = (uint8_t)((r->tos & 0xfc) | (rnd() & 3));
    e[58] = r->ttl;
    return beat_of(e, 64);
}

static void begin(unsigned pause)
{
    memset(&t, 0, sizeof t);
    bench_pause = pause;
    for (unsigned c = 0; c < CONNS; c++) {
        struct ref *r = &t.conn[c];
        ref_random(r);
        r->ipv6 = c & 1;
        r->vlan = c & 2;
        if (r->ipv6)
            r->flow = 0;
        else
            memset(r->saddr, 0, 12), memset(r->daddr, 0, 12);
        r->ip_id = 0;
        r->ip_frag = 0x4000;
        r->tos = (uint8_t)((r->tos & 0xfc) | 2);
        r->udp_sum = 0;
        r->flags = r->epoch = 0;
        t.index[c] = c == 0 ? 0 : c == 1 ? MR_CONNS - 1 : below(MR_CONNS / CONNS - 2) + 1 + c * (MR_CONNS / CONNS - 1);
        configure(1, t.index[c], conn_entry(r, 1));
        for (unsigned p = 0; p < MR_GROUP; p++) {
            t.sport[c][p] = (uint16_t)rnd();
            uint8_t e[64];
            rnd_fill(e, 64);
            e[0] = (uint8_t)t.sport[c][p];
            e[1] = (uint8_t)(t.sport[c][p] >> 8);
            e[2] = 0;  // plane
            e[3] = MR_PATHST_OPEN;
            configure(2, t.index[c] * MR_GROUP + p, beat_of(e, 64));
        }
    }
    for (unsigned table = 0; table < 256; table++) // other tables do not touch these
        if (table != 1 && table != 2)
            configure(table, t.index[below(CONNS)], 0);
}

/** A frame came out that equals r; its read is checked and taken. */
static void expect(const struct ref *r, uint64_t bus, unsigned stream, uint32_t msg)
{
    static uint8_t f[REF_MAX];
    unsigned hlen = ref_build(r, f) - r->pay_len - 4;
    MUST(!EMPTY(t.frame));
    struct tx_frame got = HEAD(t.frame);
    POP(t.frame);
    uint8_t hdr[128], want[128] = {};
    memcpy(hdr, &got.hdr, 128);
    memcpy(want, f, hlen);
    MUST(memcmp(hdr, want, 128) == 0);
    MUST(got.hlen == hlen && got.pay_len == r->pay_len);
    MUST(got.l3_at == (r->vlan ? 18 : 14) && got.ipv6 == r->ipv6);
    if (r->pay_len != 0) {
        MUST(got.pay_at == (bus & 63) && got.stream == stream && got.msg == msg);
        MUST(!EMPTY(t.rd) && HEAD(t.rd).addr == bus && HEAD(t.rd).len == r->pay_len);
        POP(t.rd);
    }
    MUST(EMPTY(t.rd));
}

static struct ref frame_of(unsigned c, unsigned path, uint32_t psn, uint32_t ts, unsigned kind, unsigned opcode)
{
    struct ref r = t.conn[c];
    r.sport = t.sport[c][path];
    r.path = (uint8_t)path;
    r.psn = psn & 0xffffff;
    r.ts = ts;
    r.kind = (uint8_t)kind;
    r.opcode = (uint8_t)opcode;
    return r;
}

static void wait_frame(void)
{
    for (int i = 0; i < 1000 && EMPTY(t.frame); i++)
        step();
}

/** The fields that an opcode uses; all others are sent as 0. [spec 3.3.5] */
static struct ref_data data_of(const struct pkt *p)
{
    static const struct {
        bool addr, key, imm, match;
    } uses[11] = {
        [MR_OP_WRITE] = {1, 1, 0, 0},    [MR_OP_WRITE_IMM] = {1, 1, 1, 1}, [MR_OP_SEND] = {0, 0, 0, 1},
        [MR_OP_SEND_IMM] = {0, 0, 1, 1}, [MR_OP_SEND_INV] = {0, 0, 1, 1},  [MR_OP_READ] = {1, 1, 0, 0},
        [MR_OP_READ_RSP] = {1, 0, 1, 0}, [MR_OP_ATOMIC_RSP] = {1, 0, 1, 0},
    };
    unsigned op = (unsigned)p->opcode;

    return (struct ref_data){
        .stream = (uint32_t)p->peer, .msg = p->msg, .offset = p->offset, .msg_len = p->msg_len,
        .pay_len = op == MR_OP_NULL ? 0 : (unsigned)p->len, .addr = uses[op].addr ? p->raddr : 0,
        .key = uses[op].key ? p->rkey : 0, .imm = uses[op].imm ? p->imm : 0,
        .match = uses[op].match ? p->match : 0,
    };
}

/** An atomic's extension, byte by byte. [spec 3.7.1] */
static void set_atomic(struct ref *r, const struct pkt *p)
{
    memset(r->ext, 0, sizeof r->ext);
    r->ext_len = 40;
    put24(r->ext, (uint32_t)p->peer);
    put32(r->ext + 4, p->msg);
    put32(r->ext + 8, (uint32_t)(p->laddr >> 32));
    put32(r->ext + 12, (uint32_t)p->laddr);
    put32(r->ext + 16, p->lkey);
    put32(r->ext + 20, (uint32_t)(p->raddr >> 32));
    put32(r->ext + 24, (uint32_t)p->raddr);
    put32(r->ext + 28, p->rkey);
    put32(r->ext + 32, p->imm);
}

static void hdr__data(void)
{
    static uint8_t pay[4096];
    begin(40);
    for (int i = 0; i < 3000; i++) {
        unsigned c = below(CONNS), path = below(8);
        struct pkt p = {
            .conn = (u(16))t.index[c], .path = (u(7))path, .via = (u(16))(t.index[c] * MR_GROUP + path), .psn = (u(24))rnd(), .ts = rnd(),
            .stream = (u(16))rnd(), .peer = (u(24))rnd(), .pd = (u(16))rnd(), .msg = rnd(), .offset = rnd(),
            .msg_len = rnd(), .len = (u(13))below(4097), .opcode = (u(8))below(11), .flags = (u(8))rnd(),
            .raddr = (uint64_t)rnd() << 32 | rnd(), .rkey = rnd(), .imm = rnd(),
            .laddr = (uint64_t)rnd() << 32 | rnd(), .lkey = rnd(), .match = rnd(),
        };
        bool atomic = p.opcode == MR_OP_CMP_SWAP || p.opcode == MR_OP_FETCH_ADD;
        if (atomic)
            p.len = 0;
        struct ref r = frame_of(c, path, (uint32_t)p.psn, p.ts, 1, (unsigned)p.opcode);
        struct ref_data d = data_of(&p);
        if (atomic)
            set_atomic(&r, &p);
        else
            ref_set_data(&r, &d);
        r.flags = (uint8_t)p.flags;
        r.pay = pay;
        r.pay_len = atomic ? 0 : d.pay_len;
        PUSH(t.data, p);
        wait_frame();
        expect(&r, p.laddr, (unsigned)p.stream, p.msg);
    }
    MUST(t.k.cnt_tx_frames == 3000 && t.k.cnt_tx_acks + t.k.cnt_tx_probes + t.k.cnt_tx_errors == 0);
}

static void hdr__ack_error_probe(void)
{
    begin(40);
    for (int i = 0; i < 2000; i++) {
        unsigned c = below(CONNS), path = below(8);
        uint32_t psn = rnd() & 0xffffff;
        struct ref r;
        uint8_t bits[32];
        switch (below(3)) {
        case 0: {
            rnd_fill(bits, 32);
            struct ack a = {.conn = (u(16))t.index[c], .path = (u(7))path, .sport = t.sport[c][path], .psn = (u(24))psn, .ts = rnd(),
                            .edge = (u(16))rnd(), .ce = (u(16))rnd(), .hint = rnd(), .delay = (u(16))rnd()};
            a.bits = (u(256))beat_of(bits, 32);
            r = frame_of(c, path, psn, a.ts, 2, 0);
            r.ext_len = 42;
            put16(r.ext, (uint32_t)a.edge);
            put16(r.ext + 2, (uint32_t)a.ce);
            put32(r.ext + 4, a.hint);
            put16(r.ext + 8, (uint32_t)a.delay);
            for (int b = 0; b < 32; b++)
                r.ext[10 + b] = bits[31 - b];
            PUSH(t.ack, a);
            break;
        }
        case 1: {
            struct err_note e = {.conn = (u(16))t.index[c], .path = (u(7))path, .sport = t.sport[c][path], .psn = (u(24))psn,
                                 .ts = rnd(), .code = (u(8))rnd(), .stream = (u(24))rnd(), .msg = rnd(), .offset = rnd()};
            r = frame_of(c, path, psn, e.ts, 5, 0);
            r.ext_len = 12;
            r.ext[0] = (uint8_t)e.code;
            put24(r.ext + 1, (uint32_t)e.stream);
            put32(r.ext + 4, e.msg);
            put32(r.ext + 8, e.offset);
            PUSH(t.err, e);
            break;
        }
        default:
            r = frame_of(c, path, psn, rnd(), 3, 1);
            PUSH(t.data, (struct pkt){.conn = (u(16))t.index[c], .path = (u(7))path, .via = (u(16))(t.index[c] * MR_GROUP + path), .psn = (u(24))psn, .ts = r.ts, .ctl = PKT_PROBE});
            break;
        }
        wait_frame();
        expect(&r, 0, 0, 0);
    }
    MUST(t.k.cnt_tx_frames == 2000 && t.k.cnt_tx_acks + t.k.cnt_tx_probes + t.k.cnt_tx_errors == 2000);
    MUST(t.k.cnt_tx_acks > 500 && t.k.cnt_tx_probes > 500 && t.k.cnt_tx_errors > 500);
}

static unsigned kind_out(void)
{
    wait_frame();
    MUST(!EMPTY(t.frame));
    struct tx_frame f = HEAD(t.frame);
    POP(t.frame);
    unsigned l4 = (unsigned)f.l3_at + (f.ipv6 ? 40 : 20) + 8;
    return (unsigned)(u(4))(f.hdr >> 8 * l4);
}

static void hdr__order(void)
{
    begin(0);
    u(16) c = (u(16))t.index[2];
    for (int i = 0; i < 3; i++) {
        PUSH(t.data, (struct pkt){.conn = c});
        PUSH(t.ack, (struct ack){.conn = c});
        PUSH(t.err, (struct err_note){.conn = c});
    }
    static const unsigned want[] = {5, 1, 5, 1, 5, 1, 2, 2, 2};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        MUST(kind_out() == want[i]);
    // acknowledgments without end do not starve data
    unsigned data = 0;
    for (int i = 0; i < 40; i++) {
        while (!FULL(t.ack))
            PUSH(t.ack, (struct ack){.conn = c});
        if (EMPTY(t.data))
            PUSH(t.data, (struct pkt){.conn = c});
        data += kind_out() == 1;
    }
    MUST(data >= 19);
}

static void hdr__free_connection(void)
{
    begin(0);
    u(16) c = (u(16))t.index[2];
    configure(1, t.index[2], conn_entry(&t.conn[2], 0));
    PUSH(t.data, (struct pkt){.conn = c, .len = 100, .opcode = 1});
    PUSH(t.ack, (struct ack){.conn = c});
    PUSH(t.data, (struct pkt){.conn = (u(16))t.index[1], .ctl = PKT_PROBE});
    MUST(kind_out() == 3);
    for (int i = 0; i < 50; i++)
        step();
    MUST(EMPTY(t.frame) && EMPTY(t.rd) && EMPTY(t.data) && EMPTY(t.ack));
    MUST(t.k.cnt_tx_frames == 1 && t.k.cnt_tx_acks == 0);
}

/** Every value of one word: all carries of the IPv4 checksum. */
static void hdr__checksum_carries(void)
{
    begin(0);
    for (unsigned word = 0; word < 0x10000; word++) {
        put16(t.conn[0].saddr + 14, word);
        PUSH(t.cfg, (struct cfg_write){.table = 1, .index = (u(16))t.index[0], .bits = conn_entry(&t.conn[0], 1)});
        PUSH(t.data, (struct pkt){.conn = (u(16))t.index[0], .via = (u(16))(t.index[0] * MR_GROUP), .ctl = PKT_PROBE});
        wait_frame();
        struct ref r = frame_of(0, 0, 0, 0, 3, 1);
        expect(&r, 0, 0, 0);
    }
}

/** Data waits while too many beats are under way; acknowledgments do not. */
static void hdr__reads_bounded(void)
{
    begin(0);
    t.host_stops = true;
    u(16) c = (u(16))t.index[1];
    unsigned asked = 0, frames = 0;
    for (int i = 0; i < 1000; i++) {
        if (!FULL(t.data))
            PUSH(t.data, (struct pkt){.conn = c, .opcode = 1, .len = 4096, .laddr = 1});
        step();
        while (!EMPTY(t.frame)) {
            POP(t.frame);
            POP(t.rd);
            asked += 65;
            frames++;
        }
    }
    MUST(asked >= TX_HDR_READ_BEATS && asked < TX_HDR_READ_BEATS + 65 && t.k.rd_asked - t.k.rd_taken == asked);
    PUSH(t.ack, (struct ack){.conn = c});
    MUST(kind_out() == 2);
    t.host_stops = false;
    MUST(kind_out() == 1 && frames == t.k.cnt_tx_frames - 2);
}

/** New source ports hold for whatever stands behind them, however close. */
static void hdr__port_holds_at_once(void)
{
    for (unsigned pause = 0; pause <= 40; pause += 40) {
        begin(pause);
        struct ref want[4];
        for (int i = 0; i < 2000; i++) {
            unsigned frames = 0, c = below(2);
            for (unsigned j = 0; j < DEPTH(t.data); j++) {
                unsigned path = below(2);
                struct pkt p = {.conn = (u(16))t.index[c], .path = (u(7))path,
                    .via = (u(16))(t.index[c] * MR_GROUP + path), .psn = (u(24))j, .ts = rnd(),
                    .ctl = below(3) == 0 ? PKT_PORT : PKT_PROBE};
                if (p.ctl == PKT_PORT || below(2) == 0)
                    p.port = (u(16))(rnd() | 1);
                if (p.port != 0)
                    t.sport[c][path] = (uint16_t)p.port;
                if (p.ctl == PKT_PROBE)
                    want[frames++] = frame_of(c, path, j, p.ts, 3, 1);
                PUSH(t.data, p);
            }
            for (unsigned j = 0; j < frames; j++) {
                wait_frame();
                expect(&want[j], 0, 0, 0);
            }
            for (int j = 0; j < 20 || !EMPTY(t.data); j++)
                step();
            MUST(EMPTY(t.frame));
        }
    }
}

static void hdr__frame_per_step(void)
{
    begin(0);
    u(16) c = (u(16))t.index[3];
    for (int i = 0; i < 1000; i++) {
        if (!FULL(t.ack))
            PUSH(t.ack, (struct ack){.conn = c});
        if (!FULL(t.data))
            PUSH(t.data, (struct pkt){.conn = c, .opcode = 1, .len = 256, .laddr = 1});
        step();
        while (!EMPTY(t.frame))
            POP(t.frame);
        while (!EMPTY(t.rd))
            POP(t.rd);
    }
    MUST(t.k.cnt_tx_frames >= 990 && t.k.cnt_tx_acks >= 490 && t.k.cnt_tx_acks <= 500);
}

CU_TestInfo tests_tx_hdr[] = {
    {"hdr__data", hdr__data},
    {"hdr__ack_error_probe", hdr__ack_error_probe},
    {"hdr__checksum_carries", hdr__checksum_carries},
    {"hdr__order", hdr__order},
    {"hdr__port_holds_at_once", hdr__port_holds_at_once},
    {"hdr__frame_per_step", hdr__frame_per_step},
    {"hdr__reads_bounded", hdr__reads_bounded},
    {"hdr__free_connection", hdr__free_connection},
    CU_TEST_INFO_NULL,
};
