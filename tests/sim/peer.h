// SPDX-License-Identifier: BSD-2-Clause
/*
 * peer.h - a server in a child process and clients of it, for tests.
 */
#ifndef SIM_PEER_H
#define SIM_PEER_H

#include <stdint.h>
#include <sys/types.h>

#include "engine_loopback.h"
#include "protocol.h"
#include "server.h"

struct peer_server {
    pid_t pid;
    char dir[32];     // of its own
    char socket[64];
    char err[64];     // its stderr
};

/** Two NICs of the test engine, two clients, short limits. */
struct sim_server_cfg peer_cfg(void);
/** Starts it; cfg->socket is set here. */
void peer_start(struct peer_server *s, const struct sim_server_cfg *cfg);
/** Waits for its end, 20 s at most; its exit status, -1 if it had to be killed. */
int peer_end(struct peer_server *s);
/** How many lines of its stderr contain the text. Before peer_end. */
unsigned peer_said(const struct peer_server *s, const char *text);

/** A connected socket, without HELLO. */
int peer_connect(const struct peer_server *s);
/** With HELLO as that NIC. */
int peer_hello(const struct peer_server *s, uint64_t nic);
/** One request and its reply; status -ECONNRESET if the server went away. */
struct mr_sim_rep peer_call(int fd, uint32_t op, uint32_t arg, uint64_t a, uint64_t b);
uint32_t peer_read(int fd, uint32_t offset);
void peer_write(int fd, uint32_t offset, uint32_t value);
/** Starts a DMA of the test engine and waits for its end. */
void peer_dma(int fd, uint32_t cmd, const void *at, uint32_t len);
/** BYE and close. */
void peer_bye(int fd);

/** Reads exactly n bytes; false at the end of the stream. */
bool peer_get(int fd, void *buf, size_t n);
uint64_t peer_ms(void);

#endif
