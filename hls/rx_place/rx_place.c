// SPDX-License-Identifier: BSD-2-Clause
#include "rx_place.h"

#include "rx_place/bytes.h"

/** Second stage: writes a destination beat if it can. Returns whether rot is free. */
MR_INLINE bool place_out(struct rx_place *k)
{
    bool more = k->q.left != 0;
    bool last = k->q.left == 1;
    bool drop = k->rot_valid && (k->q.skip || !more);
    bool can = more && !k->q.skip && (k->rot_valid || k->q_end);
    bool out = can && k->beat.ready;
    bool eat = k->rot_valid && (drop || out);

    if (out) {
        u(512) mask = bytes_below(k->q.turn);
        mr_put(k->beat, (struct wr_beat){
            .data = (k->prev & mask) | (k->rot & ~mask),
            .keep = bytes_keep(last && k->q.tail != 0 ? (u(7))k->q.tail : (u(7))64) &
                    ~bytes_keep((u(7))k->q.at),
            .last = last,
        });
        k->q.left -= 1;
        k->q.at = 0;
    }
    if (eat) {
        k->prev = k->rot;
        k->q_end = k->rot_last;
        k->q.skip = false;
        k->rot_valid = false;
    }
    return !k->rot_valid;
}

/** First stage: takes and rotates a pay beat. Returns whether it was the frame's last. */
MR_INLINE bool place_in(struct rx_place *k)
{
    if (k->p_first)
        k->q = k->p;
    k->p_first = false;
    k->rot = bytes_rotate(k->pay.data.data, k->p.turn);
    k->rot_last = k->pay.data.last;
    k->rot_valid = true;
    mr_take(k->pay);
    return k->pay.data.last;
}

/** Takes a put. */
MR_INLINE void place_start(struct rx_place *k)
{
    struct rx_put put = k->put.data;
    bool write = put.len != 0 && put.has_pay;
    u(6) to = (u(6))put.bus;
    u(6) from = (u(6))put.payload_at;
    u(14) end = (u(14))put.len + to;
    k->next = (struct place){
        .at = to,
        .turn = to - from,
        .skip = to < from,
        .left = write ? (u(7))((end + 63) >> 6) : (u(7))0,
        .tail = (u(6))end,
    };
    k->next_valid = put.has_pay;
    if (write) {
        mr_put(k->req, (struct wr_req){.addr = put.bus, .len = put.len});
        k->cnt_rx_bytes += put.len;
    }
    mr_take(k->put);
}

MR_KERNEL(rx_place)
{
    bool room = place_out(k);
    // The second stage's fields are the old frame's until all of it is written.
    bool may = room && (!k->p_first || k->q.left == 0);
    bool full = k->next_valid;
    if (k->p_valid && may && k->pay.valid && place_in(k))
        k->p_valid = false;
    if (!k->p_valid && k->next_valid) {
        k->p = k->next;
        k->p_first = true;
        k->p_valid = true;
        k->next_valid = false;
    }
    // Not in the step in which the place becomes free: the chain would be too long.
    if (!full && k->put.valid && k->req.ready)
        place_start(k);
    if (k->done.valid && k->placed.ready) {
        k->cnt_rx_bus_errors += (u(32))k->done.data.err;
        mr_take(k->done);
        mr_put(k->placed, k->done.data);
    }
}
