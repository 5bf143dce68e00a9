// SPDX-License-Identifier: BSD-2-Clause
/* run.h - the parts of mr_run. */
#ifndef MR_RUN_H
#define MR_RUN_H

#include <jansson.h>
#include <stdint.h>
#include <sys/types.h>

enum { RUN_LANES = 16 };
enum { RUN_MRSIM, RUN_RECV, RUN_SEND, RUN_CHILDREN };

struct run_options {
    const char *file, *mrsim, *sendfile, *engine, *waves, *json, *pcap;
    unsigned paths, mtu, routes, planes, timeout_s, depth;
    uint64_t seed, message;
    double loss, rate;  // rate: Gbit/s of every port
    bool hist;          // print histograms
    unsigned n_lanes;
    const char *lane[RUN_LANES];  // changes to single lanes, as mrsim reads them
};

/* Children: all bounded in time, ended by their own pid only. */

struct child {
    const char *name;
    pid_t pid;  // 0 = not running
    int status; // exit status, or 128 + signal; -1 before the end
};

/** Starts argv (NULL-terminated); 0 or -errno. */
int child_start(struct child *c, const char *name, char *const argv[]);
/** Looks whether it has ended; true if it has. */
bool child_ended(struct child *c);
/** Ends it: SIGTERM, and after two seconds SIGKILL. */
void child_stop(struct child *c);
/** Waits until a socket is at path or the child has ended, at most ms; 0 or -errno. */
int child_socket(struct child *c, const char *path, unsigned ms);
/**
 * Waits until all n have ended; as soon as one fails the others get two more
 * seconds. 0 all succeeded, -ETIMEDOUT, -ECHILD one failed. All have ended then.
 */
int children_wait(struct child *c, int n, unsigned timeout_s);

/** Prints the sender's paths, and their histograms of round trip times if hist. */
void paths_print(const json_t *paths, bool hist);

/** Prints what the two ends and the simulator measured; 0, or -1 if the digests differ. */
int table_print(const struct run_options *o, const json_t *send, const json_t *recv,
                const json_t *sim);

#endif
