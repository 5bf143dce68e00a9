// SPDX-License-Identifier: BSD-2-Clause
/* node.c - hash-consing, constants, concatenations and slices. */
#include "node.h"

#include <stdlib.h>
#include <string.h>

struct node *node;
uint32_t node_count = 1;
int mistake;
static size_t node_cap;
static ref *bucket;
static uint32_t buckets;
static uint32_t serial;

const char *const op_name[N_OPS] = {
    [N_NONE] = "none", [N_CONST] = "const", [N_VAR] = "var",     [N_READ] = "read",
    [N_DC] = "any",    [N_CAT] = "cat",     [N_SLICE] = "slice", [N_REP] = "rep",
    [N_NOT] = "not",   [N_AND] = "and",     [N_OR] = "or",       [N_XOR] = "xor",
    [N_ADD] = "add",   [N_SUB] = "sub",     [N_MUL] = "mul",     [N_UDIV] = "udiv",
    [N_UREM] = "urem", [N_SDIV] = "sdiv",   [N_SREM] = "srem",   [N_SHL] = "shl",
    [N_LSHR] = "lshr", [N_ASHR] = "ashr",   [N_EQ] = "eq",       [N_ULT] = "ult",
    [N_SLT] = "slt",   [N_MUX] = "mux",     [N_SEL] = "select",  [N_RXOR] = "parity",
    [N_CTZ] = "ctz",   [N_CLZ] = "clz",     [N_POP] = "popcount",
};

static uint32_t limbs_of(uint32_t w)
{
    return (w + 63) / 64;
}

static uint32_t hash_node(const struct node *n)
{
    uint64_t h = (uint64_t)n->op * 0x9e3779b97f4a7c15u + n->w;
    h = (h ^ n->x) * 0x100000001b3u;
    h = (h ^ n->y) * 0x100000001b3u;
    for (uint32_t i = 0; i < n->n; i++)
        h = (h ^ n->a[i]) * 0x100000001b3u;
    for (uint32_t i = 0; n->c && i < limbs_of(n->w); i++)
        h = (h ^ n->c[i] ^ (n->c[i] >> 31)) * 0x100000001b3u;
    return (uint32_t)(h ^ (h >> 32));
}

static bool same_node(const struct node *p, const struct node *q)
{
    if (p->op != q->op || p->w != q->w || p->x != q->x || p->y != q->y || p->n != q->n)
        return false;
    if (p->n && memcmp(p->a, q->a, p->n * sizeof(ref)))
        return false;
    return !p->c || !memcmp(p->c, q->c, limbs_of(p->w) * sizeof(uint64_t));
}

static void rehash(void)
{
    buckets = buckets ? buckets * 4 : 1 << 14;
    bucket = xalloc(buckets * sizeof(ref));
    for (ref r = 1; r < node_count; r++) {
        ref *b = &bucket[node[r].hash & (buckets - 1)];
        node[r].next = *b;
        *b = r;
    }
}

static ref intern(struct node *n)
{
    if (node_count >= buckets)
        rehash();
    n->hash = hash_node(n);
    ref *b = &bucket[n->hash & (buckets - 1)];
    for (ref r = *b; r; r = node[r].next)
        if (node[r].hash == n->hash && same_node(&node[r], n))
            return r;
    node = xgrow(node, &node_cap, node_count + 1, sizeof *node);
    struct node *p = &node[node_count];
    *p = *n;
    if (n->n) {
        p->a = xalloc(n->n * sizeof(ref));
        memcpy(p->a, n->a, n->n * sizeof(ref));
    }
    if (n->c) {
        p->c = xalloc(limbs_of(n->w) * sizeof(uint64_t));
        memcpy(p->c, n->c, limbs_of(n->w) * sizeof(uint64_t));
    }
    p->next = *b;
    *b = node_count;
    return node_count++;
}

ref n_make(enum op op, uint32_t w, uint32_t x, uint32_t y, uint32_t n, const ref *a)
{
    struct node t = {.op = op, .w = w, .x = x, .y = y, .n = n, .a = (ref *)a};
    return intern(&t);
}

// ---- constants

