// SPDX-License-Identifier: BSD-2-Clause
/* test_events.c - armed queues, overflow, the event queue, and what becomes of paths. */
#include "ops.h"

enum {
    EQ_AT = 2 << 20,   // offset of the ring in `user`
    MB = 1 << 20,
    SOON = 20000,      // cycles in which an event must be there
};

/** The host's view of the event queue. */
struct events {
    struct pair *p;
    unsigned side;
    unsigned log2;
    uint32_t at;
    bool deaf;      // does not say that it has read
    unsigned irqs;
};

static struct events listen_to(struct pair *p, unsigned side, unsigned log2)
{
    uint8_t entry[MR_EQ_BYTES];

    memset(p->side[side].user + EQ_AT, 0, 16u << log2);
    mr_eq_put(entry, (struct mr_eq){.base = (uintptr_t)p->side[side].user + EQ_AT, .log2 = (u(8))log2});
    CU_ASSERT_EQUAL(pair_table(p, side, MR_TBL_EQ, 0, entry, sizeof entry), 0);
    return (struct events){.p = p, .side = side, .log2 = log2};
}

/** The next event; type 0 if none comes in so many cycles. */
static struct mr_eqe next_event(struct events *q, uint64_t cycles)
{
    struct pair_side *e = &q->p->side[q->side];
    struct irq irq;

    for (uint64_t i = 0; i <= cycles; i++) {
        uint32_t in = q->at & ((1u << q->log2) - 1);
        struct mr_eqe v = mr_eqe_get(e->user + EQ_AT + 16 * in);
        if ((v.phase & 1) == !(q->at >> q->log2 & 1)) {
            q->at++;
            if (!q->deaf)
                pair_write(q->p, q->side, MR_REG_DB_EQ, q->at & 0xffff);
            return v;
        }
        pair_step(q->p);
        q->irqs += mr_nic_pop_irq(e->nic, &irq);
    }
    return (struct mr_eqe){0};
}

static void arm(struct pair *p, unsigned side, uint32_t reg, uint32_t seen)
{
    pair_write(p, side, reg, seen & 0xffff);
}

static bool is_cq(struct mr_eqe v)
{
    return v.type == MR_EVT_CQ && v.object == 0 && v.detail == 0;
}

/** An armed queue gives one event, behind the entry, and an interrupt behind that. */
static void arm__fires_once(void)
{
    struct pair *p = pair_new(900, 2);
    struct events q = listen_to(p, 0, 3);

    CU_ASSERT_EQUAL(write_now(p, 0, 0, 100), MR_ERR_OK);
    CU_ASSERT_EQUAL(next_event(&q, SOON).type, 0);  // nobody armed it
    for (unsigned i = 1; i < 20; i++) {
        struct mr_cqe c;
        arm(p, 0, MR_REG_DB_ARM, p->side[0].cq_at);
        pair_post(p, 0, pair_wqe(p, 0, 0, 0, 100));
        CU_ASSERT_TRUE(is_cq(next_event(&q, SOON)));
        CU_ASSERT_TRUE(pair_poll(p, 0, &c));  // the entry was there first
        CU_ASSERT_EQUAL(write_now(p, 0, 0, 100), MR_ERR_OK);
        CU_ASSERT_EQUAL(next_event(&q, SOON).type, 0);
        CU_ASSERT_EQUAL(q.irqs, i);
    }
    CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_EQES), 19);
    CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_EQES_LOST), 0);
    pair_free(p);
}

