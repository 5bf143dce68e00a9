// SPDX-License-Identifier: BSD-2-Clause
/*
 * metaroce_post.h - the part of metaroce.h about work: operations, windows, receives.
 * metaroce.h includes it; all that stands at its beginning holds here too.
 */
#ifndef METAROCE_POST_H
#define METAROCE_POST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- posting */

enum mr_post_flags {
    MR_POST_SIGNALED = 0x01,   // complete on success too
    MR_POST_FENCE = 0x02,      // begin when all earlier Reads and atomics of the stream are complete [spec 7.1.9]
    MR_POST_INLINE = 0x04,     // the payload is copied during the post: its memory is free at once and
                               // needs no key; Sends and Writes
    MR_POST_SOLICITED = 0x08,  // mark the peer's completion with MR_WC_SOLICITED; Sends and Writes with
                               // immediate [spec 7.5.6]
};

/** A range of local memory. One of length 0 is left out. */
struct mr_sge {
    void *addr;    // first byte, any alignment
    uint32_t len;  // bytes
    uint32_t key;  // mr_mr_lkey() of a region of the stream's or queue's domain
};

/**
 * An operation. What it does, which fields it looks at beside wr_id, opcode,
 * flags, sge and nsge, and which rights the memory needs here and there:
 *
 *     MR_OP_WRITE      local memory to the peer's; raddr, rkey [spec 7.3]
 *                      (LOCAL_READ; REMOTE_WRITE)
 *     MR_OP_WRITE_IMM  besides, completes a receive of the peer; imm [spec 7.4]
 *     MR_OP_SEND       local memory to a receive of the peer [spec 7.5]
 *                      (LOCAL_READ; there LOCAL_WRITE)
 *     MR_OP_SEND_IMM   besides, with immediate data; imm
 *     MR_OP_SEND_INV   besides, ends the peer's key imm before the receive
 *                      completes [spec 7.5.5]
 *     MR_OP_READ       the peer's memory to local memory; raddr, rkey [spec 7.6]
 *                      (LOCAL_WRITE; REMOTE_READ)
 *     MR_OP_CMP_SWAP   8 bytes of the peer that equal compare become swap; raddr,
 *                      rkey, compare, swap [spec 7.7] (LOCAL_WRITE; REMOTE_ATOMIC)
 *     MR_OP_FETCH_ADD  compare is added to 8 bytes of the peer; raddr, rkey, compare
 *
 * An atomic has one range of 8 bytes, which takes the value from before, and its
 * raddr is a multiple of 8. Values of atomics are in the byte order of each host.
 */
struct mr_send_wr {
    uint64_t wr_id;            // comes back in the completion
    uint32_t opcode;           // MR_OP_*
    uint32_t flags;            // MR_POST_*
    const struct mr_sge *sge;  // local memory, in the order of the message; looked at during the post only
    uint32_t nsge;             // 0 to the stream's max_sge; 0 = a message of length 0
    uint32_t rkey;             // the peer's key; any with length 0, but for a Read
    uint64_t raddr;            // address at the peer; any with length 0, but for a Read
    uint32_t imm;              // immediate data, or the key to invalidate, or the rights of a window
    uint32_t rsvd;             // 0
    uint64_t compare;          // expected value, or what is added, modulo 2^64
    uint64_t swap;             // new value
};

/**
 * Posts an operation. Returns at once; the memory belongs to the device until
 * the entry is retired, but not with MR_POST_INLINE. Keys, bounds and rights are
 * checked by the devices, here and there, and come as a completion's status.
 * From any thread.
 *
 * Errors, with nothing posted: -EINVAL unknown operation or flag, a flag that
 * the operation does not have, more ranges than max_sge, no memory where there
 * must be some, an atomic on another length or alignment, a reserved field not
 * 0; -EMSGSIZE more than MR_LENGTH_MAX bytes, or than max_inline with
 * MR_POST_INLINE; -ENOTCONN the stream is not connected; -EPIPE the stream is in
 * error; -ENOSPC the send queue is full, or the completion queue might overflow;
 * -EIO the device stopped answering.
 */
MR_API int mr_post_send(struct mr_stream *stream, const struct mr_send_wr *wr);

/**
 * Posts n operations, in order, and tells the device once. *posted (may be NULL)
 * is how many were posted: n with 0, and fewer with -ENOSPC, of which the first
 * *posted are then on their way. With every other error it is 0: all are looked
 * at before the first is posted. Errors as mr_post_send().
 */
