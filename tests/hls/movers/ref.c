// SPDX-License-Identifier: BSD-2-Clause
#include "ref.h"

#include <string.h>
#include <zlib.h>

#include "bench.h"

void put16(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

void put24(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 16);
    put16(p + 1, v);
}

void put32(uint8_t *p, uint32_t v)
{
    put16(p, v >> 16);
    put16(p + 2, v);
}

uint32_t get16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

unsigned ref_l3(const uint8_t *f)
{
    return get16(f + 12) == 0x8100 ? 18 : 14;
}

unsigned ref_l4(const uint8_t *f)
{
    unsigned l3 = ref_l3(f);
    return l3 + (get16(f + l3 - 2) == 0x86dd ? 40 : 20);
}

void ref_ip_sum(uint8_t *f)
{
    uint8_t *ip = f + ref_l3(f);
    uint32_t sum = 0;
    put16(ip + 10, 0);
    for (int i = 0; i < 20; i += 2)
        sum += get16(ip + i);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    put16(ip + 10, ~sum & 0xffff);
}

/* What may change on the way is taken as ones. */
void ref_seal(uint8_t *f, unsigned len)
{
    static uint8_t c[REF_MAX];
    unsigned l3 = ref_l3(f);
    memcpy(c, f, len);
    if (get16(f + l3 - 2) == 0x86dd) {
        c[l3] |= 0x0f;
        c[l3 + 1] = c[l3 + 2] = c[l3 + 3] = 0xff;
        c[l3 + 7] = 0xff;
        c[l3 + 40 + 6] = c[l3 + 40 + 7] = 0xff;
    } else {
        c[l3 + 1] = 0xff;
        c[l3 + 8] = 0xff;
        c[l3 + 10] = c[l3 + 11] = 0xff;
        c[l3 + 20 + 6] = c[l3 + 20 + 7] = 0xff;
    }
    unsigned long v = crc32(crc32(0, nullptr, 0), c + l3, len - 4 - l3);
    for (int i = 0; i < 4; i++)
        f[len - 4 + (unsigned)i] = (uint8_t)(v >> 8 * i);
}

unsigned ref_build(const struct ref *r, uint8_t *f)
{
    uint8_t *p = f;
    unsigned udp_len = 8 + 16 + r->ext_len + r->pay_len + 4;
    memcpy(p, r->dmac, 6);
    memcpy(p + 6, r->smac, 6);
    p += 12;
    if (r->vlan) {
        put16(p, 0x8100);
        put16(p + 2, r->tci);
        p += 4;
    }
    put16(p, r->ipv6 ? 0x86dd : 0x0800);
    p += 2;
    if (r->ipv6) {
        put32(p, 6u << 28 | (uint32_t)r->tos << 20 | (r->flow & 0xfffff));
        put16(p + 4, udp_len);
        p[6] = 17;
        p[7] = r->ttl;
        memcpy(p + 8, r->saddr, 16);
        memcpy(p + 24, r->daddr, 16);
        p += 40;
    } else {
        p[0] = 0x45;
        p[1] = r->tos;
        put16(p + 2, udp_len + 20);
        put16(p + 4, r->ip_id);
        put16(p + 6, r->ip_frag);
        p[8] = r->ttl;
        p[9] = 17;
        memcpy(p + 12, r->saddr + 12, 4);
        memcpy(p + 16, r->daddr + 12, 4);
        ref_ip_sum(f);
        p += 20;
    }
    put16(p, r->sport);
    put16(p + 2, 49791);
    put16(p + 4, udp_len);
    put16(p + 6, r->udp_sum);
    p += 8;
    p[0] = (uint8_t)(r->version << 4 | r->kind);
    p[1] = r->opcode;
    p[2] = r->flags;
    p[3] = r->epoch;
    put24(p + 4, r->conn);
    p[7] = r->path;
    put24(p + 8, r->psn);
    p[11] = 0;
    put32(p + 12, r->ts);
    p += 16;
    memcpy(p, r->ext, r->ext_len);
    p += r->ext_len;
    if (r->pay_len != 0)
        memcpy(p, r->pay, r->pay_len);
    p += r->pay_len + 4;
    unsigned len = (unsigned)(p - f);
    ref_seal(f, len);
    return len;
}

void ref_random(struct ref *r)
{
    rnd_fill(r, sizeof *r);
    uint32_t bits = rnd();
    r->vlan = bits & 1;
    r->ipv6 = bits & 2;
    r->version = 1;
    r->kind = 3;
    r->opcode = 1;
    r->ext_len = 0;
    r->pay = nullptr;
    r->pay_len = 0;
    r->ip_frag = bits & 4 ? 0x4000 : 0;
    r->conn &= 0xffffff;
    r->psn &= 0xffffff;
    if (!r->ipv6) {
        memset(r->saddr, 0, 12);
        memset(r->daddr, 0, 12);
    }
}

void ref_set_data(struct ref *r, const struct ref_data *d)
{
    uint8_t *p = r->ext;
    r->kind = 1;
    r->ext_len = 40;
    memset(p, 0, 40);
    put24(p, d->stream);
    put32(p + 4, d->msg);
    put32(p + 8, d->offset);
    put32(p + 12, d->msg_len);
    put16(p + 16, d->pay_len);
    put32(p + 20, (uint32_t)(d->addr >> 32));
    put32(p + 24, (uint32_t)d->addr);
    put32(p + 28, d->key);
    put32(p + 32, d->imm);
    put32(p + 36, d->match);
}

void ref_random_data(struct ref *r, const uint8_t *pay, unsigned pay_len)
{
    struct ref_data d;
    rnd_fill(&d, sizeof d);
    d.stream &= 0xffffff;
    d.pay_len = pay_len;
    ref_set_data(r, &d);
    r->pay = pay;
    r->pay_len = pay_len;
}
