// SPDX-License-Identifier: BSD-2-Clause
#include "tx_path/tx_path.h"

#include "tx_path/choose.h"

enum tx_path_state {
    PATH_IDLE,
    PATH_CONN,    // a connection's entry was written
    PATH_OPEN,    // a path's entry was written
    PATH_CREDIT,
    PATH_CTL,
    PATH_NUDGE,   // a path is silent: probe another one too
    PATH_RESEND,
    PATH_GROUP,   // a packet: read the group whose turn it is
    PATH_SEND,    // a packet: choose
    PATH_PACED,   // a connection of the ring
    PATH_LOOK,    // is its rate kept now?
};

typedef u(MR_CONNS_LOG2) conn_ix;
typedef u(MR_GROUPS_LOG2) group_ix;

/** What a step writes; one write port per table. */
struct path_ports {
    bool rd_conn, rd_row;
    bool conn, row;      // conn_new and row_new are written, at k->conn and k->group
    struct path_conn conn_new;
    struct path_row row_new;
    bool push;           // k->conn goes into the ring
};

MR_INLINE u(8) path_groups(u(8) npaths)
{
    return (npaths + (u(8))(MR_GROUP - 1)) >> MR_GROUP_LOG2;
}

MR_INLINE void path_config(struct tx_path *k, struct path_ports *p)
{
    struct cfg_write w = k->cfg.data;

    mr_take(k->cfg);
    if (w.table == MR_TBL_CONN) {
        struct mr_conn c = mr_conn_unpack(w.bits);
        k->conn = w.index;
        k->group = c.group;
        k->npaths = c.state != 1 ? (u(8))0 : c.npaths > MR_PATHS ? (u(8))MR_PATHS : c.npaths;
        p->rd_conn = true;
        k->state = PATH_CONN;
    } else if (w.table == MR_TBL_PATH) {
        k->path_r = mr_path_unpack((u(64))w.bits);
        k->ctl_r.row = w.index;
        k->group = w.index >> MR_GROUP_LOG2;
        p->rd_row = true;
        k->state = PATH_OPEN;
    }
}

/** The host opens or closes a connection. If it stands in the ring it stays there and is met closed, or anew. */
MR_INLINE void path_on_conn(struct tx_path *k, struct path_ports *p)
{
    p->conn = true;
    p->conn_new = (struct path_conn){.group = k->group, .npaths = k->npaths,
        .paced = k->conn_q.paced, .wnd = wnd_init(k->wnd_init, k->npaths), .pace = {.at = k->now}};
    k->state = PATH_IDLE;
}

/** The host opens or frees a path, or changes its port. */
MR_INLINE void path_on_open(struct tx_path *k, struct path_ports *p)
{
    u(3) i = (u(3))k->ctl_r.row;
    struct path_tx t = k->row_q.p[i];
    u(8) state = k->path_r.state;

    if (state == MR_PATHST_PORT) {
        t.port = t.state != PST_OFF ? k->path_r.sport : (u(16))0;
        t.plane = (u(3))k->path_r.plane;
    } else {
        t = (struct path_tx){.state = state == MR_PATHST_OPEN ? (u(2))PST_LIVE : (u(2))PST_OFF,
            .cwnd = (u(9))k->cwnd_init};
    }
    // With nothing in flight the port changes at once.
    if (t.port != 0 && t.next == t.una) {
        if (!k->pkt.ready)
            return;
        mr_put(k->pkt, (struct pkt){.ctl = PKT_PORT, .via = k->ctl_r.row, .port = t.port,
            .plane = t.plane});
        t.port = 0;
    }
    p->row = true;
    p->row_new = k->row_q;
    p->row_new.p[i] = t;
    k->state = PATH_IDLE;
}

/* ---- news of acknowledgments ---- */

