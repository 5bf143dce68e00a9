// SPDX-License-Identifier: BSD-2-Clause
#include "gbn.h"

#include <string.h>

enum {
    PAYLOAD = 4096,
    FRAME = PAYLOAD + 102,  // as many bytes as ours, so that the line's share is the same
    ANSWER = 122,           // and the answers as long as our acknowledgments
    SEQ_AT = 42,
    PORT = 0xc000,
    PROTO_UDP = 17,
};

enum answer { ACK = 1, NAK };

struct gbn {
    const struct gbn_cfg *cfg;
    struct gbn_result *out;
    struct sim_link *link;
    uint64_t now_ps;
    // sender
    uint64_t busy_ps;   // the wire is taken until then
    uint64_t heard_ps;  // last news
    uint32_t base;
    uint32_t next;
    // receiver
    uint64_t answer_ps;
    uint32_t want;
    bool told;          // what is missing
};

/** As much of IPv4 and UDP as the fabric reads, and a number. */
static void frame(const struct sim_link *l, uint8_t *f, size_t len, uint32_t src, uint32_t seq, uint8_t kind)
{
    const struct sim_addr *a = sim_link_addr((struct sim_link *)l, src);
    const struct sim_addr *b = sim_link_addr((struct sim_link *)l, !src);

    memset(f, 0, len);
    memcpy(f, b->mac, 6);
    memcpy(f + 6, a->mac, 6);
    f[12] = 8;
    f[14] = 0x45;
    f[15] = 2;  // can do ECN
    f[23] = PROTO_UDP;
    memcpy(f + 26, a->ip4, 4);
    memcpy(f + 30, b->ip4, 4);
    f[34] = PORT >> 8;
    f[35] = PORT & 0xff;
    memcpy(f + SEQ_AT, &seq, 4);
    f[SEQ_AT + 4] = kind;
}

static uint64_t wire_ps(const struct gbn *g, size_t len)
{
    return (len + SIM_WIRE_EXTRA) * 8'000'000'000'000u / g->cfg->link.rate;
}

static void send(struct gbn *g, uint32_t src, uint64_t *busy_ps, size_t len, uint32_t seq, uint8_t kind)
{
    uint8_t f[FRAME];

    frame(g->link, f, len, src, seq, kind);
    // one that was ready begins when the wire is free, between two cycles
    if (*busy_ps + SIM_CYCLE_PS < g->now_ps)
        *busy_ps = g->now_ps;
    *busy_ps += wire_ps(g, len);
    sim_link_send(g->link, src, *busy_ps, f, len);
}

static void data_in(struct gbn *g, uint32_t seq)
{
    if (seq == g->want) {
        g->want++;
        g->told = false;
        g->out->taken++;
        if (g->now_ps / 1000 >= g->cfg->warm_ns)
            g->out->bytes += PAYLOAD;
        send(g, 1, &g->answer_ps, ANSWER, g->want, ACK);
    } else if ((int32_t)(seq - g->want) > 0 && !g->told) {
        g->told = true;
        send(g, 1, &g->answer_ps, ANSWER, g->want, NAK);
    } else if ((int32_t)(seq - g->want) < 0) {
        send(g, 1, &g->answer_ps, ANSWER, g->want, ACK);  // a lost acknowledgment made it come again
    }
}

static void answer_in(struct gbn *g, uint32_t seq, uint8_t kind)
{
    if ((int32_t)(seq - g->base) < 0)
        return;
    g->base = seq;
    g->heard_ps = g->now_ps;
    if ((int32_t)(g->next - seq) < 0)
        g->next = seq;
    if (kind == NAK) {
        g->next = seq;
        g->out->backs++;
    }
}

/** The last beat of a frame has come: this is when an endpoint looks at it. */
static void take(struct gbn *g, uint32_t nic, const uint8_t *f)
{
    uint32_t seq;

    memcpy(&seq, f + SEQ_AT, 4);
    if (nic == 1)
        data_in(g, seq);
    else
        answer_in(g, seq, f[SEQ_AT + 4]);
}

static void sender(struct gbn *g)
{
    uint64_t timeout = g->cfg->timeout_ns ? g->cfg->timeout_ns : 8 * g->cfg->link.lane.delay_ns;

    if (g->base != g->next && g->now_ps - g->heard_ps > timeout * 1000) {
        g->next = g->base;
        g->heard_ps = g->now_ps;
        g->out->timeouts++;
    }
    if (g->busy_ps > g->now_ps || g->next - g->base >= g->out->window)
        return;
    if (g->base == g->next)
        g->heard_ps = g->now_ps;
    send(g, 0, &g->busy_ps, FRAME, g->next++, 0);
    g->out->sent++;
}

struct port {
    size_t at;
    uint8_t f[FRAME];
};

static void port_in(struct gbn *g, uint32_t nic, struct port *p, const struct sim_beat *b)
{
    if (p->at + b->n <= sizeof p->f)
        memcpy(p->f + p->at, b->data, b->n);
    p->at += b->n;
    if (!b->last)
        return;
    if (!b->err)
        take(g, nic, p->f);
    p->at = 0;
}

/** Packets that keep the line full over an undisturbed round trip: out, back, and what frame and answer take to send, twice each. */
static uint32_t window(const struct gbn *g)
{
    uint64_t ps = 2 * g->cfg->link.lane.delay_ns * 1000 + 2 * wire_ps(g, FRAME) + 2 * wire_ps(g, ANSWER);

    return (uint32_t)(ps / wire_ps(g, FRAME) + 2);
}

bool gbn_run(const struct gbn_cfg *cfg, struct gbn_result *out)
{
    struct gbn g = {.cfg = cfg, .out = out, .link = sim_link_new(&cfg->link)};
    struct port port[2] = {};
    struct sim_io io = {.rx_ready = true};

    *out = (struct gbn_result){};
    if (!g.link || cfg->link.nics != 2) {
        sim_link_free(g.link);
        return false;
    }
    out->window = window(&g);
    for (; g.now_ps < (cfg->warm_ns + cfg->window_ns) * 1000; g.now_ps += SIM_CYCLE_PS) {
        sim_link_sync(g.link);
        sender(&g);
        for (uint32_t nic = 0; nic < 2; nic++) {
            sim_link_drive(g.link, nic, g.now_ps, &io);
            if (io.rx_valid)
                port_in(&g, nic, &port[nic], &io.rx);
            sim_link_take(g.link, nic, g.now_ps, &io);
        }
    }
    sim_link_free(g.link);
    return true;
}
