// SPDX-License-Identifier: BSD-2-Clause
/* finish.c - RAM ports, and which registers are the outputs of RAM reads. */
#include "finish.h"

#include <stdlib.h>
#include <string.h>

struct sync_port *sync_port;
uint32_t sync_ports;
struct reg *reg;
struct ram_info *ram_info;
struct text finish_notes;
static size_t sync_cap;

// ---- write ports

/** All writes of a leaf as one port; they are exclusive, or in order at one address. */
static struct ram_port merge_writes(const struct ram *r, uint32_t leaf)
{
    struct ram_port p = {n_const(1, 0), n_dc(r->abits), n_dc(r->leaf[leaf].width)};
    for (size_t i = 0; i < r->writes; i++) {
        const struct ram_write *w = &r->write[i];
        if (w->leaf != leaf)
            continue;
        p.addr = n_mux(w->pred, w->addr, p.addr);
        p.data = n_mux(w->pred, w->data, p.data);
        p.en = n_or(p.en, w->pred);
    }
    if (mistake == MISTAKE_WRITE_ENABLE && !is_zero(p.en))
        p.en = n_const(1, 1);
    return p;
}

static void write_ports(struct ram *r, struct ram_info *info)
{
    info->write = xalloc(r->leaves * sizeof *info->write);
    info->packed = true;
    for (uint32_t l = 0; l < r->leaves; l++) {
        info->write[l] = merge_writes(r, l);
        if (info->write[l].en != info->write[0].en || info->write[l].addr != info->write[0].addr)
            info->packed = false;
    }
}

// ---- synchronous reads

/** A register's next value taken apart: read port where en, else rest. */
struct split {
    bool ok;
    ref en, addr, rest;
};

static ref self;        // the register
static uint32_t in_ram, in_leaf;
static int steps_left;

static struct split split(ref n);

static struct split split_mux(ref c, ref a, ref b)
{
    struct split x = split(a), y = split(b);
    return (struct split){x.ok && y.ok, n_mux(c, x.en, y.en), n_mux(c, x.addr, y.addr),
                          n_mux(c, x.rest, y.rest)};
}

/** True if a read can be reached through multiplexers alone. */
static bool leads_to_read(ref n, int depth)
{
    const struct node *p = &node[n];
    if (p->op == N_READ)
        return true;
    if (!depth)
        return false;
    if (p->op == N_MUX)
        return leads_to_read(p->a[1], depth - 1) || leads_to_read(p->a[2], depth - 1);
    if ((p->op == N_AND || p->op == N_OR) && p->w == 1)
        return leads_to_read(p->a[0], depth - 1) || leads_to_read(p->a[1], depth - 1);
    return false;
}

static struct split split(ref n)
{
    struct node p = node[n];
    ref none = n_const(1, 0), any = n_dc(ram[in_ram == UINT32_MAX ? 0 : in_ram]->abits);
    if (--steps_left < 0)
        return (struct split){};
    if (p.op == N_READ) {
        if (in_ram == UINT32_MAX) {
            in_ram = p.x;
            in_leaf = p.y;
        }
        return (struct split){p.x == in_ram && p.y == in_leaf, n_const(1, 1), p.a[0], n_dc(p.w)};
    }
    enum { DEPTH = 12 };
    if (n != self && leads_to_read(n, DEPTH)) {
        if (p.op == N_MUX)
            return split_mux(p.a[0], p.a[1], p.a[2]);
        ref reader = leads_to_read(p.a[0], DEPTH) ? p.a[0] : p.a[1];
        ref other = reader == p.a[0] ? p.a[1] : p.a[0];
        return p.op == N_AND ? split_mux(other, reader, n_const(1, 0))
                             : split_mux(other, n_const(1, 1), reader);
    }
    return (struct split){true, none, any, n};
}

static ref first_read(ref n, int depth)
{
    const struct node *p = &node[n];
    if (p->op == N_READ || !depth)
        return p->op == N_READ ? n : 0;
    bool bit = (p->op == N_AND || p->op == N_OR) && p->w == 1;
    for (uint32_t i = p->op == N_MUX; (bit || p->op == N_MUX) && i < p->n; i++) {
        ref r = first_read(p->a[i], depth - 1);
        if (r)
            return r;
    }
    return 0;
}

static uint32_t port_of(uint32_t r, ref en, ref addr)
{
    for (uint32_t i = 0; i < sync_ports; i++)
        if (sync_port[i].ram == r && sync_port[i].en == en && sync_port[i].addr == addr)
            return i;
    sync_port = xgrow(sync_port, &sync_cap, sync_ports + 1, sizeof *sync_port);
    sync_port[sync_ports] = (struct sync_port){.ram = r, .en = en, .addr = addr};
    return sync_ports++;
}

