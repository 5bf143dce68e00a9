// SPDX-License-Identifier: BSD-2-Clause
#include "rx_beat.h"

#include "icrc/cover.h"
#include "rx_place/bytes.h"

/** Second step: the held beat to all outputs. */
MR_INLINE void beat_out(struct rx_beat *k)
{
    bool first = k->first;
    bool last = k->beat.last;
    u(7) n = k->beat.n;
    u(7) idx = first ? (u(7))0 : k->idx;

    bool crc_open = first || !k->crc_done;
    bool crc_ends = bytes_end(k->rem);
    if (crc_open) {
        u(7) crc_n = bytes_in_beat(k->rem);
        u(512) data = icrc_cover(k->beat.data, first, idx == 1, k->vlan, k->ipv6);
        mr_put(k->crc, (struct crc_beat){
            .data = data & bytes_below(crc_n),
            .n = crc_n,
            .last = crc_ends || last,
        });
        k->crc_done = crc_ends || last;
    }

    bool bad = first ? k->rem == 0 : k->bad;
    bad |= last ? k->beat.err : n != 64;
    bad |= last && crc_open && k->rem > n;
    bad |= idx >= RX_BEAT_LIMIT;
    k->bad = bad;

    u(512) data = k->beat.data & bytes_below(n);
    if (first)
        k->beat0 = data;
    if (idx == 1)
        k->beat1 = data;
    if (last) {
        u(512) high = idx == 0 ? (u(512))0 : k->beat1;
        u(13) len = (u(13))((u(13))idx << 6) + n;
        mr_put(k->frame, (struct rx_frame){
            .hdr = (u(1024))high << 512 | k->beat0,
            .len = idx == RX_BEAT_IDX_MAX ? (u(16))RX_BEAT_LEN_MAX : (u(16))len,
            .bad = bad,
            .has_pay = !first,
        });
        k->cnt_rx_frames += 1;
    }
    if (!first && idx <= RX_BEAT_LIMIT)
        mr_put(k->pay, (struct pay_beat){.data = k->beat.data, .last = last || idx == RX_BEAT_LIMIT});
    k->idx = idx == RX_BEAT_IDX_MAX ? idx : (u(7))(idx + 1);
}

/** First step: takes a beat; of a first one, where the IP length ends. */
MR_INLINE void beat_in(struct rx_beat *k)
{
    u(512) d = k->mac.data.data;
    u(17) rem = k->rem - 64; // may wrap: behind the end nobody looks at it
    if (!k->mid) {
        // All four ends are computed, then one is chosen: no sum waits for a comparison.
        bool vlan = bytes_be16(d, 12) == 0x8100;
        bool ipv4 = vlan ? bytes_be16(d, 16) == 0x0800 : bytes_be16(d, 12) == 0x0800;
        bool ipv6 = vlan ? bytes_be16(d, 16) == 0x86dd : bytes_be16(d, 12) == 0x86dd;
        u(17) end4 = vlan ? (u(17))bytes_be16(d, 18 + 2) + 18 : (u(17))bytes_be16(d, 14 + 2) + 14;
        u(17) end6 = vlan ? (u(17))bytes_be16(d, 18 + 4) + 58 : (u(17))bytes_be16(d, 14 + 4) + 54;
        rem = ipv6 ? end6 : ipv4 ? end4 : (u(17))0;
        k->vlan = vlan;
        k->ipv6 = ipv6;
    }
    k->rem = rem;
    k->beat = k->mac.data;
    k->first = !k->mid;
    k->mid = !k->mac.data.last;
    mr_take(k->mac);
}

MR_KERNEL(rx_beat)
{
    bool room = k->crc.ready && k->frame.ready && k->pay.ready;
    if (k->held && !room)
        return;
    if (k->held)
        beat_out(k);
    k->held = k->mac.valid;
    if (k->mac.valid)
        beat_in(k);
}
