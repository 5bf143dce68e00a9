// SPDX-License-Identifier: BSD-2-Clause
/*
 * calls.c - what the verbs front refuses and what it does, by libibverbs' names
 * alone. Run under `mrnic run`; both ends are queue pairs of this program, as a NIC
 * reaches itself like any other.
 */
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned passed, failed;

#define CHECK(what)                                                    \
    do {                                                               \
        if (what) {                                                    \
            passed++;                                                  \
        } else {                                                       \
            failed++;                                                  \
            printf("FAILED: %s:%d: %s\n", __func__, __LINE__, #what);  \
        }                                                              \
    } while (0)

enum { BYTES = 16384, DEPTH = 16, WAIT_S = 20 };

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static union ibv_gid gid;
static _Alignas(8) uint8_t memory[BYTES];

static const int init_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
static const int rtr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                            IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
static const int rts_mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC |
                            IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_TIMEOUT;

static struct ibv_qp_attr init_attr(void)
{
    return (struct ibv_qp_attr){.qp_state = IBV_QPS_INIT,
                                .port_num = 1,
                                .qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ};
}

static struct ibv_qp_attr rtr_attr(uint32_t peer)
{
    return (struct ibv_qp_attr){
        .qp_state = IBV_QPS_RTR,
        .path_mtu = IBV_MTU_1024,
        .dest_qp_num = peer,
        .max_dest_rd_atomic = 4,
        .min_rnr_timer = 12,
        .ah_attr = {.is_global = 1, .port_num = 1, .grh = {.dgid = gid, .hop_limit = 1}}};
}

static struct ibv_qp_attr rts_attr(void)
{
    return (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS,
                                .timeout = 14,
                                .retry_cnt = 7,
                                .rnr_retry = 7,
                                .max_rd_atomic = 4};
}

static struct ibv_qp *new_qp(struct ibv_srq *srq)
{
    struct ibv_qp_init_attr a = {
        .send_cq = cq,
        .recv_cq = cq,
        .srq = srq,
        .cap = {.max_send_wr = DEPTH, .max_recv_wr = DEPTH, .max_send_sge = 2, .max_recv_sge = 2,
                .max_inline_data = 64},
        .qp_type = IBV_QPT_RC};

    return ibv_create_qp(pd, &a);
}

static int to_rts(struct ibv_qp *qp, uint32_t peer, uint8_t rnr_retry)
{
    struct ibv_qp_attr a = init_attr(), b = rtr_attr(peer), c = rts_attr();

    c.rnr_retry = rnr_retry;
    int rc = ibv_modify_qp(qp, &a, init_mask);
    rc = rc ? rc : ibv_modify_qp(qp, &b, rtr_mask);
    return rc ? rc : ibv_modify_qp(qp, &c, rts_mask);
}

/* Two queue pairs connected to each other. */
static void pair(struct ibv_qp *qp[2], struct ibv_srq *srq)
{
    qp[0] = new_qp(srq);
    qp[1] = new_qp(srq);
    CHECK(qp[0] && qp[1]);
    CHECK(!to_rts(qp[0], qp[1]->qp_num, 7) && !to_rts(qp[1], qp[0]->qp_num, 7));
}

static void unpair(struct ibv_qp *qp[2])
{
    CHECK(!ibv_destroy_qp(qp[0]) && !ibv_destroy_qp(qp[1]));
}

static struct ibv_wc next(void)
{
    struct ibv_wc wc = {};
    time_t end = time(nullptr) + WAIT_S;
    int n = 0;

    while (!n && time(nullptr) < end)
        n = ibv_poll_cq(cq, 1, &wc);
    CHECK(n == 1);
    return wc;
}

static struct ibv_sge part(unsigned at, uint32_t n)
{
    return (struct ibv_sge){.addr = (uintptr_t)memory + at, .length = n, .lkey = mr->lkey};
}

static int post(struct ibv_qp *qp, struct ibv_send_wr wr, struct ibv_sge sge)
{
    struct ibv_send_wr *bad = nullptr;

    wr.sg_list = &sge;
    wr.num_sge = 1;
    int rc = ibv_post_send(qp, &wr, &bad);
    CHECK(!rc || bad == &wr);
    return rc;
}

static int post_recv(struct ibv_qp *qp, uint64_t id, struct ibv_sge sge)
{
    struct ibv_recv_wr wr = {.wr_id = id, .sg_list = &sge, .num_sge = 1}, *bad;

    return ibv_post_recv(qp, &wr, &bad);
}

static enum ibv_qp_state state_of(struct ibv_qp *qp)
{
    struct ibv_qp_attr a;
    struct ibv_qp_init_attr i;

    CHECK(!ibv_query_qp(qp, &a, IBV_QP_STATE, &i));
    return a.qp_state;
}

/* ------------------------------------------------------------------- tests */

static void modify__bad_order(void)
{
    struct ibv_qp *qp = new_qp(nullptr);
    struct ibv_qp_attr a = init_attr(), b = rtr_attr(0), c = rts_attr();

    CHECK(ibv_modify_qp(qp, &b, rtr_mask) == EINVAL);
    CHECK(ibv_modify_qp(qp, &c, rts_mask) == EINVAL);
    CHECK(!ibv_modify_qp(qp, &a, init_mask));
    CHECK(ibv_modify_qp(qp, &c, rts_mask) == EINVAL);
    CHECK(!ibv_modify_qp(qp, &a, init_mask));
    CHECK(!ibv_modify_qp(qp, &b, rtr_mask));
    CHECK(ibv_modify_qp(qp, &b, rtr_mask) == EINVAL);
    CHECK(ibv_modify_qp(qp, &a, init_mask) == EINVAL);
    CHECK(state_of(qp) == IBV_QPS_RTR);
    CHECK(!ibv_modify_qp(qp, &c, rts_mask));
    a.qp_state = IBV_QPS_SQD;
    CHECK(ibv_modify_qp(qp, &a, IBV_QP_STATE) == EINVAL);
    CHECK(state_of(qp) == IBV_QPS_RTS);
    CHECK(!ibv_destroy_qp(qp));
}

static void modify__bad_mask(void)
{
    struct ibv_qp *qp = new_qp(nullptr);
    struct ibv_qp_attr a = init_attr(), b = rtr_attr(0), c = rts_attr();

    for (int bit = 1; bit < 1 << 21; bit <<= 1) {
        if (bit & init_mask && bit != IBV_QP_STATE)
            CHECK(ibv_modify_qp(qp, &a, init_mask & ~bit) == EINVAL);
    }
    CHECK(ibv_modify_qp(qp, &a, init_mask | IBV_QP_QKEY) == EINVAL);
    CHECK(!ibv_modify_qp(qp, &a, init_mask));
    for (int bit = 1; bit < 1 << 21; bit <<= 1)
        if (bit & rtr_mask && bit != IBV_QP_STATE)
            CHECK(ibv_modify_qp(qp, &b, rtr_mask & ~bit) == EINVAL);
    CHECK(ibv_modify_qp(qp, &b, rtr_mask | IBV_QP_SQ_PSN) == EINVAL);
    CHECK(!ibv_modify_qp(qp, &b, rtr_mask));
    for (int bit = 1; bit < 1 << 21; bit <<= 1)
        if (bit & rts_mask && bit != IBV_QP_STATE)
            CHECK(ibv_modify_qp(qp, &c, rts_mask & ~bit) == EINVAL);
    CHECK(!ibv_destroy_qp(qp));
}

static void modify__bad_value(void)
{
    struct ibv_qp *qp = new_qp(nullptr);
    struct ibv_qp_attr a = init_attr(), b = rtr_attr(0), c = rts_attr();

    a.port_num = 2;
    CHECK(ibv_modify_qp(qp, &a, init_mask) == EINVAL);
    a = init_attr();
    a.pkey_index = 1;
    CHECK(ibv_modify_qp(qp, &a, init_mask) == EINVAL);
    a = init_attr();
    CHECK(!ibv_modify_qp(qp, &a, init_mask));
    b.path_mtu = 0;
    CHECK(ibv_modify_qp(qp, &b, rtr_mask) == EINVAL);
    b = rtr_attr(0x1000000);
    CHECK(ibv_modify_qp(qp, &b, rtr_mask) == EINVAL);
    b = rtr_attr(0);
    b.ah_attr.is_global = 0;
    CHECK(ibv_modify_qp(qp, &b, rtr_mask) == EINVAL);
    b = rtr_attr(0);
    b.ah_attr.grh.dgid.raw[0] = 0xfe;  // nobody's
    CHECK(ibv_modify_qp(qp, &b, rtr_mask) == EINVAL);
    b = rtr_attr(0);
    CHECK(!ibv_modify_qp(qp, &b, rtr_mask));
    c.rnr_retry = 8;
    CHECK(ibv_modify_qp(qp, &c, rts_mask) == EINVAL);
    CHECK(!ibv_destroy_qp(qp));
}

static void post__bad_state(void)
{
    struct ibv_qp *qp = new_qp(nullptr);
    struct ibv_send_wr send = {.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED};
    struct ibv_qp_attr a = init_attr(), b = rtr_attr(qp->qp_num);

    CHECK(post(qp, send, part(0, 8)) == EINVAL);
    CHECK(post_recv(qp, 1, part(0, 8)) == EINVAL);
    CHECK(!ibv_modify_qp(qp, &a, init_mask));
    CHECK(post(qp, send, part(0, 8)) == EINVAL);
    CHECK(!post_recv(qp, 2, part(0, 8)));
    CHECK(!ibv_modify_qp(qp, &b, rtr_mask));
    CHECK(post(qp, send, part(0, 8)) == EINVAL);
    CHECK(!post_recv(qp, 3, part(0, 8)));
    CHECK(!ibv_destroy_qp(qp));
    struct ibv_wc wc;
    CHECK(ibv_poll_cq(cq, 1, &wc) == 0);  // nothing of a queue pair that is gone
}

static void post__bad_request(void)
{
    struct ibv_qp *qp[2];
    struct ibv_send_wr wr = {.opcode = IBV_WR_LOCAL_INV};

    pair(qp, nullptr);
    CHECK(post(qp[0], wr, part(0, 8)) == EINVAL);
    wr = (struct ibv_send_wr){.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_INLINE};
    CHECK(post(qp[0], wr, part(0, 65)) == EINVAL);
    wr = (struct ibv_send_wr){.opcode = IBV_WR_RDMA_WRITE, .num_sge = 3};
    struct ibv_send_wr *bad;
    CHECK(ibv_post_send(qp[0], &wr, &bad) == EINVAL);
    // More than fit: those before are posted.
    struct ibv_send_wr many[DEPTH + 1];
    struct ibv_sge sge = part(0, 8);
    for (int i = 0; i <= DEPTH; i++)
        many[i] = (struct ibv_send_wr){.opcode = IBV_WR_RDMA_WRITE, .sg_list = &sge, .num_sge = 1,
                                       .next = i < DEPTH ? &many[i + 1] : nullptr,
                                       .wr = {.rdma = {(uintptr_t)memory + 64, mr->rkey}}};
    CHECK(ibv_post_send(qp[0], many, &bad) == ENOMEM && bad == &many[DEPTH]);
    unpair(qp);
}

static void error__flushes(void)
{
    struct ibv_qp *qp[2];
    struct ibv_qp_attr a = {.qp_state = IBV_QPS_ERR};
    struct ibv_send_wr wr = {.wr_id = 3, .opcode = IBV_WR_SEND};

    pair(qp, nullptr);
    CHECK(!post_recv(qp[0], 1, part(0, 8)) && !post_recv(qp[0], 2, part(0, 8)));
    CHECK(!ibv_modify_qp(qp[0], &a, IBV_QP_STATE));
    CHECK(!post(qp[0], wr, part(0, 8)));       // unsignalled: flushed all the same
    CHECK(!post_recv(qp[0], 4, part(0, 8)));
    for (uint64_t id = 1; id <= 4; id++) {
        struct ibv_wc wc = next();
        CHECK(wc.status == IBV_WC_WR_FLUSH_ERR && wc.wr_id == id && wc.qp_num == qp[0]->qp_num);
    }
    uint32_t number = qp[0]->qp_num;
    a.qp_state = IBV_QPS_RESET;
    CHECK(!ibv_modify_qp(qp[0], &a, IBV_QP_STATE) && !ibv_modify_qp(qp[1], &a, IBV_QP_STATE));
    CHECK(qp[0]->qp_num == number && state_of(qp[0]) == IBV_QPS_RESET);
    // And it works again.
    CHECK(!to_rts(qp[0], qp[1]->qp_num, 7) && !to_rts(qp[1], qp[0]->qp_num, 7));
    CHECK(!post_recv(qp[1], 5, part(64, 8)));
    wr.send_flags = IBV_SEND_SIGNALED;
    CHECK(!post(qp[0], wr, part(0, 8)));
    CHECK(next().status == IBV_WC_SUCCESS);
    CHECK(next().status == IBV_WC_SUCCESS);
    unpair(qp);
}

static void error__remote_key(void)
{
    struct ibv_qp *qp[2];
    struct ibv_send_wr wr = {.wr_id = 9, .opcode = IBV_WR_RDMA_WRITE,
                             .wr = {.rdma = {(uintptr_t)memory, mr->rkey ^ 0x100}}};

    pair(qp, nullptr);
    CHECK(!post(qp[0], wr, part(0, 8)));
    struct ibv_wc wc = next();
    CHECK(wc.status == IBV_WC_REM_ACCESS_ERR && wc.wr_id == 9 && wc.vendor_err);
    CHECK(state_of(qp[0]) == IBV_QPS_ERR);
    unpair(qp);
}

static void error__no_receive(void)
{
    struct ibv_qp *qp[2] = {new_qp(nullptr), new_qp(nullptr)};
    struct ibv_send_wr wr = {.opcode = IBV_WR_SEND};

    CHECK(!to_rts(qp[0], qp[1]->qp_num, 2) && !to_rts(qp[1], qp[0]->qp_num, 7));
    CHECK(!post(qp[0], wr, part(0, 8)));
    CHECK(next().status == IBV_WC_RNR_RETRY_EXC_ERR);
    unpair(qp);
}

static void send__immediate(void)
{
    struct ibv_qp *qp[2];
    struct ibv_send_wr wr = {.wr_id = 1, .opcode = IBV_WR_SEND_WITH_IMM, .imm_data = 0x12345678,
                             .send_flags = IBV_SEND_INLINE};

    pair(qp, nullptr);
    memcpy(memory, "immediate", 10);
    memset(memory + 100, 0, 10);
    CHECK(!post_recv(qp[1], 2, part(100, 100)));
    CHECK(!post(qp[0], wr, part(0, 10)));
    memset(memory, 0, 10);
    struct ibv_wc wc = next();
    CHECK(wc.status == IBV_WC_SUCCESS && wc.opcode == IBV_WC_RECV && wc.wr_id == 2);
    CHECK(wc.wc_flags == IBV_WC_WITH_IMM && wc.imm_data == 0x12345678 && wc.byte_len == 10);
    CHECK(wc.qp_num == qp[1]->qp_num && !memcmp(memory + 100, "immediate", 10));
    wr = (struct ibv_send_wr){.opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .imm_data = 7,
                              .wr = {.rdma = {(uintptr_t)memory + 300, mr->rkey}}};
    CHECK(!post_recv(qp[1], 3, part(100, 100)));
    CHECK(!post(qp[0], wr, part(100, 10)));
    wc = next();
    CHECK(wc.opcode == IBV_WC_RECV_RDMA_WITH_IMM && wc.imm_data == 7 && wc.byte_len == 10);
    CHECK(!memcmp(memory + 300, "immediate", 10));
    unpair(qp);
}

static void send__invalidate(void)
{
    struct ibv_qp *qp[2];
    struct ibv_mr *other = ibv_reg_mr(pd, memory + 4096, 4096,
                                      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    struct ibv_send_wr wr = {.opcode = IBV_WR_SEND_WITH_INV, .invalidate_rkey = other->rkey};

    pair(qp, nullptr);
    CHECK(!post_recv(qp[1], 2, part(100, 100)));
    CHECK(!post(qp[0], wr, part(0, 10)));
    struct ibv_wc wc = next();
    CHECK(wc.opcode == IBV_WC_RECV);
    CHECK(wc.wc_flags == IBV_WC_WITH_INV && wc.invalidated_rkey == other->rkey);
    CHECK(wc.status == IBV_WC_REM_ACCESS_ERR);  // a region is not the peer's to withdraw
    unpair(qp);
    CHECK(!ibv_dereg_mr(other));
}

static void read_and_atomics(void)
{
    struct ibv_qp *qp[2];
    uint64_t *word = (uint64_t *)(memory + 1024), *old = (uint64_t *)(memory + 2048);
    struct ibv_send_wr wr = {.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .send_flags = IBV_SEND_SIGNALED};

    pair(qp, nullptr);
    *word = 5;
    wr.wr.atomic.remote_addr = (uintptr_t)word;
    wr.wr.atomic.rkey = mr->rkey;
    wr.wr.atomic.compare_add = 3;
    CHECK(!post(qp[0], wr, part(2048, 8)));
    CHECK(next().opcode == IBV_WC_FETCH_ADD && *word == 8 && *old == 5);
    wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
    wr.wr.atomic.compare_add = 8;
    wr.wr.atomic.swap = 1;
    CHECK(!post(qp[0], wr, part(2048, 8)));
    CHECK(next().opcode == IBV_WC_COMP_SWAP && *word == 1 && *old == 8);
    memset(memory, 'r', 4000);
    wr = (struct ibv_send_wr){.opcode = IBV_WR_RDMA_READ, .send_flags = IBV_SEND_SIGNALED,
                              .wr = {.rdma = {(uintptr_t)memory, mr->rkey}}};
    CHECK(!post(qp[0], wr, part(8192, 900)));
    CHECK(next().opcode == IBV_WC_RDMA_READ && !memcmp(memory, memory + 8192, 900));
    unpair(qp);
}

static void shared_queue(void)
{
    struct ibv_srq_init_attr a = {.attr = {.max_wr = 8, .max_sge = 1}};
    struct ibv_srq *srq = ibv_create_srq(pd, &a);
    struct ibv_sge sge = part(512, 64);
    struct ibv_recv_wr wr = {.wr_id = 77, .sg_list = &sge, .num_sge = 1}, *bad;
    struct ibv_qp *qp[2];

    CHECK(srq);
    pair(qp, srq);
    CHECK(post_recv(qp[0], 1, sge) == EINVAL);
    CHECK(!ibv_post_srq_recv(srq, &wr, &bad));
    CHECK(ibv_destroy_srq(srq) == EBUSY);
    CHECK(!post(qp[0], (struct ibv_send_wr){.opcode = IBV_WR_SEND}, part(0, 64)));
    struct ibv_wc wc = next();
    CHECK(wc.status == IBV_WC_SUCCESS && wc.wr_id == 77 && wc.qp_num == qp[1]->qp_num);
    unpair(qp);
    CHECK(!ibv_destroy_srq(srq));
}

static bool readable(int ms)
{
    struct pollfd p = {.fd = channel->fd, .events = POLLIN};

    return poll(&p, 1, ms) == 1;
}

static void events(void)
{
    struct ibv_qp *qp[2];
    struct ibv_cq *which;
    void *context;
    struct ibv_send_wr wr = {.opcode = IBV_WR_SEND};

    pair(qp, nullptr);
    CHECK(!ibv_req_notify_cq(cq, 1));
    CHECK(!post_recv(qp[1], 1, part(0, 64)) && !post_recv(qp[1], 2, part(0, 64)));
    CHECK(!post(qp[0], wr, part(64, 8)));
    CHECK(next().wr_id == 1);
    CHECK(!readable(100));  // not solicited
    wr.send_flags = IBV_SEND_SOLICITED;
    CHECK(!post(qp[0], wr, part(64, 8)));
    CHECK(readable(WAIT_S * 1000));
    CHECK(!ibv_get_cq_event(channel, &which, &context) && which == cq && context == memory);
    ibv_ack_cq_events(cq, 1);
    CHECK(!readable(0));
    int flags = fcntl(channel->fd, F_GETFL);
    fcntl(channel->fd, F_SETFL, flags | O_NONBLOCK);
    CHECK(ibv_get_cq_event(channel, &which, &context) == -1 && errno == EAGAIN);
    fcntl(channel->fd, F_SETFL, flags);
    CHECK(!ibv_req_notify_cq(cq, 0));
    CHECK(!readable(100));  // it was there before
    CHECK(next().wr_id == 2);
    unpair(qp);
}

static void create__refused(void)
{
    struct ibv_qp_init_attr a = {.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_UD,
                                 .cap = {.max_send_wr = 1, .max_send_sge = 1}};

    CHECK(!ibv_create_qp(pd, &a) && errno == EOPNOTSUPP);
    a.qp_type = IBV_QPT_UC;
    CHECK(!ibv_create_qp(pd, &a) && errno == EOPNOTSUPP);
    a.qp_type = IBV_QPT_RC;
    a.cap.max_inline_data = 100000;
    CHECK(!ibv_create_qp(pd, &a) && errno == EINVAL);
    CHECK(!ibv_reg_mr(pd, memory, 64, IBV_ACCESS_REMOTE_WRITE) && errno == EINVAL);
    CHECK(!ibv_create_cq(ctx, 0, nullptr, nullptr, 0) && errno == EINVAL);
    struct ibv_port_attr port;
    CHECK(ibv_query_port(ctx, 2, &port) == EINVAL);
    CHECK(!ibv_query_port(ctx, 1, &port) && port.link_layer == IBV_LINK_LAYER_ETHERNET &&
          port.state == IBV_PORT_ACTIVE && port.gid_tbl_len == 1);
    struct ibv_gid_entry entry;
    CHECK(ibv_query_gid_table(ctx, &entry, 1, 0) == 1 && entry.gid_type == IBV_GID_TYPE_ROCE_V2 &&
          !memcmp(&entry.gid, &gid, sizeof gid));
    CHECK(ibv_dealloc_pd(pd) == EBUSY);
}

static bool set_up(void)
{
    struct ibv_device **list = ibv_get_device_list(nullptr);

    ctx = list[0] ? ibv_open_device(list[0]) : nullptr;
    ibv_free_device_list(list);
    if (!ctx)
        return false;
    pd = ibv_alloc_pd(ctx);
    channel = ibv_create_comp_channel(ctx);
    cq = channel ? ibv_create_cq(ctx, 64, memory, channel, 0) : nullptr;
    mr = ibv_reg_mr(pd, memory, sizeof memory,
                    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
                        IBV_ACCESS_REMOTE_ATOMIC);
    return cq && mr && !ibv_query_gid(ctx, 1, 0, &gid);
}

int main(void)
{
    setlinebuf(stdout);
    if (!set_up()) {
        perror("set-up");
        return 1;
    }
    create__refused();
    modify__bad_order();
    modify__bad_mask();
    modify__bad_value();
    post__bad_state();
    post__bad_request();
    error__flushes();
    error__remote_key();
    error__no_receive();
    send__immediate();
    send__invalidate();
    read_and_atomics();
    shared_queue();
    events();
    CHECK(ibv_destroy_comp_channel(channel) == EBUSY);
    CHECK(!ibv_dereg_mr(mr) && !ibv_destroy_cq(cq) && !ibv_dealloc_pd(pd));
    CHECK(!ibv_destroy_comp_channel(channel) && !ibv_close_device(ctx));
    printf("calls: %u passed, %u failed\n", passed, failed);
    return failed != 0;
}
