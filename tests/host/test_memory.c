// SPDX-License-Identifier: BSD-2-Clause
#include "rig.h"

static struct mr_device *dev;
static struct mr_pd *pd;
static uint8_t bytes[256];

static bool open_pd(void)
{
    CU_ASSERT_EQUAL(mr_device_open("fake:", &dev), 0);
    CU_ASSERT_EQUAL(mr_pd_create(dev, &pd), 0);
    return dev && pd;
}

static void pd_create__bad_argument(void)
{
    if (!open_pd())
        return;
    CHECK_ERR(mr_pd_create(nullptr, &pd), -EINVAL);
    CHECK_ERR(mr_pd_create(dev, nullptr), -EINVAL);
    CU_ASSERT_EQUAL(mr_pd_destroy(nullptr), 0);
    CU_ASSERT_EQUAL(mr_pd_destroy(pd), 0);
    mr_device_close(dev);
}

static void pd_destroy__in_use(void)
{
    struct mr_mr *mr;

    if (!open_pd())
        return;
    CU_ASSERT_EQUAL(mr_mr_reg(pd, bytes, 1, MR_RIGHT_LOCAL_READ, &mr), 0);
    CHECK_ERR(mr_pd_destroy(pd), -EBUSY);
    CU_ASSERT_EQUAL(mr_mr_dereg(mr), 0);
    CU_ASSERT_EQUAL(mr_pd_destroy(pd), 0);
    mr_device_close(dev);
}

static void mr_reg__entry(void)
{
    struct mr_mr *mr;

    if (!open_pd())
        return;
    CU_ASSERT_EQUAL_FATAL(
        mr_mr_reg(pd, bytes + 3, 77, MR_RIGHT_LOCAL_READ | MR_RIGHT_REMOTE_WRITE, &mr), 0);
    uint32_t key = mr_mr_lkey(mr);
    CU_ASSERT_EQUAL(mr_mr_rkey(mr), key);
    struct mr_key_row row = mr_key_get(fake_entry(MR_TBL_KEY, key >> 8));
    CU_ASSERT_EQUAL((unsigned)row.rights, MR_RIGHT_LOCAL_READ | MR_RIGHT_REMOTE_WRITE);
    CU_ASSERT_EQUAL((unsigned)row.tag, key & 0xff);
    CU_ASSERT_EQUAL((uint64_t)row.va, (uintptr_t)bytes + 3);
    CU_ASSERT_EQUAL((uint64_t)row.len, 77);
    CU_ASSERT_EQUAL(fake_seen.maps, 1);
    CU_ASSERT_EQUAL(mr_mr_dereg(mr), 0);
    row = mr_key_get(fake_entry(MR_TBL_KEY, key >> 8));
    CU_ASSERT_EQUAL((unsigned)row.rights, 0);
    CU_ASSERT_EQUAL(fake_seen.maps, 0);
    mr_device_close(dev);
}

static void mr_reg__bad_argument(void)
{
    struct mr_mr *mr = nullptr;
    static constexpr uint32_t ok = MR_RIGHT_LOCAL_READ;

    if (!open_pd())
        return;
    CHECK_ERR(mr_mr_reg(nullptr, bytes, 1, ok, &mr), -EINVAL);
    CHECK_ERR(mr_mr_reg(pd, nullptr, 1, ok, &mr), -EINVAL);
    CHECK_ERR(mr_mr_reg(pd, bytes, 0, ok, &mr), -EINVAL);
    CHECK_ERR(mr_mr_reg(pd, bytes, 1, 0, &mr), -EINVAL);
    CHECK_ERR(mr_mr_reg(pd, bytes, 1, 0x40, &mr), -EINVAL);
    CHECK_ERR(mr_mr_reg(pd, bytes, 1, ok, nullptr), -EINVAL);
    CHECK_ERR(mr_mr_reg(pd, bytes, SIZE_MAX, ok, &mr), -EINVAL);
    CU_ASSERT_PTR_NULL(mr);
    CU_ASSERT_EQUAL(mr_mr_dereg(nullptr), 0);
    CU_ASSERT_EQUAL(mr_mr_lkey(nullptr), 0);
    CU_ASSERT_EQUAL(mr_pd_destroy(pd), 0);  // nothing was left behind
    mr_device_close(dev);
}

