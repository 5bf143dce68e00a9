// SPDX-License-Identifier: BSD-2-Clause
#include "scen.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "priv.h"
#include "rng.h"
#include "scen_tables.h"

enum {
    KEY_SRC = 0x1a5,
    KEY_DST = 0x25a,
    RIGHTS_SRC = MR_RIGHT_LOCAL_READ,
    RIGHTS_DST = MR_RIGHT_REMOTE_WRITE,
    SHOWN = 8,  // violations told
    KEY_SPREAD = 0x737072,
};

struct scen_cfg scen_defaults(void)
{
    struct sim_cfg d = sim_defaults();
    struct scen_cfg c = {.name = "scenario", .engine = "native", .seed = 1, .link = d.link, .mem = d.mem, .paths = 4,
        .stop_ns = SCEN_NS_NEVER, .hang_ns = 60'000'000, .max_ns = 1'000'000'000, .know_ns = 2000, .bucket_ns = 1000};

    c.link.lane.delay_ns = 2000;
    return c;
}

struct scen_conn scen_conn_defaults(void)
{
    return (struct scen_conn){.src = 0, .dst = 1, .streams = 1, .depth = 16, .len_min = 65536, .len_max = 65536};
}

void scen_wrong(struct scen *s, const char *fmt, ...)
{
    char text[sizeof s->r.first];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!s->r.violations++)
        memcpy(s->r.first, text, sizeof text);
    if (!s->cfg.quiet && s->r.violations <= SHOWN)
        fprintf(stderr, "%s, seed %llu, at %.3f us: %s\n", s->cfg.name, (unsigned long long)s->cfg.seed,
                s->sim ? (double)scen_now(s) / 1e3 : 0, text);
}

/* Set-up. */

static unsigned paths_of(const struct scen *s, uint32_t conn)
{
    return s->conn[conn].cfg.paths ? s->conn[conn].cfg.paths : s->cfg.paths;
}

static unsigned planes_of(const struct scen *s, uint32_t conn)
{
    return s->conn[conn].cfg.planes ? s->conn[conn].cfg.planes : s->cfg.link.planes;
}

/** Paths go over the planes in turn, and on each over its routes. */
static uint32_t route_of(const struct scen *s, uint32_t conn, uint32_t path)
{
    uint32_t planes = planes_of(s, conn);
    uint32_t each = s->cfg.link.routes / s->cfg.link.planes;

    return path % planes * each + path / planes % each;
}

static uint32_t *index_new(uint32_t n)
{
    uint32_t *x = malloc((n + 1) * sizeof *x);

    if (x)
        memset(x, 0xff, (n + 1) * sizeof *x);
    return x;
}

/** Table index number i of a NIC: any order will do that names each once. */
static uint16_t spread(const struct scen *s, uint32_t nic, uint32_t table, uint32_t i, uint32_t size)
{
    uint64_t mask = s->cfg.scatter ? sim_key(s->cfg.seed, KEY_SPREAD, nic, table) : 0;

    return (uint16_t)(i ^ (mask & (size - 1)));
}

static int host_index(struct scen *s, uint32_t nic)
{
    struct host *h = &s->host[nic];

    table_wait(s, nic);
    h->conns = table_read(s, nic, MR_REG_CAP_CONNS);
    h->streams = table_read(s, nic, MR_REG_CAP_STREAMS);
    h->by_conn = index_new(h->conns);
    h->by_stream = index_new(h->streams);
    h->by_rx = index_new(h->streams);
    h->ring = index_new(s->n_streams);
    return s->r.violations ? -EIO : h->by_conn && h->by_stream && h->by_rx && h->ring ? 0 : -ENOMEM;
}

