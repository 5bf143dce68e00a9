// SPDX-License-Identifier: BSD-2-Clause
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SQ_BYTES = BENCH_SQ * MR_WQE_BYTES,
    RQ_ENTRY = 64,
    RQ_AT = SCRIPT_STREAMS * SQ_BYTES,  // receive queues as long as send queues
    QUEUES = RQ_AT + SCRIPT_STREAMS * BENCH_SQ * RQ_ENTRY,
    CQ_AT = QUEUES + 4096,  // pages between the areas are not mapped
    CQ_BYTES = MR_CQE_BYTES << BENCH_CQ_LOG2,
    USER_AT = CQ_AT + 8192,
    MEM = USER_AT + SCRIPT_USER,
    PD = 7,
    PAGE = 4096,
    PAGE_TURN = 0x155,  // page i of the user memory is page i ^ this on the bus: so no two stay neighbours
    QUIET = 3000,  // cycles: longer than any round trip here
};

/* ---- host memory ---- */

/** Accesses do not reach across 4 KiB. */
static uint8_t *mem_at(struct bench_side *e, uint64_t addr)
{
    uint64_t at = addr - e->base;

    if (e->pages && at >= USER_AT)
        at = USER_AT + ((at - USER_AT) ^ PAGE_TURN * PAGE);
    return e->mem + at;
}

static int mem_read(void *ctx, uint64_t addr, void *buf, size_t len)
{
    struct bench_side *e = ctx;
    memcpy(buf, mem_at(e, addr), len);
    return 0;
}

static int mem_write(void *ctx, uint64_t addr, const void *buf, size_t len)
{
    struct bench_side *e = ctx;
    memcpy(mem_at(e, addr), buf, len);
    return 0;
}

static const struct sim_mem_ops mem_ops = {mem_read, mem_write};

static int mem_open(struct bench *b, unsigned s)
{
    struct bench_side *e = &b->side[s];
    struct sim_mem *m = sim_mem_of(b->sim, s);

    e->mem = calloc(1, MEM);
    if (!e->mem)
        return -ENOMEM;
    e->base = s ? 0x7f0000000000u : 0x100000000u;
    e->user = e->mem + USER_AT;
    e->pages = b->cfg.pages;
    sim_mem_owner(m, &mem_ops, e);
    int err = sim_mem_map(m, e->base, QUEUES);
    err = err ? err : sim_mem_map(m, e->base + CQ_AT, CQ_BYTES);
    return err ? err : sim_mem_map(m, e->base + USER_AT, SCRIPT_USER);
}

/* ---- registers ---- */

uint32_t bench_read(struct bench *b, unsigned side, uint32_t offset)
{
    uint32_t v = 0;
    int err = sim_reg_read(b->sim, side, offset, &v);
    if (err)
        fprintf(stderr, "bench: nic %u: read of register 0x%x: %s\n", side, offset, strerror(-err));
    b->bad |= err != 0;
    return v;
}

void bench_write(struct bench *b, unsigned side, uint32_t offset, uint32_t value)
{
    int err = sim_reg_write(b->sim, side, offset, value);
    if (err)
        fprintf(stderr, "bench: nic %u: write of register 0x%x: %s\n", side, offset, strerror(-err));
    b->bad |= err != 0;
}

static void table_command(struct bench *b, unsigned side, uint32_t op, uint32_t table, uint32_t index)
{
    uint32_t status = 1;

    bench_write(b, side, MR_REG_TBL_INDEX, index);
    bench_write(b, side, MR_REG_TBL_CMD, op << 24 | table << 16);
    for (unsigned i = 0; i < 10000 && status == 1; i++)
        status = bench_read(b, side, MR_REG_TBL_STATUS);
    if (status)
        fprintf(stderr, "bench: nic %u: table %u, entry %u: status %u\n", side, table, index, status);
    b->bad |= status != 0;
}

static void table_write(struct bench *b, unsigned side, uint32_t table, uint32_t index, const void *entry,
                        unsigned bytes)
{
    uint32_t words[16] = {};

    memcpy(words, entry, bytes);
    for (unsigned i = 0; i < 16; i++)
        bench_write(b, side, MR_REG_TBL_DATA + 4 * i, words[i]);
    table_command(b, side, MR_TBLOP_WRITE, table, index);
}

struct mr_tele bench_tele(struct bench *b, unsigned side, unsigned conn, unsigned path)
{
    uint32_t words[16];

    table_command(b, side, MR_TBLOP_READ, MR_TBL_TELE, conn << 3 | path);
    for (unsigned i = 0; i < 16; i++)
        words[i] = bench_read(b, side, MR_REG_TBL_DATA + 4 * i);
    return mr_tele_get(words);
}

