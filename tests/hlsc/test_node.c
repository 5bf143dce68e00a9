// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_node.c - the constructors of node.h against 64-bit arithmetic.
 *
 * Random graphs are built twice: over variables and, by substitution, over
 * constants. The simplifier must agree with itself and with C.
 */
#include "node.h"

#include <CUnit/CUnit.h>
#include <stdlib.h>

static uint64_t seed = 1;

static uint64_t rnd(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t mask(uint32_t w)
{
    return w >= 64 ? ~0ull : (1ull << w) - 1;
}

/** Values of the variables, by serial number of the node. */
static uint64_t value_of[1 << 16];

static int64_t sign(uint64_t v, uint32_t w)
{
    return (int64_t)(v << (64 - w)) >> (64 - w);
}

/** What a node of at most 64 bits is worth, computed without the simplifier. */
static uint64_t eval(ref r)
{
    const struct node *n = &node[r];
    uint64_t v[4] = {0}, m = mask(n->w), x = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < n->n && i < 4; i++)
        v[i] = eval(n->a[i]);
    switch (n->op) {
    case N_CONST:
        return const_u64(r);
    case N_VAR:
        return value_of[r] & m;
    case N_CAT:
        for (uint32_t i = 0; i < n->n; at += node[n->a[i++]].w)
            x |= eval(n->a[i]) << at;
        return x;
    case N_SLICE:
        return (v[0] >> n->x) & m;
    case N_REP:
        return v[0] ? m : 0;
    case N_NOT:
        return ~v[0] & m;
    case N_AND:
        return v[0] & v[1];
    case N_OR:
        return v[0] | v[1];
    case N_XOR:
        return v[0] ^ v[1];
    case N_ADD:
        return (v[0] + v[1]) & m;
    case N_SUB:
        return (v[0] - v[1]) & m;
    case N_MUL:
        return (v[0] * v[1]) & m;
    case N_SHL:
        return v[1] >= n->w ? 0 : (v[0] << v[1]) & m;
    case N_LSHR:
        return v[1] >= n->w ? 0 : v[0] >> v[1];
    case N_ASHR:
        return (uint64_t)(sign(v[0], n->w) >> (v[1] >= n->w ? n->w - 1 : v[1])) & m;
    case N_EQ:
        return v[0] == v[1];
    case N_ULT:
        return v[0] < v[1];
    case N_SLT:
        return sign(v[0], node[n->a[0]].w) < sign(v[1], node[n->a[1]].w);
    case N_MUX:
        return v[0] ? v[1] : v[2];
    case N_RXOR:
        return (uint64_t)__builtin_popcountll(v[0]) & 1;
    case N_POP:
        return (uint64_t)__builtin_popcountll(v[0]);
    case N_CTZ:
        return v[0] ? (uint64_t)__builtin_ctzll(v[0]) : node[n->a[0]].w;
    default:
        CU_FAIL("an operation that eval does not know");
        return 0;
    }
}

enum { POOL = 40 };

struct pair {
    ref var;        // over variables
    uint64_t value; // by C
};

static struct pair pick(const struct pair *pool, int n, uint32_t w)
{
    struct pair p = pool[rnd() % (uint64_t)n];
    return (struct pair){n_fit(p.var, w), p.value & mask(node[p.var].w) & mask(w)};
}

