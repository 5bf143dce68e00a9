// SPDX-License-Identifier: BSD-2-Clause
/* test_ops.c - every operation: its entry, its effect, its refusals; lists. */
#include "rig.h"

#include <stdlib.h>

static const uint8_t ops[] = {MR_OP_WRITE,    MR_OP_WRITE_IMM, MR_OP_SEND,     MR_OP_SEND_IMM,
                              MR_OP_SEND_INV, MR_OP_READ,      MR_OP_CMP_SWAP, MR_OP_FETCH_ADD};

static bool is_atomic(uint32_t op)
{
    return op == MR_OP_CMP_SWAP || op == MR_OP_FETCH_ADD;
}

static bool has_remote(uint32_t op)
{
    return op == MR_OP_WRITE || op == MR_OP_WRITE_IMM || op == MR_OP_READ || is_atomic(op);
}

static bool has_imm(uint32_t op)
{
    return op == MR_OP_WRITE_IMM || op == MR_OP_SEND_IMM || op == MR_OP_SEND_INV;
}

static bool sends(uint32_t op)
{
    return op >= MR_OP_WRITE && op <= MR_OP_SEND_INV;
}

static bool takes(uint32_t op)
{
    return op >= MR_OP_WRITE_IMM && op <= MR_OP_SEND_INV;
}

/* Everything that an operation may look at is set. */
static struct mr_send_wr full(uint32_t op, const struct mr_sge *sge, uint32_t nsge)
{
    return (struct mr_send_wr){
        .wr_id = 0x1122334455667788,
        .opcode = op,
        .flags = MR_POST_SIGNALED | MR_POST_FENCE | (takes(op) ? MR_POST_SOLICITED : 0),
        .sge = sge,
        .nsge = nsge,
        .rkey = 0xa1a2a3a4,
        .raddr = 0xb1b2b3b4b5b6b7b8,
        .imm = 0xc1c2c3c4,
        .compare = 0xd1d2d3d4d5d6d7d8,
        .swap = 0xe1e2e3e4e5e6e7e8,
    };
}

/* The entry that must come of it, byte for byte, without the library's own packing. */
static void put32(uint8_t *p, uint64_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

static void put64(uint8_t *p, uint64_t v)
{
    put32(p, v);
    put32(p + 4, v >> 32);
}

static size_t model(const struct mr_send_wr *w, uint8_t e[512])
{
    uint32_t length = 0, n = 0;
    bool in_entry = w->flags & MR_POST_INLINE;

    memset(e, 0, 512);
    for (uint32_t i = 0; i < w->nsge; i++) {
        const struct mr_sge *g = &w->sge[i];
        if (!g->len)
            continue;
        uint8_t *at = n ? e + 64 + (n - 1) * 16 : e + 24;
        if (in_entry)
            memcpy(e + 64 + length, g->addr, g->len);
        else
            put64(at, (uintptr_t)g->addr), put32(at + 8, g->key), put32(at + 12, g->len), n++;
        length += g->len;
    }
    e[0] = (uint8_t)w->opcode;
    e[1] = (uint8_t)(w->flags & ~(length ? 0u : (unsigned)MR_POST_INLINE));
    e[2] = (uint8_t)n;
    put32(e + 4, length);
    if (has_remote(w->opcode)) {
        put64(e + 8, length || w->opcode == MR_OP_READ ? w->raddr : 0);
        put32(e + 16, w->rkey);
    }
    if (has_imm(w->opcode))
        put32(e + 20, w->imm);
    if (is_atomic(w->opcode))
        put64(e + 40, w->compare);
    if (w->opcode == MR_OP_CMP_SWAP)
        put64(e + 48, w->swap);
    return in_entry ? 64 + length : n ? 64 + (n - 1) * 16 : 64;
}

/* Posts and compares; nothing behind the entry is touched. */
static void check_entry(struct rig *r, const struct mr_send_wr *w, uint32_t at, uint32_t bytes)
{
    uint32_t number = mr_stream_number(r->stream[0]), bells = fake_seen.sq_doorbells;
    uint8_t want[512];
    unsigned char *entry = (unsigned char *)(uintptr_t)fake_sq_entry(number, at);

    memset(entry, 0x5a, bytes);
    CU_ASSERT_EQUAL_FATAL(mr_post_send(r->stream[0], w), 0);
    size_t used = model(w, want);
    CU_ASSERT_EQUAL(memcmp(entry, want, used), 0);
    for (size_t i = used; i < bytes; i++)
        CU_ASSERT_EQUAL_FATAL(entry[i], 0x5a);
    CU_ASSERT_EQUAL(fake_seen.sq_doorbells, bells + 1);
    CU_ASSERT_EQUAL(fake_seen.sq_bell, number << 16 | ((at + 1) & 0xffff));
}

static void random_list(uint64_t *seed, struct rig *r, struct mr_sge sge[16], uint32_t n,
                        uint32_t most)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t len = rig_random(seed) % 5 ? rig_random(seed) % (most + 1) : 0;
        sge[i] = (struct mr_sge){.addr = r->from + rig_random(seed) % (RIG_BYTES - most), .len = len,
                                 .key = rig_random(seed)};
    }
}

