// SPDX-License-Identifier: BSD-2-Clause
/* state.c - registers and memories as Verilog. */
#include "verilog.h"

#include <stdlib.h>
#include <string.h>

/** Printed names of a RAM: one word, or one memory per leaf. */
struct names {
    const char **mem;  // [0] if packed, else one per leaf
    const char **word; // asynchronous read words, by read
};
static struct names *names;

struct sync_names {
    const char **q; // [0] if packed, else one per leaf
    const char *sel;
};
static struct sync_names *sync_names;

static const char **held_name; // per slot: register of old output data, or of the other sources

static const char *leaf_name(const struct ram *r, uint32_t leaf, const char *base)
{
    return *r->leaf[leaf].name ? fmt("%s_%s", base, r->leaf[leaf].name) : base;
}

/** "[hi:lo]" of a leaf in the packed word. */
static const char *leaf_range(const struct ram *r, uint32_t leaf)
{
    const struct ram_leaf *l = &r->leaf[leaf];
    if (l->width == r->word)
        return "";
    if (l->width == 1)
        return fmt("[%u]", l->lo);
    return fmt("[%u:%u]", l->lo + l->width - 1, l->lo);
}

const char *read_text(ref r)
{
    struct node n = node[r];
    struct ram *m = ram[n.x];
    struct ram_info *info = &ram_info[n.x];
    if (!node[r].name)
        node[r].name = fmt("%s_r", leaf_name(m, n.y, m->name));
    const char *addr = expr_of(n.a[0]);
    if (!info->packed)
        return fmt("%s[%s]", names[n.x].mem[n.y], addr);
    uint32_t k = 0;
    while (info->reads[k] != n.a[0])
        k++;
    const char **word = &names[n.x].word[k];
    if (!*word) {
        *word = expr_name(fmt("%s_word%u", m->name, k));
        put(&expr_body, "    wire %s%s = %s[%s];\n", range_of(m->word), *word, names[n.x].mem[0], addr);
    }
    return fmt("%s%s", *word, leaf_range(m, n.y));
}

static void declare_memory(struct text *t, const char *name, uint32_t w, uint32_t depth)
{
    const char *i = expr_name(fmt("%s_index", name));
    put(t, "    reg %s%s [0:%u];\n    integer %s;\n", range_of(w), name, depth - 1, i);
    put(t, "    initial for (%s = 0; %s < %u; %s = %s + 1) %s[%s] = %u'd0;\n", i, i, depth, i, i, name, i, w);
}

static void declare_ram(struct text *t, uint32_t i)
{
    struct ram *r = ram[i];
    struct ram_info *info = &ram_info[i];
    names[i].mem = xalloc((r->leaves + 1) * sizeof(char *));
    names[i].word = xalloc((info->nreads + 1) * sizeof(char *));
    put(t, "\n    // %s\n", r->array->decl ? r->array->decl : r->path + 1);
    if (info->packed) {
        names[i].mem[0] = expr_name(r->name);
        declare_memory(t, names[i].mem[0], r->word, r->depth);
        for (uint32_t l = 0; l < r->leaves && r->leaves > 1; l++)
            put(t, "    //   %s %s\n", leaf_range(r, l), r->leaf[l].name);
        return;
    }
    for (uint32_t l = 0; l < r->leaves; l++) {
        names[i].mem[l] = expr_name(leaf_name(r, l, r->name));
        declare_memory(t, names[i].mem[l], r->leaf[l].width, r->depth);
    }
}

static void declare_sync(struct text *t, uint32_t p)
{
    struct sync_port *s = &sync_port[p];
    struct ram *r = ram[s->ram];
    struct sync_names *n = &sync_names[p];
    n->q = xalloc((r->leaves + 1) * sizeof(char *));
    if (ram_info[s->ram].packed) {
        n->q[0] = expr_name(fmt("%s_q%u", r->name, p));
        put(t, "    reg %s%s; // read register\n", range_of(r->word), n->q[0]);
    } else {
        for (uint32_t l = 0; l < r->leaves; l++) {
            bool used = false;
            for (uint32_t k = 0; k < slots; k++)
                used = used || (reg[k].sync == (int32_t)p && reg[k].leaf == l);
            if (!used)
                continue;
            n->q[l] = expr_name(fmt("%s_q%u", leaf_name(r, l, r->name), p));
            put(t, "    reg %s%s; // read register\n", range_of(r->leaf[l].width), n->q[l]);
        }
    }
    if (s->muxed) {
        n->sel = expr_name(fmt("%s_sel%u", r->name, p));
        put(t, "    reg %s; // the value is the one just read\n", n->sel);
    }
}

static const char *sync_value(const struct reg *g)
{
    const struct sync_port *p = &sync_port[g->sync];
    if (!ram_info[p->ram].packed)
        return sync_names[g->sync].q[g->leaf];
    return fmt("%s%s", sync_names[g->sync].q[0], leaf_range(ram[p->ram], g->leaf));
}

static bool is_register(uint32_t s)
{
    return slot[s].role == ROLE_REG && (!slot[s].port || slot[s].port == P_STAT);
}

