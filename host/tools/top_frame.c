// SPDX-License-Identifier: BSD-2-Clause
/* top_frame.c - what `mrnic top` shows, as text. Rates are per device time. */
#include "top.h"

#include <errno.h>
#include <inttypes.h>

#include "report.h"

enum { PLANES = 8 };

/* Of a path, a plane or a connection: sums since the connection was made, and since the last look. */
struct sums {
    uint64_t paths, new_bytes, packets, inflight, resent, lost, marks, fails;
};

int top_look(struct mr_device *dev, struct top_view *v)
{
    *v = (struct top_view){};
    v->counters = report_counters(dev);
    if (v->counters)
        v->connections = look_connections(dev, false);
    if (v->connections && !mr_device_time(dev, &v->ns))
        return 0;
    top_free(v);
    return -EIO;
}

void top_free(struct top_view *v)
{
    json_decref(v->counters);
    json_decref(v->connections);
    *v = (struct top_view){};
}

static const char *text(const json_t *o, const char *name)
{
    const char *s = json_string_value(json_object_get(o, name));

    return s ? s : "?";
}

/* The object of a list whose field has that value; NULL if there is none. */
static const json_t *find(const json_t *list, const char *name, uint64_t value)
{
    size_t i;
    json_t *o;

    json_array_foreach(list, i, o)
        if (look_num(o, name) == value)
            return o;
    return nullptr;
}

/* The same connection at the last look; NULL if it is another one under this index. */
static const json_t *earlier(const struct top_view *before, const json_t *conn)
{
    const json_t *c = find(before->connections, "conn", look_num(conn, "conn"));

    return c && look_num(c, "local") == look_num(conn, "local") ? c : nullptr;
}

/* How far a count has come since the last look; without one, nothing. */
static uint64_t gain(const json_t *now, const json_t *then, const char *name)
{
    uint64_t a = look_num(now, name), b = look_num(then, name);

    return then && a > b ? a - b : 0;
}

static struct sums path_sums(const json_t *p, const json_t *then)
{
    return (struct sums){
        .paths = 1,
        .new_bytes = gain(p, then, "bytes"),
        .packets = look_num(p, "packets"),
        .inflight = look_num(p, "inflight"),
        .resent = look_num(p, "resent"),
        .lost = look_num(p, "lost"),
        .marks = look_num(p, "marks"),
        .fails = look_num(p, "fails"),
    };
}

static void add(struct sums *to, struct sums s)
{
    to->paths += s.paths;
    to->new_bytes += s.new_bytes;
    to->packets += s.packets;
    to->inflight += s.inflight;
    to->resent += s.resent;
    to->lost += s.lost;
    to->marks += s.marks;
    to->fails += s.fails;
}

/* A rate, ten columns wide, or a dash while there is nothing to compare with. */
static void rate(FILE *f, double n, uint64_t ns)
{
    if (ns)
        fprintf(f, "%10.3f", n / (double)ns);
    else
        fprintf(f, "%10s", "-");
}

static void print_sums(FILE *f, const struct sums *s, uint64_t ns)
{
    rate(f, (double)s->new_bytes * 8, ns);
    fprintf(f, " %9" PRIu64 " %6" PRIu64 " %6" PRIu64 " %6" PRIu64 " %6" PRIu64 " %5" PRIu64 "\n",
            s->packets, s->inflight, s->resent, s->lost, s->marks, s->fails);
}

static constexpr char columns[] = "    Gbit/s   packets flight resent   lost  marks fails\n";

static void print_device(FILE *f, const struct top_view *v, const struct top_view *before, uint64_t ns)
{
    static const char *const names[] = {"tx_frames", "rx_frames", "tx_data",  "tx_resent",
                                        "rx_data",   "rx_errors", "tx_errors"};
    static constexpr size_t n = sizeof names / sizeof names[0];

    for (size_t i = 0; i < n; i++)
        fprintf(f, "%10s", names[i]);
    fprintf(f, "\n");
    for (size_t i = 0; i < n; i++)
        fprintf(f, "%10" PRIu64, look_num(v->counters, names[i]));
    fprintf(f, "  all\n");
    for (size_t i = 0; i < n; i++)
        rate(f, (double)gain(v->counters, before->counters, names[i]) * 1e3, ns);
    fprintf(f, "  Mega/s\n");
}

static void print_planes(FILE *f, const struct top_view *v, const struct top_view *before, uint64_t ns)
{
    struct sums plane[PLANES] = {};
    size_t i, k;
    json_t *c, *p;

    json_array_foreach(v->connections, i, c) {
        const json_t *paths = json_object_get(earlier(before, c), "paths");
        json_array_foreach(json_object_get(c, "paths"), k, p)
            add(&plane[look_num(p, "plane") % PLANES],
                path_sums(p, find(paths, "path", look_num(p, "path"))));
    }
    fprintf(f, "\nplane paths               %s", columns);
    for (int n = 0; n < PLANES; n++)
        if (plane[n].paths) {
            fprintf(f, "%5d %5" PRIu64 "               ", n, plane[n].paths);
            print_sums(f, &plane[n], ns);
        }
}

static void print_conns(FILE *f, const struct top_view *v, const struct top_view *before, uint64_t ns)
{
    size_t i, k;
    json_t *c, *p;

    fprintf(f, "\n conn paths peer          %s", columns);
    json_array_foreach(v->connections, i, c) {
        const json_t *paths = json_object_get(earlier(before, c), "paths");
        struct sums sum = {};
        json_array_foreach(json_object_get(c, "paths"), k, p)
            add(&sum, path_sums(p, find(paths, "path", look_num(p, "path"))));
        fprintf(f, "%5" PRIu64 " %5" PRIu64 " %-14s", look_num(c, "conn"), sum.paths, text(c, "daddr"));
        print_sums(f, &sum, ns);
    }
}

static void print_paths(FILE *f, const struct top_view *v, const struct top_view *before, uint64_t ns)
{
    size_t i, k;
    json_t *c, *p;

    fprintf(f, "\n conn  path pl state    rtt us  wnd%s", columns);
    json_array_foreach(v->connections, i, c) {
        const json_t *paths = json_object_get(earlier(before, c), "paths");
        json_array_foreach(json_object_get(c, "paths"), k, p) {
            struct sums s = path_sums(p, find(paths, "path", look_num(p, "path")));
            fprintf(f, "%5" PRIu64 " %5" PRIu64 " %2" PRIu64 " %-7s %7.2f %4" PRIu64, look_num(c, "conn"),
                    look_num(p, "path"), look_num(p, "plane"), text(p, "state"),
                    (double)look_num(p, "srtt_ns") / 1000, look_num(p, "cwnd"));
            print_sums(f, &s, ns);
        }
    }
}

void top_frame(FILE *f, const char *uri, const struct top_view *v, const struct top_view *before)
{
    uint64_t ns = before->counters && v->ns > before->ns ? v->ns - before->ns : 0;

    fprintf(f, "mrnic top - %s, device time %.3f us", uri, (double)v->ns / 1000);
    if (before->counters)
        fprintf(f, ", %.3f us later", (double)(v->ns - before->ns) / 1000);
    fprintf(f, ", connections: %zu\n\n", json_array_size(v->connections));
    print_device(f, v, before, ns);
    if (!json_array_size(v->connections))
        return;
    print_planes(f, v, before, ns);
    print_conns(f, v, before, ns);
    print_paths(f, v, before, ns);
}
