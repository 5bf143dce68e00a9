// SPDX-License-Identifier: BSD-2-Clause
/* out_sv.c - prints mr_defs.svh, package mr_defs_pkg. */
#include "rows.h"

#include <string.h>

/* SystemVerilog keywords that a row may use as a name; they get a trailing underscore. */
static const char *sv_name(const char *s)
{
    static const char *const keywords[] = {
        "alias", "assert", "assign", "begin", "bind", "bit", "break", "byte", "case", "cell",
        "checker", "class", "config", "const", "context", "continue", "cover", "default",
        "design", "disable", "do", "edge", "else", "end", "enum", "event", "export", "extends",
        "final", "for", "force", "fork", "function", "global", "if", "import", "initial",
        "input", "inside", "instance", "int", "integer", "interface", "large", "let", "liblist",
        "library", "local", "logic", "medium", "module", "new", "null", "or", "output",
        "package", "packed", "parameter", "primitive", "priority", "program", "property",
        "pure", "rand", "real", "ref", "reg", "release", "repeat", "return", "scalared",
        "sequence", "signed", "small", "solve", "static", "string", "strong", "struct", "super",
        "supply0", "supply1", "table", "tagged", "task", "this", "time", "tri", "type",
        "typedef", "union", "unique", "unsigned", "untyped", "use", "var", "vectored",
        "virtual", "void", "wait", "weak", "while", "wire", "with", "within", "xor",
    };
    static char b[64];
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(keywords[i], s) == 0) {
            snprintf(b, sizeof b, "%s_", s);
            return b;
        }
    return s;
}

static void print_struct(FILE *o, const struct layout *l)
{
    fprintf(o, "  // %s\n  localparam MR_%s_BYTES = %u;\n", l->text, upper(l->name),
            l->bytes);
    fputs("  typedef struct packed {\n", o);
    /* The first member of a packed struct is the most significant one. */
    for (unsigned i = 0; i < l->nfields; i++) {
        const struct field *f = &l->f[l->wire ? i : l->nfields - 1 - i];
        if (f->bits == 1)
            fprintf(o, "    logic %s;\n", sv_name(f->name));
        else
            fprintf(o, "    logic [%u:0] %s;\n", f->bits - 1, sv_name(f->name));
    }
    fprintf(o, "  } mr_%s_t;\n\n", l->name);
}

/*
 * Wire: the first byte is the most significant of the struct, but bits 7:0 of a
 * beat. Slices instead of a streaming concatenation, which Yosys 0.23 and Icarus
 * 11 do not take.
 */
static void print_swap(FILE *o, const struct layout *l, const char *from)
{
    if (!l->wire) {
        fprintf(o, "%s;\n", from);
        return;
    }
    fputc('{', o);
    for (unsigned i = 0; i < l->bytes; i++)
        fprintf(o, "%s%s[%u:%u]", i == 0 ? "" : i % 6 == 0 ? ",\n      " : ", ", from, 8 * i + 7,
                8 * i);
    fputs("};\n", o);
}

static void print_accessors(FILE *o, const struct layout *l)
{
    unsigned w = l->bytes * 8;
    fprintf(o, "  // Byte 0 of the layout is bits 7:0.\n"
               "  function automatic mr_%s_t mr_%s_unpack(input logic [%u:0] b);\n"
               "    mr_%s_unpack = ",
            l->name, l->name, w - 1, l->name);
    print_swap(o, l, "b");
    fprintf(o, "  endfunction\n"
               "  function automatic logic [%u:0] mr_%s_pack(input logic [%u:0] l);\n"
               "    mr_%s_pack = ",
            w - 1, l->name, w - 1, l->name);
    print_swap(o, l, "l");
    fputs("  endfunction\n\n", o);
}

static void print_codes(FILE *o)
{
    for (size_t i = 0; i < ncodes; i++) {
        const struct code *c = &codes[i];
        unsigned w = group_bits(c->group);
        fprintf(o, "  localparam logic [%u:0] MR_%s_%s = %u'h%llx;  // %s\n", w - 1, c->group,
                c->name, w, c->value, c->text);
    }
    fputc('\n', o);
    for (size_t i = 0; i < nregs; i++)
        fprintf(o, "  localparam logic [15:0] MR_REG_%s = 16'h%x;  // %s: %s\n", regs[i].name,
                regs[i].offset, regs[i].access, regs[i].text);
    fputc('\n', o);
    for (size_t i = 0; i < ncounters; i++)
        fprintf(o, "  localparam MR_CNT_%s = %zu;  // %s\n",
                upper(counters[i].name), i, counters[i].text);
    fprintf(o, "  localparam MR_CNT__COUNT = %zu;\n\n", ncounters);
}

void out_sv(FILE *o)
{
    fputs("// SPDX-License-Identifier: BSD-2-Clause\n"
          "// Printed by mr-defs from the rows in defs/. Do not edit.\n"
          "`ifndef MR_DEFS_SVH\n`define MR_DEFS_SVH\n"
          "// verilator lint_off UNUSED\n// verilator lint_off DECLFILENAME\n"
          "package mr_defs_pkg;\n\n", o);
    fprintf(o, "  localparam logic [31:0] MR_LAYOUT_HASH = 32'h%08x;\n\n", rows_hash());
    print_codes(o);
    for (size_t i = 0; i < nlayouts; i++) {
        print_struct(o, &layouts[i]);
        print_accessors(o, &layouts[i]);
    }
    fputs("endpackage\n// verilator lint_on DECLFILENAME\n// verilator lint_on UNUSED\n`endif\n", o);
}
