// SPDX-License-Identifier: BSD-2-Clause
/*
 * mr-defs: prints everything that follows from the rows in defs/.
 *
 *     mr-defs WHAT             prints to stdout
 *     mr-defs fill IN OUT      copies a document, tables between marks renewed
 */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

static const struct output {
    const char *name;
    void (*print)(FILE *);
} outputs[] = {
    {"mr_defs.h", out_c},
    {"mr_names.h", out_names_h},
    {"mr_names.c", out_names_c},
    {"mr_defs.svh", out_sv},
    {"metaroce.lua", out_lua},
    {"wire.md", out_md_wire},
    {"queues.md", out_md_queues},
    {"codes.md", out_md_codes},
    {"registers.md", out_md_registers},
    {"counters.md", out_md_counters},
};

static int usage(void)
{
    fputs("usage: mr-defs hash | fill IN OUT |", stderr);
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        fprintf(stderr, " %s", outputs[i].name);
    fputc('\n', stderr);
    return 2;
}

static int fill(const char *from, const char *to)
{
    FILE *in = fopen(from, "r");
    if (in == NULL) {
        perror(from);
        return 1;
    }
    FILE *o = fopen(to, "w");
    if (o == NULL) {
        perror(to);
        fclose(in);
        return 1;
    }
    int rc = out_fill(in, o, from);
    fclose(in);
    if (fclose(o) != 0) {
        perror(to);
        return 1;
    }
    return rc == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (rows_load() != 0)
        return 1;
    if (argc == 4 && strcmp(argv[1], "fill") == 0)
        return fill(argv[2], argv[3]);
    if (argc != 2)
        return usage();
    if (strcmp(argv[1], "hash") == 0) {
        printf("0x%08x\n", rows_hash());
        return 0;
    }
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (strcmp(argv[1], outputs[i].name) == 0) {
            outputs[i].print(stdout);
            return fflush(stdout) == 0 ? 0 : 1;
        }
    return usage();
}
