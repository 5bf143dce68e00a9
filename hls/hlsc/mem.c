// SPDX-License-Identifier: BSD-2-Clause
/* mem.c - objects, their items, and the choice between RAM and registers. */
#include "mem.h"

#include <stdlib.h>
#include <string.h>

struct slot *slot;
uint32_t slots;
struct ram **ram;
uint32_t rams;
struct here here;
struct text mem_notes;

static size_t slot_cap, ram_cap;

enum { MAX_SPREAD = 64, MAX_SPREAD_BITS = 4096, MAX_PORT_SPREAD = 1024 };

/** Paths of arrays that must be registers. */
static const char **spread_path;
static size_t spread_paths, spread_path_cap;

static bool must_spread(const char *path)
{
    for (size_t i = 0; i < spread_paths; i++)
        if (!strcmp(spread_path[i], path))
            return true;
    return false;
}

void mem_reset(void)
{
    slots = 0;
    rams = 0;
}

/** ".rx.data.key[3]" to "rx_data_key_3". */
static char *verilog_name(const char *path)
{
    char *s = fmt("%s", path + (*path == '.')), *w = s;
    for (char *r = s; *r; r++)
        if (*r == '[' || *r == '.')
            *w++ = '_';
        else if (*r != ']')
            *w++ = *r;
    *w = 0;
    return s;
}

struct builder {
    struct object *obj;
    const struct lay *top;
    enum port port;
    enum slot_role role;
    uint32_t pin_lo;
    struct ram *into; // building the element of this RAM
    ref (*value)(void *ctx, uint64_t off, uint32_t w);
    void *ctx;
};

static struct item *add_item(struct object *o)
{
    o->item = xgrow(o->item, &o->item_cap, o->items + 1, sizeof *o->item);
    return &o->item[o->items++];
}

static void initial(struct slot *s)
{
    bool in = s->port == P_IN || s->port == P_OUT;
    if (s->role == ROLE_LOCAL || (s->port == P_IN && s->role == ROLE_READY) ||
        (s->port == P_OUT && s->role == ROLE_VALID)) {
        s->init = n_const(s->width, 0);
        return;
    }
    s->name = verilog_name(s->path);
    if (in && s->role == ROLE_DATA) { // the leaf of port x's data is x_leaf, not x_data_leaf
        const char *rest = s->path + 1 + strlen(s->top->name) + strlen(".data");
        s->name = verilog_name(fmt(".%s%s", s->top->name, *rest ? rest : ".data"));
    }
    s->init = n_var(s->width, s->name);
}

static void build_leaf(struct builder *b, const struct lay *l, const char *path, uint64_t off)
{
    struct item *it = add_item(b->obj);
    *it = (struct item){.off = off, .size = l->size, .width = l->width};
    if (b->value) {
        it->kind = I_CONST;
        it->value = b->value(b->ctx, off, l->width);
    } else if (b->into) {
        struct ram *r = b->into;
        size_t cap = r->leaves;
        r->leaf = xgrow(r->leaf, &cap, r->leaves + 1, sizeof *r->leaf);
        r->leaf[r->leaves] = (struct ram_leaf){*path ? verilog_name(path) : "", l->width, r->word};
        r->word += l->width;
        it->index = r->leaves++;
    } else {
        slot = xgrow(slot, &slot_cap, slots + 1, sizeof *slot);
        struct slot *s = &slot[slots];
        *s = (struct slot){.path = path, .width = l->width, .port = b->port, .role = b->role,
                           .top = b->top, .pin_lo = b->pin_lo};
        b->pin_lo += l->width;
        initial(s);
        it->index = slots++;
    }
}

static void build(struct builder *b, const struct lay *l, const char *path, uint64_t off);

static void build_ram(struct builder *b, const struct lay *l, const char *path, uint64_t off)
{
    struct ram *r = xalloc(sizeof *r);
    ram = xgrow(ram, &ram_cap, rams + 1, sizeof *ram);
    *r = (struct ram){.name = verilog_name(path), .path = path, .array = l, .id = rams, .off = off,
                      .depth = l->count, .abits = clog2(l->count), .elem = xalloc(sizeof *r->elem)};
    ram[rams++] = r;
    struct builder e = {.obj = r->elem, .into = r};
    r->elem->name = r->name;
    build(&e, l->elem, "", 0);
    struct item *it = add_item(b->obj);
    *it = (struct item){.off = off, .size = l->size, .kind = I_RAM, .index = r->id};
}

