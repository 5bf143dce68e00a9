// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_soft_ops.c - every operation between two software NICs, over a good wire and
 * over one that loses frames: each byte in its place and no other one touched,
 * completions in order and exactly once.
 */
#include "soft_pair.h"

enum { DST = SOFT_BYTES / 2, PAD = 64 };

static const char lossy[] = "&loss=0.05&seed=11";
static const struct soft_shape plain = {.rq_depth = 32};

/* Nothing more came than was asked for. */
static void no_more(void)
{
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_TRUE(soft_quiet(soft[i].cq, 0));
        CU_ASSERT_TRUE(soft_quiet(soft[i].rcq, 0));
    }
}

static void check_send(uint64_t id, uint8_t opcode, uint32_t len)
{
    struct mr_wc wc = soft_next(soft[0].cq);

    CU_ASSERT_EQUAL(wc.status, MR_ERR_OK);
    CU_ASSERT_EQUAL(wc.wr_id, id);
    CU_ASSERT_EQUAL(wc.opcode, opcode);
    CU_ASSERT_EQUAL(wc.byte_len, len);
}

static void check_recv(uint64_t id, uint8_t opcode, uint32_t len, uint32_t imm)
{
    struct mr_wc wc = soft_next(soft[1].rcq);

    CU_ASSERT_EQUAL(wc.status, MR_ERR_OK);
    CU_ASSERT_EQUAL(wc.wr_id, id);
    CU_ASSERT_EQUAL(wc.opcode, opcode);
    CU_ASSERT_EQUAL(wc.byte_len, len);
    CU_ASSERT_EQUAL(wc.imm, imm);
    CU_ASSERT_EQUAL(!!(wc.flags & MR_WC_IMM), opcode != MR_OP_SEND);
    CU_ASSERT_TRUE(wc.flags & MR_WC_RECV);
    CU_ASSERT_PTR_EQUAL(wc.rq, soft[1].rq[0]);
}

/* Cuts [at, at + len) into 4 ranges that lie in this order, with a byte between them. */
static uint32_t cut(unsigned side, uint32_t at, uint32_t len, struct mr_sge sge[4], const uint32_t weight[4])
{
    uint32_t left = len;

    for (int i = 0; i < 4; i++) {
        uint32_t n = i == 3 ? left : (uint32_t)((uint64_t)len * weight[i] / 100);
        sge[i] = soft_range(side, at, n);
        at += n + 1;
        left -= n;
    }
    return at;
}

static uint32_t gathered(const struct mr_sge sge[4], uint8_t *to)
{
    uint32_t n = 0;

    for (int i = 0; i < 4; i++) {
        memcpy(to + n, sge[i].addr, sge[i].len);
        n += sge[i].len;
    }
    return n;
}

/* Lists at both ends, cut at other places. */
static void send_lists(const char *faults)
{
    static const uint32_t len[] = {0, 1, 3, 64, 65, 4095, 4096, 4097, 20000, 100000, 1 << 18};
    static const uint32_t from_cut[4] = {10, 33, 7, 50}, to_cut[4] = {41, 0, 20, 39};
    static uint8_t sent[1 << 18], got[1 << 18];
    struct mr_sge from[4], to[4];

    if (!soft_open(plain, faults))
        return;
    for (uint32_t i = 0; i < sizeof len / sizeof len[0]; i++) {
        soft_fill(0, 0, DST, i);
        memset(soft[1].memory, 0, SOFT_BYTES);
        cut(0, i * 37 % 128, len[i], from, from_cut);
        uint32_t end = cut(1, DST + i * 53 % 128, len[i], to, to_cut);
        uint8_t op = i % 2 ? MR_OP_SEND : MR_OP_SEND_IMM;
        CU_ASSERT_EQUAL(soft_recv(1, 0, 100 + i, to, 4), 0);
        CU_ASSERT_EQUAL(soft_send(0, 0, (struct mr_send_wr){.wr_id = i, .opcode = op, .sge = from, .nsge = 4,
            .imm = op == MR_OP_SEND ? 0 : 0xabc00000 + i}), 0);
        check_send(i, op, len[i]);
        check_recv(100 + i, op, len[i], op == MR_OP_SEND ? 0 : 0xabc00000 + i);
        soft_settle();
        CU_ASSERT_EQUAL(gathered(from, sent), len[i]);
        gathered(to, got);
        CU_ASSERT_EQUAL(soft_differ(sent, got, len[i]), 0);
        for (int k = 0; k < 4; k++)
            memset(to[k].addr, 0, to[k].len);
        for (uint32_t at = DST - PAD; at < end + PAD; at++)
            CU_ASSERT_EQUAL_FATAL(soft[1].memory[at], 0);
    }
    no_more();
    soft_close();
}

static void send__lists(void)
{
    send_lists("");
}

