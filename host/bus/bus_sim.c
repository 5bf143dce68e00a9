// SPDX-License-Identifier: BSD-2-Clause
/*
 * bus_sim.c - `sim:`: a NIC inside mrsim, over its Unix socket. [sim/protocol.h]
 *
 * Register writes are posted as they are on PCIe: the request goes out at once
 * and its reply is taken later, at the latest by the next call that needs a
 * reply of its own. An error among them breaks the bus.
 *
 * The simulator reads and writes this process's memory itself, by
 * process_vm_readv and process_vm_writev; where Yama guards ptrace, that takes
 * the permission asked for in open.
 */
#include "bus.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "sim/protocol.h"

static constexpr unsigned answer_s = 4;       // longest silence that is taken for work
static constexpr unsigned connect_ms = 1000;  // longest wait for a place in the server's backlog
static constexpr unsigned tick_ms = 250;      // a receive looks at its limit that often
static constexpr unsigned wait_s = 120;       // the same inside WAIT: others may compute meanwhile
static constexpr unsigned relax_ns = 1000;    // simulated time that a poll in vain gives
static constexpr unsigned slice_ns = 50000;   // longest WAIT: other threads get the socket that often
static constexpr unsigned posted_max = 64;    // replies of writes that may be owed
static constexpr unsigned row_bytes = 64;
static constexpr char default_path[] = "build/sim.sock";

struct sim {
    struct mr_bus bus;
    pthread_mutex_t lock;  // of the socket: one exchange at a time
    int fd;
    unsigned wait_s;
    bool watches;        // another program may have the NIC: nothing is written
    int irq;             // eventfd, under lock; -1: nobody asked for it
    uint64_t irqs;       // taken from it, under lock
    unsigned posted;     // replies not yet taken
    atomic_bool broken;  // the server is gone, or does not keep to the protocol
};

static uint64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static int set_timeout(int fd, int which, unsigned ms)
{
    struct timeval tv = {.tv_sec = ms / 1000, .tv_usec = (long)(ms % 1000) * 1000};

    return setsockopt(fd, SOL_SOCKET, which, &tv, sizeof tv) < 0 ? -errno : 0;
}

static int send_all(int fd, const void *buf, size_t n)
{
    const char *p = buf;

    while (n) {
        ssize_t k = send(fd, p, n, MSG_NOSIGNAL);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return -EIO;
        p += k;
        n -= (size_t)k;
    }
    return 0;
}

/* Takes n bytes; limit_ms holds for all of them together. */
static int recv_all(int fd, void *buf, size_t n, uint64_t limit_ms)
{
    uint64_t end = now_ms() + limit_ms;
    char *p = buf;

    while (n) {
        ssize_t k = recv(fd, p, n, 0);
        if (k < 0 && (errno == EINTR || errno == EAGAIN) && now_ms() < end)
            continue;
        if (k <= 0)
            return -EIO;
        p += k;
        n -= (size_t)k;
    }
    return 0;
}

static int broken(struct sim *s)
{
    atomic_store(&s->broken, true);
    return -EIO;
}

/* Takes the replies of posted writes until at most `left` are owed. Locked. */
static int drain(struct sim *s, unsigned left)
{
    struct mr_sim_rep rep;

    while (s->posted > left) {
        if (recv_all(s->fd, &rep, sizeof rep, answer_s * 1000) || rep.status)
            return broken(s);
        s->posted--;
    }
    return 0;
}

/* One request and its reply. Locked. An error the server states breaks nothing. */
static int exchange(struct sim *s, const struct mr_sim_req *req, struct mr_sim_rep *rep,
                    unsigned limit_s)
{
    if (atomic_load(&s->broken))
        return -EIO;
    if (send_all(s->fd, req, sizeof *req) || drain(s, 0) ||
        recv_all(s->fd, rep, sizeof *rep, limit_s * 1000))
        return broken(s);
    return rep->status;
}

