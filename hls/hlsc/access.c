// SPDX-License-Identifier: BSD-2-Clause
/* access.c - loads and stores of any bit range, at constant and variable addresses. */
#include "mem.h"

#include <stdlib.h>

/** An object, or one element of a RAM. */
struct place {
    struct object *obj;
    struct ram *ram;
    ref addr;
};

static void conflict(struct ram *r, const char *why)
{
    if (r->conflict)
        return;
    r->conflict = why;
    r->conflict_at = here.at;
}

// ---- RAM ports

/** True if both could happen in one step, `w` first. */
static bool both(const struct ram_write *w, ref pred)
{
    return here.reaches(w->block, here.block) && !exclusive(w->pred, pred);
}

static bool differ(ref a, ref b)
{
    return is_const(a) && is_const(b) && a != b;
}

static ref ram_read(struct ram *r, uint32_t leaf, ref addr, ref cond)
{
    ref v = n_read(r->leaf[leaf].width, r->id, leaf, addr), pred = n_and(here.pred, cond);
    for (size_t i = 0; i < r->writes; i++) {
        const struct ram_write *w = &r->write[i];
        if (w->leaf != leaf || differ(w->addr, addr) || !both(w, pred))
            continue;
        if (w->addr == addr)
            v = n_mux(w->pred, w->data, v);
        else
            conflict(r, "is read after a write of the same step at another address");
    }
    return v;
}

static void ram_write(struct ram *r, uint32_t leaf, ref addr, ref data, ref cond)
{
    ref pred = n_and(here.pred, cond);
    if (is_zero(pred))
        return;
    for (size_t i = 0; i < r->writes; i++) {
        const struct ram_write *w = &r->write[i];
        if (w->leaf == leaf && w->addr != addr && both(w, pred))
            conflict(r, "is written twice in one step at different addresses");
    }
    r->write = xgrow(r->write, &r->write_cap, r->writes + 1, sizeof *r->write);
    r->write[r->writes++] = (struct ram_write){leaf, here.block, pred, addr, data};
}

// ---- leaves

static ref leaf_load(const struct place *p, const struct item *it, ref cond)
{
    if (it->kind == I_CONST)
        return it->value;
    return p->ram ? ram_read(p->ram, it->index, p->addr, cond) : here.state[it->index];
}

static void leaf_store(const struct place *p, const struct item *it, ref value, ref cond)
{
    if (p->ram) {
        ram_write(p->ram, it->index, p->addr, value, cond);
        return;
    }
    struct slot *s = &slot[it->index];
    bool fixed = (s->port == P_IN && s->role != ROLE_READY) || s->port == P_CFG ||
                 (s->port == P_OUT && s->role == ROLE_READY);
    if (fixed)
        die(here.at, "'%s' is an input: a kernel may not write it", s->path + 1);
    if (mistake == MISTAKE_STORE_LOST && s->role == ROLE_REG && here.block > 2)
        return;
    here.state[it->index] = n_mux(cond, value, here.state[it->index]);
}

