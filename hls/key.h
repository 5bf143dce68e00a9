// SPDX-License-Identifier: BSD-2-Clause
/*
 * key.h - the one check of a memory key, for both directions. [spec 7]
 */
#ifndef MR_KEY_H
#define MR_KEY_H

#include "desc.h"

enum key_verdict { KEY_OK, KEY_UNKNOWN, KEY_BOUNDS, KEY_RIGHT };

/** What a check needs to know of an access. len is not 0. */
struct key_use {
    u(32) key;
    u(16) pd;
    u(8) right;  // one MR_RIGHT_*
    u(64) addr;
    u(32) len;
};

MR_INLINE u(2) key_check(struct mr_key e, struct key_use a)
{
    u(64) at = a.addr - e.va;
    bool known = e.rights != 0 && e.tag == (u(8))a.key && e.pd == a.pd && (a.key >> 8) < MR_KEYS;
    // at <= len - a.len, written so that nothing can wrap.
    bool inside = a.addr >= e.va && at <= e.len && e.len - at >= (u(64))a.len;

    if (!known)
        return KEY_UNKNOWN;
    if ((e.rights & a.right) == 0)
        return KEY_RIGHT;
    return inside ? KEY_OK : KEY_BOUNDS;
}

#endif
