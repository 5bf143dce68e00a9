// SPDX-License-Identifier: BSD-2-Clause
/* fake.c - see fake.h. */
#include "fake.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "bus/soft_mem.h"
#include "lib/rows.h"

enum { ENTRIES = 256 };

static struct {
    struct mr_bus bus;
    pthread_mutex_t lock;
    struct soft_mem mem;
    uint32_t data[16], index;
    uint32_t status;
    unsigned char entry[MR_TBL_PAGES + 1][ENTRIES * 8][64];
    struct {
        uint16_t head, tail;
        bool stopped;
        uint32_t msg;
    } stream[ENTRIES];
    struct {
        uint32_t produced;
        uint16_t consumed;
        uint32_t armed;  // 0 or the doorbell's register
    } cq[ENTRIES];
    uint32_t events;     // written
    int irq;             // eventfd
    struct {
        uint16_t head, tail;
    } rq[ENTRIES];
    uint32_t counter[64];
    uint32_t reg[MR_REG_TBL_DATA / 4];  // those that keep what is written
    uint64_t now, writes;
    bool dead;
} f;

struct fake_knobs fake;
struct fake_seen fake_seen;

void fake_defaults(void)
{
    fake = (struct fake_knobs){
        .magic = 0x4d524f43,
        .version = 0x00010000,
        .layout_hash = MR_LAYOUT_HASH,
        .conns = 16,
        .streams = 32,
        .keys = 64,
        .cqs = 8,
        .rqs = 8,
        .sges = 16,
        .pages = 64,
        .paths = 128,
        .groups = 40,
        .planes = 8,
        .clock_khz = 250000,
        .reads_left = UINT32_MAX,
    };
    fake_seen = (struct fake_seen){};
}

const void *fake_entry(uint32_t table, uint32_t index)
{
    return f.entry[table][index];
}

uint32_t fake_reg(uint32_t off)
{
    return f.reg[off / 4];
}

void fake_counter(uint32_t i, uint32_t value)
{
    f.counter[i] = value;
}

void fake_die(void)
{
    f.dead = true;
}

static void write_event(struct mr_eqe e)
{
    struct mr_eq row = mr_eq_get(f.entry[MR_TBL_EQ][0]);
    uint32_t log2 = (uint32_t)row.log2, at = f.events;
    unsigned char line[64] = {};
    unsigned in = at % 4 * 16;

    if (!row.base)
        return;
    f.events++;
    e.phase = !(at >> log2 & 1);
    mr_eqe_put(line + in, e);
    uint64_t addr = (uint64_t)row.base + (uint64_t)(at & ((1u << log2) - 1)) * MR_EQE_BYTES;
    soft_mem_write(&f.mem, addr & ~63ull, line, 0xffffull << in);
    f.writes++;
    eventfd_write(f.irq, 1);
}

void fake_event(uint32_t type, uint32_t object, uint32_t detail)
{
    pthread_mutex_lock(&f.lock);
    write_event((struct mr_eqe){.type = (uint16_t)type, .object = object, .detail = detail});
    pthread_mutex_unlock(&f.lock);
}

/* An event if the queue is armed and there is an entry for it. */
static void fire(uint32_t cq, bool solicited)
{
    bool all = f.cq[cq].armed == MR_REG_DB_ARM;

    if (!f.cq[cq].armed || !(all || solicited) || (uint16_t)f.cq[cq].produced == f.cq[cq].consumed)
        return;
    f.cq[cq].armed = 0;
    write_event((struct mr_eqe){.type = MR_EVT_CQ, .object = cq});
}

static void write_cqe(uint32_t cq, struct mr_cqe e)
{
    struct mr_cq_row row = mr_cq_get(f.entry[MR_TBL_CQ][cq]);
    uint32_t n = 1u << (unsigned)row.log2, at = f.cq[cq].produced++;
    unsigned char line[64] = {};

    if ((uint16_t)(at - f.cq[cq].consumed) >= n)
        fake_seen.overruns++;
    e.phase = !(at >> (unsigned)row.log2 & 1);
    mr_cqe_put(line, e);
    soft_mem_write(&f.mem, (uint64_t)row.base + (uint64_t)(at & (n - 1)) * MR_CQE_BYTES, line,
                   0xffffffff);
    f.writes++;
    fire(cq, e.status || (e.flags & MR_CQEF_SOLICITED));
}

