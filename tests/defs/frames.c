// SPDX-License-Identifier: BSD-2-Clause
#include "frames.h"

#include "mr_defs.h"

#include <string.h>

uint32_t frame_crc(uint32_t crc, const void *p, size_t n)
{
    const uint8_t *b = p;
    crc = ~crc;
    for (size_t i = 0; i < n; i++) {
        crc ^= b[i];
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    return ~crc;
}

/* [spec 3.8.3] what may change on the way counts as ones */
uint32_t frame_icrc(const struct frame *f)
{
    uint8_t m[FRAME_MAX];
    size_t n = f->n - f->ip, udp;
    memcpy(m, f->b + f->ip, n);
    if (m[0] >> 4 == 4) {
        m[1] = 0xff;               // DSCP, ECN
        m[8] = 0xff;               // TTL
        m[10] = m[11] = 0xff;      // header checksum
        udp = 20;
    } else {
        m[0] |= 0x0f;              // traffic class, flow label
        m[1] = m[2] = m[3] = 0xff;
        m[7] = 0xff;               // hop limit
        udp = 40;
    }
    m[udp + 6] = m[udp + 7] = 0xff;  // UDP checksum
    return frame_crc(0, m, n);
}

static void put(struct frame *f, const void *p, size_t n)
{
    memcpy(f->b + f->n, p, n);
    f->n += n;
}

static void put16(struct frame *f, unsigned v)
{
    put(f, (uint8_t[]){(uint8_t)(v >> 8), (uint8_t)v}, 2);
}

static void ethernet(struct frame *f, const char *name, bool v6, bool vlan)
{
    static const uint8_t dmac[6] = {2, 0, 0, 0, 0, 2}, smac[6] = {2, 0, 0, 0, 0, 1};
    memset(f, 0, sizeof *f);
    f->name = name;
    put(f, dmac, 6);
    put(f, smac, 6);
    if (vlan) {
        put16(f, 0x8100);
        put16(f, 0x6064);  // priority 3, VLAN 100
    }
    put16(f, v6 ? 0x86dd : 0x0800);
    f->ip = f->n;
}

static void ipv4(struct frame *f, unsigned udp_len, unsigned ecn)
{
    uint8_t h[20] = {0x45, (uint8_t)(0x68 | ecn), 0, 0, 0, 0, 0x40, 0, 64, 17, 0, 0,
                     10, 0, 0, 1, 10, 0, 0, 2};
    h[2] = (uint8_t)((udp_len + 20) >> 8);
    h[3] = (uint8_t)(udp_len + 20);
    unsigned sum = 0;
    for (int i = 0; i < 20; i += 2)
        sum += (unsigned)h[i] << 8 | h[i + 1];
    sum = (sum & 0xffff) + (sum >> 16);
    sum = ~((sum & 0xffff) + (sum >> 16));
    h[10] = (uint8_t)(sum >> 8);
    h[11] = (uint8_t)sum;
    put(f, h, 20);
}

static void ipv6(struct frame *f, unsigned udp_len, unsigned ecn)
{
    uint8_t h[40] = {0x66, (uint8_t)(0x80 | ecn << 4), 0, 0, 0, 0, 17, 64,
                     0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
                     0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};
    h[4] = (uint8_t)(udp_len >> 8);
    h[5] = (uint8_t)udp_len;
    put(f, h, 40);
}

struct parts {
    const char *name;
    bool v6, vlan;
    unsigned sport;
    struct mr_base base;
    uint8_t ext[MR_SETUP_BYTES];
    size_t ext_n;
    uint8_t pay[64];
    size_t pay_n;
};

static void build(struct frame *f, const struct parts *p)
{
    const unsigned ecn = 2;  // ECT(0) [spec 2.6.1]
    unsigned len = (unsigned)(8 + MR_BASE_BYTES + p->ext_n + p->pay_n + MR_WIRE_ICRC_BYTES);
    ethernet(f, p->name, p->v6, p->vlan);
    (p->v6 ? ipv6 : ipv4)(f, len, ecn);
    put16(f, p->sport);
    put16(f, MR_WIRE_UDP_PORT);
    put16(f, len);
    put16(f, 0);
    struct mr_base base = p->base;
    base.version = MR_WIRE_VERSION;
    mr_base_put(f->b + f->n, base);
    f->n += MR_BASE_BYTES;
    put(f, p->ext, p->ext_n);
    put(f, p->pay, p->pay_n);
    uint32_t c = frame_icrc(f);
    put(f, (uint8_t[]){(uint8_t)c, (uint8_t)(c >> 8), (uint8_t)(c >> 16), (uint8_t)(c >> 24)}, 4);
}

static void example_write(struct parts *p)
{
    p->name = "write-ipv4";
    p->sport = 49155;
    p->base = (struct mr_base){.kind = MR_KIND_DATA, .opcode = MR_OP_WRITE, .flags = MR_FLAG_LAST,
                               .conn = 0x010005, .path = 3, .psn = 17, .ts = 0x00012345};
    p->ext_n = MR_DATA_BYTES;
    p->pay_n = 13;
    memcpy(p->pay, "Hello, fabric", 13);
    mr_data_put(p->ext, (struct mr_data){.stream = 7, .msg = 2, .msg_len = 13, .pay_len = 13,
                                         .addr = 0x00007f0000001003, .key = 0x00000a5c});
}

static void example_ack(struct parts *p)
{
    /* 0 to 15 and 17 have arrived, 16 is missing. */
    p->name = "ack-ipv4";
    p->sport = 50003;
    p->base = (struct mr_base){.kind = MR_KIND_ACK, .conn = 0x010009, .path = 3, .psn = 16,
                               .ts = 0x00012345};
    p->ext_n = MR_ACK_BYTES;
    mr_ack_put(p->ext, (struct mr_ack){.edge = 18, .ce = 1, .hint = 25000, .delay = 120,
                                       .bits = (unsigned _BitInt(256))1 << 17});
}

static void example_probe(struct parts *p)
{
    p->name = "probe-ipv4";
    p->sport = 49155;
    p->base = (struct mr_base){.kind = MR_KIND_PATH, .opcode = MR_PATHOP_PROBE, .conn = 0x010005,
                               .path = 3, .psn = 18, .ts = 0x00019000};
}

static void example_atomic(struct parts *p)
{
    p->name = "fetch-add-ipv6-vlan";
    p->v6 = p->vlan = true;
    p->sport = 49152;
    p->base = (struct mr_base){.kind = MR_KIND_DATA, .opcode = MR_OP_FETCH_ADD,
                               .flags = MR_FLAG_LAST | MR_FLAG_RESENT, .conn = 0x010005,
                               .psn = 0xffffff, .ts = 0xfffffffe};
    p->ext_n = MR_ATOMIC_BYTES;
    mr_atomic_put(p->ext, (struct mr_atomic){.stream = 7, .msg = 0xffffffff, .compare = 1, .addr = 0x1000,
                                             .key = 0x0b01});
}

static void example_error(struct parts *p)
{
    p->name = "error-ipv6";
    p->v6 = true;
    p->sport = 50003;
    p->base = (struct mr_base){.kind = MR_KIND_ERROR, .conn = 0x010009, .path = 3, .psn = 17,
                               .ts = 0x00012345};
    p->ext_n = MR_ERROR_BYTES;
    mr_error_put(p->ext, (struct mr_error){.code = MR_ERR_REMOTE_BOUNDS, .stream = 11, .msg = 2});
}

static void example_null(struct parts *p)
{
    p->name = "null-ipv4";
    p->sport = 49155;
    p->base = (struct mr_base){.kind = MR_KIND_DATA, .opcode = MR_OP_NULL,
                               .flags = MR_FLAG_RESENT, .conn = 0x010005, .path = 3, .psn = 17,
                               .ts = 0x00023456};
    p->ext_n = MR_DATA_BYTES;
}

const struct frame *frame_example(unsigned i)
{
    static void (*const make[])(struct parts *) = {example_write, example_ack,   example_probe,
                                                   example_null,  example_error, example_atomic};
    static struct frame f;
    if (i >= sizeof make / sizeof *make)
        return NULL;
    struct parts p = {};
    make[i](&p);
    build(&f, &p);
    return &f;
}

static size_t bytes_of(const char *layout)
{
#define MR_FIELD(l, name, bits, text)
#define MR_END(l)
#define MR_LAYOUT(l, order, bytes, text)                                                           \
    if (strcmp(layout, #l) == 0)                                                                   \
        return bytes;
#include "wire.def"
    return 0;
}

#define MR_PACKET(kind, group, opcode, ext, payload)                                               \
    {MR_KIND_##kind, MR_##group##_##opcode, #kind " " #opcode, #ext, #payload},
static const struct {
    unsigned kind, opcode;
    const char *name, *ext, *payload;
} rows[] = {
#include "packets.def"
};

const struct frame *frame_of_packet(unsigned i)
{
    static struct frame f;
    if (i >= sizeof rows / sizeof *rows)
        return NULL;
    struct parts p = {.name = rows[i].name, .v6 = i % 2, .vlan = i % 2, .sport = 49152 + i};
    p.base = (struct mr_base){.kind = (unsigned _BitInt(4))rows[i].kind,
                              .opcode = (unsigned _BitInt(8))rows[i].opcode,
                              .flags = MR_FLAG_LAST, .conn = 0x020001, .path = 1, .psn = 1000 + i,
                              .ts = 5000 + i};
    p.ext_n = bytes_of(rows[i].ext);
    if (strcmp(rows[i].payload, "bytes") == 0)
        p.pay_n = 37;
    else
        p.pay_n = bytes_of(rows[i].payload);
    for (size_t k = 0; k < sizeof p.pay; k++)
        p.pay[k] = (uint8_t)k;
    if (p.base.kind == MR_KIND_DATA)
        mr_data_put(p.ext, (struct mr_data){.stream = 3, .msg = i, .msg_len = p.pay_n,
                                            .pay_len = (unsigned _BitInt(16))p.pay_n,
                                            .addr = 0x1000});
    build(&f, &p);
    return &f;
}

void frames_print(FILE *o)
{
    const struct frame *f;
    for (unsigned i = 0; (f = frame_example(i)) != NULL; i++) {
        fprintf(o, "```frame %s\n", f->name);
        for (size_t k = 0; k < f->n; k++)
            fprintf(o, "%02x%c", f->b[k], k % 16 == 15 || k + 1 == f->n ? '\n' : ' ');
        fputs("```\n\n", o);
    }
}
