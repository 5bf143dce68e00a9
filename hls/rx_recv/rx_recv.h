// SPDX-License-Identifier: BSD-2-Clause
/*
 * rx_recv - which local memory a received packet's payload goes to, where the
 * packet does not say it: the receive that a Send or Write with immediate takes
 * [spec 7.5], and what a Read or atomic of ours was posted with [spec 7.6, 7.7].
 *
 * A queue's receives are numbered from 0 in the order in which rx_rq read them,
 * modulo 2^32. Without sharing, match is that number. In a shared queue a stream's
 * match is bound to the next free one when its first packet comes.
 *
 * Errors that a packet leaves with: RNR - no queue, not open, of another protection
 * domain, or the receive is not read ahead; REMOTE_BOUNDS - longer than the receive;
 * REMOTE_OP - a key of the receive failed, match outside the stream's window, a
 * response without its request. rx_path looks whether the packet is an old one
 * before it looks at the error: so a packet of a message that is complete, which
 * can only be a repetition, leaves with REMOTE_OP too. Were it passed on without,
 * a peer that sends it with a new number would write where nothing was checked.
 *
 * One event at a time, some steps each. A packet is begun only when the one before
 * has left with all its pieces, or surely finds a place: a packet that finds no room
 * waits in pkt_r, and everything else goes on. rx_msg, which waits for `ended`, so
 * never waits for what waits for rx_msg.
 *
 * A stream that is closed may hold receives of a shared queue. They are used up, and
 * complete with MR_ERR_FLUSH, as nobody else would tell the program; but only when
 * `release` says that packets that were let in before are in place and rx_msg has
 * said its last of the stream. Until then no other configuration is taken.
 */
#ifndef MR_RX_RECV_H
#define MR_RX_RECV_H

#include "desc.h"

/** What the host said of a stream. */
struct recv_stream {
    bool open;
    u(16) rq;    // MR_RQ_NONE or from MR_RQS on: none
    u(16) pd;
    u(16) rcq;   // completion queue of its receives
};

/** Where a stream stands. Bit i: number modulo MR_MSGS, MR_RECVS. */
struct recv_count {
    u(32) ended;        // receives that it completed
    u(MR_MSGS) flight;  // requests in flight
    u(MR_RECVS) bound;  // receives of a shared queue that it holds
};

/** A receive queue. */
struct recv_queue {
    bool open;
    bool shared;
    u(16) pd;
    u(8) gen;        // generation: counts writes of its table entry, wraps
    u(32) have;      // receives read
    u(32) gone;      // the oldest one that is not used up
    u(32) next;      // shared: the next one to bind
    u(MR_RECVS) done;  // bit i: receive i modulo MR_RECVS is used up
    bool queued;     // stands in the ring
};

/** A receive. */
struct recv_row {
    u(2048) sges;  // layout sge, the first one lowest
    u(32) sum;     // of their lengths, saturated
};

/** A Read or atomic of ours. */
struct recv_req {
    u(32) msg;
    bool atomic;
    u(32) length;
    u(2048) sges;
};

/** The receive that (stream, match) is bound to. */
struct recv_bind {
    u(16) index;
    u(8) gen;  // generation of the queue
};

/** A scatter/gather entry that the packet touches; its key is being read. */
struct recv_use {
    u(128) sge;  // layout sge
    u(32) at;    // offset of the packet's bytes in it
    u(13) len;   // of them
};

struct rx_recv {
    MR_IN(struct cfg_write, cfg);
    MR_IN(struct rx_seq, pkt);
    MR_IN(struct request, request);
    MR_IN(struct recv_entry, entry);
    MR_IN(struct ended, ended);
    MR_OUT(struct rx_seq, out);
    MR_OUT(struct piece, piece);   // of the packets with pieces != 0, in their order
    MR_OUT(struct rq_id, freed);
    MR_STAT(u(8), took);    // entries taken, wraps
    MR_OUT(struct completion, cpl);  // receives of a shared queue whose stream was closed: MR_ERR_FLUSH
    MR_CFG(bool, release);           // nothing more comes of the stream that was closed
    MR_STAT(bool, releasing);        // a closed stream holds receives
    MR_STAT(u(16), taken);           // packets taken, modulo 2^16
    MR_STAT(u(16), cpls);            // put out, modulo 2^16
    u(4) state;             // enum recv_state
    bool held;              // pkt_r is ready to leave and waits for room
    struct rx_seq pkt_r;
    u(16) rq;               // receive queue of the event
    u(2048) sges;           // walk: entries not looked at yet
    u(5) left_sges;         // how many of them
    u(32) skip;             // bytes in front of the packet's
    u(13) left;             // bytes of the packet without a place
    bool using;             // key_q is that of
    struct recv_use use;
    u(5) n;                 // pieces so far
    u(5) sent;              // pieces that have left, of
    u(5) send;              // so many that may leave
    struct piece pieces[MR_SGE_MAX];
    u(MR_STREAMS_LOG2) of;  // release: the stream,
    u(16) of_rq;            // its queue,
    u(16) of_rcq;           // its completion queue,
    u(MR_RECVS) bound;      // and what it still holds
    bool late;              // ended: of the stream to be released
    bool live;              // every stream has been freed after the reset
    bool live_rq;           // every queue likewise
    u(MR_RQS_LOG2) head;    // ring of queues that have more to report as freed: next to take
    u(MR_RQS_LOG2 + 1) owed;  // queues in it
    u(MR_RQS_LOG2) ring[MR_RQS];
    bool owe_ok;            // owe_q is the next queue
    u(MR_RQS_LOG2) owe_q;
    struct recv_stream streams[MR_STREAMS];
    struct recv_stream stream_q;
    struct recv_count counts[MR_STREAMS];
    struct recv_count count_q;
    struct recv_queue queues[MR_RQS];
    struct recv_queue queue_q;
    struct recv_bind binds[MR_STREAMS * MR_RECVS];
    struct recv_bind bind_q;
    struct recv_row recvs[MR_RQS * MR_RECVS];
    struct recv_row recv_q;
    struct recv_req reqs[MR_STREAMS * MR_MSGS];
    struct recv_req req_q;
    u(256) keys[MR_KEYS];   // layout key
    u(256) key_q;
};

#endif
