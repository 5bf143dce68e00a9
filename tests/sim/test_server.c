// SPDX-License-Identifier: BSD-2-Clause
#include "server.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "peer.h"
#include "rng.h"
#include "sim_test.h"

static struct sim_server_cfg one_client(void)
{
    struct sim_server_cfg c = peer_cfg();
    c.clients = 1;
    return c;
}

static void hello__bad(void)
{
    struct sim_server_cfg c = peer_cfg();
    struct peer_server s;
    peer_start(&s, &c);
    int a = peer_connect(&s);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_READ, 0, 0, 0).status, -EINVAL);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_WAIT, 0, 0, 0).status, -EINVAL);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_HELLO, 2, 0, 0).status, -EPROTO);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_HELLO, 1, 2, 0).status, -ENODEV);
    struct mr_sim_rep r = peer_call(a, MR_SIM_HELLO, 1, 1, 0);
    CU_ASSERT(r.status == 0 && r.a == 1 && r.b == 0 && r.pad == 0);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_HELLO, 1, 0, 0).status, -EINVAL);
    int b = peer_connect(&s);
    CU_ASSERT_EQUAL(peer_call(b, MR_SIM_HELLO, 1, 1, 0).status, -EBUSY);
    r = peer_call(b, MR_SIM_HELLO, 1, MR_SIM_NIC_ANY, 0);
    CU_ASSERT(r.status == 0 && r.a == 0);
    int d = peer_connect(&s);
    CU_ASSERT_EQUAL(peer_call(d, MR_SIM_HELLO, 1, MR_SIM_NIC_ANY, 0).status, -EBUSY);
    close(d);
    peer_bye(a);
    peer_bye(b);
    CU_ASSERT_EQUAL(peer_end(&s), 0);
}

static void regs__read_write_and_bad(void)
{
    struct sim_server_cfg c = one_client();
    struct peer_server s;
    peer_start(&s, &c);
    int a = peer_hello(&s, 0);
    CU_ASSERT_EQUAL(peer_read(a, LB_MAGIC), LB_MAGIC_VALUE);
    peer_write(a, LB_SCRATCH, 0xfeedc0de);
    CU_ASSERT_EQUAL(peer_read(a, LB_SCRATCH), 0xfeedc0de);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_READ, 2, 0, 0).status, -EINVAL);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_READ, 0x10000, 0, 0).status, -EINVAL);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_WRITE, LB_SCRATCH, 1ull << 32, 0).status, -EINVAL);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_WAIT, 0x100, 0, 0).status, -EINVAL);
    CU_ASSERT_EQUAL(peer_call(a, 0, 0, 0, 0).status, -EINVAL);
    CU_ASSERT_EQUAL(peer_call(a, 99, 0, 0, 0).status, -EINVAL);
    CU_ASSERT_EQUAL(peer_read(a, LB_SCRATCH), 0xfeedc0de);
    peer_write(a, LB_DEAF, 1);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_READ, 0, 0, 0).status, -ETIMEDOUT);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_RESET, 0, 0, 0).status, 0);
    CU_ASSERT_EQUAL(peer_read(a, LB_SCRATCH), 0);
    peer_bye(a);
    CU_ASSERT_EQUAL(peer_end(&s), 0);
}

static void time__moves_in_wait_only(void)
{
    struct sim_server_cfg c = one_client();
    struct peer_server s;
    peer_start(&s, &c);
    int a = peer_hello(&s, 0);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_TIME, 0, 0, 0).a, 0);
    usleep(20000);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_TIME, 0, 0, 0).a, 0);
    struct mr_sim_rep r = peer_call(a, MR_SIM_WAIT, 0, 1001, 0);
    CU_ASSERT(r.status == 0 && r.a == 1004 && r.b == 0);
    r = peer_call(a, MR_SIM_WAIT, 0, 0, 0);
    CU_ASSERT(r.status == 0 && r.a == 1004 && r.b == 0);
    peer_read(a, LB_MAGIC);
    uint64_t t = peer_call(a, MR_SIM_TIME, 0, 0, 0).a;
    CU_ASSERT(t > 1004 && t < 1004 + 50 * 4); // a few cycles
    peer_bye(a);
    CU_ASSERT_EQUAL(peer_end(&s), 0);
}

