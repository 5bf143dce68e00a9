// SPDX-License-Identifier: BSD-2-Clause
/* qp.c - queue pairs: a stream each, whose number is the queue pair's. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "front.h"

static constexpr unsigned drain_max = 1000;  // looks for the last completions of a queue pair

static struct front_cq *send_cq(const struct front_qp *qp)
{
    return (struct front_cq *)qp->ex.qp_base.send_cq;
}

static struct front_cq *recv_cq(const struct front_qp *qp)
{
    return (struct front_cq *)qp->ex.qp_base.recv_cq;
}

/* ------------------------------------------------------------------- create */

static int make_stream(struct front_qp *qp, struct front_pd *pd)
{
    struct front_srq *srq = (struct front_srq *)qp->ex.qp_base.srq;
    struct mr_rq_attr rq = {.depth = qp->cap.max_recv_wr, .max_sge = (uint8_t)qp->cap.max_recv_sge};
    int rc = srq ? 0 : mr_rq_create(pd->mr, &rq, &qp->rq);

    if (rc)
        return rc;
    struct mr_stream_attr attr = {
        .pd = pd->mr,
        .cq = send_cq(qp)->queue,
        .rcq = recv_cq(qp)->queue,
        .rq = srq ? srq->rq : qp->rq,
        .depth = qp->cap.max_send_wr,
        .max_inline = (uint16_t)qp->cap.max_inline_data,
        .max_sge = (uint8_t)qp->cap.max_send_sge,
        .rnr_max = front_rnr_forever,
    };
    rc = mr_stream_create_attr(nullptr, &attr, &qp->stream);
    if (rc)
        mr_rq_destroy(qp->rq);
    return rc;
}

static uint32_t power_of_two(uint32_t n)
{
    return n <= 1 ? 1 : 1u << (32 - __builtin_clz(n - 1));
}

/* What the program gets is at least what it asked for. [ibv_create_qp(3)] */
static int set_cap(struct front_qp *qp, struct ibv_qp_cap *cap)
{
    const struct mr_caps *c = &front.caps;

    if (cap->max_send_wr > c->sq_depth_max || cap->max_recv_wr > c->rq_depth_max ||
        cap->max_send_sge > c->sges || cap->max_recv_sge > c->sges ||
        cap->max_inline_data > c->inline_max)
        return EINVAL;
    cap->max_send_wr = power_of_two(cap->max_send_wr);
    cap->max_send_sge += !cap->max_send_sge;
    if (qp->ex.qp_base.srq) {
        cap->max_recv_wr = cap->max_recv_sge = 0;
    } else {
        cap->max_recv_wr = power_of_two(cap->max_recv_wr);
        cap->max_recv_sge += !cap->max_recv_sge;
    }
    qp->cap = *cap;
    return 0;
}

static int create(struct front_qp *qp, struct ibv_qp_init_attr *attr, uint64_t ops)
{
    struct ibv_qp *ibqp = &qp->ex.qp_base;
    int rc = set_cap(qp, &attr->cap);

    if (rc)
        return rc;
    rc = front_errno(make_stream(qp, (struct front_pd *)ibqp->pd));
    if (rc)
        return rc;
    if (ops && !front_build_open(qp, ops)) {
        mr_stream_destroy(qp->stream);
        mr_rq_destroy(qp->rq);
        return ENOMEM;
    }
    ibqp->qp_num = ibqp->handle = mr_stream_number(qp->stream);
    ibqp->state = IBV_QPS_RESET;
    ibqp->qp_type = IBV_QPT_RC;
    pthread_mutex_init(&qp->lock, nullptr);
    pthread_mutex_init(&ibqp->mutex, nullptr);
    pthread_cond_init(&ibqp->cond, nullptr);
    atomic_store(&front.qp[ibqp->qp_num], qp);
    return 0;
}

struct ibv_qp *front_qp_create(struct ibv_pd *pd, struct ibv_qp_init_attr *attr, uint64_t ops)
{
    bool ok = pd && attr->send_cq && attr->recv_cq;

