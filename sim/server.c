// SPDX-License-Identifier: BSD-2-Clause
/*
 * server.c - the loop: sockets, and simulated time in between.
 *
 * Why a register access steps its own NIC only: two clients that set up their
 * NICs at the same real time would else move each other's NIC by cycles that
 * depend on who came first, and no run would repeat. Holding every access until
 * all clients have a request pending repeats too, but a client that waits for
 * its peer on some other channel would then stop that peer.
 */
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "watch.h"

#define STEPS_PER_POLL 256 // cycles between two looks at the sockets
#define REQS_PER_TURN 64   // of one client, then the others get a look

struct server {
    const struct sim_server_cfg *cfg;
    struct sim *sim;
    int listener;
    struct sim_client client[SIM_CLIENTS_MAX];
    struct sim_watch watch[SIM_NICS_MAX];
    uint32_t hellos;        // ever
    uint32_t present;       // have said HELLO and not left
    uint64_t first_hello_ms;
    uint64_t alone_ms;      // real time since when nobody is connected
    bool escape_said;
    bool own_wait[SIM_CLIENTS_MAX]; // this client's process was found to wait with one thread
    int err;
};

static volatile sig_atomic_t stop_caught;

static void on_stop(int sig)
{
    (void)sig;
    stop_caught = 1;
}

static sigset_t stop_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    return set;
}

/** The signals are blocked outside ppoll, so that none is missed between a look here and sleep there. */
static bool stop_asked(void)
{
    sigset_t set = stop_signals();
    return stop_caught || sigtimedwait(&set, nullptr, &(struct timespec){}) > 0;
}

static uint64_t real_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

struct sim_server_cfg sim_server_defaults(void)
{
    return (struct sim_server_cfg){
        .sim = sim_defaults(),
        .clients = 2,
        .hello_ms = 5000,
        .escape_ms = 1000,
        .idle_exit_s = 60,
    };
}

/* Clients. */

static struct sim_client *client_of_nic(struct server *s, uint32_t nic)
{
    for (int i = 0; i < SIM_CLIENTS_MAX; i++)
        if (s->client[i].fd >= 0 && s->client[i].nic == nic)
            return &s->client[i];
    return nullptr;
}

static void nic_reset(struct server *s, uint32_t nic)
{
    sim_nic_reset(s->sim, nic);
    sim_watch_reset(&s->watch[nic]);
}

/** The client leaves, in peace or not: nothing of it may be reached any more. */
static void client_leave(struct server *s, struct sim_client *c)
{
    if (c->nic == SIM_NIC_NONE)
        return;
    sim_mem_owner(sim_mem_of(s->sim, c->nic), nullptr, nullptr);
    nic_reset(s, c->nic);
    c->nic = SIM_NIC_NONE;
    c->waiting = c->idle = false;
    s->present--;
}

static void client_close(struct server *s, struct sim_client *c)
{
    client_leave(s, c);
    s->own_wait[c - s->client] = false;
    sim_client_fini(c);
}

static int hello(struct server *s, struct sim_client *c, struct mr_sim_rep *rep)
{
    const struct mr_sim_req *q = &c->in;
    uint32_t nic = 0;
    if (q->arg != MR_SIM_PROTOCOL_VERSION)
        return -EPROTO;
    if (q->a == MR_SIM_NIC_ANY) {
        while (nic < sim_nics(s->sim) && client_of_nic(s, nic))
            nic++;
        if (nic == sim_nics(s->sim))
            return -EBUSY;
    } else {
        if (q->a >= sim_nics(s->sim))
            return -ENODEV;
        nic = (uint32_t)q->a;
        if (client_of_nic(s, nic))
            return -EBUSY;
    }
    for (int i = 0; i < SIM_CLIENTS_MAX; i++)
        if (s->client[i].fd >= 0 && s->client[i].pid == c->pid && s->own_wait[i])
            s->own_wait[c - s->client] = true;
    c->nic = nic;
    sim_mem_owner(sim_mem_of(s->sim, nic), &sim_client_mem, c);
    if (!s->hellos++)
        s->first_hello_ms = real_ms();
    s->present++;
    rep->a = nic;
    rep->b = sim_now_ns(s->sim, nic);
    return 0;
}

static int reg_read(struct server *s, const struct sim_client *c, struct mr_sim_rep *rep)
{
    uint32_t v;
    int err = sim_reg_read(s->sim, c->nic, c->in.arg, &v);
    rep->a = err ? 0 : v;
    if (!err)
        sim_watch_read(&s->watch[c->nic], c->in.arg, v);
    return err;
}

