// SPDX-License-Identifier: BSD-2-Clause
/* test_ops.c - every operation, end to end. [spec 7] */
#include "ops.h"

enum { KB = 1 << 10, DST = 1 << 20 };  // bytes from DST on are where things go

static void rest(struct pair *p)
{
    pair_run(p, 20000);
}

/** Cuts len bytes from `at` on into n ranges with gaps between, of random lengths, some of 0. */
static unsigned cut(struct pair *p, struct ops_range *r, unsigned n, uint32_t at, uint32_t len)
{
    for (unsigned i = 0; i < n; i++) {
        uint32_t take = i + 1 == n ? len : (uint32_t)(pair_random(p) % (2 * len / (n - i) + 1));
        take = take > len ? len : take;
        r[i] = (struct ops_range){.at = at + (uint32_t)(pair_random(p) % 64), .len = take};
        at = r[i].at + take;
        len -= take;
    }
    return n;
}

/** Are the same bytes in both sides' ranges, as far as len reaches? */
static bool equal(struct pair *p, unsigned from, const struct ops_range *a, unsigned na, const struct ops_range *b,
                  unsigned nb, uint32_t len)
{
    static uint8_t x[DST], y[DST];

    ops_gather(p, from, a, na, x);
    ops_gather(p, !from, b, nb, y);
    return memcmp(x, y, len) == 0;
}

/** A Send of these lengths and ranges; checks both completions and the bytes. */
static void send_one(struct pair *p, unsigned n, unsigned op, uint32_t len, unsigned from, unsigned to, uint32_t spare)
{
    struct ops_wr w = {.op = op, .imm = 0x1badcafe + len, .flags = MR_WQEF_SOLICITED};
    struct ops_range r[16];
    unsigned nr = cut(p, r, to, DST, len + spare);

    w.nranges = cut(p, w.range, from, 64, len);
    fill(p, 0, 0, len + 64 * (from + 2));
    memset(p->side[1].user + DST, 0, len + spare + 64 * 18);
    ops_recv(p, 1, n, r, nr);
    rest(p);
    ops_post(p, 0, n, &w);
    struct mr_cqe c = ops_wait(p, 1);
    CU_ASSERT_EQUAL(c.status, MR_ERR_OK);
    CU_ASSERT_EQUAL(c.opcode, op);
    CU_ASSERT_EQUAL(c.byte_len, len);
    CU_ASSERT_EQUAL(c.stream, n);
    CU_ASSERT_EQUAL(c.wqe, (uint16_t)(p->side[1].rq_pidx[n] - 1));
    CU_ASSERT_EQUAL(c.flags & MR_CQEF_RECV, MR_CQEF_RECV);
    CU_ASSERT_EQUAL(c.flags & MR_CQEF_SOLICITED, MR_CQEF_SOLICITED);
    CU_ASSERT_EQUAL((c.flags & MR_CQEF_IMM) != 0, op != MR_OP_SEND);
    CU_ASSERT_EQUAL(c.imm, op == MR_OP_SEND ? 0u : w.imm);
    CU_ASSERT_TRUE(equal(p, 0, w.range, w.nranges, r, nr, len));
    c = ops_wait(p, 0);
    CU_ASSERT_EQUAL(c.status, MR_ERR_OK);
    CU_ASSERT_EQUAL(c.opcode, op);
    CU_ASSERT_EQUAL(c.flags & MR_CQEF_RECV, 0);
}

static void send__every_length_and_alignment(void)
{
    static const uint32_t lens[] = {0, 1, 2, 63, 64, 65, 127, 255, 256, 1000, 4095, 4096, 4097, 8192, 12345, 65536};
    struct pair *p = pair_new(900, 4);

    ops_open(p, 1, (struct ops_stream){0});
    for (unsigned i = 0; i < sizeof lens / sizeof *lens; i++) {
        send_one(p, 1, MR_OP_SEND, lens[i], 1, 1, 0);
        send_one(p, 1, MR_OP_SEND_IMM, lens[i], 1, 1, 1 + i * 100);
    }
    CU_ASSERT_TRUE(closes(p, 0, 4));
    CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_RX_REFUSED), 0);
    pair_free(p);
}

static void send__lists_of_ranges_at_both_ends(void)
{
    struct pair *p = pair_new(901, 4);

    ops_open(p, 1, (struct ops_stream){0});
    for (unsigned n = 1; n <= 16; n++)
        for (unsigned k = 0; k < 3; k++)
            send_one(p, 1, MR_OP_SEND, (uint32_t)(pair_random(p) % (k == 0 ? 200 : 40 * KB)), n,
                1 + (unsigned)(pair_random(p) % 16), (uint32_t)(pair_random(p) % 300));
    CU_ASSERT_EQUAL(pair_count(p, 0, MR_CNT_TX_LOCAL_ERRORS), 0);
    CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_RX_REFUSED), 0);
    pair_free(p);
}