/** First item that ends after bit `off`. Items are in the order of their offsets. */
static size_t first_item(const struct object *o, uint64_t off)
{
    size_t lo = 0, hi = o->items;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (o->item[mid].off + o->item[mid].size > off)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

// ---- constant bit ranges

static ref range_load(const struct place *p, uint64_t off, uint32_t bits, ref cond);
static void range_store(const struct place *p, uint64_t off, ref value, ref cond);

/** The element of RAM `it` that holds a bit range; false (and a conflict) if it spans several. */
static bool one_element(const struct item *it, uint64_t off, uint64_t bits, struct place *p, uint64_t *inner)
{
    struct ram *r = ram[it->index];
    uint64_t stride = r->array->elem->size, e = (off - it->off) / stride;
    *inner = (off - it->off) % stride;
    if (*inner + bits > stride) {
        conflict(r, "is copied or set as a whole");
        return false;
    }
    *p = (struct place){r->elem, r, n_const(r->abits, e)};
    return true;
}

/** The bits of item `it` between from and to (absolute), as `to - from` bits. */
static ref item_load(const struct place *p, const struct item *it, uint64_t from, uint64_t to, ref cond)
{
    uint32_t n = (uint32_t)(to - from);
    if (it->kind == I_RAM) {
        struct place e;
        uint64_t inner;
        if (!one_element(it, from, n, &e, &inner))
            return n_const(n, 0);
        return range_load(&e, inner, n, cond);
    }
    uint32_t lo = (uint32_t)(from - it->off);
    if (lo >= it->width)
        return n_const(n, 0);
    uint32_t have = it->width - lo < n ? it->width - lo : n;
    return n_zext(n_slice(leaf_load(p, it, cond), lo, have), n);
}

static ref range_load(const struct place *p, uint64_t off, uint32_t bits, ref cond)
{
    const struct object *o = p->obj;
    uint64_t at = off, end = off + bits;
    ref *part = nullptr;
    size_t cap = 0;
    uint32_t n = 0;
    for (size_t i = first_item(o, off); i < o->items && o->item[i].off < end; i++) {
        const struct item *it = &o->item[i];
        uint64_t from = it->off > at ? it->off : at;
        uint64_t to = it->off + it->size < end ? it->off + it->size : end;
        part = xgrow(part, &cap, n + 3, sizeof(ref));
        if (from > at)
            part[n++] = n_const((uint32_t)(from - at), 0); // padding
        part[n++] = item_load(p, it, from, to, cond);
        at = to;
    }
    part = xgrow(part, &cap, n + 1, sizeof(ref));
    if (at < end)
        part[n++] = n_const((uint32_t)(end - at), 0);
    ref r = n_cat(n, part);
    free(part);
    return r;
}

static void item_store(const struct place *p, const struct item *it, uint64_t from, ref value, ref cond)
{
    uint32_t n = node[value].w;
    if (it->kind == I_RAM) {
        struct place e;
        uint64_t inner;
        if (one_element(it, from, n, &e, &inner))
            range_store(&e, inner, value, cond);
        return;
    }
    uint32_t lo = (uint32_t)(from - it->off);
    if (it->kind == I_CONST || lo >= it->width)
        return;
    if (lo + n > it->width)
        n = it->width - lo;
    value = n_slice(value, 0, n);
    if (n < it->width) {
        ref old = leaf_load(p, it, cond);
        ref above = lo + n < it->width ? n_slice(old, lo + n, it->width - lo - n) : 0;
        value = n_cat(3, (ref[]){lo ? n_slice(old, 0, lo) : 0, value, above});
    }
    leaf_store(p, it, value, cond);
}

static void range_store(const struct place *p, uint64_t off, ref value, ref cond)
{
    const struct object *o = p->obj;
    uint64_t end = off + node[value].w;
    for (size_t i = first_item(o, off); i < o->items && o->item[i].off < end; i++) {
        const struct item *it = &o->item[i];
        uint64_t from = it->off > off ? it->off : off;
        uint64_t to = it->off + it->size < end ? it->off + it->size : end;
        item_store(p, it, from, n_slice(value, (uint32_t)(from - off), (uint32_t)(to - from)), cond);
    }
}

// ---- variable addresses

/** Splits the terms of `a` into an index of an array of that stride (with a constant) and the rest. */
static ref take_index(struct addr *a, int64_t stride)
{
    ref idx = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->term[i].stride % stride) {
            a->term[kept++] = a->term[i];
            continue;
        }
        ref t = n_mul(a->term[i].idx, n_const(64, (uint64_t)(a->term[i].stride / stride)));
        idx = idx ? n_add(idx, t) : t;
    }
    a->n = kept;
    return idx;
}

