// SPDX-License-Identifier: BSD-2-Clause
/* out_names.c - prints mr_names.h and mr_names.c: names and texts for tools. */
#include "rows.h"

#include <string.h>

/* True where codes[i] is the first row of its group. */
static bool opens_group(size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(codes[j].group, codes[i].group) == 0)
            return false;
    return true;
}

void out_names_h(FILE *o)
{
    fputs("// SPDX-License-Identifier: BSD-2-Clause\n"
          "/* Printed by mr-defs from the rows in defs/. Do not edit. */\n"
          "#ifndef MR_NAMES_H\n#define MR_NAMES_H\n\n"
          "/** One named number. A table ends with a row whose name is NULL. */\n"
          "struct mr_name {\n    unsigned value;\n    const char *name, *text;\n};\n\n"
          "/** One field of a layout: `bit` bits stand in front of it. Ends with name NULL. */\n"
          "struct mr_field_name {\n    const char *name, *text;\n    unsigned bit, bits;\n};\n\n"
          "/** One layout. The table ends with name NULL. */\n"
          "struct mr_layout_name {\n    const char *name, *text;\n    unsigned bytes;\n"
          "    _Bool wire;  // big-endian, most significant bit first; else little-endian\n"
          "    const struct mr_field_name *fields;\n};\n\n"
          "extern const struct mr_layout_name mr_layout_names[];\n"
          "extern const struct mr_name mr_reg_names[];  // value: offset\n"
          "extern const struct mr_name mr_cnt_names[];  // value: MR_CNT_*\n", o);
    for (size_t i = 0; i < ncodes; i++)
        if (opens_group(i))
            fprintf(o, "extern const struct mr_name mr_%s_names[];\n", lower(codes[i].group));
    fputs("\n/** Name or text of a number, \"?\" when it has none. Never NULL. */\n"
          "const char *mr_name_of(const struct mr_name *table, unsigned value);\n"
          "const char *mr_text_of(const struct mr_name *table, unsigned value);\n\n", o);
    for (size_t i = 0; i < ncodes; i++)
        if (opens_group(i)) {
            const char *g = lower(codes[i].group);
            fprintf(o, "static inline const char *mr_%s_name(unsigned v)\n"
                       "{\n    return mr_name_of(mr_%s_names, v);\n}\n"
                       "static inline const char *mr_%s_text(unsigned v)\n"
                       "{\n    return mr_text_of(mr_%s_names, v);\n}\n",
                    g, g, g, g);
        }
    fputs("static inline const char *mr_cnt_name(unsigned v)\n"
          "{\n    return mr_name_of(mr_cnt_names, v);\n}\n"
          "static inline const char *mr_cnt_text(unsigned v)\n"
          "{\n    return mr_text_of(mr_cnt_names, v);\n}\n"
          "static inline const char *mr_reg_name(unsigned v)\n"
          "{\n    return mr_name_of(mr_reg_names, v);\n}\n"
          "static inline const char *mr_reg_text(unsigned v)\n"
          "{\n    return mr_text_of(mr_reg_names, v);\n}\n\n#endif\n", o);
}

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

static void name_row(FILE *o, unsigned value, const char *name, const char *text)
{
    fprintf(o, "    {0x%x, \"%s\", ", value, name);
    quoted(o, text);
    fputs("},\n", o);
}

static void layout_tables(FILE *o)
{
    for (size_t i = 0; i < nlayouts; i++) {
        fprintf(o, "static const struct mr_field_name fields_%s[] = {\n", layouts[i].name);
        for (unsigned j = 0; j < layouts[i].nfields; j++) {
            const struct field *f = &layouts[i].f[j];
            fprintf(o, "    {\"%s\", ", f->name);
            quoted(o, f->text);
            fprintf(o, ", %u, %u},\n", f->bit, f->bits);
        }
        fputs("    {0, 0, 0, 0},\n};\n", o);
    }
    fputs("const struct mr_layout_name mr_layout_names[] = {\n", o);
    for (size_t i = 0; i < nlayouts; i++) {
        fprintf(o, "    {\"%s\", ", layouts[i].name);
        quoted(o, layouts[i].text);
        fprintf(o, ", %u, %d, fields_%s},\n", layouts[i].bytes, layouts[i].wire, layouts[i].name);
    }
    fputs("    {0, 0, 0, 0, 0},\n};\n", o);
}

void out_names_c(FILE *o)
{
    fputs("// SPDX-License-Identifier: BSD-2-Clause\n"
          "/* Printed by mr-defs from the rows in defs/. Do not edit. */\n"
          "#include \"mr_names.h\"\n\n", o);
    for (size_t i = 0; i < ncodes; i++) {
        if (!opens_group(i))
            continue;
        fprintf(o, "const struct mr_name mr_%s_names[] = {\n", lower(codes[i].group));
        for (size_t j = i; j < ncodes; j++)
            if (strcmp(codes[i].group, codes[j].group) == 0)
                name_row(o, (unsigned)codes[j].value, codes[j].name, codes[j].text);
        fputs("    {0, 0, 0},\n};\n", o);
    }
    fputs("const struct mr_name mr_reg_names[] = {\n", o);
    for (size_t i = 0; i < nregs; i++)
        name_row(o, regs[i].offset, regs[i].name, regs[i].text);
    fputs("    {0, 0, 0},\n};\nconst struct mr_name mr_cnt_names[] = {\n", o);
    for (size_t i = 0; i < ncounters; i++)
        name_row(o, (unsigned)i, counters[i].name, counters[i].text);
    fputs("    {0, 0, 0},\n};\n", o);
    layout_tables(o);
    fputs("\nconst char *mr_name_of(const struct mr_name *t, unsigned value)\n{\n"
          "    for (; t->name; t++)\n        if (t->value == value)\n"
          "            return t->name;\n    return \"?\";\n}\n\n"
          "const char *mr_text_of(const struct mr_name *t, unsigned value)\n{\n"
          "    for (; t->name; t++)\n        if (t->value == value)\n"
          "            return t->text;\n    return \"?\";\n}\n", o);
}
