// SPDX-License-Identifier: BSD-2-Clause
/*
 * cfg.c - if-conversion: walks the blocks in topological order.
 *
 * Each block keeps the condition `local` under which it runs when its immediate
 * dominator runs; the path predicate is the product along the dominator chain.
 * At a join, values of the predecessors are switched by conditions relative to
 * the dominator, which keeps them short.
 */
#include "lower.h"

#include <stdlib.h>
#include <string.h>

struct edge {
    uint32_t from;
    ref cond; // relative to `from`; known once `from` is lowered
};

struct block {
    LLVMBasicBlockRef bb;
    bool dead; // ends in undefined behaviour
    struct edge *in;
    uint32_t ins;
    size_t in_cap;
    uint32_t *out;
    uint32_t outs;
    size_t out_cap;
    uint32_t idom, ipdom;
    ref local, pred;
    ref *state;
    uint64_t *reach; // blocks from which this one can be reached, itself included
};

static struct block *blk;
static uint32_t blks, reach_words;
static uint32_t now; // block being walked

// ---- order

struct visit {
    LLVMBasicBlockRef bb;
    int state; // 1: open, 2: done
    uint32_t index;
    bool dead;
};
static struct visit *seen;
static size_t seens, seen_cap;
static uint32_t *order, ordered;

static struct visit *visit_of(LLVMBasicBlockRef bb)
{
    for (size_t i = 0; i < seens; i++)
        if (seen[i].bb == bb)
            return &seen[i];
    return nullptr;
}

static struct loc block_loc(LLVMBasicBlockRef bb)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
        if (LLVMGetDebugLocLine(i))
            return loc_of(i);
    return here.at;
}

static void depth_first(LLVMBasicBlockRef bb)
{
    size_t me = (size_t)(visit_of(bb) - seen);
    seen[me].state = 1;
    LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
    if (LLVMIsAIndirectBrInst(t))
        die(loc_of(t), "computed goto");
    unsigned n = LLVMGetNumSuccessors(t);
    bool dead = LLVMGetInstructionOpcode(t) == LLVMUnreachable || n;
    for (unsigned i = n; i-- > 0;) {
        size_t s = (size_t)(visit_of(LLVMGetSuccessor(t, i)) - seen);
        if (seen[s].state == 1)
            die(block_loc(seen[s].bb), "a loop is left after unrolling: it needs MR_UNROLL and a constant "
                                       "trip count");
        if (!seen[s].state)
            depth_first(seen[s].bb);
        dead = dead && seen[s].dead;
    }
    seen[me].state = 2;
    seen[me].dead = dead;
    order[ordered++] = (uint32_t)me;
}

static void sort_blocks(LLVMValueRef fn)
{
    seens = 0;
    ordered = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
        seen = xgrow(seen, &seen_cap, seens + 1, sizeof *seen);
        seen[seens++] = (struct visit){.bb = b};
    }
    order = xalloc(seens * sizeof *order);
    depth_first(LLVMGetEntryBasicBlock(fn));
    blk = xalloc(ordered * sizeof *blk);
    blks = 0;
    for (uint32_t i = ordered; i-- > 0;) {
        struct visit *v = &seen[order[i]];
        if (v->dead)
            continue;
        v->index = blks;
        blk[blks++].bb = v->bb;
    }
    if (!blks)
        die(here.at, "every path ends in undefined behaviour");
}

static void add_edge(uint32_t from, uint32_t to)
{
    struct block *f = &blk[from], *t = &blk[to];
    for (uint32_t i = 0; i < t->ins; i++)
        if (t->in[i].from == from)
            return;
    t->in = xgrow(t->in, &t->in_cap, t->ins + 1, sizeof *t->in);
    t->in[t->ins++] = (struct edge){.from = from, .cond = n_const(1, 0)};
    f->out = xgrow(f->out, &f->out_cap, f->outs + 1, sizeof *f->out);
    f->out[f->outs++] = to;
}

static void link_blocks(void)
{
    reach_words = (blks + 63) / 64;
    for (uint32_t b = 0; b < blks; b++) {
        blk[b].reach = xalloc(reach_words * sizeof(uint64_t));
        blk[b].reach[b / 64] |= (uint64_t)1 << (b % 64);
        for (uint32_t i = 0; i < blk[b].ins; i++) // edges into b come from earlier blocks
            for (uint32_t k = 0; k < reach_words; k++)
                blk[b].reach[k] |= blk[blk[b].in[i].from].reach[k];
        LLVMValueRef t = LLVMGetBasicBlockTerminator(blk[b].bb);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(t); i++) {
            struct visit *v = visit_of(LLVMGetSuccessor(t, i));
            if (!v->dead)
                add_edge(b, v->index);
        }
    }
}

static bool reaches(uint32_t from, uint32_t to)
{
    return (blk[to].reach[from / 64] >> (from % 64)) & 1;
}

