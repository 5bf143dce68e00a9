// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>
#include <deque>
#include <vector>

#include "bench.h"

struct Frame {
    std::vector<uint8_t> bytes;
    bool err;
};

static Frame frame(Rng &rng, unsigned len)
{
    Frame f = {std::vector<uint8_t>(len), rng.chance(20)};
    for (auto &b : f.bytes)
        b = (uint8_t)rng.bits();
    return f;
}

static uint64_t mask(unsigned n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }

/** A frame in pieces of 64 bytes. */
struct Beats {
    const Frame *f = nullptr;
    size_t at = 0;
    unsigned n() const { return (unsigned)std::min<size_t>(64, f->bytes.size() - at); }
    bool last() const { return at + 64 >= f->bytes.size(); }
};

struct Bench {
    Dut d;
    Rng rng;
    Bench()
    {
        d->t_valid = d->s_axis_tvalid = d->m_axis_tready = d->r_ready = 0;
        d.reset();
        d.clock();
    }
};

static void tx_run(unsigned in_pct, unsigned out_pct, unsigned len_max, bool gapless)
{
    Bench b;
    Dut &d = b.d;
    std::deque<Frame> in, out;
    std::vector<uint8_t> got;
    Beats s;
    bool inside = false, hold = false;

    for (int k = 0; k < 300; k++)
        in.push_back(frame(b.rng, 1 + b.rng.below(len_max)));
    out = in;
    for (int c = 0; c < 200000 && !out.empty(); c++) {
        if (!hold && !in.empty() && b.rng.chance(in_pct)) {
            s.f = &in.front();
            memset(&d->t_data, 0xee, 64);
            memcpy(&d->t_data, &s.f->bytes[s.at], s.n());
            d->t_n = s.n();
            d->t_last = s.last();
            d->t_err = s.last() && s.f->err;
            hold = true;
        }
        d->t_valid = hold;
        d->m_axis_tready = b.rng.chance(out_pct);
        d.settle();
        CU_ASSERT_FATAL(!(gapless && inside && !d->m_axis_tvalid));  // the MAC runs dry
        if (d->m_axis_tvalid && d->m_axis_tready) {
            unsigned n = (unsigned)__builtin_popcountll(d->m_axis_tkeep);
            const uint8_t *p = (const uint8_t *)&d->m_axis_tdata;
            got.insert(got.end(), p, p + n);
            inside = !d->m_axis_tlast;
            if (d->m_axis_tlast) {
                CU_ASSERT_FATAL(got == out.front().bytes && d->m_axis_tuser == out.front().err);
                out.pop_front();
                got.clear();
            }
        }
        if (d->t_valid && d->t_ready) {
            hold = false;
            s.at += 64;
            if (d->t_last) {
                in.pop_front();
                s.at = 0;
            }
        }
        d.edge();
        CU_ASSERT_FATAL(!bench_stopped);
    }
    CU_ASSERT(out.empty());
}

static void tx__random() { tx_run(60, 60, 1000, true); }
static void tx__slow_source() { tx_run(10, 100, 1000, true); }
static void tx__slow_mac() { tx_run(100, 20, 1000, true); }
/** A frame larger than the buffer gets through, if with gaps. */
static void tx__larger_than_buffer() { tx_run(70, 70, 3000, false); }

static void rx_run(unsigned in_pct, unsigned out_pct, unsigned len_max, bool want_drops)
{
    Bench b;
    Dut &d = b.d;
    std::deque<Frame> in, sent;
    std::vector<uint8_t> got;
    Beats s;
    unsigned frames = 400, passed = 0, skipped = 0;

    for (unsigned k = 0; k < frames; k++)
        in.push_back(frame(b.rng, 1 + b.rng.below(len_max)));
    sent = in;
    for (int c = 0; c < 100000 && (!in.empty() || c < 20000); c++) {
        d->s_axis_tvalid = !in.empty() && b.rng.chance(in_pct);
        if (d->s_axis_tvalid) {
            s.f = &in.front();
            memset(&d->s_axis_tdata, 0xee, 64);
            memcpy(&d->s_axis_tdata, &s.f->bytes[s.at], s.n());
            d->s_axis_tkeep = mask(s.n());
            d->s_axis_tlast = s.last();
            d->s_axis_tuser = s.last() && s.f->err;
        }
        d->r_ready = b.rng.chance(in.empty() ? 100 : out_pct);
        d.settle();
        CU_ASSERT_FATAL(d->s_axis_tready);
        if (d->r_valid && d->r_ready) {
            const uint8_t *p = (const uint8_t *)&d->r_data;
            CU_ASSERT_FATAL(d->r_n >= 1 && d->r_n <= 64 && (d->r_last || d->r_n == 64));
            got.insert(got.end(), p, p + d->r_n);
            if (d->r_last) {
                // Frames come whole and in order; those between were dropped.
                for (bool match = false; !match; skipped += !match) {
                    CU_ASSERT_FATAL(!sent.empty());
                    Frame f = sent.front();
                    bool cut = f.bytes.size() > 512;
                    sent.pop_front();
                    if (cut)
                        f.bytes.resize(512);
                    match = got == f.bytes && d->r_err == (f.err || cut);
                }
                passed++;
                got.clear();
            }
        }
        if (d->s_axis_tvalid) {
            s.at += 64;
            if (d->s_axis_tlast) {
                in.pop_front();
                s.at = 0;
            }
        }
        d.edge();
        CU_ASSERT_FATAL(!bench_stopped);
    }
    skipped += (unsigned)sent.size();
    CU_ASSERT_EQUAL(d->drops, skipped);
    CU_ASSERT_EQUAL(passed + skipped, frames);
    CU_ASSERT((skipped > 0) == want_drops);
    CU_ASSERT(passed > 20);
}

static void rx__random() { rx_run(50, 90, 512, false); }
static void rx__line_rate() { rx_run(100, 100, 512, false); }
/** A kernel that is too slow: whole frames are lost, and counted. */
static void rx__overflow() { rx_run(100, 20, 512, true); }
/** Frames above the limit are cut and marked bad. */
static void rx__bad_oversize() { rx_run(60, 100, 1500, false); }

/** Holes in TKEEP: the frame comes out marked bad. */
static void rx__bad_keep()
{
    const uint64_t keep[3][2] = {{~0ull, 5}, {~0ull >> 1, 1}, {~0ull, 0}};
    for (int k = 0; k < 3; k++) {
        Bench b;
        Dut &d = b.d;
        bool seen = false;
        d->r_ready = 1;
        for (int c = 0; c < 20; c++) {
            d->s_axis_tvalid = c < 2;
            d->s_axis_tkeep = keep[k][c & 1];
            d->s_axis_tlast = c == 1;
            d->s_axis_tuser = 0;
            d.settle();
            if (d->r_valid && d->r_last) {
                seen = true;
                CU_ASSERT(d->r_err);
            }
            d.edge();
        }
        CU_ASSERT(seen);
    }
}

BENCH("axis", {"tx__random", tx__random}, {"tx__slow_source", tx__slow_source},
      {"tx__slow_mac", tx__slow_mac}, {"tx__larger_than_buffer", tx__larger_than_buffer},
      {"rx__random", rx__random}, {"rx__line_rate", rx__line_rate},
      {"rx__overflow", rx__overflow}, {"rx__bad_oversize", rx__bad_oversize},
      {"rx__bad_keep", rx__bad_keep})