static int call(struct sim *s, struct mr_sim_req req, struct mr_sim_rep *rep, unsigned limit_s)
{
    struct mr_sim_rep local;

    pthread_mutex_lock(&s->lock);
    int rc = exchange(s, &req, rep ? rep : &local, limit_s);
    pthread_mutex_unlock(&s->lock);
    return rc;
}

static int sim_read32(struct mr_bus *bus, uint32_t off, uint32_t *value)
{
    struct sim *s = (struct sim *)bus;
    struct mr_sim_rep rep;
    int rc = call(s, (struct mr_sim_req){.op = MR_SIM_READ, .arg = off}, &rep, answer_s);

    if (rc)
        return broken(s);
    *value = (uint32_t)rep.a;
    return 0;
}

static int sim_write_block(struct mr_bus *bus, uint32_t off, const uint32_t *value, uint32_t n)
{
    struct sim *s = (struct sim *)bus;
    struct mr_sim_req req[16];
    int rc = s->watches ? -EPERM : 0;

    pthread_mutex_lock(&s->lock);
    while (n && !rc) {
        uint32_t k = n < 16 ? n : 16;
        for (uint32_t i = 0; i < k; i++)
            req[i] = (struct mr_sim_req){.op = MR_SIM_WRITE, .arg = off + 4 * i, .a = value[i]};
        rc = atomic_load(&s->broken) ? -EIO : drain(s, posted_max - k);
        if (!rc && send_all(s->fd, req, k * sizeof req[0]))
            rc = broken(s);
        s->posted += rc ? 0 : k;
        off += 4 * k;
        value += k;
        n -= k;
    }
    pthread_mutex_unlock(&s->lock);
    return rc;
}

static int sim_write32(struct mr_bus *bus, uint32_t off, uint32_t value)
{
    return sim_write_block(bus, off, &value, 1);
}

static int sim_map(struct mr_bus *bus, void *addr, size_t len, uint64_t *bus_addr)
{
    struct mr_sim_req req = {.op = MR_SIM_MAP, .a = (uintptr_t)addr, .b = len};

    *bus_addr = req.a;
    if (((struct sim *)bus)->watches)
        return -EPERM;
    return call((struct sim *)bus, req, nullptr, answer_s);
}

static int sim_unmap(struct mr_bus *bus, void *addr, size_t len, uint64_t bus_addr)
{
    (void)bus_addr;
    return call((struct sim *)bus,
                (struct mr_sim_req){.op = MR_SIM_UNMAP, .a = (uintptr_t)addr, .b = len}, nullptr,
                answer_s);
}

/* The server itself remembers whether it wrote since the last wait. */
static uint64_t sim_mark(struct mr_bus *bus)
{
    (void)bus;
    return 0;
}

static int sim_wait(struct mr_bus *bus, uint64_t mark, uint64_t max_ns, uint64_t *now_ns)
{
    struct sim *s = (struct sim *)bus;
    struct mr_sim_rep rep;

    (void)mark;
    if (max_ns > slice_ns)
        max_ns = slice_ns;
    if (call(s, (struct mr_sim_req){.op = MR_SIM_WAIT, .a = max_ns}, &rep, s->wait_s))
        return broken(s);
    *now_ns = rep.a;
    return 0;
}

static int sim_relax(struct mr_bus *bus)
{
    uint64_t now;

    return sim_wait(bus, 0, relax_ns, &now);
}

/* Sends a request with a descriptor. Locked. */
static int send_fd(struct sim *s, const struct mr_sim_req *req, int fd)
{
    alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
    struct iovec v = {(void *)(uintptr_t)req, sizeof *req};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *h = CMSG_FIRSTHDR(&m);

    h->cmsg_level = SOL_SOCKET;
    h->cmsg_type = SCM_RIGHTS;
    h->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(h), &fd, sizeof fd);
    ssize_t n = sendmsg(s->fd, &m, MSG_NOSIGNAL);
    if (n <= 0)
        return -EIO;
    return send_all(s->fd, (const char *)req + n, sizeof *req - (size_t)n);
}

