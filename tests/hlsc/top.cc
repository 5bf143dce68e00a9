// SPDX-License-Identifier: BSD-2-Clause
// top.cc - the only C++: Verilator's model behind the C functions of lockstep.h.
#include "Vtop.h"
#include "lockstep.h"
#include "verilated.h"

static Vtop *top;

struct pins {
    uint32_t *in, *out;
};
static struct pins pins[] = {
#define PINS(name) {nullptr, nullptr},
#include "pins.inc"
#undef PINS
};

void rtl_open(void)
{
    top = new Vtop;
    struct pins *p = pins;
#define PINS(name) *p++ = {&top->in_##name[0], &top->out_##name[0]};
#include "pins.inc"
#undef PINS
    (void)p;
}

void rtl_reset(int n)
{
    top->rst_ni = n;
}

uint32_t *rtl_in(int kernel)
{
    return pins[kernel].in;
}

const uint32_t *rtl_out(int kernel)
{
    return pins[kernel].out;
}

void rtl_clock(void)
{
    top->clk_i = 1;
    top->eval();
    top->clk_i = 0;
    top->eval();
}

double sc_time_stamp()
{
    return 0;
}
