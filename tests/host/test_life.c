// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_life.c - the library under random work: posts, completions, errors of the
 * device, streams that are ended and made anew. Every post completes once, in
 * order, with its own data; no completion queue overflows; no place is lost.
 */
#include "rig.h"

enum { DEPTH = 8, RECVS = 8, CQ = 32 };

struct side {
    uint64_t send_id, recv_id;      // of the next post
    uint64_t send_done, recv_done;  // posts from here on are not completed; of a queue that is not shared
    bool signaled[2 * DEPTH], recv_out[2 * RECVS];
    bool told_error;
};

static struct rig r;
static struct side side[2];
static uint64_t seed;
static struct rig_shape shape;

static bool chance(uint32_t of)
{
    return rig_random(&seed) % of == 0;
}

static void post_sends(unsigned k)
{
    struct mr_send_wr w[5];
    struct side *s = &side[k];
    uint32_t n = 1 + rig_random(&seed) % 5, posted;

    for (uint32_t i = 0; i < n; i++) {
        static const uint8_t ops[] = {MR_OP_WRITE, MR_OP_SEND, MR_OP_SEND_IMM, MR_OP_WRITE_IMM, MR_OP_READ};
        w[i] = (struct mr_send_wr){.wr_id = s->send_id + i, .opcode = ops[rig_random(&seed) % 5],
                                   .flags = chance(3) ? 0 : MR_POST_SIGNALED, .imm = (uint32_t)(s->send_id + i)};
    }
    int rc = mr_post_send_list(r.stream[k], w, n, &posted);
    CU_ASSERT_TRUE_FATAL(rc == (posted == n ? 0 : -ENOSPC) || (rc == -EPIPE && !posted));
    for (uint32_t i = 0; i < posted; i++)
        s->signaled[s->send_id++ % (2 * DEPTH)] = w[i].flags;
    CU_ASSERT_TRUE_FATAL(s->send_id - s->send_done <= DEPTH);
}

static void post_recvs(unsigned k)
{
    struct mr_recv_wr w[4];
    struct side *s = &side[shape.shared ? 0 : k];
    uint32_t n = 1 + rig_random(&seed) % 4, posted;

    for (uint32_t i = 0; i < n; i++)
        w[i] = (struct mr_recv_wr){.wr_id = s->recv_id + i};
    int rc = mr_post_recv_list(r.rq[k], w, n, &posted);
    CU_ASSERT_TRUE_FATAL(rc == (posted == n ? 0 : -ENOSPC) || (rc == -EPIPE && !posted));
    while (posted--)
        s->recv_out[s->recv_id++ % (2 * RECVS)] = true;
}

static void on_recv(const struct mr_wc *wc, unsigned k)
{
    struct side *s = &side[shape.shared ? 0 : k];

    CU_ASSERT_PTR_EQUAL(wc->rq, r.rq[k]);
    CU_ASSERT_TRUE_FATAL(wc->wr_id < s->recv_id && s->recv_out[wc->wr_id % (2 * RECVS)]);
    s->recv_out[wc->wr_id % (2 * RECVS)] = false;
    // The device here takes the receives of a shared queue in order too, but polls find them in any.
    CU_ASSERT_TRUE(shape.shared || wc->wr_id == s->recv_done);
    s->recv_done++;
}

static void on_send(const struct mr_wc *wc, unsigned k)
{
    struct side *s = &side[k];

    CU_ASSERT_TRUE_FATAL(wc->wr_id >= s->send_done && wc->wr_id < s->send_id);
    for (; s->send_done < wc->wr_id; s->send_done++)
        CU_ASSERT_FALSE(s->signaled[s->send_done % (2 * DEPTH)] || s->told_error);
    CU_ASSERT_TRUE(wc->status != MR_ERR_OK || s->signaled[s->send_done % (2 * DEPTH)]);
    s->send_done++;
    CU_ASSERT_TRUE(!s->told_error || wc->status == MR_ERR_FLUSH);
    s->told_error = wc->status != MR_ERR_OK;
}

static int poll(struct mr_cq *cq, int n)
{
    struct mr_wc wc[16];
    int got = mr_cq_poll(cq, wc, n);

    CU_ASSERT_TRUE_FATAL(got >= 0);
    for (int i = 0; i < got; i++) {
        unsigned k = wc[i].stream == r.stream[1];
        CU_ASSERT_PTR_EQUAL_FATAL(wc[i].stream, r.stream[k]);
        if (wc[i].flags & MR_WC_RECV)
            on_recv(&wc[i], k);
        else
            on_send(&wc[i], k);
    }
    return got;
}

