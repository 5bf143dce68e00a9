// SPDX-License-Identifier: BSD-2-Clause
/* test_hostile.c - frames that nobody should send, and frames that come too late. */
#include <zlib.h>

#include "nic_test.h"

enum { KEPT = 300 };

/** Frames that were on the wire. */
struct record {
    unsigned count;
    unsigned len[KEPT];
    uint8_t bytes[KEPT][4608];
};

static enum pair_fate keep(struct pair *p, unsigned from, uint8_t *f, unsigned len, void *arg)
{
    struct record *r = arg;

    (void)p;
    if (from == 0 && r->count < KEPT && len <= sizeof *r->bytes) {
        memcpy(r->bytes[r->count], f, len);
        r->len[r->count++] = len;
    }
    return PAIR_PASS;
}

static struct record *traffic(struct pair *p, uint32_t len)
{
    struct record *r = calloc(1, sizeof *r);

    CU_ASSERT_PTR_NOT_NULL_FATAL(r);
    fill(p, 0, 0, len);
    p->fault = keep;
    p->fault_arg = r;
    CU_ASSERT_EQUAL(write_now(p, 0, 0, len), MR_ERR_OK);
    p->fault = NULL;
    pair_run(p, 5000);
    return r;
}

/** Mutated frames: changed bytes, cut, lengthened. All must be dropped whole. */
static void hostile__mutated_frames_write_nothing(void)
{
    struct pair *p = pair_new(400, 4);
    struct record *r = traffic(p, 1 << 20);
    uint64_t before = p->side[1].writes;
    uint8_t frame[9216];

    for (unsigned i = 0; i < 3000; i++) {
        unsigned which = (unsigned)(pair_random(p) % r->count);
        unsigned len = r->len[which];
        memset(frame, 0, sizeof frame);
        memcpy(frame, r->bytes[which], len);
        switch (i % 4) {
        case 0: len = 1 + (unsigned)(pair_random(p) % len); break;
        case 1: len += (unsigned)(pair_random(p) % 4000); break;
        default: break;
        }
        for (unsigned n = 1 + (unsigned)(pair_random(p) % 4); n--;)
            frame[pair_random(p) % (len > 128 ? 128 : len)] = (uint8_t)pair_random(p);
        inject(p, frame, len);
    }
    pair_run(p, 20000);
    CU_ASSERT_EQUAL(p->side[1].writes, before);
    // And the NIC goes on.
    CU_ASSERT_EQUAL(write_now(p, 100, 2 << 20, 50000), MR_ERR_OK);
    CU_ASSERT_TRUE(same(p, 100, 2 << 20, 50000));
    free(r);
    pair_free(p);
}

static void hostile__old_packets_are_acknowledged_and_dropped(void)
{
    struct pair *p = pair_new(410, 2);
    struct record *r = traffic(p, 65536);
    uint64_t before = p->side[1].writes;
    uint32_t acks = pair_count(p, 1, MR_CNT_TX_ACKS);

    for (unsigned i = 0; i < r->count; i++) {
        inject(p, r->bytes[i], r->len[i]);
        pair_run(p, 500);
    }
    CU_ASSERT_EQUAL(p->side[1].writes, before);
    CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_RX_DUP), r->count);
    CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_TX_ACKS), acks + r->count);
    CU_ASSERT_TRUE(all_closed(p, 0, 2));
    free(r);
    pair_free(p);
}

static void set_conn(struct pair *p, unsigned s, unsigned generation)
{
    pair_connect(p, s, (struct pair_conn){.generation = generation, .paths = 2, .mtu = 4096});
}

/** Stream 0 begins anew, so its messages are numbered from 0 again. */
static void set_stream(struct pair *p, unsigned s)
{
    uint8_t entry[MR_STREAM_BYTES];

    mr_stream_put(entry, (struct mr_stream){.state = 1, .sq_log2 = 6, .pd = 7,
        .sq_base = (uintptr_t)p->side[s].sq, .rq = MR_RQ_NONE});
    CU_ASSERT_EQUAL(pair_table(p, s, MR_TBL_STREAM, 0, entry, sizeof entry), 0);
}

