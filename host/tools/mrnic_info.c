// SPDX-License-Identifier: BSD-2-Clause
/* mrnic_info.c - `mrnic info`: versions, limits and tunables of a device. */
#include "mrnic.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "report.h"

static void print_values(const char *title, json_t *o)
{
    const char *name;
    json_t *v;

    printf("\n%s\n", title);
    json_object_foreach(o, name, v)
        printf("  %-14s %" PRIu64 "\n", name, (uint64_t)json_integer_value(v));
}

static void print(json_t *caps, json_t *tunables, const char *uri)
{
    uint32_t version = (uint32_t)look_num(caps, "version");

    printf("device           %s\n", uri);
    printf("interface        %u.%u\n", version >> 16, version & 0xffff);
    printf("layouts          0x%08" PRIx64 "\n", look_num(caps, "layout_hash"));
    printf("library          %d.%d\n", METAROCE_VERSION_MAJOR, METAROCE_VERSION_MINOR);
    json_object_del(caps, "version");
    json_object_del(caps, "layout_hash");
    print_values("limits", caps);
    print_values("set to", tunables);
}

int mrnic_info(int argc, char **argv)
{
    struct mrnic_options o = mrnic_parse(
        argc, argv,
        "Prints the versions, limits and tunables of a device.\v"
        "The limits are those of struct mr_caps, the tunables those of mr_device_tune(3). A simulated "
        "NIC may belong to another program. A software NIC is opened anew: what is printed is "
        "how it would be for a program that opens it now.");
    struct mr_device *dev;

    if (look_open(o.uri, &dev))
        return 1;
    json_t *caps = report_caps(dev), *tunables = report_tunables(dev);
    const char *uri = look_uri(o.uri);
    int status = tunables ? 0 : look_fail(uri, -EIO);
    if (!status && o.json) {
        json_object_set_new(caps, "device", json_string(uri));
        json_object_set(caps, "tunables", tunables);
        look_print_json(json_incref(caps));
    } else if (!status) {
        print(caps, tunables, uri);
    }
    json_decref(caps);
    json_decref(tunables);
    mr_device_close(dev);
    return status;
}
