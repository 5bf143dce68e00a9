// SPDX-License-Identifier: BSD-2-Clause
/* mrnic_list.c - `mrnic list`: which devices are there, and which of them are free. */
#include "mrnic.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static constexpr size_t stats_max = 16 << 20;  // bytes of a simulator's statistics

static void add(json_t *all, const char *uri, const char *state, const char *text)
{
    json_array_append_new(all, json_pack("{s:s, s:s, s:s}", "device", uri, "state", state, "text", text));
}

static void add_rc(json_t *all, const char *uri, int rc)
{
    add(all, uri, !rc ? "free" : rc == -EBUSY ? "in use" : "absent",
        rc && rc != -EBUSY ? mr_strerror(rc) : "");
}

/* The simulator's statistics, which have an object for each NIC; NULL if they cannot be had. */
static json_t *stats_of(struct mr_device *dev)
{
    char *text = malloc(stats_max);
    json_t *o = nullptr;

    if (text && mr_device_stats(dev, text, stats_max) > 0)
        o = json_loads(text, 0, nullptr);
    free(text);
    return o;
}

/* Every NIC of the simulator that the URI names, without taking one. */
static void add_sim(json_t *all, const char *uri)
{
    struct mr_device *dev;
    char head[160], one[192];
    size_t i;
    json_t *nic;

    snprintf(head, sizeof head, "%.*s", (int)strcspn(uri, "?"), uri);
    snprintf(one, sizeof one, "%s?watch=1", head);
    int rc = mr_device_open(one, &dev);
    if (rc) {
        add_rc(all, uri, rc);
        return;
    }
    json_t *stats = stats_of(dev);
    json_array_foreach(json_object_get(stats, "nics"), i, nic) {
        snprintf(one, sizeof one, "%s?nic=%zu", head, i);
        add_rc(all, one, json_is_true(json_object_get(nic, "taken")) ? -EBUSY : 0);
    }
    json_decref(stats);
    mr_device_close(dev);
}

/* A device that is opened for a moment. */
static void add_opened(json_t *all, const char *uri)
{
    struct mr_device *dev;
    int rc = mr_device_open(uri, &dev);

    add_rc(all, uri, rc);
    if (!rc)
        mr_device_close(dev);
}

/* soft:0, and those whose sockets are in the directory. */
static void add_soft(json_t *all)
{
    const char *env = getenv("MR_SOFT_DIR");
    char dir[80], uri[32];
    unsigned n;
    int end;

    snprintf(dir, sizeof dir, "/tmp/metaroce-%u", (unsigned)getuid());
    DIR *d = opendir(env && *env ? env : dir);
    add_opened(all, "soft:0");
    for (struct dirent *e; d && (e = readdir(d));)
        if (sscanf(e->d_name, "%u.sock%n", &n, &end) == 1 && !e->d_name[end] && n && n <= 254) {
            snprintf(uri, sizeof uri, "soft:%u", n);
            add_opened(all, uri);
        }
    if (d)
        closedir(d);
}

int mrnic_list(int argc, char **argv)
{
    struct mrnic_options o = mrnic_parse(
        argc, argv,
        "Lists the NICs of the simulator that sim: stands for, and software NICs, and whether "
        "another program has them; with a URI, what that one names.\v"
        "No NIC of a simulator is taken for it. Software NICs are opened for a moment. The state is "
        "'free', 'in use' or 'absent'.");
    json_t *all = json_array(), *e;
    const char *uri = look_uri(o.uri);
    size_t i;

    if (!strncmp(uri, "sim:", 4))
        add_sim(all, uri);
    else
        add_opened(all, uri);
    if (!o.uri)
        add_soft(all);
    if (o.json) {
        look_print_json(all);
        return 0;
    }
    json_array_foreach(all, i, e)
        printf("%-32s %-7s %s\n", json_string_value(json_object_get(e, "device")),
               json_string_value(json_object_get(e, "state")),
               json_string_value(json_object_get(e, "text")));
    json_decref(all);
    return 0;
}
