// SPDX-License-Identifier: BSD-2-Clause
#include "client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* A short count means that the rest of the range is not there: an error as well. */

static int dma_read(void *ctx, uint64_t addr, void *buf, size_t len)
{
    const struct sim_client *c = ctx;
    struct iovec mine = {buf, len};
    struct iovec theirs = {(void *)(uintptr_t)addr, len};
    return process_vm_readv(c->pid, &mine, 1, &theirs, 1, 0) == (ssize_t)len ? 0 : -EFAULT;
}

static int dma_write(void *ctx, uint64_t addr, const void *buf, size_t len)
{
    const struct sim_client *c = ctx;
    struct iovec mine = {(void *)(uintptr_t)buf, len};
    struct iovec theirs = {(void *)(uintptr_t)addr, len};
    return process_vm_writev(c->pid, &mine, 1, &theirs, 1, 0) == (ssize_t)len ? 0 : -EFAULT;
}

const struct sim_mem_ops sim_client_mem = {.read = dma_read, .write = dma_write};

void sim_client_init(struct sim_client *c, int fd)
{
    struct ucred cred = {};
    socklen_t len = sizeof cred;
    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len);
    *c = (struct sim_client){.fd = fd, .pid = cred.pid, .nic = SIM_NIC_NONE, .watched = SIM_NIC_NONE,
                             .passed_fd = -1, .irq_fd = -1};
}

void sim_client_fini(struct sim_client *c)
{
    close(c->fd);
    if (c->passed_fd >= 0)
        close(c->passed_fd);
    if (c->irq_fd >= 0)
        close(c->irq_fd);
    free(c->out);
    *c = (struct sim_client){.fd = -1, .nic = SIM_NIC_NONE, .watched = SIM_NIC_NONE, .passed_fd = -1, .irq_fd = -1};
}

/** Keeps the descriptor that came with a message, the last one if there were several. */
static void take_fds(struct sim_client *c, struct msghdr *m)
{
    for (struct cmsghdr *h = CMSG_FIRSTHDR(m); h; h = CMSG_NXTHDR(m, h)) {
        if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS)
            continue;
        size_t n = (h->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < n; i++) {
            if (c->passed_fd >= 0)
                close(c->passed_fd);
            memcpy(&c->passed_fd, CMSG_DATA(h) + i * sizeof(int), sizeof(int));
        }
    }
}

static ssize_t receive(struct sim_client *c)
{
    alignas(struct cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))];
    struct iovec v = {(char *)&c->in + c->in_n, sizeof c->in - c->in_n};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    ssize_t n = recvmsg(c->fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n > 0)
        take_fds(c, &m);
    return n;
}

int sim_client_recv(struct sim_client *c)
{
    while (c->in_n < sizeof c->in) {
        ssize_t n = receive(c);
        if (n > 0)
            c->in_n += (size_t)n;
        else if (n < 0 && errno == EINTR)
            continue;
        else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return 0;
        else
            return -ECONNRESET;
    }
    return 1;
}

int sim_client_flush(struct sim_client *c)
{
    while (c->out_at < c->out_n) {
        ssize_t n = send(c->fd, c->out + c->out_at, c->out_n - c->out_at, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n >= 0)
            c->out_at += (size_t)n;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            return 0;
        else if (errno != EINTR)
            return -errno;
    }
    c->out_at = 0;
    c->out_n = 0;
    return 0;
}

int sim_client_reply(struct sim_client *c, const struct mr_sim_rep *rep, const char *text, size_t n)
{
    size_t size = sizeof *rep + n;
    char *out = realloc(c->out, c->out_n + size);
    if (!out)
        return -ENOMEM;
    memcpy(out + c->out_n, rep, sizeof *rep);
    if (n)
        memcpy(out + c->out_n + sizeof *rep, text, n);
    c->out = out;
    c->out_n += size;
    c->in_n = 0;
    return sim_client_flush(c);
}
