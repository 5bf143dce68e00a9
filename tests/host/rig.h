// SPDX-License-Identifier: BSD-2-Clause
/* rig.h - what the tests of libmetaroce share. */
#ifndef TEST_RIG_H
#define TEST_RIG_H

#include "lib/rows.h"

#include <CUnit/CUnit.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "fake.h"
#include "metaroce.h"

enum { RIG_BYTES = 4096 };

/** Two connections of one fake device, connected to each other, a stream on each. */
struct rig {
    struct mr_device *dev;
    struct mr_pd *pd;
    struct mr_cq *cq, *rcq;  // rcq: NULL if the shape has none
    struct mr_rq *rq[2];     // NULL if the shape has none; twice the same if it is shared
    struct mr_conn *conn[2];
    struct mr_stream *stream[2];
    struct mr_mr *src, *dst;
    _Alignas(8) uint8_t from[RIG_BYTES];
    _Alignas(8) uint8_t to[RIG_BYTES];
};

/** What it is made of; 0: none, or the library's default. */
struct rig_shape {
    uint32_t depth, cq;
    uint32_t rcq;
    uint32_t rq_depth;
    uint8_t rq_sge, shared, max_sge;
    uint16_t max_inline;
};

/** Fails the test and returns false if a step fails; then the rig is closed. */
bool rig_open(struct rig *r, uint32_t depth, uint32_t cq_entries);
bool rig_open_as(struct rig *r, struct rig_shape shape);
void rig_close(struct rig *r);

/** The next of 2^31 numbers. */
uint32_t rig_random(uint64_t *seed);

/** Attributes of end 0 or 1. */
struct mr_conn_attr rig_attr(unsigned end);

/** A Write of n bytes from offset at on stream 0. */
struct mr_write rig_write(const struct rig *r, uint64_t wr_id, uint32_t at, uint32_t n,
                          uint32_t flags);

/** Notes a skip with its reason. */
void rig_skip(const char *why);

struct test_row {
    const char *name;
    void (*run)(void);
};

/* One table for each test file, ended by a row without a name. */
extern const struct test_row tests_bus[], tests_bus_sim[], tests_complete[], tests_conn[],
    tests_cq[], tests_device[], tests_event[], tests_event_soft[], tests_groups[], tests_life[],
    tests_memory[], tests_ops[], tests_pages[], tests_paths[], tests_planes[], tests_post[],
    tests_rq[], tests_soft[], tests_soft_ends[], tests_soft_nic[], tests_soft_ops[],
    tests_soft_pages[], tests_soft_windows[], tests_stream[], tests_telemetry[], tests_text[],
    tests_tune[];

#define CHECK_ERR(call, err)                                                                       \
    do {                                                                                           \
        int got_ = (call);                                                                         \
        CU_ASSERT_EQUAL(got_, err);                                                                \
        CU_ASSERT_TRUE(*mr_strerror(got_) != 0);                                                   \
    } while (0)

#endif
