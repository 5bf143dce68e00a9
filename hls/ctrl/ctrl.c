// SPDX-License-Identifier: BSD-2-Clause
#include "ctrl/ctrl.h"

enum ctrl_state {
    CTRL_START,
    CTRL_FREE,
    CTRL_IDLE,
    CTRL_WRITE,
    CTRL_READ,
    CTRL_SETTLING,
    CTRL_ARRIVED,  // a stream was closed: what is between rx_recv and rx_path arrives,
    CTRL_PLACED,   // its payload is placed, and rx_msg has heard of it,
    CTRL_RELEASE,  // rx_recv gives back receives of the stream,
    CTRL_WRITTEN,  // and completions are in host memory
};

enum { CTRL_PER_US = 1000 / MR_TS_NS };

MR_INLINE u(32) ctrl_counter(const struct ctrl *k, u(16) addr)
{
    u(16) at = MR_REG_CNT;
    u(32) value = 0;

#define MR_COUNTER(name, kernel, text)                                                             \
    if (addr == at)                                                                                \
        value = k->cnt_##name;                                                                     \
    at += 4;
#include "counters.def"
#undef MR_COUNTER
    return value;
}

MR_INLINE u(32) ctrl_read(struct ctrl *k, u(16) addr)
{
    if (addr >= MR_REG_TBL_DATA && addr < MR_REG_TBL_DATA + 64) {
        u(4) lane = (u(4))((addr - MR_REG_TBL_DATA) >> 2);
        return (u(32))(k->data >> ((u(512))lane << 5));
    }
    switch ((unsigned)addr) {
    case MR_REG_MAGIC: return 0x4d524f43;
    case MR_REG_VERSION: return 0x00010000;
    case MR_REG_LAYOUT_HASH: return MR_LAYOUT_HASH;
    case MR_REG_CAP_CONNS: return MR_CONNS;
    case MR_REG_CAP_PATHS: return MR_PATHS;
    case MR_REG_CAP_STREAMS: return MR_STREAMS;
    case MR_REG_CAP_KEYS: return MR_KEYS;
    case MR_REG_CAP_CQS: return MR_CQS;
    case MR_REG_CAP_MSGS: return MR_MSGS;
    case MR_REG_CLOCK_KHZ: return 250000;
    case MR_REG_TIME_LO: k->time_hi = (u(32))(k->now >> 32); return (u(32))k->now;
    case MR_REG_TIME_HI: return k->time_hi;
    case MR_REG_PROBE_MIN: return k->probe_min;
    case MR_REG_RETRY_MAX: return k->retry_max;
    case MR_REG_CWND_INIT: return k->cwnd_init;
    case MR_REG_WND_INIT: return k->wnd_init;
    case MR_REG_FAIL_MIN: return k->fail_min;
    case MR_REG_LINK_MBPS: return k->link_mbps;
    case MR_REG_POLICY: return k->policy;
    case MR_REG_SEED: return k->seed;
    case MR_REG_CAP_GROUPS: return MR_GROUPS;
    case MR_REG_CAP_PLANES: return MR_WIRE_PLANES;
    case MR_REG_CAP_RQS: return MR_RQS;
    case MR_REG_CAP_SGES: return MR_SGE_MAX;
    case MR_REG_CAP_RECVS: return MR_RECVS;
    case MR_REG_CAP_PAGES: return MR_PAGES;
    case MR_REG_RNR_MIN: return k->rnr_min;
    case MR_REG_TBL_INDEX: return k->index;
    case MR_REG_TBL_STATUS: return k->state != CTRL_IDLE ? 1 : k->refused ? 2 : 0;
    default: return ctrl_counter(k, addr);
    }
}

/** Entries of a table; 0 = no such table. */
MR_INLINE u(32) ctrl_entries(u(8) table)
{
    switch ((unsigned)table) {
    case MR_TBL_CONN: return MR_CONNS;
    case MR_TBL_PATH: return MR_ROWS;
    case MR_TBL_STREAM: return MR_STREAMS;
    case MR_TBL_KEY: return MR_KEYS;
    case MR_TBL_CQ: return MR_CQS;
    case MR_TBL_RQ: return MR_RQS;
    case MR_TBL_EQ: return 1;
    case MR_TBL_PAGES: return MR_PAGES / 8;
    case MR_TBL_TELE: return MR_ROWS;
    case MR_TBL_HIST: return MR_ROWS;
    default: return 0;
    }
}

