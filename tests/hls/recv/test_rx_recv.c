// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_rx_recv.c - against ref_recv: random packets, receives, requests, ends and
 * configuration; that nothing waits for packets; steps per packet.
 */
#include "ref_recv.h"
#include "rx_recv/rx_recv.h"
#include "suites.h"

void rx_recv_step(struct rx_recv *k);

enum { STREAMS = 6, QUEUES = 5, KEYS = 12, FATES = 8 };

static const unsigned stream_at[STREAMS] = {0, 5, 9, 20, 33, MR_STREAMS - 1};
static const unsigned queue_at[QUEUES] = {0, 7, 12, 40, MR_RQS - 1};

static struct {
    struct rx_recv k;
    LINK(struct cfg_write, cfg, 2);
    LINK(struct rx_seq, pkt, 4);
    LINK(struct request, request, 2);
    LINK(struct recv_entry, entry, 4);
    LINK(struct ended, ended, 4);
    LINK(struct rx_seq, out, 4);
    LINK(struct piece, piece, 4);
    LINK(struct rq_id, freed, 4);
    LINK(struct completion, cpl, 4);
    LINK(struct ref_fate, fate, FATES);
    LINK(struct piece, pieces, FATES * MR_SGE_MAX);
    struct ref ref;
    unsigned err[256], lists, values, placed;
    unsigned flushed;
    bool stuck;  // `out` has no room
    bool early;  // something may still come of a closed stream
} t;

static void check_out(struct rx_seq o)
{
    MUST(!EMPTY(t.fate));
    struct ref_fate f = HEAD(t.fate);
    struct rx_seq w = f.seq;
    POP(t.fate);
    MUST(o.psn == w.psn && o.row == w.row && o.stream == w.stream && o.opcode == w.opcode && o.ext == w.ext &&
         o.kind == w.kind && o.drop == w.drop && o.msg == w.msg && o.flags == w.flags && o.has_pay == w.has_pay);
    MUST(o.err == w.err && o.pieces == w.pieces && o.value == w.value);
    if (w.err != 0)
        return;
    MUST(o.recv == w.recv && o.len == w.len);
    MUST(w.len == 0 || w.pieces != 0 || o.bus == w.bus);
    t.lists += w.pieces != 0;
    t.values += w.value;
    t.placed += w.len != 0 && w.pieces == 0;
}

/** Takes count in the order of events: what carries one on, then a packet. */
static void tell(void)
{
    if (t.k.cfg.ready)
        ref_config(&t.ref, t.k.cfg.data);
    if (t.k.ended.ready)
        ref_ended(&t.ref, t.k.ended.data);
    if (t.k.request.ready)
        ref_request(&t.ref, t.k.request.data);
    if (t.k.entry.ready)
        ref_entry(&t.ref, t.k.entry.data);
    if (t.k.freed.valid) {
        struct ref_queue *q = &t.ref.queue[(unsigned)t.k.freed.data.rq];
        MUST(t.k.freed.data.rq < MR_RQS && q->open && q->freed < q->gone);
        q->freed++;
    }
    if (t.k.cpl.valid) {
        struct mr_cqe e = t.k.cpl.data.cqe;
        MUST(t.k.release && e.status == MR_ERR_FLUSH && e.flags == MR_CQEF_RECV && e.opcode == MR_OP_SEND);
        t.flushed++;
    }
    if (t.k.pkt.ready) {
        MUST(!FULL(t.fate));
        struct ref_fate f = ref_packet(&t.ref, t.k.pkt.data);
        PUSH(t.fate, f);
        t.err[(unsigned)f.seq.err] += t.k.pkt.data.err == 0;
        for (unsigned i = 0; i < f.n; i++)
            PUSH(t.pieces, f.piece[i]);
    }
    if (t.k.out.valid)
        check_out(t.k.out.data);
    if (t.k.piece.valid) {
        MUST(!EMPTY(t.pieces));
        struct piece w = HEAD(t.pieces), o = t.k.piece.data;
        POP(t.pieces);
        MUST(o.bus == w.bus && o.len == w.len && o.last == w.last);
    }
}