static void make_streams(void)
{
    struct mr_stream_attr a = {.pd = r.pd, .cq = r.cq, .rcq = r.rcq, .depth = DEPTH};

    for (unsigned k = 0; k < 2; k++) {
        a.rq = r.rq[k];
        CU_ASSERT_EQUAL_FATAL(mr_stream_create_attr(r.conn[k], &a, &r.stream[k]), 0);
    }
    for (unsigned k = 0; k < 2; k++)
        CU_ASSERT_EQUAL_FATAL(mr_stream_connect(r.stream[k], mr_stream_number(r.stream[!k])), 0);
}

/* Both end; all that is posted comes back. */
static void end_streams(void)
{
    for (unsigned k = 0; k < 2; k++)
        CU_ASSERT_EQUAL(mr_stream_fail(r.stream[k]), 0);
    while (poll(r.cq, 1 + (int)(rig_random(&seed) % 16)) || (r.rcq && poll(r.rcq, 3)))
        ;
    for (unsigned k = 0; k < 2; k++) {
        CU_ASSERT_EQUAL(side[k].send_done, side[k].send_id);
        CU_ASSERT_TRUE(shape.shared || side[k].recv_done == side[k].recv_id);
        CU_ASSERT_EQUAL_FATAL(mr_stream_destroy(r.stream[k]), 0);
        side[k].told_error = false;
    }
}

/* A queue as large as the completion queue finds room: nothing is reserved. */
static void check_places(void)
{
    struct mr_rq_attr a = {.depth = CQ};
    struct mr_stream *s;
    struct mr_rq *rq;

    CU_ASSERT_EQUAL_FATAL(mr_rq_create(r.pd, &a, &rq), 0);
    for (unsigned k = 0; k < 1u + !!r.rcq; k++) {
        struct mr_stream_attr sa = {.pd = r.pd, .cq = r.cq, .rcq = k ? r.rcq : r.cq, .rq = rq, .depth = 1};
        CU_ASSERT_EQUAL_FATAL(mr_stream_create_attr(r.conn[0], &sa, &s), 0);
        CU_ASSERT_EQUAL(mr_stream_destroy(s), 0);
    }
    CU_ASSERT_EQUAL(mr_rq_destroy(rq), 0);
}

static void life__random(void)
{
    uint32_t errors = 0;

    for (uint32_t round = 0; round < 48; round++) {
        seed = round;
        shape = (struct rig_shape){.depth = DEPTH, .cq = CQ, .rcq = round & 1 ? CQ : 0, .rq_depth = RECVS,
                                   .shared = round >> 1 & 1};
        memset(side, 0, sizeof side);
        fake.hold = true;
        if (!rig_open_as(&r, shape))
            return;
        for (uint32_t i = 0; i < 600; i++) {
            unsigned k = rig_random(&seed) % 2;
            switch (rig_random(&seed) % 6) {
            case 0: post_sends(k); break;
            case 1: post_recvs(k); break;
            case 2: fake_run(rig_random(&seed) % 8); break;
            case 3: poll(r.cq, (int)(rig_random(&seed) % 9)); break;
            case 4: r.rcq ? poll(r.rcq, (int)(rig_random(&seed) % 9)) : 0; break;
            default:
                if (chance(10)) {
                    fake.fail_status = (uint8_t)(1 + rig_random(&seed) % 14), fake.fail_after = rig_random(&seed) % 3;
                    fake_run(3);
                    fake.fail_status = 0;
                } else if (chance(12)) {
                    CU_ASSERT_EQUAL(mr_stream_fail(r.stream[k]), 0);
                }
            }
            if ((side[0].told_error || side[1].told_error) && chance(8)) {
                errors++;
                end_streams();
                make_streams();
            }
        }
        end_streams();
        if (shape.shared)
            CU_ASSERT_EQUAL(mr_rq_destroy(r.rq[0]), 0);
        check_places();
        rig_close(&r);
    }
    CU_ASSERT_TRUE(errors > 100);
}

const struct test_row tests_life[] = {
    {"life__random", life__random},
    {},
};
