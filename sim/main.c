// SPDX-License-Identifier: BSD-2-Clause
/*
 * main.c - mrsim's command line.
 */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

#define LANES_MAX 256 // --lane and --blackhole together

enum opt {
    O_NICS = 256,
    O_ENGINE,
    O_SOCKET,
    O_SEED,
    O_CLIENTS,
    O_IDLE,
    O_HELLO,
    O_ESCAPE,
    O_ROUTES,
    O_PLANES,
    O_RATE,
    O_DELAY,
    O_JITTER,
    O_LOSS,
    O_DUP,
    O_CORRUPT,
    O_SILENT,
    O_QUEUE,
    O_ECN,
    O_FIFO,
    O_HOLE,
    O_LANE,
    O_RD_NS,
    O_RD_JITTER,
    O_WR_NS,
    O_WR_JITTER,
    O_RD_MAX,
    O_WR_MAX,
    O_PAYLOAD,
    O_RD_RATE,
    O_IN_ORDER,
    O_PCAP,
    O_PCAP_RX,
    O_FST,
    O_TRACE,
    O_STATS,
};

const char *argp_program_version = "mrsim (metaroce) " MR_VERSION;

static const struct argp_option options[] = {
    {.doc = "NICs and clients:", .group = 1},
    {"nics", O_NICS, "N", 0, "NICs, 1 to 72 (2)", 1},
    {"engine", O_ENGINE, "NAME", 0, "rtl, native or loopback (native)", 1},
    {"socket", O_SOCKET, "PATH", 0, "where clients connect; must be given", 1},
    {"seed", O_SEED, "N", 0, "of all randomness (1)", 1},
    {"clients", O_CLIENTS, "N", 0, "time stands until N have come; exit when all have left (as --nics); 0: neither", 1},
    {"idle-exit", O_IDLE, "S", 0, "exit after so many seconds without a connection, 0: never (60)", 1},
    {"hello-ms", O_HELLO, "MS", 0, "real time between first and last client (5000)", 1},
    {"escape-ms", O_ESCAPE, "MS", 0, "real time outside WAIT after which others go on (1000)", 1},
    {.doc = "Link, every lane:", .group = 2},
    {"routes", O_ROUTES, "N", 0, "between any two NICs, 1 to 64 (4)", 2},
    {"planes", O_PLANES, "N", 0, "planes by address, 1 to 8; routes is a multiple, as many for each (1)", 2},
    {"rate", O_RATE, "GBIT", 0, "of every port, Gbit/s (100)", 2},
    {"delay", O_DELAY, "NS", 0, "one way (1000)", 2},
    {"jitter", O_JITTER, "NS", 0, "added to the delay, never reorders inside a route (0)", 2},
    {"loss", O_LOSS, "P", 0, "probability per frame (0)", 2},
    {"dup", O_DUP, "P", 0, "of arriving twice (0)", 2},
    {"corrupt", O_CORRUPT, "P", 0, "of 1 to 3 flipped bits (0)", 2},
    {"corrupt-silent", O_SILENT, nullptr, 0, "the FCS does not notice", 2},
    {"queue-kib", O_QUEUE, "KIB", 0, "egress queue (1024)", 2},
    {"ecn-kib", O_ECN, "KIB", 0, "mark above this much in the egress queue, 0: never (100)", 2},
    {"fifo-kib", O_FIFO, "KIB", 0, "FIFO of the receiving MAC (64)", 2},
    {"blackhole", O_HOLE, "ROUTE:FROM:TO", 0, "the route swallows all in [FROM, TO) us, both ways", 2},
    {"lane", O_LANE, "SRC:DST:ROUTE:KEY=VALUE", 0,
     "one lane or, with *, many; ROUTE pK: all of plane K; KEY: delay jitter loss dup corrupt silent rate queue ecn hole", 2},
    {.doc = "Host memory, every NIC:", .group = 3},
    {"mem-read-ns", O_RD_NS, "NS", 0, "latency of a read (600)", 3},
    {"mem-read-jitter-ns", O_RD_JITTER, "NS", 0, "(100)", 3},
    {"mem-write-ns", O_WR_NS, "NS", 0, "latency of a write (300)", 3},
    {"mem-write-jitter-ns", O_WR_JITTER, "NS", 0, "(100)", 3},
    {"mem-reads", O_RD_MAX, "N", 0, "read bursts under way, 1 to 256 (64)", 3},
    {"mem-writes", O_WR_MAX, "N", 0, "write bursts under way, 1 to 64 (32)", 3},
    {"mem-payload", O_PAYLOAD, "BYTES", 0, "largest completion, 64 to 4096 (512)", 3},
    {"mem-gbs", O_RD_RATE, "GB", 0, "bandwidth of reads, Gbyte/s (28)", 3},
    {"mem-in-order", O_IN_ORDER, nullptr, 0, "do not mix bursts of different ids", 3},
    {.doc = "Files:", .group = 4},
    {"pcap", O_PCAP, "FILE", 0, "capture at the senders' MACs, lost frames too", 4},
    {"pcap-rx", O_PCAP_RX, nullptr, 0, "capture at the receivers' MACs instead", 4},
    {"fst", O_FST, "FILE", 0, "waves of NIC i to NAME.i.fst (mrsim-fst, rtl)", 4},
    {"trace", O_TRACE, "FILE", 0, "pins of NIC i's kernels to NAME.i.trace (mrsim-trace, rtl)", 4},
    {"stats", O_STATS, "FILE", 0, "statistics at the end, JSON", 4},
    {},
};