static int conn_setup(struct scen *s, uint32_t conn, uint32_t *used)
{
    struct conn *c = &s->conn[conn];

    for (unsigned side = 0; side < 2; side++) {
        uint32_t nic = side ? c->cfg.dst : c->cfg.src;
        struct host *h = &s->host[nic];
        if (used[nic] == h->conns)
            return -ENOSPC;
        c->index[side] = spread(s, nic, MR_TBL_CONN, used[nic]++, h->conns);
        h->by_conn[c->index[side]] = conn;
    }
    for (unsigned side = 0; side < 2; side++) {
        uint32_t nic = side ? c->cfg.dst : c->cfg.src;
        uint32_t peer = side ? c->cfg.src : c->cfg.dst;
        unsigned paths = paths_of(s, conn);
        uint32_t from = (uint32_t)sim_key(s->cfg.seed, MR_TBL_PATH, conn, side);
        conn_open(s, nic, &(struct table_conn){.local = c->index[side], .peer = c->index[!side],
            .peer_nic = (uint16_t)peer, .mtu = c->cfg.mtu ? c->cfg.mtu : 4096, .paths = (uint8_t)paths,
            .planes = (uint8_t)planes_of(s, conn), .ipv6 = c->cfg.ipv6, .vlan = c->cfg.vlan});
        for (unsigned i = 0; i < paths; i++) {
            struct table_way way = route_way(s, nic, peer, c->cfg.ipv6, route_of(s, conn, i), from + i * 64);
            c->sport[side][i] = way.sport;
            path_open(s, nic, c->index[side], (uint8_t)i, way);
        }
    }
    return 0;
}

/** One side of a stream: its table entry, and what it sends if it does. */
static int side_setup(struct scen *s, uint32_t conn, unsigned side, const uint16_t index[2], uint32_t *next)
{
    const struct conn *c = &s->conn[conn];
    uint32_t nic = side ? c->cfg.dst : c->cfg.src;
    struct host *h = &s->host[nic];
    struct table_stream t = {.local = index[side], .peer = index[!side], .conn = c->index[side], .sq = host_sq_bus(h->n_sq)};

    if (!side || c->cfg.both) {
        struct stream *x = &s->stream[*next];
        *x = (struct stream){.nic = nic, .peer_nic = side ? c->cfg.src : c->cfg.dst, .conn = conn, .back = side,
            .local = index[side], .peer = index[!side], .sq = h->n_sq++};
        x->msg = calloc(c->cfg.depth, sizeof *x->msg);
        if (!x->msg)
            return -ENOMEM;
        t.sq = host_sq_bus(x->sq);
        h->by_stream[index[side]] = *next;
        s->host[x->peer_nic].by_rx[index[!side]] = *next;
        ++*next;
    }
    stream_open(s, nic, &t);
    return 0;
}

static int streams_setup(struct scen *s)
{
    uint32_t used[SIM_NICS_MAX] = {};
    uint32_t next = 0;

    for (uint32_t i = 0; i < s->cfg.n_conns; i++) {
        const struct scen_conn *c = &s->conn[i].cfg;
        for (uint32_t k = 0; k < c->streams; k++) {
            uint16_t index[2];
            for (unsigned side = 0; side < 2; side++) {
                uint32_t nic = side ? c->dst : c->src;
                if (used[nic] == s->host[nic].streams)
                    return -ENOSPC;
                index[side] = spread(s, nic, MR_TBL_STREAM, used[nic]++, s->host[nic].streams);
            }
            for (unsigned side = 0; side < 2; side++) {
                int err = side_setup(s, i, side, index, &next);
                if (err)
                    return err;
            }
        }
    }
    return 0;
}

static void registers(struct scen *s, uint32_t nic)
{
    if (s->cfg.probe_min_ns)
        table_write(s, nic, MR_REG_PROBE_MIN, s->cfg.probe_min_ns / SIM_CYCLE_NS);
    if (s->cfg.retry_max)
        table_write(s, nic, MR_REG_RETRY_MAX, s->cfg.retry_max);
    if (s->cfg.cwnd_init)
        table_write(s, nic, MR_REG_CWND_INIT, s->cfg.cwnd_init);
}

static void keys_setup(struct scen *s, uint32_t nic)
{
    uint64_t span = ((uint64_t)s->n_streams * SCEN_DEPTH_MAX) << s->slot_log2;

    cq_open(s, nic, host_cq_bus(), CQ_LOG2);
    key_open(s, nic, &(struct table_key){KEY_SRC, RIGHTS_SRC, host_va(s, 0, 0, false), host_bus(s, 0, 0, false), span});
    key_open(s, nic, &(struct table_key){KEY_DST, RIGHTS_DST, host_va(s, 0, 0, true), host_bus(s, 0, 0, true), span});
}

