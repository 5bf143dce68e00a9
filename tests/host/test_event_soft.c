// SPDX-License-Identifier: BSD-2-Clause
/* Sleeping on descriptors, with two software NICs. */
#include "rig.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BYTES = 1 << 16, LONG_MS = 20000 };

struct end {
    struct mr_device *dev;
    struct mr_pd *pd;
    struct mr_cq *cq;
    struct mr_channel *ch;
    struct mr_conn *conn;
    struct mr_rq *rq;
    struct mr_stream *stream;
    struct mr_mr *mr;
    struct mr_conn_addr addr;
    uint8_t *memory;
};

static char dir[32];
static struct end end[2];

static int open_end(struct end *s, unsigned i)
{
    static constexpr uint32_t rights = MR_RIGHT_LOCAL_READ | MR_RIGHT_LOCAL_WRITE | MR_RIGHT_REMOTE_WRITE;
    struct mr_conn_attr attr = rig_attr(i);
    char uri[96];

    attr.paths = 2;
    snprintf(uri, sizeof uri, "soft:%u?dir=%s", i, dir);
    s->memory = calloc(1, BYTES);
    int rc = mr_device_open(uri, &s->dev);
    if (!rc)
        rc = mr_pd_create(s->dev, &s->pd);
    if (!rc)
        rc = mr_cq_create(s->dev, 64, &s->cq);
    if (!rc)
        rc = mr_channel_create(s->dev, &s->ch);
    if (!rc)
        rc = mr_cq_set_channel(s->cq, s->ch);
    if (!rc)
        rc = mr_conn_create(s->dev, &attr, &s->conn);
    if (!rc)
        rc = mr_rq_create(s->pd, &(struct mr_rq_attr){.depth = 16}, &s->rq);
    if (!rc)
        rc = mr_stream_create_attr(
            s->conn, &(struct mr_stream_attr){.pd = s->pd, .cq = s->cq, .rq = s->rq, .depth = 16}, &s->stream);
    if (!rc)
        rc = mr_mr_reg(s->pd, s->memory, BYTES, rights, &s->mr);
    return rc ? rc : mr_conn_local(s->conn, &s->addr);
}

static bool open_ends(void)
{
    memset(end, 0, sizeof end);
    snprintf(dir, sizeof dir, "/tmp/mr-event-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
    int rc = open_end(&end[0], 0);
    if (!rc)
        rc = open_end(&end[1], 1);
    for (int i = 0; i < 2 && !rc; i++) {
        rc = mr_conn_connect(end[i].conn, &end[!i].addr);
        if (!rc)
            rc = mr_stream_connect(end[i].stream, end[!i].addr.stream[0]);
    }
    CU_ASSERT_EQUAL(rc, 0);
    return !rc;
}

static void close_end(unsigned i)
{
    CU_ASSERT_EQUAL(mr_device_close(end[i].dev), 0);
    free(end[i].memory);
}

static bool sleep_on(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, LONG_MS) == 1;
}

/* The next event of an armed queue, asleep until then. */
static bool wait_event(struct end *s)
{
    struct mr_cq *cq = nullptr;
    int rc = 0;

    while (!rc && sleep_on(mr_channel_fd(s->ch)))
        rc = mr_channel_get(s->ch, 0, &cq);
    return rc == 1 && cq == s->cq && mr_cq_ack(cq, 1) == 0;
}

static int write_bytes(uint32_t rkey)
{
    return mr_post_write(end[0].stream, &(struct mr_write){.wr_id = 1, .laddr = end[0].memory,
        .lkey = mr_mr_lkey(end[0].mr), .raddr = (uintptr_t)end[1].memory, .rkey = rkey, .length = 1000,
        .flags = MR_POST_SIGNALED});
}

static void sleep__until_a_write_is_done(void)
{
    struct mr_wc wc;

    if (!open_ends())
        return;
    for (int i = 0; i < 200; i++) {
        CU_ASSERT_EQUAL(mr_cq_arm(end[0].cq, false), 0);
        CU_ASSERT_EQUAL(mr_cq_poll(end[0].cq, &wc, 1), 0);
        CU_ASSERT_EQUAL(write_bytes(mr_mr_rkey(end[1].mr)), 0);
        CU_ASSERT_TRUE_FATAL(wait_event(&end[0]));
        CU_ASSERT_EQUAL(mr_cq_poll(end[0].cq, &wc, 1), 1);
        CU_ASSERT_EQUAL(wc.status, MR_ERR_OK);
    }
    close_end(0);
    close_end(1);
    CU_ASSERT_EQUAL(rmdir(dir), 0);
}

