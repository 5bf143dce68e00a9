// SPDX-License-Identifier: BSD-2-Clause
/*
 * mrnic_dump.c - `mrnic dump`: entries of the device's tables. Tables, fields and
 * their texts are those that mr-defs prints from defs/: none is named here.
 */
#include "mrnic.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "mr_names.h"

struct options {
    const char *uri;
    const struct mr_name *table;  // NULL: all
    bool json, all_lines;
};

static const struct argp_option arg_options[] = {
    {"json", 'j', nullptr, 0, "print JSON", 0},
    {"long", 'l', nullptr, 0, "a line for each field, with what it means", 0},
    {},
};

static const struct mr_name *table_of(const char *name)
{
    const struct mr_name *t = mr_tbl_names;

    while (t->name && strcasecmp(t->name, name) != 0)
        t++;
    return t->name ? t : nullptr;
}

static error_t parse(int key, char *arg, struct argp_state *st)
{
    struct options *o = st->input;

    switch (key) {
    case 'j': o->json = true; return 0;
    case 'l': o->all_lines = true; return 0;
    case ARGP_KEY_ARG:
        if (strchr(arg, ':')) {
            if (o->uri)
                argp_error(st, "one device only");
            o->uri = arg;
            return 0;
        }
        if (o->table)
            argp_error(st, "one table only");
        o->table = table_of(arg);
        if (!o->table)
            argp_error(st, "no table '%s'", arg);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* The names of the tables, in the help text. */
static char *help(int key, const char *text, void *input)
{
    size_t n;
    char *s = nullptr;
    (void)input;

    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)text;
    FILE *f = open_memstream(&s, &n);
    if (!f)
        return (char *)text;
    fprintf(f, "Tables:\n");
    for (const struct mr_name *t = mr_tbl_names; t->name; t++) {
        char name[16] = "";
        for (size_t i = 0; t->name[i] && i + 1 < sizeof name; i++)
            name[i] = (char)tolower((unsigned char)t->name[i]);
        fprintf(f, "  %-12s %s\n", name, t->text);
    }
    fprintf(f, "\n%s", text);
    fclose(f);
    return s;
}

static const struct argp argp = {
    .options = arg_options,
    .parser = parse,
    .args_doc = "[URI] [TABLE]",
    .doc = "Prints the entries in use of one or all tables of a simulated NIC, which may belong to "
           "another program.\v"
           "Numbers from 2^32 on are printed in hexadecimal. Entries that the device cannot give "
           "back (all but telemetry and histograms) are those that the NIC's program wrote last. "
           "Software NICs (soft:) can be seen by their own programs only, so there is nothing to "
           "dump.",
    .help_filter = help,
};

static const struct mr_layout_name *layout_of(const struct mr_name *table)
{
    const struct mr_layout_name *l = mr_layout_names;

    while (l->name && strcasecmp(l->name, table->name) != 0)
        l++;
    return l->name ? l : nullptr;
}

/* Bits of a little-endian entry, at most 64. */
static uint64_t bits_at(const unsigned char *row, unsigned bit, unsigned bits)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < bits; i++)
        v |= (uint64_t)(row[(bit + i) / 8] >> (bit + i) % 8 & 1) << i;
    return v;
}

/* The value as text; true if its field is a number of JSON, false if a text: wider than 64 bits. */
static bool value_text(const unsigned char *row, const struct mr_field_name *f, char *text, size_t size)
{
    uint64_t low = bits_at(row, f->bit, f->bits < 64 ? f->bits : 64);
    uint64_t high = f->bits > 64 ? bits_at(row, f->bit + 64, f->bits - 64) : 0;

    if (high)
        snprintf(text, size, "0x%" PRIx64 "%016" PRIx64, high, low);
    else if (low > UINT32_MAX)
        snprintf(text, size, "0x%" PRIx64, low);
    else
        snprintf(text, size, "%" PRIu64, low);
    return f->bits <= 64 && low <= INT64_MAX;
}

static json_t *row_json(uint32_t index, const unsigned char *row, const struct mr_layout_name *l)
{
    json_t *o = json_object();
    char text[40];

    json_object_set_new(o, "index", json_integer(index));
    for (const struct mr_field_name *f = l->fields; f->name; f++)
        if (value_text(row, f, text, sizeof text))
            json_object_set_new(o, f->name, json_integer((json_int_t)bits_at(row, f->bit, f->bits)));
        else
            json_object_set_new(o, f->name, json_string(text));
    return o;
}

static void print_row(uint32_t index, const unsigned char *row, const struct mr_layout_name *l,
                      bool all_lines)
{
    char text[40];

    printf("%s %u:", l->name, index);
    for (const struct mr_field_name *f = l->fields; f->name; f++) {
        value_text(row, f, text, sizeof text);
        if (all_lines)
            printf("\n  %-10s %-18s %s", f->name, text, f->text);
        else
            printf(" %s=%s", f->name, text);
    }
    printf("\n");
}

/* One table: its entries go to `out`, or are printed if that is NULL. 0 or -errno. */
static int dump(struct mr_device *dev, const struct mr_name *table, const struct options *o, json_t *out)
{
    const struct mr_layout_name *l = layout_of(table);
    unsigned char row[MR_ROW_BYTES];
    json_t *list = json_array();
    int rc = l ? 0 : -EINVAL;

    for (uint32_t i = 0; !rc; i++) {
        rc = mr_table_next(dev, table->value, &i, row);
        if (rc)
            break;
        if (out)
            json_array_append_new(list, row_json(i, row, l));
        else
            print_row(i, row, l, o->all_lines);
    }
    if (out && l)
        json_object_set(out, l->name, list);
    json_decref(list);
    return rc == -ENOENT ? 0 : rc;
}

int mrnic_dump(int argc, char **argv)
{
    struct options o = {};
    struct mr_device *dev;
    int rc = 0;

    argp_parse(&argp, argc, argv, 0, nullptr, &o);
    if (look_open(o.uri, &dev))
        return 1;
    json_t *out = o.json ? json_object() : nullptr;
    for (const struct mr_name *t = mr_tbl_names; t->name && !rc; t++)
        if (!o.table || o.table == t)
            rc = dump(dev, t, &o, out);
    if (rc)
        look_fail(o.uri, rc);
    else if (out)
        look_print_json(json_incref(out));
    json_decref(out);
    mr_device_close(dev);
    return rc ? 1 : 0;
}
