// SPDX-License-Identifier: BSD-2-Clause
/* test_soft_windows.c - memory windows between two software NICs. */
#include "soft_pair.h"

enum { AT = 65536, SHOWN = 4096 };

static const struct soft_shape plain = {.rq_depth = 8};

/* A Write of 64 bytes by stream k of side 0 through a key of side 1; its status. */
static unsigned write_at(unsigned k, uint32_t key, uint32_t offset)
{
    struct mr_sge from = soft_range(0, 0, 64);

    CU_ASSERT_EQUAL(soft_send(0, k, (struct mr_send_wr){.opcode = MR_OP_WRITE, .sge = &from, .nsge = 1,
        .raddr = soft_addr(1, offset), .rkey = key}), 0);
    return soft_next(soft[0].cq).status;
}

static unsigned bind(const struct mr_mr *mr, uint32_t key, uint32_t len, uint32_t rights)
{
    struct mr_sge shown = {.addr = soft[1].memory + AT, .len = len, .key = mr_mr_lkey(mr)};

    CU_ASSERT_EQUAL(soft_send(1, 0, (struct mr_send_wr){.opcode = MR_OP_BIND_WINDOW, .sge = &shown, .nsge = 1,
        .rkey = key, .imm = rights}), 0);
    return soft_next(soft[1].cq).status;
}

static void window__shows_a_part_until_it_is_withdrawn(void)
{
    struct mr_mr *mr;
    struct mr_mw *mw;

    if (!soft_open(plain, ""))
        return;
    CU_ASSERT_EQUAL(mr_mr_reg(soft[1].pd, soft[1].memory, SOFT_BYTES,
        MR_RIGHT_LOCAL_READ | MR_RIGHT_LOCAL_WRITE | MR_RIGHT_BIND, &mr), 0);
    CU_ASSERT_EQUAL(mr_mw_create(soft[1].pd, &mw), 0);
    uint32_t key = mr_key_next(mr_mw_key(mw));
    CU_ASSERT_EQUAL(bind(mr, key, SHOWN, MR_RIGHT_REMOTE_WRITE), MR_ERR_OK);
    soft_fill(0, 0, 64, 1);
    CU_ASSERT_EQUAL(write_at(0, key, AT + SHOWN - 64), MR_ERR_OK);
    CU_ASSERT_EQUAL(memcmp(soft[1].memory + AT + SHOWN - 64, soft[0].memory, 64), 0);
    // The peer gives it back with its last message.
    struct mr_sge to = soft_range(1, 0, 64), from = soft_range(0, 0, 64);
    CU_ASSERT_EQUAL(soft_recv(1, 0, 7, &to, 1), 0);
    CU_ASSERT_EQUAL(soft_send(0, 0, (struct mr_send_wr){.opcode = MR_OP_SEND_INV, .sge = &from, .nsge = 1,
        .imm = key}), 0);
    CU_ASSERT_EQUAL(soft_next(soft[1].rcq).status, MR_ERR_OK);
    CU_ASSERT_EQUAL(soft_next(soft[0].cq).status, MR_ERR_OK);
    CU_ASSERT_EQUAL(write_at(0, key, AT), MR_ERR_REMOTE_KEY);
    // Bound anew, it has another key, and shows no more than it was told.
    key = mr_key_next(key);
    CU_ASSERT_EQUAL(bind(mr, key, SHOWN, MR_RIGHT_REMOTE_WRITE), MR_ERR_OK);
    CU_ASSERT_EQUAL(write_at(1, key, AT + SHOWN - 63), MR_ERR_REMOTE_BOUNDS);
    CU_ASSERT_EQUAL(mr_mw_destroy(mw), 0);
    CU_ASSERT_EQUAL(write_at(2, key, AT), MR_ERR_REMOTE_KEY);
    CU_ASSERT_EQUAL(mr_mr_dereg(mr), 0);
    soft_close();
}

/** What a window was bound with must not open what comes to stand in its place. */
static void window__key_of_its_successor_is_another(void)
{
    struct mr_mr *mr;
    struct mr_mw *mw;
    uint32_t key, last = 0;

    if (!soft_open(plain, ""))
        return;
    CU_ASSERT_EQUAL(mr_mr_reg(soft[1].pd, soft[1].memory, SOFT_BYTES, MR_RIGHT_LOCAL_READ | MR_RIGHT_BIND, &mr), 0);
    CU_ASSERT_EQUAL(mr_mw_create(soft[1].pd, &mw), 0);
    key = mr_mw_key(mw);
    for (int i = 0; i < 5; i++)
        CU_ASSERT_EQUAL(bind(mr, key = mr_key_next(key), SHOWN, MR_RIGHT_REMOTE_READ), MR_ERR_OK);
    CU_ASSERT_EQUAL(mr_mw_destroy(mw), 0);
    for (int i = 0; i < 100000 && last >> 8 != key >> 8; i++) {
        CU_ASSERT_EQUAL_FATAL(mr_mw_create(soft[1].pd, &mw), 0);
        last = mr_mw_key(mw);
        CU_ASSERT_EQUAL(mr_mw_destroy(mw), 0);
    }
    CU_ASSERT_EQUAL(last >> 8, key >> 8);
    CU_ASSERT_EQUAL(last & 0xff, (key + 1) & 0xff);
    CU_ASSERT_EQUAL(mr_mr_dereg(mr), 0);
    soft_close();
}

static void window__bad_posts(void)
{
    struct mr_sge two[2] = {0};

    if (!soft_open(plain, ""))
        return;
    two[0] = two[1] = soft_range(1, 0, 64);
    CU_ASSERT_EQUAL(soft_send(1, 0, (struct mr_send_wr){.opcode = MR_OP_BIND_WINDOW, .rkey = 1}), -EINVAL);
    CU_ASSERT_EQUAL(soft_send(1, 0, (struct mr_send_wr){.opcode = MR_OP_BIND_WINDOW, .rkey = 1, .sge = two, .nsge = 2}), -EINVAL);
    CU_ASSERT_EQUAL(soft_send(1, 0, (struct mr_send_wr){.opcode = MR_OP_LOCAL_INV, .imm = 1, .sge = two, .nsge = 1}), -EINVAL);
    CU_ASSERT_EQUAL(soft_send(1, 0, (struct mr_send_wr){.opcode = MR_OP_LOCAL_INV, .imm = 1, .flags = MR_POST_INLINE}), -EINVAL);
    CU_ASSERT_EQUAL(mr_mw_create(nullptr, nullptr), -EINVAL);
    CU_ASSERT_EQUAL(mr_mw_destroy(nullptr), 0);
    soft_close();
}

const struct test_row tests_soft_windows[] = {
    {"window__shows_a_part_until_it_is_withdrawn", window__shows_a_part_until_it_is_withdrawn},
    {"window__key_of_its_successor_is_another", window__key_of_its_successor_is_another},
    {"window__bad_posts", window__bad_posts},
    {0},
};