static void send__lists_with_loss(void)
{
    send_lists(lossy);
}

static void send_inline(const char *faults)
{
    static const uint32_t len[] = {0, 1, 63, 64, 65, 192, 448};
    uint8_t data[448];

    if (!soft_open(plain, faults))
        return;
    for (uint32_t i = 0; i < sizeof len / sizeof len[0]; i++) {
        struct mr_sge to = soft_range(1, DST, 448), from = {.addr = data, .len = len[i]};
        memset(data, (int)(i + 1), sizeof data);
        memset(soft[1].memory + DST, 0, 512);
        CU_ASSERT_EQUAL(soft_recv(1, 0, i, &to, 1), 0);
        CU_ASSERT_EQUAL(soft_send(0, 0, (struct mr_send_wr){.wr_id = i, .opcode = MR_OP_SEND, .sge = &from,
            .nsge = 1, .flags = MR_POST_INLINE | MR_POST_SOLICITED}), 0);
        memset(data, 0xee, sizeof data);  // it was copied
        check_send(i, MR_OP_SEND, len[i]);
        struct mr_wc wc = soft_next(soft[1].rcq);
        CU_ASSERT_EQUAL(wc.wr_id, i);
        CU_ASSERT_EQUAL(wc.byte_len, len[i]);
        CU_ASSERT_TRUE(wc.flags & MR_WC_SOLICITED);
        soft_settle();
        for (uint32_t k = 0; k < 512; k++)
            CU_ASSERT_EQUAL_FATAL(soft[1].memory[DST + k], k < len[i] ? i + 1 : 0);
    }
    no_more();
    soft_close();
}

static void send__inline(void)
{
    send_inline("");
}

static void send__inline_with_loss(void)
{
    send_inline(lossy);
}

/* The receive completes after the bytes are there, and its memory is not touched. */
static void write_imm(const char *faults)
{
    static const uint32_t len[] = {0, 1, 4096, 70001};

    if (!soft_open(plain, faults))
        return;
    for (uint32_t i = 0; i < sizeof len / sizeof len[0]; i++) {
        struct mr_sge from = soft_range(0, 17, len[i]), room = soft_range(1, 0, 4096);
        soft_fill(0, 0, DST, i + 9);
        CU_ASSERT_EQUAL(soft_recv(1, 0, i, &room, i & 1), 0);
        CU_ASSERT_EQUAL(soft_send(0, 0, (struct mr_send_wr){.wr_id = i, .opcode = MR_OP_WRITE_IMM, .sge = &from,
            .nsge = 1, .raddr = soft_addr(1, DST + 5), .imm = ~i}), 0);
        check_recv(i, MR_OP_WRITE_IMM, len[i], ~i);
        soft_settle();
        CU_ASSERT_EQUAL(soft_differ(soft[0].memory + 17, soft[1].memory + DST + 5, len[i]), 0);
        CU_ASSERT_EQUAL(soft[1].memory[DST + 5 + len[i]], 0);
        for (uint32_t k = 0; k < 4096; k++)
            CU_ASSERT_EQUAL_FATAL(soft[1].memory[k], 0);
        check_send(i, MR_OP_WRITE_IMM, len[i]);
    }
    no_more();
    soft_close();
}

static void write_imm__lengths(void)
{
    write_imm("");
}

static void write_imm__lengths_with_loss(void)
{
    write_imm(lossy);
}

static void reads(const char *faults)
{
    static const uint32_t len[] = {0, 1, 63, 4096, 4097, 50000, 1 << 18}, weight[4] = {5, 60, 1, 34};
    static uint8_t got[1 << 18];
    struct mr_sge to[4];

    if (!soft_open((struct soft_shape){}, faults))
        return;
    soft_fill(1, 0, SOFT_BYTES, 3);
    for (uint32_t i = 0; i < sizeof len / sizeof len[0]; i++) {
        memset(soft[0].memory, 0, SOFT_BYTES);
        uint32_t end = cut(0, PAD + i * 41 % 64, len[i], to, weight);
        CU_ASSERT_EQUAL(soft_send(0, 0, (struct mr_send_wr){.wr_id = i, .opcode = MR_OP_READ, .sge = to, .nsge = 4,
            .raddr = soft_addr(1, DST + i * 13)}), 0);
        check_send(i, MR_OP_READ, len[i]);
        soft_settle();
        gathered(to, got);
        CU_ASSERT_EQUAL(soft_differ(soft[1].memory + DST + i * 13, got, len[i]), 0);
        for (int k = 0; k < 4; k++)
            memset(to[k].addr, 0, to[k].len);
        for (uint32_t at = 0; at < end + PAD; at++)
            CU_ASSERT_EQUAL_FATAL(soft[0].memory[at], 0);
    }
    no_more();
    soft_close();
}

