// SPDX-License-Identifier: BSD-2-Clause
/* Codes and name tables against the rows. */
#include "mr_defs.h"
#include "mr_names.h"
#include "test.h"

#include <string.h>

#define MR_CODE(group, name, value, text) _Static_assert(MR_##group##_##name == value, #name);
#include "codes.def"
#undef MR_CODE
#define MR_REG(name, offset, access, text) _Static_assert(MR_REG_##name == offset, #name);
#include "regs.def"

#define MR_COUNTER(name, kernel, text) {#name, text},
static const struct { const char *name, *text; } counters[] = {
#include "counters.def"
};

static void names__counters(void)
{
    CU_ASSERT_EQUAL(MR_CNT__COUNT, sizeof counters / sizeof *counters);
    for (unsigned i = 0; i < MR_CNT__COUNT; i++) {
        CU_ASSERT_STRING_EQUAL(mr_cnt_name(i), counters[i].name);
        CU_ASSERT_STRING_EQUAL(mr_cnt_text(i), counters[i].text);
    }
    CU_ASSERT_EQUAL(MR_CNT_RX_FRAMES, 0);
}

static void names__codes(void)
{
    CU_ASSERT_STRING_EQUAL(mr_err_name(MR_ERR_REMOTE_KEY), "REMOTE_KEY");
    CU_ASSERT_STRING_EQUAL(mr_err_text(MR_ERR_OK), "success");
    CU_ASSERT_STRING_EQUAL(mr_op_name(MR_OP_NULL), "NULL");
    CU_ASSERT_STRING_EQUAL(mr_kind_name(MR_KIND_ERROR), "ERROR");
    CU_ASSERT_STRING_EQUAL(mr_reg_name(MR_REG_DB_SQ), "DB_SQ");
}

static void names__bad_code(void)
{
    CU_ASSERT_STRING_EQUAL(mr_err_text(200), "?");
    CU_ASSERT_STRING_EQUAL(mr_op_name(0xffffffff), "?");
}

static void names__layouts(void)
{
    unsigned n = 0;
    for (const struct mr_layout_name *l = mr_layout_names; l->name != NULL; l++, n++) {
        unsigned bit = 0;
        for (const struct mr_field_name *f = l->fields; f->name != NULL; f++) {
            CU_ASSERT_EQUAL(f->bit, bit);
            bit += f->bits;
        }
        CU_ASSERT_EQUAL(bit, 8 * l->bytes);
    }
    CU_ASSERT(n >= 18);
}

void add_names(void)
{
    CU_pSuite s = CU_add_suite("names", NULL, NULL);
    ADD(s, names__counters);
    ADD(s, names__codes);
    ADD(s, names__bad_code);
    ADD(s, names__layouts);
}