static void entry__every_operation(void)
{
    struct mr_sge sge = {.len = 8, .key = 0xf1f2f3f4};
    struct rig r;

    fake.hold = true;
    if (!rig_open(&r, 16, 64))
        return;
    sge.addr = r.from + 8;
    for (uint32_t i = 0; i < sizeof ops; i++) {
        struct mr_send_wr w = full(ops[i], &sge, 1);
        check_entry(&r, &w, i, 64);
    }
    // Flags one by one; length 0.
    static const uint32_t flags[] = {0, MR_POST_SIGNALED, MR_POST_FENCE, MR_POST_SOLICITED};
    for (uint32_t i = 0; i < 4; i++) {
        struct mr_send_wr w = full(MR_OP_SEND, &sge, 0);
        w.flags = flags[i];
        check_entry(&r, &w, 8 + i, 64);
    }
    for (uint32_t i = 0; i < 2; i++) {
        struct mr_send_wr w = full(i ? MR_OP_READ : MR_OP_WRITE, i ? nullptr : &sge, i ? 0 : 1);
        sge.len = 0;
        check_entry(&r, &w, 12 + i, 64);
    }
    rig_close(&r);
}

/* Lists of all lengths, in queues that go round, with entries of all sizes. */
static void entry__lists(void)
{
    uint64_t seed = 11;
    struct mr_sge sge[16];
    struct mr_wc wc[4];
    struct rig r;

    fake.hold = true;
    for (uint8_t max = 1; max <= 16; max++) {
        uint32_t bytes = max == 1 ? 64 : max <= 5 ? 128 : max <= 13 ? 256 : 512;
        if (!rig_open_as(&r, (struct rig_shape){.depth = 4, .cq = 16, .max_sge = max}))
            return;
        uint32_t number = mr_stream_number(r.stream[0]);
        struct mr_stream_row row = mr_stream_get(fake_entry(MR_TBL_STREAM, number));
        CU_ASSERT_EQUAL(64u << (unsigned)row.sq_stride, bytes);
        CU_ASSERT_EQUAL((uint64_t)row.sq_base % bytes, 0);
        for (uint32_t i = 0; i < 100; i++) {
            uint32_t op = ops[rig_random(&seed) % 6], n = i % (max + 1u);
            random_list(&seed, &r, sge, n, 64);
            struct mr_send_wr w = full(op, sge, n);
            check_entry(&r, &w, i, bytes);
            fake_cqe(0, number, i, MR_ERR_OK);
            CU_ASSERT_EQUAL_FATAL(mr_cq_poll(r.cq, wc, 4), 1);
            CU_ASSERT_EQUAL(wc[0].opcode, op);
            CU_ASSERT_EQUAL(wc[0].wr_id, w.wr_id);
            CU_ASSERT_PTR_NULL(wc[0].rq);
        }
        struct mr_send_wr w = full(MR_OP_SEND, sge, max + 1u);
        CHECK_ERR(mr_post_send(r.stream[0], &w), -EINVAL);
        rig_close(&r);
    }
}

