// SPDX-License-Identifier: BSD-2-Clause
#include "rd_share/rd_share.h"

enum rd_who { RD_A, RD_B, RD_C };

/** Hands the beat at the head to its user. True when that ended a read. */
MR_INLINE bool rd_answer(struct rd_share *k)
{
    u(2) who = k->order.data.who;
    bool room = who == RD_A ? k->a_rd.ready : who == RD_B ? k->b_rd.ready : k->c_rd.ready;

    if (!k->rd.valid || !k->order.valid || !room)
        return false;
    mr_take(k->rd);
    if (who == RD_A)
        mr_put(k->a_rd, k->rd.data);
    else if (who == RD_B)
        mr_put(k->b_rd, k->rd.data);
    else
        mr_put(k->c_rd, k->rd.data);
    if (k->rd.data.last)
        mr_take(k->order);
    return k->rd.data.last;
}

/** Passes one request on. True when there was one, and room. */
MR_INLINE bool rd_ask(struct rd_share *k)
{
    bool others = k->b.valid || k->c.valid;
    bool a = k->a.valid && !(others && k->run == RD_SHARE_RUN);
    bool c = !a && k->c.valid && (k->c_next || !k->b.valid);
    u(2) who = a ? (u(2))RD_A : c ? (u(2))RD_C : (u(2))RD_B;

    if (!(a || others) || !k->req.ready || !k->order_out.ready || k->dues == RD_SHARE_DEPTH)
        return false;
    if (a)
        mr_take(k->a);
    else if (c)
        mr_take(k->c);
    else
        mr_take(k->b);
    mr_put(k->req, a ? k->a.data : c ? k->c.data : k->b.data);
    mr_put(k->order_out, (struct rd_user){.who = who});
    k->run = a && others ? k->run + (u(2))1 : (u(2))0;
    if (!a)
        k->c_next = !c;
    return true;
}

MR_KERNEL(rd_share)
{
    bool asked = rd_ask(k);
    bool ended = rd_answer(k);

    if (asked && !ended)
        k->dues++;
    else if (ended && !asked)
        k->dues -= k->dues != 0;
}
