// SPDX-License-Identifier: BSD-2-Clause
#include "rig.h"

static void create__bad_argument(void)
{
    struct mr_device *dev;
    struct mr_cq *cq = nullptr;

    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    CHECK_ERR(mr_cq_create(nullptr, 8, &cq), -EINVAL);
    CHECK_ERR(mr_cq_create(dev, 0, &cq), -EINVAL);
    CHECK_ERR(mr_cq_create(dev, MR_CQ_ENTRIES_MAX + 1, &cq), -EINVAL);
    CHECK_ERR(mr_cq_create(dev, 8, nullptr), -EINVAL);
    fake.table_refuse = MR_TBL_CQ;
    CHECK_ERR(mr_cq_create(dev, 8, &cq), -EREMOTEIO);
    fake.table_refuse = 0;
    CU_ASSERT_PTR_NULL(cq);
    CU_ASSERT_EQUAL(fake_seen.maps, 0);
    mr_device_close(dev);
}

static void create__sizes(void)
{
    static const struct {
        uint32_t entries, log2;
    } row[] = {{1, 1}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {65535, 16}, {65536, 16}};
    struct mr_device *dev;
    struct mr_cq *cq;

    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    for (uint32_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        CU_ASSERT_EQUAL_FATAL(mr_cq_create(dev, row[i].entries, &cq), 0);
        struct mr_cq_row entry = mr_cq_get(fake_entry(MR_TBL_CQ, i));
        CU_ASSERT_EQUAL((unsigned)entry.log2, row[i].log2);
        CU_ASSERT_NOT_EQUAL((uint64_t)entry.base, 0);
        CU_ASSERT_EQUAL((uint64_t)entry.base & 4095, 0);
    }
    CU_ASSERT_EQUAL_FATAL(mr_cq_create(dev, 1, &cq), 0);
    CHECK_ERR(mr_cq_create(dev, 1, &cq), -ENOSPC);
    mr_device_close(dev);
}

static void destroy__in_use(void)
{
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    CHECK_ERR(mr_cq_destroy(r.cq), -EBUSY);
    CU_ASSERT_EQUAL(mr_stream_destroy(r.stream[0]), 0);
    CHECK_ERR(mr_cq_destroy(r.cq), -EBUSY);
    CU_ASSERT_EQUAL(mr_stream_destroy(r.stream[1]), 0);
    CU_ASSERT_EQUAL(mr_cq_destroy(r.cq), 0);
    CU_ASSERT_EQUAL(mr_cq_destroy(nullptr), 0);
    CHECK_ERR(mr_pd_destroy(r.pd), -EBUSY);
    rig_close(&r);
}

static void poll__bad_argument(void)
{
    struct mr_wc wc;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    CHECK_ERR(mr_cq_poll(nullptr, &wc, 1), -EINVAL);
    CHECK_ERR(mr_cq_poll(r.cq, nullptr, 1), -EINVAL);
    CHECK_ERR(mr_cq_poll(r.cq, &wc, -1), -EINVAL);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, nullptr, 0), 0);
    CHECK_ERR(mr_cq_wait(nullptr, 1), -EINVAL);
    rig_close(&r);
}

static void poll__empty_gives_time(void)
{
    struct mr_wc wc;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, &wc, 1), 0);
    CU_ASSERT_EQUAL(fake_seen.relaxes, 1);
    struct mr_write w = rig_write(&r, 5, 0, 64, MR_POST_SIGNALED);
    CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &w), 0);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, &wc, 1), 1);
    CU_ASSERT_EQUAL(fake_seen.relaxes, 1);
    rig_close(&r);
}

static void poll__fields(void)
{
    struct mr_wc wc;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    struct mr_write w = rig_write(&r, 0x123456789abcdef0, 0, 64, MR_POST_SIGNALED);
    CU_ASSERT_EQUAL(mr_post_write(r.stream[1], &w), 0);
    memset(&wc, 0xff, sizeof wc);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, &wc, 1), 1);
    CU_ASSERT_EQUAL(wc.wr_id, 0x123456789abcdef0);
    CU_ASSERT_PTR_EQUAL(wc.stream, r.stream[1]);
    CU_ASSERT_EQUAL(wc.stream_num, mr_stream_number(r.stream[1]));
    CU_ASSERT_EQUAL(wc.byte_len, 64);
    CU_ASSERT_EQUAL(wc.status, MR_ERR_OK);
    CU_ASSERT_EQUAL(wc.opcode, MR_OP_WRITE);
    CU_ASSERT_EQUAL(wc.flags, 0);
    CU_ASSERT_EQUAL(wc.rsvd, 0);
    rig_close(&r);
}

