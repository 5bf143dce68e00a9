// SPDX-License-Identifier: BSD-2-Clause
#include "tx_mov.h"

#include "icrc/cover.h"
#include "rx_place/bytes.h"

/** The frame's next beat. */
MR_INLINE u(512) beat_data(struct tx_mov *k)
{
    u(512) turn = bytes_below(k->turn);
    u(512) pay = k->skip ? k->rot : (k->prev & turn) | (k->rot & ~turn);
    u(512) hdr = k->at == 0 ? (u(512))k->f.hdr : (u(512))(k->f.hdr >> 512);
    u(512) head = bytes_below((u(7))((u(6))k->f.hlen));
    u(512) mask = k->f.pay_len == 0 || k->at == 0 ? (u(512))0
                  : k->at == 1                    ? ~head
                                                  : ~(u(512))0;
    return ((k->at == 2 ? (u(512))0 : hdr) | (pay & mask)) & bytes_below(bytes_in_beat(k->rem));
}

/** Second stage: puts a beat if it can, and makes rot free if it is used up. */
MR_INLINE void mov_out(struct tx_mov *k)
{
    bool room = k->beat.ready && k->crc.ready && k->fail.ready;
    bool has_pay = k->f.pay_len != 0;
    bool whole = k->rot_valid && k->rot_last;  // all that is left of the read, so nothing is to come in front of it
    bool pay_here = k->skip ? whole : k->rot_valid || k->rd_end;
    bool more = k->rem != 0;
    bool out = room && more && (k->at == 0 || !has_pay || pay_here);
    bool eat = k->rot_valid && ((k->skip && !whole) || !more || (out && k->at != 0));

    if (out) {
        u(512) data = beat_data(k);
        bool last = bytes_end(k->rem);
        u(7) n = bytes_in_beat(k->rem);
        bool poison = last && (k->err || (eat && k->rot_err));
        mr_put(k->beat, (struct tx_beat){.data = data, .n = n, .last = last, .poison = poison});
        mr_put(k->crc, (struct crc_beat){
            .data = icrc_cover(data, k->at == 0, k->at == 1, k->f.l3_at == 18, k->f.ipv6),
            .n = n,
            .last = last,
        });
        if (poison) {
            mr_put(k->fail, (struct fail){.stream = k->f.stream, .life = k->f.life, .msg = k->f.msg, .code = MR_ERR_BUS, .rsp = k->f.rsp});
            k->cnt_tx_bus_errors += 1;
        }
        k->rem = last ? (u(13))0 : (u(13))(k->rem - 64);
        k->at = k->at == 0 ? 1 : 2;
    }
    if (eat) {
        k->prev = k->rot;
        k->skip = false;
        k->rd_end = k->rot_last;
        k->err = k->rot_last && k->rot_err;
        k->rot_valid = false;
    }
}

/** First stage: takes and rotates a read beat. */
MR_INLINE void mov_in(struct tx_mov *k)
{
    k->rot = bytes_rotate(k->rd.data.data, k->turn);
    k->rot_last = k->rd.data.last;
    k->rot_err = k->rd.data.err;
    k->rot_valid = true;
    k->rd_open = !k->rd.data.last;
    mr_take(k->rd);
}

MR_INLINE void mov_start(struct tx_mov *k)
{
    struct tx_frame f = k->frame.data;
    bool has_pay = f.pay_len != 0;
    k->busy = true;
    k->f = f;
    k->at = 0;
    k->rem = (u(13))f.hlen + f.pay_len;
    k->turn = (u(6))f.hlen - f.pay_at;
    k->skip = (u(6))f.hlen < f.pay_at;
    k->rd_open = has_pay;
    k->rd_end = !has_pay;
    k->err = false;
    mr_take(k->frame);
}

MR_KERNEL(tx_mov)
{
    if (k->busy)
        mov_out(k);
    if (k->rd_open && !k->rot_valid && k->rd.valid)
        mov_in(k);
    if (k->busy && k->rem == 0 && k->rd_end)
        k->busy = false;
    if (!k->busy && k->frame.valid)
        mov_start(k);
}
