// SPDX-License-Identifier: BSD-2-Clause
#include <CUnit/Basic.h>
#include <stdio.h>

#include "nic_test.h"

/* usage: test_nic [SUITE] */
int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*add)(CU_pSuite s);
    } suites[] = {
        {"write", test_write_register},       {"loss", test_loss_register},
        {"sequence", test_sequence_register}, {"errors", test_errors_register},
        {"hostile", test_hostile_register},   {"failure", test_failure_register},
        {"streams", test_streams_register},   {"issues", test_issues_register},
        {"ops", test_ops_register},           {"ready", test_ready_register},
        {"keys", test_keys_register},
        {"events", test_events_register},
        {"pages", test_pages_register},
    };

    if (CU_initialize_registry() != CUE_SUCCESS)
        return 1;
    for (unsigned i = 0; i < sizeof suites / sizeof *suites; i++)
        if (argc < 2 || !strcmp(argv[1], suites[i].name))
            suites[i].add(CU_add_suite(suites[i].name, NULL, NULL));
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    unsigned failed = CU_get_number_of_tests_failed();
    printf("SUITE nic: %u passed, %u failed, 0 skipped\n", CU_get_number_of_tests_run() - failed, failed);
    CU_cleanup_registry();
    return failed != 0;
}
