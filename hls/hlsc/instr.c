// SPDX-License-Identifier: BSD-2-Clause
/* instr.c - instructions other than calls and branches. */
#include "lower.h"

#include <stdlib.h>

static ref operand(LLVMValueRef i, unsigned n)
{
    return value_ref(LLVMGetOperand(i, n));
}

// ---- addresses

static void add_term(struct addr *a, ref idx, int64_t stride)
{
    if (a->n == MAX_TERMS_PER_ADDR)
        die(here.at, "an address with more than %d variable parts", MAX_TERMS_PER_ADDR);
    a->term[a->n++] = (struct term){idx, stride};
}

/** A zero-extended x + c or x * c, where the upper zeros prove that it did not wrap. */
static ref widen(ref x)
{
    struct node n = node[x];
    if (n.op != N_CAT || n.n != 2 || !is_zero(n.a[1]))
        return x;
    struct node s = node[n.a[0]];
    if (s.op == N_ADD && lead_zeros(s.a[0]) && lead_zeros(s.a[1]))
        return n_make(N_ADD, 64, 0, 0, 2, (ref[]){n_zext(s.a[0], 64), n_zext(s.a[1], 64)});
    if (s.op == N_MUL && is_const(s.a[1]) && lead_zeros(s.a[0]) + lead_zeros(s.a[1]) >= s.w)
        return n_make(N_MUL, 64, 0, 0, 2, (ref[]){n_zext(s.a[0], 64), n_zext(s.a[1], 64)});
    return x;
}

static void add_scaled(struct addr *a, ref x, int64_t scale);

/** Adds a zero-extended part times `scale`. */
static void add_part(struct addr *a, ref x, int64_t scale)
{
    ref sum = widen(x);
    if (sum == x)
        add_term(a, x, scale);
    else
        add_scaled(a, sum, scale);
}

/** Adds node `x` (64 bits) times `scale` to the address, taken apart as far as that helps. */
static void add_scaled(struct addr *a, ref x, int64_t scale)
{
    struct node n = node[x];
    if (n.op == N_CONST) {
        a->off += (int64_t)const_u64(x) * scale;
    } else if (n.op == N_ADD) {
        add_scaled(a, n.a[0], scale);
        add_scaled(a, n.a[1], scale);
    } else if (n.op == N_MUL && is_const(n.a[1])) {
        add_scaled(a, n.a[0], scale * (int64_t)const_u64(n.a[1]));
    } else if (n.op == N_CAT && lead_zeros(x)) { // zero-extended: a plain sum of its parts
        uint32_t at = 0;
        for (uint32_t i = 0; i < n.n; i++) {
            ref p = n.a[i];
            if (is_const(p) && !is_zero(p))
                a->off += (int64_t)(const_u64(p) << at) * scale;
            else if (!is_const(p))
                add_part(a, n_zext(p, 64), scale * ((int64_t)1 << at));
            at += node[p].w;
        }
    } else {
        add_term(a, x, scale);
    }
}

/** One way through an index: its value under a condition. */
struct way {
    ref cond, idx;
};
enum { MAX_WAYS = 32 };

/**
 * A choice between addresses, which LLVM writes as a choice between byte
 * offsets: not an index of an array, so each way becomes an address of its own.
 */
static uint32_t find_ways(ref x, ref cond, struct way *way, uint32_t n)
{
    struct node m = node[x];
    if (m.op == N_MUX && n + 2 <= MAX_WAYS) {
        n = find_ways(m.a[1], n_and(cond, m.a[0]), way, n);
        return find_ways(m.a[2], n_and(cond, n_not(m.a[0])), way, n);
    }
    for (uint32_t i = 0; m.op == N_CAT && i < m.n; i++) {
        ref p = m.a[i], bit = node[p].op == N_REP ? node[p].a[0] : node[p].w == 1 ? p : 0;
        bool choice = (bit && !is_const(bit)) || node[p].op == N_MUX;
        if (!choice || n + 2 > MAX_WAYS)
            continue;
        ref on = bit ? n_ones(node[p].w) : node[p].a[1], off = bit ? n_const(node[p].w, 0) : node[p].a[2];
        if (!bit)
            bit = node[p].a[0];
        ref *part = xalloc(m.n * sizeof(ref));
        for (uint32_t k = 0; k < m.n; k++)
            part[k] = k == i ? on : m.a[k];
        n = find_ways(n_cat(m.n, part), n_and(cond, bit), way, n);
        part[i] = off;
        return find_ways(n_cat(m.n, part), n_and(cond, n_not(bit)), way, n);
    }
    if (n < MAX_WAYS)
        way[n++] = (struct way){cond, x};
    return n;
}

