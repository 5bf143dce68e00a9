// SPDX-License-Identifier: BSD-2-Clause
/* call.c - LLVM intrinsics; any other call is refused. */
#include "lower.h"

#include <stdlib.h>
#include <string.h>

static bool starts(const char *s, const char *with)
{
    return !strncmp(s, with, strlen(with));
}

static ref arg(LLVMValueRef i, unsigned n)
{
    return value_ref(LLVMGetOperand(i, n));
}

static uint64_t const_length(LLVMValueRef i)
{
    LLVMValueRef n = LLVMGetOperand(i, 2);
    if (!LLVMIsAConstantInt(n))
        die(here.at, "a copy of variable length");
    return LLVMConstIntGetZExtValue(n);
}

/** Memory intrinsics and those that mean nothing here; false if it is none of them. */
static bool lower_memory(LLVMValueRef i, const char *f)
{
    static const char *const ignored[] = {"llvm.dbg.", "llvm.lifetime.", "llvm.assume", "llvm.donothing",
                                          "llvm.experimental.noalias.scope", "llvm.invariant."};
    for (size_t k = 0; k < sizeof ignored / sizeof *ignored; k++)
        if (starts(f, ignored[k]))
            return true;
    if (starts(f, "llvm.memcpy.") || starts(f, "llvm.memmove.")) {
        struct val d = value_get(LLVMGetOperand(i, 0)), s = value_get(LLVMGetOperand(i, 1));
        if (const_length(i))
            mem_copy(d.alt, d.alts, s.alt, s.alts, const_length(i));
        return true;
    }
    if (starts(f, "llvm.memset.")) {
        struct val d = value_get(LLVMGetOperand(i, 0));
        if (const_length(i))
            mem_set(d.alt, d.alts, arg(i, 1), const_length(i));
        return true;
    }
    return false;
}

static ref zero_count(LLVMValueRef i, enum op op)
{
    ref a = arg(i, 0), n = n_count(op, a);
    if (op == N_CTZ && mistake == MISTAKE_CTZ_OFF_BY_ONE)
        n = n_add(n, n_const(node[n].w, 1));
    return n_fit(n, node[a].w);
}

static ref funnel(LLVMValueRef i, bool left)
{
    ref a = arg(i, 0), b = arg(i, 1), s = arg(i, 2);
    uint32_t w = node[a].w;
    ref m = (w & (w - 1)) == 0 && w > 1 ? n_slice(s, 0, clog2(w))
            : w == 1                    ? n_const(1, 0)
                                        : n_div(N_UREM, s, n_const(w, w));
    ref both = n_cat2(a, b);
    if (left)
        return n_slice(n_shift(N_SHL, both, m), w, w);
    return n_slice(n_shift(N_LSHR, both, m), 0, w);
}

static ref saturate(LLVMValueRef i, bool is_signed, bool minus)
{
    ref a = arg(i, 0), b = arg(i, 1);
    uint32_t w = node[a].w;
    if (!is_signed && minus)
        return n_mux(n_ult(a, b), n_const(w, 0), n_sub(a, b));
    ref x = is_signed ? n_sext(a, w + 1) : n_zext(a, w + 1);
    ref y = is_signed ? n_sext(b, w + 1) : n_zext(b, w + 1);
    ref r = minus ? n_sub(x, y) : n_add(x, y), top = n_slice(r, w, 1), low = n_slice(r, 0, w);
    if (!is_signed)
        return n_mux(top, n_ones(w), low);
    ref over = n_xor(top, n_slice(r, w - 1, 1));
    ref limit = w == 1 ? top : n_cat2(top, n_rep(n_not(top), w - 1));
    return n_mux(over, limit, low);
}

/** {result, overflow} */
static struct val with_overflow(LLVMValueRef i, const char *f)
{
    bool is_signed = f[0] == 's';
    ref a = arg(i, 0), b = arg(i, 1);
    uint32_t w = node[a].w, big = starts(f + 1, "mul") ? 2 * w : w + 1;
    ref x = is_signed ? n_sext(a, big) : n_zext(a, big);
    ref y = is_signed ? n_sext(b, big) : n_zext(b, big);
    ref r = starts(f + 1, "mul") ? n_mul(x, y) : starts(f + 1, "sub") ? n_sub(x, y) : n_add(x, y);
    ref low = n_slice(r, 0, w);
    ref ok = n_eq(r, is_signed ? n_sext(low, big) : n_zext(low, big));
    return (struct val){.r = low, .r2 = n_not(ok)};
}

static ref min_max(LLVMValueRef i, bool is_signed, bool max)
{
    ref a = arg(i, 0), b = arg(i, 1);
    ref less = is_signed ? n_slt(a, b) : n_ult(a, b);
    return max ? n_mux(less, b, a) : n_mux(less, a, b);
}

static ref absolute(LLVMValueRef i)
{
    ref a = arg(i, 0);
    uint32_t w = node[a].w;
    return n_mux(n_slice(a, w - 1, 1), n_sub(n_const(w, 0), a), a);
}

/** Three-way compare: -1, 0 or 1. */
static ref three_way(LLVMValueRef i, bool is_signed)
{
    ref a = arg(i, 0), b = arg(i, 1);
    uint32_t w = width_of(i);
    ref lt = is_signed ? n_slt(a, b) : n_ult(a, b), gt = is_signed ? n_slt(b, a) : n_ult(b, a);
    return n_mux(lt, n_ones(w), n_zext(gt, w));
}

static ref lower_math(LLVMValueRef i, const char *f)
{
    if (starts(f, "ctpop."))
        return n_fit(n_count(N_POP, arg(i, 0)), width_of(i));
    if (starts(f, "cttz."))
        return zero_count(i, N_CTZ);
    if (starts(f, "ctlz."))
        return zero_count(i, N_CLZ);
    if (starts(f, "umin.") || starts(f, "umax.") || starts(f, "smin.") || starts(f, "smax."))
        return min_max(i, f[0] == 's', f[2] == 'a');
    if (starts(f, "uadd.sat.") || starts(f, "usub.sat.") || starts(f, "sadd.sat.") || starts(f, "ssub.sat."))
        return saturate(i, f[0] == 's', f[1] == 's');
    if (starts(f, "fshl.") || starts(f, "fshr."))
        return funnel(i, f[3] == 'l');
    if (starts(f, "bswap."))
        return n_reverse(arg(i, 0), 8);
    if (starts(f, "bitreverse."))
        return n_reverse(arg(i, 0), 1);
    if (starts(f, "abs."))
        return absolute(i);
    if (starts(f, "expect."))
        return arg(i, 0);
    if (starts(f, "ucmp.") || starts(f, "scmp."))
        return three_way(i, f[0] == 's');
    return 0;
}

void lower_call(LLVMValueRef i)
{
    size_t n;
    LLVMValueRef callee = LLVMGetCalledValue(i);
    const char *f = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &n) : nullptr;
    if (!f)
        die(here.at, "a call through a pointer");
    if (!starts(f, "llvm."))
        die(here.at, "call of '%s': a kernel calls only helpers whose body is in the file, without recursion", f);
    if (lower_memory(i, f))
        return;
    if (strstr(f, ".with.overflow.")) {
        value_set(i, with_overflow(i, f + strlen("llvm.")));
        return;
    }
    ref r = width_of(i) ? lower_math(i, f + strlen("llvm.")) : 0;
    if (!r)
        die(here.at, "intrinsic '%s' cannot be lowered", f);
    value_set_ref(i, r);
}
