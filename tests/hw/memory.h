// SPDX-License-Identifier: BSD-2-Clause
// A small AXI4 memory for the benches: random latency, stalls, answers of
// different IDs out of order and interleaved, lines that fail. Call drive()
// before settle() and sample() before edge().
#ifndef MR_MEMORY_H
#define MR_MEMORY_H

#include <deque>
#include <vector>

#include "bench.h"

#ifndef MR_MEM_BASE
#define MR_MEM_BASE 0xfffffff0000000ull  // above 32 bits
#endif

struct Memory {
    static constexpr uint64_t BASE = MR_MEM_BASE;  // 4 KiB aligned
    static constexpr size_t SIZE = 1 << 18;

    std::vector<uint8_t> byte = std::vector<uint8_t>(SIZE);
    std::vector<bool> bad = std::vector<bool>(SIZE / 64);  // lines that fail
    unsigned ready_pct = 70, latency = 40;
    bool stuck = false;      // answers nothing
    uint64_t r_beats = 0;

    struct Burst {
        uint64_t line;
        unsigned id, beats;
        uint64_t due;
    };

    explicit Memory(Rng &rng) : rng(rng)
    {
        for (auto &b : byte)
            b = (uint8_t)rng.bits();
    }

    void drive(Dut &d)
    {
        d->m_axi_arready = rng.chance(ready_pct);
        d->m_axi_awready = rng.chance(ready_pct);
        d->m_axi_wready = rng.chance(ready_pct);
        drive_r(d);
        drive_b(d);
    }

    void sample(Dut &d)
    {
        if (d->m_axi_arvalid && d->m_axi_arready)
            r[d->m_axi_arid].push_back(burst(d.cycle, d->m_axi_arid, d->m_axi_araddr, d->m_axi_arlen));
        if (d->m_axi_awvalid && d->m_axi_awready)
            aw.push_back(burst(d.cycle, d->m_axi_awid, d->m_axi_awaddr, d->m_axi_awlen));
        if (d->m_axi_wvalid && d->m_axi_wready) {
            W x;
            memcpy(x.data, &d->m_axi_wdata, 64);
            x.strb = d->m_axi_wstrb;
            x.last = d->m_axi_wlast;
            w.push_back(x);
        }
        if (r_on && d->m_axi_rready) {
            r_on = false;
            r_beats++;
            Burst &b = r[d->m_axi_rid].front();
            b.line++;
            if (--b.beats == 0)
                r[d->m_axi_rid].pop_front();
        }
        if (b_on && d->m_axi_bready) {
            b_on = false;
            done[d->m_axi_bid].pop_front();
        }
        write();
    }

    /** Index of an address's byte; the bench never leaves the memory. */
    static size_t at(uint64_t addr)
    {
        if (addr < BASE || addr >= BASE + SIZE) {
            fprintf(stderr, "memory: address 0x%llx\n", (unsigned long long)addr);
            abort();
        }
        return addr - BASE;
    }

  private:
    struct W {
        uint8_t data[64];
        uint64_t strb;
        bool last;
    };
    struct Done {
        bool err;
        uint64_t due;
    };
    Rng &rng;
    std::deque<Burst> r[4], aw;
    std::deque<W> w;
    std::deque<Done> done[4];
    bool r_on = false, b_on = false;

    Burst burst(uint64_t now, unsigned id, uint64_t addr, unsigned len)
    {
        return {at(addr) / 64, id, len + 1, now + 1 + (latency ? rng.below(latency) : 0)};
    }

    void drive_r(Dut &d)
    {
        unsigned id = rng.below(4);
        if (!r_on && !stuck && rng.chance(ready_pct)) {
            for (unsigned k = 0; k < 4 && !r_on; k++, id = (id + 1) & 3) {
                if (r[id].empty() || r[id].front().due > d.cycle)
                    continue;
                Burst &b = r[id].front();
                memcpy(&d->m_axi_rdata, &byte[b.line * 64], 64);
                d->m_axi_rid = id;
                d->m_axi_rlast = b.beats == 1;
                d->m_axi_rresp = bad[b.line] ? 2 : 0;
                r_on = true;
            }
        }
        d->m_axi_rvalid = r_on;
    }

    void drive_b(Dut &d)
    {
        unsigned id = rng.below(4);
        if (!b_on && !stuck && rng.chance(ready_pct)) {
            for (unsigned k = 0; k < 4 && !b_on; k++, id = (id + 1) & 3) {
                if (done[id].empty() || done[id].front().due > d.cycle)
                    continue;
                d->m_axi_bid = id;
                d->m_axi_bresp = done[id].front().err ? 3 : 0;
                b_on = true;
            }
        }
        d->m_axi_bvalid = b_on;
    }

    /** Carries out the oldest burst once all its beats are here. */
    void write()
    {
        if (aw.empty() || w.size() < aw.front().beats)
            return;
        Burst b = aw.front();
        bool err = false;
        aw.pop_front();
        for (unsigned k = 0; k < b.beats; k++, b.line++) {
            W x = w.front();
            w.pop_front();
            if (bad[b.line]) {
                err = true;
                continue;
            }
            for (int i = 0; i < 64; i++)
                if (x.strb >> i & 1)
                    byte[b.line * 64 + i] = x.data[i];
        }
        done[b.id].push_back({err, b.due});
    }
};

#endif