struct args {
    struct sim_server_cfg cfg;
    bool clients_given;
    const char *lanes[LANES_MAX];
    char holes[LANES_MAX][64];
};

/** A number in [min, max], times scale; ends the program otherwise. */
static uint64_t num(struct argp_state *st, const char *arg, double min, double max, double scale)
{
    char *end;
    double v = strtod(arg, &end);
    if (end == arg || *end || !isfinite(v) || v < min || v > max)
        argp_error(st, "'%s' is not a number from %g to %g", arg, min, max);
    return (uint64_t)(v * scale + 0.5);
}

static double chance(struct argp_state *st, const char *arg)
{
    char *end;
    double v = strtod(arg, &end);
    if (end == arg || *end || !(v >= 0 && v <= 1))
        argp_error(st, "'%s' is not a probability", arg);
    return v;
}

static uint64_t seed(struct argp_state *st, const char *arg)
{
    char *end;
    errno = 0;
    uint64_t v = strtoull(arg, &end, 0);
    if (end == arg || *end || errno || arg[0] == '-')
        argp_error(st, "'%s' is not a seed", arg);
    return v;
}

static void lane_add(struct argp_state *st, struct args *a, const char *text)
{
    if (a->cfg.sim.n_lanes == LANES_MAX)
        argp_error(st, "more than %d changes to lanes", LANES_MAX);
    else
        a->lanes[a->cfg.sim.n_lanes++] = text;
}

static void hole_add(struct argp_state *st, struct args *a, const char *arg)
{
    unsigned route;
    double from;
    double to;
    char rest;
    if (sscanf(arg, "%u:%lf:%lf%c", &route, &from, &to, &rest) != 3 || a->cfg.sim.n_lanes == LANES_MAX) {
        argp_error(st, "'%s' is not ROUTE:FROM:TO", arg);
        return;
    }
    char *text = a->holes[a->cfg.sim.n_lanes];
    snprintf(text, sizeof a->holes[0], "*:*:%u:hole=%.3f-%.3f", route, from, to);
    lane_add(st, a, text);
}

static bool parse_link(struct argp_state *st, struct args *a, int key, const char *arg)
{
    struct sim_link_cfg *l = &a->cfg.sim.link;
    switch (key) {
    case O_ROUTES: l->routes = (uint32_t)num(st, arg, 1, SIM_ROUTES_MAX, 1); return true;
    case O_PLANES: l->planes = (uint32_t)num(st, arg, 1, SIM_PLANES_MAX, 1); return true;
    case O_RATE: l->rate = num(st, arg, 0.001, 10000, 1e9); return true;
    case O_DELAY: l->lane.delay_ns = num(st, arg, 0, 1e12, 1); return true;
    case O_JITTER: l->lane.jitter_ns = num(st, arg, 0, 1e9, 1); return true;
    case O_LOSS: l->lane.loss = chance(st, arg); return true;
    case O_DUP: l->lane.dup = chance(st, arg); return true;
    case O_CORRUPT: l->lane.corrupt = chance(st, arg); return true;
    case O_SILENT: l->lane.corrupt_silent = true; return true;
    case O_QUEUE: l->queue = num(st, arg, 1, 1e6, 1024); return true;
    case O_ECN: l->ecn = num(st, arg, 0, 1e6, 1024); return true;
    case O_FIFO: l->fifo = num(st, arg, 1, 1e6, 1024); return true;
    case O_HOLE: hole_add(st, a, arg); return true;
    case O_LANE: lane_add(st, a, arg); return true;
    default: return false;
    }
}