    if (!ok || attr->qp_type != IBV_QPT_RC) {
        errno = ok ? EOPNOTSUPP : EINVAL;
        return nullptr;
    }
    struct front_qp *qp = calloc(1, sizeof *qp);
    if (!qp)
        return nullptr;
    struct ibv_qp *ibqp = &qp->ex.qp_base;
    ibqp->context = pd->context;
    ibqp->qp_context = attr->qp_context;
    ibqp->pd = pd;
    ibqp->send_cq = attr->send_cq;
    ibqp->recv_cq = attr->recv_cq;
    ibqp->srq = attr->srq;
    qp->sig_all = attr->sq_sig_all;
    int rc = create(qp, attr, ops);
    if (rc) {
        free(qp);
        errno = rc;
        return nullptr;
    }
    return ibqp;
}

FRONT_API struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
    return front_qp_create(pd, attr, 0);
}

struct ibv_qp *front_qp_create_ex(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr)
{
    static constexpr uint32_t known = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS |
                                      IBV_QP_INIT_ATTR_CREATE_FLAGS;
    static constexpr uint64_t ops = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
                                    IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |
                                    IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
                                    IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD |
                                    IBV_QP_EX_WITH_SEND_WITH_INV;
    bool flags = attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS && attr->create_flags;
    uint64_t want = attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS ? attr->send_ops_flags : 0;
    (void)ctx;

    if (attr->comp_mask & ~known || flags || want & ~ops) {
        errno = EOPNOTSUPP;
        return nullptr;
    }
    if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD)) {
        errno = EINVAL;
        return nullptr;
    }
    // The older struct is the beginning of the newer one.
    return front_qp_create(attr->pd, (struct ibv_qp_init_attr *)attr, want);
}

FRONT_API struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
    return ((struct front_qp *)qp)->extended ? (struct ibv_qp_ex *)qp : nullptr;
}

/* ------------------------------------------------------------------ changes */

/* Ends what is posted, and drops its completions. */
static void drain(struct front_qp *qp)
{
    mr_stream_fail(qp->stream);
    front_cq_drop(send_cq(qp), qp->ex.qp_base.qp_num);
    front_cq_drop(recv_cq(qp), qp->ex.qp_base.qp_num);
}

static void leave_peer(struct front_qp *qp)
{
    if (!qp->peer)
        return;
    pthread_mutex_lock(&front.lock);
    front_peer_give(qp->peer);
    pthread_mutex_unlock(&front.lock);
    qp->peer = nullptr;
}

static int to_reset(struct front_qp *qp)
{
    int rc = 0;

    if (qp->ex.qp_base.state == IBV_QPS_RESET)
        return 0;
    for (unsigned i = 0; i < drain_max; i++) {
        drain(qp);
        rc = mr_stream_reset(qp->stream);
        if (rc != -EBUSY)
            break;
    }
    if (rc)
        return front_errno(rc);
    leave_peer(qp);
    atomic_store(&qp->failed, false);
    memset(&qp->attr, 0, sizeof qp->attr);
    return 0;
}

static int to_rtr(struct front_qp *qp, const struct ibv_qp_attr *attr)
{
    pthread_mutex_lock(&front.lock);
    int rc = front_peer_take(&attr->ah_attr.grh.dgid, &qp->peer);
    pthread_mutex_unlock(&front.lock);
    if (rc)
        return front_errno(rc);
    rc = mr_stream_bind(qp->stream, qp->peer->conn);
    if (rc == -EISCONN)  // an attempt before this one came as far
        rc = 0;
    if (!rc)
        rc = mr_stream_connect(qp->stream, attr->dest_qp_num);
    if (rc)
        leave_peer(qp);
    return front_errno(rc);
}

/* 7: as often as it takes. The device cannot give up at the first one: 0 is taken as 1. */
static int to_rts(struct front_qp *qp, const struct ibv_qp_attr *attr)
{
    if (attr->rnr_retry == 7)
        return 0;
    return front_errno(mr_stream_set_rnr(qp->stream, attr->rnr_retry ? attr->rnr_retry : 1));
}