static void step(void)
{
    IN_BEFORE_KEPT(t.k.cfg, t.cfg);
    IN_BEFORE(t.k.pkt, t.pkt);
    IN_BEFORE_KEPT(t.k.request, t.request);
    IN_BEFORE_KEPT(t.k.entry, t.entry);
    IN_BEFORE_KEPT(t.k.ended, t.ended);
    OUT_BEFORE(t.k.out, t.out);
    t.k.out.ready &= !t.stuck;
    OUT_BEFORE(t.k.piece, t.piece);
    OUT_BEFORE(t.k.freed, t.freed);
    OUT_BEFORE(t.k.cpl, t.cpl);
    t.k.release = !t.early;
    rx_recv_step(&t.k);
    IN_AFTER(t.k.cfg, t.cfg);
    IN_AFTER(t.k.pkt, t.pkt);
    IN_AFTER(t.k.request, t.request);
    IN_AFTER(t.k.entry, t.entry);
    IN_AFTER(t.k.ended, t.ended);
    MUST((t.k.out.ready || !t.k.out.valid) && (t.k.piece.ready || !t.k.piece.valid) && (t.k.freed.ready || !t.k.freed.valid));
    tell();
}

static void config(unsigned table, unsigned index, u(512) bits)
{
    while (FULL(t.cfg))
        step();
    PUSH(t.cfg, (struct cfg_write){.table = (u(8))table, .index = (u(16))index, .bits = bits});
}

static void config_stream(unsigned index, bool open, unsigned rq, unsigned pd)
{
    config(MR_TBL_STREAM, index, (u(512))mr_stream_pack((struct mr_stream){.state = open, .rq = (u(16))rq, .pd = (u(16))pd}));
}

static void config_queue(unsigned index, bool open, bool shared, unsigned pd)
{
    config(MR_TBL_RQ, index, (u(512))mr_rq_pack((struct mr_rq){.state = open, .shared = shared, .pd = (u(16))pd}));
}

static void config_key(unsigned i, unsigned pd, unsigned rights)
{
    config(MR_TBL_KEY, i, (u(512))mr_key_pack((struct mr_key){.rights = (u(8))rights, .tag = (u(8))(i * 7), .pd = (u(16))pd,
        .va = rnd64() >> 8, .len = 0x10000, .bus = rnd64()}));
}

static void settle(void)
{
    for (unsigned i = 0; i < 400; i++)
        step();
}

static void begin(void)
{
    bench_pause = 0;
    memset(&t, 0, sizeof t);
    for (unsigned i = 0; i < MR_STREAMS; i++)
        config_stream(i, false, 0, 0);
    for (unsigned i = 0; i < MR_RQS; i++)
        config_queue(i, false, false, 0);
    for (unsigned i = 0; i < KEYS; i++)
        config_key(i, 1, MR_RIGHT_LOCAL_WRITE);
    settle();
}

static struct mr_sge sge_of(unsigned key, unsigned len)
{
    return (struct mr_sge){.addr = t.ref.key[key].va + below(0x10000 - len), .key = key << 8 | (key * 7 & 0xff), .len = len};
}

/** Up to n entries, mostly right. */
static u(2048) random_list(unsigned n, unsigned each)
{
    u(2048) sges = 0;
    for (unsigned i = 0; i < n; i++) {
        struct mr_sge s = sge_of(below(KEYS), below(10) == 0 ? 0 : 1 + below(each));
        if (below(300) == 0)
            s.addr += 0x10000;
        if (below(300) == 0)
            s.key += below(2) ? 1 : MR_KEYS << 8;
        if (below(300) == 0)
            s.len = 0xffffffff;
        sges |= (u(2048))mr_sge_pack(s) << (128 * i);
    }
    return sges;
}

static struct rx_seq packet(unsigned op, unsigned stream, struct mr_data d)
{
    d.stream = (u(24))stream;
    return (struct rx_seq){.kind = MR_KIND_DATA, .row = (u(16))rnd(), .psn = (u(24))rnd(), .opcode = (u(8))op, .stream = (u(24))stream,
        .bus = rnd64(), .len = d.pay_len, .msg = d.msg, .offset = d.offset, .flags = (u(8))rnd(), .has_pay = d.pay_len != 0,
        .pieces = (u(5))rnd(), .value = below(2), .recv = (u(16))rnd(), .ext = mr_data_pack(d)};
}