static int reg_write(struct server *s, const struct sim_client *c)
{
    if (c->in.a > UINT32_MAX)
        return -EINVAL;
    int err = sim_reg_write(s->sim, c->nic, c->in.arg, (uint32_t)c->in.a);
    if (!err)
        sim_watch_write(&s->watch[c->nic], c->in.arg, (uint32_t)c->in.a);
    return err;
}

/* Interrupts. */

/** Hands on what the NICs have raised. True if that woke a client. */
static bool irqs_give(struct server *s)
{
    bool woke = false;
    uint64_t one = 1;
    for (uint32_t nic = 0; nic < sim_nics(s->sim); nic++) {
        struct sim_client *c = sim_irq_take(s->sim, nic) ? client_of_nic(s, nic) : nullptr;
        if (!c || c->irq_fd < 0)
            continue;
        if (write(c->irq_fd, &one, sizeof one) == sizeof one)
            c->irqs++;
        if (c->idle) // its program is to be waited for again
            c->busy_ms = real_ms();
        woke |= c->idle;
        c->idle = false;
    }
    return woke;
}

static int irq_open(struct sim_client *c)
{
    int fd = c->passed_fd;
    if (fd < 0)
        return -EINVAL;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK)) // whatever it is, it does not stop the server
        return -EINVAL;
    if (c->irq_fd >= 0)
        close(c->irq_fd);
    c->irq_fd = fd;
    c->passed_fd = -1;
    c->irqs = 0;
    return 0;
}

static int idle_begin(struct server *s, struct sim_client *c, struct mr_sim_rep *rep)
{
    if (c->irq_fd < 0)
        return -EINVAL;
    irqs_give(s);
    rep->b = c->irqs != c->in.a;
    c->idle = !rep->b;
    return 0;
}

/** Requests that are answered at once, of a client that has a NIC. */
static int request(struct server *s, struct sim_client *c, struct mr_sim_rep *rep)
{
    const struct mr_sim_req *q = &c->in;
    struct sim_mem *m = sim_mem_of(s->sim, c->nic);
    switch (q->op) {
    case MR_SIM_READ:
        return reg_read(s, c, rep);
    case MR_SIM_WRITE:
        return reg_write(s, c);
    case MR_SIM_MAP:
        return sim_mem_map(m, q->a, q->b);
    case MR_SIM_UNMAP:
        return sim_mem_unmap(m, q->a, q->b);
    case MR_SIM_TIME:
        rep->a = sim_now_ns(s->sim, c->nic);
        return 0;
    case MR_SIM_BYE:
        client_leave(s, c);
        c->closing = true;
        return 0;
    case MR_SIM_IRQ:
        return irq_open(c);
    case MR_SIM_IDLE:
        return idle_begin(s, c, rep);
    case MR_SIM_RESET:
        nic_reset(s, c->nic);
        return 0;
    default:
        return -EINVAL;
    }
}

/* Clients that only look. */

static int watch(struct server *s, struct sim_client *c, struct mr_sim_rep *rep)
{
    const struct mr_sim_req *q = &c->in;
    if (q->arg != MR_SIM_PROTOCOL_VERSION)
        return -EPROTO;
    if (q->a >= sim_nics(s->sim))
        return -ENODEV;
    int err = sim_watch_check(s->sim, (uint32_t)q->a);
    if (err)
        return err;
    const struct sim_client *owner = client_of_nic(s, (uint32_t)q->a);
    c->watched = (uint32_t)q->a;
    rep->a = owner ? (uint64_t)owner->pid : 0;
    rep->b = sim_now_ns(s->sim, c->watched);
    return 0;
}

static int watch_request(struct server *s, struct sim_client *c, struct mr_sim_rep *rep)
{
    c->closing = c->in.op == MR_SIM_BYE;
    return c->closing ? 0 : sim_watch_request(s->sim, c->watched, &c->in, rep);
}

static int reply(struct sim_client *c, const struct mr_sim_rep *rep)
{
    c->busy_ms = real_ms();
    return sim_client_reply(c, rep, nullptr, 0);
}

static int reply_stats(struct server *s, struct sim_client *c)
{
    char *text = sim_stats_json(s->sim);
    struct mr_sim_rep rep = {.status = text ? 0 : -ENOMEM, .a = text ? strlen(text) : 0};
    c->busy_ms = real_ms();
    int err = sim_client_reply(c, &rep, text, rep.a);
    free(text);
    return err;
}

