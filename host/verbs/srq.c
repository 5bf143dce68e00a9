// SPDX-License-Identifier: BSD-2-Clause
/* srq.c - shared receive queues. */
#include <errno.h>
#include <stdlib.h>

#include "front.h"

FRONT_API struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *init)
{
    const struct mr_caps *c = &front.caps;
    struct ibv_srq_attr *a = &init->attr;

    if (!a->max_wr || a->max_wr > c->rq_depth_max || a->max_sge > c->sges) {
        errno = EINVAL;
        return nullptr;
    }
    struct front_srq *srq = calloc(1, sizeof *srq);
    if (!srq)
        return nullptr;
    a->max_sge += !a->max_sge;
    struct mr_rq_attr attr = {.depth = a->max_wr, .max_sge = (uint8_t)a->max_sge, .shared = 1};
    int rc = mr_rq_create(((struct front_pd *)pd)->mr, &attr, &srq->rq);
    if (rc) {
        free(srq);
        errno = front_errno(rc);
        return nullptr;
    }
    srq->attr = (struct ibv_srq_attr){.max_wr = a->max_wr, .max_sge = a->max_sge};
    srq->srq = (struct ibv_srq){.context = pd->context, .srq_context = init->srq_context, .pd = pd};
    pthread_mutex_init(&srq->srq.mutex, nullptr);
    pthread_cond_init(&srq->srq.cond, nullptr);
    return &srq->srq;
}

/* There is no event that a limit could raise, and a queue keeps its size. */
FRONT_API int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
    (void)srq;
    if (mask & ~(IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT))
        return EINVAL;
    return mask & IBV_SRQ_MAX_WR || (mask & IBV_SRQ_LIMIT && attr->srq_limit) ? EOPNOTSUPP : 0;
}

FRONT_API int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
    *attr = ((struct front_srq *)srq)->attr;
    return 0;
}

FRONT_API int ibv_destroy_srq(struct ibv_srq *ibsrq)
{
    struct front_srq *srq = (struct front_srq *)ibsrq;
    int rc = mr_rq_destroy(srq->rq);

    if (rc == -EBUSY)
        return EBUSY;
    pthread_mutex_destroy(&ibsrq->mutex);
    pthread_cond_destroy(&ibsrq->cond);
    free(srq);
    return front_errno(rc);
}
