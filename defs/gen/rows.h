// SPDX-License-Identifier: BSD-2-Clause
/*
 * rows.h - the rows of defs/ as tables. Every output of mr-defs reads these and
 * nothing else.
 */
#ifndef MR_DEFS_ROWS_H
#define MR_DEFS_ROWS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** One field of a layout. `bit` is the number of bits in front of it. */
struct field {
    const char *name;
    unsigned bits;
    const char *text;
    unsigned bit;
};

#define FIELDS_MAX 40

/** One layout. Wire: most significant bit first. Host: least significant first. */
struct layout {
    const char *name;
    bool wire;
    unsigned bytes;
    const char *text;
    unsigned nfields;
    struct field f[FIELDS_MAX];
};

struct code {
    const char *group, *name;
    unsigned long long value;
    const char *literal;  // as written in the row
    const char *text;
};

struct reg {
    const char *name;
    unsigned offset;
    const char *access, *text;
};

struct counter {
    const char *name, *kernel, *text;
};

/** One packet: extension and payload name layouts, or "none" or "bytes". */
struct packet {
    const char *kind, *group, *opcode, *ext, *payload;
};

extern struct layout layouts[];
extern const struct code codes[];
extern const struct reg regs[];
extern const struct counter counters[];
extern const struct packet packets[];
extern size_t nlayouts;
extern const size_t ncodes, nregs, ncounters, npackets;

/** Fills layouts[] and checks every rule of defs/README.md. 0, or -1 with lines on stderr. */
int rows_load(void);

/** FNV-1a over the canonical text of every row, descriptions left out. */
uint32_t rows_hash(void);

/** The layout of that name, or NULL. */
const struct layout *layout_find(const char *name);

/** The code's row, or NULL. */
const struct code *code_find(const char *group, const char *name);

/** Alignment in bits that a host field of a machine word's width must have: up to 32, since
 *  entries move in 32-bit registers. 0 where nothing is asked. */
unsigned field_align(const struct field *f);

/** Width in bits of the field that carries codes of this group, 32 when there is none. */
unsigned group_bits(const char *group);

/** Upper or lower case copy in a ring of static buffers: valid for 16 further calls. */
const char *upper(const char *s);
const char *lower(const char *s);

/* The outputs, one file each. They print to `o`; rows_load() came first. */
void out_c(FILE *o);
void out_names_h(FILE *o);
void out_names_c(FILE *o);
void out_sv(FILE *o);
void out_lua(FILE *o);
void out_md_wire(FILE *o);
void out_md_queues(FILE *o);
void out_md_codes(FILE *o);
void out_md_registers(FILE *o);
void out_md_counters(FILE *o);

/** One layout as a Markdown table, as in docs/reference/ and between the marks of docs/spec/. */
void out_md_layout(FILE *o, const struct layout *l);
/** One group of codes as a Markdown table. */
void out_md_group(FILE *o, const char *group);
/** Packets by kind and opcode as a Markdown table. */
void out_md_packets(FILE *o);

/** Copies `in` to `o` with everything between marks replaced. 0, or -1 with lines on stderr. */
int out_fill(FILE *in, FILE *o, const char *name);

#endif
