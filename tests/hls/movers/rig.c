// SPDX-License-Identifier: BSD-2-Clause
#include "rig.h"

void rx_beat_step(struct rx_beat *k);
void icrc_acc_step(struct icrc_acc *k);
void icrc_fix_step(struct icrc_fix *k);
void rx_parse_step(struct rx_parse *k);
void rx_place_step(struct rx_place *k);
void tx_hdr_step(struct tx_hdr *k);
void tx_join_step(struct tx_join *k);
void tx_mov_step(struct tx_mov *k);
void tx_tail_step(struct tx_tail *k);

static void rx_front(struct rig_rx *r)
{
    IN_BEFORE(r->beat.mac, r->mac);
    OUT_BEFORE(r->beat.crc, r->crc);
    OUT_BEFORE(r->beat.frame, r->frame);
    OUT_BEFORE(r->beat.pay, r->pay);
    rx_beat_step(&r->beat);
    IN_AFTER(r->beat.mac, r->mac);
    OUT_AFTER(r->beat.crc, r->crc);
    OUT_AFTER(r->beat.frame, r->frame);
    OUT_AFTER(r->beat.pay, r->pay);
}

static void rx_crc(struct rig_rx *r)
{
    IN_BEFORE(r->acc.beat, r->crc);
    OUT_BEFORE(r->acc.sum, r->sum);
    icrc_acc_step(&r->acc);
    IN_AFTER(r->acc.beat, r->crc);
    OUT_AFTER(r->acc.sum, r->sum);
    IN_BEFORE(r->fix.in, r->sum);
    OUT_BEFORE(r->fix.out, r->fixed);
    icrc_fix_step(&r->fix);
    IN_AFTER(r->fix.in, r->sum);
    OUT_AFTER(r->fix.out, r->fixed);
}

static void rx_judge(struct rig_rx *r)
{
    IN_BEFORE(r->parse.frame, r->frame);
    IN_BEFORE(r->parse.crc, r->fixed);
    OUT_BEFORE(r->parse.pkt, r->pkt);
    rx_parse_step(&r->parse);
    IN_AFTER(r->parse.frame, r->frame);
    IN_AFTER(r->parse.crc, r->fixed);
    OUT_AFTER(r->parse.pkt, r->pkt);
}

/** Instead of the engines: a data packet's payload goes to its address. */
static void rx_engine(struct rig_rx *r)
{
    if (EMPTY(r->pkt) || FULL(r->put) || !bench_go())
        return;
    struct rx_pkt p = HEAD(r->pkt);
    POP(r->pkt);
    r->pkts++;
    r->drops += p.drop;
    bool data = !p.drop && p.base.kind == MR_KIND_DATA;
    r->data += data;
    struct mr_data d = mr_data_unpack((u(8 * MR_DATA_BYTES))p.ext);
    PUSH(r->put, (struct rx_put){.bus = d.addr, .len = data ? d.pay_len : (u(16))0,
                                 .payload_at = p.payload_at, .has_pay = p.has_pay});
    r->asked += data && d.pay_len != 0;
}

static void rx_write(struct rig_rx *r)
{
    IN_BEFORE(r->place.put, r->put);
    IN_BEFORE(r->place.pay, r->pay);
    IN_BEFORE(r->place.done, r->done);
    OUT_BEFORE(r->place.placed, r->placed);
    OUT_BEFORE(r->place.req, r->req);
    OUT_BEFORE(r->place.beat, r->wr);
    rx_place_step(&r->place);
    IN_AFTER(r->place.put, r->put);
    IN_AFTER(r->place.pay, r->pay);
    IN_AFTER(r->place.done, r->done);
    OUT_AFTER(r->place.placed, r->placed);
    if (!EMPTY(r->placed)) {
        POP(r->placed);
        r->ended++;
    }
    OUT_AFTER(r->place.req, r->req);
    OUT_AFTER(r->place.beat, r->wr);
}

static void rx_memory(struct rig_rx *r)
{
    if (!r->writing && !EMPTY(r->req)) {
        r->now = HEAD(r->req);
        POP(r->req);
        r->writing = true;
        r->wr_at = 0;
    }
    if (!r->writing || EMPTY(r->wr) || FULL(r->done))
        return;
    struct wr_beat b = HEAD(r->wr);
    POP(r->wr);
    uint8_t data[64];
    memcpy(data, &b.data, 64);
    for (unsigned i = 0; i < 64; i++)
        if (b.keep >> i & 1)
            r->mem[((r->now.addr & ~63ull) + 64 * r->wr_at + i) % RIG_MEM] = data[i];
    r->wr_at++;
    if (b.last) {
        r->writing = false;
        PUSH(r->done, (struct wr_done){});
    }
}

void rig_rx_step(struct rig_rx *r)
{
    static void (*const part[])(struct rig_rx *) = {rx_front, rx_crc, rx_judge, rx_engine, rx_write, rx_memory};
    enum { PARTS = sizeof part / sizeof *part };
    unsigned first = below(PARTS);
    for (unsigned i = 0; i < PARTS; i++)
        part[(first + i) % PARTS](r);
}

bool rig_rx_idle(const struct rig_rx *r)
{
    return EMPTY(r->mac) && EMPTY(r->crc) && EMPTY(r->frame) && EMPTY(r->pay) && EMPTY(r->sum) &&
           EMPTY(r->fixed) && EMPTY(r->pkt) && EMPTY(r->put) && EMPTY(r->req) && EMPTY(r->wr) &&
           EMPTY(r->done) && !r->beat.held && !r->parse.full && r->ended == r->asked &&
           !r->place.p_valid && !r->place.next_valid && r->pkts == r->beat.cnt_rx_frames;
}

