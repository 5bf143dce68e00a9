// SPDX-License-Identifier: BSD-2-Clause
/* test_irq.c - interrupts through eventfds, and clients that sleep on them. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "peer.h"
#include "sim_test.h"

#define LONG_MS 4000 // less than peer_cfg's escape

/** IRQ with a descriptor. */
static int32_t give(int sock, int fd)
{
    struct mr_sim_req q = {.op = MR_SIM_IRQ};
    struct mr_sim_rep r = {.status = -ECONNRESET};
    alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
    struct iovec v = {&q, sizeof q};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *h = CMSG_FIRSTHDR(&m);
    h->cmsg_level = SOL_SOCKET;
    h->cmsg_type = SCM_RIGHTS;
    h->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(h), &fd, sizeof fd);
    CU_ASSERT_EQUAL(sendmsg(sock, &m, MSG_NOSIGNAL), (ssize_t)sizeof q);
    CU_ASSERT_TRUE(peer_get(sock, &r, sizeof r));
    return r.status;
}

static bool readable(int fd, int ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, ms) == 1;
}

static uint64_t now(int sock)
{
    return peer_call(sock, MR_SIM_TIME, 0, 0, 0).a;
}

/** Opens a client with an eventfd. */
static int open_irq(const struct peer_server *s, uint32_t nic, int *fd)
{
    int sock = peer_hello(s, nic);
    *fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CU_ASSERT_EQUAL(give(sock, *fd), 0);
    return sock;
}

static void irq__bad(void)
{
    struct sim_server_cfg c = peer_cfg();
    struct peer_server s;
    c.clients = 1;
    peer_start(&s, &c);
    int a = peer_hello(&s, 0);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_IDLE, 0, 0, 0).status, -EINVAL);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_IRQ, 0, 0, 0).status, -EINVAL);
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CU_ASSERT_EQUAL(give(a, fd), 0);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_IRQ, 0, 0, 0).status, -EINVAL);
    int file[2];
    CU_ASSERT_EQUAL_FATAL(pipe(file), 0);
    CU_ASSERT_EQUAL(give(a, file[1]), 0); // it is the client's own affair
    close(file[0]);
    close(file[1]);
    peer_write(a, LB_IRQ, 20);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_WAIT, 0, 1000, 0).status, 0);
    CU_ASSERT_FALSE(readable(fd, 0));
    peer_bye(a);
    close(fd);
    CU_ASSERT_EQUAL(peer_end(&s), 0);
}

/** An interrupt that the client has not heard of keeps it awake; one that it has does not. */
static void idle__sleeps_over_nothing(void)
{
    struct sim_server_cfg c = peer_cfg();
    struct peer_server s;
    uint64_t seen = 0, n;
    int fd;
    c.clients = 1;
    peer_start(&s, &c);
    int a = open_irq(&s, 0, &fd);
    for (uint32_t i = 0; i < 50; i++) {
        peer_write(a, LB_IRQ, 3 + 40 * i); // the first ones come before IDLE
        struct mr_sim_rep r = peer_call(a, MR_SIM_IDLE, 0, seen, 0);
        CU_ASSERT_EQUAL(r.status, 0);
        CU_ASSERT_TRUE(readable(fd, LONG_MS));
        uint64_t t = now(a);
        CU_ASSERT_EQUAL(read(fd, &n, sizeof n), (ssize_t)sizeof n);
        seen += n;
        usleep(2000);
        CU_ASSERT_EQUAL(now(a), t); // time stands still
    }
    CU_ASSERT_EQUAL(seen, 50);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_IDLE, 0, seen - 1, 0).b, 1);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_IDLE, 0, seen, 0).b, 0);
    peer_bye(a);
    close(fd);
    CU_ASSERT_EQUAL(peer_end(&s), 0);
}

/** The moment of the wake-up; a second client waits meanwhile, and is held up until the first sleeps again. */
static uint64_t two(void)
{
    struct sim_server_cfg c = peer_cfg();
    struct peer_server s;
    struct mr_sim_rep r = {};
    uint64_t n;
    int fd;
    peer_start(&s, &c);
    int a = open_irq(&s, 0, &fd);
    int b = peer_hello(&s, 1);
    peer_write(a, LB_IRQ, 2000);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_IDLE, 0, 0, 0).b, 0);
    struct mr_sim_req wait = {.op = MR_SIM_WAIT, .a = 100'000};
    CU_ASSERT_EQUAL(send(b, &wait, sizeof wait, MSG_NOSIGNAL), (ssize_t)sizeof wait);
    CU_ASSERT_TRUE(readable(fd, LONG_MS));
    CU_ASSERT_FALSE(readable(b, 50));
    uint64_t t = now(a);
    CU_ASSERT_EQUAL(read(fd, &n, sizeof n), (ssize_t)sizeof n);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_IDLE, 0, n, 0).b, 0);
    CU_ASSERT_TRUE(peer_get(b, &r, sizeof r));
    CU_ASSERT_TRUE(r.status == 0 && r.a >= 100'000);
    peer_bye(a);
    peer_bye(b);
    close(fd);
    CU_ASSERT_EQUAL(peer_end(&s), 0);
    return t;
}

static void idle__in_lock_step(void)
{
    uint64_t first = two();
    CU_ASSERT_TRUE(first > 8'000 && first < 8'100);
    CU_ASSERT_EQUAL(two(), first);
}

void test_irq_add(void)
{
    CU_pSuite s = test_suite("irq");
    test_add(s, "irq__bad", irq__bad);
    test_add(s, "idle__sleeps_over_nothing", idle__sleeps_over_nothing);
    test_add(s, "idle__in_lock_step", idle__in_lock_step);
}
