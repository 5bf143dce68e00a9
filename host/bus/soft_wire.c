// SPDX-License-Identifier: BSD-2-Clause
/* soft_wire.c - Ethernet frames over Unix datagram sockets. */
#include "soft_wire.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static constexpr uint64_t busy_ns = 10000000;   // longest time that a frame waits for its peer
static constexpr int socket_bytes = 4 << 20;    // asked for; the system may give less

static int address(struct sockaddr_un *sun, const char *dir, unsigned index)
{
    *sun = (struct sockaddr_un){.sun_family = AF_UNIX};
    int n = snprintf(sun->sun_path, sizeof sun->sun_path, "%s/%u.sock", dir, index);
    return n > 0 && (size_t)n < sizeof sun->sun_path ? 0 : -EINVAL;
}

/* A socket file whose owner has died is in the way: nobody answers on it. */
static int take_address(int fd, const struct sockaddr_un *sun)
{
    const struct sockaddr *sa = (const struct sockaddr *)sun;

    if (!bind(fd, sa, sizeof *sun))
        return 0;
    if (errno != EADDRINUSE)
        return -ENODEV;
    int probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (probe < 0)
        return -ENODEV;
    bool dead = connect(probe, sa, sizeof *sun) < 0 && errno == ECONNREFUSED;
    close(probe);
    if (!dead)
        return -EBUSY;
    unlink(sun->sun_path);
    return bind(fd, sa, sizeof *sun) ? -EBUSY : 0;
}

int soft_wire_open(struct soft_wire *w, const char *dir, unsigned index, bool planes,
                   const struct soft_faults *faults)
{
    *w = (struct soft_wire){.fd = -1, .planes = planes, .faults = *faults, .random = faults->seed};
    int n = snprintf(w->dir, sizeof w->dir, "%s", dir);
    if (n < 0 || (size_t)n >= sizeof w->dir || address(&w->own, dir, index))
        return -EINVAL;
    if (mkdir(dir, 0700) < 0 && errno != EEXIST)
        return -ENODEV;
    w->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (w->fd < 0)
        return -ENODEV;
    setsockopt(w->fd, SOL_SOCKET, SO_SNDBUF, &socket_bytes, sizeof socket_bytes);
    int rc = take_address(w->fd, &w->own);
    if (rc) {
        close(w->fd);
        w->fd = -1;
    }
    return rc;
}

void soft_wire_close(struct soft_wire *w)
{
    if (w->fd < 0)
        return;
    unlink(w->own.sun_path);
    close(w->fd);
    w->fd = -1;
}

/* SplitMix64. */
static uint64_t random_next(struct soft_wire *w)
{
    uint64_t x = w->random += 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static bool chance(struct soft_wire *w, double p)
{
    return p > 0 && (double)(random_next(w) >> 11) * 0x1p-53 < p;
}

/* 1 sent or dropped, 0 busy. */
static int put(struct soft_wire *w, const struct soft_frame *f)
{
    struct sockaddr_un to;
    unsigned place = f->byte[5] >> (w->planes ? 3 : 0);

    if (f->n < 14 || !place || address(&to, w->dir, place - 1)) {
        w->stats.no_peer++;
        return 1;
    }
    if (sendto(w->fd, f->byte, f->n, MSG_NOSIGNAL, (const struct sockaddr *)&to, sizeof to) >= 0) {
        w->stats.sent++;
        return 1;
    }
    if (errno == EAGAIN || errno == ENOBUFS || errno == EINTR)
        return 0;
    w->stats.no_peer++;
    return 1;
}

/* The first offer of a frame passed `put`: what else the faults ask for. */
static void after(struct soft_wire *w, const struct soft_frame *f)
{
    if (chance(w, w->faults.dup) && put(w, f))
        w->stats.doubled++;
    if (w->held.n) {
        put(w, &w->held);
        w->held.n = 0;
    }
}

static bool faulty(struct soft_wire *w, const struct soft_frame *f)
{
    if (chance(w, w->faults.loss)) {
        w->stats.lost++;
        return true;
    }
    if (!w->held.n && chance(w, w->faults.reorder)) {
        w->held = *f;
        w->stats.swapped++;
        return true;
    }
    return false;
}

bool soft_wire_send(struct soft_wire *w, const struct soft_frame *f, uint64_t now_ns)
{
    struct soft_frame bad;

    if (!w->blocked_ns && faulty(w, f))  // the dice fall once, at the first offer
        return true;
    if (f->n > 14 && chance(w, w->faults.corrupt)) {
        uint64_t r = random_next(w);
        bad = *f;
        bad.byte[14 + r % (f->n - 14)] ^= (uint8_t)(1u << (r >> 61));
        f = &bad;
        w->stats.damaged++;
    }
    if (put(w, f)) {
        w->blocked_ns = 0;
        after(w, f);
        return true;
    }
    if (!w->blocked_ns)
        w->blocked_ns = now_ns;
    if (now_ns - w->blocked_ns < busy_ns)
        return false;
    w->stats.overrun++;
    w->blocked_ns = 0;
    return true;
}

bool soft_wire_recv(struct soft_wire *w, struct soft_frame *f)
{
    ssize_t n = recv(w->fd, f->byte, sizeof f->byte, 0);

    if (n <= 0)
        return false;
    f->n = (size_t)n;
    w->stats.received++;
    return true;
}
