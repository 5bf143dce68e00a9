// SPDX-License-Identifier: BSD-2-Clause
#include "pair.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { WQE = 0, PAY = 1 };

uint64_t pair_random(struct pair *p)
{
    uint64_t z = (p->rng += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* ---- wire ---- */

static void wire_insert(struct pair *p, struct pair_frame *f)
{
    struct pair_frame **at = &p->wire;

    while (*at && (*at)->due <= f->due)
        at = &(*at)->next;
    f->next = *at;
    *at = f;
}

static void wire_send(struct pair *p, unsigned from, struct pair_frame *f)
{
    unsigned port = f->bytes[34] << 8 | f->bytes[35];  // IPv4 without tag in this bench
    enum pair_fate fate = PAIR_PASS;
    unsigned copies;

    p->frames[from]++;
    if (p->fault)
        fate = p->fault(p, from, f->bytes, f->len, p->fault_arg);
    if (fate == PAIR_PASS && p->loss > 0 && (double)(pair_random(p) >> 11) * 0x1p-53 < p->loss)
        fate = PAIR_LOSE;
    p->lost += fate == PAIR_LOSE;
    copies = fate == PAIR_LOSE ? 0 : fate == PAIR_TWICE ? 2 : 1;
    while (copies--) {
        struct pair_frame *c = malloc(sizeof *c);
        assert(c);
        *c = *f;
        // Routes differ in length, so paths overtake each other; one route never does.
        c->due = p->now + p->delay + 37 * (port % 4);
        c->to = !from;
        wire_insert(p, c);
    }
    f->len = 0;
}

static void wire_step(struct pair *p, unsigned s)
{
    struct mac_beat b;
    struct pair_side *e = &p->side[s];

    if (mr_nic_pop_mac_tx(e->nic, &b)) {
        memcpy(e->out.bytes + e->out.len, &b.data, 64);
        e->out.len += (unsigned)b.n;
        assert(e->out.len <= PAIR_FRAME_MAX - 64);
        if (b.last)
            wire_send(p, s, &e->out);
    }
    if (!p->in[s] && p->wire && p->wire->due <= p->now && p->wire->to == s) {
        p->in[s] = p->wire;
        p->wire = p->wire->next;
        p->in_at[s] = 0;
    }
    if (p->in[s]) {
        struct pair_frame *f = p->in[s];
        unsigned left = f->len - p->in_at[s];
        b = (struct mac_beat){.n = (u(7))(left > 64 ? 64 : left), .last = left <= 64};
        memcpy(&b.data, f->bytes + p->in_at[s], left > 64 ? 64 : left);
        if (mr_nic_push_mac_rx(e->nic, &b)) {
            p->in_at[s] += 64;
            if (b.last) {
                free(f);
                p->in[s] = NULL;
            }
        }
    }
}

/* ---- host memory ---- */

static const uint64_t elsewhere = 1ull << 61;  // bus address of what pair_pages scatters

/** Where page `at` of the user area stands, in pages. Neighbours are 5 apart. */
static uint64_t page_place(struct pair_side *e, uint64_t at)
{
    return (at * 5 + 3) % e->pages;
}

/** What len bytes at a bus address are; NULL if they are nothing, or lie in two pages. */
static uint8_t *mem_at(struct pair_side *e, uint64_t addr, uint64_t len)
{
    uint64_t base = (uint64_t)(uintptr_t)e->mem, size = 1ull << e->page_log2;

    if (e->page_log2 && addr >= elsewhere) {
        uint64_t place = (addr - elsewhere) >> e->page_log2, off = (addr - elsewhere) % size;
        for (uint64_t i = place + 2; i < place + 2 + 5 * e->pages; i += e->pages)  // 5 at + 3 = place, place + pages, ...
            if (i >= 5 && i % 5 == 0 && page_place(e, i / 5 - 1) == place && off + len <= size &&
                (i / 5 - 1) * size + off + len <= (uint64_t)(e->mem + PAIR_MEM - e->user))
                return e->user + (i / 5 - 1) * size + off;
        return NULL;
    }
    return addr >= base && len <= PAIR_MEM && addr - base <= PAIR_MEM - len ? (uint8_t *)(uintptr_t)addr : NULL;
}

static void read_begin(struct pair *p, struct pair_side *e, unsigned ch, struct rd_req r)
{
    unsigned at = (e->rd_head[ch] + e->rd_count[ch]++) % 64;
    assert(e->rd_count[ch] <= 64);
    assert(r.len != 0);
    e->rd[ch][at] = r;
    e->rd_due[ch][at] = p->now + p->read_latency;
}

static void read_step(struct pair *p, struct pair_side *e, unsigned ch)
{
    struct rd_req *r = &e->rd[ch][e->rd_head[ch]];
    struct rd_beat b = {0};
    uint64_t first, at;

    if (!e->rd_count[ch] || e->rd_due[ch][e->rd_head[ch]] > p->now)
        return;
    first = (uint64_t)r->addr & ~63ull;
    at = first + 64ull * e->rd_beat[ch];
    b.last = at + 64 >= (uint64_t)r->addr + (uint64_t)r->len;
    bool bad = !mem_at(e, (uint64_t)r->addr, (uint64_t)r->len) || (ch == PAY && e->bus_fails);
    if (!bad)
        memcpy(&b.data, mem_at(e, at, 64), 64);
    b.err = b.last && bad;
    if (!(ch == WQE ? mr_nic_push_wqe_rd_beat(e->nic, &b) : mr_nic_push_pay_rd_beat(e->nic, &b)))
        return;
    e->rd_beat[ch]++;
    if (b.last) {
        e->rd_beat[ch] = 0;
        e->rd_head[ch] = (e->rd_head[ch] + 1) % 64;
        e->rd_count[ch]--;
    }
}

static void write_beat(struct pair_side *e, unsigned ch, struct wr_beat b)
{
    uint64_t base = ((uint64_t)e->wr[ch].addr & ~63ull) + e->wr_at[ch];
    const uint8_t *data = (const uint8_t *)&b.data;

    for (unsigned i = 0; i < 64; i++)
        if ((uint64_t)b.keep >> i & 1) {
            uint8_t *at = mem_at(e, base + i, 1);
            assert(at && mem_at(e, (uint64_t)e->wr[ch].addr, (uint64_t)e->wr[ch].len));
            assert(base + i >= (uint64_t)e->wr[ch].addr);
            assert(base + i < (uint64_t)e->wr[ch].addr + (uint64_t)e->wr[ch].len);
            *at = data[i];
            e->writes += at >= e->user;
        }
    e->wr_at[ch] += 64;
}

static void write_done(struct pair_side *e, unsigned ch, uint64_t now)
{
    unsigned at = e->done_head[ch];

    if (!e->done_count[ch] || e->done_due[ch][at] > now)
        return;
    if (ch == PAY ? mr_nic_push_pay_wr_done(e->nic, &e->done[ch][at])
                  : mr_nic_push_cqe_wr_done(e->nic, &e->done[ch][at])) {
        e->done_head[ch] = (at + 1) % 64;
        e->done_count[ch]--;
    }
}

static void write_step(struct pair_side *e, unsigned ch, uint64_t now)
{
    struct wr_beat b;
    bool fails = ch == PAY && e->writes_fail;

    write_done(e, ch, now);
    if (!e->wr_open[ch] && e->done_count[ch] < 64) {
        bool got = ch == PAY ? mr_nic_pop_pay_wr_req(e->nic, &e->wr[ch])
                             : mr_nic_pop_cqe_wr_req(e->nic, &e->wr[ch]);
        e->wr_open[ch] = got;
        e->wr_at[ch] = 0;
    }
    if (!e->wr_open[ch])
        return;
    if (!(ch == PAY ? mr_nic_pop_pay_wr_beat(e->nic, &b) : mr_nic_pop_cqe_wr_beat(e->nic, &b)))
        return;
    if (!fails)
        write_beat(e, ch, b);
    if (b.last) {
        unsigned at = (e->done_head[ch] + e->done_count[ch]++) % 64;
        e->done[ch][at] = (struct wr_done){.err = fails};
        e->done_due[ch][at] = now + e->write_latency;
        e->wr_open[ch] = false;
    }
}

void pair_step(struct pair *p)
{
    struct rd_req r;

    p->now++;
    for (unsigned s = 0; s < 2; s++) {
        struct pair_side *e = &p->side[s];
        mr_nic_step(e->nic, p->now);
        wire_step(p, s);
        if (e->rd_count[WQE] < 64 && mr_nic_pop_wqe_rd_req(e->nic, &r))
            read_begin(p, e, WQE, r);
        if (e->rd_count[PAY] < 64 && mr_nic_pop_pay_rd_req(e->nic, &r))
            read_begin(p, e, PAY, r);
        read_step(p, e, WQE);
        read_step(p, e, PAY);
        write_step(e, PAY, p->now);
        write_step(e, WQE, p->now);
    }
}

void pair_run(struct pair *p, uint64_t cycles)
{
    while (cycles--)
        pair_step(p);
}

/* ---- registers ---- */

static uint32_t reg_access(struct pair *p, unsigned side, struct reg_req q)
{
    struct mr_nic *nic = p->side[side].nic;
    struct reg_rsp r;

    while (!mr_nic_push_reg_req(nic, &q))
        pair_step(p);
    while (!mr_nic_pop_reg_rsp(nic, &r))
        pair_step(p);
    return (uint32_t)r.data;
}

uint32_t pair_read(struct pair *p, unsigned side, uint32_t addr)
{
    return reg_access(p, side, (struct reg_req){.addr = (u(16))addr});
}

void pair_write(struct pair *p, unsigned side, uint32_t addr, uint32_t value)
{
    reg_access(p, side, (struct reg_req){.write = true, .addr = (u(16))addr, .data = value});
}

static uint32_t table_command(struct pair *p, unsigned side, uint32_t op, uint32_t table, uint32_t index)
{
    uint32_t status;

    pair_write(p, side, MR_REG_TBL_INDEX, index);
    pair_write(p, side, MR_REG_TBL_CMD, op << 24 | table << 16);
    for (unsigned i = 0; i < 10000; i++) {
        status = pair_read(p, side, MR_REG_TBL_STATUS);
        if (status != 1)
            break;
    }
    return status;
}

uint32_t pair_table(struct pair *p, unsigned side, uint32_t table, uint32_t index, const void *entry,
                    unsigned bytes)
{
    uint32_t words[16] = {0};

    memcpy(words, entry, bytes);
    for (unsigned i = 0; i < 16; i++)
        pair_write(p, side, MR_REG_TBL_DATA + 4 * i, words[i]);
    return table_command(p, side, MR_TBLOP_WRITE, table, index);
}

struct mr_tele pair_tele(struct pair *p, unsigned side, unsigned conn, unsigned path)
{
    uint32_t words[16];
    uint32_t status = table_command(p, side, MR_TBLOP_READ, MR_TBL_TELE, conn * MR_GROUP + path);

    assert(status == 0);
    for (unsigned i = 0; i < 16; i++)
        words[i] = pair_read(p, side, MR_REG_TBL_DATA + 4 * i);
    return mr_tele_get(words);
}

uint32_t pair_count(struct pair *p, unsigned side, unsigned counter)
{
    return pair_read(p, side, MR_REG_CNT + 4 * counter);
}

/* ---- set-up ---- */

void pair_connect(struct pair *p, unsigned s, struct pair_conn c)
{
    uint8_t entry[64];
    uint64_t mac = 0x020000000010;
    uint32_t ip = 0x0a000010;

    for (unsigned i = 0; i < c.paths; i++) {
        mr_path_put(entry, (struct mr_path){.sport = (u(16))(50000 + i), .state = MR_PATHST_OPEN,
            .path = (u(8))i, .plane = (u(8))(c.planes ? i % c.planes : 0)});
        assert(pair_table(p, s, MR_TBL_PATH, i, entry, MR_PATH_BYTES) == 0);
    }
    mr_conn_put(entry, (struct mr_conn){.state = 1, .local = (u(24))((c.generation << 16) + (s << 16)),
        .peer = (u(24))((c.generation << 16) + (!s << 16)), .smac = mac + (s << 4), .dmac = mac + (!s << 4),
        .saddr = ip + (s << 4), .daddr = ip + (!s << 4), .mtu = (u(16))c.mtu, .npaths = (u(8))c.paths,
        .ttl = 64, .nplanes = (u(8))c.planes});
    assert(pair_table(p, s, MR_TBL_CONN, 0, entry, MR_CONN_BYTES) == 0);
}

static void side_setup(struct pair *p, unsigned s, unsigned paths)
{
    struct pair_side *e = &p->side[s];
    uint8_t entry[64];

    mr_cq_put(entry, (struct mr_cq){.base = (uintptr_t)e->cq, .log2 = 6});
    assert(pair_table(p, s, MR_TBL_CQ, 0, entry, MR_CQ_BYTES) == 0);
    mr_key_put(entry, (struct mr_key){.rights = 0x1f, .tag = PAIR_KEY & 0xff, .pd = 7,
        .va = (uintptr_t)e->user, .len = PAIR_MEM - (uint64_t)(e->user - e->mem),
        .bus = (uintptr_t)e->user});
    assert(pair_table(p, s, MR_TBL_KEY, PAIR_KEY >> 8, entry, MR_KEY_BYTES) == 0);
    pair_connect(p, s, (struct pair_conn){.generation = 0x33, .paths = paths, .mtu = 4096});
    mr_stream_put(entry, (struct mr_stream){.state = 1, .sq_log2 = 6, .pd = 7, .sq_base = (uintptr_t)e->sq,
        .rq = MR_RQ_NONE});
    assert(pair_table(p, s, MR_TBL_STREAM, 0, entry, MR_STREAM_BYTES) == 0);
}

void pair_pages(struct pair *p, unsigned s, unsigned log2, unsigned n)
{
    struct pair_side *e = &p->side[s];
    uint64_t bytes = PAIR_MEM - (uint64_t)(e->user - e->mem), row[8];
    uint8_t entry[MR_KEY_BYTES];

    e->page_log2 = log2;
    e->pages = (unsigned)((bytes + (1ull << log2) - 1) >> log2);
    assert(PAIR_PAGE + e->pages <= MR_PAGES);
    n = n ? n : e->pages;
    for (unsigned i = 0; i < PAIR_PAGE + n; i += 8) {
        for (unsigned k = 0; k < 8; k++) {
            bool there = i + k >= PAIR_PAGE && i + k < PAIR_PAGE + n;
            row[k] = there ? elsewhere + (page_place(e, i + k - PAIR_PAGE) << log2) + 1 : 0;
        }
        assert(pair_table(p, s, MR_TBL_PAGES, i / 8, row, sizeof row) == 0);
    }
    mr_key_put(entry, (struct mr_key){.rights = 0x1f, .tag = PAIR_KEY & 0xff, .pd = 7,
        .va = (uintptr_t)e->user, .len = bytes,
        .bus = 1ull << 63 | (uint64_t)log2 << 57 | (uint64_t)PAIR_PAGE << log2});
    assert(pair_table(p, s, MR_TBL_KEY, PAIR_KEY >> 8, entry, MR_KEY_BYTES) == 0);
}

struct pair *pair_new(uint64_t seed, unsigned paths)
{
    struct pair *p = calloc(1, sizeof *p);

    assert(p);
    p->rng = seed;
    p->delay = 250;
    p->read_latency = 150;
    for (unsigned s = 0; s < 2; s++) {
        struct pair_side *e = &p->side[s];
        e->nic = mr_nic_new();
        e->write_latency = 75;
        e->mem = aligned_alloc(4096, PAIR_MEM);
        assert(e->nic && e->mem);
        memset(e->mem, 0, PAIR_MEM);
        e->sq = e->mem;
        e->cq = e->mem + 4096;
        e->user = e->mem + 8192;
    }
    for (unsigned s = 0; s < 2; s++) {
        pair_write(p, s, MR_REG_LINK_MBPS, 128000);  // a beat in every cycle
        side_setup(p, s, paths);
    }
    return p;
}

void pair_free(struct pair *p)
{
    while (p->wire) {
        struct pair_frame *f = p->wire;
        p->wire = f->next;
        free(f);
    }
    for (unsigned s = 0; s < 2; s++) {
        free(p->in[s]);
        mr_nic_free(p->side[s].nic);
        free(p->side[s].mem);
    }
    free(p);
}

/* ---- work ---- */

static uint8_t *more_sq(struct pair_side *e, unsigned n)
{
    return e->mem + (3 << 20) + 64 * PAIR_SQ * n;
}

void pair_stream(struct pair *p, unsigned n, unsigned conn, unsigned weight)
{
    uint8_t entry[MR_STREAM_BYTES];

    for (unsigned s = 0; s < 2; s++) {
        struct pair_side *e = &p->side[s];
        mr_stream_put(entry, (struct mr_stream){.state = 1, .sq_log2 = 6, .conn = (u(16))conn, .peer = n,
            .weight = (u(8))weight, .pd = 7, .sq_base = (uintptr_t)more_sq(e, n), .rq = MR_RQ_NONE});
        assert(pair_table(p, s, MR_TBL_STREAM, n, entry, sizeof entry) == 0);
        e->more_pidx[n] = 0;
    }
}

void pair_post_on(struct pair *p, unsigned side, unsigned n, struct mr_wqe w)
{
    struct pair_side *e = &p->side[side];

    mr_wqe_put(more_sq(e, n) + 64 * (e->more_pidx[n] % PAIR_SQ), w);
    e->more_pidx[n]++;
    pair_write(p, side, MR_REG_DB_SQ, n << 16 | e->more_pidx[n]);
}

struct mr_wqe pair_wqe(struct pair *p, unsigned side, uint64_t from, uint64_t to, uint32_t len)
{
    return (struct mr_wqe){.opcode = MR_OP_WRITE, .flags = MR_WQEF_SIGNALED, .nsge = len != 0,
        .length = len, .raddr = (uintptr_t)p->side[!side].user + to, .rkey = PAIR_KEY,
        .sge_addr = (uintptr_t)p->side[side].user + from, .sge_key = PAIR_KEY, .sge_len = len};
}

void pair_post(struct pair *p, unsigned side, struct mr_wqe w)
{
    struct pair_side *e = &p->side[side];

    mr_wqe_put(e->sq + 64 * (e->pidx % PAIR_SQ), w);
    e->pidx++;
    pair_write(p, side, MR_REG_DB_SQ, e->pidx);
}

bool pair_poll(struct pair *p, unsigned side, struct mr_cqe *c)
{
    struct pair_side *e = &p->side[side];

    *c = mr_cqe_get(e->cq + 32 * (e->cq_at % PAIR_CQ));
    if (c->phase != (e->cq_at / PAIR_CQ % 2 == 0))
        return false;
    e->cq_at++;
    if (e->cq_at % (PAIR_CQ / 4) == 0)
        pair_write(p, side, MR_REG_DB_CQ, e->cq_at);
    return true;
}

bool pair_wait(struct pair *p, unsigned side, struct mr_cqe *c, uint64_t cycles)
{
    while (cycles--) {
        pair_step(p);
        if (pair_poll(p, side, c))
            return true;
    }
    return false;
}