/* Locked. Makes the eventfd and gives it to the server. */
static int irq_open(struct sim *s)
{
    struct mr_sim_req req = {.op = MR_SIM_IRQ};
    struct mr_sim_rep rep;
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    if (fd < 0)
        return -ENOMEM;
    int rc = atomic_load(&s->broken) ? -EIO : 0;
    if (!rc && (send_fd(s, &req, fd) || drain(s, 0) || recv_all(s->fd, &rep, sizeof rep, answer_s * 1000)))
        rc = broken(s);
    if (!rc && rep.status)
        rc = -ENOTSUP;  // a server from before there were interrupts
    if (rc)
        close(fd);
    else
        s->irq = fd;
    return rc;
}

static int sim_irq_fd(struct mr_bus *bus, int *fd)
{
    struct sim *s = (struct sim *)bus;

    if (s->watches)
        return -EPERM;
    pthread_mutex_lock(&s->lock);
    int rc = s->irq < 0 ? irq_open(s) : 0;
    *fd = s->irq;
    pthread_mutex_unlock(&s->lock);
    return rc;
}

static int sim_irq_take(struct mr_bus *bus)
{
    struct sim *s = (struct sim *)bus;
    uint64_t n;

    pthread_mutex_lock(&s->lock);
    if (read(s->irq, &n, sizeof n) == sizeof n)
        s->irqs += n;
    pthread_mutex_unlock(&s->lock);
    return 0;
}

static int sim_idle(struct mr_bus *bus)
{
    struct sim *s = (struct sim *)bus;
    struct mr_sim_rep rep;

    pthread_mutex_lock(&s->lock);
    int rc = exchange(s, &(struct mr_sim_req){.op = MR_SIM_IDLE, .a = s->irqs}, &rep, answer_s);
    pthread_mutex_unlock(&s->lock);
    return rc ? broken(s) : rep.b != 0;
}

static int sim_time_ns(struct mr_bus *bus, uint64_t *now_ns)
{
    struct sim *s = (struct sim *)bus;
    struct mr_sim_rep rep;

    if (call(s, (struct mr_sim_req){.op = MR_SIM_TIME}, &rep, answer_s))
        return broken(s);
    *now_ns = rep.a;
    return 0;
}

static int take_text(struct sim *s, uint64_t len, char *buf, size_t size)
{
    char junk[512];
    uint64_t got = 0;

    if (len > INT32_MAX)
        return broken(s);
    while (got < len) {
        bool fits = got + 1 < size;
        size_t room = fits ? size - 1 - got : sizeof junk;
        size_t k = len - got < room ? len - got : room;
        if (recv_all(s->fd, fits ? buf + got : junk, k, answer_s * 1000))
            return broken(s);
        got += k;
    }
    if (size)
        buf[len < size ? len : size - 1] = 0;
    return (int)len;
}

static int sim_stats(struct mr_bus *bus, char *buf, size_t size)
{
    struct sim *s = (struct sim *)bus;
    struct mr_sim_rep rep;

    pthread_mutex_lock(&s->lock);
    int rc = exchange(s, &(struct mr_sim_req){.op = MR_SIM_STATS}, &rep, answer_s);
    if (!rc)
        rc = take_text(s, rep.a, buf, size);
    pthread_mutex_unlock(&s->lock);
    return rc;
}

static int sim_row(struct mr_bus *bus, uint32_t table, uint32_t *index, void *row)
{
    struct mr_sim_req req = {.op = MR_SIM_ROW, .arg = table, .a = *index};
    struct sim *s = (struct sim *)bus;
    struct mr_sim_rep rep;

    pthread_mutex_lock(&s->lock);
    int rc = exchange(s, &req, &rep, answer_s);
    if (!rc && (rep.a != row_bytes || recv_all(s->fd, row, row_bytes, answer_s * 1000)))
        rc = broken(s);
    pthread_mutex_unlock(&s->lock);
    if (!rc)
        *index = (uint32_t)rep.b;
    return rc;
}

