// SPDX-License-Identifier: BSD-2-Clause
/*
 * ext.h - the streams at the edge of the NIC: what the shell in hw/, the models
 * in sim/ and the native NIC connect to. One item per clock cycle and stream.
 *
 * A beat carries 64 bytes; byte 0 of the frame or of the aligned address is
 * bits 7:0.
 */
#ifndef MR_EXT_H
#define MR_EXT_H

#include "stream.h"

/** One beat of an Ethernet frame without preamble and FCS. */
struct mac_beat {
    u(512) data;
    u(7) n;    // valid bytes from byte 0: 64 in all beats but the last, there 1 to 64
    bool last;
    bool err;  // with last: the MAC found the frame bad (FCS, oversize)
};

/** Read of len bytes at addr. Answered by beats that cover the aligned range. */
struct rd_req {
    u(64) addr;
    u(16) len;  // 1 to 4096; the shell splits at 4 KiB and burst limits
};

/**
 * One 64-byte aligned beat of a read's answer: byte i is the byte at address
 * (addr & ~63) + 64 * k + i. Answers come in the order of their requests.
 */
struct rd_beat {
    u(512) data;
    bool last;
    bool err;  // with last: some part of the read failed
};

/** Write of len bytes at addr. Its wr_beats follow on the data stream. */
struct wr_req {
    u(64) addr;
    u(16) len;  // 1 to 4096
};

/** One 64-byte aligned beat of a write, laid out as in rd_beat. */
struct wr_beat {
    u(512) data;
    u(64) keep;  // bit i: byte i is written
    bool last;
};

/** One write is done, in the order of the requests. */
struct wr_done {
    bool err;
};

/** Interrupt: an entry of the event queue is in host memory. Several may be told by one. */
struct irq {
    bool up;  // 1
};

/** Register access from the host; every one is answered, in order. */
struct reg_req {
    bool write;
    u(16) addr;  // byte offset in BAR 0, a multiple of 4
    u(32) data;
};

struct reg_rsp {
    u(32) data;  // read value; 0 for a write
};

#endif
