// SPDX-License-Identifier: BSD-2-Clause
/* Bytes written down by hand for a handful of layouts. */
#include "mr_defs.h"
#include "test.h"

#include <string.h>

static void golden__base(void)
{
    static const uint8_t want[16] = {0x11, 0x03, 0x05, 0x07, 0xab, 0xcd, 0xef, 0x09,
                                     0x12, 0x34, 0x56, 0x00, 0xde, 0xad, 0xbe, 0xef};
    struct mr_base h = {.version = 1, .kind = MR_KIND_DATA, .opcode = MR_OP_SEND,
                        .flags = MR_FLAG_LAST | MR_FLAG_SOLICITED, .epoch = 7,
                        .conn = 0xabcdef, .path = 9, .psn = 0x123456, .ts = 0xdeadbeef};
    uint8_t out[16];
    mr_base_put(out, h);
    CU_ASSERT_EQUAL(memcmp(out, want, sizeof want), 0);
}

static void golden__base_in_a_beat(void)
{
    /* The same header as the low 128 bits of a beat: byte 0 is bits 7:0. */
    unsigned _BitInt(128) beat = (unsigned _BitInt(128))0xefbeadde00563412 << 64 |
                                 0x09efcdab07050311;
    struct mr_base h = mr_base_unpack(beat);
    CU_ASSERT_EQUAL(h.version, 1);
    CU_ASSERT_EQUAL(h.kind, 1);
    CU_ASSERT_EQUAL(h.conn, 0xabcdef);
    CU_ASSERT_EQUAL(h.psn, 0x123456);
    CU_ASSERT_EQUAL(h.ts, 0xdeadbeef);
    CU_ASSERT(mr_base_pack(h) == beat);
}

static void golden__version_and_kind_share_a_byte(void)
{
    uint8_t out[16];
    mr_base_put(out, (struct mr_base){.version = 0xf, .kind = 0x2});
    CU_ASSERT_EQUAL(out[0], 0xf2);
    mr_base_put(out, (struct mr_base){.version = 0x2, .kind = 0xf});
    CU_ASSERT_EQUAL(out[0], 0x2f);
}

static void golden__data(void)
{
    static const uint8_t want[40] = {
        0x00, 0x00, 0x2a, 0x00, 0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x10, 0x00, 0x00, 0x01,
        0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
        0xa1, 0xa2, 0xa3, 0xa4, 0xb1, 0xb2, 0xb3, 0xb4, 0xc1, 0xc2, 0xc3, 0xc4};
    uint8_t out[40];
    mr_data_put(out, (struct mr_data){.stream = 42, .msg = 7, .offset = 4096, .msg_len = 65536,
                                      .pay_len = 4096, .addr = 0x1122334455667788,
                                      .key = 0xa1a2a3a4, .imm = 0xb1b2b3b4,
                                      .match = 0xc1c2c3c4});
    CU_ASSERT_EQUAL(memcmp(out, want, sizeof want), 0);
}

static void golden__ack_bits(void)
{
    /* Number p is bit p mod 256; bit 0 is the low bit of the last byte on the wire. */
    uint8_t out[MR_ACK_BYTES], want[MR_ACK_BYTES] = {0x01, 0x02};
    want[10] = 0x80;
    want[41] = 0x01;
    want[40] = 0x02;
    mr_ack_put(out, (struct mr_ack){.edge = 0x0102,
                                    .bits = (unsigned _BitInt(256))1 << 255 | 1 | 1 << 9});
    CU_ASSERT_EQUAL(memcmp(out, want, sizeof want), 0);
}

static void golden__wqe(void)
{
    uint8_t out[64], want[64] = {0x01, 0x05, 0x01, 0x00, 0x78, 0x56, 0x34, 0x12, 0x08, 0x07,
                                 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, 0xd4, 0xc3, 0xb2, 0xa1};
    want[24] = 0x10;
    want[36] = 0x99;
    mr_wqe_put(out, (struct mr_wqe){.opcode = MR_OP_WRITE,
                                    .flags = MR_WQEF_SIGNALED | MR_WQEF_INLINE, .nsge = 1,
                                    .length = 0x12345678,
                                    .raddr = 0x0102030405060708, .rkey = 0xa1b2c3d4,
                                    .sge_addr = 0x10, .sge_len = 0x99});
    CU_ASSERT_EQUAL(memcmp(out, want, sizeof want), 0);
}

static void golden__cqe(void)
{
    uint8_t out[32], want[32] = {0x02, 0x01, 0x05, 0x04, 0x03, 0x06, 0x0a, 0x01};
    want[24] = 0x44;
    want[27] = 0x11;
    want[31] = 0x01;
    mr_cqe_put(out, (struct mr_cqe){.wqe = 0x0102, .stream = 0x030405, .opcode = 6,
                                    .status = MR_ERR_RETRY, .flags = MR_CQEF_RECV,
                                    .msg = 0x11000044, .phase = 1});
    CU_ASSERT_EQUAL(memcmp(out, want, sizeof want), 0);
}

static void golden__conn_addresses(void)
{
    /* The first byte of an address on the wire is the highest of the number. */
    uint8_t out[64];
    mr_conn_put(out, (struct mr_conn){.smac = 0x020000000001, .saddr = 0x0a000001});
    CU_ASSERT_EQUAL(out[8], 0x01);
    CU_ASSERT_EQUAL(out[13], 0x02);
    CU_ASSERT_EQUAL(out[20], 0x01);
    CU_ASSERT_EQUAL(out[23], 0x0a);
}

void add_golden(void)
{
    CU_pSuite s = CU_add_suite("golden", NULL, NULL);
    ADD(s, golden__base);
    ADD(s, golden__base_in_a_beat);
    ADD(s, golden__version_and_kind_share_a_byte);
    ADD(s, golden__data);
    ADD(s, golden__ack_bits);
    ADD(s, golden__wqe);
    ADD(s, golden__cqe);
    ADD(s, golden__conn_addresses);
}