/** Makes slot s the output of a read port of a RAM that allows it, if its next value has that shape. */
static void try_sync(uint32_t s, const bool *allowed)
{
    struct slot *t = &slot[s];
    reg[s] = (struct reg){.next = t->last, .sync = -1};
    if (t->role != ROLE_REG || (t->port && t->port != P_STAT))
        return;
    ref r = first_read(t->last, 12);
    if (!r || !allowed[node[r].x])
        return;
    self = t->init;
    in_ram = node[r].x;
    in_leaf = node[r].y;
    steps_left = 4000;
    struct split x = split(t->last);
    if (!x.ok || ram[in_ram]->leaf[in_leaf].width != t->width)
        return;
    if (mistake == MISTAKE_SYNC_READ_ALWAYS)
        x.en = n_const(1, 1);
    uint32_t p = port_of(in_ram, x.en, x.addr);
    bool muxed = x.rest != self && node[x.rest].op != N_DC;
    sync_port[p].muxed = sync_port[p].muxed || muxed;
    reg[s] = (struct reg){.next = muxed ? x.rest : self, .sync = (int32_t)p, .leaf = in_leaf, .muxed = muxed};
}

void reach_nodes(ref r, uint8_t *mark)
{
    if (!r || mark[r])
        return;
    mark[r] = 1;
    for (uint32_t i = 0; i < node[r].n; i++)
        reach_nodes(node[r].a[i], mark);
}

static uint8_t *mark;

static void mark_root(ref r)
{
    reach_nodes(r, mark);
}

static bool is_state(const struct slot *s)
{
    return s->role == ROLE_REG && (!s->port || s->port == P_STAT);
}

void each_root(void (*fn)(ref))
{
    for (uint32_t s = 0; s < slots; s++) {
        bool pin = (slot[s].port == P_IN && slot[s].role == ROLE_READY) ||
                   (slot[s].port == P_OUT && slot[s].role != ROLE_READY);
        if (is_state(&slot[s]) || pin)
            fn(reg[s].next);
        if (reg[s].held)
            fn(slot[s].last);
    }
    for (uint32_t r = 0; r < rams; r++)
        for (uint32_t l = 0; l < ram[r]->leaves; l++) {
            struct ram_port *p = &ram_info[r].write[l];
            if (is_zero(p->en))
                continue;
            fn(p->en);
            fn(p->addr);
            fn(p->data);
        }
    for (uint32_t p = 0; p < sync_ports; p++) {
        fn(sync_port[p].en);
        fn(sync_port[p].addr);
    }
}

/** Reads that are still used as plain values make their RAM asynchronous. */
static bool withdraw(bool *allowed)
{
    bool again = false;
    mark = xalloc(node_count);
    each_root(mark_root);
    for (ref n = 1; n < node_count; n++)
        if (mark[n] && node[n].op == N_READ && allowed[node[n].x]) {
            allowed[node[n].x] = false;
            again = true;
        }
    return again;
}

static void collect_reads(void)
{
    for (ref n = 1; n < node_count; n++) {
        if (!mark[n] || node[n].op != N_READ)
            continue;
        struct ram_info *i = &ram_info[node[n].x];
        bool known = false;
        for (uint32_t k = 0; k < i->nreads; k++)
            known = known || i->reads[k] == node[n].a[0];
        if (known)
            continue;
        size_t cap = i->nreads;
        i->reads = xgrow(i->reads, &cap, i->nreads + 1, sizeof(ref));
        i->reads[i->nreads++] = node[n].a[0];
        i->async = true;
    }
    for (uint32_t p = 0; p < sync_ports; p++)
        ram_info[sync_port[p].ram].sync = true;
}

/** Output data: only where valid; a register where it may be older than this step. */
static void output_data(uint32_t s, ref valid)
{
    reg[s].next = data_where_valid(slot[s].last, slot[s].init, valid);
    uint8_t *m = xalloc(node_count);
    reach_nodes(reg[s].next, m);
    if (m[slot[s].init]) {
        reg[s].held = true;
        put(&finish_notes, "%s: may be valid without being written in that step; its old value is kept in a "
                           "register\n", slot[s].path + 1);
    }
    free(m);
}

static bool changes(uint32_t s)
{
    return slot[s].last != slot[s].init;
}

/** State that no step writes is the constant 0, which is rarely what was meant. */
static void note_constants(void)
{
    for (uint32_t s = 0; s < slots;) {
        const struct lay *top = slot[s].top;
        bool state = is_state(&slot[s]), any = false;
        uint32_t first = s;
        for (; s < slots && slot[s].top == top; s++)
            any = any || changes(s);
        if (state && top && !any && s > first)
            put(&finish_notes, "%s: never written, always 0; should it be an MR_CFG?\n", top->name);
    }
    for (uint32_t r = 0; r < rams; r++)
        if (!ram[r]->writes)
            put(&finish_notes, "%s: a memory that is never written\n", ram[r]->path + 1);
}

void finish(void)
{
    note_constants();
    reg = xalloc((slots + 1) * sizeof *reg);
    ram_info = xalloc((rams + 1) * sizeof *ram_info);
    bool *allowed = xalloc(rams + 1);
    memset(allowed, 1, rams);
    for (uint32_t r = 0; r < rams; r++)
        write_ports(ram[r], &ram_info[r]);
    do {
        sync_ports = 0;
        for (uint32_t s = 0; s < slots; s++)
            try_sync(s, allowed);
        for (uint32_t s = 0; s < slots; s++)
            if (slot[s].port == P_OUT && slot[s].role == ROLE_DATA)
                for (uint32_t v = 0; v < slots; v++)
                    if (slot[v].top == slot[s].top && slot[v].role == ROLE_VALID)
                        output_data(s, slot[v].last);
    } while (withdraw(allowed));
    collect_reads();
}
