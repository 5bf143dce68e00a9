// SPDX-License-Identifier: BSD-2-Clause
/* control.c - see control.h. SOCK_SEQPACKET keeps messages whole. */
#include "control.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static constexpr unsigned retry_ms = 20;

static int address(struct sockaddr_un *sun, const char *path)
{
    *sun = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof sun->sun_path)
        return -ENAMETOOLONG;
    strcpy(sun->sun_path, path);
    return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
}

int control_accept(const char *path, unsigned ms)
{
    struct sockaddr_un sun;
    int fd = address(&sun, path), peer = -1;

    if (fd < 0)
        return fd;
    unlink(path);
    int rc = bind(fd, (struct sockaddr *)&sun, sizeof sun) || listen(fd, 1) ? -errno : 0;
    if (!rc && poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, (int)ms) <= 0)
        rc = -ETIMEDOUT;
    if (!rc) {
        peer = accept4(fd, nullptr, nullptr, SOCK_CLOEXEC);
        rc = peer < 0 ? -errno : peer;
    }
    close(fd);
    unlink(path);
    return rc;
}

int control_connect(const char *path, unsigned ms)
{
    struct sockaddr_un sun;
    int fd = address(&sun, path);

    if (fd < 0)
        return fd;
    for (unsigned t = 0; t <= ms; t += retry_ms) {
        if (!connect(fd, (struct sockaddr *)&sun, sizeof sun))
            return fd;
        usleep(retry_ms * 1000);
    }
    close(fd);
    return -ETIMEDOUT;
}

int control_send(int fd, const void *msg, size_t n)
{
    return send(fd, msg, n, MSG_NOSIGNAL) == (ssize_t)n ? 0 : -EPIPE;
}

int control_try(int fd, void *msg, size_t n)
{
    ssize_t k = recv(fd, msg, n, MSG_DONTWAIT);

    if (k < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    return k == (ssize_t)n ? 1 : -EPIPE;
}

int control_recv(int fd, void *msg, size_t n, unsigned ms)
{
    int rc = poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, (int)ms);

    if (rc <= 0)
        return -ETIMEDOUT;
    rc = control_try(fd, msg, n);
    return rc == 1 ? 0 : rc ? rc : -ETIMEDOUT;
}