/** An entry that came before the arming, and that the program has not seen, fires it. */
static void arm__races_with_a_completion(void)
{
    struct pair *p = pair_new(901, 2);
    struct events q = listen_to(p, 0, 3);

    CU_ASSERT_EQUAL(write_now(p, 0, 0, 100), MR_ERR_OK);
    arm(p, 0, MR_REG_DB_ARM, 1);
    CU_ASSERT_EQUAL(next_event(&q, SOON).type, 0);  // seen
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 100), MR_ERR_OK);
    CU_ASSERT_TRUE(is_cq(next_event(&q, SOON)));
    arm(p, 0, MR_REG_DB_ARM, 1);
    CU_ASSERT_TRUE(is_cq(next_event(&q, SOON)));    // not seen
    // At every distance between the two.
    for (unsigned i = 0; i < 200; i++) {
        uint32_t seen = p->side[0].cq_at;
        struct mr_cqe c;
        pair_post(p, 0, pair_wqe(p, 0, 0, 0, 64));
        pair_run(p, 8 * i);
        arm(p, 0, MR_REG_DB_ARM, seen);
        CU_ASSERT_TRUE(is_cq(next_event(&q, SOON)));
        CU_ASSERT_TRUE(pair_poll(p, 0, &c));
        CU_ASSERT_EQUAL(next_event(&q, 100).type, 0);
    }
    pair_free(p);
}

static void send(struct pair *p, unsigned flags)
{
    struct ops_range r = {4096, 256}, s = {0, 64};

    ops_recv(p, 1, 1, &r, 1);
    ops_post(p, 0, 1, &(struct ops_wr){.op = MR_OP_SEND, .flags = flags, .range = {s}, .nranges = 1});
    CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_OK);
    CU_ASSERT_EQUAL(ops_wait(p, 1).status, MR_ERR_OK);
}

/** Armed for what is solicited, a queue lets the rest pass; what was not seen counts here too. */
static void arm__solicited_only(void)
{
    struct pair *p = pair_new(902, 2);
    struct events q = listen_to(p, 1, 3), sender = listen_to(p, 0, 3);

    ops_open(p, 1, (struct ops_stream){.rnr_max = 3});
    arm(p, 1, MR_REG_DB_ARM_SOL, 0);
    send(p, 0);
    CU_ASSERT_EQUAL(next_event(&q, SOON).type, 0);
    send(p, MR_WQEF_SOLICITED);
    CU_ASSERT_TRUE(is_cq(next_event(&q, SOON)));
    send(p, MR_WQEF_SOLICITED);
    CU_ASSERT_EQUAL(next_event(&q, SOON).type, 0);  // once
    arm(p, 1, MR_REG_DB_ARM_SOL, 2);
    CU_ASSERT_TRUE(is_cq(next_event(&q, SOON)));    // the third was not seen
    send(p, 0);
    arm(p, 1, MR_REG_DB_ARM_SOL, 3);
    CU_ASSERT_EQUAL(next_event(&q, SOON).type, 0);  // the fourth is not solicited
    arm(p, 1, MR_REG_DB_ARM, 4);                    // for any, and that stays so
    arm(p, 1, MR_REG_DB_ARM_SOL, 4);
    send(p, 0);
    CU_ASSERT_TRUE(is_cq(next_event(&q, SOON)));
    // At the sender an error counts as solicited.
    arm(p, 0, MR_REG_DB_ARM_SOL, p->side[0].cq_at);
    pair_post(p, 0, pair_wqe(p, 0, 0, 0, 64));
    CU_ASSERT_EQUAL(status_of(p, 0), MR_ERR_OK);
    CU_ASSERT_EQUAL(next_event(&sender, SOON).type, 0);
    struct mr_wqe w = pair_wqe(p, 0, 0, 0, 64);
    w.rkey++;
    pair_post(p, 0, w);
    CU_ASSERT_TRUE(is_cq(next_event(&sender, SOON)));
    pair_free(p);
}