uint32_t bench_count(struct bench *b, unsigned side, unsigned counter)
{
    return bench_read(b, side, MR_REG_CNT + 4 * counter);
}

/* ---- set-up ---- */

static void conn_setup(struct bench *b, unsigned s, uint32_t conn)
{
    uint64_t mac = 0x020000000001;  // those of sim/link.c
    uint32_t ip = 0x0a000001;
    uint8_t entry[64];

    mr_conn_put(entry, (struct mr_conn){.state = 1, .local = (u(24))((0x33 + s) << 16 | conn),
        .peer = (u(24))((0x33 + !s) << 16 | conn), .smac = mac + s, .dmac = mac + !s, .saddr = ip + s,
        .daddr = ip + !s, .mtu = 4096, .npaths = (u(8))b->cfg.paths, .group = (u(16))conn, .ttl = 64});
    table_write(b, s, MR_TBL_CONN, conn, entry, MR_CONN_BYTES);
    for (unsigned i = 0; i < b->cfg.paths; i++) {
        mr_path_put(entry, (struct mr_path){.sport = (u(16))(49152 + (conn * 8 + i) % 16384),
            .state = MR_PATHST_OPEN, .conn = (u(16))conn, .path = (u(8))i});
        table_write(b, s, MR_TBL_PATH, conn << 3 | i, entry, MR_PATH_BYTES);
    }
}

/** A NIC frees its tables before it takes commands. */
static void wait_free(struct bench *b, unsigned s)
{
    for (unsigned i = 0; i < 1'000'000 && !b->bad; i++)
        if (bench_read(b, s, MR_REG_TBL_STATUS) != 1)
            return;
    b->bad = true;
}

/** Enters the user memory in the page table; returns what its key says. */
static uint64_t pages_setup(struct bench *b, unsigned s)
{
    uint64_t first = b->side[s].base + USER_AT, row[8];

    static_assert(USER_AT % PAGE == 0);
    for (uint64_t i = 0; i < SCRIPT_USER / PAGE; i += 8) {
        for (uint64_t k = 0; k < 8; k++)
            row[k] = first + ((i + k) ^ PAGE_TURN) * PAGE + 1;
        table_write(b, s, MR_TBL_PAGES, (uint32_t)(i / 8), row, sizeof row);
    }
    return 1ull << 63 | 12ull << 57;
}

static void side_setup(struct bench *b, unsigned s)
{
    const struct bench_cfg *c = &b->cfg;
    struct bench_side *e = &b->side[s];
    uint8_t entry[64];

    mr_cq_put(entry, (struct mr_cq){.base = e->base + CQ_AT, .log2 = BENCH_CQ_LOG2});
    table_write(b, s, MR_TBL_CQ, c->cq, entry, MR_CQ_BYTES);
    mr_key_put(entry, (struct mr_key){.rights = 0x1f, .tag = BENCH_KEY & 0xff, .pd = PD, .va = BENCH_VA,
        .len = SCRIPT_USER, .bus = c->pages ? pages_setup(b, s) : e->base + USER_AT});
    table_write(b, s, MR_TBL_KEY, BENCH_KEY >> 8, entry, MR_KEY_BYTES);
    for (unsigned i = 0; i < c->n_conns; i++)
        conn_setup(b, s, c->conn[i]);
    for (unsigned k = 0; k < c->n_streams; k++) {
        mr_rq_put(entry, (struct mr_rq){.base = e->base + RQ_AT + k * BENCH_SQ * RQ_ENTRY, .state = 1, .log2 = 6,
            .pd = PD});
        table_write(b, s, MR_TBL_RQ, c->stream[k], entry, MR_RQ_BYTES);
        mr_stream_put(entry, (struct mr_stream){.state = 1, .sq_log2 = 6, .conn = c->conn[k % c->n_conns],
            .peer = c->stream[k], .pd = PD, .cq = c->cq, .rcq = c->cq, .rq = c->stream[k],
            .sq_base = e->base + k * SQ_BYTES});
        table_write(b, s, MR_TBL_STREAM, c->stream[k], entry, MR_STREAM_BYTES);
    }
    static_assert(BENCH_SQ == 1 << 6);
}

struct bench_cfg bench_defaults(void)
{
    return (struct bench_cfg){.engine = "native", .seed = 1, .paths = 4, .n_conns = 1, .n_streams = 1};
}