static void mr_reg__device_refuses(void)
{
    struct mr_mr *mr;

    if (!open_pd())
        return;
    fake.map_fails = true;
    CHECK_ERR(mr_mr_reg(pd, bytes, 1, MR_RIGHT_LOCAL_READ, &mr), -ENOSPC);
    fake.map_fails = false;
    fake.table_refuse = MR_TBL_KEY;
    CHECK_ERR(mr_mr_reg(pd, bytes, 1, MR_RIGHT_LOCAL_READ, &mr), -EREMOTEIO);
    fake.table_refuse = 0;
    CU_ASSERT_EQUAL(fake_seen.maps, 0);
    CU_ASSERT_EQUAL(mr_pd_destroy(pd), 0);
    mr_device_close(dev);
}

static void mr_reg__device_stuck(void)
{
    struct mr_mr *mr;

    if (!open_pd())
        return;
    fake.table_stuck = true;
    CHECK_ERR(mr_mr_reg(pd, bytes, 1, MR_RIGHT_LOCAL_READ, &mr), -ETIMEDOUT);
    fake.table_stuck = false;
    CU_ASSERT_EQUAL(mr_mr_reg(pd, bytes, 1, MR_RIGHT_LOCAL_READ, &mr), 0);
    mr_device_close(dev);
}

static void mr_reg__all_keys(void)
{
    struct mr_mr *mr[64], *one;

    if (!open_pd())
        return;
    for (int i = 0; i < 64; i++)
        CU_ASSERT_EQUAL_FATAL(mr_mr_reg(pd, bytes, 1, MR_RIGHT_LOCAL_READ, &mr[i]), 0);
    CHECK_ERR(mr_mr_reg(pd, bytes, 1, MR_RIGHT_LOCAL_READ, &one), -ENOSPC);
    uint32_t old = mr_mr_lkey(mr[17]);
    CU_ASSERT_EQUAL(mr_mr_dereg(mr[17]), 0);
    CU_ASSERT_EQUAL_FATAL(mr_mr_reg(pd, bytes, 1, MR_RIGHT_LOCAL_READ, &one), 0);
    CU_ASSERT_EQUAL(mr_mr_lkey(one) >> 8, old >> 8);
    CU_ASSERT_NOT_EQUAL(mr_mr_lkey(one) & 0xff, old & 0xff);
    mr_device_close(dev);
}

/* Every use of an index has another tag, until all have been had; no key is ever 0. */
static void mr_reg__tags(void)
{
    struct mr_mr *mr;
    bool seen[256] = {};

    fake.keys = 1;
    if (!open_pd())
        return;
    for (int i = 0; i < 255; i++) {
        CU_ASSERT_EQUAL_FATAL(mr_mr_reg(pd, bytes, 1, MR_RIGHT_LOCAL_READ, &mr), 0);
        uint32_t key = mr_mr_lkey(mr);
        CU_ASSERT_TRUE(key > 0 && key < 256 && !seen[key & 0xff]);
        seen[key & 0xff] = true;
        CU_ASSERT_EQUAL(mr_mr_dereg(mr), 0);
    }
    mr_device_close(dev);
}

const struct test_row tests_memory[] = {
    {"pd_create__bad_argument", pd_create__bad_argument},
    {"pd_destroy__in_use", pd_destroy__in_use},
    {"mr_reg__entry", mr_reg__entry},
    {"mr_reg__bad_argument", mr_reg__bad_argument},
    {"mr_reg__device_refuses", mr_reg__device_refuses},
    {"mr_reg__device_stuck", mr_reg__device_stuck},
    {"mr_reg__all_keys", mr_reg__all_keys},
    {"mr_reg__tags", mr_reg__tags},
    {},
};
