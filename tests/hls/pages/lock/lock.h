// SPDX-License-Identifier: BSD-2-Clause
/* lock.h - makes random addresses lie in pages, often at their ends; and random table writes count. */
#ifndef LOCK_H
#define LOCK_H

#include "page.h"

static inline struct page_job lock_begin(u(64) addr, u(16) len)
{
    u(64) log2 = 12 + (u(64))(u(1))(addr >> 57);
    u(64) index = (u(64))(u(MR_PAGES_LOG2 + 1))(addr >> 20);
    u(64) at = (addr & 64) != 0 ? addr & 0xfff : ((u(64))1 << log2) - 1 - (addr & 0x3f) * 32;

    return (struct page_job){.addr = (u(64))1 << 63 | log2 << 57 | index << log2 | at, .len = (len & 0xfff) + 1};
}

#define page_begin lock_begin
#undef MR_TBL_PAGES
#define MR_TBL_PAGES (k->cfg.data.table | 1)

#endif
