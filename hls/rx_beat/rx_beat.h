// SPDX-License-Identifier: BSD-2-Clause
/*
 * rx_beat - cuts a frame from the MAC into what the receive side looks at.
 *
 * in:  mac    beats of frames
 * out: crc    covered beats for icrc_acc, the last one where the IP length ends;
 *             exactly one with last per frame, at the MAC's last beat at latest
 *      frame  with the MAC's last beat: the first 128 bytes and what the beats told
 *      pay    beats 1 to RX_BEAT_LIMIT as received; later ones are swallowed
 *
 * One 802.1Q tag is looked through. A frame that is not IP has one empty crc
 * beat. bad: MAC error, fewer bytes than the IP length says, a short beat that is
 * not the last, not IP, or more than RX_BEAT_LIMIT beats. Two steps of latency, one beat
 * per step; all three outputs must be ready. Because `frame` comes after the
 * frame's pay beats, the FIFO behind pay must take RX_BEAT_LIMIT beats.
 */
#ifndef MR_RX_BEAT_H
#define MR_RX_BEAT_H

#include "desc.h"
#include "ext.h"

enum {
    RX_BEAT_LIMIT = 67,    // beats of the longest good frame: 4288 bytes
    RX_BEAT_IDX_MAX = 127, // where the count of beats stays
    RX_BEAT_LEN_MAX = 8191, // length told of a frame with more beats than that
};

struct rx_beat {
    MR_IN(struct mac_beat, mac);
    MR_OUT(struct crc_beat, crc);
    MR_OUT(struct rx_frame, frame);
    MR_OUT(struct pay_beat, pay);
    MR_STAT(u(32), cnt_rx_frames);

    bool mid;              // the next beat from the MAC is not the first of its frame
    bool held;             // beat, first and rem are valid
    struct mac_beat beat;
    bool first;            // beat is the first of its frame
    u(17) rem;             // covered bytes from the start of beat on, 0 = none; of no meaning when crc_done
    bool vlan;             // of beat's frame, as ipv6
    bool ipv6;

    u(7) idx;              // beats of the frame in front of beat
    bool bad;              // found up to there
    bool crc_done;         // the frame's last crc beat went out
    u(512) beat0;          // the frame's first two beats
    u(512) beat1;
};

#endif