static void entry__inline(void)
{
    static const uint16_t max[] = {1, 64, 65, 192, 193, 448};
    static const uint32_t bytes[] = {128, 128, 256, 256, 512, 512};
    uint64_t seed = 12;
    struct mr_sge sge[16];
    struct mr_wc wc[4];
    struct rig r;

    fake.hold = true;
    for (uint32_t k = 0; k < sizeof max / sizeof max[0]; k++) {
        if (!rig_open_as(&r, (struct rig_shape){.depth = 8, .cq = 32, .max_sge = 3, .max_inline = max[k]}))
            return;
        uint32_t number = mr_stream_number(r.stream[0]), at = 0;
        for (uint32_t i = 0; i < 60; i++) {
            uint32_t len = i == 0 ? max[k] : rig_random(&seed) % (max[k] + 1u), first = len ? rig_random(&seed) % len : 0;
            struct mr_sge two[] = {{.addr = r.from + i, .len = first, .key = 0xdead},
                                   {.addr = nullptr, .len = 0},
                                   {.addr = r.from + 1000, .len = len - first}};
            struct mr_send_wr w = full(ops[i % 5], two, 3);
            w.flags |= MR_POST_INLINE;
            check_entry(&r, &w, at, bytes[k]);
            fake_cqe(0, number, at++, MR_ERR_OK);
            CU_ASSERT_EQUAL_FATAL(mr_cq_poll(r.cq, wc, 4), 1);
            CU_ASSERT_EQUAL(wc[0].byte_len, len);
        }
        random_list(&seed, &r, sge, 1, 8);
        sge[0].len = max[k] + 1u;
        struct mr_send_wr w = full(MR_OP_WRITE, sge, 1);
        w.flags |= MR_POST_INLINE;
        CHECK_ERR(mr_post_send(r.stream[0], &w), -EMSGSIZE);
        sge[0].len = max[k];
        sge[0].addr = nullptr;
        CHECK_ERR(mr_post_send(r.stream[0], &w), -EINVAL);
        rig_close(&r);
    }
}

static void post__bad_argument(void)
{
    struct mr_sge sge[3] = {{.len = 8}, {.len = MR_LENGTH_MAX}, {.len = UINT32_MAX}};
    struct rig r;

    fake.hold = true;
    if (!rig_open_as(&r, (struct rig_shape){.depth = 4, .cq = 16, .max_sge = 3, .max_inline = 64}))
        return;
    unsigned char before[4 * 128], *ring = (unsigned char *)(uintptr_t)fake_sq_entry(0, 0);
    memset(ring, 0x77, sizeof before);
    memcpy(before, ring, sizeof before);
    sge[0].addr = r.from;
    const struct mr_send_wr ok = full(MR_OP_WRITE, sge, 1);
    struct mr_send_wr w;
    CHECK_ERR(mr_post_send(nullptr, &ok), -EINVAL);
    CHECK_ERR(mr_post_send(r.stream[0], nullptr), -EINVAL);
    for (uint32_t op = 0; op < 300; op++) {
        bool known = op < 256 && memchr(ops, (int)op, sizeof ops);
        if (known || op == MR_OP_BIND_WINDOW || op == MR_OP_LOCAL_INV)
            continue;
        w = ok, w.opcode = op;
        CHECK_ERR(mr_post_send(r.stream[0], &w), -EINVAL);
    }
    for (uint32_t op = MR_OP_BIND_WINDOW; op <= MR_OP_LOCAL_INV; op++) {
        w = ok, w.opcode = op, w.nsge = op == MR_OP_BIND_WINDOW ? 2 : 1;
        CHECK_ERR(mr_post_send(r.stream[0], &w), -EINVAL);
        w.nsge = op == MR_OP_BIND_WINDOW ? 0 : 2;
        CHECK_ERR(mr_post_send(r.stream[0], &w), -EINVAL);
    }
    for (unsigned bit = 4; bit < 32; bit++) {
        w = ok, w.flags |= 1u << bit;
        CHECK_ERR(mr_post_send(r.stream[0], &w), -EINVAL);
    }
    for (uint32_t i = 0; i < sizeof ops; i++) {
        w = full(ops[i], sge, 1);
        w.flags = MR_POST_INLINE;
        if (!sends(ops[i]))
            CHECK_ERR(mr_post_send(r.stream[0], &w), -EINVAL);
        w.flags = MR_POST_SOLICITED;
        if (!takes(ops[i]))
            CHECK_ERR(mr_post_send(r.stream[0], &w), -EINVAL);
    }
    w = ok, w.rsvd = 1;
    CHECK_ERR(mr_post_send(r.stream[0], &w), -EINVAL);
    w = ok, w.sge = nullptr;
    CHECK_ERR(mr_post_send(r.stream[0], &w), -EINVAL);
    w = ok, w.nsge = 4;
    CHECK_ERR(mr_post_send(r.stream[0], &w), -EINVAL);
    w = ok, w.nsge = UINT32_MAX;
    CHECK_ERR(mr_post_send(r.stream[0], &w), -EINVAL);
    w = ok, w.nsge = 2;  // 2^31 + 8
    CHECK_ERR(mr_post_send(r.stream[0], &w), -EMSGSIZE);
    w = ok, w.nsge = 3;
    CHECK_ERR(mr_post_send(r.stream[0], &w), -EMSGSIZE);
    for (uint32_t op = MR_OP_CMP_SWAP; op <= MR_OP_FETCH_ADD; op++) {
        for (unsigned off = 1; off < 8; off++) {
            w = full(op, sge, 1), w.raddr += off;
            CHECK_ERR(mr_post_send(r.stream[0], &w), -EINVAL);
        }
        static const uint32_t len[] = {0, 1, 7, 9, 16};
        for (uint32_t i = 0; i < 5; i++) {
            struct mr_sge g = {.addr = r.from, .len = len[i]};
            w = full(op, &g, 1);
            CHECK_ERR(mr_post_send(r.stream[0], &w), -EINVAL);
        }
        struct mr_sge two[] = {{.addr = r.from, .len = 4}, {.addr = r.from, .len = 4}};
        w = full(op, two, 2);
        CHECK_ERR(mr_post_send(r.stream[0], &w), -EINVAL);
        w.nsge = 0;
        CHECK_ERR(mr_post_send(r.stream[0], &w), -EINVAL);
    }
    CU_ASSERT_EQUAL(fake_seen.sq_doorbells, 0);
    CU_ASSERT_EQUAL(memcmp(before, ring, sizeof before), 0);
    w = ok, w.sge = &sge[1];  // 2^31 itself is allowed
    CU_ASSERT_EQUAL(mr_post_send(r.stream[0], &w), 0);
    rig_close(&r);
}

