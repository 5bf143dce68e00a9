// SPDX-License-Identifier: BSD-2-Clause
/*
 * main.c - runs the tests of libmetaroce. Arguments: names of files (post, cq,
 * ...) to run only those. Prints one line for each failure and one at the end;
 * exit status 0 only if nothing failed and something ran.
 */
#include <CUnit/Basic.h>
#include <stdio.h>
#include <string.h>

#include "rig.h"

static const struct {
    const char *name;
    const struct test_row *rows;
} suites[] = {
    {"bus", tests_bus},       {"bus_sim", tests_bus_sim}, {"device", tests_device},
    {"memory", tests_memory}, {"cq", tests_cq},           {"conn", tests_conn},
    {"stream", tests_stream}, {"post", tests_post},       {"telemetry", tests_telemetry},
    {"text", tests_text},     {"soft", tests_soft},
    {"soft_nic", tests_soft_nic}, {"soft_ops", tests_soft_ops}, {"soft_ends", tests_soft_ends},
    {"soft_windows", tests_soft_windows},
    {"groups", tests_groups}, {"paths", tests_paths},
    {"planes", tests_planes}, {"tune", tests_tune},
    {"ops", tests_ops},       {"rq", tests_rq},           {"complete", tests_complete},
    {"pages", tests_pages},   {"soft_pages", tests_soft_pages},
    {"life", tests_life},     {"event", tests_event},     {"event_soft", tests_event_soft},
};

static unsigned skipped;

void rig_skip(const char *why)
{
    printf("skipped: %s\n", why);
    skipped++;
}

static bool wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], name))
            return true;
    return argc < 2;
}

static int before_each(void)
{
    return 0;
}

static void defaults(void)
{
    fake_defaults();
}

static bool add(const char *name, const struct test_row *rows)
{
    CU_pSuite suite = CU_add_suite_with_setup_and_teardown(name, before_each, nullptr, defaults,
                                                           nullptr);

    for (; suite && rows->name; rows++)
        if (!CU_add_test(suite, rows->name, rows->run))
            return false;
    return suite;
}

int main(int argc, char **argv)
{
    mri_bus_register(&bus_fake);
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 1;
    for (size_t i = 0; i < sizeof suites / sizeof suites[0]; i++)
        if (wanted(suites[i].name, argc, argv) && !add(suites[i].name, suites[i].rows))
            return 1;
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    unsigned run = CU_get_number_of_tests_run(), failed = CU_get_number_of_tests_failed();
    CU_cleanup_registry();
    printf("SUITE host: %u passed, %u failed, %u skipped\n", run - failed - skipped, failed, skipped);
    return failed || !run;
}