static void dma__reaches_mapped_memory_only(void)
{
    struct sim_server_cfg c = one_client();
    struct peer_server s;
    uint8_t *page = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 8192; i++)
        page[i] = (uint8_t)(i * 3);
    peer_start(&s, &c);
    int a = peer_hello(&s, 0);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_MAP, 0, (uintptr_t)page, 4096).status, 0);
    peer_dma(a, LB_CMD_READ, page + 7, 1000);
    CU_ASSERT_EQUAL(peer_read(a, LB_RD_ERR), 0);
    peer_dma(a, LB_CMD_WRITE, page + 2001, 1000);
    CU_ASSERT_EQUAL(peer_read(a, LB_WR_ERR), 0);
    CU_ASSERT(memcmp(page + 2001, page + 7, 1000) == 0);
    CU_ASSERT(page[2000] == (uint8_t)6000 && page[3001] == (uint8_t)9003);
    struct mr_sim_rep r = peer_call(a, MR_SIM_WAIT, 0, 1'000'000, 0);
    CU_ASSERT(r.status == 0 && r.b == 1 && r.a < 1'000'000); // at once: it was written before
    r = peer_call(a, MR_SIM_WAIT, 0, 400, 0);
    CU_ASSERT_EQUAL(r.b, 0);
    uint8_t was = page[4096];
    peer_dma(a, LB_CMD_WRITE, page + 4096, 64);
    peer_dma(a, LB_CMD_WRITE, page + 4000, 97); // one byte too many
    CU_ASSERT_EQUAL(peer_read(a, LB_WR_ERR), 2);
    CU_ASSERT_EQUAL(page[4096], was);
    peer_dma(a, LB_CMD_READ, page + 4096, 64);
    CU_ASSERT_EQUAL(peer_read(a, LB_RD_ERR), 1);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_UNMAP, 0, (uintptr_t)page, 4095).status, -ENOENT);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_UNMAP, 0, (uintptr_t)page, 4096).status, 0);
    peer_dma(a, LB_CMD_READ, page, 64);
    CU_ASSERT_EQUAL(peer_read(a, LB_RD_ERR), 2);
    // legal for the bus, but the process has nothing there
    munmap(page + 4096, 4096);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_MAP, 0, (uintptr_t)page + 4096, 4096).status, 0);
    peer_dma(a, LB_CMD_READ, page + 4096, 64);
    CU_ASSERT_EQUAL(peer_read(a, LB_RD_ERR), 3);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_MAP, 0, UINT64_MAX, 2).status, -EINVAL);
    peer_bye(a);
    CU_ASSERT_EQUAL(peer_end(&s), 0);
    munmap(page, 4096);
}

static void recv__parts_and_pipelines(void)
{
    struct sim_server_cfg c = one_client();
    struct peer_server s;
    peer_start(&s, &c);
    int a = peer_hello(&s, 0);
    struct mr_sim_req q = {.op = MR_SIM_READ, .arg = LB_MAGIC};
    struct mr_sim_rep r;
    for (size_t i = 0; i < sizeof q; i++) {
        CU_ASSERT_EQUAL(send(a, (char *)&q + i, 1, 0), 1);
        usleep(500);
    }
    CU_ASSERT_TRUE_FATAL(peer_get(a, &r, sizeof r));
    CU_ASSERT_EQUAL(r.a, LB_MAGIC_VALUE);
    enum { N = 600 };
    static struct mr_sim_req many[2 * N];
    for (uint32_t i = 0; i < N; i++) {
        many[2 * i] = (struct mr_sim_req){.op = MR_SIM_WRITE, .arg = LB_SCRATCH, .a = i};
        many[2 * i + 1] = i % 5 ? (struct mr_sim_req){.op = MR_SIM_READ, .arg = LB_SCRATCH}
                                : (struct mr_sim_req){.op = MR_SIM_WAIT, .a = 40};
    }
    CU_ASSERT_EQUAL_FATAL(send(a, many, sizeof many, 0), sizeof many);
    for (uint32_t i = 0; i < N; i++) {
        CU_ASSERT_TRUE_FATAL(peer_get(a, &r, sizeof r) && peer_get(a, &r, sizeof r));
        CU_ASSERT(r.status == 0 && (i % 5 == 0 || r.a == i));
    }
    peer_bye(a);
    CU_ASSERT_EQUAL(peer_end(&s), 0);
}