static int sim_close(struct mr_bus *bus)
{
    struct sim *s = (struct sim *)bus;
    int rc = call(s, (struct mr_sim_req){.op = MR_SIM_BYE}, nullptr, answer_s);

    close(s->fd);
    if (s->irq >= 0)
        close(s->irq);
    pthread_mutex_destroy(&s->lock);
    free(s);
    return rc ? -EIO : 0;
}

static int path_of(const char *rest, struct sockaddr_un *sun)
{
    int n = mri_uri_head(rest, sun->sun_path, sizeof sun->sun_path);

    sun->sun_family = AF_UNIX;
    if (n)
        return n < 0 ? -EINVAL : 0;
    const char *env = getenv("MR_SIM");
    if (!env || !*env)
        env = default_path;
    n = snprintf(sun->sun_path, sizeof sun->sun_path, "%s", env);
    return (size_t)n < sizeof sun->sun_path ? 0 : -EINVAL;
}

static int dial(const struct sockaddr_un *sun)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -errno;
    // SO_SNDTIMEO bounds connect as well as send.
    if (set_timeout(fd, SO_RCVTIMEO, tick_ms) || set_timeout(fd, SO_SNDTIMEO, connect_ms) ||
        connect(fd, (const struct sockaddr *)sun, sizeof *sun) < 0 ||
        set_timeout(fd, SO_SNDTIMEO, answer_s * 1000)) {
        close(fd);
        return -ENODEV;
    }
    return fd;
}

static int hello(struct sim *s, uint64_t nic)
{
    struct mr_sim_req req = {.op = MR_SIM_HELLO, .arg = MR_SIM_PROTOCOL_VERSION, .a = nic};

    if (s->watches) {
        req.op = MR_SIM_WATCH;
        req.a = nic == MR_SIM_NIC_ANY ? 0 : nic;
    }
    int rc = call(s, req, nullptr, answer_s);

    return rc == -EINVAL ? -EPROTO : rc;
}

static int sim_open(const char *rest, struct mr_bus **bus)
{
    static const char *const options[] = {"nic", "wait", "watch", nullptr};
    uint64_t nic = MR_SIM_NIC_ANY, wait = wait_s, watch = 0;
    struct sockaddr_un sun = {};

    if (path_of(rest, &sun) || mri_uri_check(rest, options) ||
        mri_uri_number(rest, "nic", 0, UINT32_MAX, &nic) ||
        mri_uri_number(rest, "wait", 1, 86400, &wait) ||
        mri_uri_number(rest, "watch", 0, 1, &watch))
        return -EINVAL;
    struct sim *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    s->bus.ops = &mri_bus_sim;
    s->irq = -1;
    s->wait_s = (unsigned)wait;
    s->watches = watch;
    pthread_mutex_init(&s->lock, nullptr);
#ifdef PR_SET_PTRACER
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);  // fails without Yama, where it is not needed
#endif
    s->fd = dial(&sun);
    int rc = s->fd < 0 ? s->fd : hello(s, nic);
    if (rc) {
        if (s->fd >= 0)
            close(s->fd);
        pthread_mutex_destroy(&s->lock);
        free(s);
        return rc;
    }
    *bus = &s->bus;
    return 0;
}

const struct mr_bus_ops mri_bus_sim = {
    .scheme = "sim",
    .open = sim_open,
    .close = sim_close,
    .read32 = sim_read32,
    .write32 = sim_write32,
    .write_block = sim_write_block,
    .map = sim_map,
    .unmap = sim_unmap,
    .mark = sim_mark,
    .wait = sim_wait,
    .relax = sim_relax,
    .irq_fd = sim_irq_fd,
    .irq_take = sim_irq_take,
    .idle = sim_idle,
    .time_ns = sim_time_ns,
    .stats = sim_stats,
    .row = sim_row,
};