static void tx_front(struct rig_tx *t)
{
    IN_BEFORE(t->hdr.data, t->data);
    IN_BEFORE(t->hdr.ack, t->ack);
    IN_BEFORE(t->hdr.err, t->err);
    IN_BEFORE(t->hdr.cfg, t->cfg);
    OUT_BEFORE(t->hdr.frame, t->frame);
    OUT_BEFORE(t->hdr.rd, t->req);
    t->hdr.rd_taken = t->join.rd_taken;
    IN_BEFORE(t->hdr.piece, t->piece);
    OUT_BEFORE(t->hdr.join, t->joins);
    tx_hdr_step(&t->hdr);
    IN_AFTER(t->hdr.data, t->data);
    IN_AFTER(t->hdr.ack, t->ack);
    IN_AFTER(t->hdr.err, t->err);
    IN_AFTER(t->hdr.cfg, t->cfg);
    OUT_AFTER(t->hdr.frame, t->frame);
    OUT_AFTER(t->hdr.rd, t->req);
    IN_AFTER(t->hdr.piece, t->piece);
    OUT_AFTER(t->hdr.join, t->joins);
}

static void tx_memory(struct rig_tx *t)
{
    if (EMPTY(t->req) || FULL(t->rd) || !bench_go())
        return;
    struct rd_req q = HEAD(t->req);
    uint64_t base = (q.addr & ~63ull) + 64 * t->rd_at++;
    uint8_t data[64];
    for (unsigned i = 0; i < 64; i++)
        data[i] = t->mem[(base + i) % RIG_MEM];
    bool last = base + 64 >= q.addr + q.len;
    PUSH(t->rd, (struct rd_beat){.data = beat_of(data, 64), .last = last,
                                 .err = last && q.addr >> RIG_ERR_BIT});
    if (last) {
        POP(t->req);
        t->rd_at = 0;
    }
}

static void tx_together(struct rig_tx *t)
{
    IN_BEFORE(t->join.join, t->joins);
    IN_BEFORE(t->join.rd, t->rd);
    OUT_BEFORE(t->join.out, t->joined);
    tx_join_step(&t->join);
    IN_AFTER(t->join.join, t->joins);
    IN_AFTER(t->join.rd, t->rd);
    OUT_AFTER(t->join.out, t->joined);
}

static void tx_merge(struct rig_tx *t)
{
    IN_BEFORE(t->mov.frame, t->frame);
    IN_BEFORE(t->mov.rd, t->joined);
    OUT_BEFORE(t->mov.beat, t->beat);
    OUT_BEFORE(t->mov.crc, t->crc);
    OUT_BEFORE(t->mov.fail, t->fail);
    tx_mov_step(&t->mov);
    IN_AFTER(t->mov.frame, t->frame);
    IN_AFTER(t->mov.rd, t->joined);
    OUT_AFTER(t->mov.beat, t->beat);
    OUT_AFTER(t->mov.crc, t->crc);
    OUT_AFTER(t->mov.fail, t->fail);
    if (!EMPTY(t->fail)) {
        POP(t->fail);
        t->fails++;
    }
}

static void tx_crc(struct rig_tx *t)
{
    IN_BEFORE(t->acc.beat, t->crc);
    OUT_BEFORE(t->acc.sum, t->sum);
    icrc_acc_step(&t->acc);
    IN_AFTER(t->acc.beat, t->crc);
    OUT_AFTER(t->acc.sum, t->sum);
    IN_BEFORE(t->fix.in, t->sum);
    OUT_BEFORE(t->fix.out, t->fixed);
    icrc_fix_step(&t->fix);
    IN_AFTER(t->fix.in, t->sum);
    OUT_AFTER(t->fix.out, t->fixed);
}

static void tx_end(struct rig_tx *t)
{
    IN_BEFORE(t->tail.beat, t->beat);
    IN_BEFORE(t->tail.crc, t->fixed);
    OUT_BEFORE(t->tail.mac, t->mac);
    tx_tail_step(&t->tail);
    IN_AFTER(t->tail.beat, t->beat);
    IN_AFTER(t->tail.crc, t->fixed);
    OUT_AFTER(t->tail.mac, t->mac);
}

void rig_tx_step(struct rig_tx *t)
{
    static void (*const part[])(struct rig_tx *) = {tx_front, tx_memory, tx_together, tx_merge, tx_crc, tx_end};
    enum { PARTS = sizeof part / sizeof *part };
    unsigned first = below(PARTS);
    for (unsigned i = 0; i < PARTS; i++)
        part[(first + i) % PARTS](t);
}

bool rig_tx_idle(const struct rig_tx *t)
{
    return EMPTY(t->data) && EMPTY(t->ack) && EMPTY(t->err) && EMPTY(t->cfg) &&
           EMPTY(t->frame) && EMPTY(t->req) && EMPTY(t->rd) && EMPTY(t->joins) && EMPTY(t->joined) && EMPTY(t->beat) && EMPTY(t->crc) &&
           EMPTY(t->sum) && EMPTY(t->fixed) && EMPTY(t->mac) && !t->hdr.item_ok &&
           !t->hdr.read_ok && !t->hdr.summed_ok && !t->hdr.done_ok && !t->mov.busy && !t->tail.spill;
}
