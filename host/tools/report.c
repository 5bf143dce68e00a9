// SPDX-License-Identifier: BSD-2-Clause
/* report.c - see report.h. */
#include "report.h"

#include <stdlib.h>

static void put(json_t *o, const char *name, uint64_t v)
{
    json_object_set_new(o, name, json_integer((json_int_t)v));
}

json_t *report_counters(struct mr_device *dev)
{
    uint32_t n = mr_counter_count();
    uint64_t *value = calloc(n, sizeof *value);
    json_t *o = nullptr;

    if (value && mr_counters_read(dev, value, n) == (int)n) {
        o = json_object();
        for (uint32_t i = 0; i < n; i++)
            put(o, mr_counter_name(i), value[i]);
    }
    free(value);
    return o;
}

json_t *report_path(uint32_t path, const struct mr_path_info *info,
                    const uint32_t bucket[MR_HIST_BUCKETS])
{
    const struct mr_path_info p = *info;
    json_t *o = json_object(), *h = json_array();

    put(o, "path", path);
    put(o, "sport", p.sport);
    put(o, "plane", p.plane);
    json_object_set_new(o, "state", json_string(mr_path_state_text(p.state)));
    put(o, "epoch", p.epoch);
    put(o, "srtt_ns", p.srtt_ns);
    put(o, "rttvar_ns", p.rttvar_ns);
    put(o, "cwnd", p.cwnd);
    put(o, "inflight", p.inflight);
    put(o, "packets", p.packets);
    put(o, "bytes", p.bytes);
    put(o, "resent", p.resent);
    put(o, "lost", p.lost);
    put(o, "marks", p.marks);
    put(o, "acks", p.acks);
    put(o, "probes", p.probes);
    put(o, "fails", p.fails);
    put(o, "moved", p.moved);
    put(o, "psn", p.psn);
    put(o, "una", p.una);
    put(o, "hint_mbps", p.hint_mbps);
    for (int i = 0; i < MR_HIST_BUCKETS; i++)
        json_array_append_new(h, json_integer(bucket[i]));
    json_object_set_new(o, "rtt", h);
    return o;
}

json_t *report_paths(struct mr_conn *conn)
{
    json_t *a = json_array();

    for (uint32_t i = 0; i < mr_conn_paths(conn); i++) {
        uint32_t bucket[MR_HIST_BUCKETS];
        struct mr_path_info p;
        if (mr_path_query(conn, i, &p) || mr_path_histogram(conn, i, bucket)) {
            json_decref(a);
            return nullptr;
        }
        json_array_append_new(a, report_path(i, &p, bucket));
    }
    return a;
}

json_t *report_tunables(struct mr_device *dev)
{
    json_t *o = json_object();

    for (uint32_t i = 0; *mr_tunable_name(i); i++) {
        uint64_t v;
        if (mr_device_tunable(dev, (enum mr_tunable)i, &v)) {
            json_decref(o);
            return nullptr;
        }
        put(o, mr_tunable_name(i), v);
    }
    return o;
}

json_t *report_caps(struct mr_device *dev)
{
    struct mr_caps c;
    json_t *o = json_object();

    if (mr_device_query(dev, &c))
        return o;
    put(o, "version", c.version);
    put(o, "layout_hash", c.layout_hash);
    put(o, "conns", c.conns);
    put(o, "paths", c.paths);
    put(o, "streams", c.streams);
    put(o, "keys", c.keys);
    put(o, "cqs", c.cqs);
    put(o, "msgs", c.msgs);
    put(o, "clock_khz", c.clock_khz);
    put(o, "sq_depth_max", c.sq_depth_max);
    put(o, "cq_max", c.cq_max);
    put(o, "planes", c.planes);
    put(o, "length_max", c.length_max);
    put(o, "groups", c.groups);
    put(o, "pages", c.pages);
    return o;
}
