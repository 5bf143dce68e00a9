// SPDX-License-Identifier: BSD-2-Clause
/*
 * hold.c - keeps a connection of two simulated NICs open, for tests that look at
 * it from outside.
 *
 *     hold SOCKET PATHS PLANES [busy]
 *
 * Writes some messages from NIC 0 to NIC 1, prints "ready" and what mr_path_query
 * and the counters of NIC 0 say, and waits for the end of its input. With `busy`
 * it asks for paths and changes ports all the while, and ends with 1 as soon as
 * an answer is not what it must be. With more than one plane nothing is written:
 * the simulator's network is one plane.
 */
#include <metaroce.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 20, BYTES = 50000 };

struct end {
    struct mr_device *dev;
    struct mr_pd *pd;
    struct mr_cq *cq;
    struct mr_conn *conn;
    struct mr_stream *stream;
    struct mr_mr *mr;
    struct mr_conn_addr addr;
    char memory[BYTES];
};

static void must(int rc, const char *what)
{
    if (rc >= 0)
        return;
    fprintf(stderr, "hold: %s: %s\n", what, mr_strerror(rc));
    exit(1);
}

static void make(struct end *e, const char *socket, int nic, int paths, int planes)
{
    struct mr_conn_attr attr = {.mac = {2, 0, 0, 0, 0, (uint8_t)(8 * nic + 8)},
                                .ip = {.family = 4, .addr = {10, 0, 0, (uint8_t)(8 * nic + 8)}},
                                .paths = (uint8_t)paths,
                                .planes = (uint8_t)planes};
    char uri[160];

    if (planes == 1)
        attr.mac[5] = attr.ip.addr[3] = (uint8_t)(nic + 1);
    snprintf(uri, sizeof uri, "sim:%s?nic=%d", socket, nic);
    must(mr_device_open(uri, &e->dev), uri);
    must(mr_pd_create(e->dev, &e->pd), "domain");
    must(mr_cq_create(e->dev, 64, &e->cq), "queue");
    must(mr_conn_create(e->dev, &attr, &e->conn), "connection");
    must(mr_stream_create(e->conn, e->pd, e->cq, 16, &e->stream), "stream");
    must(mr_mr_reg(e->pd, e->memory, BYTES, MR_RIGHT_LOCAL_READ | MR_RIGHT_REMOTE_WRITE, &e->mr), "region");
    must(mr_conn_local(e->conn, &e->addr), "address");
}

static void meet(struct end *e, const struct mr_conn_addr *peer)
{
    must(mr_conn_connect(e->conn, peer), "connect");
    must(mr_stream_connect(e->stream, peer->stream[0]), "connect stream");
}

static void write_one(struct end *a, struct end *b, uint32_t i)
{
    struct mr_wc wc;
    struct mr_write w = {.wr_id = i,
                         .laddr = a->memory,
                         .lkey = mr_mr_lkey(a->mr),
                         .raddr = (uintptr_t)b->memory,
                         .rkey = mr_mr_rkey(b->mr),
                         .length = BYTES,
                         .flags = MR_POST_SIGNALED};

    must(mr_post_write(a->stream, &w), "post");
    for (int k = 0; k < 200; k++) {
        int n = mr_cq_poll(a->cq, &wc, 1);
        must(n, "poll");
        if (n == 1 && wc.status == MR_ERR_OK && wc.wr_id == i)
            return;
        must(mr_cq_wait(a->cq, 1000000), "wait");
    }
    fprintf(stderr, "hold: no completion\n");
    exit(1);
}

static void report(struct end *e)
{
    uint64_t value[128];
    struct mr_path_info p;

    for (uint32_t i = 0; i < mr_conn_paths(e->conn); i++) {
        must(mr_path_query(e->conn, i, &p), "path");
        printf("path %u %u %u %llu\n", i, p.sport, p.packets, (unsigned long long)p.bytes);
    }
    int n = mr_counters_read(e->dev, value, 128);
    must(n, "counters");
    for (int i = 0; i < n; i++)
        printf("counter %s %llu\n", mr_counter_name((uint32_t)i), (unsigned long long)value[i]);
    printf("ready\n");
    fflush(stdout);
}

/* Questions and writes to the table window, whose answers are known. */
static int busy(struct end *e)
{
    struct mr_path_info first[MR_PATHS_MAX], p;
    uint32_t n = mr_conn_paths(e->conn);

    for (uint32_t i = 0; i < n; i++)
        must(mr_path_query(e->conn, i, &first[i]), "path");
    while (!poll(&(struct pollfd){.fd = 0, .events = POLLIN}, 1, 0))
        for (uint32_t i = 0; i < n; i++) {
            must(mr_path_query(e->conn, i, &p), "path");
            if (p.packets != first[i].packets || p.bytes != first[i].bytes || p.psn != first[i].psn) {
                fprintf(stderr, "hold: path %u is another\n", i);
                return 1;
            }
            must(mr_path_set_port(e->conn, i, (uint16_t)(50000 + i), p.plane), "port");
        }
    return 0;
}

int main(int argc, char **argv)
{
    static struct end a, b;
    int rc = 0;

    if (argc < 4)
        return 64;
    make(&a, argv[1], 0, atoi(argv[2]), atoi(argv[3]));
    make(&b, argv[1], 1, atoi(argv[2]), atoi(argv[3]));
    meet(&a, &b.addr);
    meet(&b, &a.addr);
    for (uint32_t i = 0; i < MESSAGES && atoi(argv[3]) == 1; i++)
        write_one(&a, &b, i);
    report(&a);
    if (argc > 4)
        rc = busy(&a);
    else
        poll(&(struct pollfd){.fd = 0, .events = POLLIN}, 1, -1);
    must(mr_device_close(a.dev), "close");
    must(mr_device_close(b.dev), "close");
    return rc;
}
