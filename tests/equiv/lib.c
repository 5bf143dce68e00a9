// SPDX-License-Identifier: BSD-2-Clause
/*
 * lib.c - one script by the public library, on any two devices; what came of it
 * goes into a file in a form that does not depend on the devices.
 *
 *     lib URI_A URI_B FILE
 */
#include <inttypes.h>
#include <metaroce.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "script.h"

enum { RECV = 1 << 20 };  // in wr_id: of a receive
enum { SECONDS = 100, CQ = 2048 };

struct end {
    struct mr_device *dev;
    struct mr_pd *pd;
    struct mr_cq *cq;
    struct mr_conn *conn;
    struct mr_stream *stream[SCRIPT_STREAMS];
    struct mr_rq *rq[SCRIPT_STREAMS];
    struct mr_mr *mr;
    struct mr_conn_addr addr;
    uint8_t *user;
    unsigned n, want;
    struct mr_wc wc[2 * SCRIPT_MSGS];
};

static int must(int rc, const char *what)
{
    if (rc >= 0)
        return rc;
    printf("FAIL equiv: %s: %s\n", what, mr_strerror(rc));
    exit(1);
}

static void open_end(struct end *e, const struct script *s, unsigned side, const char *uri)
{
    struct mr_conn_attr attr = {.mac = {2, 0, 0, 0, 0, (uint8_t)(side + 1)}, .paths = 4,
        .ip = {.family = 4, .addr = {10, 0, 0, (uint8_t)(side + 1)}}};

    e->user = aligned_alloc(4096, SCRIPT_USER);
    if (!e->user)
        abort();
    script_fill(s, side, e->user);
    must(mr_device_open(uri, &e->dev), uri);
    must(mr_pd_create(e->dev, &e->pd), "domain");
    must(mr_cq_create(e->dev, CQ, &e->cq), "completion queue");
    must(mr_conn_create(e->dev, &attr, &e->conn), "connection");
    for (unsigned k = 0; k < s->n_streams; k++) {
        must(mr_rq_create(e->pd, &(struct mr_rq_attr){.depth = SCRIPT_QUEUE}, &e->rq[k]), "receive queue");
        must(mr_stream_create_attr(e->conn, &(struct mr_stream_attr){.pd = e->pd, .cq = e->cq, .rq = e->rq[k],
            .depth = SCRIPT_QUEUE}, &e->stream[k]), "stream");
    }
    must(mr_mr_reg(e->pd, e->user, SCRIPT_USER, MR_RIGHT_LOCAL_READ | MR_RIGHT_LOCAL_WRITE | MR_RIGHT_REMOTE_WRITE |
                   MR_RIGHT_REMOTE_READ | MR_RIGHT_REMOTE_ATOMIC, &e->mr), "region");
    must(mr_conn_local(e->conn, &e->addr), "address");
}

static void connect_end(struct end *e, const struct script *s, const struct mr_conn_addr *peer)
{
    must(mr_conn_connect(e->conn, peer), "connect");
    for (unsigned k = 0; k < s->n_streams; k++)
        must(mr_stream_connect(e->stream[k], peer->stream[k]), "connect stream");
}

/* A receive that only this message takes. Its number, with the bit above, is its wr_id. */
static void post_receive(struct end *e, const struct script_msg *m, unsigned i)
{
    struct mr_sge room = {.addr = e->user + m->to, .len = m->len, .key = mr_mr_lkey(e->mr)};

    must(mr_post_recv(e->rq[m->stream], &(struct mr_recv_wr){.wr_id = RECV | i, .sge = &room,
        .nsge = m->op != MR_OP_WRITE_IMM}), "post a receive");
    e->want++;
}

static void post(struct end end[2], const struct script *s, const struct script_msg *m, unsigned i)
{
    struct end *e = &end[m->side], *to = &end[!m->side];
    bool asks = script_asks(m);
    struct mr_sge sge = {.addr = e->user + (asks ? m->to : m->from), .len = m->len, .key = mr_mr_lkey(e->mr)};
    struct mr_send_wr w = {.wr_id = i, .opcode = m->op, .sge = &sge, .nsge = 1, .imm = ~m->msg,
        .raddr = (uintptr_t)to->user + (script_atomic(m) ? m->counter : asks ? m->from : m->to),
        .rkey = mr_mr_rkey(to->mr), .compare = script_compare_value(s, m), .swap = script_swap_value(m),
        .flags = m->signaled ? MR_POST_SIGNALED : 0};

    switch (m->fault) {
    case SCRIPT_REMOTE_KEY: w.rkey += 0x100; break;
    case SCRIPT_REMOTE_BOUNDS: w.raddr = (uintptr_t)to->user + SCRIPT_USER; break;
    case SCRIPT_LOCAL_KEY: sge.key ^= 1; break;
    case SCRIPT_LOCAL_BOUNDS: sge.addr = e->user + SCRIPT_USER; break;
    case SCRIPT_LOCAL_STRADDLE: sge.addr = e->user + SCRIPT_USER - m->len + 1; break;
    default: break;
    }
    must(mr_post_send(e->stream[m->stream], &w), "post");
    // What stands behind a failure is reported too, as flushed.
    e->want += m->signaled || m->fault || m->behind;
}