void fake_cqe(uint32_t cq, uint32_t stream, uint32_t wqe, uint8_t status)
{
    fake_cqe_as(cq, (struct mr_cqe){.wqe = (uint16_t)wqe, .stream = stream, .status = status});
}

void fake_cqe_as(uint32_t cq, struct mr_cqe e)
{
    pthread_mutex_lock(&f.lock);
    write_cqe(cq, e);
    pthread_mutex_unlock(&f.lock);
}

const unsigned char *fake_sq_entry(uint32_t stream, uint32_t i)
{
    struct mr_stream_row s = mr_stream_get(f.entry[MR_TBL_STREAM][stream]);
    uint32_t slot = i & ((1u << (unsigned)s.sq_log2) - 1);

    return (const unsigned char *)(uintptr_t)s.sq_base + ((size_t)slot * 64 << (unsigned)s.sq_stride);
}

const unsigned char *fake_rq_entry(uint32_t rq, uint32_t i)
{
    struct mr_rq_row q = mr_rq_get(f.entry[MR_TBL_RQ][rq]);
    uint32_t slot = i & ((1u << (unsigned)q.log2) - 1);

    return (const unsigned char *)(uintptr_t)q.base + ((size_t)slot * 64 << (unsigned)q.stride);
}

/* Where a key's bytes are, or the reason why not. */
static uint8_t translate(uint32_t key, uint32_t pd, uint64_t va, uint64_t len, uint32_t right,
                         uint64_t *bus)
{
    struct mr_key_row k = mr_key_get(f.entry[MR_TBL_KEY][(key >> 8) % ENTRIES]);

    if (key >> 8 >= ENTRIES || !k.rights || k.tag != (key & 0xff) || k.pd != pd)
        return MR_ERR_REMOTE_KEY;
    if (va < k.va || va + len > (uint64_t)k.va + (uint64_t)k.len)
        return MR_ERR_REMOTE_BOUNDS;
    if (!(k.rights & right))
        return MR_ERR_REMOTE_RIGHT;
    *bus = (uint64_t)k.bus + (va - (uint64_t)k.va);
    return MR_ERR_OK;
}

/* Copies between buf and a list of ranges of local memory. */
static uint8_t local(uint32_t pd, const struct mr_sge_row *sge, uint32_t n, unsigned char *buf,
                     size_t len, bool out)
{
    uint64_t at;

    for (uint32_t i = 0; i < n && len; i++) {
        size_t part = (size_t)sge[i].len < len ? (size_t)sge[i].len : len;
        uint8_t rc = translate((uint32_t)sge[i].key, pd, (uint64_t)sge[i].addr, part,
                               out ? MR_RIGHT_LOCAL_READ : MR_RIGHT_LOCAL_WRITE, &at);
        if (rc)
            return (uint8_t)(rc + MR_ERR_LOCAL_KEY - MR_ERR_REMOTE_KEY);
        if (!soft_mem_covers(&f.mem, at, part))
            return MR_ERR_BUS;
        if (out)
            memcpy(buf, (void *)(uintptr_t)at, part);
        else
            memcpy((void *)(uintptr_t)at, buf, part);
        buf += part;
        len -= part;
    }
    return len ? MR_ERR_LOCAL_BOUNDS : MR_ERR_OK;
}

