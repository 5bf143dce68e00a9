// SPDX-License-Identifier: BSD-2-Clause
/*
 * glue.c - C that moves pins in and out of a native kernel.
 *
 * The vectors have the layout of the module's trace (module.c, print_trace), so
 * what an RTL simulation recorded can be replayed into the native kernel.
 */
#include "glue.h"

static const char common[] =
    "#ifndef HLSC_GLUE_COMMON\n"
    "#define HLSC_GLUE_COMMON\n"
    "/** A port's place in the pin vectors. kind: i, o, c (MR_CFG) or s (MR_STAT). */\n"
    "struct hlsc_port {\n"
    "    const char *name;\n"
    "    char kind;\n"
    "    unsigned width;  // of the data\n"
    "    unsigned in_lo;  // first bit in in_pins:  i data (valid follows), o ready, c data\n"
    "    unsigned out_lo; // first bit in out_pins: i ready, o data (valid follows), s data\n"
    "};\n"
    "/** Bits lo .. lo+w-1 of pins into an integer object of `size` bytes (little-endian). */\n"
    "static inline void hlsc_get(void *dst, size_t size, const uint32_t *pins, unsigned lo, unsigned w)\n"
    "{\n"
    "    unsigned char *d = (unsigned char *)dst;\n"
    "    for (size_t i = 0; i < size; i++, lo += 8) {\n"
    "        unsigned n = i * 8 < w ? w - (unsigned)i * 8 : 0, v = 0;\n"
    "        if (n) {\n"
    "            v = pins[lo / 32] >> (lo % 32);\n"
    "            if (lo % 32 > 24 && lo % 32 + (n < 8 ? n : 8) > 32)\n"
    "                v |= pins[lo / 32 + 1] << (32 - lo % 32);\n"
    "        }\n"
    "        d[i] = (unsigned char)(n < 8 ? v & ((1u << n) - 1) : v);\n"
    "    }\n"
    "}\n"
    "/** The low w bits of an integer object into bits lo .. of pins; no other bit changes. */\n"
    "static inline void hlsc_put(uint32_t *pins, unsigned lo, unsigned w, const void *src)\n"
    "{\n"
    "    const unsigned char *s = (const unsigned char *)src;\n"
    "    for (; w; s++) {\n"
    "        unsigned n = w < 8 ? w : 8, at = lo % 32;\n"
    "        uint64_t mask = (uint64_t)((1u << n) - 1) << at, v = ((uint64_t)*s << at) & mask;\n"
    "        pins[lo / 32] = (pins[lo / 32] & ~(uint32_t)mask) | (uint32_t)v;\n"
    "        if (at + n > 32)\n"
    "            pins[lo / 32 + 1] = (pins[lo / 32 + 1] & ~(uint32_t)(mask >> 32)) | (uint32_t)(v >> 32);\n"
    "        lo += n;\n"
    "        w -= n;\n"
    "    }\n"
    "}\n"
    "#endif\n\n";

struct printer {
    FILE *f;
    uint32_t lo;
    bool to_kernel;
};

static void move_leaf(void *ctx, const struct lay *leaf, const char *path, uint64_t off)
{
    struct printer *p = ctx;
    (void)off;
    if (p->to_kernel && leaf->bitfield)
        fprintf(p->f, "    { uint64_t t; hlsc_get(&t, sizeof t, in_pins, %u, %u); k->%s = t; }\n", p->lo, leaf->width,
                path + 1);
    else if (p->to_kernel)
        fprintf(p->f, "    hlsc_get(&k->%s, sizeof k->%s, in_pins, %u, %u);\n", path + 1, path + 1, p->lo, leaf->width);
    else if (leaf->bitfield)
        fprintf(p->f, "    { uint64_t t = k->%s; hlsc_put(out_pins, %u, %u, &t); }\n", path + 1, p->lo, leaf->width);
    else
        fprintf(p->f, "    hlsc_put(out_pins, %u, %u, &k->%s);\n", p->lo, leaf->width, path + 1);
    p->lo += leaf->width;
}

static const struct lay *data_of(const struct lay *f)
{
    return f->port == P_IN || f->port == P_OUT ? lay_field(f, "data") : f;
}

static uint32_t data_width(const struct lay *f)
{
    return (uint32_t)lay_width(data_of(f));
}

static uint32_t in_bits(const struct lay *f)
{
    return f->port == P_IN ? data_width(f) + 1 : f->port == P_OUT ? 1 : f->port == P_CFG ? data_width(f) : 0;
}

static uint32_t out_bits(const struct lay *f)
{
    return f->port == P_OUT ? data_width(f) + 1 : f->port == P_IN ? 1 : f->port == P_STAT ? data_width(f) : 0;
}

