// SPDX-License-Identifier: BSD-2-Clause
#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim_test.h"

uint64_t peer_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

struct sim_server_cfg peer_cfg(void)
{
    struct sim_server_cfg c = sim_server_defaults();
    c.sim.engine = "loopback";
    c.hello_ms = 5000;
    c.escape_ms = 5000; // a slow machine must not look like a lost client
    c.idle_exit_s = 20;
    return c;
}

void peer_start(struct peer_server *s, const struct sim_server_cfg *cfg)
{
    struct sim_server_cfg c = *cfg;
    strcpy(s->dir, "/tmp/mrsim.XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(s->dir));
    snprintf(s->socket, sizeof s->socket, "%s/s", s->dir);
    snprintf(s->err, sizeof s->err, "%s/err", s->dir);
    c.socket = s->socket;
    fflush(stdout);
    s->pid = fork();
    CU_ASSERT_FATAL(s->pid >= 0);
    if (s->pid)
        return;
    int fd = open(s->err, O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(fd, 2);
    close(fd);
    exit(sim_server_run(&c) ? 1 : 0);
}

int peer_end(struct peer_server *s)
{
    int status = -1;
    uint64_t until = peer_ms() + 20000;
    pid_t got;
    while ((got = waitpid(s->pid, &status, WNOHANG)) == 0 && peer_ms() < until)
        usleep(2000);
    if (got == 0) {
        kill(s->pid, SIGKILL);
        waitpid(s->pid, &status, 0);
        status = -1;
    }
    if (status)
        (void)!system("cat /tmp/mrsim.*/err 1>&2");
    unlink(s->err);
    unlink(s->socket);
    rmdir(s->dir);
    return status == -1 ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

unsigned peer_said(const struct peer_server *s, const char *text)
{
    char line[512];
    unsigned n = 0;
    FILE *f = fopen(s->err, "re");
    if (!f)
        return 0;
    while (fgets(line, sizeof line, f))
        n += strstr(line, text) != nullptr;
    fclose(f);
    return n;
}

int peer_connect(const struct peer_server *s)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    strcpy(a.sun_path, s->socket);
    for (int i = 0; i < 5000; i++) {
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0) {
            struct timeval t = {.tv_sec = 15}; // no test hangs
            setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
            return fd;
        }
        close(fd);
        usleep(2000);
    }
    return -1;
}

bool peer_get(int fd, void *buf, size_t n)
{
    size_t at = 0;
    while (at < n) {
        ssize_t k = recv(fd, (char *)buf + at, n - at, 0);
        if (k <= 0)
            return false;
        at += (size_t)k;
    }
    return true;
}

struct mr_sim_rep peer_call(int fd, uint32_t op, uint32_t arg, uint64_t a, uint64_t b)
{
    struct mr_sim_req q = {op, arg, a, b};
    struct mr_sim_rep r = {.status = -ECONNRESET};
    if (send(fd, &q, sizeof q, MSG_NOSIGNAL) != sizeof q || !peer_get(fd, &r, sizeof r))
        r = (struct mr_sim_rep){.status = -ECONNRESET};
    return r;
}

int peer_hello(const struct peer_server *s, uint64_t nic)
{
    int fd = peer_connect(s);
    struct mr_sim_rep r = peer_call(fd, MR_SIM_HELLO, MR_SIM_PROTOCOL_VERSION, nic, 0);
    CU_ASSERT_EQUAL(r.status, 0);
    return fd;
}

uint32_t peer_read(int fd, uint32_t offset)
{
    struct mr_sim_rep r = peer_call(fd, MR_SIM_READ, offset, 0, 0);
    CU_ASSERT_EQUAL(r.status, 0);
    return (uint32_t)r.a;
}

void peer_write(int fd, uint32_t offset, uint32_t value)
{
    CU_ASSERT_EQUAL(peer_call(fd, MR_SIM_WRITE, offset, value, 0).status, 0);
}

void peer_dma(int fd, uint32_t cmd, const void *at, uint32_t len)
{
    peer_write(fd, LB_ADDR_LO, (uint32_t)(uintptr_t)at);
    peer_write(fd, LB_ADDR_HI, (uint32_t)((uintptr_t)at >> 32));
    peer_write(fd, LB_LEN, len);
    peer_write(fd, LB_CMD, cmd);
    for (int i = 0; i < 1000 && peer_read(fd, LB_BUSY); i++)
        ;
}

void peer_bye(int fd)
{
    CU_ASSERT_EQUAL(peer_call(fd, MR_SIM_BYE, 0, 0, 0).status, 0);
    close(fd);
}