/** What a full queue has no room for is lost, and nothing else; it goes on when it was read. */
static void overflow__is_told_once_and_harms_nothing(void)
{
    struct pair *p = pair_new(903, 2);
    struct events q = listen_to(p, 0, 3);
    struct pair_side *e = &p->side[0];
    uint8_t before[256];

    fill(p, 0, 0, 4096);
    memcpy(before, e->user, sizeof before);
    for (unsigned round = 0; round < 3; round++) {
        struct mr_cqe c;
        uint32_t lost = pair_count(p, 0, MR_CNT_CQ_OVERFLOWS), first = e->pidx;
        for (unsigned i = 0; i < PAIR_CQ + 6; i++) {
            pair_post(p, 0, pair_wqe(p, 0, 0, 8192, 64));
            pair_run(p, 1500);
        }
        struct mr_eqe v = next_event(&q, SOON);
        CU_ASSERT_TRUE(v.type == MR_EVT_CQ_OVERFLOW && v.object == 0);
        CU_ASSERT_EQUAL(next_event(&q, SOON).type, 0);
        CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_CQ_OVERFLOWS) - lost, 6);
        for (unsigned i = 0; i < PAIR_CQ; i++) {
            CU_ASSERT_TRUE(pair_poll(p, 0, &c));
            CU_ASSERT_TRUE(c.status == MR_ERR_OK && c.wqe == (uint16_t)(first + i));
        }
        CU_ASSERT_FALSE(pair_poll(p, 0, &c));
        CU_ASSERT_EQUAL(memcmp(before, e->user, sizeof before), 0);  // behind the ring
        CU_ASSERT_EQUAL(write_now(p, 0, 0, 100), MR_ERR_OK);
        pair_write(p, 0, MR_REG_DB_CQ, e->cq_at);
    }
    pair_free(p);
}

/** Events that find no room are counted, and told as soon as there is some. */
static void queue__full(void)
{
    struct pair *p = pair_new(904, 2);
    struct events q = listen_to(p, 0, 2);

    q.deaf = true;
    for (unsigned i = 0; i < 7; i++) {
        arm(p, 0, MR_REG_DB_ARM, p->side[0].cq_at);
        CU_ASSERT_EQUAL(write_now(p, 0, 0, 100), MR_ERR_OK);
    }
    pair_run(p, 2000);
    CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_EQES), 4);
    CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_EQES_LOST), 3);
    for (unsigned i = 0; i < 4; i++)
        CU_ASSERT_TRUE(is_cq(next_event(&q, 0)));
    CU_ASSERT_EQUAL(next_event(&q, SOON).type, 0);
    unsigned irqs = q.irqs;
    pair_write(p, 0, MR_REG_DB_EQ, q.at);
    q.deaf = false;
    CU_ASSERT_EQUAL(next_event(&q, SOON).type, MR_EVT_LOST);
    CU_ASSERT_EQUAL(next_event(&q, SOON).type, 0);
    CU_ASSERT_EQUAL(q.irqs, irqs + 1);
    arm(p, 0, MR_REG_DB_ARM, p->side[0].cq_at);
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 100), MR_ERR_OK);
    CU_ASSERT_TRUE(is_cq(next_event(&q, SOON)));
    pair_free(p);
}

/** Without an event queue nothing is written and nothing waits. */
static void queue__none(void)
{
    struct pair *p = pair_new(905, 2);

    arm(p, 0, MR_REG_DB_ARM, 0);
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 100), MR_ERR_OK);
    CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_EQES), 0);
    struct events q = listen_to(p, 0, 2);
    CU_ASSERT_EQUAL(next_event(&q, SOON).type, 0);
    uint8_t entry[MR_EQ_BYTES] = {0};
    CU_ASSERT_EQUAL(pair_table(p, 0, MR_TBL_EQ, 1, entry, sizeof entry), 2);  // there is one only
    pair_free(p);
}

static void stream__error_is_told_once(void)
{
    struct pair *p = pair_new(906, 2);
    struct events q = listen_to(p, 0, 3);
    struct mr_wqe w;

    pair_stream(p, 5, 0, 0);
    w = pair_wqe(p, 0, 0, 0, 64);
    w.rkey++;
    pair_post_on(p, 0, 5, w);
    pair_post_on(p, 0, 5, pair_wqe(p, 0, 0, 0, 64));
    struct mr_eqe v = next_event(&q, PATIENCE);
    CU_ASSERT_TRUE(v.type == MR_EVT_STREAM_ERROR && v.object == 5 && v.detail == MR_ERR_REMOTE_KEY);
    CU_ASSERT_EQUAL(next_event(&q, SOON).type, 0);
    CU_ASSERT_EQUAL(status_of(p, 0), MR_ERR_REMOTE_KEY);
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 100), MR_ERR_OK);  // the others go on
    pair_free(p);
}

