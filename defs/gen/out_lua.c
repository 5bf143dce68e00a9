// SPDX-License-Identifier: BSD-2-Clause
/* out_lua.c - prints the Wireshark dissector: the rows as Lua tables, then dissector.lua. */
#include "rows.h"

#include <string.h>

static const char body[] = {
#embed "dissector.lua" suffix(, '\0')
};

static void quoted(FILE *o, const char *s)
{
    fputc('"', o);
    for (; *s != '\0'; s++) {
        if (*s == '"' || *s == '\\')
            fputc('\\', o);
        fputc(*s, o);
    }
    fputc('"', o);
}

/* The group whose names a field's values have, or NULL. */
static const char *group_of(const char *layout, const char *field)
{
    static const struct { const char *layout, *field, *group; } map[] = {
        {"base", "kind", "KIND"},    {"error", "code", "ERR"},
        {"close", "reason", "REASON"}, {"ctl", "reason", "REASON"},
    };
    for (size_t i = 0; i < sizeof map / sizeof *map; i++)
        if (strcmp(map[i].layout, layout) == 0 && strcmp(map[i].field, field) == 0)
            return map[i].group;
    return NULL;
}

static void print_layout(FILE *o, const struct layout *l)
{
    fprintf(o, "layouts.%s = { name = ", l->name);
    quoted(o, l->text);
    fprintf(o, ", bytes = %u,\n", l->bytes);
    for (unsigned i = 0; i < l->nfields; i++) {
        const struct field *f = &l->f[i];
        const char *g = group_of(l->name, f->name);
        fprintf(o, "  { \"%s\", bit = %u, bits = %u, ", f->name, f->bit, f->bits);
        if (g != NULL)
            fprintf(o, "group = \"%s\", ", g);
        fputs("text = ", o);
        quoted(o, f->text);
        fputs(" },\n", o);
    }
    fputs("}\n", o);
}

void out_lua(FILE *o)
{
    fputs("-- SPDX-License-Identifier: BSD-2-Clause\n"
          "-- Wireshark dissector, printed by mr-defs from the rows in defs/. Do not edit.\n"
          "--     wireshark -X lua_script:metaroce.lua\n\n"
          "local codes = {}\n", o);
    for (size_t i = 0; i < ncodes; i++) {
        bool first = true;
        for (size_t j = 0; j < i; j++)
            first = first && strcmp(codes[j].group, codes[i].group) != 0;
        if (!first)
            continue;
        fprintf(o, "codes.%s = {", codes[i].group);
        for (size_t j = i; j < ncodes; j++)
            if (strcmp(codes[i].group, codes[j].group) == 0)
                fprintf(o, "\n  [%llu] = \"%s\",", codes[j].value, codes[j].name);
        fputs("\n}\n", o);
    }
    fputs("\nlocal layouts = {}\n", o);
    for (size_t i = 0; i < nlayouts; i++)
        if (layouts[i].wire)
            print_layout(o, &layouts[i]);
    fputs("\nlocal packets = {}\n", o);
    for (size_t i = 0; i < npackets; i++) {
        const struct packet *p = &packets[i];
        unsigned k = (unsigned)code_find("KIND", p->kind)->value;
        unsigned c = (unsigned)code_find(p->group, p->opcode)->value;
        fprintf(o, "packets[%u] = { name = \"%s %s\"", k << 8 | c, p->kind, p->opcode);
        if (layout_find(p->ext) != NULL)
            fprintf(o, ", ext = \"%s\"", p->ext);
        if (layout_find(p->payload) != NULL)
            fprintf(o, ", operands = \"%s\"", p->payload);
        fputs(" }\n", o);
    }
    fprintf(o, "\nlocal VERSION = %llu\nlocal UDP_PORT = %llu\nlocal ICRC_BYTES = %llu\n\n",
            code_find("WIRE", "VERSION")->value, code_find("WIRE", "UDP_PORT")->value,
            code_find("WIRE", "ICRC_BYTES")->value);
    fputs(body, o);
}