static void list__one_doorbell(void)
{
    struct mr_send_wr w[16];
    struct mr_sge sge[16];
    struct mr_wc wc[16];
    uint32_t posted, total = 0;
    struct rig r;

    fake.hold = true;
    if (!rig_open_as(&r, (struct rig_shape){.depth = 16, .cq = 16}))
        return;
    uint32_t number = mr_stream_number(r.stream[0]);
    for (uint32_t n = 1; n <= 16; n++) {
        for (uint32_t i = 0; i < n; i++) {
            sge[i] = (struct mr_sge){.addr = r.from + i, .len = i, .key = i};
            w[i] = full(ops[i % 5], &sge[i], 1), w[i].wr_id = i;
            w[i].flags = i % 3 && i + 1 < n ? 0 : MR_POST_SIGNALED;
        }
        posted = 99;
        CU_ASSERT_EQUAL(mr_post_send_list(r.stream[0], w, n, &posted), 0);
        CU_ASSERT_EQUAL(posted, n);
        CU_ASSERT_EQUAL(fake_seen.sq_doorbells, n);
        CU_ASSERT_EQUAL(fake_seen.sq_bell, number << 16 | (total + n));
        for (uint32_t i = 0; i < n; i++) {
            uint8_t want[512];
            CU_ASSERT_EQUAL(memcmp(fake_sq_entry(number, total + i), want, model(&w[i], want)), 0);
            if (w[i].flags)
                fake_cqe(0, number, total + i, MR_ERR_OK);
        }
        int got = mr_cq_poll(r.cq, wc, 16);
        CU_ASSERT_TRUE_FATAL(got > 0);
        CU_ASSERT_EQUAL(wc[got - 1].wr_id, n - 1);
        total += n;
    }
    CU_ASSERT_EQUAL(mr_post_send_list(r.stream[0], w, 0, &posted), 0);
    CU_ASSERT_EQUAL(mr_post_send_list(r.stream[0], nullptr, 0, nullptr), 0);
    CU_ASSERT_EQUAL(posted, 0);
    CU_ASSERT_EQUAL(fake_seen.sq_doorbells, 16);
    rig_close(&r);
}

