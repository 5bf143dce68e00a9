// SPDX-License-Identifier: BSD-2-Clause
/* gen_code.c - random expressions and statements; all arithmetic on u(N), so no promotion and no overflow. */
#include "gen.h"

static void leaf(struct gen *g, int w)
{
    if (!g->places || rnd(g, 6) == 0) {
        uint64_t v = ((uint64_t)rnd(g, 1u << 30) << 32) ^ rnd(g, 1u << 30) ^ ((uint64_t)rnd(g, 4) << 30);
        if (rnd(g, 3) == 0)
            v &= 15;
        fprintf(g->f, "(u(%d))0x%llxull", w, (unsigned long long)v);
        return;
    }
    int best = (int)rnd(g, (unsigned)g->places);
    for (int i = 0; i < 5; i++) { // prefer a near width
        int c = (int)rnd(g, (unsigned)g->places);
        int dc = g->place[c].width - w, db = g->place[best].width - w;
        if (dc * dc < db * db)
            best = c;
    }
    fprintf(g->f, "(u(%d))%s", w, g->place[best].text);
}

static int log2_floor(int n)
{
    int k = 0;
    while (2 << k <= n)
        k++;
    return k;
}

/** An index below n. */
static void index_expr(struct gen *g, int n)
{
    int k = log2_floor(n);
    if ((n & (n - 1)) == 0) {
        fprintf(g->f, "(u(%d))(", k ? k : 1);
        expr(g, k ? k : 1, 1);
        fprintf(g->f, ")%s", k ? "" : " & 0");
    } else {
        fprintf(g->f, "(");
        expr(g, 8, 1);
        fprintf(g->f, ") %% %d", n);
    }
}

static void array_read(struct gen *g, int w)
{
    struct array *a = &g->array[rnd(g, (unsigned)g->arrays)];
    fprintf(g->f, "(u(%d))%s[", w, a->text);
    index_expr(g, a->count);
    fprintf(g->f, "]");
}

static void shift_expr(struct gen *g, int w, int d)
{
    bool is_signed = rnd(g, 3) == 0 && w > 1;
    bool left = !is_signed && rnd(g, 2);
    if (is_signed)
        fprintf(g->f, "(u(%d))((_BitInt(%d))(", w, w);
    else
        fprintf(g->f, "((");
    expr(g, w, d);
    fprintf(g->f, ") %s ", left ? "<<" : ">>");
    int k = log2_floor(w);
    if (rnd(g, 2) && k)
        index_expr(g, 1 << k);
    else
        fprintf(g->f, "%u", rnd(g, (unsigned)w));
    fprintf(g->f, ")");
}

static void count_expr(struct gen *g, int w, int d)
{
    static const char *const f[] = {"popcount", "ctz", "clz", "parity"};
    unsigned k = rnd(g, 4);
    int v = rnd(g, 2) ? w : rnd_width(g);
    if (v < 2)
        v = 2;
    if (k == 3) {
        fprintf(g->f, "(u(%d))(__builtin_popcountg((u(%d))(", w, v);
        expr(g, v, d);
        fprintf(g->f, ")) & 1)");
        return;
    }
    fprintf(g->f, "(u(%d))__builtin_%sg((u(%d))(", w, f[k], v);
    expr(g, v, d);
    fprintf(g->f, ")%s)", k ? ", 77" : "");
}

static void binary_expr(struct gen *g, int w, int d)
{
    static const char *const op[] = {"+", "-", "&", "|", "^", "+", "*"};
    const char *o = op[rnd(g, w <= 100 ? 7 : 6)];
    fprintf(g->f, "(");
    expr(g, w, d);
    fprintf(g->f, " %s ", o);
    expr(g, w, d);
    fprintf(g->f, ")");
}

static void slice_expr(struct gen *g, int w, int d)
{
    int big = w + 1 + (int)rnd(g, 64);
    fprintf(g->f, "(u(%d))((", w);
    expr(g, big, d);
    fprintf(g->f, ") >> %u)", rnd(g, (unsigned)(big - w) + 1));
}

static void join_expr(struct gen *g, int w, int d)
{
    int lo = 1 + (int)rnd(g, (unsigned)w - 1);
    fprintf(g->f, "(((u(%d))(", w);
    expr(g, w - lo, d);
    fprintf(g->f, ") << %d) | (u(%d))(", lo, w);
    expr(g, lo, d);
    fprintf(g->f, "))");
}

static void helper_expr(struct gen *g, int w, int d)
{
    static const char *const f[] = {"sat_add", "sat_sub", "min", "max", "rotl"};
    unsigned k = rnd(g, 5);
    fprintf(g->f, "(u(%d))%s(", w, f[k]);
    expr(g, 32, d);
    fprintf(g->f, ", ");
    expr(g, 32, d);
    fprintf(g->f, ")");
}

static void div_expr(struct gen *g, int w, int d)
{
    fprintf(g->f, "((");
    expr(g, w, d);
    fprintf(g->f, ") %s (u(%d))%u)", rnd(g, 2) ? "/" : "%", w, 3 + rnd(g, 12));
}

