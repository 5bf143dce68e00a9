// SPDX-License-Identifier: BSD-2-Clause
/*
 * sum.c - the counters of the NICs against what was seen, when all is quiet.
 */
#include "priv.h"
#include "scen_tables.h"

/** A dead path is probed without end: a frame may leave between the tap and the counters. */
static void same(struct scen *s, uint32_t nic, const char *what, uint64_t counter, uint64_t seen)
{
    int32_t apart = (int32_t)((uint32_t)counter - (uint32_t)seen);
    int32_t most = s->r.failed ? 8 : 0;

    if (apart < -most || apart > most)
        scen_wrong(s, "nic %u: %s: counter %u, seen %llu", nic, what, (uint32_t)counter, (unsigned long long)seen);
}

/** Every frame received is counted under what became of it. */
static void sum_rx(struct scen *s, uint32_t nic, const uint32_t *c)
{
    static const unsigned parts[] = {MR_CNT_RX_BAD_FRAME, MR_CNT_RX_BAD_ICRC, MR_CNT_RX_BAD_HEADER, MR_CNT_RX_BAD_CONN,
        MR_CNT_RX_REFUSED, MR_CNT_RX_DATA, MR_CNT_RX_DUP, MR_CNT_RX_WINDOW, MR_CNT_RX_EPOCH, MR_CNT_RX_ACKS,
        MR_CNT_RX_BAD_ACK, MR_CNT_RX_ERRORS, MR_CNT_RX_PATH_CTL};
    const struct host *h = &s->host[nic];
    uint64_t sum = 0;

    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        sum += c[parts[i]];
    same(s, nic, "rx_frames: what became of them", sum, c[MR_CNT_RX_FRAMES]);
    bool exact = !h->rx_damaged && !c[MR_CNT_RX_MAC_DROPS];
    if (exact ? c[MR_CNT_RX_CE] != h->rx_ce : c[MR_CNT_RX_CE] > h->rx_ce + h->rx_damaged)
        scen_wrong(s, "nic %u: rx_ce %u, seen %llu", nic, c[MR_CNT_RX_CE], (unsigned long long)h->rx_ce);
}

static void sum_nic(struct scen *s, uint32_t nic, uint32_t *c)
{
    const struct host *h = &s->host[nic];
    const struct sim_port_stats *p = sim_link_port_stats(sim_link_of(s->sim), nic);
    const struct sim_mem_stats *m = sim_mem_stats(sim_mem_of(s->sim, nic));

    for (unsigned i = 0; i < MR_CNT__COUNT; i++)
        c[i] = scen_count(s, nic, i);
    same(s, nic, "tx_frames", c[MR_CNT_TX_FRAMES], p->tx_frames);
    same(s, nic, "rx_frames and rx_mac_drops", c[MR_CNT_RX_FRAMES] + c[MR_CNT_RX_MAC_DROPS], p->rx_frames);
    same(s, nic, "cqes", c[MR_CNT_CQES], h->cqes);
    same(s, nic, "rx_bytes", c[MR_CNT_RX_BYTES], h->placed);
    same(s, nic, "rx_bus_errors", c[MR_CNT_RX_BUS_ERRORS], 0);
    same(s, nic, "tx_bus_errors", c[MR_CNT_TX_BUS_ERRORS], 0);
    same(s, nic, "cqe_bus_errors", c[MR_CNT_CQE_BUS_ERRORS], 0);
    same(s, nic, "tx_local_errors", c[MR_CNT_TX_LOCAL_ERRORS], 0);
    same(s, nic, "errors of the memory's bus", m->rd_errors + m->wr_errors + m->bad_bursts, 0);
    same(s, nic, "frames that went wrong at the MAC", p->tx_underrun + p->tx_oversize + p->tx_nowhere, 0);
    same(s, nic, "posted register writes that failed", sim_reg_post_errors(s->sim, nic), 0);
    if (s->cfg.pcap)
        return;
    same(s, nic, "frames at the tap", h->tx_frames, p->tx_frames);
    same(s, nic, "tx_data, tx_resent and tx_moved", c[MR_CNT_TX_DATA] + c[MR_CNT_TX_RESENT] + c[MR_CNT_TX_MOVED], h->tx_data);
    same(s, nic, "tx_closes", c[MR_CNT_TX_CLOSES], h->tx_closes);
    same(s, nic, "tx_acks", c[MR_CNT_TX_ACKS], h->tx_acks);
    same(s, nic, "tx_probes", c[MR_CNT_TX_PROBES], h->tx_probes);
    same(s, nic, "tx_errors", c[MR_CNT_TX_ERRORS], h->tx_errors);
    sum_rx(s, nic, c);
}

