// SPDX-License-Identifier: BSD-2-Clause
// expect 4: 'module' is a word of Verilog
#include "stream.h"
struct module {
    MR_IN(u(16), rx);
    MR_OUT(u(16), tx);
};
MR_KERNEL(module)
{
    if (k->rx.valid && k->tx.ready) {
        mr_take(k->rx);
        mr_put(k->tx, k->rx.data);
    }
}
