// SPDX-License-Identifier: BSD-2-Clause
/* out_md.c - prints docs/reference/ and renews the tables in docs/spec/. */
#include "rows.h"

#include <string.h>

static void range(FILE *o, unsigned first, unsigned count)
{
    if (count == 1)
        fprintf(o, "%u", first);
    else
        fprintf(o, "%u..%u", first, first + count - 1);
}

/* A bar inside a table cell would end it. */
static void cell(FILE *o, const char *s)
{
    for (; *s != '\0'; s++) {
        if (*s == '|')
            fputc('\\', o);
        fputc(*s, o);
    }
}

void out_md_layout(FILE *o, const struct layout *l)
{
    fprintf(o, "`%s`, %u bytes. ", l->name, l->bytes);
    cell(o, l->text);
    fputs(".\n\n| byte | bit | field | width | meaning |\n|---|---|---|---|---|\n", o);
    for (unsigned i = 0; i < l->nfields; i++) {
        const struct field *f = &l->f[i];
        fputs("| ", o);
        range(o, f->bit / 8, f->bits < 8 ? 1 : f->bits / 8);
        fputs(" | ", o);
        range(o, f->bit, f->bits);
        fprintf(o, " | `%s` | %u | ", f->name, f->bits);
        cell(o, f->text);
        fputs(" |\n", o);
    }
}

void out_md_group(FILE *o, const char *group)
{
    fputs("| name | value | meaning |\n|---|---|---|\n", o);
    for (size_t i = 0; i < ncodes; i++)
        if (strcmp(codes[i].group, group) == 0) {
            fprintf(o, "| `MR_%s_%s` | %s | ", group, codes[i].name, codes[i].literal);
            cell(o, codes[i].text);
            fputs(" |\n", o);
        }
}

void out_md_packets(FILE *o)
{
    fputs("| kind | opcode | value | extension | header bytes | payload |\n"
          "|---|---|---|---|---|---|\n", o);
    for (size_t i = 0; i < npackets; i++) {
        const struct packet *p = &packets[i];
        const struct layout *e = layout_find(p->ext);
        const struct code *k = code_find("KIND", p->kind), *c = code_find(p->group, p->opcode);
        fprintf(o, "| %s (%llu) | %s | %llu | %s%s%s | %u | ", p->kind, k->value, p->opcode,
                c->value, e ? "`" : "", p->ext, e ? "`" : "",
                layout_find("base")->bytes + (e ? e->bytes : 0));
        if (layout_find(p->payload) != NULL)
            fprintf(o, "`%s` |\n", p->payload);
        else
            fprintf(o, "%s |\n", p->payload);
    }
}

static void head(FILE *o, const char *title, const char *intro)
{
    fprintf(o, "# %s\n\nPrinted by `mr-defs` from the rows in `defs/`. Do not edit: "
               "`make gen` renews it.\n\n%s\n",
            title, intro);
}

static void print_layouts(FILE *o, bool wire)
{
    for (size_t i = 0; i < nlayouts; i++)
        if (layouts[i].wire == wire) {
            fprintf(o, "\n## %s\n\n", layouts[i].name);
            out_md_layout(o, &layouts[i]);
        }
}

void out_md_wire(FILE *o)
{
    head(o, "Wire layouts",
         "All fields are in network byte order. Bit 0 is the most significant bit of byte 0,\n"
         "the first on the wire. The specification in `docs/spec/` says how they are used.");
    print_layouts(o, true);
    fputs("\n## Packets\n\nHeader bytes are counted from the first byte behind UDP.\n\n", o);
    out_md_packets(o);
}

void out_md_queues(FILE *o)
{
    head(o, "Queue and table entries",
         "Shared by host and device. All fields are little-endian. Bit 0 is the least\n"
         "significant bit of byte 0.");
    print_layouts(o, false);
}

void out_md_codes(FILE *o)
{
    head(o, "Codes", "Numbers with names, one table per group.");
    for (size_t i = 0; i < ncodes; i++) {
        bool first = true;
        for (size_t j = 0; j < i; j++)
            first = first && strcmp(codes[j].group, codes[i].group) != 0;
        if (!first)
            continue;
        fprintf(o, "\n## MR_%s_*\n\n", codes[i].group);
        out_md_group(o, codes[i].group);
    }
}

void out_md_registers(FILE *o)
{
    head(o, "Registers",
         "BAR 0. Each register is 32 bits, little-endian, accessed whole. RO: writes change\n"
         "nothing. WO: reads give 0.");
    fprintf(o, "\nLayout hash of this version: `0x%08x`.\n\n"
               "| offset | name | access | meaning |\n|---|---|---|---|\n",
            rows_hash());
    for (size_t i = 0; i < nregs; i++) {
        fprintf(o, "| 0x%03x | `MR_REG_%s` | %s | ", regs[i].offset, regs[i].name,
                regs[i].access);
        cell(o, regs[i].text);
        fputs(" |\n", o);
    }
}

void out_md_counters(FILE *o)
{
    head(o, "Counters",
         "32 bits each, start at 0, wrap. Counter i is the register at `MR_REG_CNT` + 4 * i.");
    fputs("\n| i | offset | name | counted by | meaning |\n|---|---|---|---|---|\n", o);
    unsigned base = 0;
    for (size_t i = 0; i < nregs; i++)
        if (strcmp(regs[i].name, "CNT") == 0)
            base = regs[i].offset;
    for (size_t i = 0; i < ncounters; i++) {
        fprintf(o, "| %zu | 0x%03zx | `%s` | `%s` | ", i, base + 4 * i, counters[i].name,
                counters[i].kernel);
        cell(o, counters[i].text);
        fputs(" |\n", o);
    }
}

#define MARK     "<!-- mr-defs "
#define MARK_END "<!-- mr-defs end -->"

/* Prints what a mark asks for. 0, or -1 when it names nothing. */
static int fill_one(FILE *o, const char *what, const char *arg)
{
    if (strcmp(what, "layout") == 0 && layout_find(arg) != NULL) {
        out_md_layout(o, layout_find(arg));
        return 0;
    }
    if (strcmp(what, "packets") == 0) {
        out_md_packets(o);
        return 0;
    }
    for (size_t i = 0; i < ncodes && strcmp(what, "group") == 0; i++)
        if (strcmp(codes[i].group, arg) == 0) {
            out_md_group(o, arg);
            return 0;
        }
    return -1;
}

int out_fill(FILE *in, FILE *o, const char *name)
{
    char line[4096], what[32], arg[32];
    bool inside = false;
    for (unsigned n = 1; fgets(line, sizeof line, in) != NULL; n++) {
        bool end = strncmp(line, MARK_END, strlen(MARK_END)) == 0;
        if (end != inside && strncmp(line, MARK, strlen(MARK)) == 0) {
            fprintf(stderr, "%s:%u: mark out of place\n", name, n);
            return -1;
        }
        if (inside && !end)
            continue;
        fputs(line, o);
        if (end) {
            inside = false;
            continue;
        }
        if (strncmp(line, MARK, strlen(MARK)) != 0)
            continue;
        arg[0] = '\0';
        if (sscanf(line + strlen(MARK), "%31s %31[A-Za-z_]", what, arg) < 1 ||
            (fputc('\n', o), fill_one(o, what, arg)) != 0) {
            fprintf(stderr, "%s:%u: mark names nothing\n", name, n);
            return -1;
        }
        fputc('\n', o);
        inside = true;
    }
    if (inside)
        fprintf(stderr, "%s: last mark has no end\n", name);
    return inside ? -1 : 0;
}
