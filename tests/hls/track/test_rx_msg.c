// SPDX-License-Identifier: BSD-2-Clause
#include "msg_model.h"
#include "rx_msg/rx_msg.h"
#include "track.h"

void rx_msg_step(struct rx_msg *k);

enum { CPL, RSP, ATOM, ENDED, DONE, FAIL, HEAD, OUTS };

struct pending { uint16_t stream; uint64_t value; uint8_t code; unsigned gen; };

static struct {
    struct rx_msg k;
    struct model m;
    LINK(struct cfg_write, cfg, 2);
    LINK(struct got, got, 2);
    LINK(struct stream_count, cut, 2);
    LINK(struct atom_done, done, 2);
    LINK(struct pending, done_of, 2);  // of each item of done
    LINK(struct fail, rfail, 2);
    LINK(struct atom, exec, 256);      // atomics that are being executed
    LINK(struct pending, exec_of, 256);
    unsigned pause[OUTS];              // chance in 256 that an output has no room
    unsigned waits;                    // steps that an item has waited at some input
    unsigned waits_most;
    unsigned heads;
} t;

static bool room(unsigned port)
{
    return (rnd() & 255) >= t.pause[port];
}

static void judge_outputs(void)
{
    bool request = t.k.done.valid || t.k.fail.valid;

    MUST(!t.k.cpl.valid || t.k.cpl.ready);
    MUST(!t.k.rsp.valid || t.k.rsp.ready);
    MUST(!t.k.atom.valid || t.k.atom.ready);
    MUST(!t.k.ended.valid || t.k.ended.ready);
    MUST(!t.k.done.valid || t.k.done.ready);
    MUST(!t.k.fail.valid || t.k.fail.ready);
    MUST(!t.k.head.valid || t.k.head.ready);
    MUST(!(t.k.done.valid && t.k.fail.valid));
    MUST(t.k.ended.valid == (t.k.cpl.valid || request) && !(t.k.cpl.valid && request));
    if (t.k.cpl.valid)
        model_cpl(&t.m, t.k.cpl.data, t.k.ended.data);
    if (t.k.rsp.valid)
        model_rsp(&t.m, t.k.rsp.data);
    if (t.k.atom.valid) {
        struct atom a = t.k.atom.data;
        model_atom(&t.m, a);
        PUSH(t.exec, a);
        PUSH(t.exec_of, (struct pending){.stream = a.stream, .value = (uint64_t)rnd() << 32 | rnd(),
            .code = below(4) == 0 ? MR_ERR_BUS : 0, .gen = t.m.s[a.stream].gen});
    }
    if (t.k.head.valid)
        model_head(&t.m, t.k.head.data);
    t.heads += t.k.head.valid;
    if (t.k.done.valid)
        model_answered(&t.m, t.k.done.data.stream, t.k.done.data.msg, 0, t.k.ended.data);
    if (t.k.fail.valid) {
        MUST(t.k.fail.data.code != 0 && !t.k.fail.data.rsp);
        model_answered(&t.m, t.k.fail.data.stream, t.k.fail.data.msg, t.k.fail.data.code, t.k.ended.data);
    }
}

/** An outcome that was taken: it has to be answered unless its stream has begun anew. */
static void took_outcome(void)
{
    struct pending p = HEAD(t.done_of);
    struct model_stream *s = &t.m.s[p.stream];
    if (s->gen == p.gen && s->open) {
        MUST(!t.m.value[p.stream].due);
        s->atoms_out--;
        t.m.value[p.stream] = (struct model_value){.due = true, .msg = HEAD(t.done).msg, .value = p.value, .code = p.code};
    }
    POP(t.done_of);
}

