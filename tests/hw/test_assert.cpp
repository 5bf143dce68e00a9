// SPDX-License-Identifier: BSD-2-Clause
// axi_assert: seeded violations are caught, correct traffic is not.
#include "bench.h"

struct Bench {
    Dut d;
    Bench()
    {
        idle();
        d.reset();
        d.clock(2);
        CU_ASSERT_FATAL(!bench_stopped);
    }
    /** Nothing on any channel; shapes that are legal. */
    void idle()
    {
        d->s_axil_awvalid = d->s_axil_wvalid = d->s_axil_bvalid = 0;
        d->s_axil_arvalid = d->s_axil_rvalid = 0;
        d->m_axi_arvalid = d->m_axi_rvalid = d->m_axi_awvalid = d->m_axi_wvalid = 0;
        d->m_axi_bvalid = d->m_axis_tvalid = d->s_axis_tvalid = 0;
        d->m_axi_arready = d->m_axi_awready = d->m_axi_wready = d->m_axi_rready = 1;
        d->m_axi_bready = d->m_axis_tready = d->s_axis_tready = 1;
        d->s_axil_awready = d->s_axil_wready = d->s_axil_bready = 1;
        d->s_axil_arready = d->s_axil_rready = 1;
        d->m_axi_arsize = d->m_axi_awsize = 6;
        d->m_axi_arburst = d->m_axi_awburst = 1;
        d->m_axi_arlen = d->m_axi_awlen = 0;
        d->m_axi_araddr = d->m_axi_awaddr = 0x1000;
        d->m_axi_arid = d->m_axi_awid = d->m_axi_rid = d->m_axi_bid = 1;
        d->m_axi_rlast = d->m_axi_wlast = 0;
        d->m_axis_tkeep = d->s_axis_tkeep = ~0ull;
        d->m_axis_tlast = d->s_axis_tlast = d->m_axis_tuser = d->s_axis_tuser = 0;
    }
    /** One cycle; true when it was clean. */
    bool ok()
    {
        d.clock();
        return !bench_stopped;
    }
    void ar(uint64_t addr, int len)
    {
        d->m_axi_arvalid = 1;
        d->m_axi_araddr = addr;
        d->m_axi_arlen = len;
        CU_ASSERT(ok());
        d->m_axi_arvalid = 0;
    }
    void aw(int len)
    {
        d->m_axi_awvalid = 1;
        d->m_axi_awlen = len;
        CU_ASSERT(ok());
        d->m_axi_awvalid = 0;
    }
    bool w(bool last)
    {
        d->m_axi_wvalid = 1;
        d->m_axi_wlast = last;
        bool clean = ok();
        d->m_axi_wvalid = 0;
        return clean;
    }
    bool r(bool last)
    {
        d->m_axi_rvalid = 1;
        d->m_axi_rlast = last;
        bool clean = ok();
        d->m_axi_rvalid = 0;
        return clean;
    }
    bool b()
    {
        d->m_axi_bvalid = 1;
        bool clean = ok();
        d->m_axi_bvalid = 0;
        return clean;
    }
};

static void axi__clean()
{
    Bench t;
    t.ar(0x1fc0, 0);
    t.ar(0x1000, 63);
    CU_ASSERT(t.r(true));
    for (int k = 0; k < 64; k++)
        CU_ASSERT(t.r(k == 63));
    t.aw(1);
    CU_ASSERT(t.w(false) && t.w(true) && t.b());
    // W ahead of AW, whole and in part.
    CU_ASSERT(t.w(false) && t.w(true));
    t.aw(1);
    CU_ASSERT(t.b());
    CU_ASSERT(t.w(false));
    t.aw(1);
    CU_ASSERT(t.w(true) && t.b());
}

static void axi__bad_read_answers()
{
    {
        Bench t;
        CU_ASSERT(!t.r(true));  // nobody asked
    }
    {
        Bench t;
        t.ar(0x1000, 0);
        t.d->m_axi_rid = 2;
        CU_ASSERT(!t.r(true));  // another ID asked
    }
    {
        Bench t;
        t.ar(0x1000, 1);
        CU_ASSERT(!t.r(true));  // too short
    }
    {
        Bench t;
        t.ar(0x1000, 0);
        CU_ASSERT(!t.r(false));  // too long
    }
}

static void axi__bad_shape()
{
    for (int k = 0; k < 6; k++) {
        Bench t;
        t.d->m_axi_araddr = t.d->m_axi_awaddr = 0x1f80;
        t.d->m_axi_arlen = t.d->m_axi_awlen = k < 2 ? 2 : 1;
        if (k == 2)
            t.d->m_axi_arsize = 5;
        if (k == 3)
            t.d->m_axi_awburst = 0;
        (k & 1 ? t.d->m_axi_awvalid : t.d->m_axi_arvalid) = 1;
        CU_ASSERT(t.ok() == (k > 3));
    }
}

