// SPDX-License-Identifier: BSD-2-Clause
/*
 * cq.c - completion queues.
 *
 * A queue of the library never overflows, as it keeps a place for everything that
 * can complete; one of libibverbs is as large as the program thinks it needs. So
 * ours are made larger.
 *
 * `before` holds what was taken from the device while the program did not poll
 * (when a queue pair was destroyed, or to look for solicited completions); `after`
 * has entries that were posted to a queue pair in error, behind all that were
 * posted before.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "front.h"

static constexpr unsigned vain_max = 16;       // polls in vain, after which one waits
static constexpr uint64_t rest_ns = 100000;
static constexpr uint32_t entries_min = 4096, entries_factor = 4;

/* ------------------------------------------------------------------- lists */

static bool list_add(struct front_wcs *l, const struct front_wc *w)
{
    if (l->n == l->room) {
        unsigned room = l->room ? 2 * l->room : 64;
        struct front_wc *p = realloc(l->wc, room * sizeof *p);
        if (!p)
            return false;
        l->wc = p;
        l->room = room;
    }
    l->wc[l->n++] = *w;
    return true;
}

/* A completion that the program did not poll yet. */
static bool keep(struct front_cq *cq, struct front_wcs *l, const struct front_wc *w)
{
    cq->news |= cq->armed && (w->solicited || !cq->solicited);
    return list_add(l, w);
}

static unsigned list_take(struct front_wcs *l, struct front_wc *to, unsigned n)
{
    unsigned k = n < l->n ? n : l->n;

    if (!k)
        return 0;
    memcpy(to, l->wc, k * sizeof *to);
    l->n -= k;
    memmove(l->wc, l->wc + k, l->n * sizeof *l->wc);
    return k;
}

static void list_drop(struct front_wcs *l, uint32_t qpn)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < l->n; i++)
        if (l->wc[i].wc.qp_num != qpn)
            l->wc[kept++] = l->wc[i];
    l->n = kept;
}

/* ------------------------------------------------------------------ polling */

static void note_error(const struct mr_wc *wc)
{
    struct front_qp *qp = atomic_load(&front.qp[wc->stream_num]);

    if (qp && !(wc->flags & MR_WC_RECV))
        atomic_store(&qp->failed, true);
}

/* Up to n, at most front_batch, from the device. -errno. */
static int from_device(struct front_cq *cq, struct front_wc *to, unsigned n)
{
    struct mr_wc wc[front_batch];

    front_called();
    // A poll in vain gives the core away, for milliseconds on a busy machine: look first.
    int got = front.nic.simulated ? 1 : mr_cq_wait(cq->queue, 0);
    if (got > 0)
        got = mr_cq_poll(cq->queue, wc, (int)n);
    if (got == -EBADMSG)
        got = 0;  // skipped; it was nobody's
    for (int i = 0; i < got; i++) {
        if (wc[i].status)
            note_error(&wc[i]);
        to[i] = front_wc_of(&wc[i]);
    }
    return got;
}

/* Up to n, at most front_batch. -errno. */
static int take(struct front_cq *cq, struct front_wc *to, unsigned n)
{
    unsigned got = list_take(&cq->before, to, n);

    if (got)
        return (int)got;
    int more = from_device(cq, to, n);
    return more ? more : (int)list_take(&cq->after, to, n);
}

int front_cq_poll(struct ibv_cq *ibcq, int n, struct ibv_wc *wc)
{
    struct front_cq *cq = (struct front_cq *)ibcq;
    struct front_wc w[front_batch];
    int got = 0, k = 0;

    pthread_mutex_lock(&cq->lock);
    do {
        unsigned left = (unsigned)(n - got);
        k = left ? take(cq, w, left < front_batch ? left : front_batch) : 0;
        for (int i = 0; i < k; i++)
            wc[got++] = w[i].wc;
    } while (k == (int)front_batch);
    cq->vain = got ? 0 : cq->vain + 1;
    bool rest = cq->vain > vain_max && !front.nic.simulated;
    pthread_mutex_unlock(&cq->lock);
    // A program that polls without end takes the core from the software NIC, which needs it more.
    if (rest && !k)
        mr_cq_wait(cq->queue, rest_ns);
    return got || k >= 0 ? got : -1;
}

void front_cq_fetch(struct front_cq *cq)
{
    struct front_wc w[front_batch];
    int got;

    do {
        got = from_device(cq, w, front_batch);
        for (int i = 0; i < got; i++)
            keep(cq, &cq->before, &w[i]);
    } while (got > 0);
}

void front_cq_drop(struct front_cq *cq, uint32_t qpn)
{
    pthread_mutex_lock(&cq->lock);
    front_cq_fetch(cq);
    list_drop(&cq->before, qpn);
    list_drop(&cq->after, qpn);
    pthread_mutex_unlock(&cq->lock);
}

bool front_cq_flush(struct front_cq *cq, uint32_t qpn, uint64_t wr_id, bool recv)
{
    struct front_wc w = {
        .wc = {.wr_id = wr_id,
               .status = IBV_WC_WR_FLUSH_ERR,
               .opcode = recv ? IBV_WC_RECV : IBV_WC_SEND,
               .vendor_err = MR_ERR_FLUSH,
               .qp_num = qpn},
        .solicited = true,
    };

    pthread_mutex_lock(&cq->lock);
    bool ok = keep(cq, &cq->after, &w);
    pthread_mutex_unlock(&cq->lock);
    return ok;
}

/* ---------------------------------------------------- start_poll() and so on */