// ---- dominators; block numbers are in topological order, so one pass does

static uint32_t common_dom(uint32_t a, uint32_t b)
{
    while (a != b) {
        if (a > b)
            a = blk[a].idom;
        else
            b = blk[b].idom;
    }
    return a;
}

static uint32_t common_pdom(uint32_t a, uint32_t b)
{
    while (a != b) {
        if (a < b)
            a = blk[a].ipdom;
        else
            b = blk[b].ipdom;
    }
    return a;
}

static void find_dominators(void)
{
    for (uint32_t b = 1; b < blks; b++) {
        blk[b].idom = blk[b].in[0].from;
        for (uint32_t i = 1; i < blk[b].ins; i++)
            blk[b].idom = common_dom(blk[b].idom, blk[b].in[i].from);
    }
    for (uint32_t b = blks; b-- > 0;) {
        blk[b].ipdom = blk[b].outs ? blk[b].out[0] : b;
        if (!blk[b].outs && b + 1 < blks)
            die(block_loc(blk[b].bb), "more than one exit");
        for (uint32_t i = 1; i < blk[b].outs; i++)
            blk[b].ipdom = common_pdom(blk[b].ipdom, blk[b].out[i]);
    }
}

static bool post_dominates(uint32_t x, uint32_t d)
{
    while (d < x)
        d = blk[d].ipdom;
    return d == x;
}

/** Condition under which x runs when its dominator d runs. */
static ref relative(uint32_t d, uint32_t x)
{
    ref r = n_const(1, 1);
    for (; x != d; x = blk[x].idom)
        r = n_and(blk[x].local, r);
    return r;
}

static ref edge_cond(uint32_t b, uint32_t i)
{
    struct edge e = blk[b].in[i];
    return n_and(relative(blk[b].idom, e.from), e.cond);
}

static void find_predicates(uint32_t b)
{
    struct block *k = &blk[b];
    k->local = n_const(1, 1);
    k->pred = n_const(1, 1);
    if (!b)
        return;
    if (!post_dominates(b, k->idom)) {
        k->local = n_const(1, 0);
        for (uint32_t i = 0; i < k->ins; i++)
            k->local = n_or(k->local, edge_cond(b, i));
    }
    k->pred = n_and(blk[k->idom].pred, k->local);
}

// ---- joins

/** Switches v[i] by c[i]; one of the conditions holds. */
static ref switch_values(uint32_t n, const ref *c, const ref *v)
{
    uint32_t best = n - 1, most = 0;
    for (uint32_t i = 0; i < n; i++) { // the commonest value needs no condition
        uint32_t count = 0;
        for (uint32_t j = 0; j < n; j++)
            count += v[j] == v[i];
        if (count > most) {
            most = count;
            best = i;
        }
    }
    ref r = v[best];
    for (uint32_t i = n; i-- > 0;)
        if (v[i] != v[best])
            r = mistake == MISTAKE_MUX_SWAPPED_JOIN && n == 2 ? n_mux(c[i], r, v[i]) : n_mux(c[i], v[i], r);
    return r;
}

static ref *edge_conds(uint32_t b)
{
    ref *c = xalloc(blk[b].ins * sizeof *c);
    for (uint32_t i = 0; i < blk[b].ins; i++)
        c[i] = edge_cond(b, i);
    return c;
}

static void join_states(uint32_t b)
{
    struct block *k = &blk[b];
    k->state = xalloc(slots * sizeof(ref));
    if (!b) {
        for (uint32_t s = 0; s < slots; s++)
            k->state[s] = slot[s].init;
        return;
    }
    memcpy(k->state, blk[k->in[0].from].state, slots * sizeof(ref));
    if (k->ins == 1)
        return;
    ref *c = edge_conds(b), *v = xalloc(k->ins * sizeof *v);
    for (uint32_t s = 0; s < slots; s++) {
        bool same = true;
        for (uint32_t i = 0; i < k->ins; i++) {
            v[i] = blk[k->in[i].from].state[s];
            same = same && v[i] == v[0];
        }
        if (!same)
            k->state[s] = switch_values(k->ins, c, v);
    }
    free(c);
    free(v);
}

static LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef from)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == from)
            return LLVMGetIncomingValue(phi, i);
    die(here.at, "phi without a value for a predecessor");
}

static void phi_addresses(LLVMValueRef phi, const ref *c)
{
    struct block *k = &blk[now];
    struct addr *alt = nullptr;
    size_t cap = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->ins; i++) {
        struct val x = value_get(incoming(phi, blk[k->in[i].from].bb));
        for (uint32_t j = 0; j < x.alts; j++) {
            alt = xgrow(alt, &cap, n + 1, sizeof *alt);
            alt[n] = x.alt[j];
            alt[n].cond = n_and(c[i], alt[n].cond);
            n++;
        }
    }
    value_set(phi, (struct val){.alt = alt, .alts = n});
}