static void write__lists_and_immediate(void)
{
    struct pair *p = pair_new(902, 4);
    struct ops_range none = {0};

    ops_open(p, 1, (struct ops_stream){0});
    for (unsigned n = 0; n <= 16; n++) {
        struct ops_wr w = {.op = n % 2 ? MR_OP_WRITE_IMM : MR_OP_WRITE, .raddr = DST + 7 * n, .imm = 77 + n};
        uint32_t len = n ? 1 + (uint32_t)(pair_random(p) % (30 * KB)) : 0;
        struct ops_range to = {.at = DST + 7 * n, .len = len};
        w.nranges = cut(p, w.range, n, 64, len);
        fill(p, 0, 0, 64 * KB);
        if (n % 2) {
            ops_recv(p, 1, 1, &none, 0);
            rest(p);
        }
        ops_post(p, 0, 1, &w);
        CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_OK);
        CU_ASSERT_TRUE(equal(p, 0, w.range, w.nranges, &to, 1, len));
        if (n % 2) {
            struct mr_cqe c = ops_wait(p, 1);
            CU_ASSERT_EQUAL(c.status, MR_ERR_OK);
            CU_ASSERT_EQUAL(c.opcode, MR_OP_WRITE_IMM);
            CU_ASSERT_EQUAL(c.imm, 77 + n);
            CU_ASSERT_EQUAL(c.byte_len, len);
        }
    }
    pair_free(p);
}

static void inline__data_is_the_entry_s(void)
{
    static const uint32_t lens[] = {0, 1, 32, 64, 65, 200, OPS_INLINE};
    struct pair *p = pair_new(903, 2);
    uint8_t data[OPS_INLINE];

    ops_open(p, 1, (struct ops_stream){0});
    for (unsigned i = 0; i < sizeof lens / sizeof *lens; i++) {
        struct ops_range r = {.at = DST + i, .len = 512};
        struct ops_wr w = {.op = MR_OP_SEND, .flags = MR_WQEF_INLINE, .data = data, .len = lens[i]};
        for (unsigned k = 0; k < sizeof data; k++)
            data[k] = (uint8_t)pair_random(p);
        ops_recv(p, 1, 1, &r, 1);
        rest(p);
        ops_post(p, 0, 1, &w);
        struct mr_cqe c = ops_wait(p, 1);
        CU_ASSERT_EQUAL(c.status, MR_ERR_OK);
        CU_ASSERT_EQUAL(c.byte_len, lens[i]);
        CU_ASSERT_EQUAL(memcmp(p->side[1].user + r.at, data, lens[i]), 0);
        CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_OK);
    }
    pair_free(p);
}

static void read__lengths_and_lists(void)
{
    static const uint32_t lens[] = {0, 1, 64, 255, 4095, 4096, 4097, 20000, 131072};
    struct pair *p = pair_new(904, 4);

    ops_open(p, 1, (struct ops_stream){0});
    for (unsigned i = 0; i < sizeof lens / sizeof *lens; i++)
        for (unsigned n = 1; n <= 16; n += 5) {
            struct ops_wr w = {.op = MR_OP_READ, .raddr = 64 + i};
            struct ops_range from = {.at = 64 + i, .len = lens[i]};
            w.nranges = cut(p, w.range, n, DST, lens[i]);
            fill(p, 1, 0, 64 + i + lens[i]);
            ops_post(p, 0, 1, &w);
            struct mr_cqe c = ops_wait(p, 0);
            CU_ASSERT_EQUAL(c.status, MR_ERR_OK);
            CU_ASSERT_EQUAL(c.opcode, MR_OP_READ);
            CU_ASSERT_TRUE(equal(p, 1, &from, 1, w.range, w.nranges, lens[i]));
        }
    CU_ASSERT_TRUE(closes(p, 0, 4));
    CU_ASSERT_TRUE(closes(p, 1, 4));
    pair_free(p);
}

static uint64_t word(struct pair *p, unsigned side, uint32_t at)
{
    uint64_t v;

    memcpy(&v, p->side[side].user + at, 8);
    return v;
}

