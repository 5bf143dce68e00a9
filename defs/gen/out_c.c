// SPDX-License-Identifier: BSD-2-Clause
/*
 * out_c.c - prints mr_defs.h.
 *
 * Accessors are straight shifts and ors per byte, never loops: a bit loop does
 * not fold at -O3, bytes fold to slices in a kernel and to one load (and byte
 * swap) per field in a program.
 */
#include "rows.h"

#include <string.h>

/* Where byte i of the field, counted from its least significant one, stands in the layout. */
static unsigned byte_at(const struct layout *l, const struct field *f, unsigned i)
{
    return f->bit / 8 + (l->wire ? f->bits / 8 - 1 - i : i);
}

/* Shift of a field that lies inside one byte, within that byte. */
static unsigned in_byte(const struct layout *l, const struct field *f)
{
    return l->wire ? 8 - f->bit % 8 - f->bits : f->bit % 8;
}

static bool bytewise(const struct field *f)
{
    return f->bits % 8 == 0;
}

static void print_struct(FILE *o, const struct layout *l)
{
    fprintf(o, "/** %s. %s byte order. */\nstruct mr_%s {\n", l->text,
            l->wire ? "Network" : "Little-endian", l->name);
    for (unsigned i = 0; i < l->nfields; i++)
        fprintf(o, "    unsigned _BitInt(%u) %s;  // %s\n", l->f[i].bits, l->f[i].name,
                l->f[i].text);
    fprintf(o, "};\n#define MR_%s_BYTES %u\n", upper(l->name), l->bytes);
    fputs("_Static_assert(", o);
    for (unsigned i = 0; i < l->nfields; i++)
        fprintf(o, "%s%u", i ? " + " : "", l->f[i].bits);
    fprintf(o, " == 8 * %u, \"%s\");\n", l->bytes, l->name);
    for (unsigned i = 0; i < l->nfields && !l->wire; i++) {
        const struct field *f = &l->f[i];
        if (field_align(f) != 0)
            fprintf(o, "_Static_assert(%u %% %u == 0, \"%s.%s\");\n", f->bit, field_align(f),
                    l->name, f->name);
    }
    fputc('\n', o);
}

static void print_unpack(FILE *o, const struct layout *l)
{
    fprintf(o, "/** Byte 0 of the layout is bits 7:0. */\n"
               "MR__INLINE struct mr_%s mr_%s_unpack(unsigned _BitInt(%u) bits)\n{\n"
               "    struct mr_%s l;\n",
            l->name, l->name, l->bytes * 8, l->name);
    for (unsigned i = 0; i < l->nfields; i++) {
        const struct field *f = &l->f[i];
        fprintf(o, "    l.%s = ", f->name);
        if (!bytewise(f) || !l->wire || f->bits == 8) {
            unsigned sh = bytewise(f) ? f->bit : f->bit / 8 * 8 + in_byte(l, f);
            fprintf(o, "(unsigned _BitInt(%u))(bits >> %u);\n", f->bits, sh);
            continue;
        }
        for (unsigned b = 0; b < f->bits / 8; b++)
            fprintf(o, "%s(unsigned _BitInt(%u))(unsigned _BitInt(8))(bits >> %u) << %u",
                    b ? " |\n        " : "", f->bits, 8 * byte_at(l, f, b), 8 * b);
        fputs(";\n", o);
    }
    fputs("    return l;\n}\n\n", o);
}

static void print_pack(FILE *o, const struct layout *l)
{
    unsigned w = l->bytes * 8;
    fprintf(o, "/** Byte 0 of the layout becomes bits 7:0. */\n"
               "MR__INLINE unsigned _BitInt(%u) mr_%s_pack(struct mr_%s l)\n{\n    return ",
            w, l->name, l->name);
    const char *sep = "";
    for (unsigned i = 0; i < l->nfields; i++) {
        const struct field *f = &l->f[i];
        if (!bytewise(f) || !l->wire || f->bits == 8) {
            unsigned sh = bytewise(f) ? f->bit : f->bit / 8 * 8 + in_byte(l, f);
            fprintf(o, "%s(unsigned _BitInt(%u))l.%s << %u", sep, w, f->name, sh);
            sep = " |\n        ";
            continue;
        }
        for (unsigned b = 0; b < f->bits / 8; b++) {
            fprintf(o, "%s(unsigned _BitInt(%u))(unsigned _BitInt(8))(l.%s >> %u) << %u", sep, w,
                    f->name, 8 * b, 8 * byte_at(l, f, b));
            sep = " |\n        ";
        }
    }
    fputs(";\n}\n\n", o);
}

/* Largest machine word that fits into n bits. */
static unsigned word(unsigned n)
{
    return n >= 64 ? 64 : n >= 32 ? 32 : n >= 16 ? 16 : 8;
}

