// SPDX-License-Identifier: BSD-2-Clause
/*
 * Every layout on random bytes: the printed accessors against bit loops written
 * here from the rows alone.
 */
#include "mr_defs.h"
#include "test.h"

#include <string.h>

#define ROUNDS 500

/* Bit i, counted from the field's least significant one, of a field of n bits behind `at` bits. */
static bool ref_bit(const uint8_t *m, bool wire, unsigned at, unsigned n, unsigned i)
{
    unsigned pos = wire ? at + n - 1 - i : at + i;
    unsigned in_byte = wire ? 7 - pos % 8 : pos % 8;
    return m[pos / 8] >> in_byte & 1;
}

static void ref_set(uint8_t *m, bool wire, unsigned at, unsigned n, unsigned i, bool v)
{
    unsigned pos = wire ? at + n - 1 - i : at + i;
    unsigned in_byte = wire ? 7 - pos % 8 : pos % 8;
    m[pos / 8] = (uint8_t)((m[pos / 8] & ~(1u << in_byte)) | (unsigned)v << in_byte);
}

/* From here each row becomes a piece of one function per layout. */

#define wire_ORDER true
#define host_ORDER false

#define MR_LAYOUT(l, order, bytes, text)                                                           \
    static void layout__##l(void)                                                                  \
    {                                                                                              \
        CU_ASSERT_EQUAL(sizeof((struct mr_##l[1]){}) > 0, true);                                   \
        for (unsigned round = 0; round < ROUNDS; round++) {                                        \
            const bool wire = order##_ORDER;                                                       \
            enum { n = bytes };                                                                    \
            uint8_t m[n + 1], ref[n], out[n + 2];                                                  \
            test_random_bytes(m, n + 1);                                                           \
            memset(m, round == 0 ? 0 : 0xff, round < 2 ? n : 0);                                   \
            memset(ref, 0, n);                                                                     \
            struct mr_##l got = mr_##l##_get(m);                                                   \
            unsigned _BitInt(8 * n) bits = 0;                                                      \
            for (unsigned i = 0; i < n; i++)                                                       \
                bits |= (unsigned _BitInt(8 * n))m[i] << 8 * i;                                    \
            struct mr_##l unpacked = mr_##l##_unpack(bits);                                        \
            unsigned at = 0, wrong = 0;
#define MR_FIELD(l, name, nbits, text)                                                             \
            for (unsigned i = 0; i < nbits; i++) {                                                 \
                bool v = ref_bit(m, wire, at, nbits, i);                                           \
                wrong += v != (bool)((got.name >> i) & 1);                                         \
                wrong += v != (bool)((unpacked.name >> i) & 1);                                    \
                ref_set(ref, wire, at, nbits, i, (bool)((got.name >> i) & 1));                     \
            }                                                                                      \
            at += nbits;
#define MR_END(l)                                                                                  \
            wrong += at != 8 * n;                                                                  \
            memset(out, 0xa5, sizeof out);                                                         \
            mr_##l##_put(out + 1, got);                                                            \
            wrong += memcmp(out + 1, ref, n) != 0 || memcmp(out + 1, m, n) != 0;                   \
            wrong += out[0] != 0xa5 || out[n + 1] != 0xa5;                                         \
            wrong += mr_##l##_pack(got) != bits;                                                   \
            CU_ASSERT_EQUAL(wrong, 0);                                                             \
            if (wrong != 0)                                                                        \
                return;                                                                            \
        }                                                                                          \
    }
#include "wire.def"
#include "host.def"
#undef MR_LAYOUT
#undef MR_FIELD
#undef MR_END

/* Sizes once more, against the macros. */
#define MR_LAYOUT(l, order, bytes, text) static const unsigned bytes_##l = bytes;
#define MR_FIELD(l, name, bits, text)
#define MR_END(l)
#include "wire.def"
#include "host.def"
#undef MR_LAYOUT

static void layout__sizes(void)
{
    CU_ASSERT_EQUAL(bytes_base, MR_BASE_BYTES);
    CU_ASSERT_EQUAL(bytes_data, MR_DATA_BYTES);
    CU_ASSERT_EQUAL(bytes_ack, MR_ACK_BYTES);
    CU_ASSERT_EQUAL(bytes_error, MR_ERROR_BYTES);
    CU_ASSERT_EQUAL(bytes_atomic, MR_ATOMIC_BYTES);
    CU_ASSERT_EQUAL(bytes_close, MR_CLOSE_BYTES);
    CU_ASSERT_EQUAL(bytes_closed, MR_CLOSED_BYTES);
    CU_ASSERT_EQUAL(bytes_setup, MR_SETUP_BYTES);
    CU_ASSERT_EQUAL(bytes_ctl, MR_CTL_BYTES);
    CU_ASSERT_EQUAL(bytes_wqe, MR_WQE_BYTES);
    CU_ASSERT_EQUAL(bytes_cqe, MR_CQE_BYTES);
    CU_ASSERT_EQUAL(bytes_sge, MR_SGE_BYTES);
    CU_ASSERT_EQUAL(bytes_rq, MR_RQ_BYTES);
    CU_ASSERT_EQUAL(MR_ATOMIC_BYTES, MR_DATA_BYTES);  /* [spec 3.7.1] */
    CU_ASSERT_EQUAL(bytes_conn, MR_CONN_BYTES);
    CU_ASSERT_EQUAL(bytes_path, MR_PATH_BYTES);
    CU_ASSERT_EQUAL(bytes_stream, MR_STREAM_BYTES);
    CU_ASSERT_EQUAL(bytes_key, MR_KEY_BYTES);
    CU_ASSERT_EQUAL(bytes_cq, MR_CQ_BYTES);
    CU_ASSERT_EQUAL(bytes_tele, MR_TELE_BYTES);
    /* [spec 2.5.3], [spec 3.1.3] Ethernet, VLAN tag, IPv6, UDP, base, largest extension */
    CU_ASSERT_EQUAL(14 + 4 + 40 + 8 + MR_BASE_BYTES + MR_ACK_BYTES, 124);
}

void add_layout(void)
{
    CU_pSuite s = CU_add_suite("layout", NULL, NULL);
    ADD(s, layout__sizes);
#define MR_LAYOUT(l, order, bytes, text) ADD(s, layout__##l);
#include "wire.def"
#include "host.def"
}
