// SPDX-License-Identifier: BSD-2-Clause
/* pages.c - where a region's memory is on the bus: in one piece, or in the device's page table. */
#include <stdlib.h>

#include "internal.h"

static constexpr unsigned page_log2_min = 12;
static constexpr unsigned page_log2_max = 30;
static constexpr uint64_t small_page = 1ull << page_log2_min;

/** A region as the bus has it. */
struct pieces {
    uint64_t va;          // of the first 4 KiB page
    uint64_t n;           // 4 KiB pages
    uint64_t *bus;        // of each
    unsigned log2;        // of the pages that are made of them
    uint64_t units;       // how many of these
};

static unsigned zeros(uint64_t v)
{
    return v ? (unsigned)__builtin_ctzll(v) : 64;
}

static unsigned at_most(unsigned v, unsigned limit)
{
    return v < limit ? v : limit;
}

/*
 * Finds the largest pages: within one, memory and bus address are the same number of
 * bytes apart, a multiple of its size. False: it all is one piece.
 */
static bool find_size(struct pieces *p)
{
    uint64_t apart = p->va - p->bus[0];
    unsigned log2 = at_most(zeros(apart), page_log2_max);
    bool in_pieces = false;

    for (uint64_t i = 1; i < p->n; i++) {
        uint64_t here = p->va + i * small_page, d = here - p->bus[i];
        if (d == apart)
            continue;
        in_pieces = true;
        apart = d;
        log2 = at_most(at_most(zeros(d), zeros(here)), log2);
    }
    p->log2 = log2;
    p->units = ((p->va + (p->n - 1) * small_page) >> log2) - (p->va >> log2) + 1;
    return in_pieces;
}

/** Page u as its entry has it; 0 behind the last one. */
static uint64_t unit_entry(const struct pieces *p, uint64_t u)
{
    uint64_t at = ((p->va >> p->log2) + u) << p->log2;
    uint64_t from = at > p->va ? at : p->va;  // the first page may begin before the region

    return u < p->units ? p->bus[(from - p->va) / small_page] - (from - at) + 1 : 0;
}

/** Writes n entries from the region's first on; p NULL: frees them. */
static int write_entries(const struct mr_mr *mr, const struct pieces *p, uint32_t n)
{
    unsigned char entry[MR_PAGES_BYTES];
    int rc = 0;

    for (uint32_t i = 0; i < n && !rc; i++) {
        uint64_t e[mri_page_group] = {};
        for (uint32_t k = 0; k < mri_page_group && p; k++)
            e[k] = unit_entry(p, (uint64_t)i * mri_page_group + k);
        mr_pages_put(entry, (struct mr_pages){.page0 = e[0], .page1 = e[1], .page2 = e[2], .page3 = e[3],
                                              .page4 = e[4], .page5 = e[5], .page6 = e[6], .page7 = e[7]});
        rc = mri_table_write(mr->pd->dev, MR_TBL_PAGES, mr->page + i, entry, sizeof entry);
    }
    return rc;
}

/*
 * Entries come back as late as possible, like keys: a write that passed its check
 * before the key went must not find another region's page in the table.
 */
static int take_entries(struct mr_mr *mr, const struct pieces *p)
{
    struct mr_device *dev = mr->pd->dev;

    if (p->units > dev->caps.pages)
        return -ENOSPC;
    mr->npage = (uint32_t)((p->units + mri_page_group - 1) / mri_page_group);
    int rc = mri_groups_take(&dev->pages, mr->npage, dev->page_next, &mr->page);
    if (rc)
        rc = mri_groups_take(&dev->pages, mr->npage, 0, &mr->page);
    if (rc) {
        mr->npage = 0;
        return rc;
    }
    dev->page_next = mr->page + mr->npage;
    return 0;
}

/** Enters the pieces in the page table, unless they are one. */
static int enter(struct mr_mr *mr, struct pieces *p)
{
    uint64_t at = (uintptr_t)mr->addr;

    mr->dma_addr = p->bus[0] + (at - p->va);
    mr->bus_addr = mr->dma_addr;
    if (!find_size(p))
        return 0;
    int rc = take_entries(mr, p);
    if (rc)
        return rc;
    mr->bus_addr = 1ull << 63 | (uint64_t)p->log2 << 57 | (uint64_t)mr->page * mri_page_group << p->log2 |
                   (at & ((1ull << p->log2) - 1));
    return write_entries(mr, p, mr->npage);
}

int mri_region_map(struct mr_mr *mr)
{
    struct mr_device *dev = mr->pd->dev;
    const struct mr_bus_ops *ops = dev->bus->ops;
    uint64_t at = (uintptr_t)mr->addr;
    struct pieces p = {.va = at & ~(small_page - 1)};
    int rc = -ENOTSUP;

    mr->npage = 0;
    p.n = (at + mr->length - 1 - p.va) / small_page + 1;
    if (ops->map_pages) {
        p.bus = calloc(p.n, sizeof p.bus[0]);
        rc = p.bus ? mri_note(dev, ops->map_pages(dev->bus, mr->addr, mr->length, p.bus)) : -ENOMEM;
    }
    if (rc == -ENOTSUP) {
        rc = mri_note(dev, ops->map(dev->bus, mr->addr, mr->length, &mr->dma_addr));
        mr->bus_addr = mr->dma_addr;
    } else if (!rc) {
        rc = enter(mr, &p);
        if (rc)
            mri_region_unmap(mr);
    }
    free(p.bus);
    return rc;
}

int mri_region_unmap(struct mr_mr *mr)
{
    struct mr_device *dev = mr->pd->dev;
    int rc = write_entries(mr, nullptr, mr->npage);

    if (mr->npage)
        mri_groups_give(&dev->pages, mr->page, mr->npage);
    mr->npage = 0;
    return mri_first(rc, mri_note(dev, dev->bus->ops->unmap(dev->bus, mr->addr, mr->length, mr->dma_addr)));
}
