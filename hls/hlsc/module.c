// SPDX-License-Identifier: BSD-2-Clause
/* module.c - the Verilog module: ports, output FIFOs, the trace hook. */
#include "verilog.h"

#include <stdlib.h>
#include <string.h>

/** Width of what a port carries. */
static uint32_t data_width(const struct lay *f)
{
    const struct lay *d = f->port == P_IN || f->port == P_OUT ? lay_field(f, "data") : f;
    return (uint32_t)lay_width(d);
}

/** First slot of a port with that role; slots of a port are neighbours, data in declaration order. */
static uint32_t slot_of(const struct lay *f, enum slot_role role)
{
    for (uint32_t s = 0; s < slots; s++)
        if (slot[s].top == f && slot[s].role == role)
            return s;
    die(f->loc, "port '%s' is empty", f->name);
}

static void print_ports(struct text *t, const struct lay *root)
{
    put(t, "    input  wire clk_i,\n    input  wire rst_ni");
    for (uint32_t i = 0; i < root->fields; i++) {
        const struct lay *f = &root->field[i];
        if (!f->port)
            continue;
        const char *r = range_of(data_width(f)), *n = f->name;
        put(t, ",\n    // %s\n", f->decl);
        if (f->port == P_IN)
            put(t, "    input  wire %s%s_data_i,\n    input  wire %s_valid_i,\n    output wire %s_ready_o", r, n, n, n);
        else if (f->port == P_OUT)
            put(t, "    output wire %s%s_data_o,\n    output wire %s_valid_o,\n    input  wire %s_ready_i", r, n, n, n);
        else if (f->port == P_CFG)
            put(t, "    input  wire %s%s_i", r, n);
        else
            put(t, "    output wire %s%s_o", r, n);
    }
    put(t, "\n");
}

static void reserve_names(const struct lay *root)
{
    static const char *const suffix[] = {"_data_i", "_data_o", "_valid_i", "_valid_o", "_ready_i", "_ready_o",
                                         "_i", "_o", "_valid", "_ready", "_data", "_fifo"};
    for (uint32_t i = 0; i < root->fields; i++)
        for (size_t k = 0; root->field[i].port && k < sizeof suffix / sizeof *suffix; k++)
            expr_name(fmt("%s%s", root->field[i].name, suffix[k]));
    expr_name(root->name);
    expr_name("mr_trace_in");
    expr_name("mr_trace_out");
}

/** Leaves of an input: the pins themselves, or named parts of them. */
static void bind_inputs(struct text *t)
{
    for (uint32_t s = 0; s < slots; s++) {
        struct slot *v = &slot[s];
        const char *top = v->top ? v->top->name : "";
        if (v->port == P_IN && v->role == ROLE_VALID)
            expr_bind(v->init, fmt("%s_valid_i", top));
        if (v->port == P_OUT && v->role == ROLE_READY)
            expr_bind(v->init, fmt("%s_ready", top));
        if (!(v->port == P_IN && v->role == ROLE_DATA) && v->port != P_CFG)
            continue;
        const char *pin = fmt(v->port == P_CFG ? "%s_i" : "%s_data_i", top);
        uint32_t w = data_width(v->top);
        if (w == v->width) {
            expr_bind(v->init, pin);
        } else if (expr_used(v->init)) {
            const char *n = expr_name(v->name);
            expr_bind(v->init, n);
            if (v->width == 1)
                put(t, "    wire %s = %s[%u];\n", n, pin, v->pin_lo);
            else
                put(t, "    wire %s%s = %s[%u:%u];\n", range_of(v->width), n, pin, v->pin_lo + v->width - 1, v->pin_lo);
        }
    }
}

/** The leaves of a port, most significant first, in one concatenation. */
static const char *packed(const struct lay *f, enum slot_role role, bool initial)
{
    struct text t = {};
    uint32_t first = slot_of(f, role), n = 0;
    while (first + n < slots && slot[first + n].top == f && slot[first + n].role == role)
        n++;
    for (uint32_t i = n; i-- > 0;) {
        uint32_t s = first + i;
        const char *e = expr_of(initial ? slot[s].init : reg[s].next);
        put(&t, "%s%s%s", e, i ? "," : "", i ? (t.n % 100 > 80 ? "\n        " : " ") : "");
    }
    return n > 1 ? fmt("{%s}", t.s) : t.s;
}

