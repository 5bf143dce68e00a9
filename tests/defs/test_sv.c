// SPDX-License-Identifier: BSD-2-Clause
/*
 * C and SystemVerilog read the same random bytes and must find the same fields.
 * A bench is printed from the rows; the vectors hold a layout's bits and the
 * fields that C took out of them, side by side, first field lowest.
 */
#include "mr_defs.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#define HEADERS 10000

/* Names that are keywords there get an underscore. */
static const char *sv(const char *name)
{
    static const char *const keywords[][2] = {
        {"edge", "edge_"}, {"local", "local_"}, {"time", "time_"}, {"type", "type_"}};
    for (unsigned i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(name, keywords[i][0]) == 0)
            return keywords[i][1];
    return name;
}

static void hex(FILE *f, const uint8_t *low_first, unsigned n)
{
    while (n-- > 0)
        fprintf(f, "%02x", low_first[n]);
}

#define MR_LAYOUT(l, order, bytes, text)                                                           \
    static void bench_##l(FILE *o)                                                                 \
    {                                                                                              \
        unsigned at = 0, n = bytes;                                                                \
        fprintf(o, "  logic [%u:0] b_%s, x_%s;\n  mr_%s_t h_%s;\n"                                 \
                   "  task automatic run_%s;\n    f = $fopen({dir, \"/%s.hex\"}, \"r\");\n"      \
                   "    while ($fscanf(f, \"%%h %%h\", b_%s, x_%s) == 2) begin\n"                  \
                   "      h_%s = mr_%s_unpack(b_%s);\n      n = n + 1;\n",                         \
                8 * n - 1, #l, #l, #l, #l, #l, #l, #l, #l, #l, #l, #l);
#define MR_FIELD(l, name, bits, text)                                                              \
        fprintf(o, "      if (h_%s.%s !== x_%s[%u:%u]) bad = bad + 1;\n", #l, sv(#name), #l,       \
                at + bits - 1, at);                                                                \
        at += bits;
#define MR_END(l)                                                                                  \
        fprintf(o, "      if (mr_%s_pack(h_%s) !== b_%s) bad = bad + 1;\n    end\n"                \
                   "    $fclose(f);\n  endtask\n", #l, #l, #l);                                    \
        (void)n;                                                                                   \
    }
#include "wire.def"
#include "host.def"
#undef MR_LAYOUT
#undef MR_FIELD
#undef MR_END

#define MR_LAYOUT(l, order, bytes, text)                                                           \
    static void vectors_##l(FILE *o)                                                               \
    {                                                                                              \
        for (unsigned i = 0; i < HEADERS; i++) {                                                   \
            uint8_t m[bytes], x[bytes] = {};                                                       \
            test_random_bytes(m, bytes);                                                           \
            struct mr_##l h = mr_##l##_get(m);                                                     \
            unsigned at = 0;
#define MR_FIELD(l, name, bits, text)                                                              \
            for (unsigned j = 0; j < bits; j++, at++)                                              \
                x[at / 8] |= (uint8_t)((unsigned)((h.name >> j) & 1) << at % 8);
#define MR_END(l)                                                                                  \
            hex(o, m, sizeof m);                                                                   \
            fputc(' ', o);                                                                         \
            hex(o, x, sizeof x);                                                                   \
            fputc('\n', o);                                                                        \
        }                                                                                          \
    }
#include "wire.def"
#include "host.def"
#undef MR_LAYOUT
#undef MR_FIELD
#undef MR_END

static FILE *open_in_dir(const char *name, const char *ext)
{
    char path[600];
    snprintf(path, sizeof path, "%s/sv/%s%s", test_dir, name, ext);
    return fopen(path, "w");
}

static unsigned write_bench(void)
{
    unsigned layouts = 0;
    FILE *o = open_in_dir("agree", ".sv");
    if (o == NULL)
        return 0;
    fputs("`include \"mr_defs.svh\"\nmodule agree;\n  import mr_defs_pkg::*;\n"
          "  integer f, n, bad;\n  reg [8*256-1:0] dir;\n", o);
#define MR_FIELD(l, name, bits, text)
#define MR_END(l)
#define MR_LAYOUT(l, order, bytes, text) bench_##l(o); layouts++;
#include "wire.def"
#include "host.def"
#undef MR_LAYOUT
    fputs("  initial begin\n    n = 0;\n    bad = 0;\n"
          "    if (!$value$plusargs(\"dir=%s\", dir)) $finish;\n", o);
#define MR_LAYOUT(l, order, bytes, text) fprintf(o, "    run_%s;\n", #l);
#include "wire.def"
#include "host.def"
#undef MR_LAYOUT
    fputs("    $display(\"agree %0d bad %0d\", n, bad);\n    $finish;\n  end\nendmodule\n", o);
    fclose(o);
#define MR_LAYOUT(l, order, bytes, text)                                                           \
    if ((o = open_in_dir(#l, ".hex")) == NULL)                                                     \
        return 0;                                                                                  \
    vectors_##l(o);                                                                                \
    fclose(o);
#include "wire.def"
#include "host.def"
#undef MR_LAYOUT
    return layouts;
}

static void sv__agrees_with_c(void)
{
    if (!test_have("iverilog")) {
        test_skip("no iverilog");
        return;
    }
    CU_ASSERT_EQUAL_FATAL(test_run("mkdir -p %s/sv", test_dir), 0);
    unsigned layouts = write_bench();
    CU_ASSERT_FATAL(layouts >= 18);
    CU_ASSERT_EQUAL_FATAL(test_run("iverilog -g2012 -I%s/../../gen -o %s/sv/agree.vvp %s/sv/agree.sv",
                                   test_dir, test_dir, test_dir), 0);
    CU_ASSERT_EQUAL(test_run("vvp -n %s/sv/agree.vvp +dir=%s/sv >%s/sv/agree.log", test_dir,
                             test_dir, test_dir), 0);
    CU_ASSERT_EQUAL(test_run("grep -qx 'agree %u bad 0' %s/sv/agree.log || "
                             "{ cat %s/sv/agree.log; false; }", layouts * HEADERS, test_dir,
                             test_dir), 0);
}

static void sv__lints(void)
{
    if (!test_have("verilator")) {
        test_skip("no verilator");
        return;
    }
    CU_ASSERT_EQUAL(test_run("verilator --lint-only -Wall -I%s/../../gen tests/defs/uses_pkg.sv",
                             test_dir), 0);
}

static void sv__yosys_reads(void)
{
    if (!test_have("yosys")) {
        test_skip("no yosys");
        return;
    }
    CU_ASSERT_EQUAL(test_run("yosys -q -p 'read_verilog -sv -I%s/../../gen "
                             "tests/defs/uses_pkg.sv; synth -top uses_pkg' >%s/yosys.log 2>&1",
                             test_dir, test_dir), 0);
}

void add_sv(void)
{
    CU_pSuite s = CU_add_suite("sv", NULL, NULL);
    ADD(s, sv__lints);
    ADD(s, sv__yosys_reads);
    ADD(s, sv__agrees_with_c);
}