/** A connection's number is used again: packets of the earlier use do nothing. */
static void hostile__packets_of_an_earlier_connection(void)
{
    struct pair *p = pair_new(420, 2);
    struct record *r = traffic(p, 65536);
    uint64_t before = p->side[1].writes;

    set_conn(p, 0, 0x40);
    set_conn(p, 1, 0x40);
    for (unsigned i = 0; i < r->count; i++)
        inject(p, r->bytes[i], r->len[i]);
    pair_run(p, 5000);
    CU_ASSERT_EQUAL(p->side[1].writes, before);
    CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_RX_BAD_CONN), r->count);
    free(r);
    pair_free(p);
}

/** A buffer was given back: a packet that comes late for it is refused. */
static void hostile__packets_for_a_key_that_is_gone(void)
{
    struct pair *p = pair_new(430, 2);
    struct record *r = traffic(p, 65536);
    uint64_t before = p->side[1].writes;
    uint8_t entry[32] = {0};

    set_conn(p, 1, 0x33);  // the sequence begins anew, so nothing is a duplicate
    set_stream(p, 1);
    CU_ASSERT_EQUAL(pair_table(p, 1, MR_TBL_KEY, PAIR_KEY >> 8, entry, sizeof entry), 0);
    for (unsigned i = 0; i < r->count; i++)
        inject(p, r->bytes[i], r->len[i]);
    pair_run(p, 5000);
    CU_ASSERT_EQUAL(p->side[1].writes, before);
    CU_ASSERT(pair_count(p, 1, MR_CNT_RX_REFUSED) >= 16);
    free(r);
    pair_free(p);
}

/** Another host's address, MAC or IP: not for us. */
static void hostile__frames_for_somebody_else(void)
{
    struct pair *p = pair_new(440, 2);
    struct record *r = traffic(p, 65536);
    uint64_t before = p->side[1].writes;

    set_conn(p, 1, 0x33);
    for (unsigned i = 0; i < r->count; i++) {
        r->bytes[i][5] ^= 0x10;  // destination MAC: not covered by the integrity value
        inject(p, r->bytes[i], r->len[i]);
    }
    pair_run(p, 5000);
    CU_ASSERT_EQUAL(p->side[1].writes, before);
    CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_RX_BAD_CONN), r->count);
    free(r);
    pair_free(p);
}

/** Memories survive a reset in hardware; what they held must not. */
static void hostile__reset_frees_every_table(void)
{
    struct pair *p = pair_new(460, 2);
    struct record *r = traffic(p, 65536);
    uint64_t before = p->side[1].writes;
    struct mr_nic *n = p->side[1].nic;

    // As a reset does: registers begin anew, memories stay.
    n->ctrl.state = 0;
    while (pair_read(p, 1, MR_REG_TBL_STATUS) == 1)
        continue;
    for (unsigned i = 0; i < r->count; i++)
        inject(p, r->bytes[i], r->len[i]);
    pair_run(p, 5000);
    CU_ASSERT_EQUAL(p->side[1].writes, before);
    CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_RX_BAD_CONN), r->count);
    CU_ASSERT_EQUAL(n->rx_check.key_q, 0);
    free(r);
    pair_free(p);
}

/** Makes a frame's integrity value right again. */
static void seal(uint8_t *f, unsigned len)
{
    uint8_t cover[4608];
    unsigned n = len - 14 - 4;
    uint32_t crc;

    memcpy(cover, f + 14, n);
    cover[1] = cover[8] = cover[10] = cover[11] = cover[26] = cover[27] = 0xff;
    crc = (uint32_t)crc32(0, cover, n);
    memcpy(f + 14 + n, &crc, 4);
}