static void print_constants(FILE *f, const struct lay *root)
{
    uint32_t in = 0, out = 0;
    fprintf(f, "static const struct hlsc_port %s_PORTS[] = {\n", root->name);
    for (uint32_t i = 0; i < root->fields; i++) {
        const struct lay *p = &root->field[i];
        if (p->port)
            fprintf(f, "    {\"%s\", '%c', %u, %u, %u},\n", p->name, " iocs"[p->port], data_width(p), in, out);
        in += in_bits(p);
        out += out_bits(p);
    }
    fprintf(f, "    {0, 0, 0, 0, 0},\n};\nenum { %s_IN_BITS = %u, %s_OUT_BITS = %u };\n\n", root->name, in ? in : 1,
            root->name, out ? out : 1);
}

static void print_set_inputs(FILE *f, const struct lay *root)
{
    struct printer p = {.f = f, .to_kernel = true};
    fprintf(f, "/** Sets every input from the pins and clears the kernel's half of every handshake. */\n"
               "static inline void %s_set_inputs(struct %s *k, const uint32_t *in_pins)\n{\n"
               "    (void)k;\n    (void)in_pins;\n", root->name, root->name);
    for (uint32_t i = 0; i < root->fields; i++) {
        const struct lay *l = &root->field[i];
        if (l->port == P_IN || l->port == P_CFG) {
            const char *path = fmt(l->port == P_IN ? ".%s.data" : ".%s", l->name);
            lay_walk(data_of(l), path, 0, move_leaf, &p);
        }
        if (l->port == P_IN)
            fprintf(f, "    k->%s.valid = (in_pins[%u] >> %u) & 1;\n    k->%s.ready = 0;\n", l->name, p.lo / 32,
                    p.lo % 32, l->name);
        if (l->port == P_OUT)
            fprintf(f, "    k->%s.ready = (in_pins[%u] >> %u) & 1;\n    k->%s.valid = 0;\n", l->name, p.lo / 32,
                    p.lo % 32, l->name);
        p.lo += l->port == P_IN || l->port == P_OUT;
    }
    fprintf(f, "}\n\n");
}

static void put_flag(struct printer *p, const char *port, const char *flag)
{
    fprintf(p->f, "    { unsigned char t = k->%s.%s; hlsc_put(out_pins, %u, 1, &t); }\n", port, flag, p->lo++);
}

/** MR_STAT or everything else. */
static void print_get(FILE *f, const struct lay *root, bool stats)
{
    struct printer p = {.f = f};
    fprintf(f, "static inline void %s_get_%s(const struct %s *k, uint32_t *out_pins)\n{\n    (void)k;\n    (void)out_pins;\n",
            root->name, stats ? "stats" : "outputs", root->name);
    for (uint32_t i = 0; i < root->fields; i++) {
        const struct lay *l = &root->field[i];
        if (stats != (l->port == P_STAT)) {
            p.lo += out_bits(l);
        } else if (l->port == P_IN) {
            put_flag(&p, l->name, "ready");
        } else if (l->port == P_OUT) {
            uint32_t lo = p.lo;
            fprintf(f, "    if (k->%s.valid) {\n", l->name);
            lay_walk(data_of(l), fmt(".%s.data", l->name), 0, move_leaf, &p);
            fprintf(f, "    } else {\n        for (unsigned i = 0; i < %u; i++)\n"
                       "            out_pins[(%u + i) / 32] &= ~(1u << ((%u + i) %% 32));\n    }\n",
                    p.lo - lo, lo, lo);
            put_flag(&p, l->name, "valid");
        } else if (l->port == P_STAT) {
            lay_walk(l, fmt(".%s", l->name), 0, move_leaf, &p);
        }
    }
    fprintf(f, "}\n\n");
}

void glue_print(FILE *f, const struct lay *root)
{
    fprintf(f, "// Made by hlsc: do not edit. Include it after the definition of struct %s.\n", root->name);
    fprintf(f, "#ifndef HLSC_GLUE_%s\n#define HLSC_GLUE_%s\n\n#include <stddef.h>\n#include <stdint.h>\n\n",
            root->name, root->name);
    fputs(common, f);
    print_constants(f, root);
    print_set_inputs(f, root);
    fprintf(f, "/** After the step: handshakes and output data (0 where not valid). Writes no MR_STAT bit. */\n");
    print_get(f, root, false);
    fprintf(f, "/** Before the step: the values the RTL shows in that cycle. Writes only MR_STAT bits. */\n");
    print_get(f, root, true);
    fprintf(f, "#endif\n");
}
