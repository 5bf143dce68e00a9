// SPDX-License-Identifier: BSD-2-Clause
/* wc.c - what a completion of the library is for libibverbs. */
#include <endian.h>

#include "front.h"

/* How an operation that the program asked for is called in its completion. */
static const enum ibv_wc_opcode send_opcode[] = {
    [MR_OP_WRITE] = IBV_WC_RDMA_WRITE,    [MR_OP_WRITE_IMM] = IBV_WC_RDMA_WRITE,
    [MR_OP_SEND] = IBV_WC_SEND,           [MR_OP_SEND_IMM] = IBV_WC_SEND,
    [MR_OP_SEND_INV] = IBV_WC_SEND,       [MR_OP_READ] = IBV_WC_RDMA_READ,
    [MR_OP_CMP_SWAP] = IBV_WC_COMP_SWAP,  [MR_OP_FETCH_ADD] = IBV_WC_FETCH_ADD,
};

static enum ibv_wc_status status_of(uint8_t status)
{
    switch (status) {
    case MR_ERR_OK: return IBV_WC_SUCCESS;
    case MR_ERR_REMOTE_KEY:
    case MR_ERR_REMOTE_RIGHT: return IBV_WC_REM_ACCESS_ERR;
    case MR_ERR_REMOTE_BOUNDS:
    case MR_ERR_REMOTE_ALIGN:
    case MR_ERR_REMOTE_OP: return IBV_WC_REM_INV_REQ_ERR;
    case MR_ERR_REMOTE_STREAM: return IBV_WC_REM_OP_ERR;
    case MR_ERR_LOCAL_KEY:
    case MR_ERR_LOCAL_BOUNDS:
    case MR_ERR_LOCAL_RIGHT: return IBV_WC_LOC_PROT_ERR;
    case MR_ERR_LOCAL_OP: return IBV_WC_LOC_QP_OP_ERR;
    case MR_ERR_RETRY: return IBV_WC_RETRY_EXC_ERR;
    case MR_ERR_FLUSH: return IBV_WC_WR_FLUSH_ERR;
    case MR_ERR_RNR: return IBV_WC_RNR_RETRY_EXC_ERR;
    case MR_ERR_BUS: return IBV_WC_FATAL_ERR;
    default: return IBV_WC_GENERAL_ERR;
    }
}

/*
 * A range outside of the region is a remote access error to an RDMA operation, and an
 * invalid request (the receive is too short) to a Send.
 */
static enum ibv_wc_status send_status(const struct mr_wc *from)
{
    bool sends = from->opcode == MR_OP_SEND || from->opcode == MR_OP_SEND_IMM ||
                 from->opcode == MR_OP_SEND_INV;

    if (from->status == MR_ERR_REMOTE_BOUNDS && !sends)
        return IBV_WC_REM_ACCESS_ERR;
    return status_of(from->status);
}

static void take_recv(struct ibv_wc *to, const struct mr_wc *from)
{
    bool write = from->opcode == MR_OP_WRITE_IMM;

    to->status = status_of(from->status);
    to->opcode = write ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
    if (from->opcode == MR_OP_SEND_INV) {
        to->wc_flags = IBV_WC_WITH_INV;
        to->invalidated_rkey = from->imm;
    } else if (from->flags & MR_WC_IMM) {
        to->wc_flags = IBV_WC_WITH_IMM;
        to->imm_data = htobe32(from->imm);
    }
}

struct front_wc front_wc_of(const struct mr_wc *from)
{
    struct front_wc w = {
        .wc = {.wr_id = from->wr_id,
               .vendor_err = from->status,
               .byte_len = from->byte_len,
               .qp_num = from->stream_num},
        .time = from->time,
        .solicited = from->status || (from->flags & MR_WC_SOLICITED),
    };

    if (from->flags & MR_WC_RECV) {
        take_recv(&w.wc, from);
    } else {
        w.wc.status = send_status(from);
        w.wc.opcode = from->opcode < sizeof send_opcode / sizeof send_opcode[0]
                          ? send_opcode[from->opcode]
                          : IBV_WC_SEND;
    }
    return w;
}
