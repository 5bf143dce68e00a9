// SPDX-License-Identifier: BSD-2-Clause
/*
 * prove.c - can some one-bit conditions hold together?
 *
 * Splits cases over the atoms below the conditions (comparisons, pins, bits of
 * registers). x == 1 and x == 2 exclude each other; otherwise atoms are taken as
 * independent, and when the budget runs out the answer is "perhaps", so a "no"
 * is a proof.
 */
#include "node.h"

enum { MAX_ATOMS = 64, MAX_STEPS = 4000, MAX_FACTS = 256 };

static struct {
    ref node;
    bool value;
} atom[MAX_ATOMS];
static uint32_t atoms;

static struct {
    ref node;
    bool value;
} fact[MAX_FACTS];
static uint32_t facts;

static int steps;
static ref open_atom; // some atom that the last evaluation missed

// values of the evaluation in progress, by node
static int8_t *memo;
static uint32_t *memo_stamp, stamp;
static size_t memo_cap, stamp_cap;

static int atom_value(ref c)
{
    for (uint32_t i = 0; i < atoms; i++) {
        ref a = atom[i].node;
        if (a == c)
            return atom[i].value;
        if (atom[i].value && node[a].op == N_EQ && node[c].op == N_EQ && node[a].a[0] == node[c].a[0] &&
            is_const(node[a].a[1]) && is_const(node[c].a[1]))
            return 0; // equal to another constant
    }
    open_atom = c;
    return -1;
}

static int evaluate(ref c);

static int evaluate_op(ref c)
{
    const struct node *n = &node[c];
    int x, y;
    switch (n->op) {
    case N_CONST:
        return !is_zero(c);
    case N_NOT:
        x = evaluate(n->a[0]);
        return x < 0 ? x : !x;
    case N_AND:
    case N_OR:
        x = evaluate(n->a[0]);
        if (x == (n->op == N_OR))
            return x;
        y = evaluate(n->a[1]);
        return y == (n->op == N_OR) ? y : x < 0 ? x : y;
    case N_XOR:
        x = evaluate(n->a[0]);
        y = evaluate(n->a[1]);
        return x < 0 || y < 0 ? -1 : x ^ y;
    case N_MUX:
        x = evaluate(n->a[0]);
        if (x >= 0)
            return evaluate(n->a[x ? 1 : 2]);
        x = evaluate(n->a[1]);
        y = evaluate(n->a[2]);
        return x == y ? x : -1;
    default:
        return atom_value(c);
    }
}

static int evaluate(ref c)
{
    if (memo_stamp[c] == stamp && memo[c] >= 0)
        return memo[c];
    int v = evaluate_op(c);
    memo_stamp[c] = stamp;
    memo[c] = (int8_t)v;
    return v;
}

/** False only if the facts contradict each other under the atoms set so far. */
static bool satisfiable(void)
{
    ref next = 0;
    if (--steps < 0 || atoms == MAX_ATOMS)
        return true;
    stamp++;
    for (uint32_t i = 0; i < facts; i++) {
        open_atom = 0;
        int v = evaluate(fact[i].node);
        if (v >= 0 && v != fact[i].value)
            return false;
        if (v < 0 && !next)
            next = open_atom;
    }
    if (!next)
        return true;
    for (int v = 1; v >= 0; v--) {
        atom[atoms].node = next;
        atom[atoms++].value = v;
        bool ok = satisfiable();
        atoms--;
        if (ok)
            return true;
    }
    return false;
}

void facts_reset(void)
{
    facts = 0;
}

uint32_t facts_push(ref c, bool v)
{
    uint32_t old = facts;
    if (node[c].op == N_NOT) {
        facts_push(node[c].a[0], !v);
    } else if ((node[c].op == N_AND && v) || (node[c].op == N_OR && !v)) {
        facts_push(node[c].a[0], v);
        facts_push(node[c].a[1], v);
    } else if (facts < MAX_FACTS) { // one that is dropped only weakens the proof
        fact[facts].node = c;
        fact[facts++].value = v;
    }
    return old;
}

void facts_pop(uint32_t to)
{
    facts = to;
}

/** The plain case, which may hide below conditions too large to split. */
static bool opposites(void)
{
    for (uint32_t i = 0; i < facts; i++)
        for (uint32_t j = i + 1; j < facts; j++)
            if (fact[i].node == fact[j].node && fact[i].value != fact[j].value)
                return true;
    return false;
}

bool facts_contradict(void)
{
    if (opposites())
        return true;
    memo = xgrow(memo, &memo_cap, node_count, sizeof *memo);
    memo_stamp = xgrow(memo_stamp, &stamp_cap, node_count, sizeof *memo_stamp);
    steps = MAX_STEPS;
    atoms = 0;
    return !satisfiable();
}

bool exclusive(ref a, ref b)
{
    facts_reset();
    facts_push(a, true);
    facts_push(b, true);
    return facts_contradict();
}
