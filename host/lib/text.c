// SPDX-License-Identifier: BSD-2-Clause
/* text.c - what the numbers mean, in words. */
#include <errno.h>
#include <string.h>

#include "internal.h"
#include "mr_names.h"

static const struct {
    int err;
    const char *text;
} texts[] = {
    {0, "success"},
    {EPERM, "the device is only looked at: nothing of it can be changed"},
    {EINVAL, "an argument is not what the call takes"},
    {ENOMEM, "out of memory"},
    {ENODEV, "no such device, or nobody answers there"},
    {ENOTSUP, "no such back end or function"},
    {EBUSY, "in use: by another process, or by objects that depend on it"},
    {EPROTO, "device and library do not match: another interface version or another layout of "
             "the entries; use the library that was built with this device image"},
    {EIO, "the device stopped answering"},
    {ETIMEDOUT, "the device did not finish in time"},
    {EREMOTEIO, "the device refused a table entry"},
    {ENOSPC, "full: no entry is free, or no room in the completion queue; for a post: poll "
             "completions first"},
    {ENOTCONN, "not connected; for a receive: no stream has the queue"},
    {EISCONN, "already connected"},
    {EPIPE, "the stream is in error and takes no posts; make a new one"},
    {EMSGSIZE, "the message is longer than 2^31 bytes, or than what may stand in the entry"},
    {EBADMSG, "the device wrote a completion that makes no sense; it was skipped"},
    {ERANGE, "the value is outside its range"},
    {ENOENT, "no such thing"},
    {ENAMETOOLONG, "name too long"},
};

const char *mr_strerror(int err)
{
    // INT_MIN has no positive counterpart.
    int e = err < 0 && err > -4096 ? -err : err;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].err == e)
            return texts[i].text;
    const char *name = strerrordesc_np(e);
    return name ? name : "unknown error";
}

static const char *known(const char *text, const char *otherwise)
{
    return text && *text && strcmp(text, "?") != 0 ? text : otherwise;
}

const char *mr_status_text(uint8_t status)
{
    return known(mr_err_text(status), "unknown status");
}

const char *mr_path_state_text(uint8_t state)
{
    static const char *const texts_of[] = {
        [MR_PATH_FREE] = "free",       [MR_PATH_LIVE] = "live",     [MR_PATH_PROBING] = "probing",
        [MR_PATH_CLOSING] = "closing", [MR_PATH_MOVING] = "moving", [MR_PATH_TRIAL] = "trial",
        [MR_PATH_DEAD] = "dead",
    };

    return state < sizeof texts_of / sizeof texts_of[0] ? texts_of[state] : "unknown";
}

const char *mr_opcode_text(uint8_t opcode)
{
    return known(mr_op_text(opcode), "unknown operation");
}
