// SPDX-License-Identifier: BSD-2-Clause
#include "core.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine_loopback.h"
#include "sim_test.h"

#define BASE 0x7000'0000'0000u
#define SIZE 16384u

static uint8_t host[SIM_NICS_MAX][SIZE];

static int host_read(void *ctx, uint64_t addr, void *buf, size_t len)
{
    memcpy(buf, (uint8_t *)ctx + (addr - BASE), len);
    return 0;
}

static int host_write(void *ctx, uint64_t addr, const void *buf, size_t len)
{
    memcpy((uint8_t *)ctx + (addr - BASE), buf, len);
    return 0;
}

static const struct sim_mem_ops ops = {host_read, host_write};

static struct sim_cfg cfg_make(uint32_t nics)
{
    struct sim_cfg c = sim_defaults();
    c.engine = "loopback";
    c.link.nics = nics;
    return c;
}

static struct sim *sim_make(const struct sim_cfg *c)
{
    struct sim *s = nullptr;
    CU_ASSERT_EQUAL_FATAL(sim_new(c, &s), 0);
    memset(host, 0, sizeof host);
    for (uint32_t i = 0; i < sim_nics(s); i++) {
        sim_mem_owner(sim_mem_of(s, i), &ops, host[i]);
        CU_ASSERT_EQUAL(sim_mem_map(sim_mem_of(s, i), BASE, SIZE), 0);
    }
    return s;
}

static uint32_t rd(struct sim *s, uint32_t nic, uint32_t off)
{
    uint32_t v = 0;
    CU_ASSERT_EQUAL(sim_reg_read(s, nic, off, &v), 0);
    return v;
}

static void wr(struct sim *s, uint32_t nic, uint32_t off, uint32_t v)
{
    CU_ASSERT_EQUAL(sim_reg_write(s, nic, off, v), 0);
}

static void dma(struct sim *s, uint32_t nic, uint32_t cmd, uint64_t at, uint32_t len)
{
    wr(s, nic, LB_ADDR_LO, (uint32_t)(BASE + at));
    wr(s, nic, LB_ADDR_HI, (uint32_t)((BASE + at) >> 32));
    wr(s, nic, LB_LEN, len);
    wr(s, nic, LB_CMD, cmd);
    for (int i = 0; i < 1000 && rd(s, nic, LB_BUSY); i++)
        ;
}

/** Receiver `nic` writes every frame to BASE + at. */
static void receive(struct sim *s, uint32_t nic, uint64_t at)
{
    wr(s, nic, LB_ADDR_LO, (uint32_t)(BASE + at));
    wr(s, nic, LB_ADDR_HI, (uint32_t)((BASE + at) >> 32));
    wr(s, nic, LB_RX_DMA, 1);
}

static void reg__steps_own_nic_only(void)
{
    struct sim_cfg c = cfg_make(3);
    struct sim *s = sim_make(&c);
    uint32_t v;
    CU_ASSERT_EQUAL(rd(s, 1, LB_MAGIC), LB_MAGIC_VALUE);
    CU_ASSERT(sim_now_ns(s, 0) == 0 && sim_now_ns(s, 1) > 0 && sim_now_ns(s, 2) == 0);
    uint64_t ahead = sim_now_ns(s, 1);
    sim_step(s); // the others catch up
    CU_ASSERT(sim_now_ns(s, 1) == ahead && sim_now_ns(s, 0) == 4);
    sim_run(s, 10);
    for (uint32_t i = 0; i < 3; i++)
        CU_ASSERT_EQUAL(sim_now_ns(s, i), ahead + 40);
    CU_ASSERT_EQUAL(sim_reg_read(s, 0, 6, &v), -EINVAL);
    CU_ASSERT_EQUAL(sim_reg_read(s, 0, 65536, &v), -EINVAL);
    wr(s, 0, LB_DEAF, 1);
    CU_ASSERT_EQUAL(sim_reg_read(s, 0, 0, &v), -ETIMEDOUT);
    sim_nic_reset(s, 0);
    CU_ASSERT_EQUAL(rd(s, 0, LB_MAGIC), LB_MAGIC_VALUE);
    CU_ASSERT_EQUAL(sim_free(s), 0);
}

