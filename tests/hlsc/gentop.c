// SPDX-License-Identifier: BSD-2-Clause
/*
 * gentop.c - prints what joins a batch of kernels to Verilator:
 * `gentop top.v pins.inc`.
 */
#include "lockstep.h"
#include "port.h"

#include <stdio.h>

static void print_range(FILE *f, const char *vec, const char *name, unsigned lo, unsigned w)
{
    fprintf(f, "%s_%s[%u:%u]", vec, name, lo + w - 1, lo);
}

static void print_pin(FILE *f, const char *pin, const char *suffix, const char *vec, const char *name, unsigned lo,
                      unsigned w)
{
    fprintf(f, ",\n        .%s%s(", pin, suffix);
    print_range(f, vec, name, lo, w);
    fprintf(f, ")");
}

static void print_instance(FILE *f, const struct kut *k)
{
    fprintf(f, "    %s u_%s (\n        .clk_i(clk_i), .rst_ni(rst_q)", k->name, k->name);
    for (const struct hlsc_port *p = k->ports; p->name; p++) {
        if (p->kind == 'i') {
            print_pin(f, p->name, "_data_i", "q", k->name, p->in_lo, p->width);
            print_pin(f, p->name, "_valid_i", "q", k->name, p->in_lo + p->width, 1);
            print_pin(f, p->name, "_ready_o", "out", k->name, p->out_lo, 1);
        } else if (p->kind == 'o') {
            print_pin(f, p->name, "_data_o", "out", k->name, p->out_lo, p->width);
            print_pin(f, p->name, "_valid_o", "out", k->name, p->out_lo + p->width, 1);
            print_pin(f, p->name, "_ready_i", "q", k->name, p->in_lo, 1);
        } else if (p->kind == 'c') {
            print_pin(f, p->name, "_i", "q", k->name, p->in_lo, p->width);
        } else {
            print_pin(f, p->name, "_o", "out", k->name, p->out_lo, p->width);
        }
    }
    fprintf(f, "\n    );\n");
}

int main(int argc, char **argv)
{
    FILE *top = argc == 3 ? fopen(argv[1], "w") : nullptr, *inc = argc == 3 ? fopen(argv[2], "w") : nullptr;
    if (!top || !inc)
        return 2;
    fprintf(top, "/* verilator lint_off UNDRIVEN */ // pin vectors are filled up to whole words\nmodule top (\n    input wire clk_i,\n    input wire rst_ni");
    for (int i = 0; kuts[i]; i++) {
        const struct kut *k = kuts[i];
        fprintf(top, ",\n    input wire [%u:0] in_%s,\n    output wire [%u:0] out_%s", pin_words(k->in_bits) * 32 - 1,
                k->name, pin_words(k->out_bits) * 32 - 1, k->name);
        fprintf(inc, "PINS(%s)\n", k->name);
    }
    fprintf(top, "\n);\n");
    // registered, so that the logic behind is evaluated once a cycle and printed once by Verilator
    fprintf(top, "    reg rst_q;\n    always @(posedge clk_i) rst_q <= rst_ni;\n");
    for (int i = 0; kuts[i]; i++)
        fprintf(top, "    reg [%u:0] q_%s;\n    always @(posedge clk_i) q_%s <= in_%s;\n",
                pin_words(kuts[i]->in_bits) * 32 - 1, kuts[i]->name, kuts[i]->name, kuts[i]->name);
    for (int i = 0; kuts[i]; i++)
        print_instance(top, kuts[i]);
    fprintf(top, "endmodule\n/* verilator lint_on UNDRIVEN */\n");
    return fclose(top) || fclose(inc);
}
