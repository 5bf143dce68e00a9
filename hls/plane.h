// SPDX-License-Identifier: BSD-2-Clause
/*
 * plane.h - a plane's addresses. Those of plane 0 stand in the connection's
 * entry; on plane k the low three bits of one byte of both IP addresses, 0 on
 * plane 0, are k, and both MAC addresses differ by an exclusive or with k.
 * [spec 2.7]
 */
#ifndef MR_PLANE_H
#define MR_PLANE_H

#include "mr_defs.h"
#include "stream.h"

/** Planes of a connection, 1 to MR_WIRE_PLANES. */
MR_INLINE u(4) plane_count(struct mr_conn c)
{
    return c.nplanes == 0 ? (u(4))1 : c.nplanes > MR_WIRE_PLANES ? (u(4))MR_WIRE_PLANES : (u(4))c.nplanes;
}

/** What differs from plane 0 in an IP address; `at` is conn.plane_at. */
MR_INLINE u(128) plane_bits(u(3) plane, u(4) at)
{
    return (u(128))plane << ((u(128))at << 3);
}

/** The plane of an address of which `differs` differs from plane 0; the rest is to be compared. */
MR_INLINE u(3) plane_of(u(128) differs, u(4) at)
{
    return (u(3))(differs >> ((u(128))at << 3));
}

#endif
