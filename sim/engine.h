// SPDX-License-Identifier: BSD-2-Clause
/*
 * engine.h - one NIC at cycle level. The core does not know whether it is the
 * Verilated RTL, the kernels run natively or the test engine.
 *
 * A cycle: the models (mem.h, link.h, core.h) fill their side of a sim_io, the
 * engine runs one clock cycle and fills its own side; on every channel whose
 * valid and ready are both set, one item has moved.
 *
 * This header is read by C23 and by C++17 (engine_rtl.cc).
 */
#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIM_NICS_MAX 72 // 64 senders, their receiver, some to spare; at most 254: addresses end in index + 1
#define SIM_CYCLE_NS 4 // 250 MHz
#define SIM_CYCLE_PS 4000
#define SIM_AXI_IDS 4
#define SIM_AXI_BEATS_MAX 256

/** One beat of a frame without preamble and FCS. */
struct sim_beat {
    uint8_t data[64];
    uint8_t n; // valid bytes from byte 0: 64 in all beats but the last, there 1 to 64
    bool last;
    bool err; // with last, MAC to NIC only: the FCS was bad
};

/** A burst of aligned 64-byte beats that stays inside one 4 KiB page. */
struct sim_burst {
    uint64_t addr;  // the low 6 bits do not count
    uint16_t beats; // 1 to SIM_AXI_BEATS_MAX
    uint8_t id;     // below SIM_AXI_IDS
};

struct sim_io {
    // frames, NIC to MAC
    bool tx_ready; // model
    bool tx_valid; // engine
    struct sim_beat tx;
    // frames, MAC to NIC
    bool rx_valid;
    bool rx_ready;
    struct sim_beat rx;
    // read request, read data
    bool ar_ready;
    bool ar_valid;
    struct sim_burst ar;
    bool r_valid;
    bool r_ready;
    struct {
        uint8_t data[64];
        uint8_t id;
        bool last;
        bool err;
    } r;
    // write request, write data, write answer
    bool aw_ready;
    bool aw_valid;
    struct sim_burst aw;
    bool w_ready;
    bool w_valid;
    struct {
        uint8_t data[64];
        uint64_t keep;
        bool last;
    } w;
    bool b_valid;
    bool b_ready;
    struct {
        uint8_t id;
        bool err;
    } b;
    // register access: one at a time, rsp_valid is one cycle long and needs no ready
    bool reg_valid;
    bool reg_ready;
    struct {
        bool write;
        uint16_t addr;
        uint32_t data;
    } reg;
    bool rsp_valid;
    struct {
        uint32_t data;
        bool err;
    } rsp;
    // interrupt, NIC to host: one cycle long
    bool irq;
};

struct sim_engine_opt {
    int nic;           // index, for file names and messages
    const char *fst;   // wave file of this NIC, or null
    const char *trace; // file for the recorder of trace.h, or null
};

/** One kind of engine. */
struct sim_engine_ops {
    const char *name;
    /** Null if the engine is not in this build, memory is short or a file cannot be made. */
    void *(*open)(const struct sim_engine_opt *opt);
    void (*close)(void *e);
    /** Puts the engine into the state after reset; takes no simulated time. */
    void (*reset)(void *e);
    /** One clock cycle; `cycle` counts from 0 and never goes back, not even by reset. */
    void (*cycle)(void *e, uint64_t cycle, struct sim_io *io);
};

/** The engine of that name, or null if this build does not have it. */
const struct sim_engine_ops *sim_engine_find(const char *name);

extern const struct sim_engine_ops sim_engine_loopback;
extern const struct sim_engine_ops sim_engine_native __attribute__((weak));
extern const struct sim_engine_ops sim_engine_rtl __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif
