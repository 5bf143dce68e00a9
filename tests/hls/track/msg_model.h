// SPDX-License-Identifier: BSD-2-Clause
/*
 * msg_model.h - what rx_msg must do, told from its items alone: the model hears of
 * every item that the kernel takes and judges every item that it gives.
 */
#ifndef MSG_MODEL_H
#define MSG_MODEL_H

#include "bench.h"

enum { MODEL_KEEP = 64 };  // messages of a stream that the model remembers

/** A message or an answer, cut into packets. */
struct model_msg {
    uint8_t opcode;
    uint32_t msg, length, mtu;
    unsigned packets;
    uint32_t sent;    // packets given to the kernel's FIFO, a bit each
    uint32_t taken;   // packets that the kernel took
    bool over;        // answer: told
    uint32_t code;    // answer: imm of an error packet that was taken, 0 = none
    bool error_sent;
    uint16_t recv;
    uint32_t match, imm, key;
    uint64_t addr, compare, swap;
    bool solicited;
};

struct model_stream {
    bool open;
    unsigned gen;               // lives of the stream
    uint16_t conn, rcq, pd;
    struct model_msg msg[MODEL_KEEP];
    uint32_t created;           // messages that exist
    uint32_t next;              // no message before it is still to be retired
    uint32_t told;              // last head
    struct model_msg req[MR_MSGS];
    uint32_t req_created;
    uint32_t atoms_out;         // atomics given, outcome not taken
    uint32_t regular;           // responses and atomics given, not cut
    bool is_error[MR_AHEAD];    // places in use, in order: kind
    unsigned places_at, places;
    uint8_t slot;
    bool failed;
};

/** An outcome that the kernel took and has to answer. */
struct model_value {
    bool due, error;
    uint32_t msg;
    uint64_t value;
    uint8_t code;
};

struct model {
    struct model_stream s[MR_STREAMS];
    struct model_value value[MR_STREAMS];
    unsigned retired, cpls, reads, atoms, dones, fails, errors;
};

struct model_msg *model_at(struct model_stream *s, uint32_t msg);
bool model_complete(const struct model_msg *m);
uint32_t model_packet_len(const struct model_msg *m, unsigned i);

void model_opened(struct model *m, struct cfg_write c);
void model_got(struct model *m, struct got g);
void model_cut(struct model *m, struct stream_count c);
void model_rfail(struct model *m, struct fail f);

void model_cpl(struct model *m, struct completion c, struct ended e);
void model_rsp(struct model *m, struct msg r);
void model_atom(struct model *m, struct atom a);
void model_head(struct model *m, struct msg_head h);
void model_answered(struct model *m, uint16_t stream, uint32_t msg, uint8_t code, struct ended e);

/** Nothing is left over: all that is complete was retired and told. */
void model_at_rest(struct model *m);

#endif