static void read__lists(void)
{
    reads("");
}

static void read__lists_with_loss(void)
{
    reads(lossy);
}

static uint64_t *word(unsigned side, uint32_t at)
{
    return (uint64_t *)(void *)(soft[side].memory + at);
}

static int atomic(unsigned side, unsigned k, uint32_t to, uint32_t counter, uint64_t compare, uint64_t swap, bool add)
{
    struct mr_sge sge = soft_range(side, to, 8);

    return soft_send(side, k, (struct mr_send_wr){.wr_id = to, .opcode = add ? MR_OP_FETCH_ADD : MR_OP_CMP_SWAP,
        .sge = &sge, .nsge = 1, .raddr = soft_addr(!side, counter), .compare = compare, .swap = swap});
}

static void atomics(const char *faults)
{
    enum { N = 24, COUNTER = DST };
    static struct mr_wc wc[N * SOFT_STREAMS];
    bool seen[N * SOFT_STREAMS] = {};

    if (!soft_open((struct soft_shape){}, faults))
        return;
    *word(1, COUNTER) = 0xfffffffffffffff0;  // wraps
    for (unsigned i = 0; i < N; i++)
        for (unsigned k = 0; k < SOFT_STREAMS; k++)
            CU_ASSERT_EQUAL(atomic(0, k, (i * SOFT_STREAMS + k) * 8, COUNTER, 1, 0, true), 0);
    CU_ASSERT_TRUE_FATAL(soft_take(soft[0].cq, wc, N * SOFT_STREAMS));
    soft_settle();
    CU_ASSERT_EQUAL(*word(1, COUNTER), 0xfffffffffffffff0 + N * SOFT_STREAMS);
    for (unsigned i = 0; i < N * SOFT_STREAMS; i++) {  // each saw a value of its own
        uint64_t v = *word(0, i * 8) - 0xfffffffffffffff0;
        CU_ASSERT_EQUAL(wc[i].status, MR_ERR_OK);
        CU_ASSERT_TRUE_FATAL(v < N * SOFT_STREAMS);
        CU_ASSERT_FALSE(seen[v]);
        seen[v] = true;
    }
    *word(1, COUNTER) = 5;
    CU_ASSERT_EQUAL(atomic(0, 0, 0, COUNTER, 4, 99, false), 0);   // does not match
    CU_ASSERT_EQUAL(atomic(0, 0, 8, COUNTER, 5, 77, false), 0);   // does
    CU_ASSERT_EQUAL(atomic(0, 0, 16, COUNTER, 77, 78, false), 0); // after it
    CU_ASSERT_TRUE_FATAL(soft_take(soft[0].cq, wc, 3));
    soft_settle();
    CU_ASSERT_EQUAL(*word(0, 0), 5);
    CU_ASSERT_EQUAL(*word(0, 8), 5);
    CU_ASSERT_EQUAL(*word(0, 16), 77);
    CU_ASSERT_EQUAL(*word(1, COUNTER), 78);
    CU_ASSERT_EQUAL(*word(1, COUNTER + 8), 0);
    no_more();
    soft_close();
}

static void atomic__exactly_once(void)
{
    atomics("");
}

static void atomic__exactly_once_with_loss(void)
{
    atomics("&loss=0.05&dup=0.05&seed=4");
}

/* What a Read brings is sent on by a Send that waits for it. */
static void fence(const char *faults)
{
    enum { LEN = 30000 };

    if (!soft_open(plain, faults))
        return;
    for (uint32_t round = 0; round < 5; round++) {
        struct mr_sge mid = soft_range(0, 64, LEN), to = soft_range(1, 0, LEN);
        soft_fill(1, DST, LEN, 50 + round);
        CU_ASSERT_EQUAL(soft_recv(1, 0, round, &to, 1), 0);
        CU_ASSERT_EQUAL(soft_send(0, 0, (struct mr_send_wr){.wr_id = 1, .opcode = MR_OP_READ, .sge = &mid,
            .nsge = 1, .raddr = soft_addr(1, DST)}), 0);
        CU_ASSERT_EQUAL(soft_send(0, 0, (struct mr_send_wr){.wr_id = 2, .opcode = MR_OP_SEND, .sge = &mid,
            .nsge = 1, .flags = MR_POST_FENCE}), 0);
        check_send(1, MR_OP_READ, LEN);
        check_send(2, MR_OP_SEND, LEN);
        check_recv(round, MR_OP_SEND, LEN, 0);
        soft_settle();
        CU_ASSERT_EQUAL(soft_differ(soft[1].memory + DST, soft[1].memory, LEN), 0);
    }
    no_more();
    soft_close();
}

static void fence__read_then_send(void)
{
    fence("");
}

static void fence__read_then_send_with_loss(void)
{
    fence(lossy);
}

