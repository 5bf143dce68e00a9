// SPDX-License-Identifier: BSD-2-Clause
/*
 * tables.h - what a step of rx_recv reads, writes and lets go: collected while it
 * runs, done at its end, reads first. A table that is written is not read in the same step.
 */
#ifndef MR_RX_RECV_TABLES_H
#define MR_RX_RECV_TABLES_H

#include "rx_recv/rx_recv.h"

typedef u(MR_STREAMS_LOG2) recv_stream_ix;
typedef u(MR_RQS_LOG2) recv_rq_ix;
typedef u(MR_RECVS_LOG2) recv_slot;
typedef u(MR_MSGS_LOG2) recv_msg_slot;
typedef u(MR_STREAMS_LOG2 + MR_RECVS_LOG2) recv_bind_ix;
typedef u(MR_RQS_LOG2 + MR_RECVS_LOG2) recv_ix;
typedef u(MR_STREAMS_LOG2 + MR_MSGS_LOG2) recv_req_ix;
typedef u(MR_KEYS_LOG2) recv_key_ix;

struct recv_ports {
    bool rd_stream;  // streams, counts
    bool rd_bind, rd_req, rd_queue, rd_recv, rd_key;
    recv_stream_ix stream;
    recv_slot match;
    recv_msg_slot msg;
    recv_rq_ix queue;  // of rd_queue and rd_recv
    recv_slot recv;
    recv_key_ix key;

    bool wr_stream, wr_count, wr_bind, wr_req, wr_queue, wr_recv, wr_key, push;
    recv_stream_ix at_stream;  // of streams, counts, binds, reqs
    recv_slot at_match;
    recv_msg_slot at_msg;
    recv_rq_ix at_queue;       // of queues, recvs, the ring
    recv_slot at_recv;
    recv_key_ix at_key;
    struct recv_stream stream_new;
    struct recv_count count_new;
    struct recv_bind bind_new;
    struct recv_req req_new;
    struct recv_queue queue_new;
    struct recv_row recv_new;
    u(256) key_new;

    bool leave;             // seq is ready
    struct rx_seq seq;
    bool begin;             // seq_new was taken
    struct rx_seq seq_new;
};

MR_INLINE void recv_reads(struct rx_recv *k, struct recv_ports p, bool draw)
{
    if (draw) {
        k->owe_q = k->ring[k->head];
        k->owe_ok = true;
        k->head++;
        k->owed--;
    }
    if (p.rd_stream) {
        k->stream_q = k->streams[p.stream];
        k->count_q = k->counts[p.stream];
    }
    if (p.rd_bind)
        k->bind_q = k->binds[(recv_bind_ix)p.stream << MR_RECVS_LOG2 | (recv_bind_ix)p.match];
    if (p.rd_req)
        k->req_q = k->reqs[(recv_req_ix)p.stream << MR_MSGS_LOG2 | (recv_req_ix)p.msg];
    if (p.rd_queue)
        k->queue_q = k->queues[p.queue];
    if (p.rd_recv)
        k->recv_q = k->recvs[(recv_ix)p.queue << MR_RECVS_LOG2 | (recv_ix)p.recv];
    if (p.rd_key)
        k->key_q = k->keys[p.key];
}

MR_INLINE void recv_writes(struct rx_recv *k, struct recv_ports p)
{
    recv_rq_ix tail = k->head + (recv_rq_ix)k->owed;

    if (p.push) {
        k->ring[tail] = p.at_queue;
        k->owed++;
    }
    if (p.wr_stream)
        k->streams[p.at_stream] = p.stream_new;
    if (p.wr_count)
        k->counts[p.at_stream] = p.count_new;
    if (p.wr_bind)
        k->binds[(recv_bind_ix)p.at_stream << MR_RECVS_LOG2 | (recv_bind_ix)p.at_match] = p.bind_new;
    if (p.wr_req)
        k->reqs[(recv_req_ix)p.at_stream << MR_MSGS_LOG2 | (recv_req_ix)p.at_msg] = p.req_new;
    if (p.wr_queue)
        k->queues[p.at_queue] = p.queue_new;
    if (p.wr_recv)
        k->recvs[(recv_ix)p.at_queue << MR_RECVS_LOG2 | (recv_ix)p.at_recv] = p.recv_new;
    if (p.wr_key)
        k->keys[p.at_key] = p.key_new;
}

#endif
