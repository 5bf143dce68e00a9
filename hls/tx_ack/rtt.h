// SPDX-License-Identifier: BSD-2-Clause
/* rtt.h - smoothed round trip time and its deviation of one path. [spec 6] */
#ifndef MR_RTT_H
#define MR_RTT_H

#include "mr_defs.h"
#include "stream.h"

/** Both in MR_TS_NS; srtt 0 = no sample yet. */
struct rtt {
    u(32) srtt;
    u(32) var;
};

MR_INLINE struct rtt rtt_sample(struct rtt r, u(32) sample)
{
    u(32) apart = sample > r.srtt ? sample - r.srtt : r.srtt - sample;

    // A clock that was set back, or a timestamp that is no echo of ours.
    if ((sample >> 24) != 0)
        return r;
    if (r.srtt == 0)
        return (struct rtt){.srtt = sample | 1, .var = sample >> 1};
    r.var = r.var - (r.var >> 2) + (apart >> 2);
    r.srtt = r.srtt - (r.srtt >> 3) + (sample >> 3);
    return r;
}

/** Time without an answer after which a path is probed. */
MR_INLINE u(32) rtt_probe_after(struct rtt r, u(32) at_least)
{
    u(32) known = (r.srtt << 1) + (r.var << 2);
    // Before the first sample a long way is assumed. [spec 6.1.1]
    u(32) t = r.srtt == 0 ? (u(32))(2 * MR_PROF_RTT_US * (1000 / MR_TS_NS)) : known;

    return t > at_least ? t : at_least;
}

#endif
