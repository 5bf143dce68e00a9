// SPDX-License-Identifier: BSD-2-Clause
/* value.c - the map from LLVM values to nodes and addresses; constants and tables. */
#include "lower.h"

#include <stdlib.h>
#include <string.h>

LLVMTargetDataRef target;

struct entry {
    LLVMValueRef key;
    struct val val;
    const char *name;
};
static struct entry *map;
static size_t map_size, map_used;

static struct entry *find(LLVMValueRef v)
{
    if (map_used * 2 >= map_size) {
        size_t old = map_size;
        struct entry *from = map;
        map_size = old ? old * 2 : 4096;
        map = xalloc(map_size * sizeof *map);
        map_used = 0;
        for (size_t i = 0; i < old; i++)
            if (from[i].key)
                *find(from[i].key) = from[i];
    }
    size_t h = ((uintptr_t)v >> 4) * 0x9e3779b97f4a7c15u >> 20;
    for (h &= map_size - 1; map[h].key && map[h].key != v; h = (h + 1) & (map_size - 1))
        ;
    if (!map[h].key) {
        map[h].key = v;
        map_used++;
    }
    return &map[h];
}

void value_reset(LLVMValueRef fn, struct object *kernel)
{
    for (size_t i = 0; i < map_size; i++)
        map[i].val = (struct val){};
    struct addr a = {.cond = n_const(1, 1), .obj = kernel};
    value_set(LLVMGetParam(fn, 0), (struct val){.alt = addr_copy(&a, 1), .alts = 1});
}

struct addr *addr_copy(const struct addr *a, uint32_t n)
{
    struct addr *p = xalloc(n * sizeof *p);
    memcpy(p, a, n * sizeof *p);
    return p;
}

uint32_t width_of(LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(t) : 0;
}

struct loc loc_of(LLVMValueRef i)
{
    unsigned n = 0;
    const char *f = LLVMIsAInstruction(i) ? LLVMGetDebugLocFilename(i, &n) : nullptr;
    if (!f)
        return here.at;
    return (struct loc){fmt("%.*s", (int)n, f), LLVMGetDebugLocLine(i), LLVMGetDebugLocColumn(i)};
}

// ---- layouts of LLVM types, for local variables and constant tables

struct lay *lay_of_type(LLVMTypeRef t)
{
    struct lay *l = xalloc(sizeof *l);
    l->name = "";
    l->size = LLVMABISizeOfType(target, t) * 8;
    switch (LLVMGetTypeKind(t)) {
    case LLVMIntegerTypeKind:
        l->width = LLVMGetIntTypeWidth(t);
        return l;
    case LLVMPointerTypeKind:
        l->width = 64;
        return l;
    case LLVMStructTypeKind:
        l->kind = L_STRUCT;
        l->fields = LLVMCountStructElementTypes(t);
        l->field = xalloc(l->fields * sizeof *l->field);
        for (uint32_t i = 0; i < l->fields; i++) {
            l->field[i] = *lay_of_type(LLVMStructGetTypeAtIndex(t, i));
            l->field[i].name = fmt("f%u", i);
            l->field[i].off = LLVMOffsetOfElement(target, t, i) * 8;
        }
        return l;
    case LLVMArrayTypeKind:
        l->kind = L_ARRAY;
        l->count = 1;
        while (LLVMGetTypeKind(t) == LLVMArrayTypeKind) {
            uint64_t n = LLVMGetArrayLength2(t);
            if (l->dims < MAX_DIMS)
                l->dim[l->dims++] = (uint32_t)n;
            l->count *= (uint32_t)n;
            t = LLVMGetElementType(t);
        }
        l->elem = lay_of_type(t);
        return l;
    default:
        die(here.at, "a value of type %s has no counterpart in hardware", LLVMPrintTypeToString(t));
    }
}

// ---- constants

static ref const_int(LLVMValueRef v)
{
    uint32_t w = width_of(v);
    if (w <= 64)
        return n_const(w, LLVMConstIntGetZExtValue(v));
    char *s = LLVMPrintValueToString(v); // "i512 -3"
    ref r = n_decimal(w, strchr(s, ' ') + 1);
    LLVMDisposeMessage(s);
    return r;
}

struct image {
    uint8_t *byte;
    uint64_t n;
};