/* The peer's memory; its value from before comes back in old. */
static uint8_t remote(const struct mr_stream_row *peer, const struct mr_wqe *w, unsigned char *buf)
{
    static const uint8_t rights[] = {
        [MR_OP_WRITE] = MR_RIGHT_REMOTE_WRITE,     [MR_OP_WRITE_IMM] = MR_RIGHT_REMOTE_WRITE,
        [MR_OP_READ] = MR_RIGHT_REMOTE_READ,       [MR_OP_CMP_SWAP] = MR_RIGHT_REMOTE_ATOMIC,
        [MR_OP_FETCH_ADD] = MR_RIGHT_REMOTE_ATOMIC,
    };
    size_t n = (size_t)w->length;
    uint64_t at, value;

    if (!n)
        return MR_ERR_OK;
    uint8_t rc = translate((uint32_t)w->rkey, (uint32_t)peer->pd, (uint64_t)w->raddr, n,
                           rights[w->opcode], &at);
    if (rc)
        return rc;
    if (!soft_mem_covers(&f.mem, at, n))
        return MR_ERR_BUS;
    void *mem = (void *)(uintptr_t)at;
    if (w->opcode == MR_OP_WRITE || w->opcode == MR_OP_WRITE_IMM) {
        memcpy(mem, buf, n);
        return MR_ERR_OK;
    }
    memcpy(buf, mem, n);
    if (w->opcode == MR_OP_READ)
        return MR_ERR_OK;
    memcpy(&value, mem, 8);
    if (w->opcode == MR_OP_FETCH_ADD)
        value += (uint64_t)w->compare;
    else if (value == (uint64_t)w->compare)
        value = (uint64_t)w->swap;
    memcpy(mem, &value, 8);
    return MR_ERR_OK;
}

static bool takes_receive(const struct mr_wqe *w)
{
    return w->opcode == MR_OP_WRITE_IMM ||
           (w->opcode >= MR_OP_SEND && w->opcode <= MR_OP_SEND_INV);
}

/* Completes the peer's next receive, after a Send has filled it. */
static uint8_t receive(const struct mr_stream_row *s, const struct mr_stream_row *peer,
                       const struct mr_wqe *w, unsigned char *buf)
{
    uint32_t rq = (uint32_t)peer->rq, n = 4u << (unsigned)mr_rq_get(f.entry[MR_TBL_RQ][rq]).stride;
    struct mr_sge_row sge[MR_SGE_MAX];
    uint64_t room = 0;

    for (uint32_t i = 0; i < n; i++) {
        sge[i] = mr_sge_get(fake_rq_entry(rq, f.rq[rq].tail) + (size_t)i * MR_SGE_BYTES);
        room += (uint64_t)sge[i].len;
    }
    if (w->opcode != MR_OP_WRITE_IMM) {
        if (w->length > room)
            return MR_ERR_REMOTE_BOUNDS;
        if (local((uint32_t)peer->pd, sge, n, buf, (size_t)w->length, false))
            return MR_ERR_REMOTE_OP;
    }
    bool imm = w->opcode == MR_OP_SEND_IMM || w->opcode == MR_OP_WRITE_IMM;
    write_cqe((uint32_t)peer->rcq,
              (struct mr_cqe){
                  .wqe = f.rq[rq].tail++,
                  .stream = s->peer,
                  .opcode = w->opcode,
                  .flags = (uint8_t)(MR_CQEF_RECV | (imm ? MR_CQEF_IMM : 0) |
                                     (w->flags & MR_WQEF_SOLICITED ? MR_CQEF_SOLICITED : 0)),
                  .byte_len = w->length,
                  .imm = w->imm,
                  .time = f.now,
              });
    return MR_ERR_OK;
}

static uint8_t do_op(const struct mr_stream_row *s, const struct mr_wqe *w,
                     const unsigned char *entry)
{
    struct mr_stream_row peer = mr_stream_get(f.entry[MR_TBL_STREAM][(uint32_t)s->peer % ENTRIES]);
    struct mr_sge_row sge[MR_SGE_MAX] = {{.addr = w->sge_addr, .key = w->sge_key, .len = w->sge_len}};
    unsigned char *buf = malloc((size_t)w->length + 1);
    uint8_t rc = MR_ERR_OK;

    for (uint32_t i = 1; i < w->nsge; i++)
        sge[i] = mr_sge_get(entry + 64 + (size_t)(i - 1) * MR_SGE_BYTES);
    bool sends = w->opcode <= MR_OP_SEND_INV;
    if (w->flags & MR_WQEF_INLINE)
        memcpy(buf, entry + 64, (size_t)w->length);
    else if (sends)
        rc = local((uint32_t)s->pd, sge, (uint32_t)w->nsge, buf, (size_t)w->length, true);
    if (!rc && !peer.state)
        rc = MR_ERR_REMOTE_STREAM;
    if (!rc && (!sends || w->opcode <= MR_OP_WRITE_IMM))
        rc = remote(&peer, w, buf);
    if (!rc && !sends)
        rc = local((uint32_t)s->pd, sge, (uint32_t)w->nsge, buf, (size_t)w->length, false);
    if (!rc && takes_receive(w))
        rc = receive(s, &peer, w, buf);
    free(buf);
    return rc;
}