/** An entry that would reach beyond its own part of another table. */
MR_INLINE bool ctrl_reaches(u(8) table, u(512) bits)
{
    struct mr_conn c = mr_conn_unpack(bits);
    struct mr_path p = mr_path_unpack((u(64))bits);
    u(17) groups = ((u(17))c.npaths + (u(17))(MR_GROUP - 1)) >> MR_GROUP_LOG2;
    bool conn = c.state == 1 && (c.npaths > MR_PATHS || (u(17))c.group + groups > MR_GROUPS);
    bool path = p.state > MR_PATHST_PORT || (p.state != MR_PATHST_FREE && (p.conn >= MR_CONNS || p.path >= MR_PATHS));

    return (table == MR_TBL_CONN && conn) || (table == MR_TBL_PATH && path);
}

/** A command of TBL_CMD: refuses what no kernel owns, and paths that would be another connection's. */
MR_INLINE void ctrl_command(struct ctrl *k, u(32) cmd)
{
    u(8) op = (u(8))(cmd >> 24);
    u(8) table = (u(8))(cmd >> 16);
    u(32) size = ctrl_entries(table);
    bool reads = table == MR_TBL_TELE || table == MR_TBL_HIST;

    k->table = table;
    k->refused = k->index >= size || op != (reads ? MR_TBLOP_READ : MR_TBLOP_WRITE) ||
                 ctrl_reaches(table, k->data);
    if (!k->refused)
        k->state = reads ? CTRL_READ : CTRL_WRITE;
}

MR_INLINE void ctrl_bell(struct ctrl *k, u(2) kind, u(32) v)
{
    mr_put(k->cq_bell, (struct cq_bell){.kind = kind, .cq = (u(16))(v >> 16), .cidx = (u(16))v});
}

MR_INLINE void ctrl_write(struct ctrl *k, u(16) addr, u(32) v)
{
    if (addr >= MR_REG_TBL_DATA && addr < MR_REG_TBL_DATA + 64) {
        u(512) at = (u(512))(u(4))((addr - MR_REG_TBL_DATA) >> 2) << 5;
        k->data = (k->data & ~((u(512))0xffffffff << at)) | ((u(512))v << at);
        return;
    }
    switch ((unsigned)addr) {
    case MR_REG_PROBE_MIN: k->probe_min = v; break;
    case MR_REG_RETRY_MAX: k->retry_max = v > 250 ? 250 : v; break;
    case MR_REG_CWND_INIT: k->cwnd_init = v == 0 ? 1 : v > 256 ? 256 : v; break;
    case MR_REG_WND_INIT: k->wnd_init = v == 0 ? 1 : v > 32768 ? 32768 : v; break;
    case MR_REG_FAIL_MIN: k->fail_min = v == 0 ? 1 : v > 250 ? 250 : v; break;
    case MR_REG_LINK_MBPS: k->link_mbps = v > 0xfffff ? 0xfffff : v; break;
    case MR_REG_POLICY: k->policy = v; break;
    case MR_REG_SEED: k->seed = v; break;
    case MR_REG_RNR_MIN: k->rnr_min = v == 0 ? 1 : v > 0xfffff ? 0xfffff : v; break;
    case MR_REG_TBL_INDEX: k->index = v; break;
    case MR_REG_TBL_CMD: ctrl_command(k, v); break;
    case MR_REG_DB_SQ:
        mr_put(k->db, (struct doorbell){.stream = (u(16))(v >> 16), .pidx = (u(16))v});
        break;
    case MR_REG_DB_RQ:
        mr_put(k->rq_bell, (struct rq_bell){.rq = (u(16))(v >> 16), .pidx = (u(16))v});
        break;
    case MR_REG_DB_CQ: ctrl_bell(k, BELL_CQ, v); break;
    case MR_REG_DB_ARM: ctrl_bell(k, BELL_ARM, v); break;
    case MR_REG_DB_ARM_SOL: ctrl_bell(k, BELL_ARM_SOL, v); break;
    case MR_REG_DB_EQ: ctrl_bell(k, BELL_EQ, v); break;
    default: break;
    }
}