MR_INLINE void path_on_credit(struct tx_path *k, struct path_ports *p)
{
    struct credit c = k->credit_r;
    struct path_conn n = k->conn_q;
    struct path_tx t = k->row_q.p[(u(3))c.row];

    n.pace = pace_hint(n.pace, c.hint, c.srtt, k->now);
    n.wnd = wnd_on_ack(n.wnd, (struct wnd_news){.npaths = n.npaths, .freed = c.freed, .out = n.out,
        .marked = c.marked, .keep = wnd_keep(n.pace.rate, c.srtt, k->link_mbps),
        .srtt = c.srtt, .now = k->now});
    // A connection or path that the host opened anew owes nothing for what came before.
    n.dead = false;
    n.out -= n.out < c.freed ? n.out : (u(16))c.freed;
    if (c.live && t.state != PST_OFF) {
        t.state = PST_LIVE;
        t.una = c.una;
        t.out -= t.out < c.freed ? t.out : c.freed;
        t.cwnd = c.cwnd;
        t.marked = c.marked;
        t.quiet = false;
    }
    if (t.port != 0 && t.next == t.una && c.live) {
        mr_put(k->pkt, (struct pkt){.ctl = PKT_PORT, .via = c.row, .port = t.port, .plane = t.plane});
        t.port = 0;
    }
    if (n.blocked)
        mr_put(k->verdict, (struct verdict){.kind = VERDICT_WAKE, .conn = k->conn});
    n.blocked = false;
    p->conn = p->row = true;
    p->conn_new = n;
    p->row_new = k->row_q;
    p->row_new.p[(u(3))c.row] = t;
    k->state = PATH_IDLE;
}

/* ---- probes, and the end and the beginning of incarnations ---- */

/** One of the connection's paths that work, in the group that was read; the path itself if there is none. */
MR_INLINE u(16) path_via(struct tx_path *k, struct path_ctl c)
{
    struct path_choice v = path_choose(k->row_q, (u(3))(c.turn + (u(4))c.row), true, MR_POLICY_TURN);

    return v.none ? c.row : (u(16))((u(16))(c.row & (u(16))~(MR_GROUP - 1)) | (u(16))v.path);
}

MR_INLINE void path_on_ctl(struct tx_path *k, struct path_ports *p)
{
    struct path_ctl c = k->ctl_r;
    struct path_tx t = k->row_q.p[(u(3))c.row];
    bool close = c.what == WHAT_CLOSE;
    u(16) via = close ? path_via(k, c) : c.row;
    u(16) port = via != c.row ? (u(16))0 : t.port != 0 && !close ? t.port : c.port;

    if (c.what == WHAT_REOPEN)
        t = (struct path_tx){.state = PST_TRIAL, .epoch = c.epoch, .cwnd = c.cwnd};
    if (close)
        t.state = PST_OFF;
    t.quiet |= c.quiet;
    if (c.dead) {
        struct path_conn n = k->conn_q;
        if (n.blocked)
            mr_put(k->verdict, (struct verdict){.kind = VERDICT_WAKE, .conn = k->conn});
        n.dead = true;
        n.blocked = false;
        p->conn = true;
        p->conn_new = n;
    }
    p->row = true;
    p->row_new = k->row_q;
    p->row_new.p[(u(3))c.row] = t;
    mr_put(k->pkt, (struct pkt){.ctl = close ? (u(2))PKT_CLOSE : (u(2))PKT_PROBE, .conn = c.conn,
        .path = c.path, .row = c.row, .via = via, .port = port, .epoch = t.epoch, .psn = t.next,
        .ts = k->now});
    k->state = PATH_IDLE;
    if (c.what == WHAT_PROBE && c.quiet) {
        k->group = k->conn_q.group + ((u(8))c.turn < path_groups(k->conn_q.npaths) ? (u(16))c.turn : (u(16))0);
        p->rd_row = true;
        k->state = PATH_NUDGE;
    }
}