static ref index_node(LLVMValueRef idx)
{
    ref x = value_ref(idx);
    return node[x].w < 64 ? n_sext(x, 64) : n_slice(x, 0, 64);
}

/** Typed indices after the first operand: they name an array, and stay variable. */
static void step_into(struct addr *a, LLVMValueRef gep)
{
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    for (unsigned i = 2; i < (unsigned)LLVMGetNumOperands(gep); i++) {
        LLVMValueRef idx = LLVMGetOperand(gep, i);
        if (LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            unsigned f = (unsigned)LLVMConstIntGetZExtValue(idx);
            a->off += (int64_t)LLVMOffsetOfElement(target, t, f);
            t = LLVMStructGetTypeAtIndex(t, f);
        } else {
            t = LLVMGetElementType(t);
            add_scaled(a, index_node(idx), (int64_t)LLVMABISizeOfType(target, t));
        }
    }
}

static void lower_gep(LLVMValueRef i)
{
    struct val x = value_get(LLVMGetOperand(i, 0));
    if (!x.alts)
        die(here.at, "pointer arithmetic on a number");
    LLVMTypeRef t = LLVMGetGEPSourceElementType(i);
    ref first = index_node(LLVMGetOperand(i, 1));
    int64_t size = (int64_t)LLVMABISizeOfType(target, t);
    struct way way[MAX_WAYS] = {{n_const(1, 1), first}};
    bool bytes = LLVMGetTypeKind(t) == LLVMIntegerTypeKind && size == 1;
    uint32_t ways = bytes ? find_ways(first, n_const(1, 1), way, 0) : 1;
    if (ways == MAX_WAYS)
        die(here.at, "a choice between too many addresses");
    struct addr *alt = xalloc(x.alts * ways * sizeof *alt);
    for (uint32_t k = 0; k < x.alts * ways; k++) {
        alt[k] = x.alt[k / ways];
        alt[k].cond = n_and(alt[k].cond, way[k % ways].cond);
        add_scaled(&alt[k], way[k % ways].idx, size);
        step_into(&alt[k], i);
    }
    value_set(i, (struct val){.alt = alt, .alts = x.alts * ways});
}

static void lower_load(LLVMValueRef i)
{
    uint32_t w = width_of(i), bits = (w + 7) / 8 * 8;
    struct val p = value_get(LLVMGetOperand(i, 0));
    if (!w)
        die(here.at, "a load of type %s: kernels hold integers only", LLVMPrintTypeToString(LLVMTypeOf(i)));
    ref v = 0;
    for (uint32_t k = p.alts; k-- > 0;) {
        ref x = mem_load(&p.alt[k], bits);
        v = v ? n_mux(p.alt[k].cond, x, v) : x;
    }
    value_set_ref(i, n_slice(v, 0, w));
}

static void lower_store(LLVMValueRef i)
{
    LLVMValueRef v = LLVMGetOperand(i, 0);
    if (!width_of(v))
        die(here.at, "a store of type %s: kernels hold integers only", LLVMPrintTypeToString(LLVMTypeOf(v)));
    uint32_t bits = (width_of(v) + 7) / 8 * 8;
    struct val p = value_get(LLVMGetOperand(i, 1));
    for (uint32_t k = 0; k < p.alts; k++)
        mem_store(&p.alt[k], n_zext(value_ref(v), bits));
}

// ---- values

static void lower_select(LLVMValueRef i)
{
    ref c = operand(i, 0);
    struct val a = value_get(LLVMGetOperand(i, 1)), b = value_get(LLVMGetOperand(i, 2));
    if (a.r && b.r) {
        value_set_ref(i, n_mux(c, a.r, b.r));
        return;
    }
    struct addr *alt = xalloc((a.alts + b.alts) * sizeof *alt);
    for (uint32_t k = 0; k < a.alts + b.alts; k++) {
        alt[k] = k < a.alts ? a.alt[k] : b.alt[k - a.alts];
        alt[k].cond = n_and(k < a.alts ? c : n_not(c), alt[k].cond);
    }
    value_set(i, (struct val){.alt = alt, .alts = a.alts + b.alts});
}