void lower_phi(LLVMValueRef phi)
{
    struct block *k = &blk[now];
    ref *c = edge_conds(now), *v = xalloc(k->ins * sizeof *v);
    if (LLVMGetTypeKind(LLVMTypeOf(phi)) == LLVMPointerTypeKind) {
        phi_addresses(phi, c);
    } else {
        for (uint32_t i = 0; i < k->ins; i++)
            v[i] = value_ref(incoming(phi, blk[k->in[i].from].bb));
        value_set_ref(phi, switch_values(k->ins, c, v));
    }
    free(c);
    free(v);
}

// ---- branches

static void set_edge(uint32_t from, LLVMBasicBlockRef to, ref cond)
{
    struct visit *v = visit_of(to);
    if (v->dead)
        return;
    struct block *t = &blk[v->index];
    for (uint32_t i = 0; i < t->ins; i++)
        if (t->in[i].from == from)
            t->in[i].cond = n_or(t->in[i].cond, cond);
}

static void lower_switch(LLVMValueRef t)
{
    ref v = value_ref(LLVMGetOperand(t, 0)), other = n_const(1, 0);
    for (unsigned i = 2; i + 1 < (unsigned)LLVMGetNumOperands(t); i += 2) {
        ref hit = n_eq(v, value_ref(LLVMGetOperand(t, i)));
        set_edge(now, LLVMValueAsBasicBlock(LLVMGetOperand(t, i + 1)), hit);
        other = n_or(other, hit);
    }
    set_edge(now, LLVMGetSwitchDefaultDest(t), n_not(other));
}

static void lower_terminator(LLVMValueRef t)
{
    struct block *k = &blk[now];
    switch (LLVMGetInstructionOpcode(t)) {
    case LLVMRet:
        return;
    case LLVMSwitch:
        lower_switch(t);
        break;
    case LLVMBr:
        if (LLVMIsConditional(t)) {
            ref c = value_ref(LLVMGetCondition(t));
            set_edge(now, LLVMGetSuccessor(t, 0), c);
            set_edge(now, LLVMGetSuccessor(t, 1), n_not(c));
        } else {
            set_edge(now, LLVMGetSuccessor(t, 0), n_const(1, 1));
        }
        break;
    default:
        die(loc_of(t), "this control flow cannot be lowered");
    }
    if (k->outs == 1) // the other ways are undefined behaviour
        set_edge(now, blk[k->out[0]].bb, n_const(1, 1));
}

static void lower_block(uint32_t b)
{
    now = b;
    here.block = b;
    find_predicates(b);
    join_states(b);
    here.pred = blk[b].pred;
    here.state = blk[b].state;
    for (LLVMValueRef i = LLVMGetFirstInstruction(blk[b].bb); i; i = LLVMGetNextInstruction(i)) {
        if (LLVMGetDebugLocLine(i))
            here.at = loc_of(i);
        if (i == LLVMGetBasicBlockTerminator(blk[b].bb))
            lower_terminator(i);
        else
            lower_instruction(i);
    }
}

/** Debug intrinsics name values; they stand after the value, so they are read first. */
static void collect_names(LLVMValueRef fn)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            size_t n;
            if (!LLVMIsACallInst(i) ||
                strcmp(LLVMGetValueName2(LLVMGetCalledValue(i), &n), "llvm.dbg.value"))
                continue;
            LLVMValueRef val = LLVMGetOperand(i, 0), var = LLVMGetOperand(i, 1), v = nullptr, op[8];
            if (!LLVMIsAValueAsMetadata(val) || LLVMGetMDNodeNumOperands(var) > 8)
                continue;
            LLVMGetMDNodeOperands(val, &v);
            LLVMGetMDNodeOperands(var, op);
            unsigned len = 0;
            const char *s = op[1] ? LLVMGetMDString(op[1], &len) : nullptr;
            if (v && s && LLVMIsAInstruction(v))
                value_name(v, fmt("%.*s", (int)len, s));
        }
}

void lower_function(LLVMValueRef fn, struct object *kernel)
{
    here = (struct here){.reaches = reaches};
    collect_names(fn);
    value_reset(fn, kernel);
    sort_blocks(fn);
    link_blocks();
    find_dominators();
    // locals get slots before the first state is built
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMGetInstructionOpcode(i) == LLVMAlloca) {
                if (!LLVMIsConstant(LLVMGetOperand(i, 0)))
                    die(loc_of(i), "a local array of variable size");
                size_t n;
                struct addr a = {.cond = n_const(1, 1),
                                 .obj = mem_local(LLVMGetValueName2(i, &n), lay_of_type(LLVMGetAllocatedType(i)))};
                value_set(i, (struct val){.alt = addr_copy(&a, 1), .alts = 1});
            }
    for (uint32_t b = 0; b < blks; b++)
        lower_block(b);
    for (uint32_t s = 0; s < slots; s++)
        slot[s].last = blk[blks - 1].state[s];
}