static int next_poll(struct ibv_cq_ex *ex)
{
    struct front_cq *cq = (struct front_cq *)ex;

    pthread_mutex_lock(&cq->lock);
    int got = take(cq, &cq->now, 1);
    pthread_mutex_unlock(&cq->lock);
    if (got <= 0)
        return got ? front_errno(got) : ENOENT;
    ex->status = cq->now.wc.status;
    ex->wr_id = cq->now.wc.wr_id;
    return 0;
}

static int start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
    return attr->comp_mask ? EINVAL : next_poll(ex);
}

static void end_poll(struct ibv_cq_ex *ex)
{
    (void)ex;
}

static const struct ibv_wc *now(struct ibv_cq_ex *ex)
{
    return &((struct front_cq *)ex)->now.wc;
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *ex)
{
    return now(ex)->opcode;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *ex)
{
    return now(ex)->vendor_err;
}

static uint32_t read_byte_len(struct ibv_cq_ex *ex)
{
    return now(ex)->byte_len;
}

static __be32 read_imm_data(struct ibv_cq_ex *ex)
{
    return now(ex)->imm_data;
}

static uint32_t read_qp_num(struct ibv_cq_ex *ex)
{
    return now(ex)->qp_num;
}

static unsigned read_wc_flags(struct ibv_cq_ex *ex)
{
    return now(ex)->wc_flags;
}

static uint32_t read_zero32(struct ibv_cq_ex *ex)
{
    (void)ex;
    return 0;
}

static uint8_t read_zero8(struct ibv_cq_ex *ex)
{
    (void)ex;
    return 0;
}

static uint64_t read_ts(struct ibv_cq_ex *ex)
{
    return ((struct front_cq *)ex)->now.time;
}

static void fill_ex(struct ibv_cq_ex *ex)
{
    ex->start_poll = start_poll;
    ex->next_poll = next_poll;
    ex->end_poll = end_poll;
    ex->read_opcode = read_opcode;
    ex->read_vendor_err = read_vendor_err;
    ex->read_byte_len = read_byte_len;
    ex->read_imm_data = read_imm_data;
    ex->read_qp_num = read_qp_num;
    ex->read_src_qp = read_zero32;
    ex->read_wc_flags = read_wc_flags;
    ex->read_slid = read_zero32;
    ex->read_sl = read_zero8;
    ex->read_dlid_path_bits = read_zero8;
    ex->read_completion_ts = read_ts;
}

/* ------------------------------------------------------- create and destroy */

static uint32_t entries_of(uint32_t cqe)
{
    uint64_t want = (uint64_t)cqe * entries_factor;

    if (want < entries_min)
        return entries_min;
    return want < front.caps.cq_max ? (uint32_t)want : front.caps.cq_max;
}

static int create(struct front_cq *cq, uint32_t cqe)
{
    int rc = mr_cq_create(front.dev, entries_of(cqe), &cq->queue);

    if (rc)
        return rc;
    pthread_mutex_init(&cq->lock, nullptr);
    pthread_mutex_init(&cq->cq.mutex, nullptr);
    pthread_cond_init(&cq->cq.cond, nullptr);
    rc = cq->cq.channel ? front_watch_begin(cq) : 0;
    if (rc)
        mr_cq_destroy(cq->queue);
    return rc;
}

FRONT_API struct ibv_cq *ibv_create_cq(struct ibv_context *ctx, int cqe, void *cq_context,
                                       struct ibv_comp_channel *channel, int comp_vector)
{
    if (cqe < 1 || (uint32_t)cqe > front.caps.cq_max / entries_factor || comp_vector) {
        errno = EINVAL;
        return nullptr;
    }
    struct front_cq *cq = calloc(1, sizeof *cq);
    if (!cq)
        return nullptr;
    cq->cq.context = ctx;
    cq->cq.channel = channel;
    cq->cq.cq_context = cq_context;
    cq->cq.cqe = cqe;
    int rc = create(cq, (uint32_t)cqe);
    if (rc) {
        free(cq);
        errno = front_errno(rc);
        return nullptr;
    }
    return &cq->cq;
}

struct ibv_cq_ex *front_cq_create_ex(struct ibv_context *ctx, struct ibv_cq_init_attr_ex *attr)
{
    static constexpr uint64_t known = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;

    if (attr->wc_flags & ~known || attr->comp_mask & ~(uint32_t)IBV_CQ_INIT_ATTR_MASK_FLAGS) {
        errno = EOPNOTSUPP;
        return nullptr;
    }
    struct ibv_cq *cq = ibv_create_cq(ctx, (int)attr->cqe, attr->cq_context, attr->channel,
                                      (int)attr->comp_vector);
    if (!cq)
        return nullptr;
    fill_ex(&((struct front_cq *)cq)->ex);
    return (struct ibv_cq_ex *)cq;
}

/* Those that are made larger anyway grow without further ado. */
FRONT_API int ibv_resize_cq(struct ibv_cq *cq, int cqe)
{
    if (cqe < 1)
        return EINVAL;
    if ((uint32_t)cqe > entries_of((uint32_t)cq->cqe) / entries_factor)
        return EOPNOTSUPP;
    cq->cqe = cqe;
    return 0;
}

FRONT_API int ibv_destroy_cq(struct ibv_cq *ibcq)
{
    struct front_cq *cq = (struct front_cq *)ibcq;

    // The watcher uses the queue: so it ends first, and begins again if the queue stays.
    if (ibcq->channel)
        front_watch_end(cq);
    int rc = mr_cq_destroy(cq->queue);
    if (rc == -EBUSY) {
        if (ibcq->channel)
            front_watch_begin(cq);
        return EBUSY;
    }
    pthread_mutex_destroy(&cq->lock);
    pthread_mutex_destroy(&ibcq->mutex);
    pthread_cond_destroy(&ibcq->cond);
    free(cq->before.wc);
    free(cq->after.wc);
    free(cq);
    return front_errno(rc);
}
