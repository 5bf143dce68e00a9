// SPDX-License-Identifier: BSD-2-Clause
#include "rig.h"

#include <stdlib.h>

static void open_fails(const char *uri, int err)
{
    struct mr_device *dev = nullptr;

    CHECK_ERR(mr_device_open(uri, &dev), err);
    CU_ASSERT_PTR_NULL(dev);
    CU_ASSERT_EQUAL(fake_seen.open, fake_seen.close);
}

static void open__caps(void)
{
    struct mr_device *dev;
    struct mr_caps caps;

    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    CU_ASSERT_EQUAL(mr_device_query(dev, &caps), 0);
    CU_ASSERT_EQUAL(caps.version, 0x00010000);
    CU_ASSERT_EQUAL(caps.layout_hash, MR_LAYOUT_HASH);
    CU_ASSERT_EQUAL(caps.conns, 16);
    CU_ASSERT_EQUAL(caps.paths, 128);
    CU_ASSERT_EQUAL(caps.streams, 32);
    CU_ASSERT_EQUAL(caps.keys, 64);
    CU_ASSERT_EQUAL(caps.cqs, 8);
    CU_ASSERT_EQUAL(caps.msgs, 64);
    CU_ASSERT_EQUAL(caps.clock_khz, 250000);
    CU_ASSERT_EQUAL(caps.groups, 40);
    CU_ASSERT_EQUAL(caps.planes, 8);
    CU_ASSERT_EQUAL(caps.rqs, 8);
    CU_ASSERT_EQUAL(caps.rq_depth_max, MR_RQ_DEPTH_MAX);
    CU_ASSERT_EQUAL(caps.sges, 16);
    CU_ASSERT_EQUAL(caps.inline_max, MR_INLINE_MAX);
    CU_ASSERT_EQUAL(caps.requests, 64);
    CU_ASSERT_EQUAL(caps.recvs, 64);
    CU_ASSERT_EQUAL(caps.sq_depth_max, MR_DEPTH_MAX);
    CU_ASSERT_STRING_EQUAL(mr_device_uri(dev), "fake:");
    CU_ASSERT_EQUAL(mr_device_close(dev), 0);
    CU_ASSERT_EQUAL(fake_seen.close, 1);
}

static void open__from_environment(void)
{
    struct mr_device *dev;

    setenv("MR_DEVICE", "fake:", 1);
    CU_ASSERT_EQUAL_FATAL(mr_device_open(nullptr, &dev), 0);
    mr_device_close(dev);
    unsetenv("MR_DEVICE");
}

static void open__bad_uri(void)
{
    open_fails("", -ENODEV);  // stands for sim:, where nobody is
    open_fails("fake", -EINVAL);
    open_fails("fake:x", -EINVAL);
    open_fails("nothing:", -ENOTSUP);
    open_fails("sim:?nix=1", -EINVAL);
    open_fails("sim:?nic=x", -EINVAL);
    open_fails("soft:?dirr=1", mri_bus_soft.read32 ? -EINVAL : -ENOTSUP);
    open_fails("soft:31?planes=1", mri_bus_soft.read32 ? -EINVAL : -ENOTSUP);
    open_fails("soft:0?planes=2", mri_bus_soft.read32 ? -EINVAL : -ENOTSUP);
    CHECK_ERR(mr_device_open("fake:", nullptr), -EINVAL);
}

static void open__bad_magic(void)
{
    fake.magic = 0xffffffff;
    open_fails("fake:", -ENODEV);
}

static void open__bad_version(void)
{
    fake.version = 0x00020000;
    open_fails("fake:", -EPROTO);
    fake.version = 0x00017777;  // a newer minor one is taken
    struct mr_device *dev;
    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    mr_device_close(dev);
}

static void open__bad_hash(void)
{
    fake.layout_hash = MR_LAYOUT_HASH ^ 1;
    open_fails("fake:", -EPROTO);
}

static void open__bad_caps(void)
{
    uint32_t *cap[] = {&fake.conns, &fake.streams, &fake.keys,   &fake.cqs,
                       &fake.paths, &fake.groups,  &fake.planes, &fake.clock_khz};

    for (size_t i = 0; i < sizeof cap / sizeof cap[0]; i++) {
        fake_defaults();
        *cap[i] = 0;
        open_fails("fake:", -EPROTO);
    }
}

static void open__dies_anywhere(void)
{
    for (uint32_t n = 0; n < 13; n++) {
        fake.reads_left = n;
        open_fails("fake:", -EIO);
    }
}