static bool has_stride(const struct addr *a, uint64_t stride)
{
    for (uint32_t i = 0; i < a->n; i++)
        if (a->term[i].stride % (int64_t)stride == 0)
            return true;
    return false;
}

static const struct spread *find_spread(const struct object *o, const struct addr *a)
{
    for (size_t i = 0; i < o->spreads; i++) {
        const struct spread *s = &o->spread[i];
        uint64_t off = (uint64_t)a->off * 8;
        if (off >= s->off && off < s->off + s->stride * s->count && s->stride % 8 == 0 &&
            has_stride(a, s->stride / 8))
            return s;
    }
    return nullptr;
}

static struct item *find_ram(const struct object *o, const struct addr *a)
{
    uint64_t off = (uint64_t)a->off * 8;
    size_t i = first_item(o, off);
    if (i < o->items && o->item[i].kind == I_RAM && o->item[i].off <= off)
        return &o->item[i];
    return nullptr;
}

/** Into the element of RAM `it`: the place, and what is left of the address. */
static struct place enter_ram(const struct item *it, struct addr *a)
{
    struct ram *r = ram[it->index];
    int64_t stride = (int64_t)(r->array->elem->size / 8), off = a->off - (int64_t)(it->off / 8);
    ref idx = take_index(a, stride), at = n_const(64, (uint64_t)(off / stride));
    if (idx)
        r->indexed = true;
    a->off = off % stride;
    return (struct place){r->elem, r, n_slice(idx ? n_add(idx, at) : at, 0, r->abits)};
}

[[noreturn]] static void no_array(const struct object *o)
{
    die(here.at,
        "cannot tell which array of '%s' this variable index belongs to; index arrays as x[i] or "
        "x[i].field",
        o->name);
}

static ref load_at(const struct place *p, struct addr a, uint32_t bits)
{
    const struct item *it = find_ram(p->obj, &a);
    if (it && a.n) {
        struct place e = enter_ram(it, &a);
        if ((uint64_t)a.off * 8 + bits > ram[it->index]->array->elem->size)
            conflict(ram[it->index], "is read across the end of an element");
        return load_at(&e, a, bits);
    }
    if (!a.n)
        return range_load(p, (uint64_t)a.off * 8, bits, a.cond);
    const struct spread *s = find_spread(p->obj, &a);
    if (!s)
        no_array(p->obj);
    uint64_t rel = (uint64_t)a.off * 8 - s->off, first = rel / s->stride;
    ref idx = n_add(take_index(&a, (int64_t)(s->stride / 8)), n_const(64, first));
    ref *v = xalloc(s->count * sizeof(ref));
    for (uint32_t e = 0; e < s->count; e++) {
        a.off = (int64_t)((s->off + e * s->stride + rel % s->stride) / 8);
        v[e] = load_at(p, a, bits);
    }
    ref r = n_sel(n_slice(idx, 0, clog2(s->count)), s->count, v);
    free(v);
    return r;
}

static void store_at(const struct place *p, struct addr a, ref value)
{
    const struct item *it = find_ram(p->obj, &a);
    if (it && a.n) {
        struct place e = enter_ram(it, &a);
        if ((uint64_t)a.off * 8 + node[value].w > ram[it->index]->array->elem->size)
            conflict(ram[it->index], "is written across the end of an element");
        store_at(&e, a, value);
        return;
    }
    if (!a.n) {
        range_store(p, (uint64_t)a.off * 8, value, a.cond);
        return;
    }
    const struct spread *s = find_spread(p->obj, &a);
    if (!s)
        no_array(p->obj);
    uint64_t rel = (uint64_t)a.off * 8 - s->off, first = rel / s->stride;
    ref idx = n_add(take_index(&a, (int64_t)(s->stride / 8)), n_const(64, first)), cond = a.cond;
    uint32_t iw = clog2(s->count);
    for (uint32_t e = 0; e < s->count; e++) {
        a.off = (int64_t)((s->off + e * s->stride + rel % s->stride) / 8);
        a.cond = n_and(cond, n_eq(n_slice(idx, 0, iw), n_const(iw, e)));
        store_at(p, a, value);
    }
}