static void step(void)
{
    IN_BEFORE(t.k.cfg, t.cfg);
    t.k.cfg.valid = !EMPTY(t.cfg); // a FIFO does not take back what it has shown
    t.k.cfg.data = HEAD(t.cfg);
    IN_BEFORE(t.k.got, t.got);
    IN_BEFORE(t.k.cut, t.cut);
    IN_BEFORE(t.k.atom_done, t.done);
    IN_BEFORE(t.k.rfail, t.rfail);
    t.k.cpl.valid = t.k.rsp.valid = t.k.atom.valid = t.k.ended.valid = false;
    t.k.done.valid = t.k.fail.valid = t.k.head.valid = false;
    t.k.cpl.ready = room(CPL);
    t.k.rsp.ready = room(RSP);
    t.k.atom.ready = room(ATOM);
    t.k.ended.ready = room(ENDED);
    t.k.done.ready = room(DONE);
    t.k.fail.ready = room(FAIL);
    t.k.head.ready = room(HEAD);
    rx_msg_step(&t.k);
    if (t.k.cfg.ready)
        model_opened(&t.m, t.k.cfg.data);
    judge_outputs();
    if (t.k.got.ready)
        model_got(&t.m, t.k.got.data);
    if (t.k.cut.ready)
        model_cut(&t.m, t.k.cut.data);
    if (t.k.atom_done.ready)
        took_outcome();
    if (t.k.rfail.ready)
        model_rfail(&t.m, t.k.rfail.data);
    t.waits = t.k.got.ready || t.k.cut.ready || !(t.k.got.valid && t.k.cut.valid) ? 0 : t.waits + 1;
    t.waits_most = t.waits > t.waits_most ? t.waits : t.waits_most;
    IN_AFTER(t.k.cfg, t.cfg);
    IN_AFTER(t.k.got, t.got);
    IN_AFTER(t.k.cut, t.cut);
    IN_AFTER(t.k.atom_done, t.done);
    IN_AFTER(t.k.rfail, t.rfail);
}

static void steps(unsigned n)
{
    while (n-- != 0)
        step();
}

static void config(uint16_t stream, bool open)
{
    struct mr_stream s = {.state = open, .conn = (u(16))rnd(), .rcq = (u(16))rnd(), .pd = (u(16))rnd()};
    PUSH(t.cfg, (struct cfg_write){.table = MR_TBL_STREAM, .index = stream, .bits = (u(512))mr_stream_pack(s)});
    t.pause[RSP] %= 256;
    for (unsigned i = 0; !EMPTY(t.cfg); i++) {
        MUST(i < 5000);
        step();
    }
}

/** Ends a stream's life, in the midst of whatever it does, and begins the next. */
static void reopen(uint16_t stream)
{
    // Of the former life only outcomes of atomics come late.
    t.pause[RSP] %= 256;
    for (unsigned i = 0; !EMPTY(t.got) || !EMPTY(t.cut) || !EMPTY(t.rfail); i++) {
        MUST(i < 5000);
        step();
    }
    config(stream, false);
    steps(below(30));
    config(stream, true);
}

static void begin(unsigned pause)
{
    memset(&t, 0, sizeof t);
    bench_pause = pause;
    for (unsigned i = 0; i < MR_STREAMS; i++)
        config((uint16_t)i, true);
}

static void push_got(uint16_t stream, const struct model_msg *e, unsigned i, bool noise)
{
    bool last = i + 1 == e->packets;
    bool solicited = e->solicited ? last : !last && below(2);  // counts on the last one only
    struct got g = {.conn = t.m.s[stream].conn, .stream = stream, .opcode = e->opcode,
        .flags = (u(8))((last ? MR_FLAG_LAST : 0) | (solicited ? MR_FLAG_SOLICITED : 0)),
        .len = (u(16))model_packet_len(e, i), .recv = e->recv};
    if (e->opcode == MR_OP_CMP_SWAP || e->opcode == MR_OP_FETCH_ADD)
        g.ext = mr_atomic_pack((struct mr_atomic){.stream = stream, .rsvd0 = noise, .msg = e->msg,
            .compare = e->compare, .swap_hi = (u(32))(e->swap >> 32), .addr = e->addr, .key = e->key,
            .swap_lo = (u(32))e->swap});
    else
        g.ext = mr_data_pack((struct mr_data){.stream = stream, .rsvd0 = noise, .msg = e->msg, .offset = i * e->mtu,
            .msg_len = e->length, .pay_len = g.len, .addr = e->addr, .key = e->key,
            .imm = e->imm, .match = e->match});
    PUSH(t.got, g);
}

