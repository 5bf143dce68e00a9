// SPDX-License-Identifier: BSD-2-Clause
/* The `sim:` client against servers of this file: good ones, silent ones, dying ones. */
#include "rig.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "sim/protocol.h"

static struct {
    char path[64], uri[80];
    int listener, fd;
    atomic_llong answers;  // answers until it falls silent or dies; < 0: for ever
    bool dies;             // instead of falling silent
    bool short_reply;      // the last answer is cut in the middle
    atomic_bool stop;
    pthread_t thread;
    uint64_t now;
    atomic_uint writes, waits;
} srv;
static int32_t hello_status;  // set before start

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct mr_sim_rep answer(const struct mr_sim_req *q)
{
    struct mr_sim_rep p = {};

    switch (q->op) {
    case MR_SIM_HELLO: p.status = hello_status; break;
    case MR_SIM_READ:
        p.a = q->arg == MR_REG_MAGIC         ? 0x4d524f43
              : q->arg == MR_REG_VERSION     ? 0x10000
              : q->arg == MR_REG_LAYOUT_HASH ? MR_LAYOUT_HASH
              : q->arg == MR_REG_TBL_STATUS  ? 0
                                             : 8;
        break;
    case MR_SIM_WRITE: atomic_fetch_add(&srv.writes, 1); break;
    case MR_SIM_WAIT:
        atomic_fetch_add(&srv.waits, 1);
        srv.now += q->a;
        p.a = srv.now;
        break;
    case MR_SIM_MAP: p.status = q->b == 7 ? -ENOSPC : 0; break;
    case MR_SIM_TIME: p.a = srv.now; break;
    case MR_SIM_STATS: p.a = 10; break;
    case MR_SIM_ROW:
        p.status = q->arg == MR_TBL_KEY ? -ENOENT : 0;
        p.a = q->arg == MR_TBL_CONN ? 64 : p.status ? 0 : 63;
        p.b = q->a + 3;
        break;
    default: break;
    }
    return p;
}

static void *serve(void *arg)
{
    struct mr_sim_req q;
    (void)arg;

    srv.fd = accept(srv.listener, nullptr, nullptr);
    while (srv.fd >= 0 && srv.answers) {
        if (recv(srv.fd, &q, sizeof q, MSG_WAITALL) != sizeof q)
            break;
        struct mr_sim_rep p = answer(&q);
        srv.answers--;
        size_t n = !srv.answers && srv.short_reply ? 10 : sizeof p;
        if (send(srv.fd, &p, n, MSG_NOSIGNAL) < 0)
            break;
        if (q.op == MR_SIM_STATS && send(srv.fd, "{\"a\":1234}", 10, MSG_NOSIGNAL) < 0)
            break;
        if (q.op == MR_SIM_ROW && !p.status && send(srv.fd, (char[64]){1, 2, 3}, 64, MSG_NOSIGNAL) < 0)
            break;
        if (q.op == MR_SIM_BYE)
            break;
    }
    while (!srv.dies && !srv.answers && !atomic_load(&srv.stop))
        usleep(1000);
    if (srv.fd >= 0)
        close(srv.fd);
    return nullptr;
}

static void start(int64_t answers, bool dies)
{
    struct sockaddr_un sun = {.sun_family = AF_UNIX};

    memset(&srv, 0, sizeof srv);
    snprintf(srv.path, sizeof srv.path, "/tmp/mr-test-%d.sock", (int)getpid());
    snprintf(srv.uri, sizeof srv.uri, "sim:%s", srv.path);
    unlink(srv.path);
    memcpy(sun.sun_path, srv.path, sizeof srv.path);
    srv.answers = answers;
    srv.dies = dies;
    srv.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CU_ASSERT_EQUAL_FATAL(bind(srv.listener, (struct sockaddr *)&sun, sizeof sun), 0);
    CU_ASSERT_EQUAL_FATAL(listen(srv.listener, 1), 0);
    pthread_create(&srv.thread, nullptr, serve, nullptr);
}

static void stop(void)
{
    atomic_store(&srv.stop, true);
    shutdown(srv.listener, SHUT_RDWR);
    pthread_join(srv.thread, nullptr);
    close(srv.listener);
    unlink(srv.path);
}

