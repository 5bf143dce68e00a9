// SPDX-License-Identifier: BSD-2-Clause
#include "mem.h"

#include <errno.h>
#include <string.h>

#include "sim_test.h"

#define BASE 0x10000u
#define SIZE 65536u

static uint8_t host[SIZE];
static unsigned outside; // accesses that the model should not have made

static int host_read(void *ctx, uint64_t addr, void *buf, size_t len)
{
    (void)ctx;
    if (addr < BASE || addr + len > BASE + SIZE) {
        outside++;
        return -EFAULT;
    }
    memcpy(buf, &host[addr - BASE], len);
    return 0;
}

static int host_write(void *ctx, uint64_t addr, const void *buf, size_t len)
{
    (void)ctx;
    if (addr < BASE || addr + len > BASE + SIZE) {
        outside++;
        return -EFAULT;
    }
    memcpy(&host[addr - BASE], buf, len);
    return 0;
}

static const struct sim_mem_ops ops = {host_read, host_write};

struct rig {
    struct sim_mem *m;
    uint64_t cycle;
    struct sim_io io;
};

static struct rig rig_new(const struct sim_mem_cfg *c)
{
    struct rig r = {.m = sim_mem_new(c, 42)};
    CU_ASSERT_PTR_NOT_NULL_FATAL(r.m);
    sim_mem_owner(r.m, &ops, nullptr);
    for (unsigned i = 0; i < SIZE; i++)
        host[i] = (uint8_t)(i * 7 + (i >> 8));
    outside = 0;
    return r;
}

/** Drives; the caller then sets its side of io and calls rig_end. */
static void rig_begin(struct rig *r)
{
    sim_mem_drive(r->m, r->cycle * SIM_CYCLE_NS, &r->io);
    r->io.ar_valid = false;
    r->io.aw_valid = false;
    r->io.w_valid = false;
    r->io.r_ready = true;
    r->io.b_ready = true;
}

static void rig_end(struct rig *r)
{
    sim_mem_take(r->m, r->cycle * SIM_CYCLE_NS, &r->io);
    r->cycle++;
}

static void ask_read(struct rig *r, uint64_t addr, uint16_t beats, uint8_t id)
{
    do {
        rig_begin(r);
        r->io.ar_valid = true;
        r->io.ar = (struct sim_burst){addr, beats, id};
        bool taken = r->io.ar_ready;
        rig_end(r);
        if (taken)
            return;
    } while (r->cycle < 1'000'000);
}

/** Waits for the next read beat; returns its cycle. */
static uint64_t next_beat(struct rig *r)
{
    for (int i = 0; i < 100000; i++) {
        rig_begin(r);
        bool got = r->io.r_valid;
        rig_end(r);
        if (got)
            return r->cycle - 1;
    }
    CU_FAIL_FATAL("no beat");
    return 0;
}

static void write_burst(struct rig *r, uint64_t addr, uint16_t beats, uint8_t id, uint64_t keep, uint8_t fill)
{
    bool aw = true;
    for (uint16_t k = 0; k < beats || aw;) {
        rig_begin(r);
        r->io.aw_valid = aw;
        r->io.aw = (struct sim_burst){addr, beats, id};
        r->io.w_valid = k < beats;
        memset(r->io.w.data, fill, 64);
        r->io.w.keep = keep;
        r->io.w.last = k + 1 == beats;
        aw = aw && !r->io.aw_ready;
        k += r->io.w_valid && r->io.w_ready;
        rig_end(r);
    }
}

static uint64_t next_b(struct rig *r)
{
    for (int i = 0; i < 100000; i++) {
        rig_begin(r);
        bool got = r->io.b_valid;
        rig_end(r);
        if (got)
            return r->cycle - 1;
    }
    CU_FAIL_FATAL("no answer");
    return 0;
}

static void read__latency_and_data(void)
{
    struct sim_mem_cfg c = sim_mem_defaults();
    for (unsigned jitter = 0; jitter <= 200; jitter += 100) {
        c.rd_jitter_ns = jitter;
        struct rig r = rig_new(&c);
        CU_ASSERT_EQUAL(sim_mem_map(r.m, BASE, SIZE), 0);
        for (uint32_t k = 0; k < 20; k++) {
            uint64_t from = r.cycle;
            ask_read(&r, BASE + k * 256, 4, 0);
            uint64_t at = next_beat(&r);
            uint64_t ns = (at - from) * SIM_CYCLE_NS;
            CU_ASSERT(ns >= 600 && ns <= 600 + jitter + SIM_CYCLE_NS);
            for (uint32_t b = 0; b < 4; b++) {
                CU_ASSERT(memcmp(r.io.r.data, &host[k * 256 + b * 64], 64) == 0);
                CU_ASSERT(!r.io.r.err && r.io.r.last == (b == 3));
                if (b < 3)
                    next_beat(&r);
            }
        }
        CU_ASSERT_TRUE(sim_mem_idle(r.m));
        sim_mem_free(r.m);
    }
}

