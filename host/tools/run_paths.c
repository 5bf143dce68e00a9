// SPDX-License-Identifier: BSD-2-Clause
/* run_paths.c - the paths at the end of a run: a line each, of many only those that are remarkable. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

enum { LINES = 16, BUCKETS = 16 };

/* The counts of a path; the last row of a table has their sums. */
static const char *const counts[] = {"packets", "resent", "lost", "marks", "probes", "fails", "moved"};
static constexpr size_t n_counts = sizeof counts / sizeof counts[0];

static int64_t num(const json_t *o, const char *name)
{
    return (int64_t)json_integer_value(json_object_get(o, name));
}

static const char *state_of(const json_t *p)
{
    const char *s = json_string_value(json_object_get(p, "state"));

    return s ? s : "?";
}

static int64_t bucket(const json_t *p, size_t i)
{
    return (int64_t)json_integer_value(json_array_get(json_object_get(p, "rtt"), i));
}

/* Shown of many paths: what failed, moved something, or is not simply in use. */
static bool shown(const json_t *paths, const json_t *p)
{
    return json_array_size(paths) <= LINES || num(p, "fails") || num(p, "moved") ||
           strcmp(state_of(p), "live") != 0;
}

static void print_counts(const int64_t *v)
{
    printf(" %8" PRId64 " %6" PRId64 " %5" PRId64 " %5" PRId64 " %6" PRId64 " %5" PRId64 " %5" PRId64,
           v[0], v[1], v[2], v[3], v[4], v[5], v[6]);
}

static void print_path(const json_t *p)
{
    int64_t v[n_counts];

    for (size_t i = 0; i < n_counts; i++)
        v[i] = num(p, counts[i]);
    printf("%4" PRId64 " %5" PRId64 " %5" PRId64 " %7.2f %4" PRId64, num(p, "path"), num(p, "plane"),
           num(p, "sport"), (double)num(p, "srtt_ns") / 1000, num(p, "cwnd"));
    print_counts(v);
    printf(" %5" PRId64 " %s\n", num(p, "epoch"), state_of(p));
}

static void print_sum(const json_t *paths)
{
    int64_t v[n_counts] = {}, rtt = 0, cwnd = 0, used = 0;
    const json_t *p;
    size_t k;

    json_array_foreach(paths, k, p) {
        for (size_t i = 0; i < n_counts; i++)
            v[i] += num(p, counts[i]);
        cwnd += num(p, "cwnd");
        rtt += num(p, "srtt_ns");
        used += num(p, "srtt_ns") != 0;
    }
    printf(" all %5zu       %7.2f %4" PRId64, json_array_size(paths),
           used ? (double)rtt / (double)used / 1000 : 0, cwnd);
    print_counts(v);
    printf("\n");
}

static void print_hist(const char *name, const int64_t *v, size_t first, size_t last)
{
    printf("%4s", name);
    for (size_t i = first; i <= last; i++)
        printf(" %8" PRId64, v[i]);
    printf("\n");
}

/* Bucket i: below 256 << i ns. Columns without a sample at both ends are left out. */
static void print_hists(const json_t *paths)
{
    int64_t sum[BUCKETS] = {}, v[BUCKETS];
    size_t first = BUCKETS, last = 0, k;
    const json_t *p;

    json_array_foreach(paths, k, p)
        for (size_t i = 0; i < BUCKETS; i++)
            sum[i] += bucket(p, i);
    for (size_t i = 0; i < BUCKETS; i++)
        if (sum[i]) {
            first = first < i ? first : i;
            last = i;
        }
    printf("\nround trips below us\npath");
    for (size_t i = first; i <= last; i++)
        if (i < BUCKETS - 1)
            printf(" %8.2f", (double)(256u << i) / 1000);
        else
            printf("     more");
    printf("\n");
    json_array_foreach(paths, k, p) {
        char name[8];
        for (size_t i = 0; i < BUCKETS; i++)
            v[i] = bucket(p, i);
        snprintf(name, sizeof name, "%zu", k);
        if (shown(paths, p))
            print_hist(name, v, first, last);
    }
    print_hist("all", sum, first, last);
}

void paths_print(const json_t *paths, bool hist)
{
    const json_t *p;
    size_t k;

    printf("\npath plane sport  rtt us  wnd  packets resent  lost marks probes fails moved epoch state\n");
    json_array_foreach(paths, k, p)
        if (shown(paths, p))
            print_path(p);
    if (json_array_size(paths) > 1)
        print_sum(paths);
    if (hist)
        print_hists(paths);
}