/** Frames of a source port, or of all with 0, are lost. */
static enum pair_fate cut(struct pair *p, unsigned from, uint8_t *f, unsigned len, void *arg)
{
    unsigned port = *(const unsigned *)arg;

    (void)p, (void)from, (void)len;
    return port == 0 || (unsigned)(f[34] << 8 | f[35]) == port ? PAIR_LOSE : PAIR_PASS;
}

/** A path that fails while others work goes down, and comes up with another port. */
static void path__goes_down_and_comes_up(void)
{
    for (unsigned i = 0; i < 4; i++) {
        struct pair *p = pair_new(910 + i, 4);
        struct events q = listen_to(p, 0, 3);
        unsigned port = 50000 + i;

        fill(p, 0, 0, MB);
        p->fault = cut;
        p->fault_arg = &port;
        CU_ASSERT_EQUAL(write_now(p, 0, 0, MB), MR_ERR_OK);
        struct mr_eqe v = next_event(&q, PATIENCE);
        CU_ASSERT_TRUE(v.type == MR_EVT_PATH_DOWN && v.object == 0 && v.detail == i);
        v = next_event(&q, PATIENCE);
        CU_ASSERT_TRUE(v.type == MR_EVT_PATH_UP && v.object == 0 && v.detail == i);
        CU_ASSERT_EQUAL(next_event(&q, SOON).type, 0);
        CU_ASSERT_TRUE(same(p, 0, 0, MB));
        pair_free(p);
    }
}

/** With every path gone the connection is dead, each path says so once, and that it is back. */
static void path__all_dead_and_back(void)
{
    struct pair *p = pair_new(920, 2);
    struct events q = listen_to(p, 0, 3);
    unsigned all = 0, dead = 0, up = 0;

    CU_ASSERT_EQUAL(write_now(p, 0, 0, 64 * 1024), MR_ERR_OK);  // round trips are known
    pair_write(p, 0, MR_REG_RETRY_MAX, 5);
    p->fault = cut;
    p->fault_arg = &all;
    pair_post(p, 0, pair_wqe(p, 0, 0, 0, 64 * 1024));
    struct mr_eqe v;
    bool error = false;
    while ((v = next_event(&q, 3 * MB)).type != 0) {
        CU_ASSERT(v.type == MR_EVT_CONN_DEAD || v.type == MR_EVT_STREAM_ERROR);
        dead += v.type == MR_EVT_CONN_DEAD ? 1u << (unsigned)v.detail : 0;
        error |= v.type == MR_EVT_STREAM_ERROR && v.object == 0 && v.detail == MR_ERR_RETRY;
    }
    CU_ASSERT_EQUAL(dead, 3);
    CU_ASSERT_TRUE(error);
    p->fault = NULL;
    while ((v = next_event(&q, 4 * MB)).type == MR_EVT_PATH_UP)
        up += 1u << (unsigned)v.detail;
    CU_ASSERT_EQUAL(up, 3);
    CU_ASSERT_EQUAL(v.type, 0);
    pair_free(p);
}

void test_events_register(CU_pSuite s)
{
    CU_ADD_TEST(s, arm__fires_once);
    CU_ADD_TEST(s, arm__races_with_a_completion);
    CU_ADD_TEST(s, arm__solicited_only);
    CU_ADD_TEST(s, overflow__is_told_once_and_harms_nothing);
    CU_ADD_TEST(s, queue__full);
    CU_ADD_TEST(s, queue__none);
    CU_ADD_TEST(s, stream__error_is_told_once);
    CU_ADD_TEST(s, path__goes_down_and_comes_up);
    CU_ADD_TEST(s, path__all_dead_and_back);
}
