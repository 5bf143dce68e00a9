// SPDX-License-Identifier: BSD-2-Clause
#include "rx_place.h"

#include "rx_place/bytes.h"

/** Second stage: writes a destination beat if it can. Returns whether rot is free. */
MR_INLINE bool place_out(struct rx_place *k)
{
    bool more = k->q_rem != 0;
    bool drop = k->rot_valid && (k->q_skip || !more);
    bool can = more && !k->q_skip && (k->rot_valid || k->q_end);
    bool out = can && k->beat.ready;
    bool eat = k->rot_valid && (drop || out);

    if (out) {
        u(512) mask = bytes_below(k->q_turn);
        mr_put(k->beat, (struct wr_beat){
            .data = (k->prev & mask) | (k->rot & ~mask),
            .keep = bytes_keep(bytes_in_beat(k->q_rem)) & ~bytes_keep(k->q_at),
            .last = k->q_rem <= 64,
        });
        k->q_rem = k->q_rem > 64 ? (u(14))(k->q_rem - 64) : (u(14))0;
        k->q_at = 0;
    }
    if (eat) {
        k->prev = k->rot;
        k->q_end = k->rot_last;
        k->q_skip = false;
        k->rot_valid = false;
    }
    return !k->rot_valid;
}

/** First stage: takes and rotates a pay beat. Returns whether it was the frame's last. */
MR_INLINE bool place_in(struct rx_place *k)
{
    if (k->p_first) {
        k->q_at = k->p_at;
        k->q_turn = k->p_turn;
        k->q_skip = k->p_skip;
        k->q_rem = k->p_len == 0 ? (u(14))0 : (u(14))k->p_len + k->p_at;
    }
    k->p_first = false;
    k->rot = bytes_rotate(k->pay.data.data, k->p_turn);
    k->rot_last = k->pay.data.last;
    k->rot_valid = true;
    mr_take(k->pay);
    return k->pay.data.last;
}

MR_INLINE void place_start(struct rx_place *k)
{
    struct rx_put put = k->put.data;
    bool write = put.len != 0 && put.has_pay;
    u(6) to = (u(6))put.bus;
    u(6) from = (u(6))put.payload_at;
    k->p_valid = put.has_pay;
    k->p_first = true;
    k->p_at = to;
    k->p_turn = to - from;
    k->p_skip = to < from;
    k->p_len = write ? (u(13))put.len : (u(13))0;
    if (write) {
        mr_put(k->req, (struct wr_req){.addr = put.bus, .len = put.len});
        k->cnt_rx_bytes += put.len;
        k->pending += 1;
    }
    mr_take(k->put);
}

MR_KERNEL(rx_place)
{
    bool room = place_out(k);
    // The second stage's fields are the old frame's until all of it is written.
    bool may = room && (!k->p_first || k->q_rem == 0);
    if (k->p_valid && may && k->pay.valid && place_in(k))
        k->p_valid = false;
    if (!k->p_valid && k->put.valid && k->req.ready)
        place_start(k);
    if (k->done.valid) {
        k->cnt_rx_bus_errors += (u(32))k->done.data.err;
        k->pending -= 1;
        mr_take(k->done);
    }
}
