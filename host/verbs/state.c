// SPDX-License-Identifier: BSD-2-Clause
/* state.c - which changes of a reliable connected queue pair are allowed. [ibv_modify_qp(3)] */
#include <errno.h>

#include "front.h"

static constexpr unsigned retries_max = 7, timeout_max = 31, qpn_max = 0xfffffe;

static const struct {
    enum ibv_qp_state from, to;
    int required, optional;  // beside IBV_QP_STATE, IBV_QP_CUR_STATE
} rows[] = {
    {IBV_QPS_RESET, IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, 0},
    {IBV_QPS_INIT, IBV_QPS_INIT, 0, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS},
    {IBV_QPS_INIT, IBV_QPS_RTR,
     IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
         IBV_QP_MIN_RNR_TIMER,
     IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS},
    {IBV_QPS_RTR, IBV_QPS_RTS,
     IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_TIMEOUT,
     IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER},
    {IBV_QPS_RTS, IBV_QPS_RTS, 0, IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER},
};

static int mask_check(enum ibv_qp_state from, enum ibv_qp_state to, int mask)
{
    mask &= ~(IBV_QP_STATE | IBV_QP_CUR_STATE);
    if (to == IBV_QPS_RESET || to == IBV_QPS_ERR)
        return mask ? EINVAL : 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].from == from && rows[i].to == to)
            return (mask & rows[i].required) == rows[i].required &&
                           !(mask & ~(rows[i].required | rows[i].optional))
                       ? 0
                       : EINVAL;
    return EINVAL;
}

static bool av_ok(const struct ibv_ah_attr *a)
{
    unsigned nic;

    return a->is_global && a->port_num == 1 && !a->grh.sgid_index &&
           front_gid_nic(&a->grh.dgid, &nic);
}

static bool access_ok(unsigned access)
{
    static constexpr unsigned known = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
                                      IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;

    return !(access & ~known);
}

static bool values_ok(const struct ibv_qp_attr *a, int mask)
{
    if ((mask & IBV_QP_PORT && a->port_num != 1) || (mask & IBV_QP_PKEY_INDEX && a->pkey_index))
        return false;
    if (mask & IBV_QP_ACCESS_FLAGS && !access_ok((unsigned)a->qp_access_flags))
        return false;
    if (mask & IBV_QP_AV && !av_ok(&a->ah_attr))
        return false;
    if (mask & IBV_QP_PATH_MTU && (a->path_mtu < IBV_MTU_256 || a->path_mtu > IBV_MTU_4096))
        return false;
    if (mask & IBV_QP_DEST_QPN && a->dest_qp_num > qpn_max)
        return false;
    if ((mask & IBV_QP_MAX_QP_RD_ATOMIC && a->max_rd_atomic > front.caps.requests) ||
        (mask & IBV_QP_MAX_DEST_RD_ATOMIC && a->max_dest_rd_atomic > front.caps.requests))
        return false;
    if ((mask & IBV_QP_RETRY_CNT && a->retry_cnt > retries_max) ||
        (mask & IBV_QP_RNR_RETRY && a->rnr_retry > retries_max))
        return false;
    return !(mask & IBV_QP_TIMEOUT && a->timeout > timeout_max) &&
           !(mask & IBV_QP_MIN_RNR_TIMER && a->min_rnr_timer > timeout_max);
}

int front_state_check(const struct front_qp *qp, const struct ibv_qp_attr *attr, int mask,
                      enum ibv_qp_state *next)
{
    enum ibv_qp_state state = qp->ex.qp_base.state;

    *next = mask & IBV_QP_STATE ? attr->qp_state : state;
    if (mask & IBV_QP_CUR_STATE && attr->cur_qp_state != state)
        return EINVAL;
    int rc = mask_check(state, *next, mask);
    return rc || values_ok(attr, mask) ? rc : EINVAL;
}
