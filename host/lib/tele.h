// SPDX-License-Identifier: BSD-2-Clause
/* tele.h - an entry of the telemetry table in the units of metaroce.h; for the library and mrnic. */
#ifndef MRI_TELE_H
#define MRI_TELE_H

#include "rows.h"

#include "metaroce.h"

/** All but source port and plane, which are in the path's own entry. */
static inline struct mr_path_info mri_tele_info(struct mr_tele_row t)
{
    return (struct mr_path_info){
        .bytes = (uint64_t)t.bytes,
        .srtt_ns = (uint32_t)t.srtt * MR_TS_NS,
        .rttvar_ns = (uint32_t)t.rttvar * MR_TS_NS,
        .cwnd = (uint32_t)t.cwnd,
        .inflight = (uint32_t)t.inflight,
        .packets = (uint32_t)t.packets,
        .resent = (uint32_t)t.resent,
        .lost = (uint32_t)t.lost,
        .marks = (uint32_t)t.marks,
        .acks = (uint32_t)t.acks,
        .probes = (uint32_t)t.probes,
        .psn = (uint32_t)t.psn,
        .una = (uint32_t)t.una,
        .hint_mbps = (uint32_t)t.hint,
        .moved = (uint32_t)t.moved,
        .fails = (uint16_t)t.fails,
        .epoch = (uint8_t)t.epoch,
        .state = (uint8_t)t.state,
    };
}

#endif
