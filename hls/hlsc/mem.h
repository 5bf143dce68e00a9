// SPDX-License-Identifier: BSD-2-Clause
/*
 * mem.h - what a kernel's loads and stores reach.
 *
 * An object (the kernel's struct, a local variable, a constant table) is a list
 * of items at bit ranges: a leaf with a slot in the state, a constant, or a RAM
 * (an array indexed by a variable). Every access is a bit range, so fields that
 * LLVM merged, split or copied need no special case.
 */
#ifndef HLSC_MEM_H
#define HLSC_MEM_H

#include "layout.h"
#include "node.h"

enum slot_role { ROLE_REG, ROLE_DATA, ROLE_VALID, ROLE_READY, ROLE_LOCAL };

/** A scalar that can change during a step. */
struct slot {
    const char *name; // for Verilog
    const char *path; // C path in the struct, ".a[3].b"
    uint32_t width;
    enum port port;
    enum slot_role role;
    const struct lay *top; // the field of the kernel's struct it belongs to
    uint32_t pin_lo;       // first bit in the packed vector of its port
    ref init;              // value when the step starts
    ref last;              // value when the step ends
};

struct ram_write {
    uint32_t leaf, block;
    ref pred, addr, data;
};

struct ram_leaf {
    const char *name;
    uint32_t width, lo; // lo: position in the packed word
};

struct ram {
    const char *name, *path;
    const struct lay *array;
    uint32_t id, depth, abits, word;
    uint64_t off; // bits
    struct object *elem;
    struct ram_leaf *leaf;
    uint32_t leaves;
    struct ram_write *write;
    size_t writes, write_cap;
    bool indexed; // by a variable
    struct loc conflict_at;
    const char *conflict; // why it cannot be a memory
};

enum item_kind { I_SLOT, I_CONST, I_RAM };

struct item {
    uint64_t off, size; // bits; size is storage, the leaf's width may be less
    uint32_t width;
    enum item_kind kind;
    uint32_t index; // slot (or leaf of a RAM's element), RAM
    ref value;      // I_CONST
};

/** An array whose elements are separate items. */
struct spread {
    uint64_t off, stride; // bits
    uint32_t count;
};

struct object {
    const char *name;
    bool is_const;
    struct item *item;
    size_t items, item_cap;
    struct spread *spread; // outer before inner
    size_t spreads, spread_cap;
};

/** A part of an address that varies: idx (64 bits) times stride bytes. */
struct term {
    ref idx;
    int64_t stride;
};

enum { MAX_TERMS_PER_ADDR = 8 };

/** An address under a condition. */
struct addr {
    ref cond;
    struct object *obj;
    int64_t off;   // bytes
    uint32_t n;
    struct term term[MAX_TERMS_PER_ADDR];
};

/** Where the walk stands: set by the lowering before each access. */
struct here {
    struct loc at;
    uint32_t block;
    ref pred;    // path predicate of the block
    ref *state;  // current value of every slot
    bool (*reaches)(uint32_t from, uint32_t to);
};
extern struct here here;

extern struct slot *slot;
extern uint32_t slots;
extern struct ram **ram;
extern uint32_t rams;

/** Forgets all objects; the decisions of mem_settle stay. */
void mem_reset(void);
struct object *mem_kernel(const struct lay *root);
struct object *mem_local(const char *name, const struct lay *l);
/** `value` gives the constant at a bit offset. */
struct object *mem_table(const char *name, const struct lay *l, ref (*value)(void *ctx, uint64_t off, uint32_t w),
                         void *ctx);

ref mem_load(const struct addr *a, uint32_t bits);
void mem_store(const struct addr *a, ref value);
/** Copies n bytes; `ndst` and `nsrc` alternatives of the addresses. */
void mem_copy(const struct addr *dst, uint32_t ndst, const struct addr *src, uint32_t nsrc, uint64_t n);
void mem_set(const struct addr *dst, uint32_t ndst, ref byte, uint64_t n);

/** After the walk: true if some array changed from a RAM to registers and the walk must be redone. */
bool mem_settle(void);
/** Arrays that became registers although indexed by a variable, with the reason: for the report. */
extern struct text mem_notes;

#endif
