// SPDX-License-Identifier: BSD-2-Clause
#include "tx_join.h"

#include "rx_place/bytes.h"

/** Second stage: adds the rotated beat to the answer if it can; makes rot free if it is used up. */
MR_INLINE void join_out(struct tx_join *k)
{
    u(512) mask = bytes_below((u(7))k->rot_at);
    u(512) sum = (k->acc & mask) | (k->rot & ~mask);
    bool full = k->rot_end >> 6 != 0;
    bool over = full && (u(6))k->rot_end != 0;
    bool put = k->rot_one || k->rot_last || full;
    bool again = !k->rot_one && k->rot_last && over;  // what is left of it is the answer's last beat
    bool last = k->rot_last && !again;
    bool err = k->rot_err || k->err;

    if (put && !k->out.ready)
        return;
    if (put)
        mr_put(k->out, (struct rd_beat){
            .data = k->rot_one ? k->rot : sum,
            .last = last,
            .err = err && last,
        });
    k->acc = full ? k->rot : sum;
    k->err = err && !last;
    k->rot_valid = again;
    k->rot_at = 0;
    k->rot_end = (u(7))(u(6))k->rot_end;
}

/** First stage: takes and rotates a read beat. */
MR_INLINE void join_in(struct tx_join *k)
{
    struct rd_beat b = k->rd.data;
    u(14) sum = (u(14))k->j.len + k->j.at;
    bool end = bytes_end(sum);
    u(7) n = end ? (u(7))k->j.len : (u(7))((u(7))64 - k->j.at);

    k->rot = bytes_rotate(b.data, k->turn);
    k->rot_valid = true;
    k->rot_one = k->j.one;
    k->rot_last = b.last && (k->j.one || k->j.last);
    k->rot_err = b.err && b.last;
    k->rot_at = k->turn + k->j.at;
    k->rot_end = (u(7))k->rot_at + n;
    k->j.len = end ? (u(13))0 : (u(13))(sum - 64);
    k->j.at = 0;
    k->busy = !b.last;
    mr_take(k->rd);
    k->rd_taken++;
}

/** Takes a read. */
MR_INLINE void join_start(struct tx_join *k)
{
    struct join j = k->join.data;
    k->busy = true;
    k->j = j;
    k->turn = j.one ? (u(6))0 : (u(6))(k->next - j.at);
    k->next = j.one || j.last ? (u(6))0 : (u(6))(k->next + (u(6))j.len);
    mr_take(k->join);
}

MR_KERNEL(tx_join)
{
    if (k->rot_valid)
        join_out(k);
    if (k->busy && !k->rot_valid && k->rd.valid)
        join_in(k);
    if (!k->busy && k->join.valid)
        join_start(k);
}