static struct model_msg new_msg(uint32_t msg, bool answer)
{
    static const uint8_t ops[] = {MR_OP_WRITE, MR_OP_WRITE, MR_OP_SEND, MR_OP_SEND_IMM, MR_OP_SEND_INV, MR_OP_WRITE_IMM,
                                  MR_OP_READ, MR_OP_READ, MR_OP_CMP_SWAP, MR_OP_FETCH_ADD};
    uint8_t op = answer ? (below(3) ? MR_OP_READ_RSP : MR_OP_ATOMIC_RSP) : ops[below(sizeof ops)];
    struct model_msg e = {.opcode = op, .msg = msg, .mtu = 256u << below(5), .packets = 1, .recv = (uint16_t)rnd(),
        .match = rnd(), .imm = answer ? 0 : rnd(), .key = rnd(), .addr = (uint64_t)rnd() << 32 | rnd(),
        .compare = (uint64_t)rnd() << 32 | rnd(), .swap = (uint64_t)rnd() << 32 | rnd(), .solicited = below(2)};
    if (op == MR_OP_ATOMIC_RSP) {
        e.length = 0;
    } else if (op == MR_OP_READ) {
        e.length = rnd() >> below(32);
    } else if (op != MR_OP_CMP_SWAP && op != MR_OP_FETCH_ADD) {
        e.length = below(5) == 0 ? 0 : below(2) ? 1 + below(200) : 1 + below(e.mtu * 9);
        e.packets = e.length == 0 ? 1 : (e.length + e.mtu - 1) / e.mtu;
    }
    return e;
}

/** A packet that must change nothing: of a message that is complete, or far away. */
static void push_noise(uint16_t stream)
{
    struct model_stream *s = &t.m.s[stream];
    uint32_t msg = s->told - 4 + below(MR_TRACK);
    struct model_msg e = new_msg(0, false);
    if (msg < s->created && model_at(s, msg)->msg == msg && model_complete(model_at(s, msg)) && below(2))
        e = *model_at(s, msg);
    else
        e.msg = below(2) ? s->told - 1 - below(1000) : s->created + 500 + below(1000);
    if (below(8) == 0) { // no operation that comes from a peer
        static const uint8_t none[] = {MR_OP_NULL, MR_OP_BIND_WINDOW, MR_OP_LOCAL_INV, 13, 23, 255};
        e = new_msg(s->told + below(4), false);
        e.opcode = none[below(sizeof none)];
    }
    push_got(stream, &e, 0, true);
}

static void push_message(uint16_t stream)
{
    struct model_stream *s = &t.m.s[stream];
    uint32_t msg = s->told + (below(3) ? below(3) : below(MR_TRACK));
    while (s->created <= msg) {
        *model_at(s, s->created) = new_msg(s->created, false);
        s->created++;
    }
    struct model_msg *e = model_at(s, msg);
    unsigned i = below(e->packets);
    for (unsigned n = 0; n < e->packets && (e->sent >> i & 1); n++)
        i = (i + 1) % e->packets;
    if (e->sent >> i & 1)
        return;
    e->sent |= 1u << i;
    push_got(stream, e, i, false);
}

static void push_answer(uint16_t stream)
{
    struct model_stream *s = &t.m.s[stream];
    struct model_msg *e = &s->req[below(MR_MSGS)];
    if (e->over || e->packets == 0) {
        struct model_msg *f = &s->req[s->req_created % MR_MSGS];
        if (f->over || f->packets == 0) // a new request
            *f = new_msg(s->req_created++, true);
        return;
    }
    if (e->code != 0 || e->error_sent)
        return;
    if (e->sent == (1u << e->packets) - 1)
        return;
    if (below(10) == 0) { // the request failed there
        struct model_msg x = *e;
        x.length = 0;
        x.packets = 1;
        x.imm = 1 + below(14);
        e->error_sent = true;
        push_got(stream, &x, 0, false);
        return;
    }
    unsigned i = below(e->packets);
    for (unsigned n = 0; n < e->packets && (e->sent >> i & 1); n++)
        i = (i + 1) % e->packets;
    if (e->sent >> i & 1)
        return;
    e->sent |= 1u << i;
    push_got(stream, e, i, false);
}

static void push_cut(uint16_t stream)
{
    struct model_stream *s = &t.m.s[stream];
    if (FULL(t.cut) || s->places == 0)
        return;
    for (unsigned i = 0; i < t.cut.count; i++) // those on their way are not to be cut twice
        if (t.cut.q[(t.cut.head + i) % DEPTH(t.cut)].stream == stream)
            return;
    PUSH(t.cut, (struct stream_count){.stream = stream, .n = (u(4))(1 + below(s->places))});
}