static void axi__bad_write_data()
{
    {
        Bench t;
        t.aw(1);
        CU_ASSERT(!t.w(true));  // too short
    }
    {
        Bench t;
        t.aw(0);
        CU_ASSERT(!t.w(false));  // too long
    }
    for (int n = 0; n < 2; n++) {  // ahead of AW, whole or under way
        Bench t;
        CU_ASSERT(t.w(false) && t.w(n == 0));
        t.d->m_axi_awvalid = 1;
        t.d->m_axi_awlen = n == 0 ? 2 : 0;
        CU_ASSERT(!t.ok());
    }
}

static void axi__bad_write_answers()
{
    {
        Bench t;
        CU_ASSERT(!t.b());
    }
    {
        Bench t;
        t.aw(0);
        CU_ASSERT(!t.b());  // before the data
    }
    {
        Bench t;
        t.aw(0);
        CU_ASSERT(t.w(true) && t.b());
        CU_ASSERT(!t.b());  // twice
    }
}

static void axi__bad_missing_data()
{
    Bench t;
    t.aw(0);
    t.d.clock(99000);
    CU_ASSERT(!bench_stopped);
    for (int c = 0; c < 2000 && !bench_stopped; c++)
        t.d.clock();
    CU_ASSERT(bench_stopped);
}

/** Offers withdrawn or changed, on every channel that has them. */
static void any__bad_unstable()
{
    for (int how = 0; how < 2; how++) {
        for (int ch = 0; ch < 9; ch++) {
            Bench t;
            Vtop &p = *t.d.top;
            CData *valid[9] = {&p.m_axi_arvalid, &p.m_axi_awvalid, &p.m_axi_wvalid,
                               &p.s_axil_awvalid, &p.s_axil_wvalid, &p.s_axil_arvalid,
                               &p.m_axis_tvalid, &p.s_axis_tvalid, &p.m_axi_rvalid};
            CData *ready[9] = {&p.m_axi_arready, &p.m_axi_awready, &p.m_axi_wready,
                               &p.s_axil_awready, &p.s_axil_wready, &p.s_axil_arready,
                               &p.m_axis_tready, &p.s_axis_tready, &p.m_axi_rready};
            if (ch == 8)
                t.ar(0x1000, 0);
            p.m_axi_rlast = 1;
            *ready[ch] = 0;
            *valid[ch] = 1;
            CU_ASSERT(t.ok() && t.ok());
            if (how == 0)
                *valid[ch] = 0;
            p.m_axi_araddr ^= 0x40;
            p.m_axi_awaddr ^= 0x40;
            p.m_axi_wdata[15] ^= 1;
            p.s_axil_awaddr ^= 4;
            p.s_axil_wdata ^= 1;
            p.s_axil_araddr ^= 4;
            p.m_axis_tdata[0] ^= 1;
            p.s_axis_tdata[7] ^= 1;
            p.m_axi_rdata[3] ^= 1;
            CU_ASSERT(!t.ok());
        }
    }
}

static void any__bad_valid_in_reset()
{
    Bench t;
    t.d->rst_ni = 0;
    t.d.clock(3);
    t.d->m_axi_arvalid = 1;
    CU_ASSERT(t.ok());
    t.d.clock(4);
    CU_ASSERT(bench_stopped);
}

static void axil__bad_answers()
{
    for (int k = 0; k < 3; k++) {
        Bench t;
        t.d->s_axil_awvalid = k == 1;   // an address alone is no write
        CU_ASSERT(t.ok());
        t.d->s_axil_awvalid = 0;
        (k == 2 ? t.d->s_axil_rvalid : t.d->s_axil_bvalid) = 1;
        CU_ASSERT(!t.ok());
    }
}

static void axis__bad_frames()
{
    const struct { uint64_t keep; int last, user, ok; } row[] = {
        {~0ull, 0, 0, 1}, {1, 1, 0, 1},  {~0ull, 1, 1, 1}, {~0ull >> 1, 0, 0, 0},
        {5, 1, 0, 0},     {0, 1, 0, 0},  {2, 1, 0, 0},     {~0ull, 0, 1, 0},
    };
    for (auto &x : row) {
        Bench t;
        t.d->m_axis_tvalid = 1;
        t.d->m_axis_tkeep = x.keep;
        t.d->m_axis_tlast = x.last;
        t.d->m_axis_tuser = x.user;
        CU_ASSERT(t.ok() == !!x.ok);
    }
}

BENCH("assert", {"axi__clean", axi__clean}, {"axi__bad_read_answers", axi__bad_read_answers},
      {"axi__bad_shape", axi__bad_shape}, {"axi__bad_write_data", axi__bad_write_data},
      {"axi__bad_write_answers", axi__bad_write_answers},
      {"axi__bad_missing_data", axi__bad_missing_data}, {"any__bad_unstable", any__bad_unstable},
      {"any__bad_valid_in_reset", any__bad_valid_in_reset},
      {"axil__bad_answers", axil__bad_answers}, {"axis__bad_frames", axis__bad_frames})
