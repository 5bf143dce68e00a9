// SPDX-License-Identifier: BSD-2-Clause
/*
 * suite_planes.c - planes that die and come back: what is sent goes over the
 * others, each byte once, and nothing fails.
 */
#include <stdio.h>
#include <string.h>

#include "suite.h"

enum {
    SILENT = 20'000,  // what was under way has come out
    END = 60'000,     // of the run: time in which a plane must be in use again
};

/** A plane that is gone for a while; up_ns of SCEN_NS_NEVER: for good. */
struct gone {
    uint16_t plane;
    uint64_t down_ns;
    uint64_t up_ns;
};

static const struct plane_kind {
    const char *name;
    uint32_t planes;
    uint32_t routes;
    uint8_t paths;
    bool ipv6;
    uint64_t stop_ns;
    struct gone gone[2];
    unsigned n;
} kinds[] = {
    {"4 planes, IPv6", 4, 8, 8, true, 60'000, {}, 0},
    {"a plane dies for good", 2, 4, 4, false, 200'000, {{1, 30'000, SCEN_NS_NEVER}}, 1},
    {"a plane dies and comes back", 2, 4, 4, true, 300'000, {{1, 30'000, 120'000}}, 1},
    {"a plane dies, then the other", 2, 2, 4, false, 500'000, {{0, 30'000, 120'000}, {1, 260'000, 350'000}}, 2},
    {"3 of 4 planes are left, then 2", 4, 8, 8, false, 300'000, {{2, 30'000, SCEN_NS_NEVER}, {0, 120'000, SCEN_NS_NEVER}}, 2},
};

static uint64_t carried(const struct scen *s, const struct plane_kind *k, uint32_t plane, uint64_t from, uint64_t to)
{
    uint32_t each = k->routes / k->planes;
    uint64_t sum = 0;

    for (uint32_t r = plane * each; r < (plane + 1) * each; r++)
        sum += scen_routed(s, r, from, to);
    return sum;
}

/** A plane carries nothing while it is gone, and something in the end unless it is gone for good. */
static bool uses_planes(const struct scen *s, const struct plane_kind *k)
{
    bool good = true;

    for (uint32_t p = 0; p < k->planes; p++) {
        bool live = true;
        for (unsigned i = 0; i < k->n; i++) {
            const struct gone *g = &k->gone[i];
            uint64_t up = g->up_ns < k->stop_ns ? g->up_ns : k->stop_ns;
            if (g->plane != p)
                continue;
            good = good && !carried(s, k, p, g->down_ns + SILENT, up);
            live = live && g->up_ns != SCEN_NS_NEVER;
        }
        good = good && (carried(s, k, p, k->stop_ns - END, k->stop_ns) > 0) == live;
    }
    return good;
}

static void plane_case(const struct plane_kind *k, const char *engine)
{
    struct scen_cfg c = scen_defaults();
    struct scen_conn conn = scen_conn_defaults();
    struct scen_event e[4];
    struct scen *s = nullptr;

    c.name = k->name;
    c.engine = engine;
    c.link.planes = k->planes;
    c.link.routes = k->routes;
    c.paths = k->paths;
    c.probe_min_ns = 8000;
    c.retry_max = 3;
    c.stop_ns = k->stop_ns;
    c.conns = &conn;
    c.n_conns = 1;
    c.events = e;
    conn.both = conn.ragged = true;
    conn.ipv6 = k->ipv6;
    conn.streams = 2;
    conn.len_min = 1;
    for (unsigned i = 0; i < k->n; i++) {
        const struct gone *g = &k->gone[i];
        e[c.n_events++] = (struct scen_event){.ns = g->down_ns, .kind = SCEN_PLANE_DOWN, .nic = SCEN_ALL, .plane = g->plane};
        if (g->up_ns != SCEN_NS_NEVER)
            e[c.n_events++] = (struct scen_event){.ns = g->up_ns, .kind = SCEN_PLANE_UP, .nic = SCEN_ALL, .plane = g->plane};
    }
    if (scen_new(&c, &s)) {
        suite_case(k->name, engine, false, "not opened");
        return;
    }
    scen_run(s);
    const struct scen_result *r = scen_result(s);
    bool good = !r->violations && !r->failed && (r->closes > 0) == (k->n > 0) && uses_planes(s, k);
    suite_case(k->name, engine, good, r->first);
    scen_free(s);
}

/** Paths that the host sends over the other plane, and a connection on one of the two: nothing is lost on the way. */
static void plane_changes(const char *engine)
{
    struct scen_cfg c = scen_defaults();
    struct scen_conn conn[2] = {scen_conn_defaults(), scen_conn_defaults()};
    struct scen_event e[8];
    struct scen *s = nullptr;

    c.name = "paths go to the other plane and back";
    c.engine = engine;
    c.link.planes = 2;
    c.stop_ns = 90'000;
    c.conns = conn;
    c.n_conns = 2;
    conn[0].both = conn[1].both = true;
    conn[1].planes = 1;
    // path 1 is on plane 1, routes 2 and 3
    for (unsigned i = 0; i < 8; i++)
        e[i] = (struct scen_event){.ns = 5000 + i * 7000, .kind = SCEN_PORT, .nic = i & 1, .path = 1,
            .route = i / 2 % 2 ? 3 : 1};
    c.events = e;
    c.n_events = 8;
    if (scen_new(&c, &s)) {
        suite_case(c.name, engine, false, "not opened");
        return;
    }
    scen_run(s);
    const struct scen_result *r = scen_result(s);
    bool good = !r->violations && !r->failed && !r->lost && !r->closes;
    suite_case(c.name, engine, good, r->first);
    scen_free(s);
}

void suite_planes(const char *engine)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        plane_case(&kinds[i], engine);
    plane_changes(engine);
}
