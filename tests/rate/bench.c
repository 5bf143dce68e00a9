// SPDX-License-Identifier: BSD-2-Clause
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mr_defs.h"

/*
 * The address space of each host: send queues, the completion queue, data. No
 * bytes are kept for data: every one is a function of its address, and a Write
 * goes to the address that it comes from.
 */
#define SQ_BASE   0x10000000ull
#define CQ_BASE   0x20000000ull
#define DATA_BASE 0x40000000ull
enum {
    SQ_LOG2 = 6, SQ_SLOTS = 1 << SQ_LOG2, CQ_LOG2 = 16, DATA_LEN = 1 << 24,
    QUEUE = 1 << 10,     // requests under way, a channel
    WIRE = 1 << 18,      // beats under way, a direction: more than the windows allow
    WIRE_DELAY = 50,     // cycles
    READ_DELAY = 30,     // cycles; more would only need more under way
    WRITE_DELAY = 15,
    KEY = 0x1a5, PD = 7,
    STUCK = 4000000,     // cycles without a completion
};

/** A queue of requests, each with the cycle in which it is due. */
struct reqs {
    uint64_t due[QUEUE];
    uint64_t addr[QUEUE];
    uint32_t len[QUEUE];
    uint32_t head, count;
    uint32_t beat;  // of the request at the head
};

struct side {
    struct mr_nic *nic;
    struct reqs wqe_rd, pay_rd, pay_wr, pay_done, cqe_wr, cqe_done;
    struct mac_beat *wire;  // towards this side
    uint64_t *wire_due;
    uint32_t wire_head, wire_count;
    uint8_t (*sq)[SQ_SLOTS][64];
    uint16_t *posted;       // messages of a stream, in all
    uint16_t *done;
    unsigned turn;          // stream that posts next
    uint32_t seen, told;    // completions, and those that the NIC knows to be read
    unsigned regs;          // register accesses that are not answered
};

struct rate_bench {
    struct side side[2];
    struct rate_load load;
    struct rate_count count;
    unsigned slow, every;
    uint64_t now;
};

[[noreturn]] static void fail(struct rate_bench *b, const char *what)
{
    fprintf(stderr, "rate: %s: %s, cycle %llu\n", b->load.name, what, (unsigned long long)b->now);
    exit(1);
}

static uint8_t byte_at(uint64_t addr)
{
    return (uint8_t)(addr * 167 >> 3 ^ addr >> 11);
}

/* ---- queues of requests ---- */

static void put(struct rate_bench *b, struct reqs *q, uint64_t addr, uint32_t len, unsigned delay)
{
    uint32_t at = (q->head + q->count) % QUEUE;

    if (q->count++ == QUEUE)
        fail(b, "too many requests under way");
    q->due[at] = b->now + delay;
    q->addr[at] = addr;
    q->len[at] = len;
}

static bool due(const struct rate_bench *b, const struct reqs *q)
{
    return q->count != 0 && q->due[q->head] <= b->now;
}

static void drop(struct reqs *q)
{
    q->head = (q->head + 1) % QUEUE;
    q->count--;
    q->beat = 0;
}

/* ---- host memory ---- */

static void fill(struct rate_bench *b, struct side *s, uint8_t *bytes, uint64_t at)
{
    if (at >= DATA_BASE && at < DATA_BASE + DATA_LEN) {
        for (unsigned i = 0; i < 64; i++)
            bytes[i] = byte_at(at + i);
    } else if (at >= SQ_BASE && at < SQ_BASE + (uint64_t)b->load.streams * SQ_SLOTS * 64) {
        memcpy(bytes, (uint8_t *)s->sq + (at - SQ_BASE), 64);
    } else {
        fail(b, "read of nothing");
    }
}

static void read_step(struct rate_bench *b, struct side *s, struct reqs *q,
                      bool (*push)(struct mr_nic *, const struct rd_beat *))
{
    uint8_t bytes[64];
    struct rd_beat beat = {0};

    if (!due(b, q))
        return;
    uint64_t at = (q->addr[q->head] & ~63ull) + 64ull * q->beat;
    fill(b, s, bytes, at);
    memcpy(&beat.data, bytes, 64);
    beat.last = at + 64 >= q->addr[q->head] + q->len[q->head];
    if (!push(s->nic, &beat))
        return;
    q->beat++;
    if (beat.last)
        drop(q);
}