/* Small rings go round many times: the phase changes with every pass. */
static void poll__wraps(void)
{
    struct mr_wc wc[4];
    struct rig r;

    for (uint32_t entries = 2; entries <= 8; entries *= 2) {
        if (!rig_open(&r, 4, entries))
            return;
        uint64_t id = 0, next = 0;
        for (int round = 0; round < 300; round++) {
            int n = 1 + round % (entries < 4 ? (int)entries : 4);
            for (int i = 0; i < n; i++) {
                struct mr_write w = rig_write(&r, id++, 0, 8, MR_POST_SIGNALED);
                CU_ASSERT_EQUAL_FATAL(mr_post_write(r.stream[0], &w), 0);
            }
            CU_ASSERT_EQUAL_FATAL(mr_cq_poll(r.cq, wc, 4), n);
            for (int i = 0; i < n; i++)
                CU_ASSERT_EQUAL(wc[i].wr_id, next++);
            CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 4), 0);
        }
        rig_close(&r);
    }
}

static void poll__tells_lazily(void)
{
    struct mr_wc wc;
    struct rig r;

    if (!rig_open(&r, 16, 64))
        return;
    for (int i = 0; i < 64; i++) {
        struct mr_write w = rig_write(&r, 0, 0, 8, MR_POST_SIGNALED);
        CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &w), 0);
        CU_ASSERT_EQUAL(mr_cq_poll(r.cq, &wc, 1), 1);
    }
    CU_ASSERT_EQUAL(fake_seen.cq_doorbells, 4);
    rig_close(&r);
}

/* An entry for a slot that is not posted, a stream that is not there, a success in front of a
 * signalled entry: each is skipped, told once, and loses no other completion. */
static void poll__bad_entries(void)
{
    struct mr_wc wc[4];
    struct rig r;

    fake.hold = true;
    if (!rig_open(&r, 8, 16))
        return;
    for (unsigned i = 0; i < 4; i++) {
        struct mr_write w = rig_write(&r, i, 0, 8, i == 1 ? 0 : MR_POST_SIGNALED);
        CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &w), 0);
    }
    uint32_t s = mr_stream_number(r.stream[0]);
    fake_cqe(0, s, 4, MR_ERR_OK);       // not posted
    fake_run(1);
    fake_cqe(0, s, 1, MR_ERR_OK);       // not signalled
    fake_cqe(0, 31, 0, MR_ERR_OK);      // no such stream
    fake_cqe(0, 0xffffff, 0, MR_ERR_OK);
    fake_cqe(0, s, 3, MR_ERR_OK);       // jumps over a signalled one
    fake_run(3);
    CHECK_ERR(mr_cq_poll(r.cq, wc, 4), -EBADMSG);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 4), 1);
    CU_ASSERT_EQUAL(wc[0].wr_id, 0);
    CHECK_ERR(mr_cq_poll(r.cq, wc, 4), -EBADMSG);  // found behind the good one
    CHECK_ERR(mr_cq_poll(r.cq, wc, 4), -EBADMSG);
    CHECK_ERR(mr_cq_poll(r.cq, wc, 4), -EBADMSG);
    CHECK_ERR(mr_cq_poll(r.cq, wc, 4), -EBADMSG);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 4), 2);
    CU_ASSERT_EQUAL(wc[0].wr_id, 2);
    CU_ASSERT_EQUAL(wc[1].wr_id, 3);
    rig_close(&r);
}

static void wait__time_out(void)
{
    uint64_t before, after;
    struct rig r;

    if (!rig_open(&r, 4, 16))
        return;
    CU_ASSERT_EQUAL(mr_cq_wait(r.cq, 0), 0);
    mr_device_time(r.dev, &before);
    CU_ASSERT_EQUAL(mr_cq_wait(r.cq, 12345), 0);
    mr_device_time(r.dev, &after);
    CU_ASSERT_EQUAL(after - before, 12345);
    rig_close(&r);
}

static void wait__until_there(void)
{
    struct mr_wc wc;
    struct rig r;

    fake.hold = true;
    if (!rig_open(&r, 4, 16))
        return;
    struct mr_write w = rig_write(&r, 1, 0, 8, 0);
    CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &w), 0);
    w = rig_write(&r, 2, 0, 8, MR_POST_SIGNALED);
    CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &w), 0);
    fake.run_in_wait = true;
    CU_ASSERT_EQUAL(mr_cq_wait(r.cq, 1000000), 0);  // the first one says nothing
    CU_ASSERT_EQUAL(mr_cq_wait(r.cq, 1000000), 1);
    CU_ASSERT_EQUAL(mr_cq_wait(r.cq, 1000000), 1);  // it is still there
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, &wc, 1), 1);
    CU_ASSERT_EQUAL(wc.wr_id, 2);
    rig_close(&r);
}

const struct test_row tests_cq[] = {
    {"create__bad_argument", create__bad_argument},
    {"create__sizes", create__sizes},
    {"destroy__in_use", destroy__in_use},
    {"poll__bad_argument", poll__bad_argument},
    {"poll__empty_gives_time", poll__empty_gives_time},
    {"poll__fields", poll__fields},
    {"poll__wraps", poll__wraps},
    {"poll__tells_lazily", poll__tells_lazily},
    {"poll__bad_entries", poll__bad_entries},
    {"wait__time_out", wait__time_out},
    {"wait__until_there", wait__until_there},
    {},
};