/** ROW, of a client that has a NIC or watches one. */
static int reply_row(struct server *s, struct sim_client *c)
{
    uint32_t nic = c->nic != SIM_NIC_NONE ? c->nic : c->watched;
    uint8_t row[SIM_ROW_BYTES];
    struct mr_sim_rep rep = {.b = c->in.a};
    rep.status = sim_watch_row(&s->watch[nic], s->sim, nic, c->in.arg, &rep.b, row);
    rep.a = rep.status ? 0 : sizeof row;
    c->busy_ms = real_ms();
    return sim_client_reply(c, &rep, (const char *)row, rep.a);
}

/** Everything but WAIT: 0, or -errno if the client cannot be answered. */
static int serve_one(struct server *s, struct sim_client *c)
{
    struct mr_sim_rep rep = {};
    bool known = c->nic != SIM_NIC_NONE;
    bool watches = c->watched != SIM_NIC_NONE;
    if ((known || watches) && c->in.op == MR_SIM_STATS)
        return reply_stats(s, c);
    if ((known || watches) && c->in.op == MR_SIM_ROW)
        return reply_row(s, c);
    if (known)
        rep.status = c->in.op == MR_SIM_HELLO ? -EINVAL : request(s, c, &rep);
    else if (watches)
        rep.status = watch_request(s, c, &rep);
    else
        rep.status = c->in.op == MR_SIM_HELLO   ? hello(s, c, &rep)
                     : c->in.op == MR_SIM_WATCH ? watch(s, c, &rep)
                                                : -EINVAL;
    return reply(c, &rep);
}

static void wait_begin(struct server *s, struct sim_client *c)
{
    uint64_t now = sim_now_ns(s->sim, c->nic);
    c->waiting = true;
    c->wait_process = (c->in.arg & MR_SIM_WAIT_PROCESS) || s->own_wait[c - s->client];
    c->wait_until_ns = c->in.a > UINT64_MAX - now ? UINT64_MAX : now + c->in.a;
}

/** Answers a WAIT whose reason is over. True if it did. */
static bool wait_end(struct server *s, struct sim_client *c)
{
    uint64_t now = sim_now_ns(s->sim, c->nic);
    bool written = sim_mem_written(sim_mem_of(s->sim, c->nic));
    if (!written && now < c->wait_until_ns)
        return false;
    c->waiting = false;
    struct mr_sim_rep rep = {.a = now, .b = written};
    if (reply(c, &rep))
        client_close(s, c);
    return true;
}

/** Serves a client until it waits, has no whole request or owes nothing more. */
static void client_serve(struct server *s, struct sim_client *c)
{
    for (int i = 0; i < REQS_PER_TURN && c->fd >= 0 && !c->waiting && !c->closing && !c->out_n; i++) {
        int got = sim_client_recv(c);
        if (got == 0)
            return;
        int err = got;
        c->idle = false;
        if (got == 1) {
            if (c->nic != SIM_NIC_NONE && c->in.op == MR_SIM_WAIT && !(c->in.arg & ~(uint32_t)MR_SIM_WAIT_PROCESS)) {
                wait_begin(s, c);
                if (!wait_end(s, c)) // at once, if there is nothing to wait for
                    return;
                continue;
            }
            err = serve_one(s, c);
        }
        if (err < 0) {
            client_close(s, c);
            return;
        }
    }
}

/* Time. */

/** True if some WAIT of another client of the same process stands for c too. */
static bool stood_for(const struct server *s, const struct sim_client *c)
{
    for (int i = 0; i < SIM_CLIENTS_MAX; i++) {
        const struct sim_client *o = &s->client[i];
        if (o->fd >= 0 && o->waiting && o->wait_process && o->pid == c->pid)
            return true;
    }
    return false;
}

/** A client that others have waited for long enough, in words, once; and what can be learned. */
static void escape_note(struct server *s, const struct sim_client *late)
{
    if (!s->escape_said)
        fprintf(stderr, "mrsim: NIC %u was outside WAIT for %u ms: time goes on without it, "
                "this run need not repeat\n", late->nic, s->cfg->escape_ms);
    s->escape_said = true;
    for (int i = 0; i < SIM_CLIENTS_MAX; i++) {
        struct sim_client *o = &s->client[i];
        if (o->fd < 0 || !o->waiting || o->pid != late->pid)
            continue;
        // One thread cannot be inside two WAITs: its process's clients stand for each other from now on.
        for (int k = 0; k < SIM_CLIENTS_MAX; k++)
            if (s->client[k].fd >= 0 && s->client[k].pid == late->pid)
                s->own_wait[k] = true;
        o->wait_process = true;
    }
}