MR_INLINE void ctrl_request(struct ctrl *k)
{
    struct reg_req r = k->req.data;
    u(32) value = 0;

    if (!k->req.valid || !k->rsp.ready || !k->db.ready || !k->rq_bell.ready || !k->cq_bell.ready)
        return;
    // What a command under way uses must not change: its registers wait for the end of it.
    if (r.write && k->state != CTRL_IDLE && r.addr < MR_REG_CNT)
        return;
    if (r.write)
        ctrl_write(k, r.addr, r.data);
    else
        value = ctrl_read(k, r.addr);
    mr_take(k->req);
    mr_put(k->rsp, (struct reg_rsp){.data = value});
}

/** Gives an entry to every kernel at once; false while one has no room. */
MR_INLINE bool ctrl_broadcast(struct ctrl *k, u(512) bits)
{
    // What a table entry lets in or out is drained when the host changes it, not after a reset.
    bool drain = k->state == CTRL_WRITE && (k->table == MR_TBL_KEY || k->table == MR_TBL_STREAM ||
                                            k->table == MR_TBL_CONN || k->table == MR_TBL_RQ);
    struct cfg_write w = {.table = k->table, .index = (u(16))k->index, .drain = drain,
        .life = k->life + (u(16))1, .bits = bits};

    if (!k->cfg_rx_path.ready || !k->cfg_tx_sched.ready ||
        !k->cfg_tx_seg.ready || !k->cfg_tx_path.ready || !k->cfg_tx_ack.ready ||
        !k->cfg_tx_cpl.ready || !k->cfg_tx_hdr.ready || !k->cfg_cqe.ready ||
        !k->cfg_ack_gate.ready || !k->cfg_rx_share.ready || !k->cfg_hist.ready ||
        !k->cfg_tx_wqe.ready || !k->cfg_rx_rq.ready || !k->cfg_rx_msg.ready ||
        !k->cfg_keys.ready || !k->cfg_at_pay_rd.ready || !k->cfg_at_wqe_rd.ready ||
        !k->cfg_at_pay_wr.ready || !k->cfg_at_cqe_wr.ready)
        return false;
    mr_put(k->cfg_keys, w);
    k->keys_gave++;
    k->life += k->table == MR_TBL_STREAM;
    mr_put(k->cfg_rx_path, w);
    mr_put(k->cfg_tx_sched, w);
    mr_put(k->cfg_tx_seg, w);
    mr_put(k->cfg_tx_path, w);
    mr_put(k->cfg_tx_ack, w);
    mr_put(k->cfg_tx_cpl, w);
    mr_put(k->cfg_tx_hdr, w);
    mr_put(k->cfg_cqe, w);
    mr_put(k->cfg_ack_gate, w);
    mr_put(k->cfg_rx_share, w);
    mr_put(k->cfg_hist, w);
    mr_put(k->cfg_tx_wqe, w);
    mr_put(k->cfg_rx_rq, w);
    mr_put(k->cfg_rx_msg, w);
    mr_put(k->cfg_at_pay_rd, w);
    mr_put(k->cfg_at_wqe_rd, w);
    mr_put(k->cfg_at_pay_wr, w);
    mr_put(k->cfg_at_cqe_wr, w);
    k->told++;
    return true;
}

/** Registers as they are after a reset. */
MR_INLINE void ctrl_start(struct ctrl *k)
{
    k->probe_min = MR_PROF_PROBE_US_MIN * CTRL_PER_US;
    k->retry_max = MR_PROF_RETRY_MAX;
    k->fail_min = MR_PROF_FAIL_MIN;
    k->cwnd_init = MR_PROF_CWND_INIT;
    k->wnd_init = MR_PROF_WND_INIT;
    k->link_mbps = MR_PROF_LINK_MBPS;
    k->rnr_min = MR_PROF_RNR_US_MIN * CTRL_PER_US;
    k->table = MR_TBL_CONN;
    k->index = 0;
    k->state = CTRL_FREE;
}