/** Posted writes are done in order while all NICs go on together; an access waits for them. */
static void reg__posted(void)
{
    struct sim_cfg c = cfg_make(2);
    struct sim *s = sim_make(&c);
    for (uint32_t i = 0; i < SIM_REG_POSTED; i++)
        CU_ASSERT_TRUE(sim_reg_post(s, 1, LB_SCRATCH, i));
    CU_ASSERT_FALSE(sim_reg_post(s, 1, LB_SCRATCH, 99));
    CU_ASSERT_EQUAL(sim_now_ns(s, 1), 0);
    sim_run(s, 10);
    CU_ASSERT(sim_now_ns(s, 0) == 40 && sim_now_ns(s, 1) == 40);
    CU_ASSERT_EQUAL(rd(s, 1, LB_SCRATCH), SIM_REG_POSTED - 1);
    CU_ASSERT_TRUE(sim_reg_post(s, 1, LB_SCRATCH, 99));
    sim_run(s, 100);
    CU_ASSERT_EQUAL(rd(s, 1, LB_SCRATCH), 99);
    CU_ASSERT_EQUAL(sim_reg_post_errors(s, 1), 0);
    CU_ASSERT_FALSE(sim_reg_post(s, 1, 6, 0));
    CU_ASSERT_EQUAL(sim_free(s), 0);
}

/** The most NICs there can be: the last one has its own address. */
static void frame__from_first_to_last_nic(void)
{
    struct sim_cfg c = cfg_make(SIM_NICS_MAX);
    struct sim *s = sim_make(&c);
    uint32_t last = SIM_NICS_MAX - 1;
    frame_make(&host[0][100], 1000, 4, 0, last, 5, 2, 77);
    dma(s, 0, LB_CMD_READ, 100, 1000);
    receive(s, last, 333);
    wr(s, 0, LB_CMD, LB_CMD_SEND);
    sim_run(s, 1000);
    CU_ASSERT(memcmp(&host[last][333], &host[0][100], 1000) == 0);
    CU_ASSERT_EQUAL(sim_link_port_stats(sim_link_of(s), last)->rx_frames, 1);
    CU_ASSERT_EQUAL(sim_free(s), 0);
}

static void frame__from_memory_to_memory(void)
{
    struct sim_cfg c = cfg_make(2);
    c.link.lane.delay_ns = 3000;
    struct sim *s = sim_make(&c);
    frame_make(&host[0][100], 1000, 4, 0, 1, 5, 2, 77);
    dma(s, 0, LB_CMD_READ, 100, 1000);
    receive(s, 1, 333);
    sim_run(s, 1);
    uint64_t from = sim_now_ns(s, 0);
    wr(s, 0, LB_CMD, LB_CMD_SEND);
    sim_run(s, 2500);
    CU_ASSERT(memcmp(&host[1][333], &host[0][100], 1000) == 0);
    CU_ASSERT(host[1][332] == 0 && host[1][1333] == 0);
    // two frame times (82 ns each), 3 us and a few cycles
    uint64_t took = rd(s, 1, LB_RX_CYCLE) * 4ull - from;
    CU_ASSERT(took > 3160 && took < 3260);
    CU_ASSERT_TRUE(sim_mem_written(sim_mem_of(s, 1)));
    CU_ASSERT_TRUE(sim_link_idle(sim_link_of(s)));
    CU_ASSERT_EQUAL(sim_free(s), 0);
}

