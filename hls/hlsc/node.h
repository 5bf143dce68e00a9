// SPDX-License-Identifier: BSD-2-Clause
/*
 * node.h - the combinational graph: hash-consed, exact widths, simplified when built.
 *
 * A node is made by a constructor and never changes. Operands of arithmetic,
 * bitwise, compare and mux nodes have equal widths, so that Verilog's widening
 * rules never apply when expressions are nested in print.
 */
#ifndef HLSC_NODE_H
#define HLSC_NODE_H

#include "util.h"

typedef uint32_t ref; // 0: no node

enum op {
    N_NONE,
    N_CONST, // c: limbs
    N_VAR,   // a named signal: register, pin; x: serial number
    N_READ,  // memory read: x = memory, y = leaf of the element, a[0] = address
    N_DC,    // any value will do
    N_CAT,   // a[0] is the least significant part
    N_SLICE, // a[0][x + w - 1 : x]; the base is never a constant, a CAT or a SLICE
    N_REP,   // w copies of the bit a[0]
    N_NOT,
    N_AND,
    N_OR,
    N_XOR,
    N_ADD,
    N_SUB,
    N_MUL,
    N_UDIV,
    N_UREM,
    N_SDIV,
    N_SREM,
    N_SHL, // the amount a[1] may have another width
    N_LSHR,
    N_ASHR,
    N_EQ,
    N_ULT,
    N_SLT,
    N_MUX,  // a[0] ? a[1] : a[2]
    N_SEL,  // a[0] is an index into a[1..]; beyond the end the value is 0
    N_RXOR, // parity
    N_CTZ,  // result is just wide enough for the operand's width
    N_CLZ,
    N_POP,
    N_OPS,
};

struct node {
    enum op op;
    uint32_t w, n, x, y;
    ref *a;
    uint64_t *c;
    uint32_t hash;
    ref next; // hash chain
    const char *name; // wanted name, or nullptr
};

extern struct node *node;
extern uint32_t node_count;
extern const char *const op_name[N_OPS];

/** Which lowering rule is broken on purpose, for the tests of the tests; 0: none. */
extern int mistake;

enum mistake {
    MISTAKE_LSHR_IS_ASHR = 1,
    MISTAKE_WRITE_ENABLE,
    MISTAKE_CTZ_OFF_BY_ONE,
    MISTAKE_MUX_SWAPPED_JOIN,
    MISTAKE_SLICE_OFF_BY_ONE,
    MISTAKE_ULT_IS_ULE,
    MISTAKE_SEXT_IS_ZEXT,
    MISTAKE_SYNC_READ_ALWAYS,
    MISTAKE_STORE_LOST,
    MISTAKE_COUNT,
};

// ---- constants
ref n_const(uint32_t w, uint64_t v);
ref n_limbs(uint32_t w, const uint64_t *limbs);
/** A constant from its decimal text, which may start with a minus sign. */
ref n_decimal(uint32_t w, const char *s);
ref n_ones(uint32_t w);
bool is_const(ref a);
bool is_zero(ref a);
bool is_ones(ref a);
/** The value of a constant modulo 2^64. */
uint64_t const_u64(ref a);
bool const_bit(ref a, uint32_t i);

// ---- leaves
ref n_var(uint32_t w, const char *name);
ref n_read(uint32_t w, uint32_t mem, uint32_t leaf, ref addr);
ref n_dc(uint32_t w);

// ---- bits
ref n_cat(uint32_t n, const ref *a);
ref n_cat2(ref hi, ref lo);
ref n_slice(ref a, uint32_t lo, uint32_t w);
ref n_rep(ref bit, uint32_t w);
ref n_zext(ref a, uint32_t w);
ref n_sext(ref a, uint32_t w);
/** To width w: cut, or extended with zeros. */
ref n_fit(ref a, uint32_t w);
ref n_reverse(ref a, uint32_t group);

// ---- logic
ref n_not(ref a);
ref n_and(ref a, ref b);
ref n_or(ref a, ref b);
ref n_xor(ref a, ref b);
ref n_mux(ref c, ref a, ref b);
ref n_sel(ref idx, uint32_t n, const ref *v);
/** True if the one-bit nodes a and b are proven never to be true together. */
bool exclusive(ref a, ref b);
/** A list of one-bit nodes and values; push returns what pop wants. */
void facts_reset(void);
uint32_t facts_push(ref c, bool v);
void facts_pop(uint32_t to);
/** True if the facts are proven not to hold together. */
bool facts_contradict(void);

// ---- arithmetic
ref n_add(ref a, ref b);
ref n_sub(ref a, ref b);
ref n_mul(ref a, ref b);
ref n_div(enum op op, ref a, ref b);
ref n_shift(enum op op, ref a, ref amount);
ref n_eq(ref a, ref b);
ref n_ult(ref a, ref b);
ref n_slt(ref a, ref b);
ref n_parity(ref a);
/** CTZ, CLZ or POP. */
ref n_count(enum op op, ref a);

// ---- for the constructors themselves
ref n_make(enum op op, uint32_t w, uint32_t x, uint32_t y, uint32_t n, const ref *a);
uint32_t lead_zeros(ref a);
uint32_t trail_zeros(ref a);
/** Positions where a or b changes between constant runs and others; returns how many, 0 if many. */
enum { MAX_CUTS = 48 };
uint32_t n_cuts(ref a, ref b, uint32_t cut[MAX_CUTS], bool parts);
/** "no loc". */
#define NOWHERE ((struct loc){})

#endif