/** Frees the next entry, table by table. */
MR_INLINE void ctrl_free(struct ctrl *k)
{
    bool last = k->index + 1 == ctrl_entries(k->table);

    if (!ctrl_broadcast(k, 0))
        return;
    k->index = last ? (u(32))0 : k->index + 1;
    bool over = last && k->table == MR_TBL_PAGES;
    if (last)
        k->table = k->table == MR_TBL_CQ ? (u(8))MR_TBL_RQ : (u(8))(k->table + 1);
    if (over) {
        k->settle = CTRL_SETTLE;
        k->state = CTRL_SETTLING;
    }
}

/** Asks the owner of the telemetry, or takes its answer. */
MR_INLINE void ctrl_fetch(struct ctrl *k, bool asked)
{
    bool hist = k->table == MR_TBL_HIST;
    struct tele_req q = {.row = (u(16))k->index};

    if (!asked && hist && k->hist_req.ready) {
        mr_put(k->hist_req, q);
        k->settle = 1;  // asked
    } else if (!asked && !hist && k->tele_req.ready) {
        mr_put(k->tele_req, q);
        k->settle = 1;
    } else if (asked && (hist ? k->hist_rsp.valid : k->tele_rsp.valid)) {
        if (hist)
            mr_take(k->hist_rsp);
        else
            mr_take(k->tele_rsp);
        k->data = hist ? k->hist_rsp.data.bits : k->tele_rsp.data.bits;
        k->settle = 0;
        k->state = CTRL_IDLE;
    }
}

/** Has a count, modulo 2^16, reached the mark? */
MR_INLINE bool ctrl_reached(u(16) count, u(16) mark)
{
    return (u(16))(count - mark) >> 15 == 0;
}

/** The settling time is over. What comes of a stream that was closed is waited for. */
MR_INLINE void ctrl_settled(struct ctrl *k)
{
    bool closed = k->table == MR_TBL_STREAM && mr_stream_unpack((u(256))k->data).state != 1;

    k->mark = k->recv_taken;
    k->state = closed ? CTRL_ARRIVED : CTRL_IDLE;
}

/** A step of closing a stream: from then on nothing of it is written any more. */
MR_INLINE void ctrl_close(struct ctrl *k)
{
    // rx_recv has its copy: keys waits for that.
    bool told = k->msg_cfgs == k->told && k->cpl_cfgs == k->told;

    if (k->state == CTRL_ARRIVED) {
        if (!told) {
            k->mark = k->recv_taken;
        } else if (ctrl_reached(k->path_packets, k->mark)) {
            k->mark = k->path_writes;
            k->mark_got = k->path_gots;
            k->state = CTRL_PLACED;
        }
    } else if (k->state == CTRL_PLACED) {
        if (ctrl_reached(k->gate_writes, k->mark) && ctrl_reached(k->msg_gots + k->gate_drops, k->mark_got))
            k->state = CTRL_RELEASE;
    } else if (k->state == CTRL_RELEASE) {
        k->mark = k->msg_cpls + k->send_cpls + k->recv_cpls;
        if (!k->recv_releasing)
            k->state = CTRL_WRITTEN;
    } else if (ctrl_reached(k->cqe_done, k->mark)) {
        k->state = CTRL_IDLE;
    }
    k->release = k->state == CTRL_RELEASE;
}

MR_KERNEL(ctrl)
{
    // A packet that is to move gets as long as a path's probes would.
    k->give_up = k->probe_min << 8;

    u(4) state = k->state;
    bool asked = k->settle == 1;

    if (state == CTRL_START) {
        ctrl_start(k);
        return;
    }
    ctrl_request(k);
    if (state == CTRL_FREE) {
        ctrl_free(k);
    } else if (state == CTRL_WRITE) {
        if (ctrl_broadcast(k, k->data)) {
            k->settle = CTRL_SETTLE;
            k->state = CTRL_SETTLING;
        }
    } else if (state == CTRL_READ) {
        ctrl_fetch(k, asked);
    } else if (state == CTRL_SETTLING) {
        if (k->keys_served == k->keys_gave)
            k->settle--;
        if (k->settle == 0)
            ctrl_settled(k);
    } else if (state != CTRL_IDLE) {
        ctrl_close(k);
    }
}
