// SPDX-License-Identifier: BSD-2-Clause
/* gen.c - `gen SEED NAME > NAME.c`: prints a random kernel inside hlsc's subset. */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

unsigned rnd(struct gen *g, unsigned n)
{
    uint64_t z = g->rnd += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (unsigned)((z ^ (z >> 31)) >> 16) % n;
}

int rnd_width(struct gen *g)
{
    static const int common[] = {8, 16, 32, 64, 24, 128, 256};
    switch (rnd(g, 10)) {
    case 0:
        return 1;
    case 1:
    case 2:
    case 3:
        return 2 + (int)rnd(g, 15);
    case 4:
    case 5:
        return common[rnd(g, 7)];
    case 6:
    case 7:
        return 17 + (int)rnd(g, 48);
    case 8:
        return 65 + (int)rnd(g, 64);
    default:
        return 129 + (int)rnd(g, 472);
    }
}

void add_place(struct gen *g, const char *text, int width, bool writable)
{
    if (g->places == MAX_PLACES)
        return;
    struct place *p = &g->place[g->places++];
    snprintf(p->text, sizeof p->text, "%s", text);
    p->width = width;
    p->writable = writable;
}

void add_array(struct gen *g, const char *text, int width, int count, bool writable)
{
    if (g->arrays == MAX_ARRAYS)
        return;
    struct array *a = &g->array[g->arrays++];
    snprintf(a->text, sizeof a->text, "%s", text);
    a->width = width;
    a->count = count;
    a->writable = writable;
}

void add_struct(struct gen *g, const char *text, int type, bool writable)
{
    const struct type *t = &g->type[type];
    for (int i = 0; i < t->fields; i++) {
        char s[96];
        snprintf(s, sizeof s, "%s.%s", text, t->f[i].name);
        if (t->f[i].sub >= 0)
            add_struct(g, s, t->f[i].sub, writable);
        else if (t->f[i].count)
            add_array(g, s, t->f[i].width, t->f[i].count, writable);
        else
            add_place(g, s, t->f[i].width, writable);
    }
}

// ---- declarations

static void scalar_type(struct gen *g, char *ctype, int *width)
{
    static const int std[] = {8, 16, 32, 64};
    switch (rnd(g, 6)) {
    case 0:
        strcpy(ctype, "bool");
        *width = 1;
        return;
    case 1:
        *width = std[rnd(g, 4)];
        sprintf(ctype, "uint%d_t", *width);
        return;
    default:
        *width = rnd_width(g);
        sprintf(ctype, "u(%d)", *width);
    }
}

static void make_type(struct gen *g)
{
    struct type *t = &g->type[g->types];
    snprintf(t->name, sizeof t->name, "t%d", g->types);
    t->fields = 1 + (int)rnd(g, MAX_FIELDS);
    fprintf(g->f, "struct %s {\n", t->name);
    for (int i = 0; i < t->fields; i++) {
        snprintf(t->f[i].name, sizeof t->f[i].name, "f%d", i);
        t->f[i].sub = g->types && rnd(g, 5) == 0 ? (int)rnd(g, (unsigned)g->types) : -1;
        if (t->f[i].sub >= 0) {
            fprintf(g->f, "    struct t%d %s;\n", t->f[i].sub, t->f[i].name);
            continue;
        }
        scalar_type(g, t->f[i].ctype, &t->f[i].width);
        if (rnd(g, 5) == 0)
            t->f[i].count = 2 + (int)rnd(g, 7);
        if (t->f[i].count)
            fprintf(g->f, "    %s %s[%d];\n", t->f[i].ctype, t->f[i].name, t->f[i].count);
        else
            fprintf(g->f, "    %s %s;\n", t->f[i].ctype, t->f[i].name);
    }
    fprintf(g->f, "};\n");
    g->types++;
}

static void type_name(struct gen *g, char *s, int type, int width)
{
    if (type >= 0)
        sprintf(s, "struct %s", g->type[type].name);
    else
        sprintf(s, "u(%d)", width);
}

static void add_any(struct gen *g, const char *text, int type, int width, bool writable)
{
    if (type >= 0)
        add_struct(g, text, type, writable);
    else
        add_place(g, text, width, writable);
}

