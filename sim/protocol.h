// SPDX-License-Identifier: BSD-2-Clause
/*
 * protocol.h - what mrsim and its clients say to each other over a Unix stream
 * socket. The `sim:` bus back end of libmetaroce includes this file as it is.
 *
 * A client sends one mr_sim_req and gets one mr_sim_rep, in the order of the
 * requests; several requests may be under way at a time. All fields are in the
 * host's byte order. The first request is HELLO. A request that is malformed or
 * out of place is answered with -EINVAL and changes nothing.
 *
 * Simulated time stands still unless every connected client is inside WAIT.
 * READ, WRITE and RESET step the client's own NIC by the few cycles that the
 * access needs; the next WAIT lets the other NICs catch up first.
 */
#ifndef MR_SIM_PROTOCOL_H
#define MR_SIM_PROTOCOL_H

#include <stdint.h>

#define MR_SIM_PROTOCOL_VERSION 1

/** In `a` of HELLO: any NIC that no client has. */
#define MR_SIM_NIC_ANY UINT64_MAX

enum mr_sim_op {
    MR_SIM_HELLO = 1,  // arg: MR_SIM_PROTOCOL_VERSION, a: NIC index or MR_SIM_NIC_ANY; reply a: NIC index, b: simulated ns
    MR_SIM_READ = 2,   // arg: byte offset in BAR 0, a multiple of 4; reply a: value
    MR_SIM_WRITE = 3,  // arg: byte offset in BAR 0, a multiple of 4, a: value, 32 bits
    MR_SIM_WAIT = 4,   // arg: 0 or MR_SIM_WAIT_PROCESS, a: at most that many simulated ns; reply when the NIC has written into this client's
                       // memory since the last WAIT or HELLO reply, or the time is over;
                       // reply a: simulated ns now, b: 1 if memory was written, else 0
    MR_SIM_MAP = 5,    // a: address, b: length in bytes: DMA to that range of the client's memory becomes legal
    MR_SIM_UNMAP = 6,  // a, b: exactly as they were mapped; -ENOENT if they were not
    MR_SIM_TIME = 7,   // reply a: simulated ns now
    MR_SIM_STATS = 8,  // reply a: length in bytes of a JSON text that follows the reply, without a final 0
    MR_SIM_BYE = 9,    // the last request; the server answers and closes
    MR_SIM_RESET = 10, // the client's NIC is reset; its maps stay
    MR_SIM_WATCH = 11, // instead of HELLO, for a client that only looks: arg: MR_SIM_PROTOCOL_VERSION, a: NIC index, which another
                       // client may have; reply a: pid of the client that has it, 0 = nobody, b: simulated ns
    MR_SIM_ROW = 12,   // arg: MR_TBL_*, a: index; reply a: 64, b: index of the first entry of that table that is in use, at a or
                       // behind it; its bytes follow the reply, zeroes behind its layout's end. -ENOENT: there is none
    MR_SIM_IRQ = 13,   // with an eventfd as SCM_RIGHTS: each interrupt of the NIC adds 1 to it; the one before is closed
    MR_SIM_IDLE = 14,  // a: interrupts that the client has taken from the eventfd, ever; reply b: 1 if there were more, else 0 and the
                       // client sleeps: it counts as being inside WAIT until the next interrupt or its next request
};

/**
 * In `arg` of WAIT: this WAIT also stands for every other client of the same
 * process, as a single-threaded program with two devices needs it. (Without it
 * the server finds out by itself, after one second of real time.)
 */
#define MR_SIM_WAIT_PROCESS 1

/*
 * HELLO fails with -EPROTO on another version, -ENODEV if there is no such NIC,
 * -EBUSY if another client has it (or all are taken). WATCH fails as HELLO does,
 * without -EBUSY, and with -ENODEV also if the engine is no MetaRoCE NIC. A client
 * that watches may READ, ROW, TIME, STATS and BYE; all else is answered with
 * -EPERM. It holds up no simulated time, does not count as one of the server's
 * clients, and its READs do not latch TIME_HI. Each READ, and ROW of telemetry and
 * histograms, steps the NIC by a few cycles, so a run that was watched need not
 * repeat. ROW knows entries as the NIC's client wrote them last, from the moment
 * on when that client has read in TBL_STATUS that they were taken. MAP fails with -ENOSPC
 * beyond MR_SIM_MAPS_MAX ranges and -EINVAL on an empty or wrapping range;
 * ranges may overlap, each counts on its own. READ and WRITE fail with -EIO if
 * the NIC answers with an error and -ETIMEDOUT if it does not answer at all.
 */
#define MR_SIM_MAPS_MAX 4096

struct mr_sim_req {
    uint32_t op;  // enum mr_sim_op
    uint32_t arg;
    uint64_t a;
    uint64_t b;
};

struct mr_sim_rep {
    int32_t status;  // 0 or -errno
    uint32_t pad;    // 0
    uint64_t a;
    uint64_t b;
};

_Static_assert(sizeof(struct mr_sim_req) == 24, "mr_sim_req");
_Static_assert(sizeof(struct mr_sim_rep) == 24, "mr_sim_rep");

#endif