/** Only if another path is heard of, has the silent one failed; and the others may have nothing to send. [spec 6.2.8] */
MR_INLINE void path_on_nudge(struct tx_path *k)
{
    struct path_ctl c = k->ctl_r;
    struct path_row others = k->row_q;

    if (!k->pkt.ready)
        return;
    if (k->group == c.row >> MR_GROUP_LOG2)
        others.p[(u(3))c.row].state = PST_OFF;
    struct path_choice v = path_choose(others, (u(3))(c.turn + (u(4))c.row), true, MR_POLICY_TURN);
    u(16) row = (u(16))(k->group << MR_GROUP_LOG2) | (u(16))v.path;
    if (!v.none)
        mr_put(k->pkt, (struct pkt){.ctl = PKT_PROBE, .conn = c.conn,
            .path = (u(7))(row - (u(16))(k->conn_q.group << MR_GROUP_LOG2)), .row = row, .via = row,
            .epoch = others.p[v.path].epoch, .psn = others.p[v.path].next, .ts = k->now});
    k->state = PATH_IDLE;
}

/* ---- packets ---- */

MR_INLINE void path_send(struct tx_path *k, struct pkt p, u(2) kind)
{
    p.ctl = PKT_DATA;
    p.via = p.row;
    p.port = 0;
    p.ts = k->now;
    if (kind == SENT_AGAIN)
        p.flags |= MR_FLAG_RESENT;
    mr_put(k->pkt, p);
    mr_put(k->sent, (struct sent){
        .kind = kind, .row = p.row, .epoch = p.epoch, .psn = p.psn, .ts = p.ts, .len = p.len});
}

/** A retransmission, unless its incarnation has ended, or its number has been acknowledged, meanwhile. */
MR_INLINE void path_on_resend(struct tx_path *k, struct path_ports *p)
{
    struct pkt r = k->pkt_r;
    struct path_tx t = k->row_q.p[(u(3))r.row];

    k->state = PATH_IDLE;
    if (t.state != PST_LIVE || t.epoch != r.epoch || (u(24))(r.psn - t.una) >= (u(24))(t.next - t.una)) {
        mr_put(k->sent, (struct sent){.kind = SENT_DROPPED, .row = r.row, .epoch = r.epoch, .psn = r.psn});
        return;
    }
    path_send(k, r, SENT_AGAIN);
    k->cnt_tx_resent++;
    p->conn = true;
    p->conn_new = k->conn_q;
    p->conn_new.pace = pace_spend(pace_fill(k->conn_q.pace, k->now), r.len);
}

/** The group behind `at`, in a connection with that many paths. */
MR_INLINE u(4) path_after(u(4) at, u(8) npaths)
{
    return (u(8))at + 1 >= path_groups(npaths) ? (u(4))0 : at + 1;
}

/** Neither window nor rate: the stream waits. */
MR_INLINE void path_block(struct tx_path *k, struct path_ports *p, struct path_conn n, bool may)
{
    k->state = PATH_IDLE;
    if (k->moving) {
        mr_put(k->moved_v, (struct moved){.ok = false});
        return;
    }
    mr_put(k->verdict, (struct verdict){.kind = VERDICT_BLOCKED, .stream = k->pkt_r.stream, .conn = k->conn,
        .rsp = k->pkt_r.rsp});
    n.blocked = true;
    p->push = !may && !n.paced;
    n.paced |= !may;
    p->conn = true;
    p->conn_new = n;
}

MR_INLINE bool path_asks(struct pkt q)
{
    return q.opcode == MR_OP_READ || q.opcode == MR_OP_CMP_SWAP || q.opcode == MR_OP_FETCH_ADD;
}