static struct rx_seq random_packet(void)
{
    static const unsigned ops[] = {MR_OP_SEND, MR_OP_SEND, MR_OP_SEND_IMM, MR_OP_SEND_INV, MR_OP_WRITE_IMM, MR_OP_READ_RSP,
                                   MR_OP_READ_RSP, MR_OP_READ_RSP, MR_OP_ATOMIC_RSP, MR_OP_NULL, MR_OP_WRITE, MR_OP_READ};
    unsigned op = ops[below(12)], stream = below(60) == 0 ? 1 : stream_at[below(STREAMS)];
    const struct ref_stream *s = &t.ref.stream[stream];
    struct mr_data d = {.msg = rnd(), .msg_len = below(10) == 0 ? 0 : below(4) ? below(600) : below(9000)};
    d.match = s->ended + (below(3) ? below(3) : below(8) ? below(70) : 0u - 1 - below(3));
    if (op == MR_OP_READ_RSP || op == MR_OP_ATOMIC_RSP)
        for (unsigned i = 0, j = below(MR_MSGS); i < MR_MSGS; i++) {
            const struct ref_request *q = &s->request[(i + j) % MR_MSGS];
            if (!q->valid || (q->atomic != (op == MR_OP_ATOMIC_RSP) && below(50)))
                continue;
            d.msg = q->msg + (below(20) == 0 ? MR_MSGS : 0);
            d.msg_len = q->length;
            break;
        }
    d.offset = below((uint32_t)d.msg_len + 1);
    d.pay_len = (u(16))below(1 + (uint32_t)(d.msg_len - d.offset < 4096 ? d.msg_len - d.offset : 4096));
    if (op == MR_OP_READ_RSP)
        d.addr = d.offset + (below(20) == 0);
    if (op == MR_OP_READ_RSP && below(20) == 0)
        d.msg_len++;
    if ((op == MR_OP_READ_RSP || op == MR_OP_ATOMIC_RSP) && below(10) == 0)
        d.imm = MR_ERR_REMOTE_KEY;
    if (op == MR_OP_ATOMIC_RSP || op == MR_OP_READ)
        d.pay_len = 0;
    struct rx_seq q = packet(op, stream, d);
    q.err = below(20) == 0 ? MR_ERR_REMOTE_RIGHT : 0;
    q.drop = below(20) == 0;
    q.kind = below(20) == 0 ? MR_KIND_PATH : MR_KIND_DATA;
    return q;
}

/** A receive for a queue, if it has room for one more. */
static void random_entry(void)
{
    unsigned rq = queue_at[below(QUEUES)], waiting = 0;
    const struct ref_queue *q = &t.ref.queue[rq];
    for (unsigned i = 0; i < t.entry.count; i++)
        waiting += t.entry.q[(t.entry.head + i) % DEPTH(t.entry)].rq == rq;
    if (FULL(t.entry) || q->have - q->freed + waiting >= MR_RECVS)
        return;
    unsigned n = below(3) ? below(3) : below(MR_SGE_MAX + 1);
    PUSH(t.entry, (struct recv_entry){.rq = (u(16))(below(100) ? rq : MR_RQS + rq), .sges = random_list(n, 1 + below(3) * 600)});
}

static void random_request(void)
{
    unsigned stream = stream_at[below(STREAMS)];
    bool atomic = below(3) == 0;
    u(2048) sges = random_list(atomic ? 1 + below(2) : 1 + below(8), atomic ? 40 : 500);
    uint64_t sum = 0;
    for (unsigned i = 0; i < MR_SGE_MAX; i++)
        sum += (uint64_t)mr_sge_unpack((u(128))(sges >> (128 * i))).len;
    if (EMPTY(t.request))
        PUSH(t.request, (struct request){.stream = (u(16))stream, .msg = below(3) * MR_MSGS + below(MR_MSGS),
            .opcode = atomic ? MR_OP_FETCH_ADD : MR_OP_READ, .sges = sges,
            .length = atomic ? 8 : (u(32))(sum > 100000 ? 5000 : sum + (below(50) == 0))});
}

/** Mostly what rx_msg would say; sometimes what is too late. */
static void random_ended(void)
{
    unsigned stream = stream_at[below(STREAMS)];
    const struct ref_stream *s = &t.ref.stream[stream];
    struct ended e = {.stream = (u(16))stream, .match = s->ended, .msg = below(3) * MR_MSGS + below(MR_MSGS)};
    const struct ref_bound *b = &s->bound[s->ended % MR_RECVS];
    bool shared = s->rq < MR_RQS && t.ref.queue[s->rq].shared;
    if (!EMPTY(t.ended))
        return;
    e.request = below(4) == 0;
    e.index = shared ? (u(16))b->index : (u(16))s->ended;
    e.recv = shared ? b->valid : s->rq < MR_RQS && s->ended < t.ref.queue[s->rq].have;
    if (below(30) == 0)
        e.match += below(3) - 1;
    if (below(60) == 0)
        e.index++;
    PUSH(t.ended, e);
}

