// SPDX-License-Identifier: BSD-2-Clause
/* run_table.c - the table at the end of a run. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

static int64_t num(const json_t *o, const char *name)
{
    return (int64_t)json_integer_value(json_object_get(o, name));
}

/* Sum of a field over the simulator's lanes that begin at NIC src. */
static int64_t lanes(const json_t *sim, int64_t src, const char *field)
{
    int64_t sum = 0;
    size_t i;
    json_t *lane;

    json_array_foreach(json_object_get(sim, "lanes"), i, lane)
        if (num(lane, "src") == src)
            sum += num(lane, field);
    return sum;
}

static void print_side(const char *name, const json_t *o)
{
    const json_t *c = json_object_get(o, "counters");

    printf("%-9s frames %" PRId64 " out, %" PRId64 " in; duplicates dropped %" PRId64
           ", acknowledgments sent %" PRId64 ", errors %" PRId64 "\n",
           name, num(c, "tx_frames"), num(c, "rx_frames"), num(c, "rx_dup"), num(c, "tx_acks"),
           num(c, "rx_errors") + num(c, "tx_errors"));
}

int table_print(const struct run_options *o, const json_t *send, const json_t *recv,
                const json_t *sim)
{
    const char *a = json_string_value(json_object_get(send, "sha256"));
    const char *b = json_string_value(json_object_get(recv, "sha256"));
    const json_t *counters = json_object_get(send, "counters");
    int64_t bytes = num(send, "bytes"), ns = num(send, "time_ns");
    int64_t packets = num(counters, "tx_data"), resent = num(counters, "tx_resent");
    double rate = ns ? (double)bytes * 8 / (double)ns : 0;
    bool equal = a && b && !strcmp(a, b) && bytes == num(recv, "bytes");

    printf("\n");
    printf("file      %s, %" PRId64 " bytes in %" PRId64 " messages\n", o->file, bytes,
           num(send, "messages"));
    printf("device    2 NICs (%s), %u paths, %u routes, ", o->engine, o->paths, o->routes);
    if (o->planes > 1)
        printf("%u planes, ", o->planes);
    printf("%g %% loss, seed %" PRIu64 "\n", o->loss * 100, o->seed);
    printf("time      %.3f us simulated\n", (double)ns / 1000);
    printf("goodput   %.2f Gbit/s, %.1f %% of the line's %g\n", rate, rate * 100 / o->rate, o->rate);
    printf("packets   %" PRId64 " data, %" PRId64 " sent again (%.2f %%)\n", packets, resent,
           packets ? (double)resent * 100 / (double)packets : 0);
    printf("fabric    lost %" PRId64 " of the sender's frames and %" PRId64
           " of the receiver's, dropped %" PRId64 " at full queues\n",
           lanes(sim, 0, "lost") + lanes(sim, 0, "holed"), lanes(sim, 1, "lost") + lanes(sim, 1, "holed"),
           lanes(sim, 0, "tail") + lanes(sim, 1, "tail"));
    print_side("sender", send);
    print_side("receiver", recv);
    paths_print(json_object_get(send, "paths"), o->hist);
    printf("\nSHA-256   %s\n          %s: %s\n", a ? a : "none", b ? b : "none",
           equal ? "equal" : "DIFFERENT");
    return equal ? 0 : -1;
}