ref n_limbs(uint32_t w, const uint64_t *limbs)
{
    uint32_t n = limbs_of(w);
    uint64_t *c = xalloc(n * sizeof *c);
    memcpy(c, limbs, n * sizeof *c);
    if (w % 64)
        c[n - 1] &= (((uint64_t)1 << (w % 64)) - 1);
    ref r = intern(&(struct node){.op = N_CONST, .w = w, .c = c});
    free(c);
    return r;
}

ref n_const(uint32_t w, uint64_t v)
{
    uint64_t *c = xalloc(limbs_of(w) * sizeof *c);
    c[0] = v;
    ref r = n_limbs(w, c);
    free(c);
    return r;
}

ref n_ones(uint32_t w)
{
    uint64_t *c = xalloc(limbs_of(w) * sizeof *c);
    memset(c, 0xff, limbs_of(w) * sizeof *c);
    ref r = n_limbs(w, c);
    free(c);
    return r;
}

ref n_decimal(uint32_t w, const char *s)
{
    bool neg = *s == '-';
    uint32_t n = limbs_of(w);
    uint64_t *c = xalloc(n * sizeof *c);
    for (s += neg; *s >= '0' && *s <= '9'; s++) {
        unsigned __int128 carry = (unsigned)(*s - '0');
        for (uint32_t i = 0; i < n; i++) {
            carry += (unsigned __int128)c[i] * 10;
            c[i] = (uint64_t)carry;
            carry >>= 64;
        }
    }
    for (uint32_t i = 0, carry = 1; neg && i < n; i++) {
        c[i] = ~c[i] + carry;
        carry = carry && c[i] == 0;
    }
    return n_limbs(w, c);
}

bool is_const(ref a)
{
    return node[a].op == N_CONST;
}

bool const_bit(ref a, uint32_t i)
{
    return (node[a].c[i / 64] >> (i % 64)) & 1;
}

uint64_t const_u64(ref a)
{
    return node[a].c[0];
}

bool is_zero(ref a)
{
    if (!is_const(a))
        return false;
    for (uint32_t i = 0; i < limbs_of(node[a].w); i++)
        if (node[a].c[i])
            return false;
    return true;
}

bool is_ones(ref a)
{
    if (!is_const(a))
        return false;
    for (uint32_t i = 0; i < node[a].w; i += 64) {
        uint32_t left = node[a].w - i;
        if (node[a].c[i / 64] != (left < 64 ? ((uint64_t)1 << left) - 1 : ~(uint64_t)0))
            return false;
    }
    return true;
}

static ref const_slice(ref a, uint32_t lo, uint32_t w)
{
    uint32_t n = limbs_of(w), have = limbs_of(node[a].w), s = lo % 64;
    uint64_t *c = xalloc(n * sizeof *c);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = i + lo / 64;
        c[i] = j < have ? node[a].c[j] >> s : 0;
        if (s && j + 1 < have)
            c[i] |= node[a].c[j + 1] << (64 - s);
    }
    ref r = n_limbs(w, c);
    free(c);
    return r;
}

static ref const_join(ref hi, ref lo)
{
    uint32_t wl = node[lo].w, w = node[hi].w + wl, s = wl % 64;
    uint64_t *c = xalloc((limbs_of(w) + 1) * sizeof *c);
    memcpy(c, node[lo].c, limbs_of(wl) * sizeof *c);
    for (uint32_t i = 0; i < limbs_of(node[hi].w); i++) {
        uint64_t v = node[hi].c[i];
        c[wl / 64 + i] |= v << s;
        if (s)
            c[wl / 64 + i + 1] |= v >> (64 - s);
    }
    ref r = n_limbs(w, c);
    free(c);
    return r;
}

// ---- leaves

ref n_var(uint32_t w, const char *name)
{
    ref r = n_make(N_VAR, w, ++serial, 0, 0, nullptr);
    node[r].name = name;
    return r;
}

ref n_read(uint32_t w, uint32_t mem, uint32_t leaf, ref addr)
{
    return n_make(N_READ, w, mem, leaf, 1, &addr);
}

ref n_dc(uint32_t w)
{
    return n_make(N_DC, w, 0, 0, 0, nullptr);
}

// ---- bits

static ref base_of(ref a)
{
    return node[a].op == N_SLICE ? node[a].a[0] : a;
}

static uint32_t lo_of(ref a)
{
    return node[a].op == N_SLICE ? node[a].x : 0;
}

static bool compound(ref a)
{
    return node[a].op == N_CAT;
}