static int send_one(uint32_t flags)
{
    struct mr_sge room = {end[1].memory, 1000, mr_mr_lkey(end[1].mr)};
    struct mr_sge part = {end[0].memory, 100, mr_mr_lkey(end[0].mr)};
    int rc = mr_post_recv(end[1].rq, &(struct mr_recv_wr){.wr_id = 2, .sge = &room, .nsge = 1});

    return rc ? rc : mr_post_send(end[0].stream, &(struct mr_send_wr){.wr_id = 3, .opcode = MR_OP_SEND,
        .flags = flags | MR_POST_SIGNALED, .sge = &part, .nsge = 1});
}

static void sleep__solicited(void)
{
    struct mr_cq *cq;
    struct mr_wc wc[2];

    if (!open_ends())
        return;
    CU_ASSERT_EQUAL(mr_cq_arm(end[1].cq, true), 0);
    CU_ASSERT_EQUAL(send_one(0), 0);
    CU_ASSERT_EQUAL(mr_cq_wait(end[1].cq, LONG_MS * 1000000ull), 1);
    CU_ASSERT_EQUAL(mr_channel_get(end[1].ch, 10000000, &cq), 0);
    CU_ASSERT_EQUAL(send_one(MR_POST_SOLICITED), 0);
    CU_ASSERT_TRUE(wait_event(&end[1]));
    CU_ASSERT_EQUAL(mr_cq_poll(end[1].cq, wc, 2), 2);
    CU_ASSERT_EQUAL(wc[1].flags & MR_WC_SOLICITED, MR_WC_SOLICITED);
    close_end(0);
    close_end(1);
    CU_ASSERT_EQUAL(rmdir(dir), 0);
}

/* A stream that ends by an error, then a peer that goes away. */
static void async__errors(void)
{
    struct mr_event e;
    struct mr_wc wc;

    if (!open_ends())
        return;
    int fd = mr_async_fd(end[0].dev);
    CU_ASSERT_EQUAL(write_bytes(mr_mr_rkey(end[1].mr) + 1), 0);
    CU_ASSERT_TRUE(sleep_on(fd));
    CU_ASSERT_EQUAL(mr_async_get(end[0].dev, LONG_MS * 1000000ull, &e), 1);
    CU_ASSERT_TRUE(e.type == MR_EVENT_STREAM_ERROR && e.stream == end[0].stream && e.status == MR_ERR_REMOTE_KEY);
    CU_ASSERT_EQUAL(mr_cq_wait(end[0].cq, LONG_MS * 1000000ull), 1);
    CU_ASSERT_EQUAL(mr_cq_poll(end[0].cq, &wc, 1), 1);
    CU_ASSERT_EQUAL(mr_stream_destroy(end[0].stream), 0);
    CU_ASSERT_EQUAL(mr_stream_create(end[0].conn, end[0].pd, end[0].cq, 8, &end[0].stream), 0);
    CU_ASSERT_EQUAL(mr_stream_connect(end[0].stream, 1), 0);
    CU_ASSERT_EQUAL(mr_device_tune(end[0].dev, MR_TUNE_RETRY_MAX, 2), 0);
    uint32_t rkey = mr_mr_rkey(end[1].mr);
    uint64_t to = (uintptr_t)end[1].memory;
    close_end(1);
    CU_ASSERT_EQUAL(mr_post_write(end[0].stream, &(struct mr_write){.wr_id = 1, .laddr = end[0].memory,
        .lkey = mr_mr_lkey(end[0].mr), .raddr = to, .rkey = rkey, .length = 8, .flags = MR_POST_SIGNALED}), 0);
    CU_ASSERT_EQUAL(mr_async_get(end[0].dev, LONG_MS * 1000000ull, &e), 1);
    CU_ASSERT_TRUE(e.type == MR_EVENT_CONN_DEAD && e.conn == end[0].conn);
    CU_ASSERT_EQUAL(mr_async_get(end[0].dev, LONG_MS * 1000000ull, &e), 1);
    CU_ASSERT_TRUE(e.type == MR_EVENT_STREAM_ERROR && e.stream == end[0].stream && e.status == MR_ERR_RETRY);
    close_end(0);
    CU_ASSERT_EQUAL(rmdir(dir), 0);
}

const struct test_row tests_event_soft[] = {
    {"sleep__until_a_write_is_done", sleep__until_a_write_is_done},
    {"sleep__solicited", sleep__solicited},
    {"async__errors", async__errors},
    {},
};
