// SPDX-License-Identifier: BSD-2-Clause
/* gate.c - descriptors that are readable by a flag of the library's or by the interrupt. */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "event.h"

void mri_gate_set(struct mri_gate *g, bool up)
{
    uint64_t v = 1;
    ssize_t ignored = 0;

    if (g->own < 0 || g->up == up)
        return;
    g->up = up;
    if (up)
        ignored = write(g->own, &v, sizeof v);
    else
        ignored = read(g->own, &v, sizeof v);
    (void)ignored;
}

void mri_gate_close(struct mri_gate *g)
{
    if (g->own >= 0)
        close(g->own);
    if (g->ep >= 0)
        close(g->ep);
    *g = (struct mri_gate){.own = -1, .ep = -1};
}

int mri_gate_open(struct mri_gate *g, int irq)
{
    struct epoll_event e = {.events = EPOLLIN};

    g->up = false;
    g->own = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    g->ep = epoll_create1(EPOLL_CLOEXEC);
    if (g->own >= 0 && g->ep >= 0 && !epoll_ctl(g->ep, EPOLL_CTL_ADD, g->own, &e) &&
        !epoll_ctl(g->ep, EPOLL_CTL_ADD, irq, &e))
        return 0;
    mri_gate_close(g);
    return -ENOMEM;
}
