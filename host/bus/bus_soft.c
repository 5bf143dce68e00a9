// SPDX-License-Identifier: BSD-2-Clause
/*
 * bus_soft.c - `soft:N`: the software NIC, i.e. the kernels run natively by a
 * thread of this process. [hls/native/nic.h]
 *
 * The thread owns the NIC. Register accesses go to it through a bounded queue;
 * memory is reached through soft_mem, the wire through soft_wire. Device time
 * is the monotonic clock in units of 4 ns. Without work the thread rests, for
 * times that double as long as nothing happens: a timer inside the NIC is late
 * by about as much as it was set, never more.
 */
#include "bus.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "mr_defs.h"
#include "native/nic.h"
#include "soft_mem.h"
#include "soft_wire.h"

static constexpr unsigned queue_len = 256;            // register accesses under way
static constexpr unsigned answer_s = 4;               // longest wait for a register
static constexpr unsigned quiet_steps = 1024;         // steps without movement before a rest
static constexpr unsigned yield_steps = 64;           // and before others get the core, if they want it
static constexpr uint64_t rest_min_ns = 20000, rest_max_ns = 2000000;
static constexpr unsigned rx_every = 8;               // steps between looks at the wire
static constexpr unsigned cycle_ns = 4;
// A thread that others push off its core for milliseconds is not a dead peer.
static constexpr uint32_t probe_min_cycles = 500000;

/** One port through which the NIC reads. */
struct soft_rd {
    bool (*req)(struct mr_nic *, struct rd_req *);
    bool (*beat)(struct mr_nic *, const struct rd_beat *);
    bool busy, ok;
    uint64_t addr;
    unsigned len, at, beats;       // at: beats given
    uint8_t line[4096 + 2 * 64];   // what is read, where it stands in its aligned lines
};

/** One port through which it writes. */
struct soft_wr {
    bool (*req)(struct mr_nic *, struct wr_req *);
    bool (*beat)(struct mr_nic *, struct wr_beat *);
    bool (*done)(struct mr_nic *, const struct wr_done *);
    bool busy, ok, answer;  // answer: all beats are taken, the answer is due
    uint64_t line;
};

struct soft_reg {
    struct reg_req req;
    uint32_t *value;  // of a read: where the answer goes
};

struct soft {
    struct mr_bus bus;
    struct soft_mem mem;
    pthread_t thread;
    int wake;           // eventfd: ends a rest
    int irq;            // eventfd: interrupts
    atomic_bool stop;
    atomic_bool resting;
    atomic_uint_least64_t writes;  // into memory; counts up
    atomic_uint waiters;           // threads inside wait
    atomic_uint_least64_t refused; // accesses to memory that is not mapped

    pthread_mutex_t lock;  // of what follows
    pthread_cond_t changed;
    struct soft_reg queue[queue_len];
    unsigned head, sent, tail;  // posted, given to the NIC, answered

    // The thread's own:
    struct mr_nic *nic;
    struct soft_wire wire;
    struct soft_rd rd[2];
    struct soft_wr wr[2];
    struct soft_frame tx, rx;
    bool tx_full;     // tx waits for the wire
    unsigned rx_at;   // bytes of rx given to the NIC
    unsigned rx_skip; // steps until the wire is looked at
};

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ------------------------------------------------------- inside the thread */

static bool pump_regs(struct soft *s)
{
    struct reg_rsp rsp;
    bool moved = false;

    pthread_mutex_lock(&s->lock);
    while (s->sent != s->head && mr_nic_push_reg_req(s->nic, &s->queue[s->sent % queue_len].req)) {
        s->sent++;
        moved = true;
    }
    while (s->tail != s->sent && mr_nic_pop_reg_rsp(s->nic, &rsp)) {
        struct soft_reg *r = &s->queue[s->tail++ % queue_len];
        if (r->value)
            *r->value = (uint32_t)rsp.data;
        pthread_cond_broadcast(&s->changed);
        moved = true;
    }
    pthread_mutex_unlock(&s->lock);
    return moved;
}

