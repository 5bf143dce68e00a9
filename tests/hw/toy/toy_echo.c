// SPDX-License-Identifier: BSD-2-Clause
#include "toy.h"

MR_KERNEL(toy_echo)
{
    if (!k->rx.valid || !k->tx.ready)
        return;
    mr_take(k->rx);
    mr_put(k->tx,
           (struct mac_beat){~k->rx.data.data, k->rx.data.n, k->rx.data.last, k->rx.data.err});
    if (k->rx.data.last)
        k->frames++;
}
