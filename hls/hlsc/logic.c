// SPDX-License-Identifier: BSD-2-Clause
/* logic.c - constructors of bitwise operations and multiplexers. */
#include "node.h"

#include <stdlib.h>

ref n_not(ref a)
{
    const struct node *n = &node[a];
    if (n->op == N_NOT)
        return n->a[0];
    if (n->op == N_DC)
        return a;
    if (n->op == N_CONST) {
        uint32_t k = (n->w + 63) / 64;
        uint64_t *c = xalloc(k * sizeof *c);
        for (uint32_t i = 0; i < k; i++)
            c[i] = ~n->c[i];
        return n_limbs(n->w, c);
    }
    return n_make(N_NOT, n->w, 0, 0, 1, &a);
}

static ref fold_bits(enum op op, ref a, ref b)
{
    uint32_t k = (node[a].w + 63) / 64;
    uint64_t *c = xalloc(k * sizeof *c);
    for (uint32_t i = 0; i < k; i++) {
        uint64_t x = node[a].c[i], y = node[b].c[i];
        c[i] = op == N_AND ? x & y : op == N_OR ? x | y : x ^ y;
    }
    return n_limbs(node[a].w, c);
}

/** The rules that hold for operands of any width; 0 if none applies. */
static ref simple_bits(enum op op, ref a, ref b)
{
    if (is_const(a) && is_const(b))
        return fold_bits(op, a, b);
    if (is_const(a)) {
        ref t = a;
        a = b;
        b = t;
    }
    if (node[a].op == N_DC)
        return op == N_XOR ? a : b;
    if (node[b].op == N_DC)
        return op == N_XOR ? b : a;
    if (is_zero(b))
        return op == N_AND ? b : a;
    if (is_ones(b))
        return op == N_AND ? a : op == N_OR ? b : n_not(a);
    if (a == b)
        return op == N_XOR ? n_const(node[a].w, 0) : a;
    if (n_not(a) == b)
        return op == N_AND ? n_const(node[a].w, 0) : n_ones(node[a].w);
    return 0;
}

/** True if `a` is an and (or or) tree that has `b` among its terms. */
static bool has_term(enum op op, ref a, ref b, int depth)
{
    if (a == b)
        return true;
    if (node[a].op != op || !depth)
        return false;
    return has_term(op, node[a].a[0], b, depth - 1) || has_term(op, node[a].a[1], b, depth - 1);
}

/** Absorption: x & (x | y), x | (x & y), x | (~x & y) and their duals; 0 if none applies. */
static ref absorb(enum op op, ref a, ref b)
{
    enum op dual = op == N_AND ? N_OR : N_AND;
    if (has_term(op, b, a, 6))
        return b;
    if (has_term(dual, b, a, 6))
        return a;
    if (node[b].op == dual) {
        ref na = n_not(a), x = node[b].a[0], y = node[b].a[1];
        if (x == na)
            return op == N_AND ? n_and(a, y) : n_or(a, y);
        if (y == na)
            return op == N_AND ? n_and(a, x) : n_or(a, x);
        // (p & q) | (~p & q)
        if (node[a].op == dual) {
            ref p = node[a].a[0], q = node[a].a[1];
            if ((p == x && q == n_not(y)) || (p == n_not(y) && q == x))
                return x;
            if ((q == y && p == n_not(x)) || (p == y && q == n_not(x)))
                return y;
        }
    }
    return 0;
}

static ref bits(enum op op, ref a, ref b);

/** By segments, where a constant of one side decides some of the bits; 0 if there are none. */
static ref by_segments(enum op op, ref a, ref b)
{
    uint32_t cut[MAX_CUTS], n = n_cuts(a, b, cut, false), m = 0;
    if (n < 3)
        return 0;
    ref out[MAX_CUTS];
    bool any = false;
    uint32_t open = 0; // start of the run of undecided bits
    for (uint32_t i = 0; i + 1 < n; i++) {
        ref x = n_slice(a, cut[i], cut[i + 1] - cut[i]);
        ref y = n_slice(b, cut[i], cut[i + 1] - cut[i]);
        ref r = simple_bits(op, x, y);
        if (!r)
            continue;
        if (open < cut[i])
            out[m++] = bits(op, n_slice(a, open, cut[i] - open), n_slice(b, open, cut[i] - open));
        out[m++] = r;
        open = cut[i + 1];
        any = true;
    }
    if (!any)
        return 0;
    if (open < node[a].w)
        out[m++] = bits(op, n_slice(a, open, node[a].w - open), n_slice(b, open, node[a].w - open));
    return n_cat(m, out);
}

static ref bits(enum op op, ref a, ref b)
{
    ref r = simple_bits(op, a, b);
    if (r)
        return r;
    if (node[a].w == 1 && op != N_XOR) {
        if ((r = absorb(op, a, b)) || (r = absorb(op, b, a)))
            return r;
    } else if ((r = by_segments(op, a, b))) {
        return r;
    }
    if (a > b) {
        ref t = a;
        a = b;
        b = t;
    }
    return n_make(op, node[a].w, 0, 0, 2, (ref[]){a, b});
}

