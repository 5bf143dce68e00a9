// SPDX-License-Identifier: BSD-2-Clause
/* test_pages.c - memory in pages, in another order on the bus, at both ends: every operation, and keys whose pages end. */
#include "ops.h"

enum { KB = 1 << 10, DST = 1 << 20, AREA = 3 << 20 };  // queues stand behind AREA

static struct pair *new_pair(uint64_t seed, unsigned log2)
{
    struct pair *p = pair_new(seed, 4);

    pair_pages(p, 0, log2, 0);
    pair_pages(p, 1, log2, 0);
    ops_open(p, 1, (struct ops_stream){0});
    return p;
}

/** An offset from `from` on, in 64 KiB, as often as not so that a page ends within the len bytes from there. */
static uint32_t place(struct pair *p, uint32_t from, uint32_t len)
{
    uint32_t page = (uint32_t)(1 + pair_random(p) % 15) * 4096, back = len < 4096 ? len : 4096;

    return pair_random(p) % 2 ? from + (uint32_t)(pair_random(p) % (60 * KB)) : from + page - (uint32_t)(pair_random(p) % (back + 1));
}

static uint32_t length(struct pair *p)
{
    static const uint32_t most[] = {8, 64, 200, 4096, 9000, 40000};

    return 1 + (uint32_t)(pair_random(p) % most[pair_random(p) % 6]);
}

/** n ranges from `from` on, 128 KiB apart; returns the bytes of all. */
static uint32_t cut(struct pair *p, struct ops_range *r, unsigned n, uint32_t from)
{
    for (unsigned i = 0; i < n; i++) {
        r[i].len = pair_random(p) % 6 ? length(p) / 2 : 0;
        r[i].at = place(p, from + i * 128 * KB, r[i].len);
    }
    return ops_bytes(r, n);
}

static bool equal(struct pair *p, unsigned from, const struct ops_range *a, unsigned na, const struct ops_range *b, unsigned nb)
{
    static uint8_t x[AREA], y[AREA];
    uint32_t len = ops_bytes(a, na);

    ops_gather(p, from, a, na, x);
    ops_gather(p, !from, b, nb, y);
    return memcmp(x, y, len) == 0;
}

static void writes_of(unsigned log2, double loss)
{
    struct pair *p = new_pair(1000 + log2, log2);

    p->loss = loss;
    fill(p, 0, 0, 128 * KB);
    for (unsigned i = 0; i < 40; i++) {
        uint32_t len = length(p), from = place(p, 0, len), to = place(p, DST, len);
        memset(p->side[1].user + DST - 64, 0, 192 * KB);
        uint64_t before = p->side[1].writes;
        CU_ASSERT_EQUAL(write_now(p, from, to, len), MR_ERR_OK);
        CU_ASSERT_TRUE(same(p, from, to, len));
        CU_ASSERT_EQUAL(p->side[1].user[to - 1] | p->side[1].user[to + len], 0);
        if (loss == 0)
            CU_ASSERT_EQUAL(p->side[1].writes - before, len);
    }
    CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_RX_BUS_ERRORS), 0);
    CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_TX_BUS_ERRORS), 0);
    pair_free(p);
}

static void pages__write(void)
{
    writes_of(12, 0);
    writes_of(13, 0);
    writes_of(16, 0);
}

static void pages__write_with_loss(void)
{
    writes_of(12, 0.05);
}

static void pages__send_of_lists(void)
{
    struct pair *p = new_pair(1100, 12);

    fill(p, 0, 0, DST);
    for (unsigned i = 0; i < 40; i++) {
        struct ops_wr w = {.op = MR_OP_SEND, .nranges = 1 + (unsigned)(pair_random(p) % 8)};
        struct ops_range r[8];
        unsigned nr = 1 + (unsigned)(pair_random(p) % 8);
        uint32_t len = cut(p, w.range, w.nranges, 0), room = cut(p, r, nr, DST);
        r[nr - 1].len += room < len ? len - room : 0;
        ops_recv(p, 1, 1, r, nr);
        pair_run(p, 5000);
        ops_post(p, 0, 1, &w);
        struct mr_cqe c = ops_wait(p, 1);
        CU_ASSERT_EQUAL(c.status, MR_ERR_OK);
        CU_ASSERT_EQUAL(c.byte_len, len);
        CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_OK);
        CU_ASSERT_TRUE(equal(p, 0, w.range, w.nranges, r, nr));
    }
    pair_free(p);
}

static void pages__read_into_lists(void)
{
    struct pair *p = new_pair(1200, 12);

    fill(p, 1, 0, DST);
    for (unsigned i = 0; i < 40; i++) {
        struct ops_wr w = {.op = MR_OP_READ, .nranges = 1 + (unsigned)(pair_random(p) % 8)};
        uint32_t len = cut(p, w.range, w.nranges, DST);
        struct ops_range from = {.at = place(p, 0, len), .len = len};
        w.raddr = from.at;
        ops_post(p, 0, 1, &w);
        CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_OK);
        CU_ASSERT_TRUE(equal(p, 0, w.range, w.nranges, &from, 1));
    }
    pair_free(p);
}

