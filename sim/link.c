// SPDX-License-Identifier: BSD-2-Clause
/*
 * link.c - ports and taps. lane.c has the lanes and the egress queues.
 */
#include "link.h"

#include <stdlib.h>
#include <string.h>

#include "lane.h"

#define MAC_FIFO_BYTES 512 // the sending MAC's: how far a NIC may run ahead of the wire

struct sim_link_cfg sim_link_defaults(void)
{
    return (struct sim_link_cfg){
        .nics = 2,
        .routes = 4,
        .planes = 1,
        .seed = 1,
        .rate = 100'000'000'000,
        .queue = 1 << 20,
        .ecn = 100 << 10,
        .fifo = 64 << 10,
        .lane = {.delay_ns = 1000, .queue = 1 << 20},
    };
}

static void addr_default(struct sim_addr *a, uint32_t nic, uint32_t planes)
{
    uint8_t n = (uint8_t)(nic + 1);
    uint32_t mac = planes > 1 ? n * SIM_PLANES_MAX : n; // room for a plane's number
    *a = (struct sim_addr){
        .mac = {2, 0, 0, 0, (uint8_t)(mac >> 8), (uint8_t)mac},
        .ip4 = {10, 0, 0, n},
        .ip6 = {0xfd, [15] = n},
    };
}

struct sim_link *sim_link_new(const struct sim_link_cfg *cfg)
{
    if (cfg->nics < 1 || cfg->nics > SIM_NICS_MAX || cfg->routes < 1 ||
        cfg->routes > SIM_ROUTES_MAX || cfg->planes < 1 || cfg->planes > SIM_PLANES_MAX ||
        cfg->routes % cfg->planes || cfg->rate < 1'000'000 || cfg->lane.holes > SIM_HOLES_MAX)
        return nullptr;
    struct sim_link *l = calloc(1, sizeof *l);
    if (!l)
        return nullptr;
    l->cfg = *cfg;
    l->lane = calloc((size_t)cfg->nics * cfg->nics * cfg->routes, sizeof *l->lane);
    if (!l->lane) {
        free(l);
        return nullptr;
    }
    for (uint32_t s = 0; s < cfg->nics; s++) {
        addr_default(&l->addr[s], s, cfg->planes);
        for (uint32_t d = 0; d < cfg->nics; d++)
            for (uint32_t r = 0; r < cfg->routes; r++)
                sim_lane_init(sim_lane(l, s, d, r), cfg, s, d, r);
    }
    return l;
}

void sim_link_free(struct sim_link *l)
{
    if (!l)
        return;
    for (uint32_t i = 0; i < l->cfg.nics; i++)
        sim_port_fini(&l->port[i]);
    free(l->lane);
    free(l);
}

struct sim_lane_cfg *sim_link_lane(struct sim_link *l, uint32_t src, uint32_t dst, uint32_t route)
{
    return &sim_lane(l, src, dst, route)->cfg;
}

struct sim_addr *sim_link_addr(struct sim_link *l, uint32_t nic)
{
    return &l->addr[nic];
}

void sim_link_tap(struct sim_link *l, sim_tap *fn, void *ctx, bool tx, bool rx)
{
    l->tap = fn;
    l->tap_ctx = ctx;
    l->tap_tx = fn && tx;
    l->tap_rx = fn && rx;
}

uint32_t sim_link_pick(const struct sim_link *l, const struct sim_frame_info *i, uint32_t plane)
{
    uint32_t routes = l->cfg.routes / l->cfg.planes;
    return plane * routes + sim_frame_hash(i) % routes;
}

uint32_t sim_link_route(const struct sim_link *l, const uint8_t *f, size_t len)
{
    struct sim_frame_info i = sim_frame_parse(f, len);
    int plane = -1;
    for (uint32_t d = 0; d < l->cfg.nics && plane < 0; d++)
        plane = sim_frame_to(f, &i, &l->addr[d], l->cfg.planes);
    return sim_link_pick(l, &i, plane < 0 ? 0 : (uint32_t)plane);
}