ref n_and(ref a, ref b)
{
    return bits(N_AND, a, b);
}

ref n_or(ref a, ref b)
{
    return bits(N_OR, a, b);
}

ref n_xor(ref a, ref b)
{
    return bits(N_XOR, a, b);
}

/** mux where the sides have equal parts at equal places: only the others are switched. */
static ref mux_by_parts(ref c, ref a, ref b)
{
    uint32_t cut[MAX_CUTS], n = n_cuts(a, b, cut, true), m = 0, open = 0;
    if (n < 3)
        return 0;
    ref out[MAX_CUTS];
    bool any = false;
    for (uint32_t i = 0; i + 1 < n; i++) {
        ref x = n_slice(a, cut[i], cut[i + 1] - cut[i]);
        if (x != n_slice(b, cut[i], cut[i + 1] - cut[i]))
            continue;
        if (open < cut[i])
            out[m++] = n_mux(c, n_slice(a, open, cut[i] - open), n_slice(b, open, cut[i] - open));
        out[m++] = x;
        open = cut[i + 1];
        any = true;
    }
    if (!any)
        return 0;
    if (open < node[a].w)
        out[m++] = n_mux(c, n_slice(a, open, node[a].w - open), n_slice(b, open, node[a].w - open));
    return n_cat(m, out);
}

static bool in_parts(ref a)
{
    return node[a].op == N_CAT || is_const(a);
}

ref n_mux(ref c, ref a, ref b)
{
    if (is_const(c))
        return is_zero(c) ? b : a;
    if (a == b || node[b].op == N_DC)
        return a;
    if (node[a].op == N_DC)
        return b;
    if (node[c].op == N_NOT)
        return n_mux(node[c].a[0], b, a);
    if (node[a].op == N_MUX && node[a].a[0] == c)
        return n_mux(c, node[a].a[1], b);
    if (node[b].op == N_MUX && node[b].a[0] == c)
        return n_mux(c, a, node[b].a[2]);
    if (node[a].w == 1) {
        if (is_const(a))
            return is_zero(a) ? n_and(n_not(c), b) : n_or(c, b);
        if (is_const(b))
            return is_zero(b) ? n_and(c, a) : n_or(n_not(c), a);
        if (a == c)
            return n_or(c, b);
        if (b == c)
            return n_and(c, a);
    }
    if (in_parts(a) && in_parts(b) && !(is_const(a) && is_const(b))) {
        ref r = mux_by_parts(c, a, b);
        if (r)
            return r;
    }
    // p ? (q ? x : y) : y  is  (p & q) ? x : y
    if (node[a].op == N_MUX && node[a].a[2] == b)
        return n_mux(n_and(c, node[a].a[0]), node[a].a[1], b);
    if (node[a].op == N_MUX && node[a].a[1] == b)
        return n_mux(n_and(c, n_not(node[a].a[0])), node[a].a[2], b);
    // p ? x : (q ? x : y)  is  (p | q) ? x : y
    if (node[b].op == N_MUX && node[b].a[1] == a)
        return n_mux(n_or(c, node[b].a[0]), a, node[b].a[2]);
    return n_make(N_MUX, node[a].w, 0, 0, 3, (ref[]){c, a, b});
}

ref n_sel(ref idx, uint32_t n, const ref *v)
{
    uint32_t w = node[v[0]].w, iw = node[idx].w, z = lead_zeros(idx);
    if (z && z < iw)
        return n_sel(n_slice(idx, 0, iw - z), n, v);
    if (iw < 32 && n > (uint32_t)1 << iw)
        n = (uint32_t)1 << iw;
    if (is_const(idx)) {
        for (uint32_t i = 32; i < iw; i++)
            if (const_bit(idx, i))
                return n_const(w, 0);
        return const_u64(idx) < n ? v[const_u64(idx)] : n_const(w, 0);
    }
    bool same = true;
    for (uint32_t i = 1; i < n; i++)
        same = same && v[i] == v[0];
    if (same)
        return v[0]; // an index beyond the end is undefined in the source
    uint32_t lead = w;
    for (uint32_t i = 0; i < n; i++)
        lead = lead_zeros(v[i]) < lead ? lead_zeros(v[i]) : lead;
    if (lead && lead < w) {
        ref *low = xalloc(n * sizeof(ref));
        for (uint32_t i = 0; i < n; i++)
            low[i] = n_slice(v[i], 0, w - lead);
        return n_zext(n_sel(idx, n, low), w);
    }
    if (iw == 1)
        return n_mux(idx, n > 1 ? v[1] : n_const(w, 0), v[0]);
    ref *a = xalloc((n + 1) * sizeof(ref));
    a[0] = idx;
    for (uint32_t i = 0; i < n; i++)
        a[i + 1] = v[i];
    ref r = n_make(N_SEL, w, 0, 0, n + 1, a);
    free(a);
    return r;
}