static bool pump_rd(struct soft *s, struct soft_rd *p)
{
    bool moved = false;

    if (!p->busy) {
        struct rd_req q;
        if (!p->req(s->nic, &q))
            return false;
        unsigned first = (unsigned)q.addr & 63;
        p->busy = true;
        p->addr = (uint64_t)q.addr;
        p->len = (unsigned)q.len;
        p->at = 0;
        p->beats = (first + p->len + 63) / 64;
        memset(p->line, 0, (size_t)p->beats * 64);
        p->ok = p->len <= 4096 && soft_mem_read(&s->mem, p->addr, p->line + first, p->len);
        if (!p->ok)
            atomic_fetch_add(&s->refused, 1);
        moved = true;
    }
    while (p->at < p->beats) {
        struct rd_beat b = {.last = p->at + 1 == p->beats};
        b.err = b.last && !p->ok;
        memcpy(&b.data, p->line + (size_t)p->at * 64, 64);
        if (!p->beat(s->nic, &b))
            return moved;
        p->at++;
        moved = true;
    }
    p->busy = false;
    return moved;
}

/* Tells those in wait that memory has changed. Pairs with soft_wait: either it sees
 * the new count, or this sees its number of waiters. */
static void note_write(struct soft *s)
{
    atomic_fetch_add(&s->writes, 1);
    if (!atomic_load(&s->waiters))
        return;
    pthread_mutex_lock(&s->lock);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static bool pump_wr(struct soft *s, struct soft_wr *p)
{
    struct wr_req q;
    struct wr_beat b;
    bool moved = false;

    if (!p->busy && !p->answer && p->req(s->nic, &q)) {
        p->busy = moved = true;
        p->line = (uint64_t)q.addr & ~63ull;
        p->ok = soft_mem_covers(&s->mem, (uint64_t)q.addr, (size_t)q.len);
    }
    while (p->busy && p->beat(s->nic, &b)) {
        uint8_t line[64];
        memcpy(line, &b.data, 64);
        p->ok = p->ok && soft_mem_write(&s->mem, p->line, line, (uint64_t)b.keep);
        p->line += 64;
        p->answer = b.last;
        p->busy = !b.last;
        moved = true;
    }
    if (p->answer && p->done(s->nic, &(struct wr_done){.err = !p->ok})) {
        p->answer = false;
        moved = true;
        if (p->ok)
            note_write(s);
        else
            atomic_fetch_add(&s->refused, 1);
    }
    return moved;
}

static bool pump_irq(struct soft *s)
{
    uint64_t one = 1;
    struct irq irq;

    if (!mr_nic_pop_irq(s->nic, &irq))
        return false;
    ssize_t ignored = write(s->irq, &one, sizeof one);  // fails with a full counter: readable anyway
    (void)ignored;
    return true;
}

static bool pump_tx(struct soft *s)
{
    struct mac_beat b;
    bool moved = false;

    while (!s->tx_full && mr_nic_pop_mac_tx(s->nic, &b)) {
        unsigned n = (unsigned)b.n;
        if (s->tx.n + n <= SOFT_FRAME_MAX) {
            memcpy(s->tx.byte + s->tx.n, &b.data, n);
            s->tx.n += n;
        }
        s->tx_full = b.last;
        moved = true;
    }
    if (!s->tx_full)
        return moved;
    if (!soft_wire_send(&s->wire, &s->tx, now_ns())) {
        sched_yield();  // it may be the peer's thread that lacks a core
        return moved;
    }
    s->tx_full = false;
    s->tx.n = 0;
    return true;
}

static bool pump_rx(struct soft *s)
{
    bool moved = false;

    if (s->rx_at == s->rx.n) {
        if (s->rx_skip && s->rx_skip--)
            return false;
        s->rx.n = s->rx_at = 0;
        if (!soft_wire_recv(&s->wire, &s->rx)) {
            s->rx_skip = rx_every;
            return false;
        }
    }
    while (s->rx_at < s->rx.n) {
        size_t left = s->rx.n - s->rx_at, n = left < 64 ? left : 64;
        struct mac_beat b = {.last = n == left};
        b.n = (unsigned)n;
        memcpy(&b.data, s->rx.byte + s->rx_at, n);
        if (!mr_nic_push_mac_rx(s->nic, &b))
            break;
        s->rx_at += (unsigned)n;
        moved = true;
    }
    return moved;
}

static bool regs_waiting(struct soft *s)
{
    pthread_mutex_lock(&s->lock);
    bool yes = s->tail != s->head;
    pthread_mutex_unlock(&s->lock);
    return yes;
}

/* Sleeps until a register access, a frame, or the end of ns. Pairs with wake_up: either
 * it sees `resting`, or this sees its access in the queue. */
static void rest(struct soft *s, uint64_t ns)
{
    struct pollfd p[2] = {{.fd = s->wake, .events = POLLIN}, {.fd = s->wire.fd, .events = POLLIN}};
    struct timespec t = {.tv_nsec = (long)ns};
    uint64_t junk;

    atomic_store(&s->resting, true);
    if (!regs_waiting(s) && !atomic_load(&s->stop))
        ppoll(p, 2, &t, nullptr);
    atomic_store(&s->resting, false);
    if (p[0].revents && read(s->wake, &junk, sizeof junk) < 0)
        return;
    s->rx_skip = 0;
}

static void *run(void *arg)
{
    struct soft *s = arg;
    uint64_t rest_ns = rest_min_ns;
    unsigned quiet = 0;

    while (!atomic_load(&s->stop)) {
        bool moved = pump_regs(s);
        moved |= mr_nic_step(s->nic, now_ns() / cycle_ns);
        for (int i = 0; i < 2; i++) {
            moved |= pump_rd(s, &s->rd[i]);
            moved |= pump_wr(s, &s->wr[i]);
        }
        moved |= pump_irq(s);
        moved |= pump_tx(s);
        moved |= pump_rx(s);
        if (moved) {
            quiet = 0;
            rest_ns = rest_min_ns;
        } else if (++quiet % yield_steps == 0 && quiet < quiet_steps) {
            sched_yield();
        } else if (quiet >= quiet_steps) {
            rest(s, rest_ns);
            quiet = 0;
            rest_ns = rest_ns < rest_max_ns ? 2 * rest_ns : rest_max_ns;
        }
    }
    return nullptr;
}

/* ------------------------------------------------------ from other threads */

static void deadline(struct timespec *t, uint64_t ns)
{
    uint64_t end = now_ns() + ns;

    t->tv_sec = (time_t)(end / 1000000000);
    t->tv_nsec = (long)(end % 1000000000);
}

static void wake_up(struct soft *s)
{
    uint64_t one = 1;

    if (atomic_load(&s->resting) && write(s->wake, &one, sizeof one) < 0)
        return;  // the counter is full: it is awake
}

/* Locked. Waits until the count of answers is at least `to`, which it is soon. */
static int until_answered(struct soft *s, unsigned to)
{
    struct timespec end;
    int rc = 0;

    deadline(&end, answer_s * 1000000000ull);
    while ((int)(s->tail - to) < 0 && !rc)
        rc = pthread_cond_timedwait(&s->changed, &s->lock, &end);
    return (int)(s->tail - to) < 0 ? -EIO : 0;
}

static int enqueue(struct soft *s, struct reg_req req, uint32_t *value)
{
    int rc = s->head - s->tail == queue_len ? until_answered(s, s->tail + 1) : 0;

    if (!rc)
        s->queue[s->head++ % queue_len] = (struct soft_reg){.req = req, .value = value};
    return rc;
}

static int soft_read32(struct mr_bus *bus, uint32_t off, uint32_t *value)
{
    struct soft *s = (struct soft *)bus;
    uint32_t got = 0;

    pthread_mutex_lock(&s->lock);
    int rc = enqueue(s, (struct reg_req){.addr = (uint16_t)off}, &got);
    unsigned mine = s->head;
    if (!rc) {
        wake_up(s);
        rc = until_answered(s, mine);
        if (rc)  // nothing of this frame may be written to later
            s->queue[(mine - 1) % queue_len].value = nullptr;
    }
    pthread_mutex_unlock(&s->lock);
    *value = got;
    return rc;
}

static int soft_write_block(struct mr_bus *bus, uint32_t off, const uint32_t *value, uint32_t n)
{
    struct soft *s = (struct soft *)bus;
    int rc = 0;

    pthread_mutex_lock(&s->lock);
    for (uint32_t i = 0; i < n && !rc; i++)
        rc = enqueue(s, (struct reg_req){.write = true, .addr = (uint16_t)(off + 4 * i), .data = value[i]},
                     nullptr);
    pthread_mutex_unlock(&s->lock);
    wake_up(s);
    return rc;
}

static int soft_write32(struct mr_bus *bus, uint32_t off, uint32_t value)
{
    return soft_write_block(bus, off, &value, 1);
}

static int soft_map(struct mr_bus *bus, void *addr, size_t len, uint64_t *bus_addr)
{
    *bus_addr = (uintptr_t)addr;
    return soft_mem_map(&((struct soft *)bus)->mem, addr, len);
}

static int soft_map_pages(struct mr_bus *bus, void *addr, size_t len, uint64_t *page)
{
    return soft_mem_map_pages(&((struct soft *)bus)->mem, addr, len, page);
}

static int soft_unmap(struct mr_bus *bus, void *addr, size_t len, uint64_t bus_addr)
{
    (void)bus_addr;
    return soft_mem_unmap(&((struct soft *)bus)->mem, addr, len);
}

static uint64_t soft_mark(struct mr_bus *bus)
{
    return atomic_load(&((struct soft *)bus)->writes);
}

static int soft_wait(struct mr_bus *bus, uint64_t mark, uint64_t max_ns, uint64_t *now)
{
    static constexpr uint64_t longest = 1000000000;  // may return early
    struct soft *s = (struct soft *)bus;
    struct timespec end;
    int rc = 0;

    deadline(&end, max_ns < longest ? max_ns : longest);
    pthread_mutex_lock(&s->lock);
    atomic_fetch_add(&s->waiters, 1);
    while (atomic_load(&s->writes) == mark && !rc)
        rc = pthread_cond_timedwait(&s->changed, &s->lock, &end);
    atomic_fetch_sub(&s->waiters, 1);
    pthread_mutex_unlock(&s->lock);
    *now = now_ns();
    return 0;
}

static int soft_relax(struct mr_bus *bus)
{
    (void)bus;
    sched_yield();
    return 0;
}

static int soft_irq_fd(struct mr_bus *bus, int *fd)
{
    *fd = ((struct soft *)bus)->irq;
    return 0;
}

static int soft_irq_take(struct mr_bus *bus)
{
    uint64_t n;
    ssize_t ignored = read(((struct soft *)bus)->irq, &n, sizeof n);

    (void)ignored;
    return 0;
}

static int soft_idle(struct mr_bus *bus)
{
    struct pollfd p = {.fd = ((struct soft *)bus)->irq, .events = POLLIN};

    return poll(&p, 1, 0) == 1;
}

static int soft_time_ns(struct mr_bus *bus, uint64_t *now)
{
    (void)bus;
    *now = now_ns();
    return 0;
}

static void soft_free(struct soft *s)
{
    soft_wire_close(&s->wire);
    mr_nic_free(s->nic);
    soft_mem_free(&s->mem);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    if (s->wake >= 0)
        close(s->wake);
    if (s->irq >= 0)
        close(s->irq);
    free(s);
}

static int soft_close(struct mr_bus *bus)
{
    struct soft *s = (struct soft *)bus;
    uint64_t one = 1;

    atomic_store(&s->stop, true);
    ssize_t ignored = write(s->wake, &one, sizeof one);
    (void)ignored;
    pthread_join(s->thread, nullptr);
    soft_free(s);
    return 0;
}

static int options_of(const char *rest, uint64_t *index, uint64_t *planes, char *dir, size_t size,
                      struct soft_faults *f)
{
    static const char *const options[] = {"dir",     "loss", "dup",    "reorder",
                                          "corrupt", "seed", "planes", "scatter", nullptr};
    char head[8], *end;
    int n = mri_uri_head(rest, head, sizeof head);

    if (n < 0 || mri_uri_check(rest, options))
        return -EINVAL;
    *index = n ? strtoul(head, &end, 10) : 0;
    if ((n && *end) || mri_uri_number(rest, "planes", 0, 1, planes) || *index > (*planes ? 30 : 254))
        return -EINVAL;
    if (mri_uri_fraction(rest, "loss", &f->loss) || mri_uri_fraction(rest, "dup", &f->dup) ||
        mri_uri_fraction(rest, "reorder", &f->reorder) ||
        mri_uri_fraction(rest, "corrupt", &f->corrupt) ||
        mri_uri_number(rest, "seed", 0, UINT64_MAX, &f->seed))
        return -EINVAL;
    n = mri_uri_option(rest, "dir", dir, size);
    if (n == -ENOENT) {
        const char *env = getenv("MR_SOFT_DIR");
        n = env && *env ? snprintf(dir, size, "%s", env)
                        : snprintf(dir, size, "/tmp/metaroce-%u", (unsigned)getuid());
    }
    return n > 0 && (size_t)n < size ? 0 : -EINVAL;
}

/* scatter=BYTES, a power of two from 4 KiB to 1 GiB, as log2; 0 without it. */
static int scatter_of(const char *rest, unsigned *log2)
{
    uint64_t bytes = 0;

    if (mri_uri_number(rest, "scatter", 4096, 1 << 30, &bytes) || (bytes & (bytes - 1)))
        return -EINVAL;
    *log2 = bytes ? (unsigned)__builtin_ctzll(bytes) : 0;
    return 0;
}

static struct soft *soft_new(void)
{
    struct soft *s = calloc(1, sizeof *s);
    pthread_condattr_t attr;

    if (!s)
        return nullptr;
    s->bus.ops = &mri_bus_soft;
    s->wire.fd = -1;
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->irq = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    soft_mem_init(&s->mem);
    pthread_mutex_init(&s->lock, nullptr);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&s->changed, &attr);
    pthread_condattr_destroy(&attr);
    s->rd[0] = (struct soft_rd){.req = mr_nic_pop_wqe_rd_req, .beat = mr_nic_push_wqe_rd_beat};
    s->rd[1] = (struct soft_rd){.req = mr_nic_pop_pay_rd_req, .beat = mr_nic_push_pay_rd_beat};
    s->wr[0] = (struct soft_wr){.req = mr_nic_pop_pay_wr_req,
                                .beat = mr_nic_pop_pay_wr_beat,
                                .done = mr_nic_push_pay_wr_done};
    s->wr[1] = (struct soft_wr){.req = mr_nic_pop_cqe_wr_req,
                                .beat = mr_nic_pop_cqe_wr_beat,
                                .done = mr_nic_push_cqe_wr_done};
    s->nic = mr_nic_new();
    return s;
}