/** Copies a frame into a port's outbox for the tap, SIM_DST_TAP_*. */
static void tap_put(struct sim_link *l, uint32_t nic, uint32_t at, uint64_t ps, const uint8_t *f, size_t len)
{
    struct sim_frame *t = sim_frame_new(f, len);
    if (!t)
        return;
    t->dst = at;
    t->ps = ps;
    t->sent_ps = ps;
    sim_port_out(l, nic, t);
}

void sim_link_send(struct sim_link *l, uint32_t src, uint64_t ps, const uint8_t *f, size_t len)
{
    struct sim_port *p = &l->port[src];
    struct sim_frame_info info = sim_frame_parse(f, len);
    bool any = false;
    p->stats.tx_frames++;
    p->stats.tx_bytes += len;
    if (l->tap_tx)
        tap_put(l, src, SIM_DST_TAP_TX, ps, f, len);
    for (uint32_t d = 0; d < l->cfg.nics; d++) {
        bool flood = !info.version && (f[0] & 1);
        int plane = sim_frame_to(f, &info, &l->addr[d], l->cfg.planes);
        if ((flood && d == src) || plane < 0)
            continue;
        sim_lane_send(l, src, d, sim_link_pick(l, &info, (uint32_t)plane), ps, f, len);
        any = true;
    }
    p->stats.tx_nowhere += !any;
}

/* From the NIC. */

static void tx_take(struct sim_link *l, uint32_t nic, uint64_t now, const struct sim_beat *b)
{
    struct sim_port *p = &l->port[nic];
    if (p->tx_len == 0) {
        if (p->tx_busy_ps < now)
            p->tx_busy_ps = now;
        p->tx_busy_ps += sim_wire_ps(l, 8);
        p->tx_late = false;
    } else if (p->tx_busy_ps < now) {
        p->tx_late = true;
        p->tx_busy_ps = now;
    }
    if (p->tx_len + b->n <= SIM_FRAME_MAX)
        memcpy(&p->tx[p->tx_len], b->data, b->n);
    p->tx_len += b->n;
    size_t bytes = b->n;
    if (b->last) {
        if (p->tx_len < SIM_FRAME_MIN) {
            memset(&p->tx[p->tx_len], 0, SIM_FRAME_MIN - p->tx_len);
            bytes += SIM_FRAME_MIN - p->tx_len;
            p->tx_len = SIM_FRAME_MIN;
        }
        bytes += 16; // FCS and gap
    }
    p->tx_busy_ps += sim_wire_ps(l, bytes);
    if (!b->last)
        return;
    p->stats.tx_underrun += p->tx_late;
    if (p->tx_len <= SIM_FRAME_MAX)
        sim_link_send(l, nic, p->tx_busy_ps - sim_wire_ps(l, 12), p->tx, p->tx_len);
    else
        p->stats.tx_oversize++;
    p->tx_len = 0;
}

/* To the NIC. */

/** Moves the next frame from the wire into the MAC's FIFO once it begins. */
static void rx_admit(struct sim_link *l, uint32_t nic, uint64_t now)
{
    struct sim_port *p = &l->port[nic];
    while (p->wire.head && p->wire.head->ps <= now) {
        struct sim_frame *f = sim_list_get(&p->wire);
        if (p->fifo_bytes + f->len > l->cfg.fifo) {
            p->stats.rx_overrun++;
            free(f);
            continue;
        }
        p->fifo_bytes += f->len;
        p->stats.rx_frames++;
        p->stats.rx_bytes += f->len;
        if (l->tap_rx)
            tap_put(l, nic, f->damaged ? SIM_DST_TAP_DAMAGED : SIM_DST_TAP_RX, f->ps, f->data, f->len);
        sim_list_put(&p->fifo, f);
    }
}

