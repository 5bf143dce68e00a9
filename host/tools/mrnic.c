// SPDX-License-Identifier: BSD-2-Clause
/*
 * mrnic.c - looks at devices from the command line.
 *
 *     mrnic list                which of the usual devices can be opened
 *     mrnic info [--dev URI]    what a device can do, and how it is set
 *     mrnic stat [--dev URI]    its counters
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

struct options {
    const char *command, *uri;
    bool json;
};

static const struct argp_option arg_options[] = {
    {"dev", 'd', "URI", 0, "device, default $MR_DEVICE or sim:", 0},
    {"json", 'j', nullptr, 0, "print JSON", 0},
    {},
};

static error_t parse(int key, char *arg, struct argp_state *st)
{
    struct options *o = st->input;

    switch (key) {
    case 'd': o->uri = arg; break;
    case 'j': o->json = true; break;
    case ARGP_KEY_ARG:
        if (st->arg_num)
            argp_error(st, "one command only");
        o->command = arg;
        break;
    case ARGP_KEY_END:
        if (!o->command)
            argp_error(st, "which command?");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    .options = arg_options,
    .parser = parse,
    .args_doc = "list|info|stat",
    .doc = "Looks at MetaRoCE devices.\v"
           "list opens each of the usual devices for a moment; one that is in use is told as busy. "
           "Paths belong to the program that has the connection: mr_sendfile --json writes their "
           "telemetry and histograms, mr_run prints them.",
};

static void print_json(json_t *o)
{
    json_dumpf(o, stdout, JSON_INDENT(1));
    printf("\n");
    json_decref(o);
}

static int fail(const char *uri, int rc)
{
    fprintf(stderr, "mrnic: %s: %s\n", uri ? uri : "default device", mr_strerror(rc));
    return 1;
}

static int list(const struct options *o)
{
    const char *env = getenv("MR_DEVICE");
    const char *uris[] = {o->uri ? o->uri : env ? env : "sim:", o->uri ? nullptr : "soft:0"};
    json_t *all = json_array();

    for (size_t i = 0; i < sizeof uris / sizeof uris[0]; i++) {
        struct mr_device *dev;
        if (!uris[i])
            continue;
        int rc = mr_device_open(uris[i], &dev);
        if (!o->json)
            printf("%-20s %s\n", uris[i], rc ? mr_strerror(rc) : "there");
        json_array_append_new(all, json_pack("{s:s, s:b, s:s}", "device", uris[i], "there", !rc,
                                             "text", mr_strerror(rc)));
        if (!rc)
            mr_device_close(dev);
    }
    if (o->json)
        print_json(all);
    else
        json_decref(all);
    return 0;
}

static void print_values(json_t *o)
{
    const char *name;
    json_t *v;

    json_object_foreach(o, name, v) {
        if (json_is_integer(v))
            printf("%-14s %" PRIu64 "\n", name, (uint64_t)json_integer_value(v));
        else if (json_is_string(v))
            printf("%-14s %s\n", name, json_string_value(v));
    }
}

static int info(const struct options *o, struct mr_device *dev)
{
    json_t *caps = report_caps(dev), *tunables = report_tunables(dev);

    if (!tunables) {
        json_decref(caps);
        return fail(mr_device_uri(dev), -EIO);
    }
    json_object_set_new(caps, "device", json_string(mr_device_uri(dev)));
    json_object_set_new(caps, "tunables", tunables);
    if (o->json) {
        print_json(caps);
        return 0;
    }
    print_values(caps);
    printf("\n");
    print_values(tunables);
    json_decref(caps);
    return 0;
}

static int stat_of(const struct options *o, struct mr_device *dev)
{
    json_t *counters = report_counters(dev);

    if (!counters)
        return fail(mr_device_uri(dev), -EIO);
    if (o->json) {
        print_json(counters);
        return 0;
    }
    for (uint32_t i = 0; i < mr_counter_count(); i++)
        printf("%-16s %12" PRIu64 "  %s\n", mr_counter_name(i),
               (uint64_t)json_integer_value(json_object_get(counters, mr_counter_name(i))),
               mr_counter_text(i));
    json_decref(counters);
    return 0;
}

int main(int argc, char **argv)
{
    struct options o = {};
    struct mr_device *dev;

    argp_parse(&argp, argc, argv, 0, nullptr, &o);
    if (!strcmp(o.command, "list"))
        return list(&o);
    if (strcmp(o.command, "info") != 0 && strcmp(o.command, "stat") != 0) {
        fprintf(stderr, "mrnic: no command %s\n", o.command);
        return 64;
    }
    int rc = mr_device_open(o.uri, &dev);
    if (rc)
        return fail(o.uri, rc);
    rc = !strcmp(o.command, "info") ? info(&o, dev) : stat_of(&o, dev);
    mr_device_close(dev);
    return rc;
}
