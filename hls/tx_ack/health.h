// SPDX-License-Identifier: BSD-2-Clause
/*
 * health.h - policy: what the timer does about a path that is silent. [spec 6.2, 6.4]
 *
 * | state   | silent for its time | does                                             |
 * |---------|---------------------|--------------------------------------------------|
 * | LIVE    | in flight: yes      | probe; left after fail_min of them if others work; else other source ports are tried, and errors come after retry_max |
 * | CLOSING | yes                 | CLOSE again, over another path; errors after 4 retry_max |
 * | TRIAL   | yes                 | probe, with another source port                  |
 *
 * The first fail_min probes come at even distances, so that a failure is seen
 * soon; then the distance doubles.
 *
 * | constant     | value  | unit | meaning                              |
 * |--------------|--------|------|--------------------------------------|
 * | HEALTH_BACK  | 6      | log2 | longest distance: 64 times the first |
 * | HEALTH_CLOSE_BACK | 3      | log2 | of CLOSE: 8 times, as others work     |
 * | HEALTH_PORTS | 0xc000 |      | first of the dynamic ports           |
 * | HEALTH_ERA   | 29     | log2, MR_TS_NS | an era: at least MR_PROF_LIFETIME_MS |
 * | HEALTH_LIVES | 64     |      | incarnations that a path may begin in an era: in any such time at most twice as many |
 */
#ifndef MR_HEALTH_H
#define MR_HEALTH_H

#include "tx_ack/tx_ack.h"

#define HEALTH_BACK  6
#define HEALTH_CLOSE_BACK 3
#define HEALTH_PORTS 0xc000
#define HEALTH_ERA   29
#define HEALTH_LIVES 64

static_assert((1ull << HEALTH_ERA) * MR_TS_NS >= MR_PROF_LIFETIME_MS * 1'000'000ull);

enum health_act { HEALTH_NONE, HEALTH_PROBE, HEALTH_CLOSE, HEALTH_LEAVE, HEALTH_GIVE_UP };

/** Is it time to do something about the path? */
MR_INLINE bool health_due(struct ack_row r, u(32) now, u(32) probe_min)
{
    u(32) after = rtt_probe_after(r.rtt, probe_min) << (u(32))r.backoff;
    bool waits = r.state == MR_TELEST_LIVE      ? r.una != r.next
                 : r.state == MR_TELEST_CLOSING ? true
                                                : r.state == MR_TELEST_TRIAL;

    return waits && (u(32))(now - r.heard) > after;
}

/** May the path begin another incarnation? It stays as it is otherwise, and tries other ports. [spec 6.3.9] */
MR_INLINE bool health_may_leave(struct ack_row r, u(32) now)
{
    return r.era != (u(3))(now >> HEALTH_ERA) || r.lives < HEALTH_LIVES;
}

/** Counts an incarnation. */
MR_INLINE struct ack_row health_leave(struct ack_row r, u(32) now)
{
    r.lives = r.era == (u(3))(now >> HEALTH_ERA) ? (u(7))(r.lives + 1) : (u(7))1;
    r.era = (u(3))(now >> HEALTH_ERA);
    return r;
}

/** What, when it is time. `others`: another path of the connection has worked since the first probe. */
MR_INLINE u(3) health_act(struct ack_row r, bool others, bool may_leave, u(32) fail_min, u(32) retry_max)
{
    bool fails = (u(32))r.silent >= fail_min;
    bool closing = r.state == MR_TELEST_CLOSING;
    u(32) most = retry_max << (closing ? (u(32))2 : (u(32))0);
    bool over = (u(32))r.silent >= (most > 255 ? (u(32))255 : most);

    if (r.state == MR_TELEST_TRIAL)
        return HEALTH_PROBE;
    if (closing)
        return over ? (u(3))HEALTH_GIVE_UP : (u(3))HEALTH_CLOSE;
    if (fails && others)
        return may_leave ? (u(3))HEALTH_LEAVE : (u(3))HEALTH_PROBE;
    return over ? (u(3))HEALTH_GIVE_UP : (u(3))HEALTH_PROBE;
}

/** The row after the act, but for what CLOSE and a new incarnation change. */
MR_INLINE struct ack_row health_count(struct ack_row r, u(32) now, u(32) fail_min)
{
    if (r.silent == 0)
        r.probed = now;
    r.backoff += (u(3))((u(32))r.silent >= fail_min &&
                        r.backoff != (r.state == MR_TELEST_CLOSING ? HEALTH_CLOSE_BACK : HEALTH_BACK));
    r.silent += (u(8))(r.silent != 255);
    r.heard = now;
    return r;
}

/** A source port for the path's next try. */
MR_INLINE u(16) health_port(u(32) seed, u(16) row, u(32) now)
{
    u(32) mixed = (seed ^ now ^ ((u(32))row << 16)) * 0x9e3779b1;

    return (u(16))HEALTH_PORTS | (u(16))(mixed >> 18);
}

#endif