static struct pair random_op(const struct pair *pool, int n)
{
    uint32_t w = 1 + (uint32_t)(rnd() % 64), s = (uint32_t)(rnd() % w);
    struct pair a = pick(pool, n, w), b = pick(pool, n, w), c = pick(pool, n, 1);
    switch (rnd() % 16) {
    case 0:
        return (struct pair){n_add(a.var, b.var), (a.value + b.value) & mask(w)};
    case 1:
        return (struct pair){n_sub(a.var, b.var), (a.value - b.value) & mask(w)};
    case 2:
        return (struct pair){n_mul(a.var, b.var), (a.value * b.value) & mask(w)};
    case 3:
        return (struct pair){n_and(a.var, b.var), a.value & b.value};
    case 4:
        return (struct pair){n_or(a.var, b.var), a.value | b.value};
    case 5:
        return (struct pair){n_xor(a.var, b.var), a.value ^ b.value};
    case 6:
        return (struct pair){n_not(a.var), ~a.value & mask(w)};
    case 7:
        return (struct pair){n_mux(c.var, a.var, b.var), c.value ? a.value : b.value};
    case 8:
        return (struct pair){n_eq(a.var, b.var), a.value == b.value};
    case 9:
        return (struct pair){n_ult(a.var, b.var), a.value < b.value};
    case 10:
        return (struct pair){n_slt(a.var, b.var), sign(a.value, w) < sign(b.value, w)};
    case 11:
        return (struct pair){n_shift(N_SHL, a.var, n_const(8, s)), (a.value << s) & mask(w)};
    case 12:
        return (struct pair){n_shift(N_LSHR, a.var, n_const(8, s)), a.value >> s};
    case 13:
        return (struct pair){n_shift(N_ASHR, a.var, n_const(8, s)), (uint64_t)(sign(a.value, w) >> s) & mask(w)};
    case 14:
        return (struct pair){n_and(a.var, n_const(w, mask(s + 1))), a.value & mask(s + 1)};
    default:
        return (struct pair){n_parity(a.var), (uint64_t)__builtin_popcountll(a.value) & 1};
    }
}

static void simplify__keeps_the_value(void)
{
    int bad = 0;
    for (int round = 0; round < 2000; round++) {
        struct pair pool[POOL + 8];
        int n = 0;
        for (; n < 8; n++) {
            uint32_t w = 1 + (uint32_t)(rnd() % 64);
            uint64_t v = rnd() & mask(w);
            ref r = n < 6 && node_count < 65000 ? n_var(w, "v") : n_const(w, v);
            if (node[r].op == N_VAR)
                value_of[r] = v;
            pool[n] = (struct pair){r, v};
        }
        for (; n < POOL + 8; n++) {
            pool[n] = random_op(pool, n);
            bad += eval(pool[n].var) != pool[n].value;
        }
    }
    CU_ASSERT_EQUAL(bad, 0);
}

static void decimal__wide(void)
{
    ref a = n_decimal(128, "340282366920938463463374607431768211455"); // 2^128 - 1
    CU_ASSERT(is_ones(a));
    CU_ASSERT(is_ones(n_decimal(300, "-1")));
    CU_ASSERT_EQUAL(n_decimal(100, "18446744073709551616"), n_cat2(n_const(36, 1), n_const(64, 0)));
}

static void exclusive__cases(void)
{
    ref x = n_var(4, "x"), p = n_var(1, "p"), q = n_var(1, "q");
    ref x1 = n_eq(x, n_const(4, 1)), x2 = n_eq(x, n_const(4, 2));
    CU_ASSERT(exclusive(x1, x2));
    CU_ASSERT(exclusive(n_and(p, q), n_and(n_not(p), x1)));
    CU_ASSERT(exclusive(n_not(n_or(p, q)), n_or(p, q)));
    CU_ASSERT(exclusive(n_or(x1, n_and(p, x2)), n_and(n_not(p), x2)));
    CU_ASSERT(!exclusive(p, q));
    CU_ASSERT(!exclusive(n_or(x1, p), n_or(x2, p)));
}

static void mux__merges_what_was_taken_apart(void)
{
    ref c = n_var(1, "c"), a = n_var(32, "a"), b = n_var(32, "b");
    ref lo = n_mux(c, n_slice(a, 0, 8), n_slice(b, 0, 8)), hi = n_mux(c, n_slice(a, 8, 24), n_slice(b, 8, 24));
    CU_ASSERT_EQUAL(n_cat2(hi, lo), n_mux(c, a, b));
    ref joined = n_or(n_shift(N_SHL, n_zext(a, 64), n_const(8, 32)), n_zext(b, 64));
    CU_ASSERT_EQUAL(joined, n_cat2(a, b));
}

void add_node_tests(void)
{
    CU_pSuite s = CU_add_suite("node", nullptr, nullptr);
    CU_add_test(s, "simplify__keeps_the_value", simplify__keeps_the_value);
    CU_add_test(s, "decimal__wide", decimal__wide);
    CU_add_test(s, "exclusive__cases", exclusive__cases);
    CU_add_test(s, "mux__merges_what_was_taken_apart", mux__merges_what_was_taken_apart);
}