static void payload_written(struct rate_bench *b, struct reqs *q, const struct wr_beat *beat)
{
    const uint8_t *bytes = (const uint8_t *)&beat->data;
    uint64_t at = (q->addr[q->head] & ~63ull) + 64ull * q->beat;

    if (at + 63 < DATA_BASE || at >= DATA_BASE + DATA_LEN)
        fail(b, "write to nothing");
    for (unsigned i = 0; i < 64; i++)
        if (((uint64_t)beat->keep >> i & 1) && bytes[i] != byte_at(at + i))
            fail(b, "wrong bytes");
}

static void completion_written(struct rate_bench *b, struct side *s, const struct wr_beat *beat)
{
    struct mr_cqe e = mr_cqe_get((const uint8_t *)&beat->data + (beat->keep & 1 ? 0 : 32));

    if (e.status != 0 || e.stream >= b->load.streams)
        fail(b, e.status != 0 ? "a message failed" : "a completion of no stream");
    s->done[e.stream]++;
    s->seen++;
    b->count.messages++;
}

static void write_step(struct rate_bench *b, struct side *s)
{
    struct wr_req r;
    struct wr_beat beat;
    struct wr_done ok = {0};

    if (mr_nic_pop_pay_wr_req(s->nic, &r))
        put(b, &s->pay_wr, (uint64_t)r.addr, (uint32_t)r.len, 0);
    if (s->pay_wr.count && mr_nic_pop_pay_wr_beat(s->nic, &beat)) {
        payload_written(b, &s->pay_wr, &beat);
        s->pay_wr.beat++;
        if (beat.last) {
            drop(&s->pay_wr);
            put(b, &s->pay_done, 0, 0, WRITE_DELAY);
        }
    }
    if (mr_nic_pop_cqe_wr_req(s->nic, &r))
        put(b, &s->cqe_wr, (uint64_t)r.addr, (uint32_t)r.len, 0);
    if (s->cqe_wr.count && mr_nic_pop_cqe_wr_beat(s->nic, &beat)) {
        completion_written(b, s, &beat);
        drop(&s->cqe_wr);
        put(b, &s->cqe_done, 0, 0, WRITE_DELAY);
    }
    if (due(b, &s->pay_done) && mr_nic_push_pay_wr_done(s->nic, &ok))
        drop(&s->pay_done);
    if (due(b, &s->cqe_done) && mr_nic_push_cqe_wr_done(s->nic, &ok))
        drop(&s->cqe_done);
}

/* ---- wire ---- */

static void wire_step(struct rate_bench *b, struct side *from, struct side *to)
{
    struct mac_beat beat;

    if (mr_nic_pop_mac_tx(from->nic, &beat)) {
        uint32_t at = (to->wire_head + to->wire_count) % WIRE;
        if (to->wire_count++ == WIRE)
            fail(b, "too many beats under way");
        to->wire[at] = beat;
        to->wire_due[at] = b->now + WIRE_DELAY;
        b->count.beats++;
    }
    if (to->wire_count && to->wire_due[to->wire_head] <= b->now &&
        mr_nic_push_mac_rx(to->nic, &to->wire[to->wire_head])) {
        to->wire_head = (to->wire_head + 1) % WIRE;
        to->wire_count--;
    }
}

/** Now and then tells the NIC how far its completion queue was read. True if that took the turn. */
static bool tell(struct side *s)
{
    struct reg_req q = {.write = true, .addr = MR_REG_DB_CQ, .data = (u(32))(uint16_t)s->seen};

    if (s->seen - s->told < 1 << (CQ_LOG2 - 2) || s->regs >= 2 || !mr_nic_push_reg_req(s->nic, &q))
        return false;
    s->told = s->seen;
    s->regs++;
    return true;
}

/* ---- work: every stream has its messages outstanding; one doorbell each ---- */

