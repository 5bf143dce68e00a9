// SPDX-License-Identifier: BSD-2-Clause
/*
 * page.h - indirect bus addresses: the one translation of them, for reads and writes.
 *
 * Bit 63 tells them from direct ones. Bits 62:57 are log2 of the page size, 12 to 30;
 * below stand the index into the page table and, in as many bits as the size says, the
 * offset in the page. So whoever checks keys adds offsets to a key's address and need
 * not know which kind it is: the low 12 bits are those of the direct address.
 */
#ifndef MR_PAGE_H
#define MR_PAGE_H

#include "desc.h"

#define PAGE_LOG2_MIN 12
#define PAGE_LOG2_MAX 30

/** A request that is being translated. */
struct page_job {
    u(64) addr;  // indirect
    u(16) len;   // 1 to 4096: so it lies in at most two pages
};

typedef u(MR_PAGES_LOG2 - 3) page_row_ix;

MR_INLINE bool page_indirect(u(64) addr)
{
    return addr >> 63 != 0;
}

MR_INLINE struct page_job page_begin(u(64) addr, u(16) len)
{
    return (struct page_job){.addr = addr, .len = len};
}

MR_INLINE u(6) page_log2(u(64) addr)
{
    return (u(6))(addr >> 57);
}

MR_INLINE bool page_sound(u(64) addr)
{
    u(6) log2 = page_log2(addr);

    return log2 >= PAGE_LOG2_MIN && log2 <= PAGE_LOG2_MAX;
}

/** Ones where the offset in the page stands. */
MR_INLINE u(64) page_mask(u(64) addr)
{
    return ((u(64))1 << (u(64))page_log2(addr)) - 1;
}

MR_INLINE u(64) page_index(u(64) addr)
{
    return (u(64))(u(57))addr >> (u(64))page_log2(addr);
}

/** Where the page's row of eight stands in the table. */
MR_INLINE page_row_ix page_row_at(u(64) addr)
{
    return (page_row_ix)(page_index(addr) >> 3);
}

/** Bytes of the job that lie in its first page; all of them if there is no such size of pages. */
MR_INLINE u(16) page_part(struct page_job j)
{
    u(64) left = page_mask(j.addr) - (j.addr & page_mask(j.addr));

    return page_sound(j.addr) && left < (u(64))j.len ? (u(16))(left + 1) : j.len;
}

/** Where the job goes on in its second page; n = page_part(j), less than j.len. */
MR_INLINE struct page_job page_rest(struct page_job j, u(16) n)
{
    return (struct page_job){.addr = (j.addr | page_mask(j.addr)) + 1, .len = j.len - n};
}

/** Is there such a page? row: what stands at page_row_at(addr). */
MR_INLINE bool page_there(u(512) row, u(64) addr)
{
    u(64) page = (u(64))(row >> ((u(512))(u(3))page_index(addr) << 6));

    return page_sound(addr) && page_index(addr) < MR_PAGES && (u(1))page == 1;
}

/** The direct address, if page_there(). */
MR_INLINE u(64) page_bus(u(512) row, u(64) addr)
{
    u(64) page = (u(64))(row >> ((u(512))(u(3))page_index(addr) << 6));

    return (page & ~page_mask(addr)) | (addr & page_mask(addr));
}

/** 64-byte beats that so many bytes at addr touch. */
MR_INLINE u(7) page_beats(u(64) addr, u(16) len)
{
    return (u(7))(((u(17))len + (u(17))(u(6))addr + 63) >> 6);
}

#endif