static void new__bad(void)
{
    struct sim *s = nullptr;
    struct sim_cfg c = cfg_make(2);
    c.engine = "none";
    CU_ASSERT_EQUAL(sim_new(&c, &s), -ENOENT);
    c = cfg_make(SIM_NICS_MAX + 1);
    CU_ASSERT_EQUAL(sim_new(&c, &s), -EINVAL);
    c = cfg_make(2);
    c.lanes = (const char *const[]){"0:5:0:loss=1"};
    c.n_lanes = 1;
    CU_ASSERT_EQUAL(sim_new(&c, &s), -EINVAL);
    c = cfg_make(2);
    c.mem.payload = 100;
    CU_ASSERT_EQUAL(sim_new(&c, &s), -EINVAL);
    c = cfg_make(2);
    c.pcap = "/nonexistent/x.pcap";
    CU_ASSERT_EQUAL(sim_new(&c, &s), -EIO);
    c = cfg_make(2);
    c.pcap = "/dev/full";
    CU_ASSERT_EQUAL_FATAL(sim_new(&c, &s), 0);
    CU_ASSERT_EQUAL(sim_free(s), -EIO);
}

/** Records of a capture; their times must not go back. */
static unsigned pcap_count(const char *path)
{
    uint8_t head[24];
    uint32_t rec[4];
    static uint8_t f[SIM_FRAME_MAX];
    FILE *p = fopen(path, "rb");
    unsigned n = 0;
    uint64_t last = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    CU_ASSERT(fread(head, 1, 24, p) == 24 && memcmp(head, "\x4d\x3c\xb2\xa1", 4) == 0);
    while (fread(rec, 1, 16, p) == 16) {
        CU_ASSERT_FATAL(rec[2] == rec[3] && rec[2] <= sizeof f && fread(f, 1, rec[2], p) == rec[2]);
        uint64_t t = rec[0] * 1'000'000'000ull + rec[1];
        CU_ASSERT(t >= last);
        last = t;
        n++;
    }
    fclose(p);
    return n;
}

static void pcap__lost_frames_at_sender_only(void)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/mrsim-%d.pcap", (int)getpid());
    for (int rx = 0; rx < 2; rx++) {
        struct sim_cfg c = cfg_make(2);
        c.pcap = path;
        c.pcap_rx = rx;
        c.link.lane.loss = 0.3;
        struct sim *s = sim_make(&c);
        for (uint32_t i = 0; i < 2; i++) {
            frame_make(host[i], 300, 4, i, 1 - i, 5, 2, 0);
            dma(s, i, LB_CMD_READ, 0, 300);
        }
        sim_run(s, 1);
        for (uint32_t i = 0; i < 2; i++) {
            wr(s, i, LB_REPEAT, 99);
            wr(s, i, LB_CMD, LB_CMD_SEND);
        }
        sim_run(s, 5000);
        unsigned got = rd(s, 0, LB_RX_FRAMES) + rd(s, 1, LB_RX_FRAMES);
        CU_ASSERT_EQUAL(sim_free(s), 0);
        CU_ASSERT(got > 100 && got < 180);
        CU_ASSERT_EQUAL(pcap_count(path), rx ? got : 200);
    }
    unlink(path);
}

static void file_read(const char *path, uint8_t **data, size_t *n)
{
    FILE *f = fopen(path, "rb");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    *data = malloc(1'000'000);
    *n = fread(*data, 1, 1'000'000, f);
    fclose(f);
}