/**
 * May time advance? Otherwise `*left_ms` is the real time until the question has
 * to be asked again, -1 for not before a socket says something.
 */
static bool may_advance(struct server *s, int *left_ms)
{
    bool any = false;
    uint64_t now = 0;
    *left_ms = -1;
    if (s->hellos < s->cfg->clients)
        return false;
    for (int i = 0; i < SIM_CLIENTS_MAX; i++)
        any |= s->client[i].fd >= 0 && (s->client[i].waiting || s->client[i].idle);
    if (!any)
        return false;
    for (int i = 0; i < SIM_CLIENTS_MAX; i++) {
        const struct sim_client *c = &s->client[i];
        if (c->fd < 0 || c->nic == SIM_NIC_NONE || c->waiting || c->idle || stood_for(s, c))
            continue;
        now = now ? now : real_ms();
        uint64_t late = now - c->busy_ms;
        if (late < s->cfg->escape_ms) {
            *left_ms = (int)(s->cfg->escape_ms - late);
            return false;
        }
        escape_note(s, c);
    }
    return true;
}

/** Ends every WAIT that is over, by NIC index. True if there was one. */
static bool waits_end(struct server *s)
{
    bool any = false;
    for (uint32_t nic = 0; nic < sim_nics(s->sim); nic++) {
        struct sim_client *c = client_of_nic(s, nic);
        if (c && c->waiting)
            any |= wait_end(s, c);
    }
    return any;
}

static void advance(struct server *s)
{
    for (int i = 0; i < STEPS_PER_POLL; i++) {
        bool woke = irqs_give(s);
        if (waits_end(s) || woke)
            return;
        sim_step(s->sim);
    }
}

/* Sockets. */

static void accept_all(struct server *s)
{
    for (;;) {
        int fd = accept4(s->listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0)
            return;
        int i = 0;
        while (i < SIM_CLIENTS_MAX && s->client[i].fd >= 0)
            i++;
        if (i == SIM_CLIENTS_MAX) {
            close(fd);
            continue;
        }
        sim_client_init(&s->client[i], fd);
        s->client[i].busy_ms = real_ms();
    }
}

/** How long poll may sleep, ms; -1 without limit. Sets s->err when patience is over. */
static int patience(struct server *s, int left_ms)
{
    uint64_t now = real_ms();
    if (s->hellos && s->hellos < s->cfg->clients) {
        uint64_t gone = now - s->first_hello_ms;
        if (gone >= s->cfg->hello_ms) {
            fprintf(stderr, "mrsim: %u of %u clients came within %u ms\n", s->hellos,
                    s->cfg->clients, s->cfg->hello_ms);
            s->err = -ETIMEDOUT;
            return 0;
        }
        int t = (int)(s->cfg->hello_ms - gone);
        left_ms = left_ms < 0 || t < left_ms ? t : left_ms;
    }
    return left_ms;
}

/** True once the server has been without a connection for too long. */
static bool idle_over(struct server *s, int *left_ms)
{
    for (int i = 0; i < SIM_CLIENTS_MAX; i++)
        if (s->client[i].fd >= 0) {
            s->alone_ms = 0;
            return false;
        }
    if (!s->cfg->idle_exit_s)
        return false;
    uint64_t now = real_ms();
    if (!s->alone_ms)
        s->alone_ms = now;
    uint64_t gone = now - s->alone_ms;
    if (gone >= s->cfg->idle_exit_s * 1000ull)
        return true;
    int t = (int)(s->cfg->idle_exit_s * 1000ull - gone);
    *left_ms = *left_ms < 0 || t < *left_ms ? t : *left_ms;
    return false;
}