static void rx_drive(struct sim_link *l, uint32_t nic, uint64_t now, struct sim_io *io)
{
    struct sim_port *p = &l->port[nic];
    io->rx_valid = false;
    if (p->heap_n)
        sim_port_arrive(l, nic, now);
    if (p->wire.head)
        rx_admit(l, nic, now);
    struct sim_frame *f = p->fifo.head;
    if (!f)
        return;
    size_t left = f->len - p->rx_at;
    size_t n = left < 64 ? left : 64;
    if (f->ps + sim_wire_ps(l, 8 + p->rx_at + n) > now)
        return;
    io->rx_valid = true;
    memcpy(io->rx.data, &f->data[p->rx_at], n);
    memset(&io->rx.data[n], 0, 64 - n);
    io->rx.n = (uint8_t)n;
    io->rx.last = n == left;
    io->rx.err = n == left && f->err;
}

static void rx_take(struct sim_port *p)
{
    struct sim_frame *f = p->fifo.head;
    size_t left = f->len - p->rx_at;
    size_t n = left < 64 ? left : 64;
    p->rx_at += n;
    p->fifo_bytes -= n;
    if (n < left)
        return;
    p->rx_at = 0;
    free(sim_list_get(&p->fifo));
}

void sim_link_drive(struct sim_link *l, uint32_t nic, uint64_t now_ps, struct sim_io *io)
{
    io->tx_ready = l->port[nic].tx_busy_ps <= now_ps + sim_wire_ps(l, MAC_FIFO_BYTES);
    rx_drive(l, nic, now_ps, io);
}

void sim_link_take(struct sim_link *l, uint32_t nic, uint64_t now_ps, const struct sim_io *io)
{
    if (io->tx_valid && io->tx_ready)
        tx_take(l, nic, now_ps, &io->tx);
    if (io->rx_valid && io->rx_ready)
        rx_take(&l->port[nic]);
}

void sim_link_reset(struct sim_link *l, uint32_t nic)
{
    struct sim_port *p = &l->port[nic];
    p->tx_len = 0;
    p->rx_at = 0;
    p->fifo_bytes = 0;
    sim_list_clear(&p->fifo);
}

/** The outbox whose first entry is the oldest; the lower index at equal times. */
static struct sim_port *out_first(struct sim_link *l, uint32_t *nic)
{
    struct sim_port *best = nullptr;
    for (uint32_t i = 0; i < l->cfg.nics; i++) {
        struct sim_port *p = &l->port[i];
        if (p->out.head && (!best || p->out.head->sent_ps < best->out.head->sent_ps)) {
            best = p;
            *nic = i;
        }
    }
    return best;
}

static enum sim_tap_at tap_at(uint32_t dst)
{
    return dst == SIM_DST_TAP_TX ? SIM_TAP_TX : dst == SIM_DST_TAP_RX ? SIM_TAP_RX : SIM_TAP_RX_DAMAGED;
}

void sim_link_sync(struct sim_link *l)
{
    uint32_t nic;
    struct sim_port *p;
    while (l->out_n && (p = out_first(l, &nic))) {
        struct sim_frame *f = sim_list_get(&p->out);
        l->out_n--;
        if (f->dst < l->cfg.nics) {
            sim_port_put(l, f);
            continue;
        }
        l->tap(l->tap_ctx, tap_at(f->dst), nic, f->ps, f->data, f->len);
        free(f);
    }
}

bool sim_link_idle(const struct sim_link *l)
{
    for (uint32_t i = 0; i < l->cfg.nics; i++) {
        const struct sim_port *p = &l->port[i];
        if (p->tx_len || p->out.head || p->heap_n || p->wire.head || p->fifo.head)
            return false;
    }
    return true;
}

const struct sim_lane_stats *sim_link_lane_stats(const struct sim_link *l, uint32_t src, uint32_t dst, uint32_t route)
{
    return &l->lane[(src * l->cfg.nics + dst) * l->cfg.routes + route].stats;
}

const struct sim_port_stats *sim_link_port_stats(const struct sim_link *l, uint32_t nic)
{
    return &l->port[nic].stats;
}

const struct sim_link_cfg *sim_link_cfg(const struct sim_link *l)
{
    return &l->cfg;
}
