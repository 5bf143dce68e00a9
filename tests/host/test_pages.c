// SPDX-License-Identifier: BSD-2-Clause
/* test_pages.c - memory that is not contiguous on the bus: sizes of pages, the page table, its end. */
#include "rig.h"

#include <stdlib.h>

enum { PAGE = 4096, SPAN = 64 };  // pages of the memory below

static struct mr_device *dev;
static struct mr_pd *pd;
static uint8_t *memory;           // aligned to all of it
static unsigned char before[64];

static bool open_pd(uint64_t (*bus_of)(uint64_t page))
{
    fake.bus_of = bus_of;
    memory = aligned_alloc((size_t)SPAN * PAGE, (size_t)SPAN * PAGE);
    CU_ASSERT_EQUAL(mr_device_open("fake:", &dev), 0);
    CU_ASSERT_EQUAL(mr_pd_create(dev, &pd), 0);
    return dev && pd && memory;
}

static void close_pd(void)
{
    mr_device_close(dev);
    free(memory);
}

static struct mr_key_row key_of(const struct mr_mr *mr)
{
    return mr_key_get(fake_entry(MR_TBL_KEY, mr_mr_lkey(mr) >> 8));
}

/** What the device would make of a region's address. */
static uint64_t device_address(const struct mr_mr *mr, const uint8_t *at)
{
    struct mr_key_row key = key_of(mr);
    uint64_t a = (uint64_t)key.bus + ((uintptr_t)at - (uint64_t)key.va), entry;

    if (!(a >> 63))
        return a;
    unsigned log2 = a >> 57 & 63;
    uint64_t in = a & ((1ull << 57) - 1), page = in >> log2;
    memcpy(&entry, (const uint8_t *)fake_entry(MR_TBL_PAGES, (uint32_t)(page / 8)) + page % 8 * 8, 8);
    CU_ASSERT_EQUAL(entry & 4095, 1);
    CU_ASSERT_EQUAL((entry - 1) % (1ull << log2), 0);
    return entry - 1 + in % (1ull << log2);
}

static unsigned size_of(const struct mr_mr *mr)
{
    uint64_t a = (uint64_t)key_of(mr).bus;

    return a >> 63 ? a >> 57 & 63 : 0;
}

static uint64_t apart(uint64_t page)
{
    return page + 0x5000;
}

/* Four pages each in the other order; the same in units of 64 KiB. */
static uint64_t turned(uint64_t page)
{
    return page ^ 0x3000;
}

static uint64_t turned_64k(uint64_t page)
{
    return page ^ 0x30000;
}

/* In one piece but for the last page. */
static uint64_t last_elsewhere(uint64_t page)
{
    return page + ((page - (uintptr_t)memory) / PAGE == SPAN - 1 ? 0x10000000 : 0);
}

static void mr_reg__in_one_piece(void)
{
    struct mr_mr *mr;

    if (!open_pd(apart))
        return;
    CU_ASSERT_EQUAL_FATAL(mr_mr_reg(pd, memory + 5, 10 * PAGE, MR_RIGHT_LOCAL_READ, &mr), 0);
    CU_ASSERT_EQUAL((uint64_t)key_of(mr).bus, (uintptr_t)memory + 5 + 0x5000);
    CU_ASSERT_EQUAL(mr_mr_dereg(mr), 0);
    close_pd();
}

static void whole_region(uint64_t (*bus_of)(uint64_t page), unsigned log2, size_t from, size_t len)
{
    struct mr_mr *mr;

    if (!open_pd(bus_of))
        return;
    CU_ASSERT_EQUAL_FATAL(mr_mr_reg(pd, memory + from, len, MR_RIGHT_LOCAL_READ, &mr), 0);
    CU_ASSERT_EQUAL(size_of(mr), log2);
    for (size_t i = from; i < from + len; i += i + 777 < from + len ? 777 : 1) {
        uint64_t page = (uintptr_t)(memory + i) & ~4095ull;
        CU_ASSERT_EQUAL(device_address(mr, memory + i), bus_of(page) + i % PAGE);
    }
    struct mr_key_row key = key_of(mr);
    uint32_t first = (uint32_t)(((uint64_t)key.bus & ((1ull << 57) - 1)) >> log2) / 8;
    CU_ASSERT_EQUAL(mr_mr_dereg(mr), 0);
    CU_ASSERT_EQUAL(memcmp(fake_entry(MR_TBL_PAGES, first), before, 64), 0);
    CU_ASSERT_EQUAL(fake_seen.maps, 0);
    // First the key, then the pages.
    bool gone = false;
    for (uint32_t i = 0; i < fake_seen.entries; i++) {
        const struct fake_entry *e = &fake_seen.entry[i];
        gone |= e->table == MR_TBL_KEY && !e->first[0];
        if (e->table == MR_TBL_PAGES && !memcmp(e->first, before, 8))
            CU_ASSERT_TRUE(gone);
    }
    close_pd();
}

static void mr_reg__small_pages(void)
{
    whole_region(turned, 12, 0, (size_t)SPAN * PAGE);
    whole_region(turned, 12, 4095, 2);
    whole_region(turned, 12, 3 * PAGE + 17, 20 * PAGE);
}

static void mr_reg__largest_pages(void)
{
    whole_region(turned_64k, 16, 0, (size_t)SPAN * PAGE);
    whole_region(turned_64k, 16, 5 * PAGE + 1, 40 * PAGE);
    whole_region(last_elsewhere, 12, 0, (size_t)SPAN * PAGE);
}