static int soft_open(const char *rest, struct mr_bus **bus)
{
    struct soft_faults faults = {.seed = 1};
    char dir[80];
    uint64_t index, planes = 0;
    unsigned scatter;
    int rc = options_of(rest, &index, &planes, dir, sizeof dir, &faults);

    if (!rc)
        rc = scatter_of(rest, &scatter);
    if (rc)
        return rc;
    struct soft *s = soft_new();
    if (!s)
        return -ENOMEM;
    s->mem.scatter = scatter;
    rc = s->nic && s->wake >= 0 && s->irq >= 0
             ? soft_wire_open(&s->wire, dir, (unsigned)index, planes, &faults)
             : -ENOMEM;
    if (!rc)
        rc = pthread_create(&s->thread, nullptr, run, s) ? -ENOMEM : 0;
    if (rc) {
        soft_free(s);
        return rc;
    }
    soft_write32(&s->bus, MR_REG_PROBE_MIN, probe_min_cycles);
    *bus = &s->bus;
    return 0;
}

const struct mr_bus_ops mri_bus_soft = {
    .scheme = "soft",
    .open = soft_open,
    .close = soft_close,
    .read32 = soft_read32,
    .write32 = soft_write32,
    .write_block = soft_write_block,
    .map = soft_map,
    .map_pages = soft_map_pages,
    .unmap = soft_unmap,
    .mark = soft_mark,
    .wait = soft_wait,
    .relax = soft_relax,
    .irq_fd = soft_irq_fd,
    .irq_take = soft_irq_take,
    .idle = soft_idle,
    .time_ns = soft_time_ns,
};
