// SPDX-License-Identifier: BSD-2-Clause
/*
 * control.h - the out-of-band talk of mr_sendfile's two ends over a Unix
 * socket. Every message has a fixed size and all of it comes or nothing.
 */
#ifndef MR_CONTROL_H
#define MR_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#include "metaroce.h"

#define CONTROL_VERSION 2u
#define CONTROL_DIGEST  32

/** The sender's first message. */
struct control_offer {
    uint32_t version;
    uint32_t rsvd;
    uint64_t bytes;  // of the file
    struct mr_conn_addr addr;
};

/** The receiver's answer, when its memory and its end of the connection stand. */
struct control_accept {
    uint32_t version;
    uint32_t rkey;       // of the memory for the file
    uint64_t raddr;
    struct mr_conn_addr addr;
};

/** Sender to receiver: its end of the connection stands, or it failed. */
struct control_ready {
    uint32_t ok;
};

/** Sender to receiver: all is written, or it failed. */
struct control_done {
    uint32_t ok;
};

/** Receiver to sender. */
struct control_digest {
    uint8_t sha256[CONTROL_DIGEST];
};

/** Listens at path and takes one peer; at most ms. fd or -errno. */
int control_accept(const char *path, unsigned ms);
/** Connects to path, which may not be there yet; at most ms. fd or -errno. */
int control_connect(const char *path, unsigned ms);

int control_send(int fd, const void *msg, size_t n);
/** Waits for a whole message, at most ms: 0 or -errno. */
int control_recv(int fd, void *msg, size_t n, unsigned ms);
/** Looks once: 1 a whole message was taken, 0 nothing yet, -errno. */
int control_try(int fd, void *msg, size_t n);

#endif