static void random_config(void)
{
    unsigned what = below(8), pd = below(12) ? 1 : 2, i = below(QUEUES);
    if (!EMPTY(t.cfg))
        return;
    if (what < 3)
        config_stream(stream_at[below(STREAMS)], below(5) != 0, below(8) ? queue_at[i] : below(2) ? MR_RQ_NONE : MR_RQS, pd);
    else if (what < 5)
        config_queue(queue_at[i], below(5) != 0, below(20) ? i % 2 : below(2), pd);
    else
        config_key(below(KEYS), below(20) ? 1 : 2, below(20) ? MR_RIGHT_LOCAL_WRITE | below(2) : MR_RIGHT_LOCAL_READ | MR_RIGHT_REMOTE_WRITE);
}

static void recv__random(void)
{
    static unsigned err[256];
    unsigned lists = 0, values = 0, placed = 0, released = 0, freed = 0;
    memset(err, 0, sizeof err);
    for (unsigned round = 0; round < 40; round++) {
        begin();
        bench_pause = below(200);
        for (unsigned i = 0; i < STREAMS; i++)
            config_stream(stream_at[i], true, queue_at[i % QUEUES], 1);
        for (unsigned i = 0; i < QUEUES; i++)
            config_queue(queue_at[i], true, i % 2, 1);
        unsigned busy = round % 4 == 0 ? 30 : round % 4 == 1 ? 100000 : 1000, ends = 4 + below(20), posts = 4 + below(20);
        for (unsigned i = 0; i < 8000; i++) {
            if (!FULL(t.pkt) && below(3) == 0)
                PUSH(t.pkt, random_packet());
            if (below(posts) == 0)
                random_entry();
            if (below(ends) == 0)
                random_ended();
            if (below(10) == 0)
                random_request();
            if (below(busy) == 0)
                random_config();
            step();
        }
        bench_pause = 0;
        settle();
        MUST(EMPTY(t.pkt) && EMPTY(t.fate) && EMPTY(t.pieces) && EMPTY(t.entry) && EMPTY(t.ended) && EMPTY(t.cfg));
        for (unsigned i = 0; i < QUEUES; i++) {
            MUST(t.ref.queue[queue_at[i]].freed == t.ref.queue[queue_at[i]].gone);
            freed += t.ref.queue[queue_at[i]].freed;
        }
        for (unsigned i = 0; i < 256; i++)
            err[i] += t.err[i];
        lists += t.lists;
        values += t.values;
        placed += t.placed;
        released += t.ref.released;
    }
    printf("ok %u lists %u values %u placed %u RNR %u BOUNDS %u OP %u STREAM %u released %u freed %u ", err[0], lists, values, placed,
           err[MR_ERR_RNR], err[MR_ERR_REMOTE_BOUNDS], err[MR_ERR_REMOTE_OP], err[MR_ERR_REMOTE_STREAM], released, freed);
    MUST(lists > 1000 && values > 200 && placed > 3000 && err[MR_ERR_RNR] > 1000 && err[MR_ERR_REMOTE_BOUNDS] > 1000 &&
         err[MR_ERR_REMOTE_OP] > 1000 && err[MR_ERR_REMOTE_STREAM] > 100 && released > 100 && freed > 1000);
}

/** A stream with receives of one entry, n of them, 64 bytes each. */
static void open_one(bool shared, unsigned n)
{
    begin();
    config_queue(7, true, shared, 1);
    config_stream(5, true, 7, 1);
    settle();
    for (unsigned i = 0; i < n; i++) {
        while (FULL(t.entry))
            step();
        PUSH(t.entry, (struct recv_entry){.rq = 7, .sges = (u(2048))mr_sge_pack(sge_of(0, 64))});
    }
    settle();
}

static struct rx_seq send(unsigned match)
{
    return packet(MR_OP_SEND, 5, (struct mr_data){.match = match, .msg_len = 64, .pay_len = 64});
}

/** With no room for packets everything else is taken. */
static void recv__waits_for_no_packet(void)
{
    for (unsigned shared = 0; shared < 2; shared++) {
        open_one(shared, 8);
        t.stuck = true;
        for (unsigned i = 0; i < 4; i++)
            PUSH(t.pkt, send(i));
        settle();
        MUST(t.pkt.count == 3 && t.fate.count == 1);
        PUSH(t.ended, (struct ended){.stream = 5, .recv = true, .match = 0, .index = 0});
        PUSH(t.request, (struct request){.stream = 5, .msg = 3, .opcode = MR_OP_READ, .length = 1});
        PUSH(t.entry, (struct recv_entry){.rq = 7});
        config_key(1, 1, 0);
        settle();
        MUST(EMPTY(t.ended) && EMPTY(t.request) && EMPTY(t.entry) && EMPTY(t.cfg) && t.ref.queue[7].freed == 1);
        t.stuck = false;
        settle();
        MUST(EMPTY(t.fate) && t.err[0] == 4);
    }
}