/** Two neighbours of a concatenation as one node, or 0. */
static ref join(ref hi, ref lo)
{
    const struct node *h = &node[hi], *l = &node[lo];
    if (h->op == N_CONST && l->op == N_CONST)
        return const_join(hi, lo);
    if (h->op == N_DC && l->op == N_DC)
        return n_dc(h->w + l->w);
    if (base_of(hi) == base_of(lo) && node[base_of(hi)].w > 1 &&
        lo_of(hi) == lo_of(lo) + l->w && (h->op == N_SLICE && l->op == N_SLICE))
        return n_slice(base_of(hi), lo_of(lo), h->w + l->w);
    ref hb = h->op == N_REP ? h->a[0] : h->w == 1 ? hi : 0;
    ref lb = l->op == N_REP ? l->a[0] : l->w == 1 ? lo : 0;
    if (hb && hb == lb)
        return n_rep(hb, h->w + l->w);
    if (h->op == N_MUX && l->op == N_MUX && h->a[0] == l->a[0]) {
        // only where both sides grow together again: pieces of one value that was taken apart
        ref c = h->a[0], ha = h->a[1], la = l->a[1], hz = h->a[2], lz = l->a[2];
        ref x = compound(ha) || compound(la) ? 0 : join(ha, la);
        ref y = compound(hz) || compound(lz) || !x ? 0 : join(hz, lz);
        if (x && y)
            return n_mux(c, x, y);
    }
    return 0;
}

ref n_cat(uint32_t n, const ref *a)
{
    ref *out = nullptr;
    size_t cap = 0;
    uint32_t m = 0, w = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!a[i])
            continue;
        uint32_t parts = node[a[i]].op == N_CAT ? node[a[i]].n : 1;
        for (uint32_t j = 0; j < parts; j++) {
            ref p = node[a[i]].op == N_CAT ? node[a[i]].a[j] : a[i], q;
            w += node[p].w;
            out = xgrow(out, &cap, m + 1, sizeof(ref));
            if (m && (q = join(p, out[m - 1])))
                out[m - 1] = q;
            else
                out[m++] = p;
        }
    }
    ref r = !m ? 0 : m == 1 ? out[0] : n_make(N_CAT, w, 0, 0, m, out);
    free(out);
    return r;
}

ref n_cat2(ref hi, ref lo)
{
    return n_cat(2, (ref[]){lo, hi});
}

static ref slice_cat(ref a, uint32_t lo, uint32_t w)
{
    uint32_t n = node[a].n, at = 0, m = 0;
    ref *out = xalloc(n * sizeof(ref));
    for (uint32_t i = 0; i < n; i++) {
        ref p = node[a].a[i];
        uint32_t pw = node[p].w, from = at < lo ? lo - at : 0;
        uint32_t to = at + pw > lo + w ? (lo + w > at ? lo + w - at : 0) : pw;
        if (from < to)
            out[m++] = n_slice(p, from, to - from);
        at += pw;
    }
    ref r = n_cat(m, out);
    free(out);
    return r;
}

/** True if a slice of `a` is worth taking apart. */
static bool takes_apart(ref a)
{
    return node[a].op == N_CAT || node[a].op == N_CONST || node[a].op == N_SLICE;
}

ref n_slice(ref a, uint32_t lo, uint32_t w)
{
    struct node n = node[a];
    if (lo == 0 && w == n.w)
        return a;
    switch (n.op) {
    case N_CONST:
        return const_slice(a, lo, w);
    case N_DC:
        return n_dc(w);
    case N_SLICE:
        return n_slice(n.a[0], n.x + lo, w);
    case N_CAT:
        return slice_cat(a, lo, w);
    case N_REP:
        return n_rep(n.a[0], w);
    case N_NOT:
        return n_not(n_slice(n.a[0], lo, w));
    case N_MUX:
        if (takes_apart(n.a[1]) && takes_apart(n.a[2]))
            return n_mux(n.a[0], n_slice(n.a[1], lo, w), n_slice(n.a[2], lo, w));
        break;
    case N_AND:
    case N_OR:
    case N_XOR:
        if (takes_apart(n.a[0]) && takes_apart(n.a[1])) {
            ref x = n_slice(n.a[0], lo, w), y = n_slice(n.a[1], lo, w);
            return n.op == N_AND ? n_and(x, y) : n.op == N_OR ? n_or(x, y) : n_xor(x, y);
        }
        break;
    case N_POP:
        if (lo == 0 && w == 1)
            return n_parity(n.a[0]);
        break;
    default:
        break;
    }
    if (mistake == MISTAKE_SLICE_OFF_BY_ONE && n.op == N_ADD && lo && lo + w < n.w)
        lo++;
    return n_make(N_SLICE, w, lo, 0, 1, &a);
}