static void declare_register(struct text *t, uint32_t s)
{
    const struct slot *v = &slot[s];
    const struct reg *g = &reg[s];
    const char *name = expr_name(v->name);
    expr_bind(v->init, name);
    if (g->sync < 0) {
        put(t, "    reg %s%s;\n", range_of(v->width), name);
    } else if (!g->muxed) {
        put(t, "    wire %s%s = %s;\n", range_of(v->width), name, sync_value(g));
    } else {
        held_name[s] = expr_name(fmt("%s_held", v->name));
        put(t, "    reg %s%s;\n", range_of(v->width), held_name[s]);
        put(t, "    wire %s%s = %s ? %s : %s;\n", range_of(v->width), name, sync_names[g->sync].sel,
            sync_value(g), held_name[s]);
    }
}

void state_declare(struct text *t)
{
    names = xalloc((rams + 1) * sizeof *names);
    sync_names = xalloc((sync_ports + 1) * sizeof *sync_names);
    held_name = xalloc((slots + 1) * sizeof *held_name);
    for (uint32_t i = 0; i < rams; i++) {
        declare_ram(t, i);
        for (uint32_t p = 0; p < sync_ports; p++)
            if (sync_port[p].ram == i)
                declare_sync(t, p);
    }
    const struct lay *top = nullptr;
    for (uint32_t s = 0; s < slots; s++) {
        if (reg[s].held) {
            held_name[s] = expr_name(fmt("%s_held", slot[s].name));
            expr_bind(slot[s].init, held_name[s]);
            put(t, "    reg %s%s;\n", range_of(slot[s].width), held_name[s]);
        }
        if (!is_register(s))
            continue;
        if (slot[s].top != top)
            put(t, "\n    // %s\n", slot[s].top->decl);
        top = slot[s].top;
        declare_register(t, s);
    }
}

// ---- clocked processes

static void write_port(struct text *t, uint32_t i)
{
    struct ram *r = ram[i];
    struct ram_info *info = &ram_info[i];
    for (uint32_t l = 0; l < (info->packed ? 1 : r->leaves); l++) {
        struct ram_port *p = &info->write[l];
        if (is_zero(p->en))
            continue;
        const char *en = expr_of(p->en), *addr = expr_of(p->addr), *data;
        if (info->packed) {
            struct text d = {};
            for (uint32_t k = r->leaves; k-- > 0;)
                put(&d, "%s%s", expr_of(info->write[k].data), k ? ",\n            " : "");
            data = r->leaves > 1 ? fmt("{%s}", d.s) : d.s;
        } else {
            data = expr_of(p->data);
        }
        put(t, "    always @(posedge clk_i)\n        if (rst_ni && %s) %s[%s] <= %s;\n", en, names[i].mem[l], addr,
            data);
    }
}

static void read_port(struct text *t, uint32_t p)
{
    struct sync_port *s = &sync_port[p];
    struct ram *r = ram[s->ram];
    const char *en = expr_of(s->en), *addr = expr_of(s->addr);
    bool packed = ram_info[s->ram].packed;
    for (uint32_t l = 0; l < (packed ? 1 : r->leaves); l++) {
        const char *q = sync_names[p].q[l];
        if (!q)
            continue;
        put(t, "    always @(posedge clk_i)\n        if (!rst_ni) %s <= %u'd0;\n        else if (%s) %s <= %s[%s];\n", q,
            packed ? r->word : r->leaf[l].width, en, q, names[s->ram].mem[l], addr);
    }
    if (s->muxed)
        put(t, "    always @(posedge clk_i) %s <= rst_ni && %s;\n", sync_names[p].sel, en);
}

static void next_value(struct text *reset, struct text *next, const char *name, uint32_t w, ref self, ref n)
{
    put(reset, "            %s <= %u'd0;\n", name, w);
    if (n == self)
        return;
    if (node[n].op == N_MUX && node[n].a[2] == self) {
        const char *c = expr_of(node[n].a[0]), *v = expr_of(node[n].a[1]);
        put(next, "            if (%s) %s <= %s;\n", c, name, v);
    } else if (node[n].op == N_MUX && node[n].a[1] == self) {
        const char *c = expr_of(node[n].a[0]), *v = expr_of(node[n].a[2]);
        put(next, "            if (!%s) %s <= %s;\n", c, name, v);
    } else {
        put(next, "            %s <= %s;\n", name, expr_of(n));
    }
}

void state_update(struct text *t)
{
    for (uint32_t i = 0; i < rams; i++)
        write_port(t, i);
    for (uint32_t p = 0; p < sync_ports; p++)
        read_port(t, p);
    struct text reset = {}, next = {};
    for (uint32_t s = 0; s < slots; s++) {
        if (reg[s].held)
            next_value(&reset, &next, held_name[s], slot[s].width, slot[s].init, slot[s].last);
        if (!is_register(s))
            continue;
        if (reg[s].sync < 0)
            next_value(&reset, &next, expr_of(slot[s].init), slot[s].width, slot[s].init, reg[s].next);
        else if (reg[s].muxed)
            next_value(&reset, &next, held_name[s], slot[s].width, 0, reg[s].next);
    }
    if (reset.n)
        put(t, "    always @(posedge clk_i) begin\n        if (!rst_ni) begin\n%s        end else begin\n%s"
               "        end\n    end\n", reset.s, next.n ? next.s : "");
}
