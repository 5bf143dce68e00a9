// SPDX-License-Identifier: BSD-2-Clause
// expect 16: call of 'fib'
#include "stream.h"
#include <stdint.h>
struct recursion {
    MR_IN(u(16), rx);
    MR_OUT(u(16), tx);
};
static u(16) fib(u(16) n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
MR_KERNEL(recursion)
{
    if (k->tx.ready)
        mr_put(k->tx, fib(k->rx.data));
}
