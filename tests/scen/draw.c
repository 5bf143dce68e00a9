// SPDX-License-Identifier: BSD-2-Clause
#include "draw.h"

#include <string.h>

#include "mr_defs.h"
#include "rng.h"

enum { KEY_DRAW = 0x64726177, BYTES_MAX = 3 << 20 };

static uint64_t below(struct draw *d, uint64_t n)
{
    return sim_below(sim_draw(d->key, d->n++), n);
}

static bool chance(struct draw *d, unsigned percent)
{
    return below(d, 100) < percent;
}

/** From a to b, both included. */
static uint64_t range(struct draw *d, uint64_t a, uint64_t b)
{
    return a + below(d, b - a + 1);
}

/** The same, each order of magnitude as likely as the others. */
static uint64_t spread(struct draw *d, uint64_t a, uint64_t b)
{
    uint64_t top = a;

    while (top < b && chance(d, 75))
        top = top * 2 > b ? b : top * 2;
    return range(d, a, top);
}

static double pick(struct draw *d, const double *x, unsigned n)
{
    return x[below(d, n)];
}

/** A place for one more change to lanes, DRAW_TEXT bytes. */
static char *lane_new(struct draw *d)
{
    d->lanes[d->cfg.n_lanes] = d->text[d->cfg.n_lanes];
    return d->text[d->cfg.n_lanes++];
}

