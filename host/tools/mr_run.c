// SPDX-License-Identifier: BSD-2-Clause
/*
 * mr_run.c - one command that shows the whole: two simulated NICs, a link that
 * loses frames, a file sent from memory to memory, and what was measured.
 *
 * It starts mrsim and the two ends of mr_sendfile, waits for them with a limit,
 * and reads the JSON that each leaves. It ends what it started, by pid.
 */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "args.h"
#include "run.h"

static constexpr unsigned start_ms = 20000;  // for mrsim to open its socket

enum { O_LOSS = 256, O_RATE, O_WAVES, O_MRSIM, O_SENDFILE, O_JSON, O_PCAP, O_DEPTH, O_MESSAGE, O_HIST, O_PLANES, O_LANE };

static const struct argp_option arg_options[] = {
    {"loss", O_LOSS, "P", 0, "chance for every frame to be lost, 0 to 1 (0.01)", 0},
    {"paths", 'p', "N", 0, "paths of the connection, 1 to 128 (4)", 0},
    {"routes", 'r', "N", 0, "routes of the fabric (4)", 0},
    {"planes", O_PLANES, "N", 0, "planes that paths and routes are spread over, 1 to 8 (1)", 0},
    {"lane", O_LANE, "S:D:R:KEY=V", 0, "one lane of the fabric is different, as of mrsim; up to 16 times", 0},
    {"mtu", 'm', "BYTES", 0, "payload of a packet (4096)", 0},
    {"message", O_MESSAGE, "BYTES", 0, "bytes of one message (1 MiB)", 0},
    {"depth", O_DEPTH, "N", 0, "messages posted at a time (8)", 0},
    {"seed", 's', "N", 0, "of the simulation and of the source ports (1)", 0},
    {"engine", 'e', "rtl|native", 0, "what the NICs are made of (rtl)", 0},
    {"rate", O_RATE, "GBIT", 0, "line rate, Gbit/s (100)", 0},
    {"waves", O_WAVES, "NAME", 0, "waves of NIC i to NAME.i.fst (rtl)", 0},
    {"pcap", O_PCAP, "FILE", 0, "capture of all frames", 0},
    {"hist", O_HIST, nullptr, 0, "print the histograms of round trip times too", 0},
    {"json", O_JSON, "FILE", 0, "all that was measured, as JSON", 0},
    {"timeout", 't', "S", 0, "seconds of real time for all (600)", 0},
    {"mrsim", O_MRSIM, "PATH", 0, "the simulator, default beside this program", 0},
    {"sendfile", O_SENDFILE, "PATH", 0, "mr_sendfile, default beside this program", 0},
    {"file", 'f', "FILE", 0, "the same as the argument", 0},
    {},
};

static double real(struct argp_state *st, const char *text, double min, double max)
{
    char *end;
    double v = strtod(text, &end);

    if (end == text || *end || !(v >= min && v <= max))
        argp_error(st, "%s is not a number from %g to %g", text, min, max);
    return v;
}