static void check(const struct addr *a)
{
    if (!a->obj)
        die(here.at, "access through a pointer that does not come from the kernel's struct");
    if (a->off < 0)
        die(here.at, "access before the start of '%s'", a->obj->name);
}

ref mem_load(const struct addr *a, uint32_t bits)
{
    check(a);
    return load_at(&(struct place){.obj = a->obj}, *a, bits);
}

void mem_store(const struct addr *a, ref value)
{
    check(a);
    if (a->obj->is_const)
        die(here.at, "write to the constant '%s'", a->obj->name);
    store_at(&(struct place){.obj = a->obj}, *a, value);
}

// ---- copies, piece by piece so that no wide intermediate value appears

/** The object and bit offset where a constant-address walk of `a` would begin. */
static struct object *cut_object(const struct addr *a, uint64_t *off, uint64_t bits)
{
    check(a);
    const struct item *it = find_ram(a->obj, a);
    *off = (uint64_t)a->off * 8;
    if (!it)
        return a->obj;
    *off = (*off - it->off) % ram[it->index]->array->elem->size;
    if (*off + bits > ram[it->index]->array->elem->size)
        conflict(ram[it->index], "is copied or set as a whole");
    return ram[it->index]->elem;
}

/** Ends of the pieces (bytes from the start) of an n-byte access; the last is n. */
static uint32_t cuts(const struct addr *a, uint64_t n, uint64_t **out)
{
    uint64_t off, last = 0;
    struct object *o = cut_object(a, &off, n * 8);
    uint32_t k = 0;
    *out = xalloc((o->items + 2) * sizeof **out);
    for (size_t i = first_item(o, off); i < o->items && o->item[i].off < off + n * 8; i++) {
        uint64_t end = o->item[i].off + o->item[i].size - off;
        if (end % 8 == 0 && end / 8 > last && end / 8 < n)
            (*out)[k++] = last = end / 8;
    }
    (*out)[k++] = n;
    return k;
}

static ref load_any(const struct addr *src, uint32_t n, int64_t off, uint32_t bits)
{
    ref v = 0;
    for (uint32_t i = n; i-- > 0;) {
        struct addr a = src[i];
        a.off += off;
        ref x = mem_load(&a, bits);
        v = v ? n_mux(src[i].cond, x, v) : x;
    }
    return v;
}

void mem_copy(const struct addr *dst, uint32_t ndst, const struct addr *src, uint32_t nsrc, uint64_t n)
{
    uint64_t *end, from = 0;
    uint32_t k = cuts(dst, n, &end);
    if (k == 1)
        k = cuts(src, n, &end);
    ref *v = xalloc(k * sizeof(ref));
    for (uint32_t i = 0; i < k; from = end[i++])
        v[i] = load_any(src, nsrc, (int64_t)from, (uint32_t)(end[i] - from) * 8);
    for (uint32_t i = 0; i < k; i++) {
        for (uint32_t d = 0; d < ndst; d++) {
            struct addr a = dst[d];
            a.off += i ? (int64_t)end[i - 1] : 0;
            mem_store(&a, v[i]);
        }
    }
}

void mem_set(const struct addr *dst, uint32_t ndst, ref byte, uint64_t n)
{
    uint64_t *end, from = 0;
    uint32_t k = cuts(dst, n, &end);
    for (uint32_t i = 0; i < k; from = end[i++])
        for (uint32_t d = 0; d < ndst; d++) {
            struct addr a = dst[d];
            uint64_t bytes = end[i] - from;
            ref v = byte;
            for (uint64_t b = 1; b < bytes; b++)
                v = n_cat2(byte, v);
            a.off += (int64_t)from;
            mem_store(&a, v);
        }
}
