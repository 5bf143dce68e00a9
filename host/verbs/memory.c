// SPDX-License-Identifier: BSD-2-Clause
/* memory.c - protection domains, memory regions, address handles. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "front.h"

FRONT_API struct ibv_pd *ibv_alloc_pd(struct ibv_context *ctx)
{
    struct front_pd *pd = calloc(1, sizeof *pd);

    if (!pd)
        return nullptr;
    int rc = mr_pd_create(front.dev, &pd->mr);
    if (rc) {
        free(pd);
        errno = front_errno(rc);
        return nullptr;
    }
    pd->pd.context = ctx;
    return &pd->pd;
}

FRONT_API int ibv_dealloc_pd(struct ibv_pd *ibpd)
{
    struct front_pd *pd = (struct front_pd *)ibpd;
    int rc = mr_pd_destroy(pd->mr);

    if (!rc)
        free(pd);
    return front_errno(rc);
}

/* Rights of the library, or 0 if the flags do not go together. [ibv_reg_mr(3)] */
static uint32_t rights_of(unsigned access)
{
    static constexpr unsigned known = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
                                      IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
                                      IBV_ACCESS_OPTIONAL_RANGE;
    static constexpr unsigned writes = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;

    if (access & ~known || (access & writes && !(access & IBV_ACCESS_LOCAL_WRITE)))
        return 0;
    return MR_RIGHT_LOCAL_READ | (access & IBV_ACCESS_LOCAL_WRITE ? MR_RIGHT_LOCAL_WRITE : 0) |
           (access & IBV_ACCESS_REMOTE_WRITE ? MR_RIGHT_REMOTE_WRITE : 0) |
           (access & IBV_ACCESS_REMOTE_READ ? MR_RIGHT_REMOTE_READ : 0) |
           (access & IBV_ACCESS_REMOTE_ATOMIC ? MR_RIGHT_REMOTE_ATOMIC : 0);
}

FRONT_API struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length,
                                          uint64_t iova, unsigned access)
{
    uint32_t rights = rights_of(access);

    if (!rights || iova != (uintptr_t)addr) {
        errno = rights ? EOPNOTSUPP : EINVAL;
        return nullptr;
    }
    struct front_mr *mr = calloc(1, sizeof *mr);
    if (!mr)
        return nullptr;
    int rc = mr_mr_reg(((struct front_pd *)pd)->mr, addr, length, rights, &mr->region);
    if (rc) {
        free(mr);
        errno = front_errno(rc);
        return nullptr;
    }
    mr->mr = (struct ibv_mr){
        .context = pd->context,
        .pd = pd,
        .addr = addr,
        .length = length,
        .handle = mr_mr_lkey(mr->region),
        .lkey = mr_mr_lkey(mr->region),
        .rkey = mr_mr_rkey(mr->region),
    };
    return &mr->mr;
}

FRONT_API struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
    return ibv_reg_mr_iova2(pd, addr, length, (uintptr_t)addr, (unsigned)access);
}

FRONT_API struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length,
                                         uint64_t iova, int access)
{
    return ibv_reg_mr_iova2(pd, addr, length, iova, (unsigned)access);
}

FRONT_API int ibv_dereg_mr(struct ibv_mr *ibmr)
{
    struct front_mr *mr = (struct front_mr *)ibmr;
    int rc = mr_mr_dereg(mr->region);

    free(mr);
    return front_errno(rc);
}

/* --------------------------------------------------------- address handles */

FRONT_API struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
    unsigned nic;

    if (!attr->is_global || attr->port_num != 1 || attr->grh.sgid_index ||
        !front_gid_nic(&attr->grh.dgid, &nic)) {
        errno = EINVAL;
        return nullptr;
    }
    struct front_ah *ah = calloc(1, sizeof *ah);
    if (!ah)
        return nullptr;
    ah->ah = (struct ibv_ah){.context = pd->context, .pd = pd};
    ah->attr = *attr;
    return &ah->ah;
}

FRONT_API int ibv_destroy_ah(struct ibv_ah *ah)
{
    free(ah);
    return 0;
}

FRONT_API int ibv_resolve_eth_l2_from_gid(struct ibv_context *ctx, struct ibv_ah_attr *attr,
                                          uint8_t eth_mac[6], uint16_t *vid);
FRONT_API int ibv_resolve_eth_l2_from_gid(struct ibv_context *ctx, struct ibv_ah_attr *attr,
                                          uint8_t eth_mac[6], uint16_t *vid)
{
    unsigned nic;
    (void)ctx;

    if (!front_gid_nic(&attr->grh.dgid, &nic))
        return -EINVAL;
    front_mac_of(nic, eth_mac);
    if (vid)
        *vid = 0xffff;
    return 0;
}
