// SPDX-License-Identifier: BSD-2-Clause
/*
 * server.h - the simulator as a process of its own: clients on a Unix socket,
 * in lock step. protocol.h has what they say, sim/README.md the rules of time.
 */
#ifndef SIM_SERVER_H
#define SIM_SERVER_H

#include <stdint.h>

#include "core.h"

#define SIM_CLIENTS_MAX 64 // connections, those before HELLO included

struct sim_server_cfg {
    struct sim_cfg sim;
    const char *socket;   // path; an old socket there is replaced
    uint32_t clients;     // WAIT is not served until so many have said HELLO; 0: at once
    uint32_t hello_ms;    // real time from the first HELLO to the last, then -ETIMEDOUT
    uint32_t escape_ms;   // real time outside WAIT after which others wait no longer
    uint32_t idle_exit_s; // exit after so long without a connection; 0: never
    const char *stats;    // file for the JSON statistics at the end, or null
};

/** The defaults of sim/README.md. */
struct sim_server_cfg sim_server_defaults(void);

/**
 * Serves until the last of `clients` clients has left, SIGTERM or SIGINT comes
 * or the server was idle for too long. Takes over these two signals and ignores
 * SIGPIPE. 0 or -errno; what went wrong is on stderr.
 */
int sim_server_run(const struct sim_server_cfg *cfg);

#endif
