// SPDX-License-Identifier: BSD-2-Clause
/*
 * layout.h - the kernel's struct as libclang sees it: names, offsets, exact widths.
 *
 * LLVM's IR cannot tell: it stores a u(24) as an i32 and forgets field names.
 */
#ifndef HLSC_LAYOUT_H
#define HLSC_LAYOUT_H

#include "util.h"

enum lay_kind { L_LEAF, L_STRUCT, L_ARRAY };
enum port { P_NONE, P_IN, P_OUT, P_CFG, P_STAT };

enum { MAX_DIMS = 8 };

/** A type at a place. All offsets and sizes are in bits. */
struct lay {
    enum lay_kind kind;
    const char *name; // of the field; "" for an element
    uint64_t off;     // from the start of the parent
    uint64_t size;    // storage, padding included
    uint32_t width;   // leaf: exact width
    bool bitfield;    // leaf: has no address
    bool is_signed;

    // array: directly nested arrays are one array with a product of dimensions
    uint32_t count, dims, dim[MAX_DIMS];
    struct lay *elem;

    // struct
    struct lay *field;
    uint32_t fields;

    enum port port;
    const char *decl; // C declaration, for comments
    struct loc loc;
};

/** Parses `file` and returns the layout of `struct name`; errors are fatal. */
struct lay *layout_read(const char *file, const char *name, const char *const *args, int nargs);

/** Sum of the exact widths of all leaves below. */
uint64_t lay_width(const struct lay *l);

/** Calls fn for every leaf below `l` in declaration order; `path` like ".a[3].b". */
typedef void leaf_fn(void *ctx, const struct lay *leaf, const char *path, uint64_t bit_off);
void lay_walk(const struct lay *l, const char *path, uint64_t off, leaf_fn *fn, void *ctx);

/** "[1][2]" for element e of an array. */
const char *lay_index(const struct lay *array, uint32_t e);

/** The field of that name, or nullptr. */
const struct lay *lay_field(const struct lay *l, const char *name);

#endif