static void post(struct rate_bench *b, struct side *s)
{
    unsigned n = s->turn;
    uint16_t at = s->posted[n];
    struct reg_rsp rsp;

    s->regs -= mr_nic_pop_reg_rsp(s->nic, &rsp);
    if (tell(s))
        return;
    for (unsigned i = 1; i < b->load.streams && (uint16_t)(at - s->done[n]) >= b->load.outstanding; i++) {
        n = (n + 1) % b->load.streams;
        at = s->posted[n];
    }
    if ((uint16_t)(at - s->done[n]) >= b->load.outstanding || s->regs >= 2)
        return;
    // Every alignment to 8 bytes comes equally often.
    uint64_t addr = DATA_BASE + (n * 0x4000ull + (at + n) * 8ull) % (DATA_LEN - b->load.bytes);
    mr_wqe_put(s->sq[n][at % SQ_SLOTS], (struct mr_wqe){.opcode = MR_OP_WRITE, .flags = MR_WQEF_SIGNALED,
        .nsge = 1, .length = b->load.bytes, .raddr = addr, .rkey = KEY, .sge_addr = addr,
        .sge_key = KEY, .sge_len = b->load.bytes});
    struct reg_req q = {.write = true, .addr = MR_REG_DB_SQ, .data = (u(32))n << 16 | (u(32))(uint16_t)(at + 1)};
    if (!mr_nic_push_reg_req(s->nic, &q))
        return;
    s->posted[n]++;
    s->regs++;
    s->turn = (n + 1) % b->load.streams;
}

static void step(struct rate_bench *b)
{
    struct rd_req r;
    bool held = ++b->now % b->every != 0;

    b->count.cycles++;
    for (unsigned i = 0; i < 2; i++) {
        struct side *s = &b->side[i];
        rate_step(s->nic, b->now, b->slow, held, &b->count);
        wire_step(b, s, &b->side[!i]);
        if (mr_nic_pop_wqe_rd_req(s->nic, &r))
            put(b, &s->wqe_rd, (uint64_t)r.addr, (uint32_t)r.len, READ_DELAY);
        if (mr_nic_pop_pay_rd_req(s->nic, &r))
            put(b, &s->pay_rd, (uint64_t)r.addr, (uint32_t)r.len, READ_DELAY);
        read_step(b, s, &s->wqe_rd, mr_nic_push_wqe_rd_beat);
        read_step(b, s, &s->pay_rd, mr_nic_push_pay_rd_beat);
        write_step(b, s);
    }
}

/* ---- registers and tables ---- */

static uint32_t reg(struct rate_bench *b, struct side *s, bool write, uint32_t addr, uint32_t data)
{
    struct reg_req q = {.write = write, .addr = (u(16))addr, .data = data};
    struct reg_rsp r = {0};

    for (; s->regs; s->regs -= mr_nic_pop_reg_rsp(s->nic, &r))
        step(b);
    while (!mr_nic_push_reg_req(s->nic, &q))
        step(b);
    while (!mr_nic_pop_reg_rsp(s->nic, &r))
        step(b);
    return (uint32_t)r.data;
}

static void table(struct rate_bench *b, struct side *s, uint32_t tbl, uint32_t index, const void *entry, unsigned bytes)
{
    uint32_t words[16] = {0}, status = 1;

    memcpy(words, entry, bytes);
    for (unsigned i = 0; i < 16; i++)
        reg(b, s, true, MR_REG_TBL_DATA + 4 * i, words[i]);
    reg(b, s, true, MR_REG_TBL_INDEX, index);
    reg(b, s, true, MR_REG_TBL_CMD, (uint32_t)MR_TBLOP_WRITE << 24 | tbl << 16);
    while (status == 1)
        status = reg(b, s, false, MR_REG_TBL_STATUS, 0);
    if (status != 0)
        fail(b, "a table entry is refused");
}

