// SPDX-License-Identifier: BSD-2-Clause
/*
 * write.c - a complete program: two software NICs in one process, and a message
 * written from the memory of one into the memory of the other.
 *
 *     write [URI_A URI_B]      default: soft:0 soft:1
 */
#include <metaroce.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct end {
    struct mr_device *dev;
    struct mr_pd *pd;
    struct mr_cq *cq;
    struct mr_conn *conn;
    struct mr_stream *stream;
    struct mr_mr *mr;
    struct mr_conn_addr addr; /* what the other end must know */
    char memory[4096];
};

static void must(int rc, const char *what)
{
    if (rc >= 0)
        return;
    fprintf(stderr, "%s: %s\n", what, mr_strerror(rc));
    exit(1);
}

static void make(struct end *e, const char *uri, int number)
{
    struct mr_conn_attr attr = {0};

    attr.mac[0] = 0x02; /* a local address; the last byte is the place on the wire */
    attr.mac[5] = (uint8_t)number;
    attr.ip.family = 4;
    memcpy(attr.ip.addr, (uint8_t[4]){10, 0, 0, (uint8_t)number}, 4);
    attr.paths = 4;

    must(mr_device_open(uri, &e->dev), uri);
    must(mr_pd_create(e->dev, &e->pd), "domain");
    must(mr_cq_create(e->dev, 64, &e->cq), "completion queue");
    must(mr_conn_create(e->dev, &attr, &e->conn), "connection");
    must(mr_stream_create(e->conn, e->pd, e->cq, 16, &e->stream), "stream");
    must(mr_mr_reg(e->pd, e->memory, sizeof e->memory,
                   MR_RIGHT_LOCAL_READ | MR_RIGHT_LOCAL_WRITE | MR_RIGHT_REMOTE_WRITE, &e->mr),
         "region");
    must(mr_conn_local(e->conn, &e->addr), "address");
}

static void meet(struct end *e, const struct mr_conn_addr *peer)
{
    must(mr_conn_connect(e->conn, peer), "connect");
    must(mr_stream_connect(e->stream, peer->stream[0]), "connect stream");
}

int main(int argc, char **argv)
{
    static struct end a, b;
    struct mr_wc wc;

    make(&a, argc > 2 ? argv[1] : "soft:0", 1);
    make(&b, argc > 2 ? argv[2] : "soft:1", 2);
    meet(&a, &b.addr); /* between two programs, the addresses travel over a socket */
    meet(&b, &a.addr);

    strcpy(a.memory, "a message");
    struct mr_write write = {
        .wr_id = 1,
        .laddr = a.memory,
        .lkey = mr_mr_lkey(a.mr),
        .raddr = (uintptr_t)b.memory,
        .rkey = mr_mr_rkey(b.mr),
        .length = 10,
        .flags = MR_POST_SIGNALED,
    };
    must(mr_post_write(a.stream, &write), "post");
    if (mr_cq_wait(a.cq, 1000000000) != 1 || mr_cq_poll(a.cq, &wc, 1) != 1) {
        fprintf(stderr, "no completion within a second\n");
        return 1;
    }
    printf("status: %s\npeer's memory: %s\n", mr_status_text(wc.status), b.memory);

    must(mr_device_close(a.dev), "close"); /* frees everything that lives on it */
    must(mr_device_close(b.dev), "close");
    return wc.status != MR_ERR_OK;
}
