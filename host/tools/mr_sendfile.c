// SPDX-License-Identifier: BSD-2-Clause
/*
 * mr_sendfile.c - sends a file from one process's memory into another's by
 * Writes, through the public library only, and compares SHA-256 at both ends.
 *
 * A simulated device moves in time only while every program on it waits for
 * it. So during the transfer both ends only ever wait for the device, a few
 * microseconds at a time, and look at the control socket in between; what is
 * exchanged before the transfer needs no device time.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "control.h"
#include "progress.h"
#include "report.h"

static constexpr unsigned setup_ms = 20000;       // for the peer to do its part of the set-up
enum { PLANES = 8, PLANE_AT = 1 };                // at most; byte of the IP addresses, from the last, with the number
static constexpr uint64_t slice_ns = 20000;       // device time between looks at the control socket

struct options {
    bool send;
    const char *uri, *control, *file, *json;
    unsigned paths, planes, mtu, id, depth, timeout_s;
    uint64_t message, seed;
    bool role_given;
};

struct end {
    const struct options *opt;
    struct mr_device *dev;
    struct mr_pd *pd;
    struct mr_cq *cq;
    struct mr_conn *conn;
    struct mr_stream *stream;
    struct mr_mr *mr;
    int control;
    uint8_t *memory;
    size_t mapped;   // bytes of memory, from 1
    uint64_t bytes;  // of the file
    uint64_t time_ns, messages;
    uint8_t digest[CONTROL_DIGEST], peer_digest[CONTROL_DIGEST];
};

/* ------------------------------------------------------------ command line */

static const struct argp_option arg_options[] = {
    {"role", 'r', "send|recv", 0, "which end this is", 0},
    {"dev", 'd', "URI", 0, "device, default $MR_DEVICE or sim:", 0},
    {"control", 'c', "PATH", 0, "Unix socket on which the two ends meet", 0},
    {"file", 'f', "FILE", 0, "send: the file; recv: where to put it, default nowhere", 0},
    {"paths", 'p', "N", 0, "paths of the connection, 1 to 128 (4)", 0},
    {"planes", 'n', "N", 0, "planes that they are spread over, 1 to 8 (1)", 0},
    {"mtu", 'm', "BYTES", 0, "payload of a packet (4096)", 0},
    {"message", 's', "BYTES", 0, "bytes of one message (1 MiB)", 0},
    {"depth", 'q', "N", 0, "messages posted at a time (8)", 0},
    {"id", 'i', "N", 0,
     "address: MAC 02:00:00:00:00:N, IP 10.0.0.N (send 1, recv 2); with planes the MAC address ends in 8 N + plane, "
     "the IP address is 10.0.PLANE.N", 0},
    {"seed", 'e', "N", 0, "of the paths' source ports (1)", 0},
    {"timeout", 't', "S", 0, "give up after so many seconds of real time (300)", 0},
    {"json", 'j', "OUT", 0, "write what was measured to this file", 0},
    {},
};