static void keep(struct ibv_qp_attr *to, const struct ibv_qp_attr *a, int mask)
{
    if (mask & IBV_QP_PKEY_INDEX)
        to->pkey_index = a->pkey_index;
    if (mask & IBV_QP_PORT)
        to->port_num = a->port_num;
    if (mask & IBV_QP_ACCESS_FLAGS)
        to->qp_access_flags = a->qp_access_flags;
    if (mask & IBV_QP_AV)
        to->ah_attr = a->ah_attr;
    if (mask & IBV_QP_PATH_MTU)
        to->path_mtu = a->path_mtu;
    if (mask & IBV_QP_DEST_QPN)
        to->dest_qp_num = a->dest_qp_num;
    if (mask & IBV_QP_RQ_PSN)
        to->rq_psn = a->rq_psn;
    if (mask & IBV_QP_SQ_PSN)
        to->sq_psn = a->sq_psn;
    if (mask & IBV_QP_MAX_QP_RD_ATOMIC)
        to->max_rd_atomic = a->max_rd_atomic;
    if (mask & IBV_QP_MAX_DEST_RD_ATOMIC)
        to->max_dest_rd_atomic = a->max_dest_rd_atomic;
    if (mask & IBV_QP_MIN_RNR_TIMER)
        to->min_rnr_timer = a->min_rnr_timer;
    if (mask & IBV_QP_TIMEOUT)
        to->timeout = a->timeout;
    if (mask & IBV_QP_RETRY_CNT)
        to->retry_cnt = a->retry_cnt;
    if (mask & IBV_QP_RNR_RETRY)
        to->rnr_retry = a->rnr_retry;
}

/* Under qp->lock: a send that failed has changed the state. */
static void see_failure(struct front_qp *qp)
{
    if (atomic_load(&qp->failed) && qp->ex.qp_base.state != IBV_QPS_RESET)
        qp->ex.qp_base.state = IBV_QPS_ERR;
}

static int modify(struct front_qp *qp, const struct ibv_qp_attr *attr, int mask)
{
    enum ibv_qp_state next;

    see_failure(qp);
    enum ibv_qp_state state = qp->ex.qp_base.state;
    int rc = front_state_check(qp, attr, mask, &next);
    if (rc)
        return rc;
    if (next == IBV_QPS_RESET)
        rc = to_reset(qp);
    else if (next == IBV_QPS_ERR)
        rc = front_errno(mr_stream_fail(qp->stream));
    else if (next == IBV_QPS_RTR)
        rc = to_rtr(qp, attr);
    else if (next == IBV_QPS_RTS && state == IBV_QPS_RTR)
        rc = to_rts(qp, attr);
    if (rc)
        return rc;
    keep(&qp->attr, attr, mask);
    qp->ex.qp_base.state = next;
    return 0;
}

FRONT_API int ibv_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask)
{
    struct front_qp *qp = (struct front_qp *)ibqp;

    front_called();
    pthread_mutex_lock(&qp->lock);
    int rc = modify(qp, attr, mask);
    pthread_mutex_unlock(&qp->lock);
    return rc;
}

FRONT_API int ibv_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask,
                           struct ibv_qp_init_attr *init)
{
    struct front_qp *qp = (struct front_qp *)ibqp;
    (void)mask;

    pthread_mutex_lock(&qp->lock);
    see_failure(qp);
    *attr = qp->attr;
    attr->qp_state = attr->cur_qp_state = ibqp->state;
    attr->cap = qp->cap;
    pthread_mutex_unlock(&qp->lock);
    *init = (struct ibv_qp_init_attr){
        .qp_context = ibqp->qp_context,
        .send_cq = ibqp->send_cq,
        .recv_cq = ibqp->recv_cq,
        .srq = ibqp->srq,
        .cap = qp->cap,
        .qp_type = IBV_QPT_RC,
        .sq_sig_all = qp->sig_all,
    };
    return 0;
}

FRONT_API int ibv_destroy_qp(struct ibv_qp *ibqp)
{
    struct front_qp *qp = (struct front_qp *)ibqp;
    int rc = -EBUSY;

    front_called();
    atomic_store(&front.qp[ibqp->qp_num], nullptr);
    for (unsigned i = 0; i < drain_max && rc == -EBUSY; i++) {
        drain(qp);
        rc = mr_stream_destroy(qp->stream);
    }
    if (rc == -EBUSY) {
        atomic_store(&front.qp[ibqp->qp_num], qp);
        return EBUSY;
    }
    mr_rq_destroy(qp->rq);
    leave_peer(qp);
    front_build_close(qp);
    pthread_mutex_destroy(&qp->lock);
    pthread_mutex_destroy(&ibqp->mutex);
    pthread_cond_destroy(&ibqp->cond);
    free(qp);
    return front_errno(rc);
}
