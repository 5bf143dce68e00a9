// SPDX-License-Identifier: BSD-2-Clause
/* layout.c - reads the kernel's struct with libclang. */
#include "layout.h"

#include <clang-c/Index.h>
#include <stdlib.h>
#include <string.h>

static char *text_of(CXString s)
{
    const char *c = clang_getCString(s);
    char *r = fmt("%s", c ? c : "");
    clang_disposeString(s);
    return r;
}

static struct loc where(CXCursor c)
{
    CXFile f;
    unsigned line, col;
    clang_getExpansionLocation(clang_getCursorLocation(c), &f, &line, &col, nullptr);
    return (struct loc){text_of(clang_getFileName(f)), line, col};
}

static void read_type(struct lay *l, CXType t);

static enum CXChildVisitResult find_annotation(CXCursor c, CXCursor parent, CXClientData p)
{
    (void)parent;
    if (clang_getCursorKind(c) != CXCursor_AnnotateAttr)
        return CXChildVisit_Continue;
    char *s = text_of(clang_getCursorSpelling(c));
    enum port *port = p;
    if (!strcmp(s, "mr.in"))
        *port = P_IN;
    else if (!strcmp(s, "mr.out"))
        *port = P_OUT;
    else if (!strcmp(s, "mr.cfg"))
        *port = P_CFG;
    else if (!strcmp(s, "mr.stat"))
        *port = P_STAT;
    return CXChildVisit_Continue;
}

/** The C declaration of a field, as the comment in the Verilog shows it. */
static const char *declaration(CXCursor c, const struct lay *l)
{
    CXType t = clang_getCursorType(c);
    if (l->port == P_IN || l->port == P_OUT)
        return ""; // filled in by the caller, who knows the data's type
    char *s = text_of(clang_getTypeSpelling(t)), *bracket = strchr(s, '[');
    int width;
    if (sscanf(s, "unsigned _BitInt(%d)", &width) == 1) // as the source has it
        return fmt("u(%d) %s%s", width, l->name, bracket ? bracket : "");
    if (bracket)
        return fmt("%.*s %s%s", (int)(bracket - s), s, l->name, bracket);
    return fmt("%s %s", s, l->name);
}

struct fields {
    struct lay *l;
    size_t cap;
};

static enum CXVisitorResult add_field(CXCursor c, CXClientData p)
{
    struct fields *fs = p;
    struct lay *s = fs->l;
    s->field = xgrow(s->field, &fs->cap, s->fields + 1, sizeof *s->field);
    struct lay f = {.loc = where(c), .name = text_of(clang_getCursorSpelling(c))};
    long long off = clang_Cursor_getOffsetOfField(c);
    if (off < 0)
        die(f.loc, "field '%s' has no constant offset", f.name);
    f.off = (uint64_t)off;
    clang_visitChildren(c, find_annotation, &f.port);
    f.decl = declaration(c, &f);
    read_type(&f, clang_getCursorType(c));
    if (clang_Cursor_isBitField(c)) {
        f.width = (uint32_t)clang_getFieldDeclBitWidth(c);
        f.size = f.width;
        f.bitfield = true;
        if (!f.width)
            return CXVisit_Continue;
    }
    if (f.kind == L_STRUCT && !f.fields)
        return CXVisit_Continue;
    s->field[s->fields++] = f;
    return CXVisit_Continue;
}

static void read_array(struct lay *l, CXType t)
{
    l->kind = L_ARRAY;
    l->count = 1;
    while (t.kind == CXType_ConstantArray) {
        long long n = clang_getArraySize(t);
        if (n < 1 || n > 1 << 24 || l->dims == MAX_DIMS)
            die(l->loc, "array '%s' has a size outside 1 to 2^24 elements", l->name);
        l->dim[l->dims++] = (uint32_t)n;
        l->count *= (uint32_t)n;
        t = clang_getCanonicalType(clang_getArrayElementType(t));
    }
    l->elem = xalloc(sizeof *l->elem);
    l->elem->name = "";
    l->elem->loc = l->loc;
    read_type(l->elem, t);
}

static bool read_scalar(struct lay *l, CXType t)
{
    char *s = text_of(clang_getTypeSpelling(t)), *bitint = strstr(s, "_BitInt(");
    l->kind = L_LEAF;
    if (t.kind == CXType_Bool) {
        l->width = 1;
        return true;
    }
    if (bitint) {
        l->width = (uint32_t)atoi(bitint + strlen("_BitInt("));
        l->is_signed = !strstr(s, "unsigned");
        return true;
    }
    l->width = (uint32_t)l->size;
    l->is_signed = (t.kind >= CXType_Char_S && t.kind <= CXType_Int128);
    return t.kind >= CXType_Bool && t.kind <= CXType_Int128;
}

