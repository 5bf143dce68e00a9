// SPDX-License-Identifier: BSD-2-Clause
/*
 * run.c - a scenario from its begin to its end: events, work, the end itself.
 */
#include "priv.h"
#include "scen_tables.h"

enum { QUIET_NS = 30'000 };  // longer than any acknowledgment waits

struct sim *scen_sim(struct scen *s)
{
    return s->sim;
}

uint64_t scen_now(const struct scen *s)
{
    return sim_now_ns(s->sim, 0) - s->t0;
}

uint32_t scen_count(struct scen *s, uint32_t nic, unsigned counter)
{
    return table_read(s, nic, MR_REG_CNT + 4 * counter);
}

const struct scen_result *scen_result(struct scen *s)
{
    return &s->r;
}

/* Events. */

static void lane_event(struct scen *s, const struct scen_event *e, uint32_t src, uint32_t route)
{
    for (uint32_t dst = 0; dst < sim_nics(s->sim); dst++) {
        struct sim_lane_cfg *n = sim_link_lane(sim_link_of(s->sim), src, dst, route);
        if (e->kind == SCEN_LOSS) {
            n->loss = e->p;
        } else {
            n->holes = e->kind == SCEN_ROUTE_DOWN || e->kind == SCEN_PLANE_DOWN;
            n->hole[0] = (struct sim_hole){0, UINT64_MAX};
        }
    }
}

static bool port_event(struct scen *s, const struct scen_event *e)
{
    struct conn *c = &s->conn[e->conn];
    unsigned side = e->nic != c->cfg.src;
    uint32_t peer = side ? c->cfg.src : c->cfg.dst;
    uint16_t *port = &c->sport[side][e->path];
    struct table_way next = route_way(s, e->nic, peer, c->cfg.ipv6, e->route, *port + 1u);

    if (!path_port(s, e->nic, c->index[side], e->path, next))
        return false;
    *port = next.sport;
    return true;
}

/** True once it was done; else it is tried again in the next cycle. */
static bool event(struct scen *s, const struct scen_event *e)
{
    if (e->kind == SCEN_PORT)
        return port_event(s, e);
    bool plane = e->kind == SCEN_PLANE_DOWN || e->kind == SCEN_PLANE_UP;
    uint32_t each = s->cfg.link.routes / s->cfg.link.planes;
    uint32_t first = plane ? e->plane * each : e->route;
    for (uint32_t nic = 0; nic < sim_nics(s->sim); nic++)
        for (uint32_t r = first; r < first + (plane ? each : 1); r++)
            if (e->nic == SCEN_ALL || e->nic == nic)
                lane_event(s, e, nic, r);
    return true;
}

/* The end. */

static bool is_quiet(struct scen *s)
{
    for (uint32_t i = 0; i < sim_nics(s->sim); i++)
        if (!sim_mem_idle(sim_mem_of(s->sim, i)))
            return false;
    return sim_link_idle(sim_link_of(s->sim));
}

static void step(struct scen *s)
{
    sim_step(s->sim);
    while (s->next_event < s->cfg.n_events && s->cfg.events[s->next_event].ns <= scen_now(s) &&
           event(s, &s->cfg.events[s->next_event]))
        s->next_event++;
    work_poll(s);
}

/** Waits until nothing moves any more; a stream that failed may still have packets to close. */
static void settle(struct scen *s)
{
    uint64_t begin = scen_now(s);

    for (uint64_t quiet = begin; scen_now(s) - quiet < QUIET_NS;) {
        if (scen_now(s) - begin > s->cfg.hang_ns) {
            if (!s->r.failed)
                scen_wrong(s, "does not come to rest");
            return;
        }
        step(s);
        if (!is_quiet(s))
            quiet = scen_now(s);
    }
}

static void finish(struct scen *s, bool hung)
{
    s->ended = true;
    if (!s->cfg.cut && !hung) {
        settle(s);
        s->r.end_ns = scen_now(s);
        sum_check(s);
    }
    sum_link(s);
}

bool scen_run_until(struct scen *s, uint64_t ns)
{
    while (!s->ended && scen_now(s) < ns) {
        uint64_t before = scen_now(s);
        step(s);
        uint64_t now = scen_now(s);
        if (before < s->cfg.stop_ns && now >= s->cfg.stop_ns)
            work_stop(s);
        s->r.end_ns = now;
        if (!s->unfinished || (s->cfg.cut && now >= s->cfg.stop_ns)) {
            finish(s, false);
        } else if (now > s->moved_ns + s->cfg.hang_ns || now > s->cfg.max_ns) {
            scen_wrong(s, now > s->cfg.max_ns ? "takes too long, %u streams are not at their end" :
                       "nothing moved for too long, %u streams are not at their end", s->unfinished);
            finish(s, true);
        }
    }
    return !s->ended;
}

void scen_run(struct scen *s)
{
    while (scen_run_until(s, SCEN_NS_NEVER))
        ;
}