/** A new packet, or one of a failed path, has its path. */
MR_INLINE void path_take(struct tx_path *k, struct path_ports *p, struct path_conn n, u(3) i)
{
    struct path_tx t = k->row_q.p[i];
    struct pkt q = k->pkt_r;

    q.one = false;
    q.row = (u(16))(k->group << MR_GROUP_LOG2) | (u(16))i;
    q.path = (u(7))(q.row - (u(16))(n.group << MR_GROUP_LOG2));
    q.epoch = t.epoch;
    q.psn = t.next;
    if (k->moving)
        q.flags |= MR_FLAG_RESENT;
    path_send(k, q, SENT_NEW);
    mr_put(k->slot, q);
    t.next++;
    t.out++;
    n.out += !k->moving;
    n.pace = pace_spend(n.pace, q.len);
    n.at = path_after(k->shift, n.npaths);
    // Among several groups the turn goes on with every round: each begins elsewhere then.
    n.turn = path_groups(n.npaths) == 1 ? (u(3))(i + 1) : (u(3))(n.turn + (u(3))(n.at == 0));
    if (k->moving)
        mr_put(k->moved_v, (struct moved){.ok = true});
    else
        mr_put(k->verdict, (struct verdict){.kind = VERDICT_SENT, .stream = q.stream, .conn = q.conn,
            .len = q.len, .last = (q.flags & MR_FLAG_LAST) != 0, .rsp = q.rsp, .asks = path_asks(q)});
    k->cnt_tx_moved += k->moving;
    k->cnt_tx_data += !k->moving;
    p->conn = p->row = true;
    p->conn_new = n;
    p->row_new = k->row_q;
    p->row_new.p[i] = t;
    k->state = PATH_IDLE;
}

/** Nothing works: the message fails, and whoever waits behind it may come and fail too. */
MR_INLINE void path_fail(struct tx_path *k)
{
    struct pkt q = k->pkt_r;

    mr_put(k->fail, (struct fail){.stream = q.stream, .life = q.life, .msg = q.msg, .code = MR_ERR_RETRY, .rsp = q.rsp});
    mr_put(k->verdict, (struct verdict){.kind = VERDICT_SENT, .stream = q.stream, .conn = q.conn,
        .len = q.len, .last = (q.flags & MR_FLAG_LAST) != 0, .rsp = q.rsp, .asks = path_asks(q)});
    k->state = PATH_IDLE;
}

/** A group was read: its best path, or on to the next group. */
MR_INLINE void path_on_send(struct tx_path *k, struct path_ports *p)
{
    struct path_conn n = k->conn_q;
    struct path_choice c = path_choose(k->row_q, n.turn, k->moving, k->policy);
    bool may, held;

    n.pace = pace_fill(n.pace, k->now);
    may = pace_may(n.pace);
    held = !may || n.out >= n.wnd.size;
    if (!k->moving && n.dead && (held || c.none || k->row_q.p[c.path].quiet)) {
        path_fail(k);
    } else if (!k->moving && held) {
        path_block(k, p, n, may);
    } else if (!c.none) {
        path_take(k, p, n, c.path);
    } else if (k->tries > 1) {
        k->tries--;
        k->shift = path_after(k->shift, n.npaths);
        k->state = PATH_GROUP;
    } else {
        path_block(k, p, n, true);
    }
}

/** A connection of the ring: may it go on? */
MR_INLINE void path_on_look(struct tx_path *k, struct path_ports *p)
{
    struct path_conn n = k->conn_q;

    n.pace = pace_fill(n.pace, k->now);
    k->state = PATH_IDLE;
    if (n.npaths != 0 && (!pace_may(n.pace) || !k->verdict.ready)) {
        p->push = true;
        return;
    }
    if (n.blocked)
        mr_put(k->verdict, (struct verdict){.kind = VERDICT_WAKE, .conn = k->conn});
    n.blocked = n.paced = false;
    p->conn = true;
    p->conn_new = n;
}

MR_INLINE void path_begin(struct tx_path *k, struct path_ports *p, u(16) conn, u(16) row, u(4) state)
{
    k->conn = conn;
    k->group = row >> MR_GROUP_LOG2;
    k->state = state;
    p->rd_conn = p->rd_row = true;
}

/** A packet that needs a path. */
MR_INLINE void path_begin_send(struct tx_path *k, struct path_ports *p, struct pkt q, bool moving)
{
    k->pkt_r = q;
    k->moving = moving;
    k->shift = 0;
    k->tries = q.one ? (u(5))1 : (u(5))0;  // PATH_GROUP sets it
    path_begin(k, p, q.conn, q.row, q.one ? (u(4))PATH_SEND : (u(4))PATH_GROUP);
}