static void draw_link(struct draw *d)
{
    static const double losses[] = {0, 0, 0, 0.001, 0.01, 0.02, 0.05, 0.1};
    static const double dups[] = {0, 0, 0, 0, 0.01, 0.05, 0.2};
    static const double corrupts[] = {0, 0, 0, 0, 0.005, 0.02, 0.05};
    struct sim_link_cfg *l = &d->cfg.link;
    bool native = strcmp(d->cfg.engine, "rtl") != 0;

    l->nics = native && chance(d, 30) ? (uint32_t)range(d, 3, 4) : 2;
    l->routes = 1u << below(d, 4);
    l->lane.delay_ns = chance(d, 10) ? range(d, 20'000, 100'000) : spread(d, 100, 5000);
    l->lane.jitter_ns = chance(d, 30) ? range(d, 1, 1000) : 0;
    l->lane.loss = pick(d, losses, sizeof losses / sizeof *losses);
    l->lane.dup = pick(d, dups, sizeof dups / sizeof *dups);
    l->lane.corrupt = pick(d, corrupts, sizeof corrupts / sizeof *corrupts);
    l->lane.corrupt_silent = chance(d, 60);
    l->queue = chance(d, 30) ? range(d, 20, 200) << 10 : 1 << 20;
    l->ecn = chance(d, 30) ? 0 : range(d, 5, 100) << 10;
    if (chance(d, 20)) {
        l->lane.rate = range(d, 5, 50) * 1'000'000'000;
        l->lane.queue = range(d, 30, 500) << 10;
        l->lane.ecn = chance(d, 70) ? range(d, 10, 100) << 10 : 0;
    }
    if (chance(d, 40))
        for (unsigned r = 0; r < l->routes; r++)
            snprintf(lane_new(d), DRAW_TEXT, "*:*:%u:delay=%u", r, (unsigned)spread(d, 100, 10'000));
    if (chance(d, 20))
        snprintf(lane_new(d), DRAW_TEXT, "%u:*:%u:loss=0.%02u", (unsigned)below(d, l->nics), (unsigned)below(d, l->routes),
                 (unsigned)range(d, 1, 30));
}

static void draw_mem(struct draw *d)
{
    struct sim_mem_cfg *m = &d->cfg.mem;

    if (chance(d, 40))
        return;
    m->rd_ns = (uint32_t)spread(d, 50, 2000);
    m->rd_jitter_ns = (uint32_t)spread(d, 1, 1000);
    m->wr_ns = (uint32_t)spread(d, 20, 3000);
    m->wr_jitter_ns = (uint32_t)spread(d, 1, 1000);
    m->rd_max = (uint32_t)range(d, 8, 64);
    m->wr_max = (uint32_t)range(d, 4, 32);
    m->payload = 64u << below(d, 7);
    m->rd_rate = range(d, 12, 28) * 1'000'000'000;
    m->interleave = chance(d, 70);
}

/** Sizes and number of the messages of a stream that may send so many bytes. */
static void draw_work(struct draw *d, struct scen_conn *k, uint64_t bytes)
{
    static const uint32_t tops[] = {0, 64, 300, 5000, 20'000, 100'000, BYTES_MAX};
    uint64_t top = tops[below(d, sizeof tops / sizeof *tops)];

    if (top > bytes)
        top = bytes;
    k->len_max = (uint32_t)(top ? range(d, 1, top) : 0);
    k->len_min = chance(d, 30) ? k->len_max : (uint32_t)below(d, k->len_max / 4 + 1);
    uint64_t most = bytes / (k->len_max / 2 + k->len_min / 2 + 64);
    most = most > 300 ? 300 : most < 1 ? 1 : most;
    k->msgs = (uint32_t)(chance(d, 50) ? most : spread(d, 1, most));
    k->depth = (uint16_t)(chance(d, 50) ? SCEN_DEPTH_MAX : range(d, 1, SCEN_DEPTH_MAX));
    k->silent = (uint8_t)(chance(d, 50) ? 0 : range(d, 10, 100));
    k->ragged = chance(d, 70);
    k->batch = chance(d, 20) ? (uint16_t)range(d, 1, k->depth) : 0;
}

static void draw_conns(struct draw *d)
{
    struct scen_cfg *c = &d->cfg;
    bool native = strcmp(c->engine, "rtl") != 0;
    uint64_t packets = native && chance(d, 20) ? range(d, 500, 4000) : spread(d, 50, 500);

    c->n_conns = (uint32_t)(chance(d, 50) ? 1 : range(d, 1, DRAW_CONNS));
    c->conns = d->conn;
    for (uint32_t i = 0; i < c->n_conns; i++) {
        struct scen_conn *k = &d->conn[i];
        *k = scen_conn_defaults();
        k->src = (uint16_t)below(d, c->link.nics);
        k->dst = (uint16_t)((k->src + 1 + below(d, c->link.nics - 1)) % c->link.nics);
        k->both = chance(d, 50);
        k->ipv6 = chance(d, 30);
        k->vlan = chance(d, 20);
        k->paths = (uint8_t)range(d, 1, SCEN_PATHS_MAX);
        k->mtu = (uint16_t)(chance(d, 50) ? 4096 : 256u << below(d, 5));
        k->streams = (uint16_t)spread(d, 1, 8);
        draw_work(d, k, packets * k->mtu / c->n_conns / k->streams / (1u + k->both) + 1);
    }
}

static struct scen_event *event_new(struct draw *d, uint64_t ns)
{
    struct scen_event *e = &d->event[d->cfg.n_events++];

    *e = (struct scen_event){.ns = ns, .nic = SCEN_ALL, .route = (uint16_t)below(d, d->cfg.link.routes)};
    return e;
}

/** Keeps the events in the order of time. */
static void event_sort(struct draw *d)
{
    for (uint32_t i = 1; i < d->cfg.n_events; i++)
        for (uint32_t k = i; k && d->event[k].ns < d->event[k - 1].ns; k--) {
            struct scen_event e = d->event[k];
            d->event[k] = d->event[k - 1];
            d->event[k - 1] = e;
        }
    d->cfg.events = d->event;
}

/** A route is gone for a while, in one direction or in both. */
static void draw_hole(struct draw *d)
{
    uint64_t from = below(d, 60'000);
    struct scen_event *e = event_new(d, from);

    e->kind = SCEN_ROUTE_DOWN;
    if (chance(d, 50))
        e->nic = (uint16_t)below(d, d->cfg.link.nics);
    struct scen_event *up = event_new(d, from + spread(d, 1000, 200'000));
    up->kind = SCEN_ROUTE_UP;
    up->nic = e->nic;
    up->route = e->route;
}

/** A whole plane is gone for a while. */
static void draw_plane_hole(struct draw *d)
{
    uint64_t from = below(d, 60'000);
    struct scen_event *e = event_new(d, from);

    e->kind = SCEN_PLANE_DOWN;
    e->plane = (uint16_t)below(d, d->cfg.link.planes);
    struct scen_event *up = event_new(d, from + spread(d, 1000, 200'000));
    up->kind = SCEN_PLANE_UP;
    up->plane = e->plane;
}

static void draw_port(struct draw *d)
{
    struct scen_event *e = event_new(d, below(d, 80'000));
    uint16_t conn = (uint16_t)below(d, d->cfg.n_conns);
    const struct scen_conn *k = &d->conn[conn];

    e->kind = SCEN_PORT;
    e->conn = conn;
    e->nic = chance(d, 50) ? k->src : k->dst;
    e->path = (uint8_t)below(d, k->paths);
}

/** One route is gone for good; every connection has a path on another one. */
static void draw_dead(struct draw *d)
{
    struct scen_cfg *c = &d->cfg;

    // no loss beside it: probes of paths that live must not go astray too often
    c->link.lane.loss = c->link.lane.corrupt = 0;
    c->n_lanes = 0;
    c->n_events = 0;
    c->retry_max = (uint32_t)range(d, 2, 4);
    for (uint32_t i = 0; i < c->n_conns; i++)
        d->conn[i].paths += d->conn[i].paths == 1;
    event_new(d, below(d, 60'000))->kind = SCEN_ROUTE_DOWN;
}

/** Nothing gets through any more: every message ends, with an error if it must. */
static void draw_end(struct draw *d)
{
    uint64_t ns = below(d, 40'000);

    for (uint16_t r = 0; r < d->cfg.link.routes; r++) {
        struct scen_event *e = event_new(d, ns);
        e->kind = SCEN_ROUTE_DOWN;
        e->route = r;
    }
    d->cfg.retry_max = (uint32_t)range(d, 1, 4);
    d->cfg.errors_ok = 1u << MR_ERR_RETRY | 1u << MR_ERR_FLUSH;
}

/** Routes as 2 or 4 planes; drawn last, so that all else of a seed's scenario is as without them. */
static void draw_planes(struct draw *d, bool dead, bool end)
{
    struct sim_link_cfg *l = &d->cfg.link;

    if (l->routes == 1 || !chance(d, 40))
        return;
    l->planes = l->routes > 2 && chance(d, 50) ? 4 : 2;
    if (dead && chance(d, 50)) {
        // for good; paths are on at least two planes
        d->event[0].kind = SCEN_PLANE_DOWN;
        d->event[0].plane = (uint16_t)below(d, l->planes);
    } else if (!dead && !end && chance(d, 60)) {
        for (unsigned n = (unsigned)range(d, 1, 2); n; n--)
            draw_plane_hole(d);
    }
}

static void draw_events(struct draw *d, unsigned flags)
{
    if (chance(d, 30))
        for (unsigned n = (unsigned)range(d, 1, 3); n; n--)
            draw_hole(d);
    if (chance(d, 30))
        for (unsigned n = (unsigned)range(d, 1, 6); n; n--)
            draw_port(d);
    bool die = chance(d, 10);
    bool dead = die && (flags & DRAW_DEAD) && d->cfg.link.routes > 1;
    bool end = !dead && chance(d, 3);
    if (dead)
        draw_dead(d);
    else if (end)
        draw_end(d);
    draw_planes(d, dead, end);
    event_sort(d);
}

void draw_scenario(struct draw *d, const char *engine, uint64_t seed, unsigned flags)
{
    *d = (struct draw){.cfg = scen_defaults(), .key = sim_key(seed, KEY_DRAW, 0, 0)};
    struct scen_cfg *c = &d->cfg;

    c->name = "soak";
    c->engine = engine;
    c->seed = seed;
    c->scatter = true;
    c->lanes = d->lanes;
    c->max_ns = 500'000'000;
    draw_link(d);
    draw_mem(d);
    draw_conns(d);
    if (chance(d, 40))
        c->cwnd_init = (uint32_t)(chance(d, 30) ? range(d, 128, 256) : spread(d, 1, 64));
    c->probe_min_ns = (uint32_t)spread(d, 4000, 50'000);
    draw_events(d, flags);
}

void draw_print(const struct draw *d, FILE *to)
{
    const struct sim_link_cfg *l = &d->cfg.link;
    static const char *const kinds[] = {"route down", "route up", "loss", "port", "plane down", "plane up"};

    fprintf(to, "  %u NICs, %u routes on %u planes, delay %llu + %llu ns, loss %g, dup %g, corrupt %g%s, queue %llu, ecn %llu, lane rate %llu\n",
            l->nics, l->routes, l->planes, (unsigned long long)l->lane.delay_ns, (unsigned long long)l->lane.jitter_ns, l->lane.loss,
            l->lane.dup, l->lane.corrupt, l->lane.corrupt_silent ? " silent" : "", (unsigned long long)l->queue,
            (unsigned long long)l->ecn, (unsigned long long)l->lane.rate);
    fprintf(to, "  memory: read %u + %u ns, write %u + %u ns; probes from %u ns, %u of them, first window %u\n", d->cfg.mem.rd_ns,
            d->cfg.mem.rd_jitter_ns, d->cfg.mem.wr_ns, d->cfg.mem.wr_jitter_ns, d->cfg.probe_min_ns, d->cfg.retry_max,
            d->cfg.cwnd_init);
    for (uint32_t i = 0; i < d->cfg.n_lanes; i++)
        fprintf(to, "  lanes %s\n", d->lanes[i]);
    for (uint32_t i = 0; i < d->cfg.n_conns; i++) {
        const struct scen_conn *k = &d->conn[i];
        fprintf(to, "  connection %u: %u %s %u, IPv%d%s, %u paths, mtu %u, %u streams of %u messages, %u to %u bytes, depth %u\n",
                i, k->src, k->both ? "<->" : "->", k->dst, k->ipv6 ? 6 : 4, k->vlan ? ", VLAN" : "", k->paths, k->mtu,
                k->streams, k->msgs, k->len_min, k->len_max, k->depth);
    }
    for (uint32_t i = 0; i < d->cfg.n_events; i++) {
        const struct scen_event *e = &d->event[i];
        bool plane = e->kind == SCEN_PLANE_DOWN || e->kind == SCEN_PLANE_UP;
        fprintf(to, "  at %.1f us: %s, nic %d, %s %u", (double)e->ns / 1e3, kinds[e->kind],
                e->nic == SCEN_ALL ? -1 : e->nic, plane ? "plane" : "route", plane ? e->plane : e->route);
        if (e->kind == SCEN_PORT)
            fprintf(to, ", connection %u, path %u", e->conn, e->path);
        fprintf(to, "\n");
    }
}