/** What the paths of one side say of themselves. */
static void sum_paths(struct scen *s, uint32_t conn, unsigned side)
{
    const struct conn *c = &s->conn[conn];
    uint32_t nic = side ? c->cfg.dst : c->cfg.src;
    unsigned paths = c->cfg.paths ? c->cfg.paths : s->cfg.paths;

    for (uint8_t i = 0; i < paths; i++) {
        struct mr_tele t = path_tele(s, nic, c->index[side], i);
        const struct wpath *p = c->path[side][i];
        if (t.inflight || t.una != t.psn)
            scen_wrong(s, "connection %u, side %u, path %u: %u packets in flight, %u to %u, when all is quiet", conn, side, i,
                       (unsigned)t.inflight, (unsigned)t.una, (unsigned)t.psn);
        if (p && t.psn != (p->next & 0xffffff))
            scen_wrong(s, "connection %u, side %u, path %u: next number %u, seen %u", conn, side, i, (unsigned)t.psn, p->next);
    }
}

void sum_check(struct scen *s)
{
    uint64_t sent = 0;
    uint64_t taken = 0;
    uint64_t moved = 0;
    uint64_t drops = 0;
    uint32_t c[MR_CNT__COUNT];

    for (uint32_t i = 0; i < sim_nics(s->sim); i++) {
        sum_nic(s, i, c);
        sent += c[MR_CNT_TX_DATA];
        taken += c[MR_CNT_RX_DATA];
        moved += c[MR_CNT_TX_MOVED];
        drops += c[MR_CNT_RX_MAC_DROPS];
    }
    if (s->needless && !drops)
        scen_wrong(s, "%llu packets sent again that had arrived", (unsigned long long)s->needless);
    if (s->r.failed)
        return;
    (void)moved;
    if (sent != taken && !s->r.closes)
        scen_wrong(s, "data packets: %llu sent, %llu accepted", (unsigned long long)sent, (unsigned long long)taken);
    for (uint32_t i = 0; i < s->cfg.n_conns && i < 64; i++)
        for (unsigned side = 0; side < 2; side++)
            sum_paths(s, i, side);
}

void sum_link(struct scen *s)
{
    struct sim_link *l = sim_link_of(s->sim);
    uint32_t nics = sim_nics(s->sim);
    struct scen_result *r = &s->r;

    r->marked = r->dropped = r->lost = r->peak_queue = 0;
    for (uint32_t a = 0; a < nics; a++) {
        const struct sim_port_stats *p = sim_link_port_stats(l, a);
        r->dropped += p->rx_overrun + scen_count(s, a, MR_CNT_RX_MAC_DROPS);
        if (p->peak_queue > r->peak_queue)
            r->peak_queue = p->peak_queue;
        for (uint32_t b = 0; b < nics; b++)
            for (uint32_t i = 0; i < s->cfg.link.routes; i++) {
                const struct sim_lane_stats *n = sim_link_lane_stats(l, a, b, i);
                r->marked += n->marked;
                r->dropped += n->tail + n->over;
                r->lost += n->lost + n->holed;
            }
    }
}
