// SPDX-License-Identifier: BSD-2-Clause
/* hlsc.c - the command line. */
#include "glue.h"
#include "lower.h"
#include "verilog.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: hlsc [options] file.c -k NAME [-- clang flags]\n"
    "  -k NAME       the kernel: struct NAME and NAME_step\n"
    "  -o FILE       Verilog\n"
    "  --glue FILE   C that sets a native kernel's inputs from pins and reads its outputs\n"
    "  --report      print ports, registers, memories and operations\n"
    "  --json FILE   the same as JSON\n";

struct options {
    const char *file, *kernel, *verilog, *glue, *json;
    bool report;
    const char *const *clang;
    int nclang;
};

static const char *value_of(char **argv, int argc, int *i)
{
    if (*i + 1 >= argc)
        die(NOWHERE, "%s needs a value", argv[*i]);
    return argv[++*i];
}

static struct options parse(int argc, char **argv)
{
    struct options o = {};
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (!strcmp(a, "--")) {
            o.clang = (const char *const *)&argv[i + 1];
            o.nclang = argc - i - 1;
            break;
        }
        if (!strcmp(a, "-k"))
            o.kernel = value_of(argv, argc, &i);
        else if (!strcmp(a, "-o"))
            o.verilog = value_of(argv, argc, &i);
        else if (!strcmp(a, "--glue"))
            o.glue = value_of(argv, argc, &i);
        else if (!strcmp(a, "--json"))
            o.json = value_of(argv, argc, &i);
        else if (!strcmp(a, "--report"))
            o.report = true;
        else if (!strcmp(a, "--seed-mistake")) // breaks one lowering rule, for the tests of the tests
            mistake = atoi(value_of(argv, argc, &i));
        else if (*a == '-' || o.file)
            die(NOWHERE, "unknown argument %s\n%s", a, usage);
        else
            o.file = a;
    }
    if (!o.file || !o.kernel) {
        fputs(usage, stderr);
        exit(2);
    }
    return o;
}

static FILE *create(const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f)
        die(NOWHERE, "cannot write %s", path);
    return f;
}

static void finish_file(FILE *f, const char *path)
{
    if (ferror(f) || fclose(f))
        die(NOWHERE, "cannot write %s", path);
}

static struct lay *read_layout(const struct options *o)
{
    const char **args = xalloc(((size_t)o->nclang + 1) * sizeof *args);
    args[0] = "-std=c23";
    for (int i = 0; i < o->nclang; i++)
        args[i + 1] = o->clang[i];
    return layout_read(o->file, o->kernel, args, o->nclang + 1);
}

int main(int argc, char **argv)
{
    struct options o = parse(argc, argv);
    struct lay *root = read_layout(&o);
    if (o.glue) {
        FILE *f = create(o.glue);
        glue_print(f, root);
        finish_file(f, o.glue);
    }
    if (!o.verilog && !o.report && !o.json)
        return 0;
    if (is_keyword(root->name))
        die(root->loc, "'%s' is a word of Verilog: no module can have that name", root->name);
    LLVMValueRef step = front_compile(o.file, o.kernel, o.clang, o.nclang);
    do { // again while an array turns out not to be a memory
        mem_reset();
        lower_function(step, mem_kernel(root));
    } while (mem_settle());
    finish();
    if (o.verilog) {
        FILE *f = create(o.verilog);
        module_print(f, root, o.file);
        finish_file(f, o.verilog);
    }
    if (o.report)
        report_print(stdout, root);
    if (o.json) {
        FILE *f = create(o.json);
        report_json(f, root);
        finish_file(f, o.json);
    }
    return 0;
}
