// SPDX-License-Identifier: BSD-2-Clause
/* look.c - what the sub-commands have in common. See mrnic.h. */
#include "lib/tele.h"

#include "mrnic.h"

#include <argp.h>
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

static constexpr uint32_t group = 8;  // path entries in a group

/* The command line. */

static const struct argp_option arg_options[] = {
    {"json", 'j', nullptr, 0, "print JSON", 0},
    {},
};

static error_t parse(int key, char *arg, struct argp_state *st)
{
    struct mrnic_options *o = st->input;

    switch (key) {
    case 'j': o->json = true; return 0;
    case ARGP_KEY_ARG:
        if (o->uri)
            argp_error(st, "one device only");
        if (!strchr(arg, ':'))
            argp_error(st, "'%s' is no URI of a device", arg);
        o->uri = arg;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

struct mrnic_options mrnic_parse(int argc, char **argv, const char *doc)
{
    struct mrnic_options o = {};
    const struct argp argp = {
        .options = arg_options, .parser = parse, .args_doc = "[URI]", .doc = doc};

    argp_parse(&argp, argc, argv, 0, nullptr, &o);
    return o;
}

/* Devices. */

const char *look_uri(const char *uri)
{
    const char *env = getenv("MR_DEVICE");

    return uri ? uri : env && *env ? env : "sim:";
}

int look_fail(const char *uri, int err)
{
    fprintf(stderr, "mrnic: %s: %s\n", look_uri(uri), mr_strerror(err));
    return 1;
}

int look_open(const char *uri, struct mr_device **dev)
{
    char *watch = nullptr;

    uri = look_uri(uri);
    if (!strncmp(uri, "sim:", 4) && !strstr(uri, "watch=") &&
        asprintf(&watch, "%s%cwatch=1", uri, strchr(uri, '?') ? '&' : '?') < 0)
        return -ENOMEM;
    int rc = mr_device_open(watch ? watch : uri, dev);
    free(watch);
    if (rc)
        look_fail(uri, rc);
    return rc;
}

/* Connections. */

static void put(json_t *o, const char *name, uint64_t v)
{
    json_object_set_new(o, name, json_integer((json_int_t)v));
}

static void put_ip(json_t *o, const char *name, unsigned _BitInt(128) v, bool ipv6)
{
    uint8_t raw[16];
    char text[INET6_ADDRSTRLEN];

    for (int i = 0; i < 16; i++)
        raw[i] = (uint8_t)(v >> 8 * (15 - i));
    inet_ntop(ipv6 ? AF_INET6 : AF_INET, ipv6 ? raw : raw + 12, text, sizeof text);
    json_object_set_new(o, name, json_string(text));
}

static void put_mac(json_t *o, const char *name, uint64_t v)
{
    char text[18];

    snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", (uint8_t)(v >> 40),
             (uint8_t)(v >> 32), (uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v);
    json_object_set_new(o, name, json_string(text));
}

/* The entry of just that index: -ENOENT if it is not in use. */
static int row_at(struct mr_device *dev, uint32_t table, uint32_t index, unsigned char *row)
{
    uint32_t at = index;
    int rc = mr_table_next(dev, table, &at, row);

    return rc ? rc : at == index ? 0 : -ENOENT;
}

/* Adds a path to the list; one that has gone meanwhile is left out. */
static int add_path(struct mr_device *dev, uint32_t path, uint32_t index, bool hist, json_t *list)
{
    unsigned char entry[MR_ROW_BYTES], tele[MR_ROW_BYTES], rtt[MR_ROW_BYTES] = {};
    uint32_t bucket[MR_HIST_BUCKETS];
    int rc = row_at(dev, MR_TBL_PATH, index, entry);

    rc = rc ? rc : row_at(dev, MR_TBL_TELE, index, tele);
    if (!rc && hist)
        rc = row_at(dev, MR_TBL_HIST, index, rtt);
    if (rc)
        return rc == -ENOENT ? 0 : rc;
    struct mr_path_row row = mr_path_get(entry);
    struct mr_path_info info = mri_tele_info(mr_tele_get(tele));
    info.sport = (uint16_t)row.sport;
    info.plane = (uint8_t)row.plane;
    for (int i = 0; i < MR_HIST_BUCKETS; i++)
        bucket[i] = (uint32_t)rtt[4 * i] | (uint32_t)rtt[4 * i + 1] << 8 |
                    (uint32_t)rtt[4 * i + 2] << 16 | (uint32_t)rtt[4 * i + 3] << 24;
    json_t *o = report_path(path, &info, bucket);
    if (!hist)
        json_object_del(o, "rtt");
    json_array_append_new(list, o);
    return 0;
}

static json_t *connection(uint32_t index, struct mr_conn_row c)
{
    json_t *o = json_object();
    bool ipv6 = c.flags & MR_CONNF_IPV6;

    put(o, "conn", index);
    put(o, "local", (uint64_t)c.local);
    put(o, "peer", (uint64_t)c.peer);
    put_ip(o, "saddr", c.saddr, ipv6);
    put_ip(o, "daddr", c.daddr, ipv6);
    put_mac(o, "smac", (uint64_t)c.smac);
    put_mac(o, "dmac", (uint64_t)c.dmac);
    put(o, "mtu", c.mtu);
    put(o, "planes", c.nplanes ? c.nplanes : 1);
    put(o, "weight", c.weight ? c.weight : 1);
    return o;
}

json_t *look_connections(struct mr_device *dev, bool hist)
{
    json_t *all = json_array();
    unsigned char entry[MR_ROW_BYTES];
    uint32_t index = 0;
    int rc;

    while (!(rc = mr_table_next(dev, MR_TBL_CONN, &index, entry))) {
        struct mr_conn_row c = mr_conn_get(entry);
        json_t *o = connection(index, c), *paths = json_array();
        for (uint32_t p = 0; p < c.npaths && !rc; p++)
            rc = add_path(dev, p, c.group * group + p, hist, paths);
        json_object_set_new(o, "paths", paths);
        json_array_append_new(all, o);
        if (rc)
            break;
        index++;
    }
    if (rc == -ENOENT || rc == -ENOTSUP)
        return all;
    json_decref(all);
    return nullptr;
}

void look_print_json(json_t *o)
{
    json_dumpf(o, stdout, JSON_INDENT(1));
    printf("\n");
    json_decref(o);
}

uint64_t look_num(const json_t *o, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(o, name));
}