static uint64_t word(struct pair *p, unsigned side, uint32_t at)
{
    uint64_t v;

    memcpy(&v, p->side[side].user + at, 8);
    return v;
}

static void pages__atomic(void)
{
    struct pair *p = new_pair(1300, 12);

    fill(p, 1, DST, 64 * KB);
    for (unsigned i = 0; i < 60; i++) {
        // Words at the ends of pages; what they were goes anywhere, across an end too.
        uint32_t at = DST + (uint32_t)(i % 3 ? pair_random(p) % 8000 * 8 : (1 + pair_random(p) % 8) * 4096 - 8);
        uint32_t to = i % 2 ? place(p, 0, 8) : 4096 - i % 8;
        uint64_t was = word(p, 1, at), add = pair_random(p);
        bool swap = i % 4 == 0;
        ops_post(p, 0, 1, &(struct ops_wr){.op = swap ? MR_OP_CMP_SWAP : MR_OP_FETCH_ADD, .range = {{to, 8}}, .nranges = 1,
            .raddr = at, .compare = swap ? was : add, .swap = add});
        CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_OK);
        CU_ASSERT_EQUAL(word(p, 0, to), was);
        CU_ASSERT_EQUAL(word(p, 1, at), swap ? add : was + add);
    }
    CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_RX_ATOMICS), 60);
    pair_free(p);
}

/** The key says more bytes than there are pages: what lies behind is a bus error, and nothing hangs. */
static void pages__key_whose_pages_end_too_early(void)
{
    for (unsigned i = 0; i < 2; i++) {
        struct pair *p = pair_new(1400 + i, 2);
        uint32_t end = 7 * 4096, at = i ? end : end - 1000;
        pair_write(p, 0, MR_REG_RETRY_MAX, 5);
        pair_pages(p, 0, 12, 7);  // local: the read fails
        CU_ASSERT_EQUAL(write_now(p, end - 5000, DST, 5000), MR_ERR_OK);
        CU_ASSERT_EQUAL(write_now(p, at, DST, 2000), MR_ERR_BUS);
        CU_ASSERT(pair_count(p, 0, MR_CNT_TX_BUS_ERRORS) > 0);
        pair_free(p);

        p = pair_new(1410 + i, 2);
        pair_write(p, 0, MR_REG_RETRY_MAX, 5);
        pair_pages(p, 1, 12, 7);  // at the receiver: the write is dropped, all of it, and not acknowledged
        fill(p, 0, 0, 8192);
        CU_ASSERT_EQUAL(write_now(p, 0, end - 5000, 5000), MR_ERR_OK);
        CU_ASSERT_TRUE(same(p, 0, end - 5000, 5000));
        uint64_t writes = p->side[1].writes;
        CU_ASSERT_EQUAL(write_now(p, 0, at, 2000), MR_ERR_RETRY);
        CU_ASSERT_EQUAL(p->side[1].writes, writes);
        CU_ASSERT(pair_count(p, 1, MR_CNT_RX_BUS_ERRORS) > 0);
        pair_free(p);
    }
}

/** Atomics and Reads of pages that are not there end with an error at who asked. */
static void pages__answers_whose_pages_end_too_early(void)
{
    static const unsigned ops[] = {MR_OP_FETCH_ADD, MR_OP_READ};

    for (unsigned i = 0; i < 2; i++) {
        struct pair *p = pair_new(1500 + i, 2);
        ops_open(p, 1, (struct ops_stream){0});
        pair_pages(p, 1, 12, 7);
        struct ops_wr w = {.op = ops[i], .range = {{64, 8}}, .nranges = 1, .raddr = 7 * 4096 - 8, .compare = 1};
        ops_post(p, 0, 1, &w);
        CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_OK);
        w.raddr += 8;
        ops_post(p, 0, 1, &w);
        struct mr_cqe c = ops_wait(p, 0);
        CU_ASSERT_NOT_EQUAL(c.status, MR_ERR_OK);
        CU_ASSERT_NOT_EQUAL(c.status, 255);
        CU_ASSERT_EQUAL(word(p, 1, 7 * 4096), 0);
        pair_free(p);
    }
}

void test_pages_register(CU_pSuite s)
{
    CU_ADD_TEST(s, pages__write);
    CU_ADD_TEST(s, pages__write_with_loss);
    CU_ADD_TEST(s, pages__send_of_lists);
    CU_ADD_TEST(s, pages__read_into_lists);
    CU_ADD_TEST(s, pages__atomic);
    CU_ADD_TEST(s, pages__key_whose_pages_end_too_early);
    CU_ADD_TEST(s, pages__answers_whose_pages_end_too_early);
}
