// SPDX-License-Identifier: BSD-2-Clause
#include "cases.h"

#include <stdio.h>

enum {
    HANG = 2'000'000,
    FAIL_PROBE = 2 * CASE_RTT,
    FAIL_RETRY = 3,
    FAIL_ECN = 32 << 10,
    INCAST_QUEUE = 256 << 20,  // holds what all windows together may have on the way
};

struct scen_cfg case_base(const char *name, const char *engine)
{
    struct scen_cfg c = scen_defaults();

    c.name = name;
    c.engine = engine;
    c.cut = true;
    c.hang_ns = HANG;
    return c;
}

void case_goodput(struct scen_cfg *c, struct case_parts *p)
{
    p->conn[0] = scen_conn_defaults();
    p->conn[0].depth = 32;
    c->conns = p->conn;
    c->n_conns = 1;
    c->stop_ns = CASE_WARM + CASE_WINDOW;
}

void case_incast(struct scen_cfg *c, struct case_parts *p, uint32_t n, uint64_t end_ns)
{
    for (uint32_t i = 0; i < n; i++) {
        p->conn[i] = scen_conn_defaults();
        p->conn[i].src = (uint16_t)(i + 1);
        p->conn[i].dst = 0;
    }
    c->conns = p->conn;
    c->n_conns = n;
    c->link.nics = n + 1;
    c->link.queue = INCAST_QUEUE;
    c->stop_ns = end_ns;
}

void case_fail(struct scen_cfg *c, struct case_parts *p, bool plane, uint64_t up_ns)
{
    p->conn[0] = scen_conn_defaults();
    p->conn[0].depth = 64;
    c->conns = p->conn;
    c->n_conns = 1;
    c->link.planes = plane ? 2 : 1;
    c->link.lane.rate = c->link.rate / c->link.routes;
    c->link.lane.ecn = FAIL_ECN;
    c->probe_min_ns = FAIL_PROBE;
    c->retry_max = FAIL_RETRY;
    c->stop_ns = CASE_FAIL_END;
    c->errors_ok = UINT32_MAX;
    c->events = p->event;
    c->n_events = up_ns ? 2 : 1;
    p->event[0] = (struct scen_event){.ns = CASE_FAIL_AT, .kind = plane ? SCEN_PLANE_DOWN : SCEN_ROUTE_DOWN, .nic = SCEN_ALL};
    p->event[1] = (struct scen_event){.ns = up_ns, .kind = plane ? SCEN_PLANE_UP : SCEN_ROUTE_UP, .nic = SCEN_ALL};
}

struct scen *case_run(const struct scen_cfg *c)
{
    struct scen *s = nullptr;

    if (scen_new(c, &s))
        return nullptr;
    scen_run(s);
    const struct scen_result *r = scen_result(s);
    if (r->violations)
        fprintf(stderr, "%s: %u violations\n", c->name, r->violations);
    if (r->failed)
        fprintf(stderr, "%s: %llu messages failed; it ended at %.1f us\n", c->name, (unsigned long long)r->failed,
                (double)r->end_ns / 1e3);
    if (r->dropped)
        fprintf(stderr, "%s: %llu frames dropped at full queues\n", c->name, (unsigned long long)r->dropped);
    return s;
}

double case_share(const struct scen_cfg *c, uint64_t bytes, uint64_t ns)
{
    double line = (double)c->link.rate / 8e9 * 4096 / CASE_FRAME;  // bytes per ns

    return (double)bytes / (double)ns / line * 100;
}