static void build_spread(struct builder *b, const struct lay *l, const char *path, uint64_t off)
{
    struct object *o = b->obj;
    if (b->port && l->count > MAX_PORT_SPREAD)
        die(l->loc, "array '%s' of a port has more than %d elements", l->name, MAX_PORT_SPREAD);
    o->spread = xgrow(o->spread, &o->spread_cap, o->spreads + 1, sizeof *o->spread);
    o->spread[o->spreads++] = (struct spread){off, l->elem->size, l->count};
    for (uint32_t i = 0; i < l->count; i++)
        build(b, l->elem, fmt("%s%s", path, lay_index(l, i)), off + i * l->elem->size);
}

static void build(struct builder *b, const struct lay *l, const char *path, uint64_t off)
{
    if (l->kind == L_LEAF) {
        build_leaf(b, l, path, off);
    } else if (l->kind == L_STRUCT) {
        for (uint32_t i = 0; i < l->fields; i++)
            build(b, &l->field[i], fmt("%s.%s", path, l->field[i].name), off + l->field[i].off);
    } else if (!b->into && !b->value && b->role == ROLE_REG && !b->port && l->count > 1 &&
               !must_spread(path)) {
        build_ram(b, l, path, off);
    } else {
        build_spread(b, l, path, off);
    }
}

static void build_port(struct builder *b, const struct lay *f, const char *path)
{
    static const struct {
        const char *name;
        enum slot_role role;
    } part[] = {{"data", ROLE_DATA}, {"valid", ROLE_VALID}, {"ready", ROLE_READY}};
    for (int i = 0; i < 3; i++) {
        const struct lay *l = lay_field(f, part[i].name);
        b->role = part[i].role;
        b->pin_lo = 0;
        build(b, l, fmt("%s.%s", path, l->name), f->off + l->off);
    }
}

struct object *mem_kernel(const struct lay *root)
{
    struct object *o = xalloc(sizeof *o);
    o->name = root->name;
    for (uint32_t i = 0; i < root->fields; i++) {
        const struct lay *f = &root->field[i];
        struct builder b = {.obj = o, .top = f, .port = f->port, .role = ROLE_REG};
        const char *path = fmt(".%s", f->name);
        if (f->port == P_IN || f->port == P_OUT)
            build_port(&b, f, path);
        else
            build(&b, f, path, f->off);
    }
    return o;
}

struct object *mem_local(const char *name, const struct lay *l)
{
    struct object *o = xalloc(sizeof *o);
    o->name = name;
    struct builder b = {.obj = o, .role = ROLE_LOCAL};
    build(&b, l, "", 0);
    return o;
}

struct object *mem_table(const char *name, const struct lay *l,
                         ref (*value)(void *ctx, uint64_t off, uint32_t w), void *ctx)
{
    struct object *o = xalloc(sizeof *o);
    o->name = name;
    o->is_const = true;
    struct builder b = {.obj = o, .value = value, .ctx = ctx};
    build(&b, l, "", 0);
    return o;
}

static void spread_ram(struct ram *r)
{
    spread_path = xgrow(spread_path, &spread_path_cap, spread_paths + 1, sizeof *spread_path);
    spread_path[spread_paths++] = r->path;
}

bool mem_settle(void)
{
    bool again = false;
    for (uint32_t i = 0; i < rams; i++) {
        struct ram *r = ram[i];
        if (!r->indexed) {
            spread_ram(r);
            again = true;
        } else if (r->conflict) {
            if (r->depth > MAX_SPREAD && (uint64_t)r->depth * r->word > MAX_SPREAD_BITS)
                die(r->conflict_at, "array '%s' %s, and it is too large for registers (%u x %u bits)",
                    r->path + 1, r->conflict, r->depth, r->word);
            put(&mem_notes, "%s: %u x %u bits in registers, because it %s (%s:%u)\n", r->path + 1, r->depth,
                r->word, r->conflict, r->conflict_at.file ? r->conflict_at.file : "?",
                r->conflict_at.line);
            spread_ram(r);
            again = true;
        }
    }
    return again;
}
