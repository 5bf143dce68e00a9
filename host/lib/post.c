// SPDX-License-Identifier: BSD-2-Clause
/*
 * post.c - send queue entries.
 *
 * Room in the completion queue is reserved by groups: a signalled entry and the
 * unsignalled ones in front of it can cause one completion between them (its
 * own, or the error that ends the stream), so they hold one place. Unsignalled
 * entries behind the last signalled one hold one as well, which the next
 * signalled entry takes over.
 */
#include "barrier.h"
#include "internal.h"

/* Is there room for `need` more completions, and can the device see it? */
static int make_room(struct mr_cq *cq, uint32_t need)
{
    uint32_t limit = mri_cq_limit(cq);

    if (cq->reserved + need > limit)
        return -ENOSPC;
    if (cq->reserved + need + (cq->head - cq->told) > limit)
        return mri_cq_tell(cq);
    return 0;
}

static int state_error(const struct mr_stream *s)
{
    if (atomic_load(&s->conn->dev->dead))
        return -EIO;
    if (s->state == MRI_STREAM_NEW)
        return -ENOTCONN;
    return s->state == MRI_STREAM_ERROR ? -EPIPE : 0;
}

/* Writes the entry and rings. Nothing is kept of it if the doorbell fails. */
static int post(struct mr_stream *s, const struct mr_wqe *wqe, uint64_t wr_id, bool signaled)
{
    struct mr_cq *cq = s->cq;
    uint32_t slots = 1u << s->log2, slot = s->head & (slots - 1);
    uint32_t need = s->open_group ? 0 : 1;
    int rc = state_error(s);

    if (rc)
        return rc;
    if (s->head - s->tail == slots)
        return -ENOSPC;
    rc = make_room(cq, need);
    if (rc)
        return rc;
    mr_wqe_put(s->shared_sq + (size_t)slot * MR_WQE_BYTES, *wqe);
    mri_barrier_before_doorbell();
    rc = mri_reg_write(s->conn->dev, MR_REG_DB_SQ, s->number << 16 | ((s->head + 1) & 0xffff));
    if (rc)
        return rc;
    s->shadow[slot] = (struct mri_shadow){
        .wr_id = wr_id,
        .length = (uint32_t)wqe->length,
        .opcode = (uint8_t)wqe->opcode,
        .signaled = signaled,
    };
    s->head++;
    s->reserved += need;
    cq->reserved += need;
    s->open_group = !signaled;
    return 0;
}

int mr_post_write(struct mr_stream *stream, const struct mr_write *wr)
{
    if (!stream || !wr || wr->flags & ~(uint32_t)MR_POST_SIGNALED || wr->imm || wr->rsvd)
        return -EINVAL;
    if (wr->length > MR_LENGTH_MAX)
        return -EMSGSIZE;
    struct mr_wqe wqe = {
        .opcode = MR_OP_WRITE,
        .flags = wr->flags & MR_POST_SIGNALED ? MR_WQEF_SIGNALED : 0,
        .nsge = wr->length ? 1 : 0,
        .slots = 1,
        .length = wr->length,
        .raddr = wr->length ? wr->raddr : 0,
        .rkey = wr->rkey,
        .sge_addr = wr->length ? (uintptr_t)wr->laddr : 0,
        .sge_key = wr->length ? wr->lkey : 0,
        .sge_len = wr->length,
    };
    pthread_mutex_lock(&stream->cq->lock);
    int rc = post(stream, &wqe, wr->wr_id, wr->flags & MR_POST_SIGNALED);
    pthread_mutex_unlock(&stream->cq->lock);
    return rc;
}