static void fill(struct image *m, uint64_t off, LLVMValueRef c)
{
    LLVMTypeRef t = LLVMTypeOf(c);
    if (LLVMIsNull(c) || LLVMIsUndef(c))
        return;
    switch (LLVMGetTypeKind(t)) {
    case LLVMIntegerTypeKind: {
        ref r = const_int(c);
        for (uint32_t i = 0; i < node[r].w; i++)
            if (const_bit(r, i))
                m->byte[off + i / 8] |= (uint8_t)(1 << (i % 8));
        return;
    }
    case LLVMArrayTypeKind: {
        uint64_t size = LLVMABISizeOfType(target, LLVMGetElementType(t));
        for (uint32_t i = 0; i < LLVMGetArrayLength2(t); i++)
            fill(m, off + i * size, LLVMGetAggregateElement(c, i));
        return;
    }
    case LLVMStructTypeKind:
        for (uint32_t i = 0; i < LLVMCountStructElementTypes(t); i++)
            fill(m, off + LLVMOffsetOfElement(target, t, i), LLVMGetAggregateElement(c, i));
        return;
    default:
        die(here.at, "a constant table holds something that is no integer");
    }
}

static ref image_value(void *ctx, uint64_t off, uint32_t w)
{
    const struct image *m = ctx;
    uint64_t *c = xalloc((w + 63) / 64 * 8);
    for (uint32_t i = 0; i < w; i++)
        if ((m->byte[(off + i) / 8] >> ((off + i) % 8)) & 1)
            c[i / 64] |= (uint64_t)1 << (i % 64);
    return n_limbs(w, c);
}

static struct val global_table(LLVMValueRef g)
{
    size_t n;
    const char *name = LLVMGetValueName2(g, &n);
    if (!LLVMIsAGlobalVariable(g) || !LLVMIsGlobalConstant(g) || !LLVMGetInitializer(g))
        die(here.at, "'%s' is a global variable: state belongs into the kernel's struct", name);
    LLVMTypeRef t = LLVMGlobalGetValueType(g);
    struct image *m = xalloc(sizeof *m);
    m->n = LLVMABISizeOfType(target, t);
    m->byte = xalloc(m->n);
    fill(m, 0, LLVMGetInitializer(g));
    struct addr a = {.cond = n_const(1, 1), .obj = mem_table(name, lay_of_type(t), image_value, m)};
    return (struct val){.alt = addr_copy(&a, 1), .alts = 1};
}

static struct val constant(LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMIsAConstantInt(v))
        return (struct val){.r = const_int(v)};
    if (LLVMIsAGlobalValue(v))
        return global_table(v);
    if (LLVMIsUndef(v) || LLVMIsNull(v)) {
        if (LLVMGetTypeKind(t) == LLVMIntegerTypeKind)
            return (struct val){.r = n_const(LLVMGetIntTypeWidth(t), 0)};
        if (LLVMGetTypeKind(t) == LLVMPointerTypeKind) {
            struct addr a = {.cond = n_const(1, 1)};
            return (struct val){.alt = addr_copy(&a, 1), .alts = 1};
        }
    }
    if (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr) {
        lower_instruction(v);
        return find(v)->val;
    }
    die(here.at, "a value that hlsc cannot lower: %s", LLVMPrintValueToString(v));
}

struct val value_get(LLVMValueRef v)
{
    struct val x = find(v)->val;
    if (!x.r && !x.alts) {
        if (!LLVMIsAConstant(v))
            die(here.at, "a value that hlsc cannot lower: %s", LLVMPrintValueToString(v));
        x = constant(v);
        find(v)->val = x;
    }
    return x;
}

ref value_ref(LLVMValueRef v)
{
    struct val x = value_get(v);
    if (!x.r)
        die(here.at, "an address is used as a number");
    return x.r;
}

void value_set(LLVMValueRef v, struct val x)
{
    find(v)->val = x;
}

void value_set_ref(LLVMValueRef v, ref r)
{
    struct entry *e = find(v);
    e->val = (struct val){.r = r};
    enum op op = node[r].op;
    if (e->name && !node[r].name && op != N_CONST && op != N_VAR && op != N_DC)
        node[r].name = e->name;
}

void value_name(LLVMValueRef v, const char *name)
{
    find(v)->name = name;
}
