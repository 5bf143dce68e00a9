// SPDX-License-Identifier: BSD-2-Clause
#include "frame.h"

#include <string.h>

#include "sim_test.h"

static void parse__ip4_and_ip6(void)
{
    uint8_t f[100];
    frame_make(f, sizeof f, 4, 0, 1, 777, 2, 0);
    struct sim_frame_info i = sim_frame_parse(f, sizeof f);
    CU_ASSERT(i.version == 4 && i.ip == 14 && i.sport == 777 && i.dst[3] == 2 && i.src[3] == 1);
    frame_make(f, sizeof f, 6, 0, 1, 778, 2, 0);
    i = sim_frame_parse(f, sizeof f);
    CU_ASSERT(i.version == 6 && i.ip == 14 && i.sport == 778 && i.dst[15] == 2 && i.src[15] == 1);
}

static void parse__vlan_and_fragment(void)
{
    uint8_t f[104];
    frame_make(f, 100, 4, 0, 1, 777, 2, 0);
    memmove(f + 16, f + 12, 88);
    memcpy(f + 12, (uint8_t[]){0x81, 0, 0, 5}, 4);
    struct sim_frame_info i = sim_frame_parse(f, sizeof f);
    CU_ASSERT(i.version == 4 && i.ip == 18 && i.sport == 777);
    f[18 + 7] = 9; // fragment offset: no UDP header here
    i = sim_frame_parse(f, sizeof f);
    CU_ASSERT(i.version == 4 && i.sport == 0);
}

static void parse__bad_lengths(void)
{
    uint8_t f[100];
    for (int v = 4; v <= 6; v += 2) {
        frame_make(f, sizeof f, v, 0, 1, 777, 2, 0);
        for (size_t n = 12; n < sizeof f; n++) { // ASan watches
            uint8_t cut[100];
            memcpy(cut, f, n);
            struct sim_frame_info i = sim_frame_parse(cut, n);
            CU_ASSERT(i.version == 0 || i.ip + (v == 4 ? 20 : 40) <= n);
        }
    }
}

static void mark__keeps_checksum(void)
{
    uint8_t f[100];
    for (unsigned tos = 0; tos < 256; tos++)
        for (unsigned id = 0; id < 65536; id += 977) {
            frame_make(f, sizeof f, 4, 0, 1, 777, (uint8_t)tos, 0);
            f[18] = (uint8_t)(id >> 8);
            f[19] = (uint8_t)id;
            uint16_t sum = frame_sum(f);
            f[24] = (uint8_t)(sum >> 8);
            f[25] = (uint8_t)sum;
            struct sim_frame_info i = sim_frame_parse(f, sizeof f);
            bool marked = sim_frame_mark(f, &i);
            bool able = (tos & 3) == 1 || (tos & 3) == 2;
            uint16_t now = (uint16_t)(f[24] << 8 | f[25]);
            if (marked != able || f[15] != (able ? (tos | 3) : tos) || now != frame_sum(f)) {
                CU_FAIL("mark");
                return;
            }
        }
}

static void mark__ip6(void)
{
    uint8_t f[100];
    for (uint8_t ecn = 0; ecn < 4; ecn++) {
        frame_make(f, sizeof f, 6, 0, 1, 777, ecn, 0);
        struct sim_frame_info i = sim_frame_parse(f, sizeof f);
        bool able = ecn == 1 || ecn == 2;
        CU_ASSERT_EQUAL(sim_frame_mark(f, &i), able);
        CU_ASSERT_EQUAL((f[15] >> 4) & 3, able ? 3 : ecn);
    }
}

static void hash__spreads(void)
{
    uint8_t f[100];
    for (uint32_t routes = 2; routes <= 8; routes++) {
        unsigned count[8] = {};
        for (unsigned port = 49152; port < 49152 + 4000; port++) {
            frame_make(f, sizeof f, 4, 0, 1, (uint16_t)port, 2, 0);
            struct sim_frame_info i = sim_frame_parse(f, sizeof f);
            count[sim_frame_hash(&i) % routes]++;
        }
        for (uint32_t r = 0; r < routes; r++)
            CU_ASSERT(count[r] > 4000 / routes * 8 / 10 && count[r] < 4000 / routes * 12 / 10);
    }
}

void test_frame_add(void)
{
    CU_pSuite s = test_suite("frame");
    test_add(s, "parse__ip4_and_ip6", parse__ip4_and_ip6);
    test_add(s, "parse__vlan_and_fragment", parse__vlan_and_fragment);
    test_add(s, "parse__bad_lengths", parse__bad_lengths);
    test_add(s, "mark__keeps_checksum", mark__keeps_checksum);
    test_add(s, "mark__ip6", mark__ip6);
    test_add(s, "hash__spreads", hash__spreads);
}
