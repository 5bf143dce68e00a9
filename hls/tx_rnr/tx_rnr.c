// SPDX-License-Identifier: BSD-2-Clause
#include "tx_rnr/tx_rnr.h"

typedef u(MR_STREAMS_LOG2) ring_ix;

/** A stream begins to wait. Each is in the ring at most once per life, and waits for its place in the FIFO if the ring is full. */
MR_INLINE struct rnr_turn rnr_begin(struct tx_rnr *k)
{
    struct rnr_wait w = k->wait.data;
    u(4) turn = w.turn > RNR_TURN_MAX ? (u(4))RNR_TURN_MAX : w.turn;

    mr_take(k->wait);
    mr_put(k->hold, (struct hold){.stream = w.stream, .conn = w.conn, .on = true});
    return (struct rnr_turn){
        .stream = w.stream, .conn = w.conn, .until = k->now + (k->rnr_min << (u(32))turn)};
}

MR_KERNEL(tx_rnr)
{
    ring_ix tail = k->head + (ring_ix)k->n;
    struct rnr_turn t = k->turn_q;
    bool due = (u(32))(k->now - t.until) >> 31 == 0;
    bool push = false;

    if (k->looking) {
        if (due && (!k->hold.ready || !k->over.ready))
            return;
        k->looking = false;
        push = !due;
        if (due) {
            mr_put(k->hold, (struct hold){.stream = t.stream, .conn = t.conn, .on = false});
            mr_put(k->over, (struct stream_id){.stream = t.stream});
        }
    } else if (k->wait.valid && k->n < MR_STREAMS) {
        if (!k->hold.ready)
            return;
        t = rnr_begin(k);
        push = true;
    } else if (k->n != 0) {
        k->turn_q = k->ring[k->head];
        k->head++;
        k->n--;
        k->looking = true;
    }
    if (push) {
        k->ring[tail] = t;
        k->n++;
    }
}