static void close__frees_all(void)
{
    struct rig r;

    fake.hold = true;
    if (!rig_open(&r, 8, 16))
        return;
    for (unsigned i = 0; i < 5; i++) {
        struct mr_write w = rig_write(&r, i, 0, 64, i & 1);
        CU_ASSERT_EQUAL(mr_post_write(r.stream[0], &w), 0);
    }
    rig_close(&r);
    CU_ASSERT_EQUAL(mr_device_close(nullptr), 0);
}

static void close__dead_device(void)
{
    struct rig r;

    if (!rig_open(&r, 8, 16))
        return;
    fake_die();
    CHECK_ERR(mr_device_close(r.dev), -EIO);
    CU_ASSERT_EQUAL(fake_seen.maps, 0);
    CU_ASSERT_EQUAL(fake_seen.close, 1);
}

static void every_call__on_dead_device(void)
{
    struct rig r;
    struct mr_wc wc;
    struct mr_pd *pd;
    struct mr_mr *mr;
    struct mr_cq *cq;
    struct mr_path_info info;
    uint32_t bucket[MR_HIST_BUCKETS];
    uint64_t v[64];

    if (!rig_open(&r, 8, 16))
        return;
    fake_die();
    struct mr_write w = rig_write(&r, 1, 0, 64, MR_POST_SIGNALED);
    CHECK_ERR(mr_post_write(r.stream[0], &w), -EIO);
    CHECK_ERR(mr_post_write(r.stream[0], &w), -EIO);
    CHECK_ERR(mr_cq_poll(r.cq, &wc, 1), -EIO);
    CHECK_ERR(mr_cq_wait(r.cq, 1000), -EIO);
    CHECK_ERR(mr_device_time(r.dev, v), -EIO);
    CHECK_ERR(mr_counters_read(r.dev, v, 64), -EIO);
    CHECK_ERR(mr_path_query(r.conn[0], 0, &info), -EIO);
    CHECK_ERR(mr_path_set_port(r.conn[0], 0, 50000, 0), -EIO);
    CHECK_ERR(mr_path_histogram(r.conn[0], 0, bucket), -EIO);
    CHECK_ERR(mr_device_tune(r.dev, MR_TUNE_SEED, 1), -EIO);
    CHECK_ERR(mr_device_tunable(r.dev, MR_TUNE_SEED, v), -EIO);
    CHECK_ERR(mr_pd_create(r.dev, &pd), 0);
    CHECK_ERR(mr_mr_reg(pd, r.from, 64, MR_RIGHT_LOCAL_READ, &mr), -EIO);
    CHECK_ERR(mr_cq_create(r.dev, 8, &cq), -EIO);
    CHECK_ERR(mr_stream_destroy(r.stream[0]), -EIO);
    CHECK_ERR(mr_mr_dereg(r.src), -EIO);
    CHECK_ERR(mr_device_close(r.dev), -EIO);
}

static void query__bad_argument(void)
{
    struct mr_device *dev;
    struct mr_caps caps;
    uint64_t t;
    char text[8];

    CU_ASSERT_EQUAL_FATAL(mr_device_open("fake:", &dev), 0);
    CHECK_ERR(mr_device_query(nullptr, &caps), -EINVAL);
    CHECK_ERR(mr_device_query(dev, nullptr), -EINVAL);
    CHECK_ERR(mr_device_time(nullptr, &t), -EINVAL);
    CHECK_ERR(mr_device_time(dev, nullptr), -EINVAL);
    CU_ASSERT_EQUAL(mr_device_time(dev, &t), 0);
    CHECK_ERR(mr_device_stats(nullptr, text, sizeof text), -EINVAL);
    CHECK_ERR(mr_device_stats(dev, nullptr, 8), -EINVAL);
    CHECK_ERR(mr_device_stats(dev, text, sizeof text), -ENOTSUP);
    CU_ASSERT_STRING_EQUAL(mr_device_uri(nullptr), "");
    mr_device_close(dev);
}

const struct test_row tests_device[] = {
    {"open__caps", open__caps},
    {"open__from_environment", open__from_environment},
    {"open__bad_uri", open__bad_uri},
    {"open__bad_magic", open__bad_magic},
    {"open__bad_version", open__bad_version},
    {"open__bad_hash", open__bad_hash},
    {"open__bad_caps", open__bad_caps},
    {"open__dies_anywhere", open__dies_anywhere},
    {"close__frees_all", close__frees_all},
    {"close__dead_device", close__dead_device},
    {"every_call__on_dead_device", every_call__on_dead_device},
    {"query__bad_argument", query__bad_argument},
    {},
};
