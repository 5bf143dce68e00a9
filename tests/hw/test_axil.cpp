// SPDX-License-Identifier: BSD-2-Clause
#include <deque>

#include "bench.h"

enum { OKAY = 0, SLVERR = 2 };

/** Registers behind the slave: 64 words that answer after a random while, or never. */
struct Regs {
    uint32_t word[64] = {};
    std::deque<uint32_t> answer;
    unsigned ready_pct = 60, answer_pct = 30, writes = 0;
    bool offered = false;

    void drive(Dut &d, Rng &rng)
    {
        d->req_ready = rng.chance(ready_pct);
        if (!offered && !answer.empty() && rng.chance(answer_pct)) {
            offered = true;
            d->rsp_data = answer.front();
        }
        d->rsp_valid = offered;
    }
    void sample(Dut &d)
    {
        if (d->rsp_valid && d->rsp_ready) {
            answer.pop_front();
            offered = false;
        }
        if (d->req_valid && d->req_ready) {
            bool write = d->req_data & 1;
            unsigned addr = d->req_data >> 1 & 0xffff;
            CU_ASSERT_FATAL(addr % 4 == 0);
            if (write) {
                word[addr / 4 % 64] = (uint32_t)(d->req_data >> 17);
                writes++;
            }
            answer.push_back(write ? 0xdead : word[addr / 4 % 64]);
        }
    }
};

struct Bench {
    Dut d;
    Rng rng;
    Regs regs;

    Bench()
    {
        d->awvalid = d->wvalid = d->arvalid = d->bready = d->rready = 0;
        d->req_ready = d->rsp_valid = 0;
        d.reset();
    }
    void cycle()
    {
        regs.drive(d, rng);
        d.settle();
        regs.sample(d);
        aw = d->awvalid && d->awready;
        w = d->wvalid && d->wready;
        ar = d->arvalid && d->arready;
        b = d->bvalid && d->bready;
        r = d->rvalid && d->rready;
        bresp = d->bresp;
        rresp = d->rresp;
        rdata = d->rdata;
        d.edge();
        CU_ASSERT_FATAL(!bench_stopped);
        if (aw)
            d->awvalid = 0;
        if (w)
            d->wvalid = 0;
        if (ar)
            d->arvalid = 0;
        if (b)
            d->bready = 0;
        if (r)
            d->rready = 0;
    }
    /** Address and data start after random waits of their own. */
    int write(unsigned addr, uint32_t data, unsigned strb = 15)
    {
        unsigned at_a = rng.below(4), at_w = rng.below(4), at_b = rng.below(8);
        for (unsigned t = 0; t < 1000; t++) {
            if (t == at_a) {
                d->awvalid = 1;
                d->awaddr = addr;
            }
            if (t == at_w) {
                d->wvalid = 1;
                d->wdata = data;
                d->wstrb = strb;
            }
            if (t == at_b)
                d->bready = 1;
            cycle();
            if (b)
                return bresp;
        }
        return -1;
    }
    int read(unsigned addr, uint32_t *data)
    {
        unsigned at_r = rng.below(8);
        d->arvalid = 1;
        d->araddr = addr;
        for (unsigned t = 0; t < 1000; t++) {
            if (t == at_r)
                d->rready = 1;
            cycle();
            if (r) {
                *data = rdata;
                return rresp;
            }
        }
        return -1;
    }
    bool aw = false, w = false, ar = false, b = false, r = false;
    int bresp = 0, rresp = 0;
    uint32_t rdata = 0;
};

static void axil__random_accesses()
{
    Bench b;
    uint32_t want[64] = {};
    for (int k = 0; k < 3000; k++) {
        unsigned i = b.rng.below(64);
        uint32_t got = 0;
        if (b.rng.chance(50)) {
            want[i] = (uint32_t)b.rng.bits();
            CU_ASSERT_FATAL(b.write(i * 4, want[i]) == OKAY);
        } else {
            CU_ASSERT_FATAL(b.read(i * 4, &got) == OKAY && got == want[i]);
        }
    }
}

static void axil__bad_strobe()
{
    Bench b;
    uint32_t got = 0;
    CU_ASSERT(b.write(8, 0x1234) == OKAY);
    for (unsigned strb = 0; strb < 15; strb++)
        CU_ASSERT(b.write(8, 0xffff, strb) == SLVERR);
    CU_ASSERT(b.regs.writes == 1);
    CU_ASSERT(b.read(8, &got) == OKAY && got == 0x1234);
}

/** The NIC stops answering, then answers late: no access gets another's answer. */
static void axil__bad_silence()
{
    Bench b;
    uint32_t got = 0;
    for (int i = 0; i < 8; i++)
        CU_ASSERT(b.write(i * 4, 100 + i) == OKAY);
    for (int round = 0; round < 3; round++) {
        b.regs.answer_pct = 0;
        for (int i = 0; i < 20; i++) {
            if (i == 10)
                b.regs.ready_pct = 0;
            CU_ASSERT_FATAL(b.read(4 * (i % 8), &got) == SLVERR && got == 0);
            CU_ASSERT_FATAL(b.write(0x80, i) == SLVERR);
        }
        b.regs.ready_pct = b.regs.answer_pct = 100;
        for (int i = 0; i < 8; i++)
            CU_ASSERT_FATAL(b.read(i * 4, &got) == OKAY && got == 100u + i);
    }
}

/** Reads and writes at once: both go on. */
static void axil__both_ways()
{
    Bench b;
    unsigned reads = 0, writes = 0;
    b.regs.ready_pct = b.regs.answer_pct = 100;
    for (int c = 0; c < 2000; c++) {
        b.d->awvalid = b.d->wvalid = b.d->arvalid = 1;
        b.d->awaddr = b.d->araddr = 4;
        b.d->wstrb = 15;
        b.d->wdata = 7;
        b.d->bready = b.d->rready = 1;
        b.cycle();
        reads += b.r;
        writes += b.b;
    }
    CU_ASSERT(reads > 100 && writes > 100 && abs((int)reads - (int)writes) <= 1);
}

BENCH("axil", {"axil__random_accesses", axil__random_accesses},
      {"axil__bad_strobe", axil__bad_strobe}, {"axil__bad_silence", axil__bad_silence},
      {"axil__both_ways", axil__both_ways})