/** A path begins with epoch 0, and has no other before CLOSE. The integrity value is made right again, so only the epoch is wrong. */
static void hostile__another_epoch_is_dropped(void)
{
    struct pair *p = pair_new(470, 1);
    struct record *r;
    uint64_t before;

    r = traffic(p, 5000);
    before = p->side[1].writes;
    set_conn(p, 1, 0x33);
    for (unsigned i = 0; i < r->count; i++) {
        r->bytes[i][45] = 1;
        seal(r->bytes[i], r->len[i]);
        inject(p, r->bytes[i], r->len[i]);
    }
    pair_run(p, 2000);
    CU_ASSERT_EQUAL(p->side[1].writes, before);
    CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_RX_BAD_ICRC), 0);
    CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_RX_EPOCH), r->count);
    free(r);
    pair_free(p);
}

/** Opcode 2 means CLOSE in kind PATH and nothing of the sort in kind DATA. */
static enum pair_fate opcode_two(struct pair *p, unsigned from, uint8_t *f, unsigned len, void *arg)
{
    (void)p, (void)arg;
    if (from == 0 && kind_of(f) == MR_KIND_DATA) {
        f[43] = MR_PATHOP_CLOSE;
        seal(f, len);
    }
    return PAIR_PASS;
}

static void hostile__issue_data_with_the_opcode_of_close(void)
{
    struct pair *p = pair_new(455, 1);

    p->fault = opcode_two;
    pair_post(p, 0, pair_wqe(p, 0, 0, 0, 100));
    pair_run(p, 3000);
    CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_TX_CLOSES), 0);
    CU_ASSERT(pair_count(p, 1, MR_CNT_RX_REFUSED) > 0);  // no receive
    CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_RX_EPOCH), 0);
    pair_free(p);
}

/** Every kind that there is not, with a right integrity value: dropped, and nothing stands still. */
static void hostile__issue_kinds_that_mean_something_inside(void)
{
    struct pair *p = pair_new(458, 1);
    struct record *r = traffic(p, 5000);

    for (unsigned kind = 0; kind < 16; kind++)
        for (unsigned i = 0; i < r->count; i++) {
            if (kind == MR_KIND_DATA)
                continue;
            r->bytes[i][42] = (uint8_t)((r->bytes[i][42] & 0xf0) | kind);
            seal(r->bytes[i], r->len[i]);
            for (unsigned k = 0; k < 20; k++)
                inject(p, r->bytes[i], r->len[i]);
        }
    free(r);
    CU_ASSERT_EQUAL(write_now(p, 0, 0, 5000), MR_ERR_OK);
    uint8_t none[MR_KEY_BYTES] = {0};
    CU_ASSERT_EQUAL(pair_table(p, 1, MR_TBL_KEY, PAIR_KEY >> 8, none, sizeof none), 0);
    pair_free(p);
}

static void hostile__padding_is_not_payload(void)
{
    struct pair *p = pair_new(450, 1);
    struct record *r;
    uint8_t frame[256] = {0};

    fill(p, 0, 0, 1);
    r = traffic(p, 1);
    set_conn(p, 1, 0x33);
    set_stream(p, 1);
    memset(p->side[1].user, 0, 64);
    memset(frame, 0xff, sizeof frame);
    memcpy(frame, r->bytes[0], r->len[0]);
    inject(p, frame, r->len[0] + 30);
    pair_run(p, 2000);
    CU_ASSERT_EQUAL(p->side[1].user[0], p->side[0].user[0]);
    CU_ASSERT_EQUAL(p->side[1].user[1], 0);
    free(r);
    pair_free(p);
}

void test_hostile_register(CU_pSuite s)
{
    CU_ADD_TEST(s, hostile__mutated_frames_write_nothing);
    CU_ADD_TEST(s, hostile__old_packets_are_acknowledged_and_dropped);
    CU_ADD_TEST(s, hostile__packets_of_an_earlier_connection);
    CU_ADD_TEST(s, hostile__packets_for_a_key_that_is_gone);
    CU_ADD_TEST(s, hostile__frames_for_somebody_else);
    CU_ADD_TEST(s, hostile__reset_frees_every_table);
    CU_ADD_TEST(s, hostile__another_epoch_is_dropped);
    CU_ADD_TEST(s, hostile__padding_is_not_payload);
    CU_ADD_TEST(s, hostile__issue_kinds_that_mean_something_inside);
    CU_ADD_TEST(s, hostile__issue_data_with_the_opcode_of_close);
}
