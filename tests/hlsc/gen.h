// SPDX-License-Identifier: BSD-2-Clause
/*
 * gen.h - the random kernel generator, in two files: declarations (gen.c) and
 * expressions and statements (gen_code.c). Everything follows from the seed.
 */
#ifndef GEN_H
#define GEN_H

#include <stdint.h>
#include <stdio.h>

enum { MAX_FIELDS = 6, MAX_TYPES = 4, MAX_PLACES = 256, MAX_ARRAYS = 64 };

struct type {
    char name[16];
    int fields;
    struct {
        char name[8];
        char ctype[32];
        int width;        // scalar or element
        int count;        // 0: no array
        int sub;          // index of a struct type, or -1
    } f[MAX_FIELDS];
};

/** Something of a known width that can be read, and perhaps written. */
struct place {
    char text[96];
    int width;
    bool writable;
};

/** An array that can be indexed by a variable. */
struct array {
    char text[96];
    int width, count;
    bool writable;
};

enum mem_use { MEM_ASYNC, MEM_SYNC, MEM_MODIFY };

struct memory {
    char name[8];
    enum mem_use use;
    int depth, sub, width; // sub: struct type or -1
    int read_state, write_state;
};

struct gen {
    uint64_t rnd;
    FILE *f;
    struct type type[MAX_TYPES];
    int types;
    struct place place[MAX_PLACES];
    int places;
    struct array array[MAX_ARRAYS];
    int arrays;
    struct memory mem[3];
    int mems;
    int ins, outs, cfgs, stats, regs, states, tables, helpers;
    int in_type[3], out_type[3], reg_type[4], reg_types; // struct type or -1
    int in_width[3], out_width[3];
    int locals, depth;
};

unsigned rnd(struct gen *g, unsigned n);
int rnd_width(struct gen *g);
/** Adds the leaves and arrays of a struct object. */
void add_struct(struct gen *g, const char *text, int type, bool writable);
void add_place(struct gen *g, const char *text, int width, bool writable);
void add_array(struct gen *g, const char *text, int width, int count, bool writable);

/** Prints an expression of type u(w). */
void expr(struct gen *g, int w, int depth);
/** Prints a condition. */
void cond(struct gen *g, int depth);
void statements(struct gen *g, int indent, int budget);
void indent_by(struct gen *g, int indent);
/** Prints a struct (or scalar) value for a port. */
void value_of_type(struct gen *g, int type, int width);

#endif
