// SPDX-License-Identifier: BSD-2-Clause
/*
 * at_wr - translates the addresses of host writes (page.h).
 *
 * in:  in       writes, with direct or indirect addresses
 *      in_beat  their data
 *      done     from the host, one per write of `req`
 *      cfg      writes MR_TBL_PAGES; others are ignored
 * out: req      writes with direct addresses
 *      beat     their data
 *      out      one end per write of `in`, in order
 *
 * A direct write passes in one step. An indirect one takes two, and two more if it
 * crosses a page's end: then it becomes two writes; the first one's beats end where the
 * page does, at a multiple of 64, and err of the end is that of both. If a page is not
 * there nothing is written: the beats are dropped, the end has err. One beat and one end
 * per step, whatever the addresses.
 *
 * The FIFO from parts_out to parts says whose beats come next, the one from order_out to
 * order whose ends.
 */
#ifndef MR_AT_WR_H
#define MR_AT_WR_H

#include "ext.h"
#include "page.h"

/** Depth of the FIFO from order_out to order: writes under way, some in two parts. */
#define AT_WR_DEPTH 128

/** A write, or the part of one that lies in one page: what becomes of its beats. */
struct wr_part {
    bool drop;
    bool cut;    // ends after `beats` of them, not with the write's last one
    u(7) beats;
};

/** Likewise: what becomes of its end. */
struct wr_end {
    bool last;   // of its write
    bool drop;   // the host does not know of it
};

enum at_wr_state {
    AT_WR_FREE,
    AT_WR_FIRST,   // row is that of the job's first page
    AT_WR_SECOND,  // of its second one; the first is known
    AT_WR_REST,    // likewise; the first part was written
};

struct at_wr {
    MR_IN(struct wr_req, in);
    MR_IN(struct wr_beat, in_beat);
    MR_IN(struct wr_done, done);
    MR_IN(struct wr_part, parts);
    MR_IN(struct wr_end, order);
    MR_IN(struct cfg_write, cfg);
    MR_OUT(struct wr_req, req);
    MR_OUT(struct wr_beat, beat);
    MR_OUT(struct wr_done, out);
    MR_OUT(struct wr_part, parts_out);  // back to `parts`
    MR_OUT(struct wr_end, order_out);   // back to `order`
    u(512) pages[MR_PAGES / 8];  // layout pages
    u(512) row;
    u(2) state;            // enum at_wr_state
    struct page_job job;   // FIRST: all of it; SECOND, REST: what lies in the second page
    u(64) bus;             // SECOND: direct address of the first part
    u(16) len;             // likewise its bytes
    bool there;            // likewise: its page is there
    u(7) at;               // beats of the part at the head that were passed on
    bool err;              // a part of the write that ends next had it
};

#endif
