// SPDX-License-Identifier: BSD-2-Clause
/*
 * refuse.c - calls of libibverbs that this device cannot do. They are here, as
 * libibverbs' own would take our objects for those of a kernel driver.
 */
#include <errno.h>

#include "front.h"

static void *none(void)
{
    errno = EOPNOTSUPP;
    return nullptr;
}

FRONT_API int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
    (void)qp, (void)gid, (void)lid;
    return EOPNOTSUPP;
}

FRONT_API int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
    (void)qp, (void)gid, (void)lid;
    return EOPNOTSUPP;
}

FRONT_API int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr,
                           size_t length, int access)
{
    (void)mr, (void)flags, (void)pd, (void)addr, (void)length, (void)access;
    errno = EOPNOTSUPP;
    return IBV_REREG_MR_ERR_INPUT;
}

FRONT_API struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
                                           uint64_t iova, int fd, int access)
{
    (void)pd, (void)offset, (void)length, (void)iova, (void)fd, (void)access;
    return none();
}

FRONT_API struct ibv_context *ibv_import_device(int cmd_fd)
{
    (void)cmd_fd;
    return none();
}

FRONT_API struct ibv_pd *ibv_import_pd(struct ibv_context *ctx, uint32_t handle)
{
    (void)ctx, (void)handle;
    return none();
}

FRONT_API struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t handle)
{
    (void)pd, (void)handle;
    return none();
}

FRONT_API struct ibv_dm *ibv_import_dm(struct ibv_context *ctx, uint32_t handle)
{
    (void)ctx, (void)handle;
    return none();
}

/* Queue pairs here are connected; what comes has no header that says where from. */
FRONT_API int ibv_init_ah_from_wc(struct ibv_context *ctx, uint8_t port, struct ibv_wc *wc,
                                  struct ibv_grh *grh, struct ibv_ah_attr *attr)
{
    (void)ctx, (void)port, (void)wc, (void)grh, (void)attr;
    errno = EOPNOTSUPP;
    return -1;
}

FRONT_API struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc,
                                               struct ibv_grh *grh, uint8_t port)
{
    (void)pd, (void)wc, (void)grh, (void)port;
    return none();
}

FRONT_API int ibv_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
    (void)qp, (void)ece;
    return EOPNOTSUPP;
}

FRONT_API int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
    (void)qp, (void)ece;
    return EOPNOTSUPP;
}

FRONT_API int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op, uint32_t flags)
{
    (void)qp, (void)op, (void)flags;
    return 0;  // payload is written as it comes [spec 7.1.6]
}
