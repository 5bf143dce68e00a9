// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_lockstep.c - client processes that take as long as they like in real
 * time, and a run that is the same every time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "peer.h"
#include "rng.h"
#include "sim_test.h"

#define CLIENTS 3
#define ROUNDS 25
#define LOG 2000

struct log {
    uint32_t n;
    uint64_t v[LOG];
};

/** What two runs are compared by. */
struct run {
    struct log log[CLIENTS];
    size_t pcap_n;
    uint8_t pcap[1'000'000];
    size_t stats_n;
    uint8_t stats[100'000];
};

static void put(struct log *l, uint64_t v)
{
    if (l->n < LOG)
        l->v[l->n++] = v;
}

/** Real time that differs from run to run. */
static void dawdle(uint64_t noise, uint64_t n)
{
    uint64_t d = sim_draw(noise, n);
    if (d % 4 == 0)
        usleep(d / 4 % 1500);
}

static _Noreturn void client(const struct peer_server *s, uint32_t nic, uint64_t noise, struct log *l)
{
    static uint8_t buf[8192];
    uint64_t key = sim_key(noise, nic, 0, 0);
    dawdle(key, 1000);
    int fd = peer_hello(s, nic);
    peer_call(fd, MR_SIM_MAP, 0, (uintptr_t)buf, sizeof buf);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        dawdle(key, i);
        frame_make(buf, 500, 4, nic, (nic + 1) % CLIENTS, (uint16_t)i, 2, i);
        peer_write(fd, LB_RX_DMA, 0);
        peer_dma(fd, LB_CMD_READ, buf, 500);
        peer_write(fd, LB_REPEAT, 3 + nic);
        peer_write(fd, LB_CMD, LB_CMD_SEND);
        peer_write(fd, LB_ADDR_LO, (uint32_t)(uintptr_t)(buf + 4096));
        peer_write(fd, LB_RX_DMA, 1);
        for (uint32_t w = 0; w < 3 + nic; w++) {
            struct mr_sim_rep r = peer_call(fd, MR_SIM_WAIT, 0, 700 + 50 * nic, 0);
            put(l, r.a);
            put(l, r.b);
            put(l, frame_seq(buf + 4096, 500));
            dawdle(key, 10'000 + i * 10 + w);
        }
        put(l, peer_read(fd, LB_RX_FRAMES));
        put(l, peer_call(fd, MR_SIM_TIME, 0, 0, 0).a);
    }
    peer_bye(fd);
    _exit(0);
}

static size_t file_read(const char *path, void *to, size_t max)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return 0;
    size_t n = fread(to, 1, max, f);
    fclose(f);
    unlink(path);
    return n;
}

static void run(struct run *r, uint64_t seed, uint64_t noise)
{
    struct sim_server_cfg c = peer_cfg();
    struct peer_server s;
    char pcap[64];
    char stats[64];
    snprintf(pcap, sizeof pcap, "/tmp/mrsim-%d.pcap", (int)getpid());
    snprintf(stats, sizeof stats, "/tmp/mrsim-%d.json", (int)getpid());
    c.sim.link.nics = CLIENTS;
    c.sim.link.seed = seed;
    c.sim.link.lane = (struct sim_lane_cfg){.delay_ns = 400, .jitter_ns = 200, .loss = 0.1};
    c.sim.pcap = pcap;
    c.clients = CLIENTS;
    c.stats = stats;
    peer_start(&s, &c);
    for (uint32_t i = 0; i < CLIENTS; i++)
        if (fork() == 0)
            client(&s, i, noise, &r->log[i]);
    for (uint32_t i = 0; i < CLIENTS; i++)
        wait(nullptr);
    CU_ASSERT_EQUAL(peer_said(&s, "outside WAIT"), 0);
    CU_ASSERT_EQUAL(peer_end(&s), 0);
    r->pcap_n = file_read(pcap, r->pcap, sizeof r->pcap);
    r->stats_n = file_read(stats, r->stats, sizeof r->stats);
}

static void wait__replays_bit_by_bit(void)
{
    struct run *r = mmap(nullptr, 3 * sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CU_ASSERT_FATAL(r != MAP_FAILED);
    run(&r[0], 7, 1);
    run(&r[1], 7, 2);
    run(&r[2], 8, 1);
    CU_ASSERT(r[0].pcap_n > 100'000 && r[0].stats_n > 500);
    CU_ASSERT(r[0].log[0].n >= ROUNDS * 11);
    CU_ASSERT(memcmp(r[0].log, r[1].log, sizeof r[0].log) == 0);
    CU_ASSERT(r[0].pcap_n == r[1].pcap_n && memcmp(r[0].pcap, r[1].pcap, r[0].pcap_n) == 0);
    CU_ASSERT(r[0].stats_n == r[1].stats_n && memcmp(r[0].stats, r[1].stats, r[0].stats_n) == 0);
    CU_ASSERT(memcmp(r[0].log, r[2].log, sizeof r[0].log) != 0);
    munmap(r, 3 * sizeof *r);
}

void test_lockstep_add(void)
{
    CU_pSuite s = test_suite("lockstep");
    test_add(s, "wait__replays_bit_by_bit", wait__replays_bit_by_bit);
}