/* Must the entry wait for a receive of the peer? */
static bool waits(const struct mr_stream_row *s, const struct mr_wqe *w)
{
    struct mr_stream_row peer = mr_stream_get(f.entry[MR_TBL_STREAM][(uint32_t)s->peer % ENTRIES]);
    uint32_t rq = (uint32_t)peer.rq;

    return takes_receive(w) && peer.state && (rq == MR_RQ_NONE || f.rq[rq].head == f.rq[rq].tail);
}

/* One entry of one stream; false if there is none. Locked. */
static bool step(uint32_t n)
{
    struct mr_stream_row s = mr_stream_get(f.entry[MR_TBL_STREAM][n]);

    if (!s.state || f.stream[n].stopped || f.stream[n].head == f.stream[n].tail)
        return false;
    uint16_t at = f.stream[n].tail;
    const unsigned char *entry = fake_sq_entry(n, at);
    uint8_t rc = MR_ERR_BUS;
    struct mr_wqe w = {};
    if (soft_mem_covers(&f.mem, (uintptr_t)entry, 64u << (unsigned)s.sq_stride)) {
        w = mr_wqe_get(entry);
        if (waits(&s, &w))
            return false;
        rc = w.opcode >= MR_OP_WRITE && w.opcode <= MR_OP_FETCH_ADD && w.opcode != MR_OP_READ_RSP
                 ? do_op(&s, &w, entry)
                 : MR_ERR_LOCAL_OP;
    }
    f.stream[n].tail++;
    if (fake.fail_status && !fake.fail_after--)
        rc = fake.fail_status;
    f.stream[n].stopped = rc;
    if (rc || w.flags & MR_WQEF_SIGNALED)
        write_cqe((uint32_t)s.cq, (struct mr_cqe){
                                      .wqe = at,
                                      .stream = n,
                                      .opcode = w.opcode,
                                      .status = rc,
                                      .byte_len = w.length,
                                      .time = f.now,
                                      .msg = f.stream[n].msg,
                                  });
    f.stream[n].msg++;
    return true;
}

static unsigned run_locked(unsigned n)
{
    unsigned done = 0;

    for (uint32_t i = 0; i < ENTRIES; i++)
        while (done < n && step(i))
            done++;
    return done;
}

unsigned fake_run(unsigned n)
{
    pthread_mutex_lock(&f.lock);
    unsigned done = run_locked(n);
    pthread_mutex_unlock(&f.lock);
    return done;
}

static void note(uint32_t table)
{
    if (fake_seen.entries < sizeof fake_seen.entry / sizeof fake_seen.entry[0]) {
        struct fake_entry *e = &fake_seen.entry[fake_seen.entries];
        *e = (struct fake_entry){.table = table, .index = f.index};
        memcpy(e->first, f.data, sizeof e->first);
    }
    fake_seen.entries++;
}

static void command(uint32_t cmd)
{
    uint32_t op = cmd >> 24, table = cmd >> 16 & 0xff;

    f.status = fake.table_stuck ? 1 : 0;
    bool read_only = table == MR_TBL_TELE || table == MR_TBL_HIST;
    if (!table || table > MR_TBL_PAGES || f.index >= ENTRIES * 8 || table == fake.table_refuse ||
        (op == MR_TBLOP_READ) != read_only) {
        f.status = 2;
        return;
    }
    if (op == MR_TBLOP_READ) {
        memcpy(f.data, f.entry[table][f.index], 64);
        return;
    }
    memcpy(f.entry[table][f.index], f.data, 64);
    note(table);
    if (table == MR_TBL_STREAM)
        memset(&f.stream[f.index], 0, sizeof f.stream[0]);
    if (table == MR_TBL_CQ)
        memset(&f.cq[f.index], 0, sizeof f.cq[0]);
    if (table == MR_TBL_EQ)
        f.events = 0;
    if (table == MR_TBL_RQ)
        memset(&f.rq[f.index], 0, sizeof f.rq[0]);
}