/** The atomic that was given first is executed. */
static void push_outcome(void)
{
    if (FULL(t.done) || EMPTY(t.exec))
        return;
    struct pending p = HEAD(t.exec_of);
    PUSH(t.done, (struct atom_done){.stream = HEAD(t.exec).stream, .life = HEAD(t.exec).life, .msg = HEAD(t.exec).msg,
        .value = p.value, .code = p.code});
    PUSH(t.done_of, p);
    POP(t.exec);
    POP(t.exec_of);
}

static void drain(void)
{
    memset(t.pause, 0, sizeof t.pause);
    bench_pause = 0;
    for (unsigned i = 0; i < 3000; i++) {
        push_cut((uint16_t)below(MR_STREAMS));
        push_outcome();
        step();
    }
    MUST(EMPTY(t.exec) && EMPTY(t.got));
    model_at_rest(&t.m);
}

static void new_pauses(bool all)
{
    static const unsigned odds[] = {0, 0, 60, 128, 230, 256};
    for (unsigned i = 0; i < DONE; i++)
        t.pause[i] = odds[below(i == RSP && !all ? 5 : 6)];
    for (unsigned i = DONE; i < OUTS; i++)
        t.pause[i] = odds[below(4)];
    bench_pause = odds[below(5)];
    t.pause[RSP] = t.pause[RSP] == 256 && below(4) ? 0 : t.pause[RSP];
}

/** Whatever comes, in any order, with outputs that stop for a while. */
static void msg__random(void)
{
    begin(0);
    unsigned cut_odds = 4, exec_odds = 4, reopened = 0;
    for (unsigned i = 0; i < 400000; i++) {
        if (i % 512 == 0) {
            new_pauses(true);
            cut_odds = 1u << below(8);
            exec_odds = 1u << below(10);
        }
        uint16_t stream = (uint16_t)(below(3) ? below(2) : below(MR_STREAMS));
        unsigned what = below(16);
        if (FULL(t.got))
            ;
        else if (what == 0)
            push_noise(stream);
        else if (what < 5)
            push_answer(stream);
        else
            push_message(stream);
        if (below(cut_odds) == 0)
            push_cut((uint16_t)below(MR_STREAMS));
        if (below(exec_odds) == 0)
            push_outcome();
        if (below(300) == 0 && !FULL(t.rfail))
            PUSH(t.rfail, (struct fail){.stream = stream, .msg = rnd(), .code = (u(8))(1 + below(14)), .rsp = true});
        if (below(3000) == 0)
            reopen((uint16_t)below(MR_STREAMS)), reopened++;
        if (i % 20000 == 19999)
            drain();
        step();
    }
    drain();
    printf(" %u completions, %u reads, %u atomics, %u + %u answers, %u error answers, %u lives, %u heads ", t.m.cpls,
           t.m.reads, t.m.atoms, t.m.dones, t.m.fails, t.m.errors, reopened, t.heads);
    MUST(t.m.cpls > 2000 && t.m.reads > 1000 && t.m.atoms > 1000 && t.m.dones > 2000 && t.m.fails > 200 && t.m.errors > 50);
}

/** Outputs that have no room at all hold up no input. */
static void msg__inputs_are_taken(void)
{
    begin(0);
    for (unsigned round = 0; round < 40; round++) {
        unsigned wait = 0;
        for (unsigned i = 0; i < DONE; i++)
            t.pause[i] = below(2) ? 256 : 200;
        for (unsigned i = 0; i < 2000; i++) {
            uint16_t stream = (uint16_t)below(MR_STREAMS);
            unsigned before = t.got.count;
            if (!FULL(t.got))
                below(3) ? push_message(stream) : push_answer(stream);
            before = t.got.count;
            push_cut(stream);
            step();
            wait = t.got.count != 0 && t.got.count == before ? wait + 1 : 0;
            MUST(wait <= 2 * MR_TRACK + 4);
            MUST(t.waits <= 2 * MR_TRACK + 4);
        }
        drain();
    }
}

