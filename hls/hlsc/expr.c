// SPDX-License-Identifier: BSD-2-Clause
/*
 * expr.c - nodes as Verilog expressions.
 *
 * All operands of a node have the width that Verilog gives the expression, so
 * nesting never widens anything. What Verilog cannot nest safely gets a wire:
 * the base of a slice, and signed operators, whose meaning depends on the
 * signedness around them. Printing makes no new nodes: the tables here have one
 * entry for each.
 */
#include "verilog.h"

#include <stdlib.h>
#include <string.h>

struct text expr_body;

enum { MAX_INLINE = 90 };

static uint32_t *uses;
static uint8_t *counted;
static const char **name_of;   // declared name, or nullptr
static const char **inline_of; // text, or nullptr

static const char **taken;
static size_t taken_size, takens;

static const char *const keywords[] = {
#define K(x) #x,
#include "keywords.def"
#undef K
};

static size_t slot_for(const char *s)
{
    uint64_t h = 1469598103934665603u;
    for (const char *p = s; *p; p++)
        h = (h ^ (unsigned char)*p) * 1099511628211u;
    size_t i = h & (taken_size - 1);
    while (taken[i] && strcmp(taken[i], s))
        i = (i + 1) & (taken_size - 1);
    return i;
}

static bool take(const char *s)
{
    if (takens * 2 >= taken_size) {
        const char **old = taken;
        size_t n = taken_size;
        taken_size = n ? n * 2 : 1024;
        taken = xalloc(taken_size * sizeof *taken);
        for (size_t i = 0; i < n; i++)
            if (old[i])
                taken[slot_for(old[i])] = old[i];
    }
    size_t i = slot_for(s);
    if (taken[i])
        return false;
    taken[i] = s;
    takens++;
    return true;
}

const char *expr_name(const char *want)
{
    char *s = fmt("%s", want);
    for (char *p = s; *p; p++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *p))
            *p = '_';
    if (*s >= '0' && *s <= '9')
        s = fmt("_%s", s);
    const char *r = s;
    for (unsigned k = 1; !take(r); k++)
        r = fmt("%s_%u", s, k);
    return r;
}

bool is_keyword(const char *s)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (!strcmp(keywords[i], s))
            return true;
    return false;
}

static void count_uses(ref r)
{
    uses[r]++;
    if (counted[r])
        return;
    counted[r] = 1;
    for (uint32_t i = 0; i < node[r].n; i++)
        count_uses(node[r].a[i]);
}

void expr_begin(void)
{
    uses = xalloc(node_count * sizeof *uses);
    counted = xalloc(node_count);
    name_of = xalloc(node_count * sizeof *name_of);
    inline_of = xalloc(node_count * sizeof *inline_of);
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        take(keywords[i]);
    each_root(count_uses);
}

bool expr_used(ref r)
{
    return counted[r];
}

void expr_bind(ref r, const char *name)
{
    name_of[r] = name;
}

const char *range_of(uint32_t w)
{
    return w == 1 ? "" : fmt("[%u:0] ", w - 1);
}

static const char *literal(ref r)
{
    uint32_t w = node[r].w;
    if (w == 1)
        return is_zero(r) ? "1'b0" : "1'b1";
    if (is_ones(r) && w > 8)
        return fmt("{%u{1'b1}}", w);
    if (w <= 64 && const_u64(r) < 1000)
        return fmt("%u'd%llu", w, (unsigned long long)const_u64(r));
    struct text t = {};
    put(&t, "%u'h", w);
    bool any = false;
    for (uint32_t i = (w + 3) / 4; i-- > 0;) {
        unsigned d = (unsigned)(node[r].c[i / 16] >> (i % 16 * 4)) & 15;
        any = any || d || !i;
        if (any)
            put(&t, "%x", d);
    }
    return t.s;
}

// ---- operators

static const char *binary(ref r, const char *op)
{
    const char *a = expr_of(node[r].a[0]), *b = expr_of(node[r].a[1]);
    return fmt("(%s %s %s)", a, op, b);
}

static const char *signed_binary(ref r, const char *op)
{
    const char *a = expr_of(node[r].a[0]), *b = expr_of(node[r].a[1]);
    return fmt("($signed(%s) %s $signed(%s))", a, op, b);
}

static const char *slice_text(ref r)
{
    const char *b = expr_named(node[r].a[0], nullptr);
    if (node[r].w == 1)
        return fmt("%s[%u]", b, node[r].x);
    return fmt("%s[%u:%u]", b, node[r].x + node[r].w - 1, node[r].x);
}

static const char *cat_text(ref r)
{
    struct text t = {};
    put(&t, "{");
    size_t line = 0;
    for (uint32_t i = node[r].n; i-- > 0;) {
        const char *s = expr_of(node[r].a[i]);
        if (t.n - line > 100) {
            put(&t, "\n        ");
            line = t.n;
        }
        put(&t, "%s%s", s, i ? ", " : "}");
    }
    return t.s;
}

