// SPDX-License-Identifier: BSD-2-Clause
/*
 * outdata.c - what an output carries in the steps in which it is valid.
 *
 * The data of an MR_OUT keeps its old value where the kernel does not write it.
 * Where no such path is valid, the old value needs no register: it is replaced
 * by "any". The proof follows multiplexers and collects their conditions.
 */
#include "finish.h"

enum { BUDGET = 2000 };

static ref stale_var;
static int budget;
static uint8_t *touches; // 0: unknown, 1: no, 2: yes
static size_t touches_cap;

/** True if the old value can be reached from d. */
static bool has_stale(ref d)
{
    touches = xgrow(touches, &touches_cap, node_count, 1);
    if (touches[d])
        return touches[d] == 2;
    bool yes = d == stale_var;
    for (uint32_t i = 0; i < node[d].n; i++)
        yes = has_stale(node[d].a[i]) || yes;
    touches[d] = yes ? 2 : 1;
    return yes;
}

static ref walk(ref d);

static ref walk_under(ref d, ref c, bool v)
{
    if (!has_stale(d))
        return d;
    uint32_t mark = facts_push(c, v);
    ref r = walk(d);
    facts_pop(mark);
    return r;
}

/** One-bit and, or: the other side decides whether this one matters. */
static ref walk_bit(const struct node *n)
{
    ref x = n->a[0], y = n->a[1];
    bool neutral = n->op == N_AND;
    if (has_stale(x) && has_stale(y))
        return 0;
    if (has_stale(x))
        x = walk_under(x, y, neutral);
    else
        y = walk_under(y, x, neutral);
    return neutral ? n_and(x, y) : n_or(x, y);
}

static ref walk(ref d)
{
    struct node n = node[d];
    if (!has_stale(d) || --budget < 0)
        return d;
    if (facts_contradict())
        return n_dc(n.w);
    if (n.op == N_MUX) // the condition comes from this step, or the old value stays
        return has_stale(n.a[0]) ? d
               : n_mux(n.a[0], walk_under(n.a[1], n.a[0], true), walk_under(n.a[2], n.a[0], false));
    if ((n.op == N_AND || n.op == N_OR) && n.w == 1) {
        ref r = walk_bit(&n);
        return r ? r : d;
    }
    if (n.op == N_NOT)
        return n_not(walk(n.a[0]));
    if (n.op == N_SLICE)
        return n_slice(walk(n.a[0]), n.x, n.w);
    if (n.op == N_CAT) {
        ref *p = xalloc(n.n * sizeof(ref));
        for (uint32_t i = 0; i < n.n; i++)
            p[i] = walk(n.a[i]);
        return n_cat(n.n, p);
    }
    return d;
}

ref data_where_valid(ref data, ref stale, ref valid)
{
    for (size_t i = 0; i < touches_cap; i++)
        touches[i] = 0;
    stale_var = stale;
    budget = BUDGET;
    facts_reset();
    facts_push(valid, true);
    return walk(data);
}