static void read_type(struct lay *l, CXType t)
{
    t = clang_getCanonicalType(t);
    long long size = clang_Type_getSizeOf(t);
    if (size < 0)
        die(l->loc, "the type of '%s' has no size", l->name);
    l->size = (uint64_t)size * 8;
    if (t.kind == CXType_ConstantArray) {
        read_array(l, t);
    } else if (t.kind == CXType_Record) {
        CXCursor d = clang_getTypeDeclaration(t);
        if (clang_getCursorKind(d) == CXCursor_UnionDecl)
            die(l->loc, "'%s' is a union: leaves would overlap; use a u(N) and slices of it", l->name);
        l->kind = L_STRUCT;
        clang_Type_visitFields(t, add_field, &(struct fields){.l = l});
    } else if (t.kind == CXType_Enum) {
        read_scalar(l, clang_getCanonicalType(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(t))));
    } else if (t.kind == CXType_Pointer) {
        die(l->loc, "'%s' is a pointer: a kernel has no address space", l->name);
    } else if (!read_scalar(l, t)) {
        die(l->loc, "'%s' is no unsigned integer, bool, struct or constant-size array (%s)", l->name,
            text_of(clang_getTypeSpelling(t)));
    }
}

struct search {
    const char *name;
    CXCursor found;
    bool any;
};

static enum CXChildVisitResult find_struct(CXCursor c, CXCursor parent, CXClientData p)
{
    (void)parent;
    struct search *s = p;
    if (clang_getCursorKind(c) != CXCursor_StructDecl || !clang_isCursorDefinition(c))
        return CXChildVisit_Continue;
    if (!strcmp(text_of(clang_getCursorSpelling(c)), s->name)) {
        s->found = c;
        s->any = true;
    }
    return CXChildVisit_Continue;
}

/** The type's name of a port's data, for the comment. */
static void name_ports(struct lay *root)
{
    static const char *const macro[] = {
        [P_IN] = "MR_IN", [P_OUT] = "MR_OUT", [P_CFG] = "MR_CFG", [P_STAT] = "MR_STAT"};
    for (uint32_t i = 0; i < root->fields; i++) {
        struct lay *f = &root->field[i];
        if (f->port == P_IN || f->port == P_OUT) {
            const struct lay *d = lay_field(f, "data");
            if (!d || !lay_field(f, "valid") || !lay_field(f, "ready"))
                die(f->loc, "port '%s' lacks data, valid or ready", f->name);
            const char *end = strrchr(d->decl, ' ');
            f->decl = fmt("%s(%.*s, %s)", macro[f->port], (int)(end - d->decl), d->decl, f->name);
        } else if (f->port) {
            f->decl = fmt("%s: %s", macro[f->port], f->decl);
        }
    }
}

static void report_diagnostics(CXTranslationUnit tu)
{
    for (unsigned i = 0; i < clang_getNumDiagnostics(tu); i++) {
        CXDiagnostic d = clang_getDiagnostic(tu, i);
        if (clang_getDiagnosticSeverity(d) < CXDiagnostic_Error)
            continue;
        CXFile f;
        unsigned line, col;
        clang_getExpansionLocation(clang_getDiagnosticLocation(d), &f, &line, &col, nullptr);
        die((struct loc){text_of(clang_getFileName(f)), line, col}, "%s",
            text_of(clang_getDiagnosticSpelling(d)));
    }
}

struct lay *layout_read(const char *file, const char *name, const char *const *args, int nargs)
{
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit tu = nullptr;
    enum CXErrorCode e = clang_parseTranslationUnit2(index, file, args, nargs, nullptr, 0, 0, &tu);
    if (e != CXError_Success || !tu)
        die((struct loc){file, 0, 0}, "libclang cannot parse it");
    report_diagnostics(tu);
    struct search s = {.name = name};
    clang_visitChildren(clang_getTranslationUnitCursor(tu), find_struct, &s);
    if (!s.any)
        die((struct loc){file, 1, 1}, "no definition of struct %s", name);
    struct lay *l = xalloc(sizeof *l);
    l->name = name;
    l->loc = where(s.found);
    read_type(l, clang_getCursorType(s.found));
    name_ports(l);
    return l;
}

uint64_t lay_width(const struct lay *l)
{
    uint64_t w = 0;
    if (l->kind == L_LEAF)
        return l->width;
    if (l->kind == L_ARRAY)
        return l->count * lay_width(l->elem);
    for (uint32_t i = 0; i < l->fields; i++)
        w += lay_width(&l->field[i]);
    return w;
}

const char *lay_index(const struct lay *a, uint32_t e)
{
    char *s = "";
    for (uint32_t d = a->dims; d-- > 0;) {
        s = fmt("[%u]%s", e % a->dim[d], s);
        e /= a->dim[d];
    }
    return s;
}

void lay_walk(const struct lay *l, const char *path, uint64_t off, leaf_fn *fn, void *ctx)
{
    if (l->kind == L_LEAF)
        fn(ctx, l, path, off);
    for (uint32_t i = 0; l->kind == L_ARRAY && i < l->count; i++)
        lay_walk(l->elem, fmt("%s%s", path, lay_index(l, i)), off + i * l->elem->size, fn, ctx);
    for (uint32_t i = 0; l->kind == L_STRUCT && i < l->fields; i++)
        lay_walk(&l->field[i], fmt("%s.%s", path, l->field[i].name), off + l->field[i].off, fn, ctx);
}

const struct lay *lay_field(const struct lay *l, const char *name)
{
    for (uint32_t i = 0; i < l->fields; i++)
        if (!strcmp(l->field[i].name, name))
            return &l->field[i];
    return nullptr;
}
