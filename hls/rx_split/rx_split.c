// SPDX-License-Identifier: BSD-2-Clause
#include "rx_split.h"

#include "rx_place/bytes.h"

/** The source's next beat goes out if it can. It stays if the next piece needs it too. */
MR_INLINE void split_beat(struct rx_split *k)
{
    bool last = k->from_value || k->pay.data.last;
    bool deal = k->mode == SPLIT_PIECES;
    bool more = deal && k->pieces != 0;
    u(14) sum = (u(14))k->left + k->at;
    bool end = last || (deal && bytes_end(sum));
    // Also the last beat of a frame that is too short: the puts to come want one each.
    bool stay = end && more && (last || (u(1))(sum >> 6) == 0);

    if (!k->pay_out.ready || !(k->from_value || k->pay.valid) || (deal && !k->dealing))
        return;
    mr_put(k->pay_out, (struct pay_beat){
        .data = k->from_value ? (u(512))k->value : k->pay.data.data,
        .last = end,
    });
    if (!stay && !k->from_value)
        mr_take(k->pay);
    if (end && !more)
        k->mode = (k->from_value ? k->rest : !last) ? SPLIT_DROP : SPLIT_NONE;
    k->dealing = !end;
    k->at = end ? (u(6))sum : (u(6))0;
    k->left = (u(13))(sum - 64);
}

/** Beats of the frame that nothing is made of. */
MR_INLINE void split_drop(struct rx_split *k)
{
    mr_take(k->pay);
    if (k->pay.data.last)
        k->mode = SPLIT_NONE;
}

/** Takes the next piece. */
MR_INLINE void split_piece(struct rx_split *k)
{
    struct piece p = k->piece.data;
    mr_put(k->put, (struct rx_put){.bus = p.bus, .len = p.len, .payload_at = (u(8))64 | k->at, .has_pay = true});
    k->dealing = true;
    k->left = p.len;
    k->pieces -= 1;
    mr_take(k->piece);
}

/** Takes a frame. */
MR_INLINE void split_start(struct rx_split *k)
{
    struct rx_deal d = k->deal.data;
    bool write = d.len != 0 && (d.has_pay || d.value);
    bool value = write && d.value;
    u(8) from = value ? (u(8))64 : d.payload_at;
    bool has_pay = d.has_pay || value;

    k->mode = write && d.pieces != 0 ? SPLIT_PIECES : has_pay ? SPLIT_PASS : SPLIT_NONE;
    k->pieces = d.pieces;
    k->from_value = value;
    k->rest = d.has_pay;
    k->value = d.data;
    k->dealing = false;
    k->at = (u(6))from;
    if (k->mode != SPLIT_PIECES)
        mr_put(k->put, (struct rx_put){
            .bus = d.bus, .len = write ? d.len : (u(16))0, .payload_at = from, .has_pay = has_pay});
    mr_take(k->deal);
}

MR_KERNEL(rx_split)
{
    if (k->mode == SPLIT_PASS || k->mode == SPLIT_PIECES)
        split_beat(k);
    else if (k->mode == SPLIT_DROP && k->pay.valid)
        split_drop(k);

    if (k->mode == SPLIT_PIECES) {
        if (!k->dealing && k->piece.valid && k->put.ready)
            split_piece(k);
    } else if (k->pieces != 0) {
        if (k->piece.valid) {
            k->pieces -= 1;
            mr_take(k->piece);
        }
    } else if (k->mode == SPLIT_NONE && k->deal.valid && k->put.ready) {
        split_start(k);
    }
}