void expr(struct gen *g, int w, int d)
{
    if (d <= 0) {
        leaf(g, w);
        return;
    }
    d--;
    switch (rnd(g, 17)) {
    case 0:
    case 1:
    case 2:
    case 3:
        binary_expr(g, w, d);
        return;
    case 4:
        shift_expr(g, w, d);
        return;
    case 5:
        fprintf(g->f, "(u(%d))(", w);
        cond(g, d);
        fprintf(g->f, " ? ");
        expr(g, w, d);
        fprintf(g->f, " : ");
        expr(g, w, d);
        fprintf(g->f, ")");
        return;
    case 6:
        count_expr(g, w, d);
        return;
    case 7:
        slice_expr(g, w, d);
        return;
    case 8:
        if (w > 1) {
            join_expr(g, w, d);
            return;
        }
        break;
    case 9:
        fprintf(g->f, "(u(%d))(%s(", w, rnd(g, 2) ? "~" : "-");
        expr(g, w, d);
        fprintf(g->f, "))");
        return;
    case 10:
        if (g->arrays) {
            array_read(g, w);
            return;
        }
        break;
    case 11:
        fprintf(g->f, "(u(%d))tbl%u[", w, rnd(g, (unsigned)g->tables));
        index_expr(g, 16);
        fprintf(g->f, "]");
        return;
    case 12:
        helper_expr(g, w, d);
        return;
    case 13:
        if (w >= 5 && w <= 40 && rnd(g, 2)) {
            div_expr(g, w, d);
            return;
        }
        break;
    case 14:
        fprintf(g->f, "(u(%d))(_BitInt(%d))(", w, w + 1 + (int)rnd(g, 20)); // through a wider signed type
        fprintf(g->f, "(_BitInt(%d))(", w > 1 ? w : 2);
        expr(g, w > 1 ? w : 2, d);
        fprintf(g->f, "))");
        return;
    case 15:
        fprintf(g->f, "(u(%d))__builtin_bswap%s(", w, rnd(g, 2) ? "32" : "64");
        expr(g, 32, d);
        fprintf(g->f, ")");
        return;
    default:
        break;
    }
    leaf(g, w);
}

void cond(struct gen *g, int d)
{
    static const char *const cmp[] = {"<", ">", "==", "!=", "<=", ">="};
    int w = rnd(g, 3) ? 1 + (int)rnd(g, 12) : rnd_width(g);
    if (d > 0 && rnd(g, 4) == 0) {
        fprintf(g->f, "(");
        cond(g, d - 1);
        fprintf(g->f, rnd(g, 2) ? " && " : " || ");
        cond(g, d - 1);
        fprintf(g->f, ")");
        return;
    }
    const char *cast = rnd(g, 4) == 0 && w > 1 ? "(_BitInt(%d))" : "(u(%d))";
    fprintf(g->f, "(");
    fprintf(g->f, cast, w);
    fprintf(g->f, "(");
    expr(g, w, d - 1);
    fprintf(g->f, ") %s ", cmp[rnd(g, 6)]);
    fprintf(g->f, cast, w);
    fprintf(g->f, "(");
    expr(g, w, d - 1);
    fprintf(g->f, "))");
}

// ---- statements

void indent_by(struct gen *g, int n)
{
    fprintf(g->f, "%*s", n * 4, "");
}

static struct place *writable_place(struct gen *g)
{
    for (int i = 0; i < 40; i++) {
        struct place *p = &g->place[rnd(g, (unsigned)g->places)];
        if (p->writable)
            return p;
    }
    return nullptr;
}

static void assign(struct gen *g, int in)
{
    struct place *p = writable_place(g);
    if (!p)
        return;
    indent_by(g, in);
    fprintf(g->f, "%s %s ", p->text, rnd(g, 3) ? "=" : rnd(g, 2) ? "+=" : "^=");
    expr(g, p->width, 3);
    fprintf(g->f, ";\n");
}

static void array_write(struct gen *g, int in)
{
    for (int i = 0; i < 10 && g->arrays; i++) {
        struct array *a = &g->array[rnd(g, (unsigned)g->arrays)];
        if (!a->writable)
            continue;
        indent_by(g, in);
        fprintf(g->f, "%s[", a->text);
        if (rnd(g, 3))
            index_expr(g, a->count);
        else
            fprintf(g->f, "%u", rnd(g, (unsigned)a->count));
        fprintf(g->f, "] = ");
        expr(g, a->width, 2);
        fprintf(g->f, ";\n");
        return;
    }
}

static void loop(struct gen *g, int in)
{
    struct place *p = writable_place(g);
    if (!g->arrays || !p)
        return;
    struct array *a = &g->array[rnd(g, (unsigned)g->arrays)];
    indent_by(g, in);
    fprintf(g->f, "MR_UNROLL for (int i = 0; i < %d; i++) {\n", a->count);
    indent_by(g, in + 1);
    if (rnd(g, 2))
        fprintf(g->f, "if (%s[i] > (u(%d))%u) ", a->text, a->width, rnd(g, a->width > 4 ? 16 : 1u << a->width));
    if (a->writable && rnd(g, 3) == 0)
        fprintf(g->f, "%s[i] ^= (u(%d))%s;\n", a->text, a->width, p->text);
    else
        fprintf(g->f, "%s = %s * 5 + (u(%d))%s[i];\n", p->text, p->text, p->width, a->text);
    indent_by(g, in);
    fprintf(g->f, "}\n");
}

