// SPDX-License-Identifier: BSD-2-Clause
#include "rig.h"

#include <limits.h>

static void strerror__never_empty(void)
{
    for (int e = -200; e <= 200; e++) {
        CU_ASSERT_PTR_NOT_NULL_FATAL(mr_strerror(e));
        CU_ASSERT_TRUE(strlen(mr_strerror(e)) > 3);
        CU_ASSERT_STRING_EQUAL(mr_strerror(e), mr_strerror(-e));
    }
    CU_ASSERT_STRING_EQUAL(mr_strerror(INT_MIN), "unknown error");
    CU_ASSERT_STRING_EQUAL(mr_strerror(INT_MAX), "unknown error");
    CU_ASSERT_TRUE(strstr(mr_strerror(-EPROTO), "layout") != nullptr);
}

static void status_text__all(void)
{
    for (int s = 0; s < 256; s++) {
        CU_ASSERT_TRUE(strlen(mr_status_text((uint8_t)s)) > 3);
        CU_ASSERT_TRUE(strlen(mr_opcode_text((uint8_t)s)) > 3);
    }
    CU_ASSERT_STRING_EQUAL(mr_status_text(MR_ERR_OK), "success");
    CU_ASSERT_STRING_EQUAL(mr_status_text(200), "unknown status");
    CU_ASSERT_STRING_EQUAL(mr_opcode_text(MR_OP_WRITE), "Write");
    CU_ASSERT_STRING_EQUAL(mr_opcode_text(200), "unknown operation");
}

static void path_state_text__all(void)
{
    for (int s = 0; s < 256; s++)
        CU_ASSERT_TRUE(strlen(mr_path_state_text((uint8_t)s)) > 3);
    CU_ASSERT_STRING_EQUAL(mr_path_state_text(MR_PATH_FREE), "free");
    CU_ASSERT_STRING_EQUAL(mr_path_state_text(MR_PATH_TRIAL), "trial");
    CU_ASSERT_STRING_EQUAL(mr_path_state_text(MR_PATH_DEAD), "dead");
    CU_ASSERT_STRING_EQUAL(mr_path_state_text(MR_PATH_DEAD + 1), "unknown");
}

const struct test_row tests_text[] = {
    {"strerror__never_empty", strerror__never_empty},
    {"status_text__all", status_text__all},
    {"path_state_text__all", path_state_text__all},
    {},
};