static bool wait_all(struct end end[2])
{
    time_t last = time(nullptr) + SECONDS;

    while (end[0].n < end[0].want || end[1].n < end[1].want) {
        for (unsigned side = 0; side < 2; side++) {
            struct end *e = &end[side];
            if (e->n == e->want)
                continue;
            must(mr_cq_wait(e->cq, 100'000), "wait");
            e->n += (unsigned)must(mr_cq_poll(e->cq, e->wc + e->n, (int)(e->want - e->n)), "poll");
        }
        if (time(nullptr) > last)
            return false;
    }
    return true;
}

static void put_end(FILE *f, const struct script *s, const struct end *e, unsigned side)
{
    uint8_t *known = script_known(s, side, e->user);
    uint64_t hash = 0xcbf29ce484222325;

    for (unsigned k = 0; k < 2 * s->n_streams; k++)  // sends and receives have no order among each other
        for (unsigned i = 0; i < e->n; i++)
            if (e->wc[i].stream == e->stream[k / 2] && (e->wc[i].flags & MR_WC_RECV ? 1 : 0) == k % 2)
                fprintf(f, "host %u stream %u: entry %" PRIu64 " message %" PRIu32 " status %u operation %u length %" PRIu32 "\n",
                        side, k / 2, e->wc[i].wr_id, e->wc[i].msg, e->wc[i].status, e->wc[i].opcode, e->wc[i].byte_len);
    for (size_t i = 0; i < SCRIPT_USER; i++) {
        hash = (hash ^ known[i]) * 0x100000001b3;
        if (i % 65536 == 65535)
            fprintf(f, "host %u memory to %zu: %016" PRIx64 "\n", side, i, hash);
    }
    free(known);
}

/** Statuses and memory against the script. */
static unsigned check_end(const struct script *s, const struct end *e, unsigned side)
{
    uint8_t *image = script_memory(s, side, e->user);
    unsigned wrong = script_differ(image, e->user) != SCRIPT_USER;

    if (wrong)
        printf("  host %u: memory is not as it must be from offset %zu\n", side, script_differ(image, e->user));
    free(image);
    for (unsigned i = 0; i < e->n; i++) {
        bool recv = e->wc[i].wr_id & RECV;
        const struct script_msg *m = &s->msg[e->wc[i].wr_id & (RECV - 1)];
        unsigned want = m->behind ? MR_ERR_FLUSH : script_status(m);
        if (m->side == (recv ? !side : side) && recv == !!(e->wc[i].flags & MR_WC_RECV) &&
            (!recv || (e->wc[i].byte_len == m->len && e->wc[i].opcode == m->op)) && e->wc[i].stream == e->stream[m->stream] && e->wc[i].status == want)
            continue;
        printf("  host %u: entry %" PRIu64 ": %s\n", side, e->wc[i].wr_id, mr_status_text(e->wc[i].status));
        wrong++;
    }
    return wrong;
}

static void fill(struct script *s)
{
    script_add(s, 0, 0, 500'000, SCRIPT_GOOD, true);
    for (unsigned i = 0; i < 40; i++)
        script_add(s, i & 1, i % 3, script_below(s, 1u << (1 + script_below(s, 15))), SCRIPT_GOOD, i % 4 != 0);
    for (unsigned k = 0; k < 5; k++)
        for (unsigned i = 0; i < 3; i++)
            script_add(s, k & 1, 3 + k, 5000 - i * 700, i == 1 ? (enum script_fault)(SCRIPT_REMOTE_KEY + k) : SCRIPT_GOOD, i != 2);
    for (unsigned i = 0; i < 30; i++) {
        static const uint8_t op[] = {MR_OP_SEND, MR_OP_READ, MR_OP_FETCH_ADD, MR_OP_WRITE_IMM, MR_OP_CMP_SWAP};
        uint32_t len = op[i % 5] == MR_OP_FETCH_ADD || op[i % 5] == MR_OP_CMP_SWAP ? 8 : script_below(s, 20000);
        script_add_op(s, i & 1, i % 3, op[i % 5], len, SCRIPT_GOOD, i > 20);
    }
    for (unsigned k = 0; k < 3; k++)
        script_add(s, k & 1, k, 0, SCRIPT_GOOD, true);
    script_end(s);
}

int main(int argc, char **argv)
{
    static struct script s;
    static struct end end[2];
    unsigned wrong = 0;

    if (argc != 4) {
        fputs("lib URI_A URI_B FILE\n", stderr);
        return 2;
    }
    script_begin(&s, "lib", 21, SCRIPT_STREAMS);
    fill(&s);
    for (unsigned side = 0; side < 2; side++)
        open_end(&end[side], &s, side, argv[1 + side]);
    for (unsigned side = 0; side < 2; side++)
        connect_end(&end[side], &s, &end[!side].addr);
    for (unsigned late = 0; late < 2; late++) {
        for (unsigned i = 0; i < s.n; i++)
            if (script_takes(&s.msg[i]) && s.msg[i].late == late)
                post_receive(&end[!s.msg[i].side], &s.msg[i], i);
        for (unsigned i = 0; i < s.n && !late; i++)
            post(end, &s, &s.msg[i], i);
    }
    if (!wait_all(end))
        printf("  %u of %u and %u of %u completions within %u s\n", end[0].n, end[0].want, end[1].n, end[1].want, SECONDS), wrong++;
    for (unsigned side = 0; side < 2; side++)
        wrong += check_end(&s, &end[side], side);
    FILE *f = fopen(argv[3], "w");
    if (!f)
        wrong++;
    for (unsigned side = 0; f && side < 2; side++)
        put_end(f, &s, &end[side], side);
    if (f && fclose(f))
        wrong++;
    for (unsigned side = 0; side < 2; side++)
        must(mr_device_close(end[side].dev), "close");
    printf("%-4s equiv: library on %s and %s: %u messages\n", wrong ? "FAIL" : "ok", argv[1], argv[2], s.n);
    for (unsigned side = 0; side < 2; side++)
        free(end[side].user);
    return wrong != 0;
}
