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
        uint8_t *f = r->bytes[i];
        uint8_t cover[4608];
        unsigned n = r->len[i] - 14 - 4;
        uint32_t crc;
        f[45] = 1;
        memcpy(cover, f + 14, n);
        cover[1] = cover[8] = cover[10] = cover[11] = cover[26] = cover[27] = 0xff;
        crc = (uint32_t)crc32(0, cover, n);
        memcpy(f + 14 + n, &crc, 4);
        inject(p, f, r->len[i]);
    }
    pair_run(p, 2000);
    CU_ASSERT_EQUAL(p->side[1].writes, before);
    CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_RX_BAD_ICRC), 0);
    CU_ASSERT_EQUAL(pair_count(p, 1, MR_CNT_RX_EPOCH), r->count);
    free(r);
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
}