/** One look at the sockets; sleeps up to timeout_ms. Clients are served by NIC index. */
static void sockets(struct server *s, int timeout_ms)
{
    struct pollfd p[SIM_CLIENTS_MAX + 1] = {{.fd = s->listener, .events = POLLIN}};
    for (int i = 0; i < SIM_CLIENTS_MAX; i++) {
        const struct sim_client *c = &s->client[i];
        // A client inside WAIT is not read; that it is gone shows all the same.
        short want = c->out_n ? POLLOUT : c->waiting ? POLLRDHUP : POLLIN;
        p[i + 1] = (struct pollfd){.fd = c->fd, .events = want};
    }
    sigset_t none;
    sigemptyset(&none);
    struct timespec t = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
    if (ppoll(p, SIM_CLIENTS_MAX + 1, timeout_ms < 0 ? nullptr : &t, &none) <= 0)
        return;
    for (uint32_t turn = 0; turn <= sim_nics(s->sim); turn++) {
        uint32_t nic = turn < sim_nics(s->sim) ? turn : SIM_NIC_NONE;
        for (int i = 0; i < SIM_CLIENTS_MAX; i++) {
            struct sim_client *c = &s->client[i];
            short got = p[i + 1].revents;
            if (c->fd < 0 || c->fd != p[i + 1].fd || c->nic != nic || !got)
                continue;
            p[i + 1].revents = 0;
            bool gone = (c->waiting || c->out_n) && (got & (POLLRDHUP | POLLHUP | POLLERR));
            if (gone || (c->out_n && sim_client_flush(c)) || (c->closing && !c->out_n))
                client_close(s, c);
            else
                client_serve(s, c);
        }
    }
    if (p[0].revents)
        accept_all(s);
    for (int i = 0; i < SIM_CLIENTS_MAX; i++)
        if (s->client[i].fd >= 0 && s->client[i].closing && !s->client[i].out_n)
            client_close(s, &s->client[i]);
}

static void serve(struct server *s)
{
    while (!stop_asked() && !s->err) {
        int left_ms = -1;
        bool go = may_advance(s, &left_ms);
        if (go)
            advance(s);
        if (s->cfg->clients && s->hellos >= s->cfg->clients && !s->present)
            return;
        if (idle_over(s, &left_ms)) {
            fprintf(stderr, "mrsim: nobody came for %u s\n", s->cfg->idle_exit_s);
            return;
        }
        left_ms = patience(s, left_ms);
        sockets(s, go ? 0 : left_ms);
    }
}

/* Beginning and end. */

static int listener_open(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    struct stat st;
    if (!path || strlen(path) >= sizeof a.sun_path)
        return -EINVAL;
    strcpy(a.sun_path, path);
    if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode))
        unlink(path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    if (bind(fd, (struct sockaddr *)&a, sizeof a) || listen(fd, 16)) {
        int err = -errno;
        close(fd);
        return err;
    }
    return fd;
}

static void signals_take(void)
{
    struct sigaction a = {.sa_handler = on_stop};
    sigset_t set = stop_signals();
    stop_caught = 0;
    sigaction(SIGTERM, &a, nullptr);
    sigaction(SIGINT, &a, nullptr);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_BLOCK, &set, nullptr);
}

static int stats_write(struct server *s)
{
    if (!s->cfg->stats)
        return 0;
    char *text = sim_stats_json(s->sim);
    FILE *f = fopen(s->cfg->stats, "we");
    int bad = !text || !f || fprintf(f, "%s\n", text) < 0;
    if (f)
        bad |= fclose(f) != 0;
    free(text);
    if (bad)
        fprintf(stderr, "mrsim: cannot write %s\n", s->cfg->stats);
    return bad ? -EIO : 0;
}

int sim_server_run(const struct sim_server_cfg *cfg)
{
    struct server *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    s->cfg = cfg;
    for (int i = 0; i < SIM_CLIENTS_MAX; i++)
        s->client[i].fd = -1;
    int err = sim_new(&cfg->sim, &s->sim);
    if (err) {
        fprintf(stderr, "mrsim: engine %s: %s\n", cfg->sim.engine, strerror(-err));
        free(s);
        return err;
    }
    signals_take();
    s->listener = listener_open(cfg->socket);
    if (s->listener < 0) {
        err = s->listener;
        fprintf(stderr, "mrsim: %s: %s\n", cfg->socket ? cfg->socket : "no socket", strerror(-err));
    } else {
        serve(s);
        err = s->err ? s->err : stats_write(s);
        close(s->listener);
        unlink(cfg->socket);
    }
    for (int i = 0; i < SIM_CLIENTS_MAX; i++)
        if (s->client[i].fd >= 0)
            sim_client_fini(&s->client[i]);
    for (uint32_t i = 0; i < SIM_NICS_MAX; i++)
        sim_watch_reset(&s->watch[i]);
    int bad = sim_free(s->sim);
    if (bad)
        fprintf(stderr, "mrsim: cannot write %s\n", cfg->sim.pcap);
    free(s);
    return err ? err : bad;
}