static void mr_reg__page_table_full(void)
{
    struct mr_mr *mr[8], *more;

    if (!open_pd(turned))
        return;
    struct mr_caps caps;
    CU_ASSERT_EQUAL(mr_device_query(dev, &caps), 0);
    CU_ASSERT_EQUAL(caps.pages, 64);
    for (int i = 0; i < 8; i++)  // an entry of eight pages each
        CU_ASSERT_EQUAL_FATAL(mr_mr_reg(pd, memory + 8 * PAGE * i, 5 * PAGE, MR_RIGHT_LOCAL_READ, &mr[i]), 0);
    CHECK_ERR(mr_mr_reg(pd, memory, 2 * PAGE, MR_RIGHT_LOCAL_READ, &more), -ENOSPC);
    CU_ASSERT_EQUAL(fake_seen.maps, 8);
    CU_ASSERT_EQUAL(mr_mr_reg(pd, memory, PAGE, MR_RIGHT_LOCAL_READ, &more), 0);  // a page is one piece
    CU_ASSERT_EQUAL(mr_mr_dereg(more), 0);
    CU_ASSERT_EQUAL(mr_mr_dereg(mr[2]), 0);
    CU_ASSERT_EQUAL(mr_mr_dereg(mr[5]), 0);
    CHECK_ERR(mr_mr_reg(pd, memory, 9 * PAGE, MR_RIGHT_LOCAL_READ, &more), -ENOSPC);  // not in a row
    CU_ASSERT_EQUAL(mr_mr_dereg(mr[4]), 0);
    CU_ASSERT_EQUAL(mr_mr_reg(pd, memory, 16 * PAGE, MR_RIGHT_LOCAL_READ, &more), 0);
    CU_ASSERT_EQUAL(mr_mr_reg(pd, memory, 8 * PAGE, MR_RIGHT_LOCAL_READ, &mr[2]), 0);
    CHECK_ERR(mr_mr_reg(pd, memory, 2 * PAGE, MR_RIGHT_LOCAL_READ, &mr[4]), -ENOSPC);
    close_pd();
}

/* More pages than there are; a device without a page table. */
static void mr_reg__too_many_pages(void)
{
    struct mr_mr *mr;

    fake.pages = 56;
    if (!open_pd(turned))
        return;
    CHECK_ERR(mr_mr_reg(pd, memory, (size_t)SPAN * PAGE, MR_RIGHT_LOCAL_READ, &mr), -ENOSPC);
    CU_ASSERT_EQUAL(mr_mr_reg(pd, memory, 56 * PAGE, MR_RIGHT_LOCAL_READ, &mr), 0);
    close_pd();
    fake.pages = 0;
    if (!open_pd(turned))
        return;
    CHECK_ERR(mr_mr_reg(pd, memory, 2 * PAGE, MR_RIGHT_LOCAL_READ, &mr), -ENOSPC);
    CU_ASSERT_EQUAL(fake_seen.maps, 0);
    CU_ASSERT_EQUAL(mr_mr_reg(pd, memory, PAGE, MR_RIGHT_LOCAL_READ, &mr), 0);
    close_pd();
}

/* A region's pages are not the next one's, unless there are no others. */
static void mr_dereg__pages_come_back_late(void)
{
    struct mr_mr *mr;

    if (!open_pd(turned))
        return;
    for (uint64_t i = 0; i < 20; i++) {
        CU_ASSERT_EQUAL_FATAL(mr_mr_reg(pd, memory, 2 * PAGE, MR_RIGHT_LOCAL_READ, &mr), 0);
        CU_ASSERT_EQUAL(((uint64_t)key_of(mr).bus & ((1ull << 57) - 1)) >> 15, i % 8);
        CU_ASSERT_EQUAL(mr_mr_dereg(mr), 0);
    }
    close_pd();
}

static void mr_reg__page_table_refuses(void)
{
    struct mr_mr *mr;

    if (!open_pd(turned))
        return;
    fake.table_refuse = MR_TBL_PAGES;
    CHECK_ERR(mr_mr_reg(pd, memory, 20 * PAGE, MR_RIGHT_LOCAL_READ, &mr), -EREMOTEIO);
    fake.table_refuse = MR_TBL_KEY;
    CHECK_ERR(mr_mr_reg(pd, memory, 20 * PAGE, MR_RIGHT_LOCAL_READ, &mr), -EREMOTEIO);
    fake.table_refuse = 0;
    fake.map_fails = true;
    CHECK_ERR(mr_mr_reg(pd, memory, 20 * PAGE, MR_RIGHT_LOCAL_READ, &mr), -ENOSPC);
    fake.map_fails = false;
    CU_ASSERT_EQUAL(fake_seen.maps, 0);
    CU_ASSERT_EQUAL(mr_mr_reg(pd, memory, (size_t)SPAN * PAGE, MR_RIGHT_LOCAL_READ, &mr), 0);  // all were given back
    close_pd();
}

const struct test_row tests_pages[] = {
    {"mr_reg__in_one_piece", mr_reg__in_one_piece},
    {"mr_reg__small_pages", mr_reg__small_pages},
    {"mr_reg__largest_pages", mr_reg__largest_pages},
    {"mr_reg__page_table_full", mr_reg__page_table_full},
    {"mr_reg__too_many_pages", mr_reg__too_many_pages},
    {"mr_dereg__pages_come_back_late", mr_dereg__pages_come_back_late},
    {"mr_reg__page_table_refuses", mr_reg__page_table_refuses},
    {},
};