int bench_new(const struct bench_cfg *cfg, struct bench **out)
{
    struct sim_cfg sc = sim_defaults();
    struct bench *b = calloc(1, sizeof *b);
    int err = -ENOMEM;

    if (!b)
        return err;
    b->cfg = *cfg;
    sc.engine = cfg->engine;
    sc.trace = cfg->trace;
    sc.link.seed = cfg->seed;
    sc.link.lane.loss = cfg->loss;
    if (cfg->wr_ns)
        sc.mem.wr_ns = cfg->wr_ns;
    err = sim_new(&sc, &b->sim);
    for (unsigned s = 0; s < 2 && !err; s++)
        err = mem_open(b, s);
    for (unsigned s = 0; s < 2 && !err; s++) {
        wait_free(b, s);
        side_setup(b, s);
        err = b->bad ? -EIO : 0;
    }
    if (err) {
        fprintf(stderr, "bench: engine %s: %s\n", cfg->engine, strerror(-err));
        bench_free(b);
        return err;
    }
    *out = b;
    return 0;
}

void bench_free(struct bench *b)
{
    sim_free(b->sim);
    free(b->side[0].mem);
    free(b->side[1].mem);
    free(b);
}

/* ---- work ---- */

struct mr_wqe bench_wqe(uint64_t from, uint64_t to, uint32_t len)
{
    return (struct mr_wqe){.opcode = MR_OP_WRITE, .flags = MR_WQEF_SIGNALED, .nsge = len != 0,
        .length = len, .raddr = BENCH_VA + to, .rkey = BENCH_KEY, .sge_addr = BENCH_VA + from,
        .sge_key = BENCH_KEY, .sge_len = len};
}

void bench_post(struct bench *b, unsigned side, unsigned k, struct mr_wqe w)
{
    struct bench_side *e = &b->side[side];

    mr_wqe_put(e->mem + k * SQ_BYTES + e->pidx[k] % BENCH_SQ * MR_WQE_BYTES, w);
    e->pidx[k]++;
    bench_write(b, side, MR_REG_DB_SQ, (uint32_t)b->cfg.stream[k] << 16 | e->pidx[k]);
}

void bench_recv(struct bench *b, unsigned side, unsigned k, uint64_t to, uint32_t len)
{
    struct bench_side *e = &b->side[side];
    uint8_t *at = e->mem + RQ_AT + (k * BENCH_SQ + e->rq_pidx[k] % BENCH_SQ) * RQ_ENTRY;

    memset(at, 0, RQ_ENTRY);
    mr_sge_put(at, (struct mr_sge){.addr = BENCH_VA + to, .key = BENCH_KEY, .len = len});
    e->rq_pidx[k]++;
    bench_write(b, side, MR_REG_DB_RQ, (uint32_t)b->cfg.stream[k] << 16 | e->rq_pidx[k]);
}

void bench_map(struct bench *b, unsigned side, bool on)
{
    struct sim_mem *m = sim_mem_of(b->sim, side);
    uint64_t at = b->side[side].base + USER_AT;

    b->bad |= (on ? sim_mem_map(m, at, SCRIPT_USER) : sim_mem_unmap(m, at, SCRIPT_USER)) != 0;
}

static void poll(struct bench *b, unsigned side)
{
    struct bench_side *e = &b->side[side];

    for (;;) {
        uint32_t at = e->n_cpl % (1 << BENCH_CQ_LOG2);
        struct mr_cqe c = mr_cqe_get(e->mem + CQ_AT + MR_CQE_BYTES * at);
        if (c.phase != ((e->n_cpl >> BENCH_CQ_LOG2) % 2 == 0))
            return;
        if (e->n_cpl == BENCH_CPL) {
            b->bad = true;
            return;
        }
        e->cpl[e->n_cpl++] = c;
        if (e->n_cpl % (1 << (BENCH_CQ_LOG2 - 2)) == 0)
            b->bad |= !sim_reg_post(b->sim, side, MR_REG_DB_CQ, (uint32_t)b->cfg.cq << 16 | (uint16_t)e->n_cpl);
        if (b->on_cpl)
            b->on_cpl(b, side, &c);
    }
}

static void step(struct bench *b)
{
    sim_step(b->sim);
    b->steps++;
    for (unsigned s = 0; s < 2; s++)
        if (sim_mem_written(sim_mem_of(b->sim, s)))
            poll(b, s);
}

bool bench_until(struct bench *b, const uint32_t want[2], uint64_t cycles)
{
    while (b->side[0].n_cpl < want[0] || b->side[1].n_cpl < want[1]) {
        if (!cycles-- || b->bad)
            return false;
        step(b);
    }
    return true;
}

bool bench_settle(struct bench *b, uint64_t cycles)
{
    for (uint64_t quiet = 0; quiet < QUIET; quiet++) {
        if (!cycles-- || b->bad)
            return false;
        step(b);
        if (!sim_link_idle(sim_link_of(b->sim)) || !sim_mem_idle(sim_mem_of(b->sim, 0)) ||
            !sim_mem_idle(sim_mem_of(b->sim, 1)))
            quiet = 0;
    }
    return true;
}
