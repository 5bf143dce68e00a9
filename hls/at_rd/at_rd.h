// SPDX-License-Identifier: BSD-2-Clause
/*
 * at_rd - translates the addresses of host reads (page.h).
 *
 * in:  in     reads, with direct or indirect addresses
 *      rd     what the host answers
 *      cfg    writes MR_TBL_PAGES; others are ignored
 * out: req    reads with direct addresses
 *      out    one answer per read of `in`, in order
 *
 * A direct read passes in one step. An indirect one takes two, and one more if it
 * crosses a page's end: then it becomes two reads, whose answers are one again. A page
 * ends at a multiple of 64, so the beats need no shifting; err comes with the last beat.
 * For a page that is not there nothing is read: the answer has as many beats as it
 * should, without meaning, and err. One beat per step.
 *
 * The FIFO from order_out to order says whose beats come next.
 */
#ifndef MR_AT_RD_H
#define MR_AT_RD_H

#include "ext.h"
#include "page.h"

/** Depth of the FIFO from order_out to order: reads under way, some in two parts. */
#define AT_RD_DEPTH 128

/** A read, or the part of one that lies in one page. */
struct rd_part {
    bool last;  // of its read
    bool none;  // there is no such page: the answer is made here
    u(7) beats; // with none: of the answer
};

struct at_rd {
    MR_IN(struct rd_req, in);
    MR_IN(struct rd_beat, rd);
    MR_IN(struct rd_part, order);
    MR_IN(struct cfg_write, cfg);
    MR_OUT(struct rd_req, req);
    MR_OUT(struct rd_beat, out);
    MR_OUT(struct rd_part, order_out);  // back to `order`
    u(512) pages[MR_PAGES / 8];  // layout pages
    u(512) row;          // the row of job's page, if busy
    bool busy;           // job is to be asked for
    struct page_job job;
    u(7) at;             // beats made of a part without a page
    bool err;            // a part of the read that is being answered had it
};

#endif