static void set_up(struct rate_bench *b, unsigned me)
{
    struct side *s = &b->side[me];
    const struct rate_load *l = &b->load;
    uint8_t e[64];

    reg(b, s, true, MR_REG_PROBE_MIN, 0x3fffffff);  // nothing is lost; a slowed kernel is no silent path
    mr_cq_put(e, (struct mr_cq){.base = CQ_BASE, .log2 = CQ_LOG2});
    table(b, s, MR_TBL_CQ, 0, e, MR_CQ_BYTES);
    mr_key_put(e, (struct mr_key){.rights = 0x1f, .tag = KEY & 0xff, .pd = PD, .va = DATA_BASE, .len = DATA_LEN,
        .bus = DATA_BASE});
    table(b, s, MR_TBL_KEY, KEY >> 8, e, MR_KEY_BYTES);
    for (unsigned i = 0; i < l->conns; i++) {
        mr_conn_put(e, (struct mr_conn){.state = 1, .local = 0x330000 + i + (me << 16),
            .peer = 0x330000 + i + (!me << 16), .smac = 0x020000000001 + me, .dmac = 0x020000000001 + !me,
            .saddr = 0x0a000001 + me, .daddr = 0x0a000001 + !me, .mtu = (u(16))l->mtu, .npaths = MR_GROUP, .group = (u(16))i,
            .ttl = 64});
        table(b, s, MR_TBL_CONN, i, e, MR_CONN_BYTES);
        for (unsigned j = 0; j < MR_GROUP; j++) {
            mr_path_put(e, (struct mr_path){
                .sport = (u(16))(50000 + j), .state = MR_PATHST_OPEN, .conn = (u(16))i, .path = (u(8))j});
            table(b, s, MR_TBL_PATH, i * MR_GROUP + j, e, MR_PATH_BYTES);
        }
    }
    for (unsigned i = 0; i < l->streams; i++) {
        mr_stream_put(e, (struct mr_stream){.state = 1, .sq_log2 = SQ_LOG2, .conn = (u(16))(i % l->conns),
            .peer = i, .pd = PD, .sq_base = SQ_BASE + (uint64_t)i * SQ_SLOTS * 64});
        table(b, s, MR_TBL_STREAM, i, e, MR_STREAM_BYTES);
    }
}

static void *get(size_t n, size_t size)
{
    void *p = calloc(n, size);

    if (!p)
        exit(1);
    return p;
}

struct rate_bench *rate_new(const struct rate_load *load, unsigned slow, unsigned every)
{
    struct rate_bench *b = get(1, sizeof *b);

    b->load = *load;
    b->slow = ID_COUNT;
    b->every = 1;
    for (unsigned i = 0; i < 2; i++) {
        struct side *s = &b->side[i];
        s->nic = mr_nic_new();
        s->wire = get(WIRE, sizeof *s->wire);
        s->wire_due = get(WIRE, sizeof *s->wire_due);
        s->sq = get(load->streams, sizeof *s->sq);
        s->posted = get(load->streams, sizeof *s->posted);
        s->done = get(load->streams, sizeof *s->done);
        if (!s->nic)
            exit(1);
    }
    set_up(b, 0);
    set_up(b, 1);
    b->slow = slow;
    b->every = every;
    return b;
}

void rate_free(struct rate_bench *b)
{
    for (unsigned i = 0; i < 2; i++) {
        struct side *s = &b->side[i];
        mr_nic_free(s->nic);
        free(s->wire);
        free(s->wire_due);
        free(s->sq);
        free(s->posted);
        free(s->done);
    }
    free(b);
}

struct rate_count rate_run(struct rate_bench *b, uint64_t messages)
{
    uint64_t last = 0, since = 0;

    b->count = (struct rate_count){0};
    while (b->count.messages < messages) {
        post(b, &b->side[0]);
        post(b, &b->side[1]);
        step(b);
        since = b->count.messages == last ? since + 1 : 0;
        last = b->count.messages;
        if (since > STUCK)
            fail(b, "nothing moves any more");
    }
    return b->count;
}

uint64_t rate_counter(struct rate_bench *b, unsigned counter)
{
    return reg(b, &b->side[0], false, MR_REG_CNT + 4 * counter, 0) +
           (uint64_t)reg(b, &b->side[1], false, MR_REG_CNT + 4 * counter, 0);
}