/** Traffic both ways with register accesses in between, NIC by NIC in the given order. */
static char *scenario(const char *pcap, uint64_t seed, bool swap)
{
    struct sim_cfg c = cfg_make(3);
    c.pcap = pcap;
    c.link.seed = seed;
    c.link.lane = (struct sim_lane_cfg){.delay_ns = 50, .jitter_ns = 300, .loss = 0.1, .dup = 0.1};
    struct sim *s = sim_make(&c);
    for (uint32_t i = 0; i < 3; i++)
        receive(s, i, 8192);
    for (uint32_t round = 0; round < 30; round++) {
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t i = swap ? 2 - k : k;
            frame_make(host[i], 400, 4, i, (i + 1 + round % 2) % 3, (uint16_t)round, 2, round);
            wr(s, i, LB_RX_DMA, 0);
            dma(s, i, LB_CMD_READ, 0, 400);
            wr(s, i, LB_REPEAT, 5);
            wr(s, i, LB_CMD, LB_CMD_SEND);
            receive(s, i, 8192);
            for (uint32_t n = 0; n < (round * 5 + i * 3) % 17; n++)
                wr(s, i, LB_SCRATCH, rd(s, i, LB_RX_FRAMES));
        }
        sim_run(s, 50 + round);
    }
    char *json = sim_stats_json(s);
    CU_ASSERT_EQUAL(sim_free(s), 0);
    return json;
}

/** What a NIC does is the same whichever NIC was served first: the ground of the lock step. */
static void step__order_does_not_matter(void)
{
    char path[64];
    static uint8_t mem[3][sizeof host];
    char *json[3];
    uint8_t *cap[3];
    size_t n[3];
    snprintf(path, sizeof path, "/tmp/mrsim-%d.pcap", (int)getpid());
    for (int k = 0; k < 3; k++) {
        json[k] = scenario(path, k == 2 ? 6 : 5, k == 1);
        memcpy(mem[k], host, sizeof host);
        file_read(path, &cap[k], &n[k]);
    }
    CU_ASSERT_STRING_EQUAL(json[0], json[1]);
    CU_ASSERT(memcmp(mem[0], mem[1], sizeof host) == 0);
    CU_ASSERT(n[0] > 100'000 && n[0] == n[1] && memcmp(cap[0], cap[1], n[0]) == 0);
    CU_ASSERT_STRING_NOT_EQUAL(json[0], json[2]); // another seed
    for (int k = 0; k < 3; k++) {
        free(json[k]);
        free(cap[k]);
    }
    unlink(path);
}

static void reset__in_mid_traffic(void)
{
    struct sim_cfg c = cfg_make(2);
    struct sim *s = sim_make(&c);
    for (uint32_t i = 0; i < 40; i++) {
        frame_make(host[0], 2000, 4, 0, 1, 5, 2, i);
        dma(s, 0, LB_CMD_READ, 0, 2000);
        sim_run(s, 1);
        wr(s, 0, LB_CMD, LB_CMD_SEND);
        sim_run(s, 3 + i * 20); // somewhere between its first beat and its arrival
        sim_nic_reset(s, i % 2);
        if (i % 4 == 0)
            sim_nic_reset(s, 0);
    }
    sim_run(s, 3000);
    sim_nic_reset(s, 0);
    sim_nic_reset(s, 1);
    receive(s, 1, 0);
    dma(s, 0, LB_CMD_READ, 0, 2000);
    wr(s, 0, LB_CMD, LB_CMD_SEND);
    sim_run(s, 3000);
    CU_ASSERT_EQUAL(rd(s, 1, LB_RX_FRAMES), 1);
    CU_ASSERT(memcmp(host[0], host[1], 2000) == 0);
    CU_ASSERT_TRUE(sim_link_idle(sim_link_of(s)));
    CU_ASSERT_EQUAL(sim_free(s), 0);
}

void test_core_add(void)
{
    CU_pSuite s = test_suite("core");
    test_add(s, "reg__steps_own_nic_only", reg__steps_own_nic_only);
    test_add(s, "frame__from_memory_to_memory", frame__from_memory_to_memory);
    test_add(s, "reg__posted", reg__posted);
    test_add(s, "frame__from_first_to_last_nic", frame__from_first_to_last_nic);
    test_add(s, "new__bad", new__bad);
    test_add(s, "pcap__lost_frames_at_sender_only", pcap__lost_frames_at_sender_only);
    test_add(s, "step__order_does_not_matter", step__order_does_not_matter);
    test_add(s, "reset__in_mid_traffic", reset__in_mid_traffic);
}