/** A full FIFO of freed receives holds up nobody, and nothing is lost. */
static void recv__freed_later(void)
{
    open_one(true, 60);
    for (unsigned i = 0; i < 60; i++) {
        PUSH(t.pkt, send(i));
        while (!EMPTY(t.pkt) || !EMPTY(t.fate))
            step();
    }
    t.freed.count = DEPTH(t.freed);
    for (unsigned i = 0; i < 40; i++) {
        PUSH(t.ended, (struct ended){.stream = 5, .recv = true, .match = i, .index = (u(16))i});
        settle();
        MUST(EMPTY(t.ended));
    }
    config_stream(5, false, 0, 0);
    settle();
    MUST(t.ref.released == 20 && t.ref.queue[7].gone == 60 && t.ref.queue[7].freed == 0);
    t.freed.count = 0;
    settle();
    MUST(t.ref.queue[7].freed == 60);
}

/** A queue that is opened again while it has receives to report stands in the ring once. */
static void recv__reopened_in_ring(void)
{
    begin();
    t.freed.count = DEPTH(t.freed);
    for (unsigned i = 0; i < 10; i++) {
        config_queue(7, true, false, 1);
        config_stream(5, true, 7, 1);
        settle();
        PUSH(t.entry, (struct recv_entry){.rq = 7, .sges = (u(2048))mr_sge_pack(sge_of(0, 64))});
        settle();
        PUSH(t.ended, (struct ended){.stream = 5, .recv = true});
        settle();
        MUST(t.ref.queue[7].gone == 1 && t.k.owed + t.k.owe_ok == 1);
    }
    t.freed.count = 0;
    settle();
    MUST(t.ref.queue[7].freed == 1 && t.k.owed + t.k.owe_ok == 0);
}

/** Steps for n packets that are there at once. */
static unsigned steps(unsigned n, struct rx_seq (*make)(unsigned))
{
    unsigned given = 0, steps = 0;
    while (given < n || !EMPTY(t.pkt) || !EMPTY(t.fate)) {
        for (; given < n && !FULL(t.pkt); given++)
            PUSH(t.pkt, make(given));
        step();
        steps++;
        MUST(steps < 100 * n);
    }
    return steps;
}

static struct rx_seq same(unsigned i)
{
    (void)i;
    return send(0);
}

static struct rx_seq nothing(unsigned i)
{
    return packet(i % 2 ? MR_OP_WRITE : MR_OP_NULL, 5, (struct mr_data){});
}

static struct rx_seq answer(unsigned i)
{
    (void)i;
    return packet(MR_OP_READ_RSP, 5, (struct mr_data){.msg = 3, .msg_len = 64, .pay_len = 64});
}

static struct rx_seq list(unsigned i)
{
    (void)i;
    return packet(MR_OP_READ_RSP, 5, (struct mr_data){.msg = 4, .msg_len = 64, .pay_len = 64});
}

static void recv__steps(void)
{
    u(2048) sges = 0;
    open_one(false, 50);
    for (unsigned i = 0; i < 8; i++)
        sges |= (u(2048))mr_sge_pack(sge_of(0, 8)) << (128 * i);
    PUSH(t.request, (struct request){.stream = 5, .msg = 3, .opcode = MR_OP_READ, .length = 64, .sges = (u(2048))mr_sge_pack(sge_of(0, 64))});
    PUSH(t.request, (struct request){.stream = 5, .msg = 4, .opcode = MR_OP_READ, .length = 64, .sges = sges});
    settle();
    unsigned pass = steps(100, nothing), one = steps(100, same), rsp, many, sh, sh_first;
    rsp = steps(100, answer);
    many = steps(100, list);
    open_one(true, 50);
    sh_first = steps(50, send);
    sh = steps(100, same);
    printf("per 100: no lookup %u, Send %u, response %u, of 8 pieces %u, shared %u, first of shared %u ", pass, one, rsp, many, sh, 2 * sh_first);
    MUST(pass <= 102 && one <= 302 && rsp <= 202 && many <= 1900 && sh <= 302 && sh_first <= 202);
    MUST(t.err[0] == 150);
}

CU_TestInfo tests_rx_recv[] = {
    {"recv__random", recv__random},
    {"recv__waits_for_no_packet", recv__waits_for_no_packet},
    {"recv__freed_later", recv__freed_later},
    {"recv__reopened_in_ring", recv__reopened_in_ring},
    {"recv__steps", recv__steps},
    CU_TEST_INFO_NULL,
};