/** The dead client's NIC is reset and free again, its memory is out of reach, the other client goes on. */
static void client__dies(void)
{
    struct sim_server_cfg c = peer_cfg();
    struct peer_server s;
    c.clients = 0;
    peer_start(&s, &c);
    int a = peer_hello(&s, 0);
    fflush(stdout);
    pid_t pid = fork();
    if (!pid) {
        int b = peer_hello(&s, 1);
        peer_write(b, LB_SCRATCH, 77);
        peer_call(b, MR_SIM_MAP, 0, (uintptr_t)&c, 64);
        struct mr_sim_req q = {.op = MR_SIM_WAIT, .a = UINT64_MAX};
        (void)!send(b, &q, sizeof q, 0);
        _exit(0);
    }
    waitpid(pid, nullptr, 0);
    struct mr_sim_rep r = peer_call(a, MR_SIM_WAIT, 0, 10'000, 0);
    CU_ASSERT(r.status == 0 && r.b == 0);
    int b = -1;
    for (int i = 0; i < 100 && b < 0; i++) { // the end of a process shows a moment later
        int fd = peer_connect(&s);
        if (peer_call(fd, MR_SIM_HELLO, 1, 1, 0).status == 0)
            b = fd;
        else
            close(fd);
    }
    CU_ASSERT_FATAL(b >= 0);
    CU_ASSERT_EQUAL(peer_read(b, LB_SCRATCH), 0);
    peer_dma(b, LB_CMD_READ, &c, 64);
    CU_ASSERT(peer_read(b, LB_RD_ERR) > 0);
    close(b); // without BYE
    r = peer_call(a, MR_SIM_WAIT, 0, 10'000, 0);
    CU_ASSERT_EQUAL(r.status, 0);
    peer_bye(a);
    kill(s.pid, SIGTERM);
    CU_ASSERT_EQUAL(peer_end(&s), 0);
}

/** Two clients of different processes, one of which does nothing for a while. */
static void escape__time_goes_on(void)
{
    struct sim_server_cfg c = peer_cfg();
    struct peer_server s;
    c.escape_ms = 200;
    peer_start(&s, &c);
    int a = peer_hello(&s, 0);
    fflush(stdout);
    pid_t pid = fork();
    if (!pid) {
        int b = peer_hello(&s, 1);
        usleep(900'000);
        peer_bye(b);
        _exit(0);
    }
    uint64_t from = peer_ms();
    struct mr_sim_rep r = peer_call(a, MR_SIM_WAIT, 0, 1000, 0);
    CU_ASSERT(r.status == 0 && r.a == 1000);
    CU_ASSERT(peer_ms() - from >= 150);
    r = peer_call(a, MR_SIM_WAIT, 0, 1000, 0);
    CU_ASSERT(r.status == 0 && r.a == 2000);
    CU_ASSERT(peer_ms() - from < 850); // the second one did not wait again
    CU_ASSERT_EQUAL(peer_said(&s, "outside WAIT"), 1);
    waitpid(pid, nullptr, 0);
    peer_bye(a);
    CU_ASSERT_EQUAL(peer_end(&s), 0);
}

/** One thread with two NICs cannot be inside two WAITs. */
static void escape__one_thread_two_nics(void)
{
    for (uint32_t flag = 0; flag < 2; flag++) {
        struct sim_server_cfg c = peer_cfg();
        struct peer_server s;
        c.escape_ms = 300;
        peer_start(&s, &c);
        int fd[2] = {peer_hello(&s, 0), peer_hello(&s, 1)};
        uint64_t from = peer_ms();
        for (int i = 0; i < 50; i++) {
            struct mr_sim_rep r = peer_call(fd[i % 2], MR_SIM_WAIT, flag ? MR_SIM_WAIT_PROCESS : 0, 1000, 0);
            CU_ASSERT_EQUAL(r.status, 0);
            CU_ASSERT(peer_read(fd[i % 2], LB_MAGIC) == LB_MAGIC_VALUE);
        }
        uint64_t took = peer_ms() - from;
        CU_ASSERT(flag ? took < 280 : took < 1000); // once at most
        CU_ASSERT_EQUAL(peer_said(&s, "outside WAIT"), !flag);
        peer_bye(fd[0]);
        peer_bye(fd[1]);
        CU_ASSERT_EQUAL(peer_end(&s), 0);
    }
}

static void hello__too_few(void)
{
    struct sim_server_cfg c = peer_cfg();
    struct peer_server s;
    c.hello_ms = 200;
    peer_start(&s, &c);
    int a = peer_hello(&s, 0);
    struct mr_sim_rep r = peer_call(a, MR_SIM_WAIT, 0, 1000, 0);
    CU_ASSERT_EQUAL(r.status, -ECONNRESET);
    close(a);
    CU_ASSERT_EQUAL(peer_said(&s, "1 of 2 clients"), 1);
    CU_ASSERT_EQUAL(peer_end(&s), 1);
}

static void idle_exit__ends(void)
{
    struct sim_server_cfg c = peer_cfg();
    struct peer_server s;
    c.idle_exit_s = 1;
    uint64_t from = peer_ms();
    peer_start(&s, &c);
    CU_ASSERT_EQUAL(peer_end(&s), 0);
    CU_ASSERT(peer_ms() - from < 5000);
}

static void sigterm__writes_stats(void)
{
    struct sim_server_cfg c = one_client();
    struct peer_server s;
    char stats[64];
    snprintf(stats, sizeof stats, "/tmp/mrsim-stats.%d", (int)getpid());
    c.stats = stats;
    peer_start(&s, &c);
    int a = peer_hello(&s, 0);
    struct mr_sim_req q = {.op = MR_SIM_WAIT, .a = UINT64_MAX};
    CU_ASSERT_EQUAL(send(a, &q, sizeof q, 0), sizeof q);
    usleep(50'000);
    kill(s.pid, SIGTERM);
    CU_ASSERT_EQUAL(peer_end(&s), 0);
    json_t *j = json_load_file(stats, 0, nullptr);
    CU_ASSERT(json_array_size(json_object_get(j, "nics")) == 2);
    json_decref(j);
    unlink(stats);
    close(a);
}

static void stats__is_json(void)
{
    struct sim_server_cfg c = one_client();
    struct peer_server s;
    uint8_t buf[256];
    c.sim.link.seed = 4711;
    peer_start(&s, &c);
    int a = peer_hello(&s, 0);
    peer_call(a, MR_SIM_MAP, 0, (uintptr_t)buf, sizeof buf);
    frame_make(buf, sizeof buf, 4, 0, 1, 1, 2, 0);
    peer_dma(a, LB_CMD_READ, buf, sizeof buf);
    peer_write(a, LB_REPEAT, 9);
    peer_write(a, LB_CMD, LB_CMD_SEND);
    peer_call(a, MR_SIM_WAIT, 0, 10'000, 0);
    struct mr_sim_rep r = peer_call(a, MR_SIM_STATS, 0, 0, 0);
    CU_ASSERT_FATAL(r.status == 0 && r.a > 0 && r.a < 100'000);
    char *text = malloc(r.a);
    CU_ASSERT_TRUE_FATAL(peer_get(a, text, r.a));
    json_t *j = json_loadb(text, r.a, 0, nullptr);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(j, "seed")), 4711);
    json_t *lane = json_array_get(json_object_get(j, "lanes"), 0);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(lane, "frames")), 10);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(lane, "dst")), 1);
    json_decref(j);
    free(text);
    CU_ASSERT(peer_read(a, LB_MAGIC) == LB_MAGIC_VALUE); // the stream is still in step
    peer_bye(a);
    CU_ASSERT_EQUAL(peer_end(&s), 0);
}