static void list__part(void)
{
    struct mr_send_wr w[12];
    struct mr_wc wc[16];
    uint32_t posted;
    struct rig r;

    fake.hold = true;
    if (!rig_open_as(&r, (struct rig_shape){.depth = 8, .cq = 4}))
        return;
    for (uint32_t i = 0; i < 12; i++)
        w[i] = full(MR_OP_WRITE, nullptr, 0), w[i].wr_id = i, w[i].flags = 0;
    // One that can never be posted: nothing is, and nothing is told.
    w[7].opcode = 99;
    CHECK_ERR(mr_post_send_list(r.stream[0], w, 12, &posted), -EINVAL);
    CU_ASSERT_EQUAL(posted, 0);
    CU_ASSERT_EQUAL(fake_seen.sq_doorbells, 0);
    w[7].opcode = MR_OP_WRITE;
    // The send queue is full behind 8.
    CHECK_ERR(mr_post_send_list(r.stream[0], w, 12, &posted), -ENOSPC);
    CU_ASSERT_EQUAL(posted, 8);
    CU_ASSERT_EQUAL(fake_seen.sq_doorbells, 1);
    CHECK_ERR(mr_post_send_list(r.stream[0], w, 12, &posted), -ENOSPC);
    CU_ASSERT_EQUAL(posted, 0);
    CU_ASSERT_EQUAL(fake_seen.sq_doorbells, 1);
    // The completion queue is: 1 place is the run's above.
    for (uint32_t i = 0; i < 12; i++)
        w[i].flags = MR_POST_SIGNALED;
    CHECK_ERR(mr_post_send_list(r.stream[1], w, 12, &posted), -ENOSPC);
    CU_ASSERT_EQUAL(posted, 3);
    fake_run(UINT32_MAX);
    CU_ASSERT_EQUAL(mr_cq_poll(r.cq, wc, 16), 3);
    CU_ASSERT_EQUAL(wc[2].wr_id, 2);
    rig_close(&r);
}

/* A doorbell that fails leaves nothing behind: neither entries nor places. */
static void list__doorbell_fails(void)
{
    struct mr_send_wr w[3];
    uint32_t posted = 9;
    struct rig r;

    if (!rig_open_as(&r, (struct rig_shape){.depth = 8, .cq = 4, .rcq = 8, .rq_depth = 4}))
        return;
    for (uint32_t i = 0; i < 3; i++)
        w[i] = full(MR_OP_WRITE, nullptr, 0);
    fake_die();
    CHECK_ERR(mr_post_send_list(r.stream[0], w, 3, &posted), -EIO);
    CU_ASSERT_EQUAL(posted, 0);
    struct mr_recv_wr rw = {};
    CHECK_ERR(mr_post_recv(r.rq[0], &rw), -EIO);
    CHECK_ERR(mr_stream_destroy(r.stream[0]), -EIO);
    mr_device_close(r.dev);
}