/**
 * Takes the next event, credits first: they make room. An event is begun only
 * when there is room for all that it can give.
 */
MR_INLINE void path_pick(struct tx_path *k, struct path_ports *p)
{
    bool way = k->pkt.ready && k->sent.ready;

    // A window that has moved on lets new packets take the places of old ones in the
    // slot store: not before those have been read there.
    bool read = (u(16))(k->served - k->credit.data.after) >> 15 == 0;

    if (k->credit.valid && read && k->verdict.ready && k->pkt.ready) {
        mr_take(k->credit);
        k->credit_r = k->credit.data;
        path_begin(k, p, k->credit.data.conn, k->credit.data.row, PATH_CREDIT);
    } else if (k->ctl.valid && k->pkt.ready && k->verdict.ready) {
        mr_take(k->ctl);
        k->ctl_r = k->ctl.data;
        path_begin(k, p, k->ctl.data.conn, k->ctl.data.row, PATH_CTL);
    } else if (k->resend.valid && way) {
        mr_take(k->resend);
        k->pkt_r = k->resend.data;
        path_begin(k, p, k->resend.data.conn, k->resend.data.row, PATH_RESEND);
    } else if (k->moved.valid && way && k->slot.ready && k->moved_v.ready) {
        mr_take(k->moved);
        path_begin_send(k, p, k->moved.data, true);
    } else if (k->seg.valid && way && k->slot.ready && k->verdict.ready && k->fail.ready) {
        mr_take(k->seg);
        path_begin_send(k, p, k->seg.data, false);
    } else if (k->head != k->tail || k->full) {
        k->paced_q = k->paced[k->head];
        k->head++;
        k->full = false;
        k->state = PATH_PACED;
    }
}

/** The connection is known: which group, and how many there are. */
MR_INLINE void path_on_group(struct tx_path *k, struct path_ports *p)
{
    struct path_conn n = k->conn_q;

    if (k->tries == 0) {
        k->tries = (u(5))path_groups(n.npaths);
        k->shift = n.at;
    }
    k->group = n.group + (u(16))k->shift;
    p->rd_row = true;
    k->state = PATH_SEND;
}

/** Carries out the reads, then the writes. */
MR_INLINE void path_tables(struct tx_path *k, struct path_ports p)
{
    conn_ix conn = (conn_ix)k->conn;
    group_ix group = (group_ix)k->group;

    if (p.rd_conn)
        k->conn_q = k->conns[conn];
    if (p.rd_row)
        k->row_q = k->rows[group];
    if (p.conn)
        k->conns[conn] = p.conn_new;
    if (p.row)
        k->rows[group] = p.row_new;
    if (p.push) {
        k->paced[k->tail] = conn;
        k->tail++;
        k->full = k->tail == k->head;
    }
}

MR_KERNEL(tx_path)
{
    struct path_ports p = {0};

    switch ((unsigned)k->state) {
    case PATH_IDLE:
        if (k->cfg.valid)
            path_config(k, &p);
        else
            path_pick(k, &p);
        break;
    case PATH_CONN: path_on_conn(k, &p); break;
    case PATH_OPEN: path_on_open(k, &p); break;
    case PATH_CREDIT: path_on_credit(k, &p); break;
    case PATH_CTL: path_on_ctl(k, &p); break;
    case PATH_NUDGE: path_on_nudge(k); break;
    case PATH_RESEND: path_on_resend(k, &p); break;
    case PATH_GROUP: path_on_group(k, &p); break;
    case PATH_SEND: path_on_send(k, &p); break;
    case PATH_PACED:
        k->conn = (u(16))k->paced_q;
        p.rd_conn = true;
        k->state = PATH_LOOK;
        break;
    default: path_on_look(k, &p); break;
    }
    path_tables(k, p);
}
