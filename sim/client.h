// SPDX-License-Identifier: BSD-2-Clause
/*
 * client.h - one connection of the server: bytes in, bytes out, and the memory
 * of the process at its other end.
 */
#ifndef SIM_CLIENT_H
#define SIM_CLIENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mem.h"
#include "protocol.h"

#define SIM_NIC_NONE UINT32_MAX

struct sim_client {
    int fd; // -1: this entry is free
    pid_t pid;
    uint32_t nic;       // SIM_NIC_NONE before HELLO
    uint32_t watched;   // SIM_NIC_NONE: it does not watch
    bool closing;       // BYE was answered: close once `out` is empty
    bool waiting;       // inside WAIT
    bool idle;          // sleeps until an interrupt
    int passed_fd;      // came with a request and was not taken; -1: none
    int irq_fd;         // eventfd of the client; -1: none
    uint64_t irqs;      // added to it
    bool wait_process;  // this WAIT stands for its whole process
    uint64_t wait_until_ns;
    uint64_t busy_ms;   // real time of the last answer: how long it has been outside WAIT
    // input: one request, perhaps in parts
    size_t in_n;
    struct mr_sim_req in;
    // output: what the socket did not take yet
    char *out;
    size_t out_n;
    size_t out_at;
};

/** DMA into the process of a sim_client. */
extern const struct sim_mem_ops sim_client_mem;

/** Takes over the socket. */
void sim_client_init(struct sim_client *c, int fd);
void sim_client_fini(struct sim_client *c);

/** 1: c->in is whole; 0: not yet; -ECONNRESET: the other end is gone. */
int sim_client_recv(struct sim_client *c);
/** Answers c->in, with n bytes of text behind the reply. 0 or -errno: close it. */
int sim_client_reply(struct sim_client *c, const struct mr_sim_rep *rep, const char *text, size_t n);
/** Goes on with what the socket did not take. 0 or -errno. */
int sim_client_flush(struct sim_client *c);

#endif