static void declare_ports(struct gen *g)
{
    char s[32], t[32];
    for (int i = 0; i < g->ins; i++) {
        g->in_type[i] = rnd(g, 3) ? (int)rnd(g, (unsigned)g->types) : -1;
        g->in_width[i] = rnd_width(g);
        type_name(g, s, g->in_type[i], g->in_width[i]);
        fprintf(g->f, "    MR_IN(%s, in%d);\n", s, i);
        snprintf(t, sizeof t, "k->in%d.data", i);
        add_any(g, t, g->in_type[i], g->in_width[i], false);
    }
    for (int i = 0; i < g->cfgs; i++) {
        int w = rnd_width(g);
        snprintf(t, sizeof t, "k->c%d", i);
        if (rnd(g, 3) == 0) {
            fprintf(g->f, "    MR_CFG(struct { u(%d) v[4]; }, c%d);\n", w, i);
            strcat(t, ".v");
            add_array(g, t, w, 4, false);
        } else {
            fprintf(g->f, "    MR_CFG(u(%d), c%d);\n", w, i);
            add_place(g, t, w, false);
        }
    }
    for (int i = 0; i < g->outs; i++) {
        g->out_type[i] = rnd(g, 3) ? (int)rnd(g, (unsigned)g->types) : -1;
        g->out_width[i] = rnd_width(g);
        type_name(g, s, g->out_type[i], g->out_width[i]);
        fprintf(g->f, "    MR_OUT(%s, out%d);\n", s, i);
    }
    for (int i = 0; i < g->stats; i++) {
        int w = rnd_width(g);
        fprintf(g->f, "    MR_STAT(u(%d), n%d);\n", w, i);
        snprintf(t, sizeof t, "k->n%d", i);
        add_place(g, t, w, true);
    }
    fprintf(g->f, "    MR_STAT(u(64), sum);\n");
}

static void declare_memories(struct gen *g)
{
    char s[32], t[32];
    for (int i = 0; i < g->mems; i++) {
        struct memory *m = &g->mem[i];
        snprintf(m->name, sizeof m->name, "m%d", i);
        m->use = (enum mem_use)rnd(g, 3);
        m->depth = rnd(g, 4) ? 8 << rnd(g, 5) : 5 + (int)rnd(g, 90);
        m->sub = rnd(g, 2) ? (int)rnd(g, (unsigned)g->types) : -1;
        m->width = rnd_width(g);
        m->read_state = (int)rnd(g, (unsigned)g->states);
        m->write_state = (int)rnd(g, (unsigned)g->states);
        type_name(g, s, m->sub, m->width);
        fprintf(g->f, "    %s m%d[%d];\n    %s q%d;\n", s, i, m->depth, s, i);
        snprintf(t, sizeof t, "k->q%d", i);
        add_any(g, t, m->sub, m->width, m->use != MEM_SYNC || rnd(g, 2) == 0);
    }
}

static void declare_kernel(struct gen *g, const char *name)
{
    char s[32], t[32];
    fprintf(g->f, "struct %s {\n", name);
    declare_ports(g);
    fprintf(g->f, "    u(3) state;\n");
    for (int i = 0; i < g->regs; i++) {
        int w;
        scalar_type(g, s, &w);
        fprintf(g->f, "    %s r%d;\n", s, i);
        snprintf(t, sizeof t, "k->r%d", i);
        add_place(g, t, w, true);
    }
    for (int i = 0; i < g->reg_types; i++) {
        g->reg_type[i] = (int)rnd(g, (unsigned)g->types);
        fprintf(g->f, "    struct t%d s%d;\n", g->reg_type[i], i);
        snprintf(t, sizeof t, "k->s%d", i);
        add_struct(g, t, g->reg_type[i], true);
    }
    if (rnd(g, 2)) {
        int w = 1 + (int)rnd(g, 40), n = 2 + (int)rnd(g, 15);
        fprintf(g->f, "    u(%d) a[%d];\n", w, n);
        add_array(g, "k->a", w, n, true);
    }
    declare_memories(g);
    fprintf(g->f, "};\n\n");
}

static void tables_and_helpers(struct gen *g)
{
    fprintf(g->f, "MR_INLINE u(32) sat_add(u(32) a, u(32) b) { u(32) s = a + b; return s < a ? (u(32))~(u(32))0 : s; }\n"
                  "MR_INLINE u(32) sat_sub(u(32) a, u(32) b) { return a > b ? a - b : (u(32))0; }\n"
                  "MR_INLINE u(32) min(u(32) a, u(32) b) { return a < b ? a : b; }\n"
                  "MR_INLINE u(32) max(u(32) a, u(32) b) { return a > b ? a : b; }\n"
                  "MR_INLINE u(32) rotl(u(32) a, u(32) b) { return (a << (b & 31)) | (a >> (-b & 31)); }\n");
    for (int i = 0; i < g->tables; i++) {
        int w = 1 + (int)rnd(g, 60);
        fprintf(g->f, "static const u(%d) tbl%d[16] = {", w, i);
        for (int e = 0; e < 16; e++)
            fprintf(g->f, "(u(%d))0x%x%08x, ", w, rnd(g, 1u << 20), rnd(g, 1u << 30));
        fprintf(g->f, "};\n");
    }
}

// ---- the step

static void memory_index(struct gen *g, const struct memory *m)
{
    fprintf(g->f, "k->m%d[(unsigned)(u(16))(", (int)(m - g->mem));
    expr(g, 16, 1);
    fprintf(g->f, ") %% %d]", m->depth);
}