static const char *not_text(ref r)
{
    ref x = node[r].a[0];
    if (uses[x] == 1 && (node[x].op == N_EQ || node[x].op == N_ULT) && !name_of[x])
        return binary(x, node[x].op == N_EQ ? "!=" : ">=");
    return fmt("~%s", expr_of(x));
}

/** The text of node r from its operands' texts. */
static const char *text_of(ref r)
{
    const struct node *n = &node[r];
    switch (n->op) {
    case N_CAT:
        return cat_text(r);
    case N_SLICE:
        return slice_text(r);
    case N_REP:
        return fmt("{%u{%s}}", n->w, expr_of(n->a[0]));
    case N_NOT:
        return not_text(r);
    case N_AND:
        return binary(r, "&");
    case N_OR:
        return binary(r, "|");
    case N_XOR:
        return binary(r, "^");
    case N_ADD:
        return binary(r, "+");
    case N_SUB:
        return binary(r, "-");
    case N_MUL:
        return binary(r, "*");
    case N_UDIV:
        return binary(r, "/");
    case N_UREM:
        return binary(r, "%");
    case N_SDIV:
        return signed_binary(r, "/");
    case N_SREM:
        return signed_binary(r, "%");
    case N_SHL:
        return binary(r, "<<");
    case N_LSHR:
        return binary(r, ">>");
    case N_ASHR:
        return fmt("($signed(%s) >>> %s)", expr_of(n->a[0]), expr_of(n->a[1]));
    case N_EQ:
        return binary(r, "==");
    case N_ULT:
        return binary(r, "<");
    case N_SLT:
        return signed_binary(r, "<");
    case N_MUX: {
        const char *c = expr_of(n->a[0]), *a = expr_of(n->a[1]), *b = expr_of(n->a[2]);
        return fmt("(%s ? %s : %s)", c, a, b);
    }
    case N_RXOR:
        return fmt("(^%s)", expr_of(n->a[0]));
    case N_READ:
        return read_text(r);
    case N_CTZ:
    case N_CLZ:
    case N_POP:
        return fmt("%s(%s)", count_function(n->op, node[n->a[0]].w), expr_of(n->a[0]));
    default:
        die(NOWHERE, "internal: a '%s' without a name", op_name[n->op]);
    }
}

/** A choice among many: a case statement. */
static void print_select(ref r, const char *name)
{
    struct node n = node[r];
    const char *idx = expr_named(n.a[0], nullptr);
    const char **v = xalloc(n.n * sizeof *v);
    for (uint32_t i = 1; i < n.n; i++)
        v[i] = expr_of(n.a[i]);
    uint32_t iw = node[n.a[0]].w;
    put(&expr_body, "    reg %s%s;\n    always @* begin\n        case (%s)\n", range_of(n.w), name, idx);
    for (uint32_t i = 1; i < n.n; i++)
        put(&expr_body, "            %u'd%u: %s = %s;\n", iw, i - 1, name, v[i]);
    if (iw >= 32 || n.n - 1 < (uint32_t)1 << iw)
        put(&expr_body, "            default: %s = %s;\n", name, fmt("%u'd0", n.w));
    put(&expr_body, "        endcase\n    end\n");
}

static const char *print_wire(ref r, const char *want)
{
    if (!want)
        want = node[r].name ? node[r].name : fmt("_%u", r);
    if (node[r].op == N_SEL) {
        name_of[r] = expr_name(want);
        print_select(r, name_of[r]);
        return name_of[r];
    }
    const char *s = inline_of[r] ? inline_of[r] : text_of(r);
    size_t n = strlen(s);
    if (*s == '(' && s[n - 1] == ')' && node[r].op != N_CAT) // the outermost parentheses say nothing
        s = fmt("%.*s", (int)n - 2, s + 1);
    name_of[r] = expr_name(want);
    put(&expr_body, "    wire %s%s = %s;\n", range_of(node[r].w), name_of[r], s);
    return name_of[r];
}

/** Operators that may not stand inside another expression. */
static bool stands_alone(ref r)
{
    enum op op = node[r].op;
    return op == N_SEL || op == N_READ || op == N_ASHR || op == N_SDIV || op == N_SREM;
}

const char *expr_of(ref r)
{
    const struct node *n = &node[r];
    if (name_of[r])
        return name_of[r];
    if (n->op == N_CONST)
        return literal(r);
    if (n->op == N_DC)
        return fmt("%u'd0", n->w);
    if (inline_of[r])
        return inline_of[r];
    bool trivial = n->op == N_SLICE || (n->op == N_NOT && name_of[n->a[0]]);
    bool named = n->name && n->op != N_NOT && n->op != N_SLICE;
    if (stands_alone(r) || (!trivial && (uses[r] > 1 || named)))
        return print_wire(r, nullptr);
    const char *s = text_of(r);
    if (!trivial && strlen(s) > MAX_INLINE) {
        inline_of[r] = s;
        return print_wire(r, nullptr);
    }
    return inline_of[r] = s;
}

const char *expr_named(ref r, const char *want)
{
    return name_of[r] ? name_of[r] : print_wire(r, want);
}
