// SPDX-License-Identifier: BSD-2-Clause
/* model.h - a page table, and what the memory behind it holds: what at_rd and at_wr are compared with. */
#ifndef PAGES_MODEL_H
#define PAGES_MODEL_H

#include "bench.h"
#include "page.h"

/** A request as it is drawn. */
struct model_req {
    uint64_t addr;
    unsigned len;
};

/** Draws a new table: sizes of pages, addresses, pages that are not there. */
void model_new(void);
/** Row i of the table as the kernels are told it. */
u(512) model_row(unsigned i);
/** Draws a request: direct or not, anywhere or around the end of a page; some where there is no page. */
struct model_req model_draw(void);
/** Bus address of a byte; false if its page is not there. Byte by byte, so that nothing is shared with page.h. */
bool model_byte(uint64_t addr, uint64_t *bus);
/** Are all pages of a request there? */
bool model_there(struct model_req r);
/** What memory holds at a bus address. */
uint8_t model_value(uint64_t bus);
/** Does the host fail accesses to it? Of some 4 KiB pages all. */
bool model_fails(uint64_t bus);
/** Likewise: of some byte of the range. */
bool model_range_fails(uint64_t bus, unsigned len);

static inline unsigned model_beats(uint64_t addr, unsigned len)
{
    return (unsigned)((addr % 64 + len + 63) / 64);
}

#endif
