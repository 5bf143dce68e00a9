// SPDX-License-Identifier: BSD-2-Clause
// The whole top, with the toy kernels in the core: registers, DMA, frames.
#define MR_MEM_BASE 0x40000000ull  // the toy holds 32 address bits
#include "memory.h"

struct Bench {
    Dut d;
    Rng rng;
    Memory mem{rng};

    Bench()
    {
        d->s_axil_awvalid = d->s_axil_wvalid = d->s_axil_arvalid = 0;
        d->s_axil_bready = d->s_axil_rready = 0;
        d->s_axis_tvalid = d->m_axis_tready = d->m_axi_rvalid = d->m_axi_bvalid = 0;
        d.reset();
    }
    /** One cycle; true when the register access in work was answered. */
    bool cycle()
    {
        mem.drive(d);
        d.settle();
        mem.sample(d);
        bool aw = d->s_axil_awvalid && d->s_axil_awready, w = d->s_axil_wvalid && d->s_axil_wready;
        bool ar = d->s_axil_arvalid && d->s_axil_arready;
        bool done = (d->s_axil_bvalid && d->s_axil_bready) || (d->s_axil_rvalid && d->s_axil_rready);
        resp = d->s_axil_bvalid ? d->s_axil_bresp : d->s_axil_rresp;
        rdata = d->s_axil_rdata;
        d.edge();
        CU_ASSERT_FATAL(!bench_stopped);
        if (aw)
            d->s_axil_awvalid = 0;
        if (w)
            d->s_axil_wvalid = 0;
        if (ar)
            d->s_axil_arvalid = 0;
        return done;
    }
    void finish()
    {
        for (int t = 0; !cycle(); t++)
            CU_ASSERT_FATAL(t < 5000);
        d->s_axil_bready = d->s_axil_rready = 0;
        CU_ASSERT_FATAL(resp == 0);
    }
    void write(unsigned addr, uint32_t data)
    {
        d->s_axil_awaddr = addr;
        d->s_axil_wdata = data;
        d->s_axil_wstrb = 15;
        d->s_axil_awvalid = d->s_axil_wvalid = d->s_axil_bready = 1;
        finish();
    }
    uint32_t read(unsigned addr)
    {
        d->s_axil_araddr = addr;
        d->s_axil_arvalid = d->s_axil_rready = 1;
        finish();
        return rdata;
    }
    int resp = 0;
    uint32_t rdata = 0;
};

static void nic__registers()
{
    Bench b;
    for (int k = 0; k < 200; k++) {
        unsigned a = 4 * b.rng.below(8);
        uint32_t v = (uint32_t)b.rng.bits();
        b.write(a, v);
        CU_ASSERT_FATAL(b.read(a) == v);
    }
    uint32_t now = b.read(0x2c);
    b.d->m_axis_tready = 1;
    for (int k = 0; k < 100; k++)
        b.cycle();
    uint32_t later = b.read(0x2c);
    CU_ASSERT(later > now + 100 && later < now + 200);
}

static void nic__copies()
{
    Bench b;
    auto want = b.mem.byte;
    unsigned n = 60;
    for (unsigned k = 0; k < n; k++) {
        unsigned len = 64 * (1 + b.rng.below(64));
        uint32_t src = 64 * b.rng.below(1000), dst = Memory::SIZE / 2 + 64 * b.rng.below(1000);
        memmove(&want[dst], &want[src], len);
        b.write(0, (uint32_t)Memory::BASE + src);
        b.write(4, (uint32_t)Memory::BASE + dst);
        b.write(8, len);
        b.write(0x20, 0);
        for (int t = 0; b.read(0x24) != k + 1; t++)
            CU_ASSERT_FATAL(t < 200);
    }
    CU_ASSERT(b.mem.byte == want);
}

static void nic__echo()
{
    Bench b;
    Dut &d = b.d;
    unsigned frames = 0, sent = 0, at = 0, len = 1000, pos = 0;
    d->m_axis_tready = 0;
    for (int t = 0; t < 20000 && frames < 100; t++) {
        bool go = t > 10 && sent < 100 && b.rng.chance(30);
        d->s_axis_tvalid = go;
        if (go) {
            unsigned n = std::min(64u, len - at);
            for (unsigned i = 0; i < 64; i++)
                ((uint8_t *)&d->s_axis_tdata)[i] = (uint8_t)(sent + at + i);
            d->s_axis_tkeep = n == 64 ? ~0ull : (1ull << n) - 1;
            d->s_axis_tlast = at + n == len;
            d->s_axis_tuser = 0;
            at = d->s_axis_tlast ? 0 : at + 64;
            sent += d->s_axis_tlast;
        }
        d->m_axis_tready = b.rng.chance(80);
        d.settle();
        if (d->m_axis_tvalid && d->m_axis_tready) {
            for (unsigned i = 0; i < 64 && pos + i < len; i++)
                CU_ASSERT_FATAL(((uint8_t *)&d->m_axis_tdata)[i] == (uint8_t)~(frames + pos + i));
            pos = d->m_axis_tlast ? 0 : pos + 64;
            frames += d->m_axis_tlast;
        }
        b.cycle();
    }
    d->s_axis_tvalid = 0;
    CU_ASSERT_EQUAL(frames, 100);
    CU_ASSERT_EQUAL(b.read(0x28), 100);
    CU_ASSERT_EQUAL(b.read(0x30), 0);
}

/** The MAC does not take frames: the receiver drops whole ones and the NIC lives. */
static void nic__overflow()
{
    Bench b;
    Dut &d = b.d;
    d->m_axis_tready = 0;
    d.clock(10);
    d->s_axis_tkeep = ~0ull;
    d->s_axis_tuser = 0;
    for (int t = 0; t < 2000; t++) {
        d->s_axis_tvalid = 1;
        d->s_axis_tlast = t % 20 == 19;
        b.cycle();
    }
    d->s_axis_tvalid = 0;
    uint32_t drops = b.read(0x30);
    CU_ASSERT(drops > 20 && drops < 100);
    d->m_axis_tready = 1;
    for (int t = 0; t < 2000; t++)
        b.cycle();
    CU_ASSERT_EQUAL(b.read(0x28), 100 - drops);
}

/** Reset in the middle of a copy: the NIC comes back and obeys the protocols. */
static void nic__reset_at_work()
{
    Bench b;
    for (int k = 0; k < 10; k++) {
        b.write(0, (uint32_t)Memory::BASE);
        b.write(4, (uint32_t)Memory::BASE + Memory::SIZE / 2);
        b.write(8, 4096);
        b.write(0x20, 0);
        for (unsigned t = b.rng.below(60); t > 0; t--)
            b.cycle();
        // Memory is reset with the NIC.
        b.d->m_axi_rvalid = b.d->m_axi_bvalid = b.d->m_axi_arready = b.d->m_axi_awready = 0;
        b.d->m_axi_wready = 0;
        b.mem.~Memory();
        new (&b.mem) Memory(b.rng);
        b.d.reset();
        CU_ASSERT_FATAL(!bench_stopped);
        CU_ASSERT_FATAL(b.read(0x24) == 0);
    }
}

BENCH("nic", {"nic__registers", nic__registers}, {"nic__copies", nic__copies},
      {"nic__echo", nic__echo}, {"nic__overflow", nic__overflow},
      {"nic__reset_at_work", nic__reset_at_work})
