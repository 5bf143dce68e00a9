// SPDX-License-Identifier: BSD-2-Clause
/*
 * soft_wire.h - the software NIC's wire: whole Ethernet frames as datagrams
 * between Unix sockets DIR/0.sock, DIR/1.sock, ... A frame goes to the device
 * whose index is one less than the last byte of its destination MAC address; with
 * planes, one less than an eighth of it: eight addresses for each device.
 *
 * A stage of faults stands in front of sending: it loses, doubles, swaps and
 * damages frames by chance, from a seed.
 *
 * Belongs to one thread; soft_wire_fd may be polled by it.
 */
#ifndef MR_SOFT_WIRE_H
#define MR_SOFT_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/un.h>

#define SOFT_FRAME_MAX 4352 /* bytes: payload 4096 and every header there can be */

struct soft_faults {
    double loss, dup, reorder, corrupt;  // chance for each frame, 0 to 1
    uint64_t seed;
};

/** Counts of frames. */
struct soft_wire_stats {
    uint64_t sent, received;
    uint64_t lost, doubled, swapped, damaged;  // by the stage of faults
    uint64_t no_peer;                          // nobody at the address, or none that we know
    uint64_t overrun;                          // the peer did not take frames for too long
};

struct soft_frame {
    size_t n;
    uint8_t byte[SOFT_FRAME_MAX];
};

struct soft_wire {
    int fd;
    char dir[80];
    struct sockaddr_un own;
    bool planes;
    struct soft_faults faults;
    uint64_t random;
    struct soft_frame held;  // waits to be sent behind the next one; n = 0: none
    uint64_t blocked_ns;     // since when the peer takes nothing; 0 = it does
    struct soft_wire_stats stats;
};

/**
 * Opens the wire of device `index` (0 to 254, with planes 30) in dir, which is made if need be.
 * -EBUSY if another process has it, -ENODEV if the folder cannot be used.
 */
int soft_wire_open(struct soft_wire *w, const char *dir, unsigned index, bool planes,
                   const struct soft_faults *faults);
void soft_wire_close(struct soft_wire *w);

/**
 * Sends a frame. False: the peer is busy and the same frame must be offered
 * again; that ends in a drop after ten milliseconds. now_ns: monotonic time.
 */
bool soft_wire_send(struct soft_wire *w, const struct soft_frame *f, uint64_t now_ns);

/** Takes one frame; false if none is there. */
bool soft_wire_recv(struct soft_wire *w, struct soft_frame *f);

#endif
