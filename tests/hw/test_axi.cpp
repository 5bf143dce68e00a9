// SPDX-License-Identifier: BSD-2-Clause
#include <functional>

#include "memory.h"

struct Req {
    uint64_t addr;
    unsigned len;
};

/** One channel of reads: requests go in, beats are compared with the memory. */
struct ReadChannel {
    std::deque<Req> todo, open;
    unsigned ready_pct = 70, beat = 0, done = 0, errors = 0;

    void drive(Dut &d, int c, Rng &rng)
    {
        d->rd_valid[c] = !todo.empty();
        if (!todo.empty()) {
            d->rd_addr[c] = todo.front().addr;
            d->rd_len[c] = todo.front().len;
        }
        d->rb_ready[c] = rng.chance(ready_pct);
    }

    void sample(Dut &d, int c, const Memory &m)
    {
        if (d->rb_valid[c] && d->rb_ready[c]) {
            CU_ASSERT_FATAL(!open.empty());
            Req q = open.front();
            uint64_t line = Memory::at(q.addr) / 64, end = (Memory::at(q.addr) + q.len - 1) / 64;
            bool last = line + beat == end, err = false;
            CU_ASSERT_FATAL(memcmp(&d->rb_data[c], &m.byte[(line + beat) * 64], 64) == 0);
            CU_ASSERT_FATAL(d->rb_last[c] == last);
            for (uint64_t l = line; last && l <= end; l++)
                err |= m.bad[l];
            CU_ASSERT_FATAL(d->rb_err[c] == err);
            beat++;
            if (last) {
                open.pop_front();
                beat = 0;
                done++;
                errors += err;
            }
        }
        if (d->rd_valid[c] && d->rd_ready[c]) {
            open.push_back(todo.front());
            todo.pop_front();
        }
    }
};

/** One channel of writes: random bytes go in, `want` is what memory must hold. */
struct WriteChannel {
    std::deque<Req> todo, feed, open;
    unsigned ready_pct = 70, beat_pct = 70, beat = 0, done = 0, errors = 0;
    uint8_t data[64];
    bool offered = false;

    void drive(Dut &d, int c, Rng &rng)
    {
        d->wr_valid[c] = !todo.empty();
        if (!todo.empty()) {
            d->wr_addr[c] = todo.front().addr;
            d->wr_len[c] = todo.front().len;
        }
        if (!offered && !feed.empty() && rng.chance(beat_pct)) {
            Req q = feed.front();
            uint64_t line = q.addr / 64 + beat, end = q.addr + q.len;
            uint64_t keep = 0;
            for (int i = 0; i < 64; i++) {
                uint64_t a = line * 64 + i;
                if (a >= q.addr && a < end)
                    keep |= 1ull << i;
                data[i] = (uint8_t)rng.bits();
            }
            memcpy(&d->wb_data[c], data, 64);
            d->wb_keep[c] = keep;
            d->wb_last[c] = line == (end - 1) / 64;
            offered = true;
        }
        d->wb_valid[c] = offered;
        d->wd_ready[c] = rng.chance(ready_pct);
    }

    void sample(Dut &d, int c, const Memory &m, std::vector<uint8_t> &want)
    {
        if (d->wb_valid[c] && d->wb_ready[c]) {
            Req q = feed.front();
            size_t line = Memory::at(q.addr) / 64 + beat;
            for (int i = 0; !m.bad[line] && i < 64; i++)
                if (d->wb_keep[c] >> i & 1)
                    want[line * 64 + i] = data[i];
            offered = false;
            beat = d->wb_last[c] ? 0 : beat + 1;
            if (d->wb_last[c])
                feed.pop_front();
        }
        if (d->wd_valid[c] && d->wd_ready[c]) {
            CU_ASSERT_FATAL(!open.empty());
            Req q = open.front();
            bool err = false;
            for (size_t l = Memory::at(q.addr) / 64; l <= (Memory::at(q.addr) + q.len - 1) / 64; l++)
                err |= m.bad[l];
            CU_ASSERT_FATAL(d->wd_err[c] == err);
            open.pop_front();
            done++;
            errors += err;
        }
        if (d->wr_valid[c] && d->wr_ready[c]) {
            open.push_back(todo.front());
            todo.pop_front();
        }
    }
};

struct Bench {
    Dut d;
    Rng rng;
    Memory mem{rng};
    ReadChannel rd[2];
    WriteChannel wr[2];
    std::vector<uint8_t> want = mem.byte;

