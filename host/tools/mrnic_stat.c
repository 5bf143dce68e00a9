// SPDX-License-Identifier: BSD-2-Clause
/* mrnic_stat.c - `mrnic stat`: counters of a device, and its connections and their paths. */
#include "mrnic.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "report.h"
#include "run.h"

static void print(json_t *counters, json_t *connections)
{
    json_t *c;
    size_t i;

    for (uint32_t k = 0; k < mr_counter_count(); k++)
        printf("%-16s %12" PRIu64 "  %s\n", mr_counter_name(k), look_num(counters, mr_counter_name(k)),
               mr_counter_text(k));
    json_array_foreach(connections, i, c) {
        printf("\nconnection %" PRIu64 ": %s to %s, payload %" PRIu64 ", planes %" PRIu64
               ", weight %" PRIu64 "\n",
               look_num(c, "conn"), json_string_value(json_object_get(c, "saddr")),
               json_string_value(json_object_get(c, "daddr")), look_num(c, "mtu"),
               look_num(c, "planes"), look_num(c, "weight"));
        paths_print(json_object_get(c, "paths"), false);
    }
}

int mrnic_stat(int argc, char **argv)
{
    struct mrnic_options o = mrnic_parse(
        argc, argv,
        "Prints the counters of a device, and the telemetry of its open connections and their "
        "paths.\v"
        "Of more than 16 paths of a connection, those are printed that failed or moved something, "
        "and the sums; --json has all, with their histograms. Counters are those of "
        "mr_counter_name(3), telemetry that of struct mr_path_info. A simulated NIC may belong to "
        "another program. A software NIC (soft:) can be seen by its own program only: here it is "
        "opened anew and has no connections.");
    struct mr_device *dev;
    uint64_t ns = 0;

    if (look_open(o.uri, &dev))
        return 1;
    json_t *counters = report_counters(dev);
    json_t *connections = counters ? look_connections(dev, true) : nullptr;
    int rc = mr_device_time(dev, &ns);
    int status = connections && !rc ? 0 : look_fail(o.uri, -EIO);
    if (!status && o.json)
        look_print_json(json_pack("{s:s, s:I, s:O, s:O}", "device", look_uri(o.uri), "time_ns",
                                  (json_int_t)ns, "counters", counters, "connections", connections));
    else if (!status)
        print(counters, connections);
    json_decref(counters);
    json_decref(connections);
    mr_device_close(dev);
    return status;
}
