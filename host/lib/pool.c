// SPDX-License-Identifier: BSD-2-Clause
/* pool.c - numbers of table entries, groups of them, and lists. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

int mri_pool_init(struct mri_pool *p, uint32_t n, uint8_t first_tag)
{
    *p = (struct mri_pool){.n = n};
    p->slot = calloc(n ? n : 1, sizeof p->slot[0]);
    if (!p->slot)
        return -ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        p->slot[i].tag = first_tag;
    return 0;
}

void mri_pool_free(struct mri_pool *p)
{
    free(p->slot);
    *p = (struct mri_pool){};
}

int mri_pool_take(struct mri_pool *p, uint32_t *index)
{
    if (p->used == p->n)
        return -ENOSPC;
    while (p->slot[p->next].used)
        p->next = p->next + 1 < p->n ? p->next + 1 : 0;
    *index = p->next;
    p->slot[p->next].used = 1;
    p->slot[p->next].tag++;
    p->used++;
    p->next = p->next + 1 < p->n ? p->next + 1 : 0;
    return 0;
}

int mri_pool_take_at(struct mri_pool *p, uint32_t index, uint8_t tag)
{
    if (p->slot[index].used)
        return -EBUSY;
    p->slot[index] = (struct mri_slot){.used = 1, .tag = tag};
    p->used++;
    return 0;
}

void mri_pool_give(struct mri_pool *p, uint32_t index)
{
    p->slot[index].used = 0;
    p->used--;
}

int mri_groups_init(struct mri_groups *g, uint32_t n)
{
    *g = (struct mri_groups){.n = n, .used = calloc(n ? n : 1, sizeof g->used[0])};
    return g->used ? 0 : -ENOMEM;
}

void mri_groups_free(struct mri_groups *g)
{
    free(g->used);
    *g = (struct mri_groups){};
}

int mri_groups_take(struct mri_groups *g, uint32_t n, uint32_t from, uint32_t *first)
{
    uint32_t row = 0;  // free ones in a row before i

    for (uint32_t i = from; i < g->n && row < n; i++) {
        row = g->used[i] ? 0 : row + 1;
        *first = i + 1 - row;
    }
    if (row < n)
        return -ENOSPC;
    memset(g->used + *first, 1, n);
    return 0;
}

void mri_groups_give(struct mri_groups *g, uint32_t first, uint32_t n)
{
    memset(g->used + first, 0, n);
}

void mri_list_init(struct mri_list *l)
{
    l->next = l->prev = l;
}

bool mri_list_empty(const struct mri_list *l)
{
    return l->next == l;
}

void mri_list_add(struct mri_list *to, struct mri_list *l)
{
    l->prev = to->prev;
    l->next = to;
    to->prev->next = l;
    to->prev = l;
}

void mri_list_del(struct mri_list *l)
{
    l->prev->next = l->next;
    l->next->prev = l->prev;
    mri_list_init(l);
}