static error_t parse(int key, char *arg, struct argp_state *st)
{
    struct run_options *o = st->input;

    switch (key) {
    case O_LOSS: o->loss = real(st, arg, 0, 1); break;
    case 'p': o->paths = (unsigned)arg_whole(st, arg, 1, 128); break;
    case 'r': o->routes = (unsigned)arg_whole(st, arg, 1, 64); break;
    case O_PLANES: o->planes = (unsigned)arg_whole(st, arg, 1, 8); break;
    case O_LANE:
        if (o->n_lanes == RUN_LANES)
            argp_error(st, "more than %d lanes", RUN_LANES);
        o->lane[o->n_lanes++] = arg;
        break;
    case 'm': o->mtu = (unsigned)arg_whole(st, arg, 256, 4096); break;
    case O_MESSAGE: o->message = arg_whole(st, arg, 1, 0x80000000); break;
    case O_DEPTH: o->depth = (unsigned)arg_whole(st, arg, 1, 1024); break;
    case 's': o->seed = arg_whole(st, arg, 0, UINT64_MAX); break;
    case 'e': o->engine = arg; break;
    case O_RATE: o->rate = real(st, arg, 0.001, 400); break;
    case O_WAVES: o->waves = arg; break;
    case O_PCAP: o->pcap = arg; break;
    case O_HIST: o->hist = true; break;
    case O_JSON: o->json = arg; break;
    case 't': o->timeout_s = (unsigned)arg_whole(st, arg, 1, 86400); break;
    case O_MRSIM: o->mrsim = arg; break;
    case O_SENDFILE: o->sendfile = arg; break;
    case 'f':
    case ARGP_KEY_ARG:
        if (o->file)
            argp_error(st, "one file only");
        o->file = arg;
        break;
    case ARGP_KEY_END:
        if (!o->file)
            argp_error(st, "which file?");
        if (o->routes % o->planes)
            argp_error(st, "%u routes are no multiple of %u planes", o->routes, o->planes);
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    .options = arg_options,
    .parser = parse,
    .args_doc = "FILE",
    .doc = "Sends a file between two simulated NICs and prints what happened.",
};

/* Names inside the run's own folder, and numbers as texts. */
struct texts {
    char dir[32], sim[64], control[64], sim_json[64], send_json[64], recv_json[64];
    char loss[32], paths[16], routes[16], planes[16], mtu[16], seed[24], rate[32], timeout[16];
    char message[24], depth[16], send_uri[80], recv_uri[80];
};

static int make_texts(struct texts *t, const struct run_options *o)
{
    strcpy(t->dir, "/tmp/mr_run.XXXXXX");
    if (!mkdtemp(t->dir))
        return -errno;
    snprintf(t->sim, sizeof t->sim, "%s/sim.sock", t->dir);
    snprintf(t->control, sizeof t->control, "%s/control.sock", t->dir);
    snprintf(t->sim_json, sizeof t->sim_json, "%s/sim.json", t->dir);
    snprintf(t->send_json, sizeof t->send_json, "%s/send.json", t->dir);
    snprintf(t->recv_json, sizeof t->recv_json, "%s/recv.json", t->dir);
    snprintf(t->loss, sizeof t->loss, "%.9g", o->loss);
    snprintf(t->rate, sizeof t->rate, "%.9g", o->rate);
    snprintf(t->paths, sizeof t->paths, "%u", o->paths);
    snprintf(t->routes, sizeof t->routes, "%u", o->routes);
    snprintf(t->planes, sizeof t->planes, "%u", o->planes);
    snprintf(t->mtu, sizeof t->mtu, "%u", o->mtu);
    snprintf(t->depth, sizeof t->depth, "%u", o->depth);
    snprintf(t->message, sizeof t->message, "%llu", (unsigned long long)o->message);
    snprintf(t->seed, sizeof t->seed, "%llu", (unsigned long long)o->seed);
    snprintf(t->timeout, sizeof t->timeout, "%u", o->timeout_s);
    snprintf(t->send_uri, sizeof t->send_uri, "sim:%s?nic=0&wait=%s", t->sim, t->timeout);
    snprintf(t->recv_uri, sizeof t->recv_uri, "sim:%s?nic=1&wait=%s", t->sim, t->timeout);
    return 0;
}

static void remove_texts(const struct texts *t)
{
    unlink(t->sim);
    unlink(t->control);
    unlink(t->sim_json);
    unlink(t->send_json);
    unlink(t->recv_json);
    rmdir(t->dir);
}

static int start_sim(struct child *c, const struct run_options *o, struct texts *t)
{
    char *argv[30 + 2 * RUN_LANES] = {(char *)o->mrsim, "--nics",   "2",        "--clients", "2",
                      "--engine",       (char *)o->engine,      "--socket",  t->sim,
                      "--seed",         t->seed,    "--routes", t->routes,   "--loss",
                      t->loss,          "--rate",   t->rate,    "--stats",   t->sim_json,
                      "--hello-ms",     "20000",    "--planes", t->planes};
    int n = 23;

    if (o->waves) {
        argv[n++] = "--fst";
        argv[n++] = (char *)o->waves;
    }
    if (o->pcap) {
        argv[n++] = "--pcap";
        argv[n++] = (char *)o->pcap;
    }
    for (unsigned i = 0; i < o->n_lanes; i++) {
        argv[n++] = "--lane";
        argv[n++] = (char *)o->lane[i];
    }
    int rc = child_start(c, "mrsim", argv);
    return rc ? rc : child_socket(c, t->sim, start_ms);
}

static int start_end(struct child *c, const struct run_options *o, struct texts *t, bool send)
{
    char *argv[40] = {(char *)o->sendfile, "--role",    send ? "send" : "recv",
                      "--dev",             send ? t->send_uri : t->recv_uri,
                      "--control",         t->control,  "--json", send ? t->send_json : t->recv_json,
                      "--paths",           t->paths,    "--mtu",  t->mtu,
                      "--message",         t->message,  "--depth", t->depth,
                      "--seed",            t->seed,     "--timeout", t->timeout,
                      "--planes",          t->planes};
    int n = 23;

    if (send) {
        argv[n++] = "--file";
        argv[n++] = (char *)o->file;
    }
    return child_start(c, send ? "sender" : "receiver", argv);
}

static int run_children(const struct run_options *o, struct texts *t)
{
    struct child c[RUN_CHILDREN] = {};
    int rc = start_sim(&c[RUN_MRSIM], o, t);

    if (!rc)
        rc = start_end(&c[RUN_RECV], o, t, false);
    if (!rc)
        rc = start_end(&c[RUN_SEND], o, t, true);
    if (!rc)
        return children_wait(c, RUN_CHILDREN, o->timeout_s);
    for (int i = 0; i < RUN_CHILDREN; i++)
        child_stop(&c[i]);
    fprintf(stderr, "mr_run: %s did not start\n", c[RUN_RECV].name ? "mr_sendfile" : "mrsim");
    return rc;
}

static int report(const struct run_options *o, const struct texts *t)
{
    json_t *send = json_load_file(t->send_json, 0, nullptr);
    json_t *recv = json_load_file(t->recv_json, 0, nullptr);
    json_t *sim = json_load_file(t->sim_json, 0, nullptr);
    int rc = send && recv && sim ? table_print(o, send, recv, sim) : -1;

    if (!send || !recv || !sim)
        fprintf(stderr, "mr_run: a report is missing\n");
    json_t *all = json_pack("{s:o*, s:o*, s:o*}", "sender", send, "receiver", recv, "simulator", sim);
    if (o->json && json_dump_file(all, o->json, JSON_INDENT(1))) {
        fprintf(stderr, "mr_run: cannot write %s\n", o->json);
        rc = -1;
    }
    json_decref(all);
    return rc;
}

/* PATH of a program that lies beside this one. */
static const char *beside(const char *name, char *path, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", path, size - 1);

    if (n <= 0)
        return name;
    path[n] = 0;
    char *slash = strrchr(path, '/');
    snprintf(slash + 1, size - (size_t)(slash + 1 - path), "%s", name);
    return path;
}

int main(int argc, char **argv)
{
    struct run_options o = {.paths = 4, .routes = 4, .planes = 1, .mtu = 4096, .message = 1 << 20, .depth = 8,
                            .seed = 1, .loss = 0.01, .rate = 100, .engine = "rtl",
                            .timeout_s = 600};
    char sim_path[PATH_MAX], send_path[PATH_MAX];
    struct texts t;

    argp_parse(&argp, argc, argv, 0, nullptr, &o);
    // The programs' addresses stand in the packets: with the same ones every time, a run
    // replays to the byte. Where this is not allowed, it replays but for the addresses.
    (void)personality(ADDR_NO_RANDOMIZE);
    if (!o.mrsim)
        o.mrsim = beside(o.waves ? "mrsim-fst" : "mrsim", sim_path, sizeof sim_path);
    if (!o.sendfile)
        o.sendfile = beside("mr_sendfile", send_path, sizeof send_path);
    if (make_texts(&t, &o)) {
        perror("mr_run: /tmp");
        return 1;
    }
    int rc = run_children(&o, &t);
    if (!rc)
        rc = report(&o, &t);
    remove_texts(&t);
    return rc ? 1 : 0;
}