MR_API int mr_post_send_list(struct mr_stream *stream, const struct mr_send_wr *wr, uint32_t n,
                             uint32_t *posted);

/*
 * Memory windows. MR_OP_BIND_WINDOW posts a bind: sge[0] is what the window shows, with
 * the key of a region that has MR_RIGHT_BIND, rkey the window's key from then on
 * (mr_key_next() of its last one), imm its rights: MR_RIGHT_REMOTE_*, of which those that
 * change memory need the region's MR_RIGHT_LOCAL_WRITE. A length of 0 unbinds. MR_OP_LOCAL_INV
 * withdraws the key imm. Both take their place in the stream: what was posted
 * before is complete, what comes behind has not begun. When they, or a Send with
 * invalidate, have completed, nothing that names the old key changes or reads
 * memory any more [spec 7.8]. Errors come as a completion's status: MR_ERR_LOCAL_KEY,
 * MR_ERR_LOCAL_BOUNDS, MR_ERR_LOCAL_RIGHT; they end the stream.
 */

/** A memory window. */
struct mr_mw;

/** Makes a window that shows nothing yet. Errors: -EINVAL, -ENOMEM, -ENOSPC no key is free, -EIO. From any thread. */
MR_API int mr_mw_create(struct mr_pd *pd, struct mr_mw **out);

/** Ends a window, bound or not: nothing reaches memory through it after the return. NULL is no error. Errors: -EIO. */
MR_API int mr_mw_destroy(struct mr_mw *mw);

/** The key that the window was made with; it opens nothing. Give mr_key_next() of it to the first bind. */
MR_API uint32_t mr_mw_key(const struct mr_mw *mw);

/** The same entry's next key: the low 8 bits are counted up. */
MR_API uint32_t mr_key_next(uint32_t key);

/** One Write of one range: a short form of mr_send_wr. */
struct mr_write {
    uint64_t wr_id;     // comes back in the completion
    const void *laddr;  // local memory; not looked at when length is 0
    uint64_t raddr;     // address at the peer; not looked at when length is 0
    uint32_t lkey;      // local key of a region with MR_RIGHT_LOCAL_READ
    uint32_t rkey;      // the peer's key of a region with MR_RIGHT_REMOTE_WRITE
    uint32_t length;    // bytes, 0 to MR_LENGTH_MAX, any alignment
    uint32_t flags;     // MR_POST_*, but MR_POST_SOLICITED
};

/** mr_post_send() with MR_OP_WRITE and one range. Errors as there. */
MR_API int mr_post_write(struct mr_stream *stream, const struct mr_write *wr);

/** Memory for one message of a peer. */
struct mr_recv_wr {
    uint64_t wr_id;            // comes back in the completion
    const struct mr_sge *sge;  // filled in this order; LOCAL_WRITE; looked at during the post only
    uint32_t nsge;             // 0 to the queue's max_sge; 0 = for messages of length 0 and Writes with
                               // immediate, which do not touch it
    uint32_t rsvd;             // 0
};

/**
 * Posts a receive. The memory belongs to the device until it completes. The
 * k-th Send or Write with immediate of the peer takes the k-th receive of a
 * queue of one stream; of a shared one, the next that no other message took
 * [spec 7.5.1]. A longer message than its receive fails at the peer with
 * MR_ERR_REMOTE_BOUNDS; a message that finds no receive is tried again
 * [spec 10.3]. From any thread.
 *
 * Errors, with nothing posted: -EINVAL more ranges than max_sge, none where there
 * must be some, a reserved field not 0; -EMSGSIZE more than MR_LENGTH_MAX bytes;
 * -ENOTCONN the queue is not shared and no stream has it; -EPIPE its stream is in
 * error; -ENOSPC full: a place of a shared queue is free again when the receive
 * in it and all before it have completed; -EIO the device stopped answering.
 */
MR_API int mr_post_recv(struct mr_rq *rq, const struct mr_recv_wr *wr);

/** Posts n receives, in order, and tells the device once; *posted as in mr_post_send_list(). */
MR_API int mr_post_recv_list(struct mr_rq *rq, const struct mr_recv_wr *wr, uint32_t n,
                             uint32_t *posted);

#ifdef __cplusplus
}
#endif

#endif