static uint32_t reg_read(uint32_t off)
{
    if (off >= MR_REG_TBL_DATA && off < MR_REG_TBL_DATA + 64)
        return f.data[(off - MR_REG_TBL_DATA) / 4];
    if (off >= MR_REG_CNT && off < MR_REG_CNT + 256)
        return f.counter[(off - MR_REG_CNT) / 4];
    switch (off) {
    case MR_REG_MAGIC: return fake.magic;
    case MR_REG_VERSION: return fake.version;
    case MR_REG_LAYOUT_HASH: return fake.layout_hash;
    case MR_REG_CAP_CONNS: return fake.conns;
    case MR_REG_CAP_PATHS: return fake.paths;
    case MR_REG_CAP_STREAMS: return fake.streams;
    case MR_REG_CAP_KEYS: return fake.keys;
    case MR_REG_CAP_CQS: return fake.cqs;
    case MR_REG_CAP_MSGS: return 64;
    case MR_REG_CAP_RQS: return fake.rqs;
    case MR_REG_CAP_SGES: return fake.sges;
    case MR_REG_CAP_RECVS: return 64;
    case MR_REG_CAP_PAGES: return fake.pages;
    case MR_REG_CLOCK_KHZ: return fake.clock_khz;
    case MR_REG_CAP_GROUPS: return fake.groups;
    case MR_REG_CAP_PLANES: return fake.planes;
    case MR_REG_TIME_LO: return (uint32_t)f.now;
    case MR_REG_TBL_STATUS: return f.status;
    default: return off < sizeof f.reg ? f.reg[off / 4] : 0;
    }
}

static void reg_write(uint32_t off, uint32_t v)
{
    if (off >= MR_REG_TBL_DATA && off < MR_REG_TBL_DATA + 64)
        f.data[(off - MR_REG_TBL_DATA) / 4] = v;
    else if (off == MR_REG_TBL_INDEX)
        f.index = v;
    else if (off == MR_REG_TBL_CMD)
        command(v);
    else if (off == MR_REG_DB_CQ) {
        f.cq[v >> 16].consumed = (uint16_t)v;
        fake_seen.cq_doorbells++;
    } else if (off == MR_REG_DB_ARM || off == MR_REG_DB_ARM_SOL) {
        f.cq[v >> 16].consumed = (uint16_t)v;
        f.cq[v >> 16].armed = off;
        fire(v >> 16, false);
    } else if (off == MR_REG_DB_EQ) {
        fake_seen.eq_bell = v;
    } else if (off == MR_REG_DB_SQ) {
        f.stream[v >> 16].head = (uint16_t)v;
        fake_seen.sq_doorbells++;
        fake_seen.sq_bell = v;
        if (!fake.hold)
            run_locked(UINT32_MAX);
    } else if (off == MR_REG_DB_RQ) {
        f.rq[v >> 16].head = (uint16_t)v;
        fake_seen.rq_doorbells++;
        fake_seen.rq_bell = v;
        if (!fake.hold)
            run_locked(UINT32_MAX);
    } else if (off < sizeof f.reg) {
        f.reg[off / 4] = v;
    }
}

static int fake_open(const char *rest, struct mr_bus **bus)
{
    if (*rest)
        return -EINVAL;
    memset(&f, 0, sizeof f);
    pthread_mutex_init(&f.lock, nullptr);
    soft_mem_init(&f.mem);
    f.irq = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    f.bus.ops = &bus_fake;
    fake_seen.open++;
    *bus = &f.bus;
    return 0;
}

static int fake_close(struct mr_bus *bus)
{
    (void)bus;
    fake_seen.close++;
    close(f.irq);
    soft_mem_free(&f.mem);
    pthread_mutex_destroy(&f.lock);
    return f.dead ? -EIO : 0;
}

static int fake_read32(struct mr_bus *bus, uint32_t off, uint32_t *value)
{
    (void)bus;
    pthread_mutex_lock(&f.lock);
    if (!fake.reads_left || !fake.reads_left--)
        f.dead = true;
    int rc = f.dead ? -EIO : 0;
    *value = rc ? 0xdeadbeef : reg_read(off);
    pthread_mutex_unlock(&f.lock);
    return rc;
}