/* Data goes where it must, with lists on both sides, against a model of both memories. */
static void effect__random(void)
{
    static uint8_t from[RIG_BYTES], to[RIG_BYTES];
    uint64_t seed = 13;
    struct mr_wc wc[4], rwc[4];
    struct rig r;

    if (!rig_open_as(&r, (struct rig_shape){.depth = 8, .cq = 32, .rcq = 64, .rq_depth = 4, .rq_sge = 7,
                                            .max_sge = 16, .max_inline = 100}))
        return;
    memcpy(from, r.from, sizeof from);
    memcpy(to, r.to, sizeof to);
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t op = ops[rig_random(&seed) % 8], n = is_atomic(op) ? 1 : rig_random(&seed) % 17, len = 0;
        uint32_t at = rig_random(&seed) % 64 * 8, imm = rig_random(&seed);
        uint8_t buf[1024], *p = buf;
        struct mr_sge sge[16], rsge[7];
        // Local ranges do not overlap: every second 100 bytes in a random turn.
        for (uint32_t k = 0; k < n; k++) {
            sge[k] = (struct mr_sge){.addr = r.from + (k * 7 + i) % 16 * 200 + rig_random(&seed) % 32,
                                     .len = is_atomic(op) ? 8 : rig_random(&seed) % 41,
                                     .key = mr_mr_lkey(r.src)};
            len += sge[k].len;
        }
        struct mr_send_wr w = {.wr_id = i, .opcode = op, .flags = MR_POST_SIGNALED, .sge = sge, .nsge = n,
            .rkey = mr_mr_rkey(r.dst), .raddr = (uintptr_t)r.to + at, .imm = imm, .swap = imm};
        if (sends(op) && len <= 100 && rig_random(&seed) % 2)
            w.flags |= MR_POST_INLINE;
        if (takes(op) && rig_random(&seed) % 2)
            w.flags |= MR_POST_SOLICITED;
        memcpy(&w.compare, to + at, 8);
        w.compare += op == MR_OP_CMP_SWAP ? rig_random(&seed) % 2 : 0;
        // The model.
        for (uint32_t k = 0; k < n && sends(op); k++)
            memcpy(p, from + ((uint8_t *)sge[k].addr - r.from), sge[k].len), p += sge[k].len;
        uint32_t room = 0;
        for (uint32_t k = 0; k < 7; k++)
            rsge[k] = (struct mr_sge){.addr = r.to + 600 + k * 200, .len = k * 2 == i % 14 ? 0 : 120,
                                      .key = mr_mr_lkey(r.dst)}, room += rsge[k].len;
        if (takes(op)) {
            struct mr_recv_wr rw = {.wr_id = ~(uint64_t)i, .sge = rsge, .nsge = 7};
            CU_ASSERT_EQUAL_FATAL(mr_post_recv(r.rq[1], &rw), 0);
            CU_ASSERT_TRUE_FATAL(len <= room);
        }
        if (op == MR_OP_WRITE || op == MR_OP_WRITE_IMM)
            memcpy(to + at, buf, len);
        p = buf;
        for (uint32_t k = 0, left = len; k < 7 && takes(op) && op != MR_OP_WRITE_IMM; k++) {
            uint32_t part = rsge[k].len < left ? rsge[k].len : left;
            memcpy(to + ((uint8_t *)rsge[k].addr - r.to), p, part), p += part, left -= part;
        }
        p = to + at;
        for (uint32_t k = 0; k < n && !sends(op); k++)
            memcpy(from + ((uint8_t *)sge[k].addr - r.from), p, sge[k].len), p += sge[k].len;
        uint64_t old, new;
        memcpy(&old, to + at, 8);
        new = op == MR_OP_FETCH_ADD ? old + w.compare : op == MR_OP_CMP_SWAP && old == w.compare ? w.swap : old;
        memcpy(to + at, &new, 8);

        CU_ASSERT_EQUAL_FATAL(mr_post_send(r.stream[0], &w), 0);
        CU_ASSERT_EQUAL_FATAL(mr_cq_poll(r.cq, wc, 4), 1);
        CU_ASSERT_EQUAL_FATAL(wc[0].status, MR_ERR_OK);
        CU_ASSERT_EQUAL(wc[0].wr_id, i);
        CU_ASSERT_EQUAL(wc[0].byte_len, len);
        CU_ASSERT_EQUAL(wc[0].flags, 0);
        CU_ASSERT_EQUAL_FATAL(mr_cq_poll(r.rcq, rwc, 4), takes(op) ? 1 : 0);
        if (takes(op)) {
            CU_ASSERT_EQUAL(rwc[0].wr_id, ~(uint64_t)i);
            CU_ASSERT_PTR_EQUAL(rwc[0].stream, r.stream[1]);
            CU_ASSERT_PTR_EQUAL(rwc[0].rq, r.rq[1]);
            CU_ASSERT_EQUAL(rwc[0].stream_num, mr_stream_number(r.stream[1]));
            CU_ASSERT_EQUAL(rwc[0].byte_len, len);
            CU_ASSERT_EQUAL(rwc[0].opcode, op);
            CU_ASSERT_EQUAL(rwc[0].imm, has_imm(op) ? imm : 0);
            CU_ASSERT_EQUAL(rwc[0].flags, MR_WC_RECV | (has_imm(op) && op != MR_OP_SEND_INV ? MR_WC_IMM : 0) |
                                              (w.flags & MR_POST_SOLICITED ? MR_WC_SOLICITED : 0));
        }
        CU_ASSERT_EQUAL_FATAL(memcmp(from, r.from, sizeof from), 0);
        CU_ASSERT_EQUAL_FATAL(memcmp(to, r.to, sizeof to), 0);
    }
    rig_close(&r);
}

/* Room for sends is reserved in the queue beside that of receives. */
static void list__room_beside_receives(void)
{
    struct mr_send_wr w[8];
    uint32_t posted;
    struct rig r;

    fake.hold = true;
    if (!rig_open_as(&r, (struct rig_shape){.depth = 8, .cq = 16, .rq_depth = 4}))
        return;
    for (uint32_t i = 0; i < 8; i++)
        w[i] = full(MR_OP_WRITE, nullptr, 0);
    CU_ASSERT_EQUAL(mr_post_send_list(r.stream[0], w, 8, &posted), 0);
    CHECK_ERR(mr_post_send_list(r.stream[1], w, 1, &posted), -ENOSPC);
    rig_close(&r);
}

const struct test_row tests_ops[] = {
    {"entry__every_operation", entry__every_operation},
    {"entry__lists", entry__lists},
    {"entry__inline", entry__inline},
    {"post__bad_argument", post__bad_argument},
    {"list__one_doorbell", list__one_doorbell},
    {"list__part", list__part},
    {"list__doorbell_fails", list__doorbell_fails},
    {"list__room_beside_receives", list__room_beside_receives},
    {"effect__random", effect__random},
    {},
};