static void accept__too_many(void)
{
    struct sim_server_cfg c = one_client();
    struct peer_server s;
    int fd[SIM_CLIENTS_MAX + 8];
    peer_start(&s, &c);
    int a = peer_hello(&s, 0);
    for (int i = 0; i < SIM_CLIENTS_MAX + 8; i++)
        fd[i] = peer_connect(&s);
    CU_ASSERT(peer_read(a, LB_MAGIC) == LB_MAGIC_VALUE);
    char x;
    CU_ASSERT(recv(fd[SIM_CLIENTS_MAX + 7], &x, 1, 0) <= 0); // closed by the server
    for (int i = 0; i < SIM_CLIENTS_MAX + 8; i++)
        close(fd[i]);
    CU_ASSERT(peer_read(a, LB_MAGIC) == LB_MAGIC_VALUE);
    peer_bye(a);
    CU_ASSERT_EQUAL(peer_end(&s), 0);
}

/** Of an engine that is no MetaRoCE NIC there is nothing to see; the rest is in tests/product. */
static void watch__bad(void)
{
    struct sim_server_cfg c = one_client();
    struct peer_server s;
    peer_start(&s, &c);
    int a = peer_hello(&s, 0);
    int w = peer_connect(&s);
    CU_ASSERT_EQUAL(peer_call(w, MR_SIM_WATCH, 2, 0, 0).status, -EPROTO);
    CU_ASSERT_EQUAL(peer_call(w, MR_SIM_WATCH, 1, 2, 0).status, -ENODEV);
    CU_ASSERT_EQUAL(peer_call(w, MR_SIM_WATCH, 1, 0, 0).status, -ENODEV);
    CU_ASSERT_EQUAL(peer_call(w, MR_SIM_ROW, 1, 0, 0).status, -EINVAL);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_WATCH, 1, 0, 0).status, -EINVAL);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_ROW, 99, 0, 0).status, -EINVAL);
    CU_ASSERT_EQUAL(peer_call(a, MR_SIM_ROW, 1, 0, 0).status, -ENOENT);
    close(w);
    peer_bye(a);
    CU_ASSERT_EQUAL(peer_end(&s), 0);
}