static void if_else(struct gen *g, int in, int budget)
{
    indent_by(g, in);
    fprintf(g->f, "if ");
    cond(g, 2);
    fprintf(g->f, " {\n");
    statements(g, in + 1, budget - 1);
    indent_by(g, in);
    if (rnd(g, 2)) {
        fprintf(g->f, "} else {\n");
        statements(g, in + 1, budget - 1);
        indent_by(g, in);
    }
    fprintf(g->f, "}\n");
}

static void switch_case(struct gen *g, int in, int budget)
{
    indent_by(g, in);
    fprintf(g->f, "switch ((unsigned)(u(3))(");
    expr(g, 3, 1);
    fprintf(g->f, ")) {\n");
    int n = 2 + (int)rnd(g, 5);
    for (int i = 0; i < n; i++) {
        indent_by(g, in);
        fprintf(g->f, "case %d:\n", i);
        statements(g, in + 1, budget - 2);
        if (rnd(g, 5)) {
            indent_by(g, in + 1);
            fprintf(g->f, "break;\n");
        } else if (i + 1 < n) {
            indent_by(g, in + 1);
            fprintf(g->f, "[[fallthrough]];\n");
        }
    }
    indent_by(g, in);
    fprintf(g->f, "default:\n");
    statements(g, in + 1, budget - 2);
    indent_by(g, in);
    fprintf(g->f, "}\n");
}

/** A local copy of a struct register, changed and perhaps written back. */
static void local_struct(struct gen *g, int in)
{
    if (!g->reg_types)
        return;
    int r = (int)rnd(g, (unsigned)g->reg_types), id = g->locals++;
    int places = g->places, arrays = g->arrays;
    char name[16];
    indent_by(g, in);
    fprintf(g->f, "{\n");
    indent_by(g, in + 1);
    fprintf(g->f, "struct %s l%d = ", g->type[g->reg_type[r]].name, id);
    if (rnd(g, 3))
        fprintf(g->f, "k->s%d;\n", r);
    else {
        value_of_type(g, g->reg_type[r], 0);
        fprintf(g->f, ";\n");
    }
    snprintf(name, sizeof name, "l%d", id);
    add_struct(g, name, g->reg_type[r], true);
    for (unsigned i = 1 + rnd(g, 3); i > 0; i--)
        rnd(g, 2) ? assign(g, in + 1) : array_write(g, in + 1);
    if (rnd(g, 4)) {
        indent_by(g, in + 1);
        fprintf(g->f, "k->s%d = l%d;\n", r, id);
    } else {
        assign(g, in + 1);
    }
    g->places = places;
    g->arrays = arrays;
    indent_by(g, in);
    fprintf(g->f, "}\n");
}

static void through_pointer(struct gen *g, int in)
{
    for (int i = 0; i < 20; i++) {
        struct place *a = writable_place(g), *b = writable_place(g);
        if (!a || !b || a == b || a->width != b->width)
            continue;
        indent_by(g, in);
        fprintf(g->f, "{ typeof(%s) *p = ", a->text);
        cond(g, 1);
        fprintf(g->f, " ? &%s : (typeof(%s) *)&%s; *p = ", a->text, a->text, b->text);
        expr(g, a->width, 2);
        fprintf(g->f, "; }\n");
        return;
    }
}

void statements(struct gen *g, int in, int budget)
{
    for (unsigned n = 1 + rnd(g, 3); n > 0; n--) {
        switch (budget > 0 ? rnd(g, 12) : rnd(g, 4)) {
        case 4:
        case 5:
        case 6:
            if_else(g, in, budget);
            break;
        case 7:
            switch_case(g, in, budget);
            break;
        case 8:
            array_write(g, in);
            break;
        case 9:
            loop(g, in);
            break;
        case 10:
            local_struct(g, in);
            break;
        case 11:
            through_pointer(g, in);
            break;
        default:
            assign(g, in);
        }
    }
}

void value_of_type(struct gen *g, int type, int width)
{
    if (type < 0) {
        expr(g, width, 3);
        return;
    }
    const struct type *t = &g->type[type];
    fprintf(g->f, "(struct %s){", t->name);
    for (int i = 0; i < t->fields; i++) {
        if (rnd(g, 8) == 0)
            continue; // zero
        fprintf(g->f, ".%s = ", t->f[i].name);
        if (t->f[i].sub >= 0) {
            value_of_type(g, t->f[i].sub, 0);
        } else if (t->f[i].count) {
            fprintf(g->f, "{");
            for (int e = 0; e < t->f[i].count; e++) {
                expr(g, t->f[i].width, 1);
                fprintf(g->f, ", ");
            }
            fprintf(g->f, "}");
        } else {
            expr(g, t->f[i].width, 2);
        }
        fprintf(g->f, ", ");
    }
    fprintf(g->f, "}");
}
