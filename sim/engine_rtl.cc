// SPDX-License-Identifier: BSD-2-Clause
//
// engine_rtl.cc - the Verilated mr_nic_sim as an engine: pins to sim_io and back,
// nothing else.
//
// A cycle is two evaluations: with the clock low and the models' side set, the
// NIC's ready and valid settle and say what moves; then comes the edge. The
// rules of the buses are checked by hw/sim/axi_assert.sv, not here.
#include "engine.h"

#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "Vmr_nic_sim.h"
#include "trace.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

namespace {

constexpr int reset_cycles = 16;

enum class Reg { idle, address, answer };

struct Rtl {
    explicit Rtl(const std::string &name) : model(&context, name.c_str()) {}

    VerilatedContext context;
    Vmr_nic_sim model;
    sim_trace *trace = nullptr;
#if VM_TRACE
    std::unique_ptr<VerilatedFstC> fst;
#endif
    uint64_t edges = 0; // evaluations; time in the waves is half a cycle each
    Reg reg = Reg::idle;
    bool write = false;
};

void eval(Rtl &r, bool clk)
{
    r.model.clk_i = clk;
    r.context.time(r.edges++ * (SIM_CYCLE_PS / 2));
    sim_trace_select(r.trace);
    r.model.eval();
#if VM_TRACE
    if (r.fst)
        r.fst->dump(r.context.time());
#endif
}

void *rtl_open(const sim_engine_opt *opt)
{
    auto r = std::make_unique<Rtl>("nic" + std::to_string(opt->nic));
#if VM_TRACE
    if (opt->fst) {
        r->context.traceEverOn(true);
        r->fst = std::make_unique<VerilatedFstC>();
        r->model.trace(r->fst.get(), 99);
        r->fst->open(opt->fst);
        if (!r->fst->isOpen())
            return nullptr;
    }
#else
    if (opt->fst) {
        std::fprintf(stderr, "mrsim: no waves in this program: use mrsim-fst\n");
        return nullptr;
    }
#endif
#ifndef MR_TRACE
    if (opt->trace) {
        std::fprintf(stderr, "mrsim: no kernel traces in this program: use mrsim-trace\n");
        return nullptr;
    }
#endif
    if (opt->trace) {
        r->trace = sim_trace_open(opt->trace);
        if (!r->trace)
            return nullptr;
    }
    return r.release();
}

void rtl_close(void *e)
{
    Rtl *r = static_cast<Rtl *>(e);
    r->model.final();
#if VM_TRACE
    if (r->fst)
        r->fst->close();
#endif
    if (sim_trace_close(r->trace))
        std::fprintf(stderr, "mrsim: the trace is incomplete\n");
    delete r;
}

void rtl_reset(void *e)
{
    Rtl &r = *static_cast<Rtl *>(e);
    Vmr_nic_sim &m = r.model;
    m.s_axil_awvalid = m.s_axil_wvalid = m.s_axil_arvalid = 0;
    m.s_axil_bready = m.s_axil_rready = 1;
    m.m_axi_arready = m.m_axi_awready = m.m_axi_wready = 0;
    m.m_axi_rvalid = m.m_axi_bvalid = 0;
    m.m_axis_tready = m.s_axis_tvalid = 0;
    m.rst_ni = 0;
    for (int i = 0; i < reset_cycles; i++) {
        eval(r, false);
        eval(r, true);
    }
    m.rst_ni = 1;
    r.reg = Reg::idle;
    sim_trace_reset(r.trace);
}

void reg_drive(Rtl &r, sim_io *io)
{
    Vmr_nic_sim &m = r.model;
    io->reg_ready = r.reg == Reg::idle && io->reg_valid;
    if (!io->reg_ready)
        return;
    r.reg = Reg::address;
    r.write = io->reg.write;
    m.s_axil_awaddr = m.s_axil_araddr = io->reg.addr;
    m.s_axil_wdata = io->reg.data;
    m.s_axil_wstrb = 0xf;
    m.s_axil_awvalid = m.s_axil_wvalid = r.write;
    m.s_axil_arvalid = !r.write;
}

// Between the evaluations; what was taken is lowered behind the edge.
void reg_sample(Rtl &r, sim_io *io, bool done[3])
{
    Vmr_nic_sim &m = r.model;
    done[0] = m.s_axil_awvalid && m.s_axil_awready;
    done[1] = m.s_axil_wvalid && m.s_axil_wready;
    done[2] = m.s_axil_arvalid && m.s_axil_arready;
    io->rsp_valid = r.reg != Reg::idle && (r.write ? m.s_axil_bvalid : m.s_axil_rvalid);
    if (!io->rsp_valid)
        return;
    io->rsp.data = r.write ? 0 : m.s_axil_rdata;
    io->rsp.err = (r.write ? m.s_axil_bresp : m.s_axil_rresp) != 0;
    r.reg = Reg::idle;
}

void reg_lower(Rtl &r, const bool done[3])
{
    Vmr_nic_sim &m = r.model;
    if (done[0])
        m.s_axil_awvalid = 0;
    if (done[1])
        m.s_axil_wvalid = 0;
    if (done[2])
        m.s_axil_arvalid = 0;
}

void pins_in(Vmr_nic_sim &m, const sim_io *io)
{
    m.m_axi_arready = io->ar_ready;
    m.m_axi_awready = io->aw_ready;
    m.m_axi_wready = io->w_ready;
    m.m_axi_rvalid = io->r_valid;
    if (io->r_valid) {
        std::memcpy(&m.m_axi_rdata, io->r.data, 64);
        m.m_axi_rid = io->r.id;
        m.m_axi_rlast = io->r.last;
        m.m_axi_rresp = io->r.err ? 2 : 0;
    }
    m.m_axi_bvalid = io->b_valid;
    m.m_axi_bid = io->b.id;
    m.m_axi_bresp = io->b.err ? 2 : 0;
    m.m_axis_tready = io->tx_ready;
    m.s_axis_tvalid = io->rx_valid;
    if (io->rx_valid) {
        std::memcpy(&m.s_axis_tdata, io->rx.data, 64);
        m.s_axis_tkeep = ~0ull >> (64 - io->rx.n);
        m.s_axis_tlast = io->rx.last;
        m.s_axis_tuser = io->rx.err;
    }
}

void pins_out(const Vmr_nic_sim &m, sim_io *io)
{
    io->ar_valid = m.m_axi_arvalid;
    io->ar = {m.m_axi_araddr, static_cast<uint16_t>(m.m_axi_arlen + 1), m.m_axi_arid};
    io->r_ready = m.m_axi_rready;
    io->aw_valid = m.m_axi_awvalid;
    io->aw = {m.m_axi_awaddr, static_cast<uint16_t>(m.m_axi_awlen + 1), m.m_axi_awid};
    io->w_valid = m.m_axi_wvalid;
    if (io->w_valid) {
        std::memcpy(io->w.data, &m.m_axi_wdata, 64);
        io->w.keep = m.m_axi_wstrb;
        io->w.last = m.m_axi_wlast;
    }
    io->b_ready = m.m_axi_bready;
    io->tx_valid = m.m_axis_tvalid;
    if (io->tx_valid) {
        std::memcpy(io->tx.data, &m.m_axis_tdata, 64);
        io->tx.n = static_cast<uint8_t>(__builtin_popcountll(m.m_axis_tkeep));
        io->tx.n += io->tx.n == 0; // axis_assert.sv has stopped the run already
        io->tx.last = m.m_axis_tlast;
        io->tx.err = m.m_axis_tuser;
    }
    io->rx_ready = m.s_axis_tready;
    io->irq = m.irq;
}

void rtl_cycle(void *e, uint64_t, sim_io *io)
{
    Rtl &r = *static_cast<Rtl *>(e);
    bool done[3];
    pins_in(r.model, io);
    reg_drive(r, io);
    eval(r, false);
    pins_out(r.model, io);
    reg_sample(r, io, done);
    eval(r, true);
    reg_lower(r, done);
}

} // namespace

extern "C" const sim_engine_ops sim_engine_rtl = {"rtl", rtl_open, rtl_close, rtl_reset, rtl_cycle};
