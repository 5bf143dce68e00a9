// SPDX-License-Identifier: BSD-2-Clause
/*
 * count.c - trailing zeros, leading zeros and population count as balanced trees
 * over pieces of 32 bits.
 *
 * The pieces are written with whole-word operations (isolate a bit, then encode
 * it with masks): as shallow as a tree down to single bits, and some ten machine
 * instructions in Verilator instead of two hundred.
 */
#include "verilog.h"

#include <stdlib.h>

struct text count_functions;

static struct made {
    enum op op;
    uint32_t w;
} *made;
static size_t mades, made_cap;

static const char *prefix(enum op op)
{
    return op == N_CTZ ? "ctz" : op == N_CLZ ? "clz" : "pop";
}

static bool have(enum op op, uint32_t w)
{
    for (size_t i = 0; i < mades; i++)
        if (made[i].op == op && made[i].w == w)
            return true;
    made = xgrow(made, &made_cap, mades + 1, sizeof *made);
    made[mades++] = (struct made){op, w};
    return false;
}

/** Two halves of a power of two: a tree of depth log2. */
static void halves(enum op op, uint32_t w)
{
    const char *p = prefix(op);
    uint32_t k = clog2(w), h = w / 2;
    count_function(op, h);
    struct text *t = &count_functions;
    put(t, "    function [%u:0] %s_%u;\n        input [%u:0] x;\n", k, p, w, w - 1);
    put(t, "        reg [%u:0] l, h;\n        begin\n", k - 1);
    put(t, "            l = %s_%u(x[%u:0]);\n            h = %s_%u(x[%u:%u]);\n", p, h, h - 1, p, h, w - 1, h);
    if (op == N_POP) {
        put(t, "            %s_%u = {1'b0, l} + {1'b0, h};\n", p, w);
    } else {
        // the half that comes first decides; its top bit says that it is all zero
        const char *a = op == N_CTZ ? "l" : "h", *b = op == N_CTZ ? "h" : "l";
        put(t, "            %s_%u = %s[%u] ? {%s[%u], ~%s[%u], %s[%u:0]} : {1'b0, %s};\n", p, w, a, k - 1, b,
            k - 1, b, k - 1, b, k - 2, a);
    }
    put(t, "        end\n    endfunction\n");
}

/** The positions below w whose bit j is v. */
static uint32_t positions(uint32_t w, uint32_t j, bool v)
{
    uint32_t m = 0;
    for (uint32_t i = 0; i < w; i++)
        if (((i >> j) & 1) == v)
            m |= (uint32_t)1 << i;
    return m;
}

/** One piece of 2, 4, .. 32 bits. */
static void base_zeros(enum op op, uint32_t w)
{
    const char *p = prefix(op);
    uint32_t k = clog2(w);
    struct text *t = &count_functions;
    put(t, "    function [%u:0] %s_%u;\n        input [%u:0] x;\n        reg [%u:0] s, y;\n        begin\n", k, p, w,
        w - 1, w - 1);
    if (op == N_CTZ) {
        put(t, "            s = ~x + %u'd1;\n            y = x & s; // the lowest one\n", w);
    } else {
        put(t, "            s = x;\n");
        for (uint32_t d = 1; d < w; d *= 2)
            put(t, "            s = s | (s >> %u);\n", d);
        put(t, "            y = s ^ (s >> 1); // the highest one\n");
    }
    put(t, "            %s_%u = {x == %u'd0", p, w, w);
    for (uint32_t j = k; j-- > 0;)
        put(t, ", |(y & %u'h%x)", w, positions(w, j, op == N_CTZ));
    put(t, "};\n        end\n    endfunction\n");
}

static void base_pop(uint32_t w)
{
    uint32_t k = clog2(w);
    struct text *t = &count_functions;
    put(t, "    function [%u:0] pop_%u;\n        input [%u:0] x;\n        reg [%u:0] s;\n        begin\n            s = x;\n", k,
        w, w - 1, w - 1);
    for (uint32_t j = 0; j < k; j++)
        put(t, "            s = (s & %u'h%x) + ((s >> %u) & %u'h%x);\n", w, positions(w, j, false), 1u << j, w,
            positions(w, j, false));
    put(t, "            pop_%u = s[%u:0];\n        end\n    endfunction\n", w, k);
}

/** Another width: filled up to the next power of two with bits that do not count. */
static void filled(enum op op, uint32_t w)
{
    const char *p = prefix(op);
    uint32_t k = clog2((uint64_t)w + 1), big = (uint32_t)1 << clog2(w), kb = clog2((uint64_t)big + 1);
    count_function(op, big);
    struct text *t = &count_functions;
    put(t, "    function [%u:0] %s_%u;\n        input [%u:0] x;\n        reg [%u:0] r;\n        begin\n", k - 1, p, w,
        w - 1, kb - 1);
    if (op == N_CTZ)
        put(t, "            r = ctz_%u({{%u{1'b1}}, x});\n", big, big - w);
    else if (op == N_CLZ)
        put(t, "            r = clz_%u({x, {%u{1'b1}}});\n", big, big - w);
    else
        put(t, "            r = pop_%u({{%u{1'b0}}, x});\n", big, big - w);
    put(t, "            %s_%u = r[%u:0];\n        end\n    endfunction\n", p, w, k - 1);
}

const char *count_function(enum op op, uint32_t w)
{
    if (!have(op, w)) {
        bool power = (w & (w - 1)) == 0;
        if (power && w <= 32 && op == N_POP)
            base_pop(w);
        else if (power && w <= 32)
            base_zeros(op, w);
        else if (power)
            halves(op, w);
        else
            filled(op, w);
    }
    return fmt("%s_%u", prefix(op), w);
}