static int fake_write_block(struct mr_bus *bus, uint32_t off, const uint32_t *value, uint32_t n)
{
    (void)bus;
    pthread_mutex_lock(&f.lock);
    int rc = f.dead ? -EIO : 0;
    for (uint32_t i = 0; i < n && !rc; i++)
        reg_write(off + 4 * i, value[i]);
    pthread_mutex_unlock(&f.lock);
    return rc;
}

static int fake_write32(struct mr_bus *bus, uint32_t off, uint32_t value)
{
    return fake_write_block(bus, off, &value, 1);
}

/* Bus addresses differ from virtual ones only in name here: memory is one process. */
static int fake_map(struct mr_bus *bus, void *addr, size_t len, uint64_t *bus_addr)
{
    (void)bus;
    if (f.dead)
        return -EIO;
    if (fake.map_fails)
        return -ENOSPC;
    *bus_addr = (uintptr_t)addr;
    fake_seen.maps++;
    return soft_mem_map(&f.mem, addr, len);
}

/* Tells where fake.bus_of says; the memory itself is as always. */
static int fake_map_pages(struct mr_bus *bus, void *addr, size_t len, uint64_t *page)
{
    uint64_t first = (uintptr_t)addr & ~4095ull, bus_addr;

    if (!fake.bus_of)
        return -ENOTSUP;
    int rc = fake_map(bus, addr, len, &bus_addr);
    for (uint64_t at = first; !rc && at < (uintptr_t)addr + len; at += 4096)
        *page++ = fake.bus_of(at);
    return rc;
}

static int fake_unmap(struct mr_bus *bus, void *addr, size_t len, uint64_t bus_addr)
{
    (void)bus;
    (void)bus_addr;
    fake_seen.maps--;
    int rc = soft_mem_unmap(&f.mem, addr, len);
    return f.dead ? -EIO : rc;
}

static uint64_t fake_mark(struct mr_bus *bus)
{
    (void)bus;
    pthread_mutex_lock(&f.lock);
    uint64_t n = f.writes;
    pthread_mutex_unlock(&f.lock);
    return n;
}

static int fake_wait(struct mr_bus *bus, uint64_t mark, uint64_t max_ns, uint64_t *now_ns)
{
    (void)bus;
    (void)mark;
    pthread_mutex_lock(&f.lock);
    fake_seen.waits++;
    if (fake.run_in_wait)
        run_locked(1);
    f.now += max_ns;
    *now_ns = f.now;
    int rc = f.dead ? -EIO : 0;
    pthread_mutex_unlock(&f.lock);
    return rc;
}

static int fake_relax(struct mr_bus *bus)
{
    (void)bus;
    pthread_mutex_lock(&f.lock);
    fake_seen.relaxes++;
    int rc = f.dead ? -EIO : 0;
    pthread_mutex_unlock(&f.lock);
    return rc;
}

static int fake_time_ns(struct mr_bus *bus, uint64_t *now_ns)
{
    (void)bus;
    *now_ns = f.now;
    return f.dead ? -EIO : 0;
}

static int fake_irq_fd(struct mr_bus *bus, int *fd)
{
    (void)bus;
    *fd = f.irq;
    return fake.no_irq ? -ENOTSUP : 0;
}

static int fake_irq_take(struct mr_bus *bus)
{
    eventfd_t n;

    (void)bus;
    (void)eventfd_read(f.irq, &n);
    return f.dead ? -EIO : 0;
}

static int fake_idle(struct mr_bus *bus)
{
    (void)bus;
    return f.dead ? -EIO : 0;
}

const struct mr_bus_ops bus_fake = {
    .scheme = "fake",
    .open = fake_open,
    .close = fake_close,
    .read32 = fake_read32,
    .write32 = fake_write32,
    .write_block = fake_write_block,
    .map = fake_map,
    .map_pages = fake_map_pages,
    .unmap = fake_unmap,
    .mark = fake_mark,
    .wait = fake_wait,
    .relax = fake_relax,
    .irq_fd = fake_irq_fd,
    .irq_take = fake_irq_take,
    .idle = fake_idle,
    .time_ns = fake_time_ns,
};
