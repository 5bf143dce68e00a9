// SPDX-License-Identifier: BSD-2-Clause
/* count.c - balanced trees for trailing zeros, leading zeros and population count. */
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

static void base(enum op op)
{
    const char *p = prefix(op);
    const char *body = op == N_CTZ   ? "{~x[1] & ~x[0], x[1] & ~x[0]}"
                       : op == N_CLZ ? "{~x[1] & ~x[0], x[0] & ~x[1]}"
                                     : "{x[1] & x[0], x[1] ^ x[0]}";
    put(&count_functions, "    function [1:0] %s_2;\n        input [1:0] x;\n        %s_2 = %s;\n    endfunction\n",
        p, p, body);
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
        if (w == 2)
            base(op);
        else if ((w & (w - 1)) == 0)
            halves(op, w);
        else
            filled(op, w);
    }
    return fmt("%s_%u", prefix(op), w);
}