/** Accesses of memories: reads before writes, at most one of each in a state. */
static void memory_code(struct gen *g, int state)
{
    for (int i = 0; i < g->mems; i++) {
        struct memory *m = &g->mem[i];
        if (m->use == MEM_MODIFY && state == m->write_state) {
            indent_by(g, 2);
            fprintf(g->f, "{ unsigned at = (unsigned)(u(16))(");
            expr(g, 16, 1);
            fprintf(g->f, ") %% %d; k->q%d = k->m%d[at]; ", m->depth, i, i);
            fprintf(g->f, "if ");
            cond(g, 1);
            fprintf(g->f, " k->m%d[at] = ", i);
            value_of_type(g, m->sub, m->width);
            fprintf(g->f, "; }\n");
            continue;
        }
        if (m->use != MEM_MODIFY && state == m->read_state) {
            indent_by(g, 2);
            if (rnd(g, 2)) {
                fprintf(g->f, "if ");
                cond(g, 1);
                fprintf(g->f, " ");
            }
            fprintf(g->f, "k->q%d = ", i);
            memory_index(g, m);
            fprintf(g->f, ";\n");
        }
        if (m->use != MEM_MODIFY && state == m->write_state) {
            indent_by(g, 2);
            if (rnd(g, 2)) {
                fprintf(g->f, "if ");
                cond(g, 1);
                fprintf(g->f, " ");
            }
            memory_index(g, m);
            fprintf(g->f, " = ");
            if (rnd(g, 2))
                fprintf(g->f, "k->q%d", i);
            else
                value_of_type(g, m->sub, m->width);
            fprintf(g->f, ";\n");
        }
    }
}

static void port_code(struct gen *g)
{
    if (g->ins && rnd(g, 4)) {
        unsigned i = rnd(g, (unsigned)g->ins);
        indent_by(g, 2);
        fprintf(g->f, "if (k->in%u.valid", i);
        if (rnd(g, 3) == 0) {
            fprintf(g->f, " && ");
            cond(g, 1);
        }
        fprintf(g->f, ") {\n");
        statements(g, 3, 1);
        fprintf(g->f, "            mr_take(k->in%u);\n        }\n", i);
    }
    unsigned o = rnd(g, (unsigned)g->outs);
    indent_by(g, 2);
    fprintf(g->f, "if (k->out%u.ready) {\n            ", o);
    if (rnd(g, 2)) {
        fprintf(g->f, "if ");
        cond(g, 1);
        fprintf(g->f, " ");
    }
    fprintf(g->f, "mr_put(k->out%u, ", o);
    value_of_type(g, g->out_type[o], g->out_width[o]);
    fprintf(g->f, ");\n        }\n");
}

static void step(struct gen *g, const char *name)
{
    fprintf(g->f, "MR_KERNEL(%s)\n{\n", name);
    if (rnd(g, 2))
        statements(g, 1, 1);
    fprintf(g->f, "    switch (k->state) {\n");
    for (int s = 0; s < g->states; s++) {
        fprintf(g->f, "    case %d:\n", s);
        memory_code(g, s);
        port_code(g);
        statements(g, 2, 2);
        indent_by(g, 2);
        if (rnd(g, 3)) {
            fprintf(g->f, "if ");
            cond(g, 1);
            fprintf(g->f, " ");
        }
        fprintf(g->f, "k->state = %d;\n        break;\n", (s + 1) % g->states);
    }
    fprintf(g->f, "    default:\n        k->state = 0;\n    }\n");
    // make every register visible
    fprintf(g->f, "    u(64) sum = (k->sum << 1) ^ (k->sum >> 63);\n");
    for (int i = 0; i < g->places; i++)
        if (g->place[i].writable)
            fprintf(g->f, "    sum ^= (u(64))%s << %d;\n", g->place[i].text, i % 7);
    fprintf(g->f, "    k->sum = sum;\n}\n");
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    struct gen *g = calloc(1, sizeof *g);
    g->rnd = strtoull(argv[1], nullptr, 0) * 0x2545f4914f6cdd1du;
    g->f = stdout;
    printf("// random kernel, seed %s\n#include \"stream.h\"\n#include <stdint.h>\n", argv[1]);
    for (int n = 1 + (int)rnd(g, MAX_TYPES); n > 0; n--)
        make_type(g);
    g->ins = 1 + (int)rnd(g, 3);
    g->outs = 1 + (int)rnd(g, 3);
    g->cfgs = (int)rnd(g, 3);
    g->stats = (int)rnd(g, 4);
    g->regs = 2 + (int)rnd(g, 5);
    g->reg_types = (int)rnd(g, 3);
    g->mems = (int)rnd(g, 4);
    g->states = 1 + (int)rnd(g, 5);
    g->tables = 1 + (int)rnd(g, 2);
    tables_and_helpers(g);
    declare_kernel(g, argv[2]);
    step(g, argv[2]);
    return 0;
}