static void atomic__both_kinds(void)
{
    struct pair *p = pair_new(905, 4);
    uint64_t start = 0x0123456789abcdef, next = 0xfedcba9876543210, add = 0xffffffff00000001;
    struct ops_wr swap = {.op = MR_OP_CMP_SWAP, .range = {{DST, 8}}, .nranges = 1, .raddr = DST + 64,
        .compare = start, .swap = next};
    struct ops_wr plus = {.op = MR_OP_FETCH_ADD, .range = {{DST + 13, 8}}, .nranges = 1, .raddr = DST + 64,
        .compare = add};

    ops_open(p, 1, (struct ops_stream){0});
    memcpy(p->side[1].user + DST + 64, &start, 8);
    ops_post(p, 0, 1, &swap);
    CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_OK);
    CU_ASSERT_EQUAL(word(p, 0, DST), start);
    CU_ASSERT_EQUAL(word(p, 1, DST + 64), next);
    ops_post(p, 0, 1, &swap);  // does not match now
    CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_OK);
    CU_ASSERT_EQUAL(word(p, 0, DST), next);
    CU_ASSERT_EQUAL(word(p, 1, DST + 64), next);
    ops_post(p, 0, 1, &plus);
    CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_OK);
    CU_ASSERT_EQUAL(word(p, 0, DST + 13), next);
    CU_ASSERT_EQUAL(word(p, 1, DST + 64), next + add);
    CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_RX_ATOMICS), 3);
    pair_free(p);
}

/** Packets lost and repeated: every addition counts once, and every answer is another number. */
static void atomic__exactly_once_whatever_is_lost(void)
{
    for (unsigned i = 0; i < 3; i++) {
        struct pair *p = pair_new(906 + i, 4);
        unsigned seen[200] = {0};
        p->loss = 0.1 * (1 + i);
        ops_open(p, 1, (struct ops_stream){0});
        for (unsigned k = 0; k < 200; k += 8) {
            for (unsigned j = 0; j < 8; j++)
                ops_post(p, 0, 1, &(struct ops_wr){.op = MR_OP_FETCH_ADD, .range = {{DST + 8 * j, 8}},
                    .nranges = 1, .raddr = DST + 128, .compare = 1});
            for (unsigned j = 0; j < 8; j++) {
                CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_OK);
                uint64_t was = word(p, 0, DST + 8 * j);
                CU_ASSERT_EQUAL(was, k + j);  // of one stream in order
                seen[was < 200 ? was : 199]++;
            }
        }
        for (unsigned k = 0; k < 200; k++)
            CU_ASSERT_EQUAL(seen[k], 1);
        CU_ASSERT_EQUAL(word(p, 1, DST + 128), 200);
        pair_free(p);
    }
}

/** A fenced Send of what a Read brings is sent with what it brought. */
static void fence__waits_for_the_answer(void)
{
    struct pair *p = pair_new(910, 4);
    struct ops_range r = {.at = DST + 8192, .len = 4096}, from = {.at = 64, .len = 4096};

    p->loss = 0.1;
    ops_open(p, 1, (struct ops_stream){0});
    for (unsigned k = 0; k < 10; k++) {
        fill(p, 1, 0, 8192);
        ops_recv(p, 1, 1, &r, 1);
        rest(p);
        ops_post(p, 0, 1, &(struct ops_wr){.op = MR_OP_READ, .range = {{DST, 4096}}, .nranges = 1, .raddr = 64});
        ops_post(p, 0, 1, &(struct ops_wr){.op = MR_OP_SEND, .flags = MR_WQEF_FENCE, .range = {{DST, 4096}},
            .nranges = 1});
        CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_OK);
        CU_ASSERT_EQUAL(ops_wait(p, 0).status, MR_ERR_OK);
        CU_ASSERT_EQUAL(ops_wait(p, 1).status, MR_ERR_OK);
        CU_ASSERT_EQUAL(memcmp(p->side[1].user + r.at, p->side[1].user + from.at, 4096), 0);
    }
    pair_free(p);
}

void test_ops_register(CU_pSuite s)
{
    CU_ADD_TEST(s, send__every_length_and_alignment);
    CU_ADD_TEST(s, send__lists_of_ranges_at_both_ends);
    CU_ADD_TEST(s, write__lists_and_immediate);
    CU_ADD_TEST(s, inline__data_is_the_entry_s);
    CU_ADD_TEST(s, read__lengths_and_lists);
    CU_ADD_TEST(s, atomic__both_kinds);
    CU_ADD_TEST(s, atomic__exactly_once_whatever_is_lost);
    CU_ADD_TEST(s, fence__waits_for_the_answer);
}