static void open__absent(void)
{
    struct mr_device *dev;
    double t = seconds();

    CHECK_ERR(mr_device_open("sim:/tmp/there-is-no-such-socket", &dev), -ENODEV);
    setenv("MR_SIM", "/tmp/nor-this", 1);
    CHECK_ERR(mr_device_open("sim:", &dev), -ENODEV);
    unsetenv("MR_SIM");
    char uri[256] = "sim:";
    memset(uri + 4, 'x', 200);
    CHECK_ERR(mr_device_open(uri, &dev), -EINVAL);
    CU_ASSERT_TRUE(seconds() - t < 1);
}

static void open__nobody_accepts(void)
{
    struct sockaddr_un sun = {.sun_family = AF_UNIX, .sun_path = "/tmp/mr-test-backlog.sock"};
    struct mr_device *dev;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0), fill[4];

    unlink(sun.sun_path);
    CU_ASSERT_EQUAL_FATAL(bind(fd, (struct sockaddr *)&sun, sizeof sun), 0);
    CU_ASSERT_EQUAL_FATAL(listen(fd, 0), 0);
    for (int i = 0; i < 4; i++) {
        fill[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        (void)!connect(fill[i], (struct sockaddr *)&sun, sizeof sun);
    }
    double t = seconds();
    CHECK_ERR(mr_device_open("sim:/tmp/mr-test-backlog.sock", &dev), -ENODEV);
    CU_ASSERT_TRUE(seconds() - t < 5);
    for (int i = 0; i < 4; i++)
        close(fill[i]);
    close(fd);
    unlink(sun.sun_path);
}

static void open__silent(void)
{
    struct mr_device *dev;

    start(0, false);
    double t = seconds();
    CHECK_ERR(mr_device_open(srv.uri, &dev), -EIO);
    CU_ASSERT_TRUE(seconds() - t < 5);
    stop();
}

/* A device that is only looked at: nothing reaches it, and it stays usable. */
static void open__watch(void)
{
    unsigned char row[MR_ROW_BYTES], memory[64];
    char uri[128];
    struct mr_device *dev;
    struct mr_cq *cq;
    struct mr_pd *pd;
    struct mr_mr *mr;
    uint32_t at = 4;

    start(-1, true);
    snprintf(uri, sizeof uri, "%s?watch=1&nic=2", srv.uri);
    CU_ASSERT_EQUAL_FATAL(mr_device_open(uri, &dev), 0);
    CHECK_ERR(mr_device_tune(dev, MR_TUNE_SEED, 1), -EPERM);
    CHECK_ERR(mr_cq_create(dev, 8, &cq), -EPERM);
    CU_ASSERT_EQUAL(mr_pd_create(dev, &pd), 0);
    CHECK_ERR(mr_mr_reg(pd, memory, sizeof memory, MR_RIGHT_LOCAL_READ, &mr), -EPERM);
    CU_ASSERT_EQUAL(srv.writes, 0);
    CU_ASSERT_EQUAL(mr_table_next(dev, MR_TBL_CONN, &at, row), 0);
    CU_ASSERT_TRUE(at == 7 && row[0] == 1 && row[2] == 3 && row[63] == 0);
    CHECK_ERR(mr_table_next(dev, MR_TBL_KEY, &at, row), -ENOENT);
    CU_ASSERT_EQUAL(at, 7);
    CHECK_ERR(mr_table_next(dev, MR_TBL_CQ, &at, row), -EIO); // an entry of another size
    mr_device_close(dev);
    stop();
    snprintf(uri, sizeof uri, "%s?watch=2", srv.uri);
    CHECK_ERR(mr_device_open(uri, &dev), -EINVAL);
}

static void open__refused(void)
{
    static const struct {
        int status, err;
    } row[] = {{-EBUSY, -EBUSY}, {-ENODEV, -ENODEV}, {-EPROTO, -EPROTO}, {-EINVAL, -EPROTO}};
    struct mr_device *dev;

    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        hello_status = row[i].status;
        start(-1, true);
        CHECK_ERR(mr_device_open(srv.uri, &dev), row[i].err);
        stop();
    }
    hello_status = 0;
}

static void open__dies_anywhere(void)
{
    struct mr_device *dev;

    for (int n = 0; n < 12; n++) {
        start(n, true);
        srv.short_reply = n & 1;
        CHECK_ERR(mr_device_open(srv.uri, &dev), -EIO);
        stop();
    }
}