/* Posts one operation of a random kind; *sends counts those that take a receive. */
static void random_op(uint64_t *seed, unsigned side, unsigned k, uint32_t i, unsigned *sends)
{
    static const uint8_t ops[] = {MR_OP_SEND, MR_OP_SEND_IMM, MR_OP_WRITE, MR_OP_WRITE_IMM, MR_OP_READ,
                                  MR_OP_FETCH_ADD};
    uint8_t op = ops[rig_random(seed) % 6];
    uint32_t len = op == MR_OP_FETCH_ADD ? 8 : rig_random(seed) % 3000;
    struct mr_sge sge = soft_range(side, op >= MR_OP_READ ? 256 * 1024 + k * 4096 : k * 4096, len);
    uint32_t to = op == MR_OP_FETCH_ADD ? DST + 64 * 4096 + k * 8 : DST + k * 4096;

    CU_ASSERT_EQUAL(soft_send(side, k, (struct mr_send_wr){.wr_id = i, .opcode = op, .sge = &sge, .nsge = 1,
        .raddr = soft_addr(!side, to), .compare = 1, .imm = i,
        .flags = rig_random(seed) % 4 ? 0 : MR_POST_FENCE}), 0);
    *sends += op <= MR_OP_SEND_INV && op != MR_OP_WRITE;
}

/* Everything mixed, both ways, on all streams. */
static void mixed(struct soft_shape shape, const char *faults)
{
    enum { N = 30 };
    static struct mr_wc wc[N * SOFT_STREAMS];
    uint64_t seed = 21, next[2][2][SOFT_STREAMS] = {};
    unsigned sends[2] = {}, rqs = shape.shared ? 1 : SOFT_STREAMS;

    if (!soft_open(shape, faults))
        return;
    for (unsigned at = 0; at < 2; at++)
        for (unsigned i = 0; i < shape.rq_depth * rqs; i++) {
            struct mr_sge to = soft_range(at, DST + 65536 + i * 3000, 3000);
            CU_ASSERT_EQUAL(soft_recv(at, i % rqs, i / rqs, &to, 1), 0);
        }
    for (uint32_t i = 0; i < N; i++)
        for (unsigned k = 0; k < SOFT_STREAMS; k++)
            for (unsigned at = 0; at < 2; at++)
                random_op(&seed, at, k, i, &sends[at]);
    for (unsigned at = 0; at < 2; at++) {
        CU_ASSERT_TRUE_FATAL(soft_take(soft[at].cq, wc, N * SOFT_STREAMS));
        for (int pass = 0; pass < 2; pass++) {
            unsigned n = pass ? sends[!at] : N * SOFT_STREAMS;
            if (pass)
                CU_ASSERT_TRUE_FATAL(soft_take(soft[at].rcq, wc, (int)n));
            for (unsigned i = 0; i < n; i++) {
                unsigned k = 0;
                while (k < SOFT_STREAMS && soft[at].stream[k] != wc[i].stream)
                    k++;
                CU_ASSERT_TRUE_FATAL(k < SOFT_STREAMS);
                CU_ASSERT_EQUAL(wc[i].status, MR_ERR_OK);
                if (!pass || !shape.shared)
                    CU_ASSERT_EQUAL(wc[i].wr_id, next[pass][at][k]++);
            }
        }
    }
    no_more();
    soft_close();
}

static void mixed__both_ways(void)
{
    mixed((struct soft_shape){.rq_depth = 32}, "");
}

static void mixed__both_ways_with_faults(void)
{
    mixed((struct soft_shape){.rq_depth = 32}, "&loss=0.05&dup=0.03&reorder=0.03&corrupt=0.02&seed=13");
}

static void mixed__shared_queue_with_loss(void)
{
    mixed((struct soft_shape){.rq_depth = 128, .shared = 1}, lossy);
}

const struct test_row tests_soft_ops[] = {
    {"send__lists", send__lists},
    {"send__lists_with_loss", send__lists_with_loss},
    {"send__inline", send__inline},
    {"send__inline_with_loss", send__inline_with_loss},
    {"write_imm__lengths", write_imm__lengths},
    {"write_imm__lengths_with_loss", write_imm__lengths_with_loss},
    {"read__lists", read__lists},
    {"read__lists_with_loss", read__lists_with_loss},
    {"atomic__exactly_once", atomic__exactly_once},
    {"atomic__exactly_once_with_loss", atomic__exactly_once_with_loss},
    {"fence__read_then_send", fence__read_then_send},
    {"fence__read_then_send_with_loss", fence__read_then_send_with_loss},
    {"mixed__both_ways", mixed__both_ways},
    {"mixed__both_ways_with_faults", mixed__both_ways_with_faults},
    {"mixed__shared_queue_with_loss", mixed__shared_queue_with_loss},
    {},
};
