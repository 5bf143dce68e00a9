// SPDX-License-Identifier: BSD-2-Clause
/* nic_test.h - what the suites over a pair of native NICs share. */
#ifndef MR_NIC_TEST_H
#define MR_NIC_TEST_H

#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

#include "pair.h"

/* Cycles in which everything here must be over: 40 ms at 250 MHz. */
enum { PATIENCE = 10000000 };

void test_write_register(CU_pSuite s);
void test_loss_register(CU_pSuite s);
void test_sequence_register(CU_pSuite s);
void test_errors_register(CU_pSuite s);
void test_issues_register(CU_pSuite s);
void test_failure_register(CU_pSuite s);
void test_hostile_register(CU_pSuite s);
void test_streams_register(CU_pSuite s);
void test_ops_register(CU_pSuite s);
void test_ready_register(CU_pSuite s);
void test_keys_register(CU_pSuite s);
void test_events_register(CU_pSuite s);
void test_pages_register(CU_pSuite s);

/** Random bytes in the user area of a side. */
static inline void fill(struct pair *p, unsigned side, uint64_t at, uint64_t len)
{
    for (uint64_t i = 0; i < len; i++)
        p->side[side].user[at + i] = (uint8_t)pair_random(p);
}

/** Waits for the next completion and returns its status; 255 = none came. */
static inline unsigned status_of(struct pair *p, unsigned side)
{
    struct mr_cqe c;
    return pair_wait(p, side, &c, PATIENCE) ? (unsigned)c.status : 255u;
}

/** A signalled Write from side 0 to side 1, carried out; its status. */
static inline unsigned write_now(struct pair *p, uint64_t from, uint64_t to, uint32_t len)
{
    pair_post(p, 0, pair_wqe(p, 0, from, to, len));
    return status_of(p, 0);
}

static inline bool same(struct pair *p, uint64_t from, uint64_t to, uint64_t len)
{
    return memcmp(p->side[0].user + from, p->side[1].user + to, len) == 0;
}

/** Every packet of every path is acknowledged. */
static inline bool all_closed(struct pair *p, unsigned side, unsigned paths)
{
    for (unsigned i = 0; i < paths; i++) {
        struct mr_tele t = pair_tele(p, side, 0, i);
        if (t.una != t.psn || t.inflight != 0)
            return false;
    }
    return true;
}

/** Steps until every path is closed; false when that takes too long. */
static inline bool closes(struct pair *p, unsigned side, unsigned paths)
{
    for (unsigned i = 0; i < 400; i++) {
        if (all_closed(p, side, paths))
            return true;
        pair_run(p, 1000);
    }
    return false;
}

/** Gives a frame to NIC 1, as if it had come from the wire. */
static inline void inject(struct pair *p, const uint8_t *frame, unsigned len)
{
    for (unsigned at = 0; at < len; at += 64) {
        unsigned n = len - at > 64 ? 64 : len - at;
        struct mac_beat b = {.n = (u(7))n, .last = at + n == len};
        memcpy(&b.data, frame + at, n);
        while (!mr_nic_push_mac_rx(p->side[1].nic, &b))
            pair_step(p);
        pair_step(p);
    }
}

/** Kind of the frame's packet; frames of this bench are IPv4 without a tag. */
static inline unsigned kind_of(const uint8_t *frame)
{
    return frame[42] & 15;
}

/** Sequence number of the frame's packet. */
static inline uint32_t psn_of(const uint8_t *frame)
{
    return (uint32_t)frame[50] << 16 | (uint32_t)frame[51] << 8 | frame[52];
}

/** Sets the CE mark and mends the checksum. */
static inline void mark_ce(uint8_t *f)
{
    uint32_t sum = 0;

    f[15] |= 3;
    f[24] = f[25] = 0;
    for (unsigned i = 14; i < 34; i += 2)
        sum += (uint32_t)(f[i] << 8 | f[i + 1]);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = ~((sum & 0xffff) + (sum >> 16));
    f[24] = (uint8_t)(sum >> 8);
    f[25] = (uint8_t)sum;
}

#endif