static ref compare(LLVMIntPredicate p, ref a, ref b)
{
    switch (p) {
    case LLVMIntEQ:
        return n_eq(a, b);
    case LLVMIntNE:
        return n_not(n_eq(a, b));
    case LLVMIntUGT:
        return n_ult(b, a);
    case LLVMIntUGE:
        return n_not(n_ult(a, b));
    case LLVMIntULT:
        return n_ult(a, b);
    case LLVMIntULE:
        return n_not(n_ult(b, a));
    case LLVMIntSGT:
        return n_slt(b, a);
    case LLVMIntSGE:
        return n_not(n_slt(a, b));
    case LLVMIntSLT:
        return n_slt(a, b);
    default:
        return n_not(n_slt(b, a));
    }
}

static ref divide(enum op op, LLVMValueRef i)
{
    ref b = operand(i, 1);
    if (!is_const(b) || is_zero(b))
        die(here.at, "division by a variable: a divider does not fit into one cycle");
    return n_div(op, operand(i, 0), b);
}

static ref extract(LLVMValueRef i)
{
    struct val x = value_get(LLVMGetOperand(i, 0));
    if (LLVMGetNumIndices(i) != 1 || !x.r2)
        die(here.at, "a struct value that hlsc cannot lower");
    return LLVMGetIndices(i)[0] ? x.r2 : x.r;
}

static ref lower_value(LLVMValueRef i)
{
    uint32_t w = width_of(i);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAdd:
        return n_add(operand(i, 0), operand(i, 1));
    case LLVMSub:
        return n_sub(operand(i, 0), operand(i, 1));
    case LLVMMul:
        return n_mul(operand(i, 0), operand(i, 1));
    case LLVMUDiv:
        return divide(N_UDIV, i);
    case LLVMURem:
        return divide(N_UREM, i);
    case LLVMSDiv:
        return divide(N_SDIV, i);
    case LLVMSRem:
        return divide(N_SREM, i);
    case LLVMAnd:
        return n_and(operand(i, 0), operand(i, 1));
    case LLVMOr:
        return n_or(operand(i, 0), operand(i, 1));
    case LLVMXor:
        return n_xor(operand(i, 0), operand(i, 1));
    case LLVMShl:
        return n_shift(N_SHL, operand(i, 0), operand(i, 1));
    case LLVMLShr:
        return n_shift(N_LSHR, operand(i, 0), operand(i, 1));
    case LLVMAShr:
        return n_shift(N_ASHR, operand(i, 0), operand(i, 1));
    case LLVMTrunc:
        return n_slice(operand(i, 0), 0, w);
    case LLVMZExt:
        return n_zext(operand(i, 0), w);
    case LLVMSExt:
        return n_sext(operand(i, 0), w);
    case LLVMFreeze:
        return operand(i, 0);
    case LLVMExtractValue:
        return extract(i);
    default:
        die(here.at, "'%s' cannot be lowered", LLVMPrintValueToString(i));
    }
}

void lower_instruction(LLVMValueRef i)
{
    LLVMOpcode op = LLVMIsAInstruction(i) ? LLVMGetInstructionOpcode(i) : LLVMGetConstOpcode(i);
    switch (op) {
    case LLVMAlloca:
        return; // made before the walk
    case LLVMGetElementPtr:
        lower_gep(i);
        return;
    case LLVMLoad:
        lower_load(i);
        return;
    case LLVMStore:
        lower_store(i);
        return;
    case LLVMPHI:
        lower_phi(i);
        return;
    case LLVMSelect:
        lower_select(i);
        return;
    case LLVMCall:
        lower_call(i);
        return;
    case LLVMICmp: {
        struct val a = value_get(LLVMGetOperand(i, 0));
        if (!a.r)
            die(here.at, "a comparison of addresses");
        value_set_ref(i, compare(LLVMGetICmpPredicate(i), a.r, operand(i, 1)));
        return;
    }
    case LLVMFreeze: {
        struct val a = value_get(LLVMGetOperand(i, 0));
        value_set(i, a);
        return;
    }
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        die(here.at, "an address is used as a number");
    default:
        if (!width_of(i))
            die(here.at, "a value of type %s has no counterpart in hardware",
                LLVMPrintTypeToString(LLVMTypeOf(i)));
        value_set_ref(i, lower_value(i));
    }
}