static int setup(struct scen *s)
{
    uint32_t used[SIM_NICS_MAX] = {};
    int err = 0;

    for (uint32_t i = 0; i < sim_nics(s->sim) && !err; i++)
        err = host_index(s, i);
    for (uint32_t i = 0; i < sim_nics(s->sim) && !err; i++) {
        registers(s, i);
        keys_setup(s, i);
    }
    for (uint32_t i = 0; i < s->cfg.n_conns && !err; i++)
        err = conn_setup(s, i, used);
    err = err ? err : streams_setup(s);
    for (uint32_t i = 0; i < sim_nics(s->sim) && !err; i++)
        err = host_open(s, i);
    return err ? err : s->r.violations ? -EIO : 0;
}

static int tables_new(struct scen *s)
{
    const struct scen_cfg *c = &s->cfg;
    uint32_t len = 0;

    s->conn = calloc(c->n_conns, sizeof *s->conn);
    s->placed = calloc(c->n_conns * 2, sizeof *s->placed);
    s->routed = calloc(c->link.routes, sizeof *s->routed);
    if (!s->conn || !s->placed || !s->routed)
        return -ENOMEM;
    for (uint32_t i = 0; i < c->n_conns; i++) {
        const struct scen_conn *k = &c->conns[i];
        if (k->src == k->dst || k->src >= c->link.nics || k->dst >= c->link.nics || !k->streams || !k->depth ||
            k->depth > SCEN_DEPTH_MAX || k->planes > c->link.planes || k->len_min > k->len_max)
            return -EINVAL;
        s->conn[i].cfg = *k;
        s->n_streams += k->streams * (1u + k->both);
        len = k->len_max > len ? k->len_max : len;
    }
    s->slot_log2 = 13;
    while ((1ull << s->slot_log2) < len + 8192ull)
        s->slot_log2++;
    s->stream = calloc(s->n_streams, sizeof *s->stream);
    return s->stream ? 0 : -ENOMEM;
}

/** All clocks stand at the same cycle from here on. */
static void begin(struct scen *s)
{
    sim_run(s->sim, 1);
    s->t0 = sim_now_ns(s->sim, 0);
    if (!s->cfg.pcap)
        sim_link_tap(sim_link_of(s->sim), wire_tap, s, true, true);
    s->unfinished = s->n_streams;
    for (uint32_t i = 0; i < s->n_streams; i++)
        work_post(s, i);
}

int scen_new(const struct scen_cfg *cfg, struct scen **out)
{
    struct scen *s = calloc(1, sizeof *s);
    struct sim_cfg sc = sim_defaults();

    if (!s)
        return -ENOMEM;
    s->cfg = *cfg;
    s->r.first_ack_ns = s->r.first_byte_ns = SCEN_NS_NEVER;
    sc.engine = cfg->engine;
    sc.link = cfg->link;
    sc.link.seed = cfg->seed;
    sc.mem = cfg->mem;
    sc.lanes = cfg->lanes;
    sc.n_lanes = cfg->n_lanes;
    sc.pcap = cfg->pcap;
    int err = tables_new(s);
    err = err ? err : sim_new(&sc, &s->sim);
    err = err ? err : setup(s);
    if (err) {
        fprintf(stderr, "%s: engine %s: %s\n", cfg->name, cfg->engine, strerror(-err));
        scen_free(s);
        return err;
    }
    begin(s);
    *out = s;
    return 0;
}

void scen_free(struct scen *s)
{
    sim_free(s->sim);
    for (uint32_t i = 0; i < s->n_streams && s->stream; i++) {
        for (uint32_t k = 0; s->stream[i].msg && k < s->conn[s->stream[i].conn].cfg.depth; k++)
            free(s->stream[i].msg[k].bits);
        free(s->stream[i].msg);
    }
    for (uint32_t i = 0; i < s->cfg.n_conns && s->conn && s->placed; i++) {
        for (unsigned k = 0; k < 2 * PATHS; k++)
            free(s->conn[i].path[k / PATHS][k % PATHS]);
        free(s->placed[i * 2].v);
        free(s->placed[i * 2 + 1].v);
    }
    for (uint32_t i = 0; i < s->cfg.link.routes && s->routed; i++)
        free(s->routed[i].v);
    for (uint32_t i = 0; i < SIM_NICS_MAX; i++)
        host_close(&s->host[i]);
    free(s->completed.v);
    free(s->placed);
    free(s->routed);
    free(s->conn);
    free(s->stream);
    free(s);
}
