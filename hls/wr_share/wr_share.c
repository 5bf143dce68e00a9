// SPDX-License-Identifier: BSD-2-Clause
#include "wr_share/wr_share.h"

/** Hands the end at the head to its user. True when there was one. */
MR_INLINE bool wr_end(struct wr_share *k)
{
    bool b = k->order.data.who == 1;

    if (!k->done.valid || !k->order.valid || !(b ? k->b_done.ready : k->a_done.ready))
        return false;
    mr_take(k->done);
    mr_take(k->order);
    if (b)
        mr_put(k->b_done, k->done.data);
    else
        mr_put(k->a_done, k->done.data);
    return true;
}

/** Passes one write on. True when there was one, and room. */
MR_INLINE bool wr_ask(struct wr_share *k)
{
    bool waits = k->b.valid && k->b_beat.valid;
    bool a = k->a.valid && k->a_beat.valid && !(waits && k->run == WR_SHARE_RUN);

    if (!(a || waits) || !k->req.ready || !k->beat.ready || !k->order_out.ready || k->dues == WR_SHARE_DEPTH)
        return false;
    if (a) {
        mr_take(k->a);
        mr_take(k->a_beat);
    } else {
        mr_take(k->b);
        mr_take(k->b_beat);
    }
    mr_put(k->req, a ? k->a.data : k->b.data);
    mr_put(k->beat, a ? k->a_beat.data : k->b_beat.data);
    mr_put(k->order_out, (struct wr_user){.who = a ? (u(1))0 : (u(1))1});
    k->run = a && waits ? k->run + (u(2))1 : (u(2))0;
    return true;
}

MR_KERNEL(wr_share)
{
    bool asked = wr_ask(k);
    bool ended = wr_end(k);

    if (asked && !ended)
        k->dues++;
    else if (ended && !asked)
        k->dues -= k->dues != 0;
}