/** A stream without room or places does not hold up another one. */
static void msg__others_go_on(void)
{
    begin(0);
    for (unsigned i = 0; i < MR_MSGS; i++) { // Reads on stream 0, more than there are places
        struct model_msg e = new_msg(i, false);
        e.opcode = MR_OP_READ;
        e.packets = 1;
        t.m.s[0].msg[i] = e;
        t.m.s[0].created++;
        push_got(0, &e, 0, false);
        steps(4);
    }
    MUST(t.m.reads == MR_AHEAD - 1);
    t.pause[ATOM] = 256;
    struct model_msg e = new_msg(0, false); // an atomic on stream 1, which has no room
    e.opcode = MR_OP_FETCH_ADD;
    e.packets = 1;
    t.m.s[1].msg[0] = e;
    t.m.s[1].created++;
    push_got(1, &e, 0, false);
    for (unsigned i = 0; i < 20; i++) {
        struct model_msg f = new_msg(i, false);
        f.opcode = MR_OP_SEND;
        f.length = 7;
        f.packets = 1;
        t.m.s[2].msg[i] = f;
        t.m.s[2].created++;
        push_got(2, &f, 0, false);
        steps(6);
        MUST(t.m.cpls == i + 1);
    }
    MUST(t.m.atoms == 0);
    t.pause[ATOM] = 0;
    steps(10);
    MUST(t.m.atoms == 1 && t.m.reads == MR_AHEAD - 1);
    drain();
    MUST(t.m.reads == MR_MSGS);
}

static void push_atomic(uint16_t stream, uint32_t msg)
{
    struct model_msg e = new_msg(msg, false);
    e.opcode = MR_OP_CMP_SWAP;
    e.packets = 1;
    *model_at(&t.m.s[stream], msg) = e;
    t.m.s[stream].created++;
    push_got(stream, &e, 0, false);
    steps(6);
}

/** The outcome of an atomic of a former life is no response of the new one. */
static void msg__late_outcome(void)
{
    begin(0);
    push_atomic(4, 0);
    MUST(t.m.atoms == 1);
    reopen(4);
    push_atomic(4, 0);
    MUST(t.m.atoms == 2 && t.exec.count == 2);
    push_outcome(); // of the former life
    steps(6);
    MUST(t.m.s[4].places == 0 && t.m.s[4].atoms_out == 1);
    push_outcome();
    steps(6);
    MUST(t.m.s[4].places == 1);
    drain();
}

/** One got per step, in the midst of messages and of one packet each. */
static void msg__got_per_step(void)
{
    static const uint8_t ops[] = {MR_OP_WRITE, MR_OP_SEND, MR_OP_READ};
    for (unsigned o = 0; o < sizeof ops; o++)
        for (unsigned packets = 1; packets <= 16; packets += 15) {
            if (ops[o] == MR_OP_READ && packets > 1)
                continue;
            begin(0);
            unsigned n = 0, total = 0;
            for (unsigned msg = 0; msg < 64; msg++) {
                struct model_msg e = {.opcode = ops[o], .msg = msg, .mtu = 1024, .length = 1024 * packets, .packets = packets};
                *model_at(&t.m.s[3], msg) = e;
                t.m.s[3].created++;
                for (unsigned i = 0; i < packets; i++) {
                    push_got(3, &e, i, false);
                    total++;
                    push_cut(3);
                    step();
                    n++;
                    while (FULL(t.got))
                        step(), n++;
                }
            }
            while (!EMPTY(t.got))
                step(), n++;
            drain();
            printf(" op %u x %u: %u steps for %u;", ops[o], packets, n, total);
            MUST(n <= total * 2 + 8);
        }
}

/** An entry is cleared only where the stream was used. */
static void msg__opening_is_short(void)
{
    unsigned n = 0;
    memset(&t, 0, sizeof t);
    PUSH(t.cfg, (struct cfg_write){.table = MR_TBL_STREAM, .index = 5});
    for (; !EMPTY(t.cfg) || t.k.clearing != 0; n++)
        step();
    MUST(n <= 2);
}

CU_TestInfo tests_rx_msg[] = {
    {"msg__random", msg__random},
    {"msg__inputs_are_taken", msg__inputs_are_taken},
    {"msg__others_go_on", msg__others_go_on},
    {"msg__late_outcome", msg__late_outcome},
    {"msg__got_per_step", msg__got_per_step},
    {"msg__opening_is_short", msg__opening_is_short},
    CU_TEST_INFO_NULL,
};