static void print_port_logic(struct text *t, const struct lay *f)
{
    const char *n = f->name;
    uint32_t w = data_width(f);
    if (f->port == P_IN) {
        const char *e = expr_of(reg[slot_of(f, ROLE_READY)].next);
        put(t, "    assign %s_ready_o = %s;\n", n, e);
    } else if (f->port == P_OUT) {
        const char *d = packed(f, ROLE_DATA, false), *v = expr_of(reg[slot_of(f, ROLE_VALID)].next);
        put(t, "    assign %s_data = %s;\n    assign %s_valid = %s;\n", n, d, n, v);
        put(t, "    mr_skid #(.W(%u)) %s_fifo (\n        .clk_i(clk_i), .rst_ni(rst_ni),\n", w, n);
        put(t, "        .data_i(%s_data), .valid_i(%s_valid), .ready_o(%s_ready),\n", n, n, n);
        put(t, "        .data_o(%s_data_o), .valid_o(%s_valid_o), .ready_i(%s_ready_i)\n    );\n", n, n, n);
    } else if (f->port == P_STAT) {
        put(t, "    assign %s_o = %s;\n", n, packed(f, ROLE_REG, true));
    }
}

static void declare_outputs(struct text *t, const struct lay *root)
{
    for (uint32_t i = 0; i < root->fields; i++) {
        const struct lay *f = &root->field[i];
        if (f->port == P_OUT)
            put(t, "    wire %s%s_data;\n    wire %s_valid;\n    wire %s_ready;\n", range_of(data_width(f)), f->name,
                f->name, f->name);
    }
}

/** The pins of the core as two vectors, first port lowest. */
static void print_trace(struct text *t, const struct lay *root)
{
    struct text in = {}, out = {};
    uint32_t wi = 0, wo = 0;
    for (uint32_t i = root->fields; i-- > 0;) {
        const struct lay *f = &root->field[i];
        const char *n = f->name, *ci = in.n ? ", " : "", *co = out.n ? ", " : "";
        uint32_t w = f->port ? data_width(f) : 0;
        if (f->port == P_IN) {
            put(&in, "%s%s_valid_i, %s_data_i", ci, n, n);
            put(&out, "%s%s_ready_o", co, n);
        } else if (f->port == P_OUT) {
            put(&in, "%s%s_ready", ci, n);
            put(&out, "%s%s_valid, %s_valid ? %s_data : %u'd0", co, n, n, n, w);
        } else if (f->port == P_CFG) {
            put(&in, "%s%s_i", ci, n);
        } else if (f->port == P_STAT) {
            put(&out, "%s%s_o", co, n);
        }
        wi += f->port == P_IN ? w + 1 : f->port == P_OUT ? 1 : f->port == P_CFG ? w : 0;
        wo += f->port == P_OUT ? w + 1 : f->port == P_IN ? 1 : f->port == P_STAT ? w : 0;
    }
    if (!wi) {
        put(&in, "1'b0");
        wi = 1;
    }
    if (!wo) {
        put(&out, "1'b0");
        wo = 1;
    }
    put(t, "\n`ifdef MR_TRACE\n    import \"DPI-C\" function void mr_trace_%s(input int id, input bit [%u:0] in_pins,\n"
           "        input bit [%u:0] out_pins);\n", root->name, wi - 1, wo - 1);
    put(t, "    wire [%u:0] mr_trace_in = {%s};\n    wire [%u:0] mr_trace_out = {%s};\n", wi - 1, in.s, wo - 1, out.s);
    put(t, "    always @(posedge clk_i) if (rst_ni) mr_trace_%s(TRACE_ID, mr_trace_in, mr_trace_out);\n`endif\n",
        root->name);
}

void module_print(FILE *f, const struct lay *root, const char *source)
{
    struct text ports = {}, state = {}, inputs = {}, logic = {}, update = {}, trace = {};
    expr_begin();
    reserve_names(root);
    print_ports(&ports, root);
    state_declare(&state);
    bind_inputs(&inputs);
    declare_outputs(&inputs, root);
    for (uint32_t i = 0; i < root->fields; i++)
        print_port_logic(&logic, &root->field[i]);
    state_update(&update);
    print_trace(&trace, root);
    const char *slash = strrchr(source, '/');
    fprintf(f, "// Made by hlsc from %s: do not edit. hls/hlsc/README.md tells how to read it.\n\n",
            slash ? slash + 1 : source);
    // a kernel may ignore parts of a port, of a register or of a TRACE_ID
    fprintf(f, "/* verilator lint_off DECLFILENAME */\n/* verilator lint_off UNUSEDSIGNAL */\n"
               "/* verilator lint_off UNUSEDPARAM */\n");
    fprintf(f, "module %s #(\n    parameter integer TRACE_ID = 0\n) (\n%s);\n", root->name, ports.s);
    fprintf(f, "%s%s\n", count_functions.n ? count_functions.s : "", state.n ? state.s : "");
    fprintf(f, "%s\n%s\n", inputs.n ? inputs.s : "", expr_body.n ? expr_body.s : "");
    fprintf(f, "%s\n%s%s", logic.n ? logic.s : "", update.n ? update.s : "", trace.s);
    fprintf(f, "endmodule\n/* verilator lint_on UNUSEDPARAM */\n/* verilator lint_on UNUSEDSIGNAL */\n"
               "/* verilator lint_on DECLFILENAME */\n");
}
