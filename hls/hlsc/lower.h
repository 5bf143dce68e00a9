// SPDX-License-Identifier: BSD-2-Clause
/*
 * lower.h - from the LLVM function to nodes.
 *
 * cfg.c walks the blocks and turns paths into predicates, value.c keeps what
 * each LLVM value became, instr.c lowers instructions, call.c intrinsics.
 */
#ifndef HLSC_LOWER_H
#define HLSC_LOWER_H

#include "mem.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

/** What an LLVM value became: a node (two for {iN, i1}), or alternatives of an address. */
struct val {
    ref r, r2;
    struct addr *alt;
    uint32_t alts;
};

// ---- front.c
/** Compiles `file` to bitcode, runs the passes and returns `name`_step. */
LLVMValueRef front_compile(const char *file, const char *name, const char *const *args, int nargs);

// ---- value.c
extern LLVMTargetDataRef target;
void value_reset(LLVMValueRef fn, struct object *kernel);
/** Lowers constants on demand; every other value must have been set before. */
struct val value_get(LLVMValueRef v);
ref value_ref(LLVMValueRef v);
void value_set(LLVMValueRef v, struct val x);
void value_set_ref(LLVMValueRef v, ref r);
/** The name a debug intrinsic gives to `v`. */
void value_name(LLVMValueRef v, const char *name);
struct lay *lay_of_type(LLVMTypeRef t);
struct loc loc_of(LLVMValueRef instruction);
struct addr *addr_copy(const struct addr *a, uint32_t n);
uint32_t width_of(LLVMValueRef v);

// ---- cfg.c
/** Runs over the whole function; afterwards slot[].last holds the state after the step. */
void lower_function(LLVMValueRef fn, struct object *kernel);
/** The value of a phi in the block being walked. */
void lower_phi(LLVMValueRef phi);

// ---- instr.c, call.c
void lower_instruction(LLVMValueRef i);
void lower_call(LLVMValueRef i);

#endif