    Bench()
    {
        for (int c = 0; c < 2; c++)
            d->rd_valid[c] = d->rb_ready[c] = d->wr_valid[c] = d->wb_valid[c] = d->wd_ready[c] = 0;
        d->m_axi_rvalid = d->m_axi_bvalid = 0;
        d.reset();
    }
    /** Channels write to halves of the memory, so that their order does not matter. */
    void write(int c, uint64_t offset, unsigned len)
    {
        Req q = {Memory::BASE + c * Memory::SIZE / 2 + offset, len};
        wr[c].todo.push_back(q);
        wr[c].feed.push_back(q);
    }
    void read(int c, uint64_t offset, unsigned len)
    {
        rd[c].todo.push_back({Memory::BASE + offset, len});
    }
    void cycle()
    {
        mem.drive(d);
        for (int c = 0; c < 2; c++) {
            rd[c].drive(d, c, rng);
            wr[c].drive(d, c, rng);
        }
        d.settle();
        for (int c = 0; c < 2; c++) {
            rd[c].sample(d, c, mem);
            wr[c].sample(d, c, mem, want);
        }
        mem.sample(d);
        d.edge();
        CU_ASSERT_FATAL(!bench_stopped);
    }
    bool idle(int c) const
    {
        return rd[c].todo.empty() && rd[c].open.empty() && wr[c].todo.empty() && wr[c].open.empty();
    }
    void drain(uint64_t cycles_max)
    {
        uint64_t end = d.cycle + cycles_max;
        while (!(idle(0) && idle(1)) && d.cycle < end)
            cycle();
        CU_ASSERT_FATAL(idle(0) && idle(1));
    }
};

/** An offset in `size` bytes with this offset in its line, such that len bytes fit. */
static uint64_t place(Rng &rng, size_t size, unsigned align, unsigned len)
{
    return rng.below((unsigned)(size - len - 64) / 64) * 64ull + align;
}

static void rd__all_alignments_and_lengths()
{
    Bench b;
    for (unsigned len = 1; len <= 4096; len++)
        b.read(len & 1, place(b.rng, Memory::SIZE, b.rng.below(64), len), len);
    for (unsigned align = 0; align < 64; align++)
        for (unsigned len : {1u, 2u, 63u, 64u, 65u, 127u, 128u, 1024u, 1025u, 4032u, 4033u, 4095u, 4096u})
            b.read(align & 1, place(b.rng, Memory::SIZE, align, len), len);
    b.drain(2000000);
    CU_ASSERT_EQUAL(b.rd[0].done + b.rd[1].done, 4096 + 64 * 13);
}

static void rd__page_crossing()
{
    Bench b;
    for (int k = 0; k < 400; k++) {
        unsigned before = 1 + b.rng.below(300), after = 1 + b.rng.below(300);
        b.read(k & 1, 4096 * (1 + b.rng.below(30)) - before, before + after);
    }
    b.drain(200000);
}

static void rd__errors()
{
    Bench b;
    for (int k = 0; k < 200; k++)
        b.mem.bad[b.rng.below(Memory::SIZE / 64)] = true;
    for (int k = 0; k < 500; k++) {
        unsigned len = 1 + b.rng.below(4096);
        b.read(k & 1, place(b.rng, Memory::SIZE, b.rng.below(64), len), len);
    }
    b.drain(400000);
    CU_ASSERT(b.rd[0].errors + b.rd[1].errors > 50);
    CU_ASSERT(b.rd[0].errors + b.rd[1].errors < 450);
}

/** Beats of one channel are not taken: the other one goes on. */
static void rd__channels_do_not_block()
{
    for (int stalled = 0; stalled < 2; stalled++) {
        Bench b;
        b.rd[stalled].ready_pct = 0;
        for (int k = 0; k < 200; k++) {
            b.read(stalled, 64 * k, 4096);
            b.read(!stalled, 64 * k, 700);
        }
        while (!b.idle(!stalled) && b.d.cycle < 40000)
            b.cycle();
        CU_ASSERT(b.idle(!stalled));
        CU_ASSERT(b.rd[stalled].done == 0);
        b.rd[stalled].ready_pct = 100;
        b.drain(100000);
    }
}

static void rd__full_rate()
{
    Bench b;
    b.mem.ready_pct = 100;
    b.mem.latency = 0;
    b.rd[1].ready_pct = 100;
    for (int k = 0; k < 100; k++)
        b.read(1, 4096 * (k % 32), 4096);
    uint64_t from = b.d.cycle;
    b.drain(20000);
    double rate = 6400.0 / (double)(b.d.cycle - from);
    printf("[%.3f beats a cycle] ", rate);
    CU_ASSERT(rate > 0.98);
}