static error_t parse(int key, char *arg, struct argp_state *st)
{
    struct options *o = st->input;

    switch (key) {
    case 'r':
        o->send = !strcmp(arg, "send");
        if (!o->send && strcmp(arg, "recv") != 0)
            argp_error(st, "role is send or recv");
        o->role_given = true;
        break;
    case 'd': o->uri = arg; break;
    case 'c': o->control = arg; break;
    case 'f': o->file = arg; break;
    case 'p': o->paths = (unsigned)arg_whole(st, arg, 1, MR_PATHS_MAX); break;
    case 'n': o->planes = (unsigned)arg_whole(st, arg, 1, PLANES); break;
    case 'm': o->mtu = (unsigned)arg_whole(st, arg, 256, 4096); break;
    case 's': o->message = arg_whole(st, arg, 1, MR_LENGTH_MAX); break;
    case 'q': o->depth = (unsigned)arg_whole(st, arg, 1, 1024); break;
    case 'i': o->id = (unsigned)arg_whole(st, arg, 1, 254); break;
    case 'e': o->seed = arg_whole(st, arg, 0, UINT64_MAX); break;
    case 't': o->timeout_s = (unsigned)arg_whole(st, arg, 1, 86400); break;
    case 'j': o->json = arg; break;
    case ARGP_KEY_END:
        if (!o->role_given || !o->control || (o->send && !o->file))
            argp_error(st, "--role and --control are needed, and --file to send");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    .options = arg_options,
    .parser = parse,
    .doc = "Sends a file from memory to memory over MetaRoCE.",
};

/* ------------------------------------------------------------------- parts */

static int say(const char *what, int rc)
{
    if (rc < 0)
        fprintf(stderr, "mr_sendfile: %s: %s\n", what, mr_strerror(rc));
    return rc < 0 ? rc : 0;
}

static int sha256(const uint8_t *data, uint64_t n, uint8_t *out)
{
    return EVP_Digest(data, n, out, nullptr, EVP_sha256(), nullptr) == 1 ? 0 : -EIO;
}

static int load_file(struct end *e)
{
    struct stat st;
    int fd = open(e->opt->file, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        int rc = fd < 0 ? -errno : -EINVAL;
        if (fd >= 0)
            close(fd);
        fprintf(stderr, "mr_sendfile: %s: %s\n", e->opt->file, strerror(-rc));
        return rc;
    }
    e->bytes = (uint64_t)st.st_size;
    e->mapped = e->bytes ? (size_t)e->bytes : 1;
    void *p = e->bytes ? mmap(nullptr, e->mapped, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0)
                       : mmap(nullptr, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    close(fd);
    if (p == MAP_FAILED)
        return say("memory for the file", -ENOMEM);
    e->memory = p;
    return 0;
}

static int make_room(struct end *e, uint64_t bytes)
{
    e->bytes = bytes;
    e->mapped = bytes ? (size_t)bytes : 1;
    void *p = mmap(nullptr, e->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return say("memory for the file", -ENOMEM);
    e->memory = p;
    return 0;
}

static int store_file(const struct end *e)
{
    FILE *f = fopen(e->opt->file, "wb");

    if (!f || fwrite(e->memory, 1, e->bytes, f) != e->bytes || fclose(f)) {
        fprintf(stderr, "mr_sendfile: %s: %s\n", e->opt->file, strerror(errno));
        return -EIO;
    }
    return 0;
}

/* Everything that needs no peer. */
static int set_up(struct end *e)
{
    const struct options *o = e->opt;
    unsigned mac = o->planes > 1 ? o->id * PLANES : o->id;  // as the simulator's NICs have them
    struct mr_conn_attr attr = {
        .mac = {2, 0, 0, 0, (uint8_t)(mac >> 8), (uint8_t)mac},
        .ip = {.family = 4, .addr = {10, 0, 0, (uint8_t)o->id}},
        .mtu = (uint16_t)o->mtu,
        .paths = (uint8_t)o->paths,
        .planes = (uint8_t)o->planes,
        .plane_at = PLANE_AT,
        .seed = o->seed,
    };
    int rc = say(o->uri ? o->uri : "default device", mr_device_open(o->uri, &e->dev));

    if (!rc)
        rc = say("domain", mr_pd_create(e->dev, &e->pd));
    if (!rc)
        rc = say("completion queue", mr_cq_create(e->dev, 2 * o->depth, &e->cq));
    if (!rc)
        rc = say("connection", mr_conn_create(e->dev, &attr, &e->conn));
    if (!rc)
        rc = say("stream", mr_stream_create(e->conn, e->pd, e->cq, o->depth, &e->stream));
    if (!rc && o->send)
        rc = load_file(e);
    return rc;
}

static int meet(struct end *e, const struct mr_conn_addr *peer)
{
    uint32_t rights = e->opt->send ? MR_RIGHT_LOCAL_READ
                                   : MR_RIGHT_LOCAL_WRITE | MR_RIGHT_REMOTE_WRITE;
    int rc = say("region", mr_mr_reg(e->pd, e->memory, e->mapped, rights, &e->mr));

    if (!rc)
        rc = say("connect", mr_conn_connect(e->conn, peer));
    if (!rc)
        rc = say("connect stream", mr_stream_connect(e->stream, peer->stream[0]));
    return rc;
}

/* ------------------------------------------------------------------ sender */

static int post(struct end *e, const struct control_accept *to, uint64_t at)
{
    uint64_t left = e->bytes - at;
    struct mr_write w = {
        .wr_id = at,
        .laddr = e->memory + at,
        .lkey = mr_mr_lkey(e->mr),
        .raddr = to->raddr + at,
        .rkey = to->rkey,
        .length = (uint32_t)(left < e->opt->message ? left : e->opt->message),
        .flags = MR_POST_SIGNALED,
    };

    return mr_post_write(e->stream, &w);
}

static int transfer(struct end *e, const struct control_accept *to)
{
    uint64_t total = e->bytes ? (e->bytes + e->opt->message - 1) / e->opt->message : 1;
    uint64_t posted = 0, done = 0, bytes = 0, start, now;
    struct progress bar;
    struct mr_wc wc[16];
    int rc = say("clock", mr_device_time(e->dev, &start));

    progress_start(&bar, e->bytes);
    while (!rc && done < total) {
        while (posted < total && !(rc = post(e, to, posted * e->opt->message)))
            posted++;
        if (rc && rc != -ENOSPC)
            return say("post", rc);
        rc = say("wait", mr_cq_wait(e->cq, slice_ns));
        int n = rc ? 0 : mr_cq_poll(e->cq, wc, 16);
        for (int i = 0; i < n; i++) {
            if (wc[i].status) {
                fprintf(stderr, "mr_sendfile: message at byte %llu: %s\n",
                        (unsigned long long)wc[i].wr_id, mr_status_text(wc[i].status));
                return -EIO;
            }
            done++;
            bytes += wc[i].byte_len;
        }
        if (n < 0)
            rc = say("poll", n);
        if (!rc && n > 0) {
            rc = say("clock", mr_device_time(e->dev, &now));
            e->time_ns = now - start;
            progress_show(&bar, bytes, e->time_ns);
        }
    }
    progress_end(&bar);
    e->messages = done;
    return rc;
}

/* Waits for a message of the peer while the device's time goes on. */
static int await(struct end *e, void *msg, size_t n)
{
    for (;;) {
        int rc = control_try(e->control, msg, n);
        if (rc)
            return rc < 0 ? say("the other end", rc) : 0;
        rc = say("wait", mr_cq_wait(e->cq, slice_ns));
        if (rc)
            return rc;
    }
}

static int run_sender(struct end *e)
{
    struct control_offer offer = {.version = CONTROL_VERSION};
    struct control_accept to;
    struct control_digest digest;
    int rc = sha256(e->memory, e->bytes, e->digest);

    e->control = control_connect(e->opt->control, setup_ms);
    if (e->control < 0)
        return say(e->opt->control, e->control);
    offer.bytes = e->bytes;
    mr_conn_local(e->conn, &offer.addr);
    if (!rc)
        rc = say("offer", control_send(e->control, &offer, sizeof offer));
    if (!rc)
        rc = say("answer", control_recv(e->control, &to, sizeof to, setup_ms));
    if (!rc && to.version != CONTROL_VERSION)
        rc = say("the other end's version", -EPROTO);
    if (!rc)
        rc = meet(e, &to.addr);
    int failed = rc;
    rc = say("control", control_send(e->control, &(struct control_ready){.ok = !failed},
                                     sizeof(struct control_ready)));
    if (failed || rc)
        return failed ? failed : rc;
    failed = transfer(e, &to);
    rc = say("control", control_send(e->control, &(struct control_done){.ok = !failed},
                                     sizeof(struct control_done)));
    if (failed || rc)
        return failed ? failed : rc;
    rc = await(e, &digest, sizeof digest);
    if (!rc)
        memcpy(e->peer_digest, digest.sha256, CONTROL_DIGEST);
    return rc;
}

/* ---------------------------------------------------------------- receiver */

static int run_receiver(struct end *e)
{
    struct control_offer offer;
    struct control_accept to = {.version = CONTROL_VERSION};
    struct control_ready ready = {};
    struct control_done done;
    struct control_digest digest;

    e->control = control_accept(e->opt->control, setup_ms);
    if (e->control < 0)
        return say(e->opt->control, e->control);
    int rc = say("offer", control_recv(e->control, &offer, sizeof offer, setup_ms));
    if (!rc && offer.version != CONTROL_VERSION)
        rc = say("the other end's version", -EPROTO);
    if (!rc)
        rc = make_room(e, offer.bytes);
    if (!rc)
        rc = meet(e, &offer.addr);
    if (rc)
        return rc;
    to.raddr = (uintptr_t)e->memory;
    to.rkey = mr_mr_rkey(e->mr);
    mr_conn_local(e->conn, &to.addr);
    rc = say("answer", control_send(e->control, &to, sizeof to));
    // Not in the device's time: setting up many paths takes the sender a while.
    if (!rc)
        rc = say("the sender", control_recv(e->control, &ready, sizeof ready, setup_ms));
    done.ok = ready.ok;
    if (!rc && ready.ok)
        rc = await(e, &done, sizeof done);
    if (!rc && !done.ok) {
        fprintf(stderr, "mr_sendfile: the sender gave up\n");
        rc = -EIO;
    }
    if (!rc)
        rc = sha256(e->memory, e->bytes, e->digest);
    memcpy(digest.sha256, e->digest, CONTROL_DIGEST);
    if (!rc)
        rc = say("digest", control_send(e->control, &digest, sizeof digest));
    memcpy(e->peer_digest, e->digest, CONTROL_DIGEST);
    if (!rc && e->opt->file)
        rc = store_file(e);
    return rc;
}

/* --------------------------------------------------------------------- end */

static json_t *hex(const uint8_t *digest)
{
    char text[2 * CONTROL_DIGEST + 1];

    for (int i = 0; i < CONTROL_DIGEST; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    return json_string(text);
}

static int write_json(struct end *e)
{
    json_t *o = json_object(), *part;

    json_object_set_new(o, "role", json_string(e->opt->send ? "send" : "recv"));
    json_object_set_new(o, "device", json_string(mr_device_uri(e->dev)));
    json_object_set_new(o, "bytes", json_integer((json_int_t)e->bytes));
    json_object_set_new(o, "messages", json_integer((json_int_t)e->messages));
    json_object_set_new(o, "time_ns", json_integer((json_int_t)e->time_ns));
    json_object_set_new(o, "sha256", hex(e->digest));
    if ((part = report_paths(e->conn)))
        json_object_set_new(o, "paths", part);
    if ((part = report_counters(e->dev)))
        json_object_set_new(o, "counters", part);
    int rc = json_dump_file(o, e->opt->json, JSON_INDENT(1));
    json_decref(o);
    if (rc)
        fprintf(stderr, "mr_sendfile: %s: %s\n", e->opt->json, strerror(errno));
    return rc ? -EIO : 0;
}

static void tear_down(struct end *e)
{
    say("close", mr_device_close(e->dev));
    if (e->control >= 0)
        close(e->control);
    if (e->memory)
        munmap(e->memory, e->mapped);
}

int main(int argc, char **argv)
{
    struct options o = {.paths = 4, .planes = 1, .mtu = 4096, .depth = 8, .message = 1 << 20, .seed = 1,
                        .timeout_s = 300};
    struct end e = {.opt = &o, .control = -1};

    argp_parse(&argp, argc, argv, 0, nullptr, &o);
    if (!o.id)
        o.id = o.send ? 1 : 2;
    alarm(o.timeout_s);  // its signal ends the process: nothing here waits longer
    int rc = set_up(&e);
    if (!rc)
        rc = o.send ? run_sender(&e) : run_receiver(&e);
    if (e.conn && mr_conn_paths(e.conn) && o.json) {
        int bad = write_json(&e);
        rc = rc ? rc : bad;
    }
    tear_down(&e);
    if (!rc && memcmp(e.digest, e.peer_digest, CONTROL_DIGEST) != 0) {
        fprintf(stderr, "mr_sendfile: SHA-256 differs\n");
        rc = -EIO;
    }
    return rc ? 1 : 0;
}