static void calls__reach_the_server(void)
{
    struct mr_device *dev;
    struct mr_pd *pd;
    struct mr_mr *mr;
    struct mr_cq *cq;
    struct mr_wc wc;
    uint64_t t;
    char text[32];
    uint8_t bytes[8];

    start(-1, true);
    CU_ASSERT_EQUAL_FATAL(mr_device_open(srv.uri, &dev), 0);
    CU_ASSERT_EQUAL(mr_pd_create(dev, &pd), 0);
    CU_ASSERT_EQUAL(mr_mr_reg(pd, bytes, 8, MR_RIGHT_LOCAL_READ, &mr), 0);
    CU_ASSERT_EQUAL(atomic_load(&srv.writes), 8 + 2);
    CHECK_ERR(mr_mr_reg(pd, bytes, 7, MR_RIGHT_LOCAL_READ, &mr), -ENOSPC);
    CU_ASSERT_EQUAL(mr_cq_create(dev, 4, &cq), 0);
    CU_ASSERT_EQUAL(mr_cq_poll(cq, &wc, 1), 0);
    CU_ASSERT_EQUAL(mr_cq_wait(cq, 500000), 0);
    CU_ASSERT_EQUAL(mr_device_time(dev, &t), 0);
    CU_ASSERT_EQUAL(t, 501000);
    CU_ASSERT_TRUE(atomic_load(&srv.waits) > 2);
    CU_ASSERT_EQUAL(mr_device_stats(dev, text, sizeof text), 10);
    CU_ASSERT_STRING_EQUAL(text, "{\"a\":1234}");
    CU_ASSERT_EQUAL(mr_device_stats(dev, text, 5), 10);
    CU_ASSERT_STRING_EQUAL(text, "{\"a\"");
    CU_ASSERT_EQUAL(mr_device_stats(dev, nullptr, 0), 10);
    CU_ASSERT_EQUAL(mr_device_time(dev, &t), 0);
    CU_ASSERT_EQUAL(mr_device_close(dev), 0);
    stop();
}

static void calls__server_dies(void)
{
    struct mr_device *dev;
    struct mr_cq *cq = nullptr;
    struct mr_wc wc;
    uint64_t t;

    start(60, true);
    CU_ASSERT_EQUAL_FATAL(mr_device_open(srv.uri, &dev), 0);
    CU_ASSERT_EQUAL(mr_cq_create(dev, 4, &cq), 0);
    double begin = seconds();
    int rc = 0;
    while (!rc)
        rc = mr_cq_poll(cq, &wc, 1);
    CHECK_ERR(rc, -EIO);
    CHECK_ERR(mr_cq_wait(cq, 1000), -EIO);
    CHECK_ERR(mr_device_time(dev, &t), -EIO);
    CHECK_ERR(mr_device_stats(dev, nullptr, 0), -EIO);
    CHECK_ERR(mr_device_close(dev), -EIO);
    CU_ASSERT_TRUE(seconds() - begin < 5);
    stop();
}

static void calls__server_falls_silent(void)
{
    struct mr_device *dev;
    uint64_t t;

    start(20, false);
    CU_ASSERT_EQUAL_FATAL(mr_device_open(srv.uri, &dev), 0);
    double begin = seconds();
    int rc = 0;
    while (!rc)
        rc = mr_device_time(dev, &t);
    CHECK_ERR(rc, -EIO);
    CHECK_ERR(mr_device_close(dev), -EIO);
    CU_ASSERT_TRUE(seconds() - begin < 5);
    stop();
}

static void wait__limit(void)
{
    struct mr_device *dev;
    struct mr_cq *cq;
    char uri[100];

    start(-1, false);
    snprintf(uri, sizeof uri, "%s?nic=3&wait=1", srv.uri);
    CU_ASSERT_EQUAL_FATAL(mr_device_open(uri, &dev), 0);
    CU_ASSERT_EQUAL(mr_cq_create(dev, 4, &cq), 0);
    srv.answers = 1;  // the question for the time is the last that is answered
    double begin = seconds();
    CHECK_ERR(mr_cq_wait(cq, 1000), -EIO);
    CU_ASSERT_TRUE(seconds() - begin < 3);
    mr_device_close(dev);
    stop();
}

const struct test_row tests_bus_sim[] = {
    {"open__absent", open__absent},
    {"open__nobody_accepts", open__nobody_accepts},
    {"open__silent", open__silent},
    {"open__watch", open__watch},
    {"open__refused", open__refused},
    {"open__dies_anywhere", open__dies_anywhere},
    {"calls__reach_the_server", calls__reach_the_server},
    {"calls__server_dies", calls__server_dies},
    {"calls__server_falls_silent", calls__server_falls_silent},
    {"wait__limit", wait__limit},
    {},
};