ref n_rep(ref bit, uint32_t w)
{
    if (w == 1)
        return bit;
    if (is_const(bit))
        return is_zero(bit) ? n_const(w, 0) : n_ones(w);
    return n_make(N_REP, w, 0, 0, 1, &bit);
}

ref n_zext(ref a, uint32_t w)
{
    return w == node[a].w ? a : n_cat2(n_const(w - node[a].w, 0), a);
}

ref n_sext(ref a, uint32_t w)
{
    uint32_t wa = node[a].w;
    if (w == wa)
        return a;
    if (mistake == MISTAKE_SEXT_IS_ZEXT)
        return n_zext(a, w);
    return n_cat2(n_rep(n_slice(a, wa - 1, 1), w - wa), a);
}

ref n_fit(ref a, uint32_t w)
{
    return w <= node[a].w ? n_slice(a, 0, w) : n_zext(a, w);
}

ref n_reverse(ref a, uint32_t group)
{
    uint32_t n = node[a].w / group;
    ref *part = xalloc(n * sizeof(ref));
    for (uint32_t i = 0; i < n; i++)
        part[n - 1 - i] = n_slice(a, i * group, group);
    return n_cat(n, part);
}

uint32_t lead_zeros(ref a)
{
    if (node[a].op == N_CAT)
        a = node[a].a[node[a].n - 1];
    if (!is_const(a))
        return 0;
    uint32_t k = 0;
    while (k < node[a].w && !const_bit(a, node[a].w - 1 - k))
        k++;
    return k;
}

uint32_t trail_zeros(ref a)
{
    if (node[a].op == N_CAT)
        a = node[a].a[0];
    if (!is_const(a))
        return 0;
    uint32_t k = 0;
    while (k < node[a].w && !const_bit(a, k))
        k++;
    return k;
}

static int by_value(const void *p, const void *q)
{
    uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;
    return a < b ? -1 : a > b;
}

/** Adds the run boundaries of a constant part at `at`; false if there are too many. */
static bool run_cuts(ref p, uint32_t at, uint32_t *cut, uint32_t *n)
{
    uint32_t runs = 0;
    for (uint32_t i = 1; i < node[p].w; i++)
        runs += const_bit(p, i) != const_bit(p, i - 1);
    if (runs > 8)
        return true; // an irregular constant stays whole: a mask of a parity, for example
    for (uint32_t i = 1; i < node[p].w; i++)
        if (const_bit(p, i) != const_bit(p, i - 1)) {
            if (*n >= MAX_CUTS - 2)
                return false;
            cut[(*n)++] = at + i;
        }
    return true;
}

static bool part_cuts(ref a, uint32_t *cut, uint32_t *n, bool parts)
{
    uint32_t k = node[a].op == N_CAT ? node[a].n : 1, at = 0;
    for (uint32_t i = 0; i < k; i++) {
        ref p = node[a].op == N_CAT ? node[a].a[i] : a;
        bool edge = parts || is_const(p) || (i && is_const(node[a].a[i - 1]));
        if (*n >= MAX_CUTS - 2)
            return false;
        if (edge)
            cut[(*n)++] = at;
        if (is_const(p) && !parts && !run_cuts(p, at, cut, n))
            return false;
        at += node[p].w;
    }
    return true;
}

uint32_t n_cuts(ref a, ref b, uint32_t cut[MAX_CUTS], bool parts)
{
    uint32_t n = 0, m = 0;
    cut[n++] = 0;
    if (!part_cuts(a, cut, &n, parts) || !part_cuts(b, cut, &n, parts))
        return 0;
    cut[n++] = node[a].w;
    qsort(cut, n, sizeof *cut, by_value);
    for (uint32_t i = 0; i < n; i++)
        if (!m || cut[m - 1] != cut[i])
            cut[m++] = cut[i];
    return m;
}