static void wr__all_alignments_and_lengths()
{
    Bench b;
    for (unsigned len = 1; len <= 4096; len += len < 200 ? 1 : 3)
        b.write(len >> 1 & 1, place(b.rng, Memory::SIZE / 2, b.rng.below(64), len), len);
    for (unsigned align = 0; align < 64; align++)
        for (unsigned len : {1u, 63u, 64u, 65u, 128u, 1025u, 4033u, 4096u})
            b.write(align & 1, place(b.rng, Memory::SIZE / 2, align, len), len);
    b.drain(1000000);
    CU_ASSERT(b.mem.byte == b.want);
    CU_ASSERT(b.wr[0].done + b.wr[1].done > 1900);
}

static void wr__errors()
{
    Bench b;
    for (int k = 0; k < 200; k++)
        b.mem.bad[b.rng.below(Memory::SIZE / 64)] = true;
    for (int k = 0; k < 400; k++) {
        unsigned len = 1 + b.rng.below(4096);
        b.write(k & 1, place(b.rng, Memory::SIZE / 2, b.rng.below(64), len), len);
    }
    b.drain(400000);
    CU_ASSERT(b.mem.byte == b.want);
    CU_ASSERT(b.wr[0].errors + b.wr[1].errors > 50);
}

/** A request whose beats do not come, or whose answers are not taken, holds up nobody. */
static void wr__channels_do_not_block()
{
    for (int how = 0; how < 2; how++) {
        Bench b;
        (how ? b.wr[0].ready_pct : b.wr[0].beat_pct) = 0;
        for (int k = 0; k < 100; k++) {
            b.write(0, 4096 * (k % 20), 4096);
            b.write(1, 64 * k, 64);
        }
        while (!b.idle(1) && b.d.cycle < 40000)
            b.cycle();
        CU_ASSERT(b.idle(1));
        CU_ASSERT(b.wr[0].done == 0);
        b.wr[0].beat_pct = b.wr[0].ready_pct = 100;
        b.drain(100000);
        CU_ASSERT(b.mem.byte == b.want);
    }
}

static void wr__full_rate()
{
    Bench b;
    b.mem.ready_pct = b.wr[0].ready_pct = b.wr[0].beat_pct = 100;
    b.mem.latency = 0;
    for (int k = 0; k < 100; k++)
        b.write(0, 4096 * (k % 20), 4096);
    uint64_t from = b.d.cycle;
    b.drain(20000);
    double rate = 6400.0 / (double)(b.d.cycle - from);
    printf("[%.3f beats a cycle] ", rate);
    CU_ASSERT(rate > 0.98);
}

/** Everything at once; a memory that is slow now and then. */
static void both__random()
{
    Bench b;
    for (int k = 0; k < 1500; k++) {
        unsigned len = 1 + b.rng.below(b.rng.chance(50) ? 200 : 4096);
        int c = b.rng.below(2);
        b.write(c, place(b.rng, Memory::SIZE / 4, b.rng.below(64), len), len);
        // Reads stay out of what is written.
        b.read(c, Memory::SIZE / 4 + place(b.rng, Memory::SIZE / 4, b.rng.below(64), len), len);
    }
    for (int k = 0; k < 100; k++) {
        b.mem.ready_pct = 1 + b.rng.below(100);
        b.mem.latency = b.rng.below(300);
        b.mem.stuck = b.rng.chance(20);
        for (int c = 0; c < 2; c++) {
            b.rd[c].ready_pct = b.wr[c].ready_pct = 5 + b.rng.below(95);
            b.wr[c].beat_pct = 5 + b.rng.below(95);
        }
        for (int n = 0; n < 500; n++)
            b.cycle();
    }
    b.mem.stuck = false;
    b.mem.ready_pct = 80;
    b.drain(1000000);
    CU_ASSERT(b.mem.byte == b.want);
}

BENCH("axi", {"rd__all_alignments_and_lengths", rd__all_alignments_and_lengths},
      {"rd__page_crossing", rd__page_crossing}, {"rd__errors", rd__errors},
      {"rd__channels_do_not_block", rd__channels_do_not_block},
      {"rd__full_rate", rd__full_rate},
      {"wr__all_alignments_and_lengths", wr__all_alignments_and_lengths},
      {"wr__errors", wr__errors}, {"wr__channels_do_not_block", wr__channels_do_not_block},
      {"wr__full_rate", wr__full_rate}, {"both__random", both__random})
