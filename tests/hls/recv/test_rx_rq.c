// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_rx_rq.c - the entries that come out are those that stand in host memory,
 * in order, once each, never more than MR_RECVS ahead, never one of a queue's life
 * before. The model is told of an item when the kernel takes it.
 */
#include "bench.h"
#include "rx_rq/rx_rq.h"
#include "suites.h"

void rx_rq_step(struct rx_rq *k);

enum { QUEUES = 5, HOST = 512 };

/** What the model knows of a queue. */
struct model_queue {
    bool open;
    unsigned log2, stride, life;
    uint64_t base;
    uint16_t pidx, fidx;
    unsigned ahead, out;  // read and not freed; handed on
};

/** A read on its way through the host. */
struct model_read {
    unsigned queue, life, number;
    struct rd_req req;
};

static struct {
    struct rx_rq k;
    LINK(struct cfg_write, cfg, 2);
    LINK(struct rq_bell, bell, 4);
    LINK(struct rq_id, freed, 4);
    LINK(struct rd_beat, rd, 4);
    LINK(struct rq_job, job, RX_RQ_JOBS);
    LINK(struct rd_req, req, 4);
    LINK(struct recv_entry, entry, 4);
    LINK(struct model_read, host, HOST);
    LINK(struct model_read, due, HOST);  // entries that must come, in order
    struct model_queue q[QUEUES];
    unsigned beat, entries, dropped, errors;
} t;

/** Queue q of the test is this entry of the table. */
static unsigned queue_at(unsigned q)
{
    return q == QUEUES - 1 ? MR_RQS - 1 : 3 * q;
}

/** Beat i of the entry at addr, and whether its read fails. */
static u(512) host_beat(uint64_t addr, unsigned i)
{
    uint64_t x = (addr + 64 * i) * 0x9e3779b97f4a7c15u;
    return (u(512))x << 448 | (u(512))(x ^ 0x1234) << 100 | (u(512))x;
}

static bool host_err(uint64_t addr, unsigned life)
{
    return ((addr >> 6) * 31 + life) % 13 == 0;
}

static void on_request(struct rd_req r)
{
    for (unsigned i = 0; i < QUEUES; i++) {
        struct model_queue *q = &t.q[i];
        uint64_t size = 64u << q->stride, at = q->fidx & ((1u << q->log2) - 1);
        if (!q->open || r.addr != q->base + at * size)
            continue;
        MUST(r.len == size && q->fidx != q->pidx && q->ahead < MR_RECVS);
        PUSH(t.host, (struct model_read){.queue = i, .life = q->life, .number = q->fidx, .req = r});
        q->fidx++;
        q->ahead++;
        return;
    }
    MUST(!"a read of what no queue has");
}

static void on_config(struct cfg_write w)
{
    struct mr_rq r = mr_rq_unpack((u(128))w.bits);
    for (unsigned i = 0; i < QUEUES && w.table == MR_TBL_RQ; i++)
        if (queue_at(i) == w.index)
            t.q[i] = (struct model_queue){.open = r.state == 1, .log2 = (unsigned)r.log2, .stride = (unsigned)r.stride,
                .life = t.q[i].life + 1, .base = (uint64_t)r.base};
}

static void on_entry(struct recv_entry e)
{
    MUST(!EMPTY(t.due));
    struct model_read d = HEAD(t.due);
    u(2048) want = 0;
    POP(t.due);
    MUST(e.rq == queue_at(d.queue) && d.life == t.q[d.queue].life);
    for (unsigned i = 0; i < d.req.len / 64 && !host_err((uint64_t)d.req.addr, d.life); i++)
        want |= (u(2048))host_beat((uint64_t)d.req.addr, i) << (u(2048))(512 * i);
    MUST(e.sges == want);
    t.errors += host_err((uint64_t)d.req.addr, d.life);
    t.q[d.queue].out++;
    t.entries++;
}

/** The host answers a beat. Its last one decides whether the entry must come. */
static void host_answer(void)
{
    MUST(!FULL(t.due) && !FULL(t.host));
    if (EMPTY(t.host) || FULL(t.rd))
        return;
    struct model_read m = HEAD(t.host);
    bool last = t.beat == m.req.len / 64 - 1;
    PUSH(t.rd, (struct rd_beat){.data = host_beat((uint64_t)m.req.addr, t.beat), .last = last,
        .err = last && host_err((uint64_t)m.req.addr, m.life)});
    t.beat = last ? 0 : t.beat + 1;
    if (last) {
        POP(t.host);
        PUSH(t.due, m);
    }
}

/** Answers to a life before are dropped. */
static void drop_old(void)
{
    while (!EMPTY(t.due) && HEAD(t.due).life != t.q[HEAD(t.due).queue].life) {
        POP(t.due);
        t.dropped++;
    }
}

