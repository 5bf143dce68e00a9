// SPDX-License-Identifier: BSD-2-Clause
/* arith.c - constructors of arithmetic, shifts and comparisons. */
#include "node.h"

#include <stdlib.h>

static ref fold_sum(ref a, ref b, bool minus)
{
    uint32_t k = (node[a].w + 63) / 64;
    uint64_t *c = xalloc(k * sizeof *c);
    unsigned __int128 carry = minus;
    for (uint32_t i = 0; i < k; i++) {
        carry += node[a].c[i];
        carry += minus ? ~node[b].c[i] : node[b].c[i];
        c[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return n_limbs(node[a].w, c);
}

static uint32_t min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/** True if no bit can be set in both. */
static bool disjoint(ref a, ref b)
{
    uint32_t cut[MAX_CUTS], n = n_cuts(a, b, cut, false);
    for (uint32_t i = 0; i + 1 < n; i++) {
        uint32_t w = cut[i + 1] - cut[i];
        if (!is_zero(n_slice(a, cut[i], w)) && !is_zero(n_slice(b, cut[i], w)))
            return false;
    }
    return n > 1;
}

ref n_add(ref a, ref b)
{
    uint32_t w = node[a].w;
    if (is_const(a)) {
        ref t = a;
        a = b;
        b = t;
    }
    if (is_const(a))
        return fold_sum(a, b, false);
    if (is_zero(b))
        return a;
    if (w == 1)
        return n_xor(a, b);
    if (node[a].op == N_ADD && is_const(b) && is_const(node[a].a[1]))
        return n_add(node[a].a[0], fold_sum(node[a].a[1], b, false));
    if (disjoint(a, b))
        return n_or(a, b);
    // bits below the lowest one of a side pass through
    uint32_t z = trail_zeros(a) > trail_zeros(b) ? trail_zeros(a) : trail_zeros(b);
    if (z) {
        ref low = trail_zeros(a) > trail_zeros(b) ? b : a;
        return n_cat2(n_add(n_slice(a, z, w - z), n_slice(b, z, w - z)), n_slice(low, 0, z));
    }
    uint32_t lead = min(lead_zeros(a), lead_zeros(b));
    if (lead >= 2)
        return n_zext(n_add(n_slice(a, 0, w - lead + 1), n_slice(b, 0, w - lead + 1)), w);
    return n_make(N_ADD, w, 0, 0, 2, (ref[]){a, b});
}

ref n_sub(ref a, ref b)
{
    if (a == b)
        return n_const(node[a].w, 0);
    if (is_const(a) && is_const(b))
        return fold_sum(a, b, true);
    if (is_zero(b))
        return a;
    if (node[a].w == 1)
        return n_xor(a, b);
    return n_make(N_SUB, node[a].w, 0, 0, 2, (ref[]){a, b});
}

ref n_mul(ref a, ref b)
{
    uint32_t w = node[a].w;
    if (is_const(a)) {
        ref t = a;
        a = b;
        b = t;
    }
    if (is_zero(b))
        return b;
    if (w == 1)
        return n_and(a, b);
    if (is_const(a) && w <= 64)
        return n_const(w, const_u64(a) * const_u64(b));
    if (is_const(b)) {
        uint32_t z = trail_zeros(b);
        if (z && z + 1 + lead_zeros(b) == w) // a power of two
            return n_cat2(n_slice(a, 0, w - z), n_const(z, 0));
        if (!z && lead_zeros(b) == w - 1)
            return a;
    }
    uint32_t need = w - lead_zeros(a) + w - lead_zeros(b);
    if (need && need < w)
        return n_zext(n_mul(n_slice(a, 0, need), n_slice(b, 0, need)), w);
    return n_make(N_MUL, w, 0, 0, 2, (ref[]){a, b});
}

ref n_div(enum op op, ref a, ref b)
{
    uint32_t w = node[a].w;
    if (is_const(a) && is_const(b) && w <= 64 && const_u64(b) && (op == N_UDIV || op == N_UREM)) {
        uint64_t x = const_u64(a), y = const_u64(b);
        return n_const(w, op == N_UDIV ? x / y : x % y);
    }
    // narrower where the upper bits of both are zero: a divider's size is quadratic
    uint32_t lead = min(lead_zeros(a), lead_zeros(b));
    if ((op == N_UDIV || op == N_UREM) && lead && lead < w)
        return n_zext(n_div(op, n_slice(a, 0, w - lead), n_slice(b, 0, w - lead)), w);
    return n_make(op, w, 0, 0, 2, (ref[]){a, b});
}

static ref shift_const(enum op op, ref a, ref amount)
{
    uint32_t w = node[a].w;
    uint64_t s = const_u64(amount);
    for (uint32_t i = 64; i < node[amount].w; i++)
        if (const_bit(amount, i))
            s = w;
    if (s == 0)
        return a;
    if (op == N_ASHR) {
        uint32_t k = s < w ? (uint32_t)s : w - 1;
        return n_sext(n_slice(a, k, w - k), w);
    }
    if (s >= w)
        return n_const(w, 0);
    uint32_t k = (uint32_t)s;
    if (op == N_SHL)
        return n_cat2(n_slice(a, 0, w - k), n_const(k, 0));
    return n_zext(n_slice(a, k, w - k), w);
}

ref n_shift(enum op op, ref a, ref amount)
{
    if (op == N_LSHR && mistake == MISTAKE_LSHR_IS_ASHR)
        op = N_ASHR;
    if (is_const(amount))
        return shift_const(op, a, amount);
    if (is_zero(a))
        return a;
    uint32_t z = lead_zeros(amount), wa = node[amount].w;
    if (z && z < wa)
        amount = n_slice(amount, 0, wa - z);
    return n_make(op, node[a].w, 0, 0, 2, (ref[]){a, amount});
}

/** Equality piece by piece where constants meet; 0 if that gains nothing. */
static ref eq_by_parts(ref a, ref b)
{
    uint32_t cut[MAX_CUTS], n = n_cuts(a, b, cut, true), m = 0;
    ref x[MAX_CUTS], y[MAX_CUTS];
    if (n < 3)
        return 0;
    for (uint32_t i = 0; i + 1 < n; i++) {
        ref p = n_slice(a, cut[i], cut[i + 1] - cut[i]), q = n_slice(b, cut[i], cut[i + 1] - cut[i]);
        if (p == q)
            continue;
        if (is_const(p) && is_const(q))
            return n_const(1, 0);
        x[m] = p;
        y[m++] = q;
    }
    if (m == n - 1)
        return 0;
    return m ? n_eq(n_cat(m, x), n_cat(m, y)) : n_const(1, 1);
}

ref n_eq(ref a, ref b)
{
    if (a == b)
        return n_const(1, 1);
    if (is_const(a)) {
        ref t = a;
        a = b;
        b = t;
    }
    if (is_const(a))
        return n_const(1, 0);
    if (node[a].w == 1)
        return is_const(b) ? (is_zero(b) ? n_not(a) : a) : n_not(n_xor(a, b));
    ref r = eq_by_parts(a, b);
    if (r)
        return r;
    if (!is_const(b) && a > b) {
        ref t = a;
        a = b;
        b = t;
    }
    return n_make(N_EQ, 1, 0, 0, 2, (ref[]){a, b});
}

static ref fold_less(ref a, ref b)
{
    for (uint32_t i = node[a].w; i-- > 0;)
        if (const_bit(a, i) != const_bit(b, i))
            return n_const(1, const_bit(b, i));
    return n_const(1, 0);
}

ref n_ult(ref a, ref b)
{
    uint32_t w = node[a].w;
    if (mistake == MISTAKE_ULT_IS_ULE && !is_const(a) && !is_const(b))
        return n_or(n_eq(a, b), n_make(N_ULT, 1, 0, 0, 2, (ref[]){a, b}));
    if (a == b || is_zero(b) || is_ones(a))
        return n_const(1, 0);
    if (is_ones(b))
        return n_not(n_eq(a, b));
    if (is_const(a) && is_const(b))
        return fold_less(a, b);
    if (is_zero(a))
        return n_not(n_eq(b, a));
    if (b == n_const(w, 1))
        return n_eq(a, n_const(w, 0));
    uint32_t z = min(lead_zeros(a), lead_zeros(b));
    if (z && z < w)
        return n_ult(n_slice(a, 0, w - z), n_slice(b, 0, w - z));
    if (w == 1)
        return n_and(n_not(a), b);
    return n_make(N_ULT, 1, 0, 0, 2, (ref[]){a, b});
}

ref n_slt(ref a, ref b)
{
    uint32_t w = node[a].w;
    if (a == b)
        return n_const(1, 0);
    if (w == 1)
        return n_and(a, n_not(b));
    if ((is_const(a) && is_const(b)) || (lead_zeros(a) && lead_zeros(b))) {
        // equal signs compare as unsigned, the others by sign
        if (is_const(a) && is_const(b) && const_bit(a, w - 1) != const_bit(b, w - 1))
            return n_const(1, const_bit(a, w - 1));
        return n_ult(a, b);
    }
    if (is_zero(b))
        return n_slice(a, w - 1, 1);
    return n_make(N_SLT, 1, 0, 0, 2, (ref[]){a, b});
}

ref n_parity(ref a)
{
    uint32_t z = lead_zeros(a);
    if (is_const(a)) {
        uint64_t p = 0;
        for (uint32_t i = 0; i < node[a].w; i++)
            p ^= const_bit(a, i);
        return n_const(1, p);
    }
    if (z)
        return n_parity(n_slice(a, 0, node[a].w - z));
    if (node[a].w == 1)
        return a;
    return n_make(N_RXOR, 1, 0, 0, 1, &a);
}

ref n_count(enum op op, ref a)
{
    uint32_t w = node[a].w, z = lead_zeros(a);
    if (op == N_POP && z && z < w)
        return n_zext(n_count(op, n_slice(a, 0, w - z)), clog2((uint64_t)w + 1));
    if (w == 1)
        return op == N_POP ? a : n_not(a);
    return n_make(op, clog2((uint64_t)w + 1), 0, 0, 1, &a);
}
