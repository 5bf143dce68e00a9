// SPDX-License-Identifier: BSD-2-Clause
/*
 * stats.c - the numbers of a run as JSON: names are those of the structs.
 */
#include <jansson.h>

#include "core.h"

#define PUT(o, s, field) json_object_set_new(o, #field, json_integer((json_int_t)(s)->field))

static json_t *port_json(const struct sim_port_stats *p)
{
    json_t *o = json_object();
    PUT(o, p, tx_frames);
    PUT(o, p, tx_bytes);
    PUT(o, p, tx_underrun);
    PUT(o, p, tx_oversize);
    PUT(o, p, tx_nowhere);
    PUT(o, p, rx_frames);
    PUT(o, p, rx_bytes);
    PUT(o, p, rx_overrun);
    PUT(o, p, peak_queue);
    return o;
}

static json_t *mem_json(const struct sim_mem_stats *m)
{
    json_t *o = json_object();
    PUT(o, m, rd_bursts);
    PUT(o, m, rd_beats);
    PUT(o, m, rd_errors);
    PUT(o, m, rd_peak);
    PUT(o, m, wr_bursts);
    PUT(o, m, wr_bytes);
    PUT(o, m, wr_errors);
    PUT(o, m, wr_peak);
    PUT(o, m, bad_bursts);
    return o;
}

static json_t *lane_json(const struct sim_lane_stats *s, uint32_t src, uint32_t dst, uint32_t route, uint32_t plane)
{
    json_t *o = json_object();
    json_object_set_new(o, "src", json_integer(src));
    json_object_set_new(o, "dst", json_integer(dst));
    json_object_set_new(o, "route", json_integer(route));
    json_object_set_new(o, "plane", json_integer(plane));
    PUT(o, s, frames);
    PUT(o, s, bytes);
    PUT(o, s, lost);
    PUT(o, s, holed);
    PUT(o, s, over);
    PUT(o, s, dup);
    PUT(o, s, corrupted);
    PUT(o, s, marked);
    PUT(o, s, tail);
    PUT(o, s, peak_queue);
    return o;
}

/** Lanes that carried nothing are left out: 8 NICs with 64 routes have 4,096. */
static json_t *lanes_json(struct sim *s)
{
    json_t *a = json_array();
    const struct sim_link *l = sim_link_of(s);
    uint32_t nics = sim_nics(s);
    uint32_t routes = sim_link_cfg(l)->routes;
    uint32_t each = routes / sim_link_cfg(l)->planes;
    for (uint32_t src = 0; src < nics; src++)
        for (uint32_t dst = 0; dst < nics; dst++)
            for (uint32_t r = 0; r < routes; r++) {
                const struct sim_lane_stats *st = sim_link_lane_stats(l, src, dst, r);
                if (st->frames)
                    json_array_append_new(a, lane_json(st, src, dst, r, r / each));
            }
    return a;
}

char *sim_stats_json(struct sim *s)
{
    const struct sim_link *l = sim_link_of(s);
    json_t *nics = json_array();
    for (uint32_t i = 0; i < sim_nics(s); i++) {
        json_t *o = json_object();
        json_object_set_new(o, "time_ns", json_integer((json_int_t)sim_now_ns(s, i)));
        json_object_set_new(o, "taken", json_boolean(sim_mem_owned(sim_mem_of(s, i))));
        json_object_set_new(o, "port", port_json(sim_link_port_stats(l, i)));
        json_object_set_new(o, "mem", mem_json(sim_mem_stats(sim_mem_of(s, i))));
        json_array_append_new(nics, o);
    }
    json_t *top = json_object();
    json_object_set_new(top, "seed", json_integer((json_int_t)sim_link_cfg(l)->seed));
    json_object_set_new(top, "planes", json_integer(sim_link_cfg(l)->planes));
    json_object_set_new(top, "nics", nics);
    json_object_set_new(top, "lanes", lanes_json(s));
    char *text = json_dumps(top, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
    json_decref(top);
    return text;
}