static bool parse_mem(struct argp_state *st, struct args *a, int key, const char *arg)
{
    struct sim_mem_cfg *m = &a->cfg.sim.mem;
    switch (key) {
    case O_RD_NS: m->rd_ns = (uint32_t)num(st, arg, 0, 1e9, 1); return true;
    case O_RD_JITTER: m->rd_jitter_ns = (uint32_t)num(st, arg, 0, 1e9, 1); return true;
    case O_WR_NS: m->wr_ns = (uint32_t)num(st, arg, 0, 1e9, 1); return true;
    case O_WR_JITTER: m->wr_jitter_ns = (uint32_t)num(st, arg, 0, 1e9, 1); return true;
    case O_RD_MAX: m->rd_max = (uint32_t)num(st, arg, 1, SIM_MEM_RD_MAX, 1); return true;
    case O_WR_MAX: m->wr_max = (uint32_t)num(st, arg, 1, SIM_MEM_WR_MAX, 1); return true;
    case O_PAYLOAD: m->payload = (uint32_t)num(st, arg, 64, 4096, 1); return true;
    case O_RD_RATE: m->rd_rate = num(st, arg, 0.001, 1000, 1e9); return true;
    case O_IN_ORDER: m->interleave = false; return true;
    default: return false;
    }
}

static error_t parse(int key, char *arg, struct argp_state *st)
{
    struct args *a = st->input;
    struct sim_server_cfg *c = &a->cfg;
    if (parse_link(st, a, key, arg) || parse_mem(st, a, key, arg))
        return 0;
    switch (key) {
    case O_NICS: c->sim.link.nics = (uint32_t)num(st, arg, 1, SIM_NICS_MAX, 1); return 0;
    case O_ENGINE: c->sim.engine = arg; return 0;
    case O_SOCKET: c->socket = arg; return 0;
    case O_SEED: c->sim.link.seed = seed(st, arg); return 0;
    case O_CLIENTS:
        c->clients = (uint32_t)num(st, arg, 0, SIM_NICS_MAX, 1);
        a->clients_given = true;
        return 0;
    case O_IDLE: c->idle_exit_s = (uint32_t)num(st, arg, 0, 1e6, 1); return 0;
    case O_HELLO: c->hello_ms = (uint32_t)num(st, arg, 1, 1e6, 1); return 0;
    case O_ESCAPE: c->escape_ms = (uint32_t)num(st, arg, 1, 1e6, 1); return 0;
    case O_PCAP: c->sim.pcap = arg; return 0;
    case O_PCAP_RX: c->sim.pcap_rx = true; return 0;
    case O_FST: c->sim.fst = arg; return 0;
    case O_TRACE: c->sim.trace = arg; return 0;
    case O_STATS: c->stats = arg; return 0;
    case ARGP_KEY_END:
        if (!c->socket)
            argp_error(st, "--socket must be given");
        if (!a->clients_given)
            c->clients = c->sim.link.nics;
        if (c->clients > c->sim.link.nics)
            argp_error(st, "more clients than NICs");
        if (c->sim.link.routes % c->sim.link.planes)
            argp_error(st, "%u routes are no multiple of %u planes", c->sim.link.routes, c->sim.link.planes);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static struct args a;
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "N simulated NICs behind a Unix socket, with host memory and network.\v"
               "The sim: back end of libmetaroce is the client. sim/README.md explains the models.",
    };
    a.cfg = sim_server_defaults();
    error_t err = argp_parse(&argp, argc, argv, 0, nullptr, &a);
    if (err)
        return 2;
    a.cfg.sim.lanes = a.lanes;
    return sim_server_run(&a.cfg) ? 1 : 0;
}