static void print_get(FILE *o, const struct layout *l)
{
    const char *end = l->wire ? "be" : "le";
    fprintf(o, "/** Reads the %u bytes at p, which need no alignment. */\n"
               "MR__INLINE struct mr_%s mr_%s_get(const void *p)\n{\n"
               "    const unsigned char *m = p;\n    struct mr_%s l;\n",
            l->bytes, l->name, l->name, l->name);
    for (unsigned i = 0; i < l->nfields; i++) {
        const struct field *f = &l->f[i];
        if (!bytewise(f)) {
            fprintf(o, "    l.%s = (unsigned _BitInt(%u))(m[%u] >> %u);\n", f->name, f->bits,
                    f->bit / 8, in_byte(l, f));
            continue;
        }
        fprintf(o, "    l.%s = ", f->name);
        for (unsigned done = 0, w; done < f->bits; done += w) {
            w = word(f->bits - done);
            unsigned at = f->bit / 8 + (l->wire ? (f->bits - done - w) / 8 : done / 8);
            fprintf(o, "%s(unsigned _BitInt(%u))mr__%s%u(m + %u) << %u",
                    done ? " |\n        " : "", f->bits, end, w, at, done);
        }
        fputs(";\n", o);
    }
    fputs("    return l;\n}\n\n", o);
}

static void print_put(FILE *o, const struct layout *l)
{
    const char *end = l->wire ? "be" : "le";
    fprintf(o, "/** Writes the %u bytes at p, which need no alignment. */\n"
               "MR__INLINE void mr_%s_put(void *p, struct mr_%s l)\n{\n"
               "    unsigned char *m = p;\n",
            l->bytes, l->name, l->name);
    for (unsigned i = 0; i < l->nfields; i++) {
        const struct field *f = &l->f[i];
        if (!bytewise(f)) {
            bool first = f->bit % 8 == 0;
            fprintf(o, "    m[%u] = (unsigned char)(", f->bit / 8);
            if (!first)
                fprintf(o, "m[%u] | ", f->bit / 8);
            fprintf(o, "(unsigned)l.%s << %u);\n", f->name, in_byte(l, f));
            continue;
        }
        for (unsigned done = 0, w; done < f->bits; done += w) {
            w = word(f->bits - done);
            unsigned at = f->bit / 8 + (l->wire ? (f->bits - done - w) / 8 : done / 8);
            fprintf(o, "    mr__put_%s%u(m + %u, (uint%u_t)(l.%s >> %u));\n", end, w, at, w,
                    f->name, done);
        }
    }
    fputs("}\n\n", o);
}

static void print_words(FILE *o)
{
    static const unsigned widths[] = {8, 16, 32, 64};
    for (int be = 0; be < 2; be++)
        for (unsigned i = 0; i < 4; i++) {
            unsigned w = widths[i], n = w / 8;
            const char *e = be ? "be" : "le";
            fprintf(o, "MR__INLINE uint%u_t mr__%s%u(const unsigned char *m)\n{\n"
                       "    return (uint%u_t)(",
                    w, e, w, w);
            for (unsigned b = 0; b < n; b++)
                fprintf(o, "%s(uint%u_t)m[%u] << %u", b ? " | " : "", w, b,
                        8 * (be ? n - 1 - b : b));
            fprintf(o, ");\n}\nMR__INLINE void mr__put_%s%u(unsigned char *m, uint%u_t v)\n{\n", e,
                    w, w);
            for (unsigned b = 0; b < n; b++)
                fprintf(o, "    m[%u] = (unsigned char)(v >> %u);\n", b,
                        8 * (be ? n - 1 - b : b));
            fputs("}\n", o);
        }
    fputc('\n', o);
}

static void print_codes(FILE *o)
{
    for (size_t i = 0; i < ncodes; i++) {
        if (i > 0 && strcmp(codes[i].group, codes[i - 1].group) != 0)
            fputc('\n', o);
        char name[96];
        snprintf(name, sizeof name, "MR_%s_%s", codes[i].group, codes[i].name);
        fprintf(o, "#define %-24s %s%s  // %s\n", name, codes[i].literal,
                codes[i].value > 0x7fffffff ? "u" : "", codes[i].text);
    }
    fputc('\n', o);
    for (size_t i = 0; i < nregs; i++) {
        char name[96];
        snprintf(name, sizeof name, "MR_REG_%s", regs[i].name);
        fprintf(o, "#define %-24s 0x%03x  // %s: %s\n", name, regs[i].offset, regs[i].access,
                regs[i].text);
    }
    fputs("\n/** Counter i is register MR_REG_CNT + 4 * i. */\nenum mr_cnt {\n", o);
    for (size_t i = 0; i < ncounters; i++)
        fprintf(o, "    MR_CNT_%s,  // %s\n", upper(counters[i].name), counters[i].text);
    fputs("    MR_CNT__COUNT\n};\n", o);
}

void out_c(FILE *o)
{
    fputs("// SPDX-License-Identifier: BSD-2-Clause\n"
          "/* Printed by mr-defs from the rows in defs/. Do not edit. */\n"
          "#ifndef MR_DEFS_H\n#define MR_DEFS_H\n\n#include <stdint.h>\n\n", o);
    fprintf(o, "/** Hash over every row: device and library must agree on it. */\n"
               "#define MR_LAYOUT_HASH 0x%08xu\n\n",
            rows_hash());
    print_codes(o);
    fputs("\n#define MR__INLINE static inline __attribute__((always_inline, unused))\n\n", o);
    print_words(o);
    for (size_t i = 0; i < nlayouts; i++) {
        print_struct(o, &layouts[i]);
        print_unpack(o, &layouts[i]);
        print_pack(o, &layouts[i]);
        print_get(o, &layouts[i]);
        print_put(o, &layouts[i]);
    }
    fputs("#endif\n", o);
}