/** Every request is answered, whatever is in it. */
static void request__bad_random(void)
{
    struct sim_server_cfg c = one_client();
    struct peer_server s;
    peer_start(&s, &c);
    int a = peer_hello(&s, 0);
    unsigned refused = 0;
    for (uint64_t i = 0; i < 3000; i++) {
        uint64_t d = sim_draw(1, i);
        uint32_t op = (uint32_t)(d % 14);
        if (op == MR_SIM_BYE || op == MR_SIM_STATS || op == MR_SIM_MAP)
            continue;
        uint64_t v = d & 0x100 ? sim_mix(d) : sim_mix(d) % 200;
        struct mr_sim_rep r = peer_call(a, op, (uint32_t)(d >> 32) % 300, op == MR_SIM_WAIT ? v % 500 : v, 5);
        CU_ASSERT_NOT_EQUAL_FATAL(r.status, -ECONNRESET);
        refused += r.status != 0;
        if (r.status == -ETIMEDOUT) // found LB_DEAF
            peer_call(a, MR_SIM_RESET, 0, 0, 0);
    }
    CU_ASSERT(refused > 300);
    struct mr_sim_req half = {.op = MR_SIM_TIME};
    CU_ASSERT_EQUAL(send(a, &half, 11, 0), 11); // and leaves in the middle of one
    close(a);
    CU_ASSERT_EQUAL(peer_end(&s), 0);
}

void test_server_add(void)
{
    CU_pSuite s = test_suite("server");
    test_add(s, "hello__bad", hello__bad);
    test_add(s, "regs__read_write_and_bad", regs__read_write_and_bad);
    test_add(s, "time__moves_in_wait_only", time__moves_in_wait_only);
    test_add(s, "dma__reaches_mapped_memory_only", dma__reaches_mapped_memory_only);
    test_add(s, "recv__parts_and_pipelines", recv__parts_and_pipelines);
    test_add(s, "client__dies", client__dies);
    test_add(s, "escape__time_goes_on", escape__time_goes_on);
    test_add(s, "escape__one_thread_two_nics", escape__one_thread_two_nics);
    test_add(s, "hello__too_few", hello__too_few);
    test_add(s, "idle_exit__ends", idle_exit__ends);
    test_add(s, "sigterm__writes_stats", sigterm__writes_stats);
    test_add(s, "stats__is_json", stats__is_json);
    test_add(s, "accept__too_many", accept__too_many);
    test_add(s, "watch__bad", watch__bad);
    test_add(s, "request__bad_random", request__bad_random);
}