static void read__outstanding_bound(void)
{
    struct sim_mem_cfg c = sim_mem_defaults();
    c.rd_max = 8;
    struct rig r = rig_new(&c);
    sim_mem_map(r.m, BASE, SIZE);
    unsigned asked = 0;
    unsigned got = 0;
    for (int i = 0; i < 20000; i++) {
        rig_begin(&r);
        r.io.ar_valid = asked < 500;
        r.io.ar = (struct sim_burst){BASE + (asked % 64) * 512, 8, (uint8_t)(asked % 4)};
        asked += r.io.ar_valid && r.io.ar_ready;
        got += r.io.r_valid && r.io.r.last;
        CU_ASSERT(asked - got <= 8);
        rig_end(&r);
    }
    CU_ASSERT_EQUAL(got, 500);
    CU_ASSERT_EQUAL(sim_mem_stats(r.m)->rd_peak, 8);
    sim_mem_free(r.m);
}

static void read__bandwidth(void)
{
    static const uint64_t rates[] = {4'000'000'000, 10'000'000'000, 28'000'000'000};
    for (int k = 0; k < 3; k++) {
        struct sim_mem_cfg c = sim_mem_defaults();
        c.rd_rate = rates[k];
        struct rig r = rig_new(&c);
        sim_mem_map(r.m, BASE, SIZE);
        unsigned asked = 0;
        for (int i = 0; i < 50000; i++) {
            rig_begin(&r);
            r.io.ar_valid = true;
            r.io.ar = (struct sim_burst){BASE + (asked % 16) * 4096, 64, (uint8_t)(asked % 4)};
            asked += r.io.ar_ready;
            rig_end(&r);
        }
        double rate = (double)sim_mem_stats(r.m)->rd_beats * 64 / (50000 * 4e-9);
        double due = rates[k] > 16'000'000'000 ? 16e9 : (double)rates[k]; // 64 bytes per cycle at most
        CU_ASSERT(rate > due * 0.985 && rate <= due * 1.001);
        sim_mem_free(r.m);
    }
}

/** In order within an id, with several ids mixed at piece boundaries. */
static void read__order_and_interleave(void)
{
    for (int interleave = 0; interleave < 2; interleave++) {
        struct sim_mem_cfg c = sim_mem_defaults();
        c.interleave = interleave;
        c.rd_jitter_ns = 400;
        struct rig r = rig_new(&c);
        sim_mem_map(r.m, BASE, SIZE);
        for (unsigned k = 0; k < 60; k++)
            ask_read(&r, BASE + k * 1024 + 64, 15, (uint8_t)(k % 3));
        unsigned burst[3] = {0, 1, 2};
        unsigned beat[3] = {};
        unsigned mixed = 0;
        for (unsigned n = 0; n < 60 * 15; n++) {
            next_beat(&r);
            uint8_t id = r.io.r.id;
            CU_ASSERT_FATAL(id < 3);
            CU_ASSERT(memcmp(r.io.r.data, &host[burst[id] * 1024 + 64 + beat[id] * 64], 64) == 0);
            for (int o = 0; o < 3; o++)
                if (o != id && beat[o]) {
                    mixed++;
                    CU_ASSERT_EQUAL(beat[o] % 8, 7); // 448 bytes to the first multiple of 512
                }
            CU_ASSERT_EQUAL(r.io.r.last, beat[id] == 14);
            beat[id] = r.io.r.last ? 0 : beat[id] + 1;
            burst[id] += r.io.r.last ? 3 : 0;
        }
        CU_ASSERT(interleave ? mixed > 20 : mixed == 0);
        sim_mem_free(r.m);
    }
}

static void read__bad_unmapped(void)
{
    struct sim_mem_cfg c = sim_mem_defaults();
    struct rig r = rig_new(&c);
    sim_mem_map(r.m, BASE + 100, 100); // bytes 100 to 199
    ask_read(&r, BASE, 4, 1);
    for (unsigned b = 0; b < 4; b++) {
        next_beat(&r);
        bool err = b == 0; // beats 1 to 3 hold a mapped byte each
        CU_ASSERT_EQUAL(r.io.r.err, err);
        for (unsigned i = 0; i < 64; i++) {
            unsigned at = b * 64 + i;
            CU_ASSERT_EQUAL(r.io.r.data[i], at >= 100 && at < 200 ? host[at] : 0);
        }
    }
    ask_read(&r, BASE + 4096, 1, 1);
    next_beat(&r);
    CU_ASSERT_TRUE(r.io.r.err && r.io.r.last);
    ask_read(&r, 0, 1, 1);
    next_beat(&r);
    CU_ASSERT_TRUE(r.io.r.err);
    CU_ASSERT_EQUAL(outside, 0);
    CU_ASSERT_EQUAL(sim_mem_stats(r.m)->rd_errors, 3);
    sim_mem_free(r.m);
}

static void burst__bad_crosses_4k(void)
{
    struct sim_mem_cfg c = sim_mem_defaults();
    struct rig r = rig_new(&c);
    sim_mem_map(r.m, BASE, SIZE);
    ask_read(&r, BASE + 4096 - 64, 2, 0);
    next_beat(&r);
    CU_ASSERT_TRUE(r.io.r.err);
    next_beat(&r);
    CU_ASSERT_TRUE(r.io.r.err && r.io.r.last);
    write_burst(&r, BASE + 4096 - 64, 2, 0, ~0ull, 0xaa);
    next_b(&r);
    CU_ASSERT_TRUE(r.io.b.err);
    CU_ASSERT_NOT_EQUAL(host[4096], 0xaa);
    write_burst(&r, BASE, 80, 0, ~0ull, 0xaa);
    next_b(&r);
    CU_ASSERT_TRUE(r.io.b.err);
    CU_ASSERT_EQUAL(sim_mem_stats(r.m)->bad_bursts, 3);
    sim_mem_free(r.m);
}

static void write__strobes_and_latency(void)
{
    struct sim_mem_cfg c = sim_mem_defaults();
    struct rig r = rig_new(&c);
    uint8_t before[256];
    sim_mem_map(r.m, BASE, SIZE);
    memcpy(before, host, sizeof before);
    uint64_t keep = 0xff00'0000'0000'00f1;
    write_burst(&r, BASE + 64, 2, 3, keep, 0xaa);
    uint64_t from = r.cycle - 1;
    CU_ASSERT(memcmp(host, before, sizeof before) == 0); // no effect yet
    CU_ASSERT_FALSE(sim_mem_written(r.m));
    uint64_t ns = (next_b(&r) - from) * SIM_CYCLE_NS;
    CU_ASSERT(ns >= 300 && ns <= 400 + SIM_CYCLE_NS);
    CU_ASSERT(r.io.b.id == 3 && !r.io.b.err);
    CU_ASSERT_TRUE(sim_mem_written(r.m));
    CU_ASSERT_FALSE(sim_mem_written(r.m));
    for (unsigned i = 0; i < 256; i++) {
        bool hit = i >= 64 && i < 192 && (keep >> (i % 64) & 1);
        CU_ASSERT_EQUAL(host[i], hit ? 0xaa : before[i]);
    }
    CU_ASSERT_EQUAL(sim_mem_stats(r.m)->wr_bytes, 26);
    sim_mem_free(r.m);
}

static void write__bad_unmapped_touches_nothing(void)
{
    struct sim_mem_cfg c = sim_mem_defaults();
    struct rig r = rig_new(&c);
    uint8_t before[SIZE];
    memcpy(before, host, SIZE);
    sim_mem_map(r.m, BASE, 128 + 63); // the last byte of beat 2 is missing
    write_burst(&r, BASE, 3, 0, ~0ull, 0xaa);
    next_b(&r);
    CU_ASSERT_TRUE(r.io.b.err);
    CU_ASSERT(memcmp(host, before, SIZE) == 0);
    write_burst(&r, BASE, 3, 0, ~0ull >> 1, 0xaa); // and is not enabled: fine
    next_b(&r);
    CU_ASSERT_FALSE(r.io.b.err);
    CU_ASSERT_EQUAL(host[190], 0xaa);
    CU_ASSERT_EQUAL(host[191], before[191]);
    write_burst(&r, BASE + 8192, 1, 0, 0, 0xaa); // no byte at all
    next_b(&r);
    CU_ASSERT_FALSE(r.io.b.err);
    CU_ASSERT_EQUAL(outside, 0);
    CU_ASSERT_EQUAL(sim_mem_unmap(r.m, BASE, 128), -ENOENT);
    CU_ASSERT_EQUAL(sim_mem_unmap(r.m, BASE, 191), 0);
    write_burst(&r, BASE, 1, 0, 1, 0xbb);
    next_b(&r);
    CU_ASSERT_TRUE(r.io.b.err);
    sim_mem_free(r.m);
}

static void write__order_within_id(void)
{
    struct sim_mem_cfg c = sim_mem_defaults();
    c.wr_jitter_ns = 1000;
    c.wr_max = 64;
    struct rig r = rig_new(&c);
    sim_mem_map(r.m, BASE, SIZE);
    uint8_t order[400];
    unsigned n = 0;
    unsigned asked = 0;
    bool aw = false; // answered, data open
    for (int i = 0; i < 20000; i++) {
        rig_begin(&r);
        r.io.aw_valid = !aw && asked < 400;
        r.io.aw = (struct sim_burst){BASE + (asked % 2) * 64, 1, (uint8_t)(asked % 2)};
        r.io.w_valid = aw;
        memset(r.io.w.data, (int)(asked & 0xff), 64);
        r.io.w.keep = 1;
        r.io.w.last = true;
        if (r.io.b_valid)
            order[n++] = r.io.b.id;
        bool wdone = r.io.w_valid && r.io.w_ready;
        aw = wdone ? false : aw || (r.io.aw_valid && r.io.aw_ready);
        rig_end(&r);
        asked += wdone;
    }
    CU_ASSERT_EQUAL_FATAL(n, 400);
    CU_ASSERT_EQUAL(host[0], (uint8_t)398); // the last of each id came last
    CU_ASSERT_EQUAL(host[64], (uint8_t)399);
    unsigned same = 0;
    for (unsigned i = 1; i < n; i++)
        same += order[i] == order[i - 1];
    CU_ASSERT(same > 20); // ids passed each other
    CU_ASSERT(sim_mem_stats(r.m)->wr_peak <= 64);
    sim_mem_free(r.m);
}

static void map__overlaps_and_limits(void)
{
    struct sim_mem_cfg c = sim_mem_defaults();
    struct rig r = rig_new(&c);
    CU_ASSERT_EQUAL(sim_mem_map(r.m, BASE, 0), -EINVAL);
    CU_ASSERT_EQUAL(sim_mem_map(r.m, UINT64_MAX, 2), -EINVAL);
    CU_ASSERT_EQUAL(sim_mem_map(r.m, UINT64_MAX, 1), 0);
    CU_ASSERT_EQUAL(sim_mem_map(r.m, BASE, 64), 0);
    CU_ASSERT_EQUAL(sim_mem_map(r.m, BASE, 64), 0);
    CU_ASSERT_EQUAL(sim_mem_unmap(r.m, BASE, 64), 0);
    write_burst(&r, BASE, 1, 0, ~0ull, 1); // the other one still counts
    next_b(&r);
    CU_ASSERT_FALSE(r.io.b.err);
    unsigned n = 2;
    while (sim_mem_map(r.m, BASE + n * 8, 8) == 0)
        n++;
    CU_ASSERT_EQUAL(n, SIM_MEM_MAPS_MAX);
    sim_mem_free(r.m);
}

static void reset__forgets(void)
{
    struct sim_mem_cfg c = sim_mem_defaults();
    struct rig r = rig_new(&c);
    sim_mem_map(r.m, BASE, SIZE);
    ask_read(&r, BASE, 8, 0);
    write_burst(&r, BASE, 2, 0, ~0ull, 0x55);
    uint8_t was = host[0];
    sim_mem_reset(r.m);
    CU_ASSERT_TRUE(sim_mem_idle(r.m));
    for (int i = 0; i < 1000; i++) {
        rig_begin(&r);
        CU_ASSERT_FALSE(r.io.r_valid || r.io.b_valid);
        rig_end(&r);
    }
    CU_ASSERT_EQUAL(host[0], was);
    ask_read(&r, BASE, 1, 0);
    next_beat(&r);
    CU_ASSERT_TRUE(r.io.r.last);
    sim_mem_free(r.m);
}

void test_mem_add(void)
{
    CU_pSuite s = test_suite("mem");
    test_add(s, "read__latency_and_data", read__latency_and_data);
    test_add(s, "read__outstanding_bound", read__outstanding_bound);
    test_add(s, "read__bandwidth", read__bandwidth);
    test_add(s, "read__order_and_interleave", read__order_and_interleave);
    test_add(s, "read__bad_unmapped", read__bad_unmapped);
    test_add(s, "burst__bad_crosses_4k", burst__bad_crosses_4k);
    test_add(s, "write__strobes_and_latency", write__strobes_and_latency);
    test_add(s, "write__bad_unmapped_touches_nothing", write__bad_unmapped_touches_nothing);
    test_add(s, "write__order_within_id", write__order_within_id);
    test_add(s, "map__overlaps_and_limits", map__overlaps_and_limits);
    test_add(s, "reset__forgets", reset__forgets);
}
