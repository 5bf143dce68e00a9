// SPDX-License-Identifier: BSD-2-Clause
/* report.c - what a kernel became, as text and as JSON. */
#include "finish.h"
#include "glue.h"

#include <stdlib.h>

static uint8_t *mark;

static void mark_root(ref r)
{
    reach_nodes(r, mark);
}

/** Operations by kind and width. */
struct count {
    enum op op;
    uint32_t w, n;
};
static struct count *counts;
static size_t ncounts, cap;

static int by_kind(const void *p, const void *q)
{
    const struct count *a = p, *b = q;
    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    return a->w < b->w ? -1 : a->w > b->w;
}

static bool is_operation(enum op op)
{
    return op != N_CONST && op != N_VAR && op != N_DC && op != N_CAT && op != N_SLICE && op != N_REP && op != N_READ;
}

static void count_operations(void)
{
    mark = xalloc(node_count);
    ncounts = 0;
    each_root(mark_root);
    for (ref r = 1; r < node_count; r++) {
        if (!mark[r] || !is_operation(node[r].op))
            continue;
        // comparisons, counts and parities are as large as their operand
        bool reduces = node[r].w == 1 || node[r].op == N_CTZ || node[r].op == N_CLZ || node[r].op == N_POP;
        uint32_t w = reduces && node[r].op != N_MUX ? node[node[r].a[0]].w : node[r].w;
        size_t i = 0;
        while (i < ncounts && (counts[i].op != node[r].op || counts[i].w != w))
            i++;
        if (i == ncounts) {
            counts = xgrow(counts, &cap, ncounts + 1, sizeof *counts);
            counts[ncounts++] = (struct count){node[r].op, w, 0};
        }
        counts[i].n++;
    }
    if (ncounts)
        qsort(counts, ncounts, sizeof *counts, by_kind);
}

static void count_registers(uint32_t *n, uint64_t *bits)
{
    *n = 0;
    *bits = 0;
    for (uint32_t s = 0; s < slots; s++) {
        bool state = slot[s].role == ROLE_REG && (!slot[s].port || slot[s].port == P_STAT);
        if ((state && (reg[s].sync < 0 || reg[s].muxed)) || reg[s].held) {
            ++*n;
            *bits += slot[s].width;
        }
    }
}

static const char *kind_name(enum port p)
{
    return p == P_IN ? "in" : p == P_OUT ? "out" : p == P_CFG ? "cfg" : "stat";
}

static uint64_t port_width(const struct lay *f)
{
    return lay_width(f->port == P_IN || f->port == P_OUT ? lay_field(f, "data") : f);
}

static uint32_t sync_reads(uint32_t r)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < sync_ports; p++)
        n += sync_port[p].ram == r;
    return n;
}

static uint32_t write_ports(uint32_t r)
{
    uint32_t n = 0;
    for (uint32_t l = 0; l < (ram_info[r].packed ? 1 : ram[r]->leaves); l++)
        n += !is_zero(ram_info[r].write[l].en);
    return n;
}

void report_print(FILE *f, const struct lay *root)
{
    uint32_t n;
    uint64_t bits;
    count_operations();
    count_registers(&n, &bits);
    fprintf(f, "kernel %s\n", root->name);
    for (uint32_t i = 0; i < root->fields; i++)
        if (root->field[i].port)
            fprintf(f, "  port %-4s %s: %llu bits\n", kind_name(root->field[i].port), root->field[i].name,
                    (unsigned long long)port_width(&root->field[i]));
    fprintf(f, "  registers: %u, %llu bits\n", n, (unsigned long long)bits);
    for (uint32_t r = 0; r < rams; r++)
        fprintf(f, "  memory %s: %u x %u bits, %s, %u synchronous and %u asynchronous reads, %u write port%s\n",
                ram[r]->path + 1, ram[r]->depth, ram[r]->word, ram_info[r].packed ? "one word" : "a memory per leaf",
                sync_reads(r), ram_info[r].nreads, write_ports(r), write_ports(r) == 1 ? "" : "s");
    for (size_t i = 0; i < ncounts; i++)
        fprintf(f, "  %s %u: %u\n", op_name[counts[i].op], counts[i].w, counts[i].n);
    fprintf(f, "%s%s", mem_notes.n ? mem_notes.s : "", finish_notes.n ? finish_notes.s : "");
}

void report_json(FILE *f, const struct lay *root)
{
    uint32_t n, first = 1;
    uint64_t bits;
    count_operations();
    count_registers(&n, &bits);
    fprintf(f, "{\n  \"kernel\": \"%s\",\n  \"ports\": [", root->name);
    for (uint32_t i = 0; i < root->fields; i++)
        if (root->field[i].port) {
            fprintf(f, "%s\n    {\"name\": \"%s\", \"kind\": \"%s\", \"width\": %llu}", first ? "" : ",",
                    root->field[i].name, kind_name(root->field[i].port),
                    (unsigned long long)port_width(&root->field[i]));
            first = 0;
        }
    fprintf(f, "\n  ],\n  \"registers\": {\"count\": %u, \"bits\": %llu},\n  \"memories\": [", n,
            (unsigned long long)bits);
    for (uint32_t r = 0; r < rams; r++)
        fprintf(f, "%s\n    {\"name\": \"%s\", \"depth\": %u, \"width\": %u, \"packed\": %s, \"sync_reads\": %u, "
                   "\"async_reads\": %u, \"writes\": %u}", r ? "," : "", ram[r]->path + 1, ram[r]->depth, ram[r]->word,
                ram_info[r].packed ? "true" : "false", sync_reads(r), ram_info[r].nreads, write_ports(r));
    fprintf(f, "\n  ],\n  \"operations\": [");
    for (size_t i = 0; i < ncounts; i++)
        fprintf(f, "%s\n    {\"op\": \"%s\", \"width\": %u, \"count\": %u}", i ? "," : "", op_name[counts[i].op],
                counts[i].w, counts[i].n);
    fprintf(f, "\n  ]\n}\n");
}
