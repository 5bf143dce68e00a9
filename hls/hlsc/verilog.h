// SPDX-License-Identifier: BSD-2-Clause
/* verilog.h - nodes as Verilog text (expr.c), the module around them (module.c). */
#ifndef HLSC_VERILOG_H
#define HLSC_VERILOG_H

#include "finish.h"

/** Prepares the printing of nodes: counts uses from the roots. */
void expr_begin(void);
/** A name nobody has yet, like `want`, and no keyword. */
const char *expr_name(const char *want);
/** True if s is a word of Verilog or SystemVerilog. */
bool is_keyword(const char *s);
/** Gives node r a name that is declared elsewhere. */
void expr_bind(ref r, const char *name);
/** The expression of r; wires that it needs are printed to expr_body first. */
const char *expr_of(ref r);
/** As expr_of, but always a name that can be sliced. */
const char *expr_named(ref r, const char *want);
/** True if r is computed for some root. */
bool expr_used(ref r);
/** "[7:0] " or "" for one bit. */
const char *range_of(uint32_t w);

extern struct text expr_body;

/** state.c: the value of an asynchronous read. */
const char *read_text(ref r);
/** Declares registers and RAMs; binds the names of their values. */
void state_declare(struct text *t);
/** Clocked processes. */
void state_update(struct text *t);

/** Functions ctz_N, clz_N, pop_N that the body calls. */
const char *count_function(enum op op, uint32_t w);
extern struct text count_functions;

void module_print(FILE *f, const struct lay *root, const char *source);

#endif