static void step(void)
{
    IN_BEFORE_KEPT(t.k.cfg, t.cfg);
    IN_BEFORE_KEPT(t.k.bell, t.bell);
    IN_BEFORE_KEPT(t.k.freed, t.freed);
    IN_BEFORE(t.k.rd, t.rd);
    IN_BEFORE_KEPT(t.k.job, t.job);
    t.k.job_out.valid = false;
    t.k.job_out.ready = true;  // never full: the kernel counts
    OUT_BEFORE_KEPT(t.k.req, t.req);
    OUT_BEFORE(t.k.entry, t.entry);
    rx_rq_step(&t.k);
    if (t.k.req.valid)
        on_request(t.k.req.data);
    drop_old();
    if (t.k.entry.valid)
        on_entry(t.k.entry.data);
    if (t.k.cfg.ready)
        on_config(t.k.cfg.data);
    if (t.k.bell.ready)
        for (unsigned i = 0; i < QUEUES; i++) {
            struct model_queue *q = &t.q[i];
            if (queue_at(i) == t.k.bell.data.rq && (uint16_t)(t.k.bell.data.pidx - q->fidx) <= 1u << q->log2)
                q->pidx = (uint16_t)t.k.bell.data.pidx;
        }
    if (t.k.freed.ready)
        for (unsigned i = 0; i < QUEUES; i++)
            if (queue_at(i) == t.k.freed.data.rq)
                t.q[i].ahead -= t.q[i].ahead != 0;
    IN_AFTER(t.k.cfg, t.cfg);
    IN_AFTER(t.k.bell, t.bell);
    IN_AFTER(t.k.freed, t.freed);
    IN_AFTER(t.k.rd, t.rd);
    IN_AFTER(t.k.job, t.job);
    MUST(!t.k.job_out.valid || !FULL(t.job));
    OUT_AFTER(t.k.job_out, t.job);
    if (!EMPTY(t.req))
        POP(t.req);
    OUT_AFTER(t.k.req, t.req);
    if (!EMPTY(t.entry))
        POP(t.entry);
    OUT_AFTER(t.k.entry, t.entry);
}

static void config(unsigned index, struct mr_rq r)
{
    while (FULL(t.cfg))
        step();
    PUSH(t.cfg, (struct cfg_write){.table = MR_TBL_RQ, .index = (u(16))index, .bits = (u(512))mr_rq_pack(r)});
}

/** A queue of its own place in memory, which no other and no earlier life of it has. */
static void open_queue(unsigned i, unsigned log2, unsigned stride)
{
    static uint64_t place = 1;
    config(queue_at(i), (struct mr_rq){.state = 1, .log2 = (u(8))log2, .stride = (u(8))stride, .base = place++ << 24});
}

static void begin(void)
{
    memset(&t, 0, sizeof t);
    for (unsigned i = 0; i < MR_RQS; i++)
        config(i, (struct mr_rq){});
    while (!EMPTY(t.cfg))
        step();
}

static void stimulus(unsigned busy)
{
    unsigned i = below(QUEUES);
    struct model_queue *q = &t.q[i];
    if (below(4) == 0 && !FULL(t.bell)) {
        unsigned entries = 1u << q->log2;
        unsigned n = below(8) == 0 ? entries + 1 + below(100) : below(entries + 1);
        PUSH(t.bell, (struct rq_bell){.rq = (u(16))queue_at(i), .pidx = (u(16))(q->fidx + n)});
    }
    if (below(50) == 0 && !FULL(t.bell))  // no such queue
        PUSH(t.bell, (struct rq_bell){.rq = (u(16))(MR_RQS + queue_at(i)), .pidx = (u(16))(q->fidx + 1)});
    if (q->out != 0 && below(2) == 0 && !FULL(t.freed)) {
        q->out--;
        PUSH(t.freed, (struct rq_id){.rq = (u(16))queue_at(i)});
    }
    if (below(busy) == 0 && EMPTY(t.cfg)) {
        if (q->open && below(2))
            config(queue_at(i), (struct mr_rq){});
        else
            open_queue(i, below(10), below(3));
    }
}

static void rq__random(void)
{
    unsigned entries = 0, dropped = 0, errors = 0;
    for (unsigned round = 0; round < 30; round++) {
        bench_pause = 0;
        begin();
        bench_pause = below(180);
        unsigned busy = round % 3 == 0 ? 40 : 1500, host = round % 5 == 0 ? 30 : 1 + below(3);
        for (unsigned i = 0; i < QUEUES; i++)
            open_queue(i, below(10), below(3));
        for (unsigned i = 0; i < 6000; i++) {
            stimulus(busy);
            if (below(host) == 0)
                host_answer();
            step();
        }
        bench_pause = 0;
        for (unsigned i = 0; i < 4000; i++) {
            host_answer();
            step();
        }
        MUST(EMPTY(t.due) && EMPTY(t.job) && EMPTY(t.bell) && t.k.jobs == 0);
        for (unsigned i = 0; i < QUEUES; i++)
            MUST(!t.q[i].open || t.q[i].fidx == t.q[i].pidx || t.q[i].ahead == MR_RECVS);
        MUST(t.k.cnt_rq_bus_errors == t.errors);
        entries += t.entries;
        dropped += t.dropped;
        errors += t.errors;
    }
    MUST(entries > 10000 && dropped > 100 && errors > 100);
}

/** Room everywhere, one queue, one beat each: cycles per receive. */
static void rq__rate(void)
{
    bench_pause = 0;
    begin();
    open_queue(0, 10, 0);
    while (!EMPTY(t.cfg))
        step();
    PUSH(t.bell, (struct rq_bell){.rq = (u(16))queue_at(0), .pidx = 600});
    unsigned cycles = 0;
    for (; t.entries < 600 && cycles < 10000; cycles++) {
        host_answer();
        step();
        if (t.q[0].out != 0 && !FULL(t.freed)) {
            t.q[0].out--;
            PUSH(t.freed, (struct rq_id){.rq = (u(16))queue_at(0)});
        }
    }
    printf("%u.%02u steps per receive ", cycles / 600, cycles % 600 / 6);
    MUST(t.entries == 600 && cycles < 600 * 5);
}

CU_TestInfo tests_rx_rq[] = {
    {"rq__random", rq__random},
    {"rq__rate", rq__rate},
    CU_TEST_INFO_NULL,
};
