// SPDX-License-Identifier: BSD-2-Clause
/* Altered copies of the rows: the hash follows, and rows that break a rule are refused. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Builds mr-defs from a copy of defs/ with one sed command applied to one file.
 * Puts the printed hash into `hash`; the exit status of mr-defs, 100 when the
 * copy does not compile, 101 when the edit changed nothing.
 */
static int altered(const char *file, const char *edit, char hash[16])
{
    const char *cc = getenv("CC");
    hash[0] = '\0';
    if (test_run("rm -rf %s/alt && mkdir -p %s/alt && cp -r defs/. %s/alt", test_dir, test_dir,
                 test_dir) != 0)
        return -1;
    if (file != NULL &&
        (test_run("sed -i '%s' %s/alt/%s", edit, test_dir, file) != 0 ||
         test_run("cmp -s defs/%s %s/alt/%s", file, test_dir, file) == 0))
        return 101;
    if (test_run("cd %s/alt && %s -std=c23 -O0 -I. -o mr-defs gen/*.c 2>cc.log", test_dir,
                 cc != NULL ? cc : "clang-19") != 0)
        return 100;
    int rc = test_run("%s/alt/mr-defs hash >%s/alt/hash 2>%s/alt/err", test_dir, test_dir,
                      test_dir);
    char path[600];
    snprintf(path, sizeof path, "%s/alt/hash", test_dir);
    FILE *f = fopen(path, "r");
    if (f != NULL) {
        if (fgets(hash, 16, f) == NULL)
            hash[0] = '\0';
        fclose(f);
    }
    return rc;
}

static char today[16];

static void rows__hash_is_stable(void)
{
    char again[16];
    CU_ASSERT_EQUAL(altered(NULL, "", today), 0);
    CU_ASSERT_EQUAL(strlen(today), strlen("0x01234567\n"));
    CU_ASSERT_EQUAL(altered("wire.def", "s/protocol version, /version, /", again), 0);
    CU_ASSERT_STRING_EQUAL(again, today);  // descriptions do not count
}

static void rows__hash_follows_every_kind_of_row(void)
{
    static const struct { const char *file, *edit; } edits[] = {
        {"wire.def", "s/base, epoch/base, epoch2/"},
        {"wire.def", "/MR_FIELD(data, key/{h;d};/MR_FIELD(data, imm/G"},
        {"host.def", "s/path, sport, 16/path, entropy, 16/"},
        {"codes.def", "s/OP, WRITE, 1/OP, WRITE, 13/"},
        {"regs.def", "s/0x814/0x818/"},
        {"counters.def", "/rx_dup/d"},
        {"packets.def", "/ALIVE, ctl/d"},
    };
    for (unsigned i = 0; i < sizeof edits / sizeof *edits; i++) {
        char hash[16];
        CU_ASSERT_EQUAL(altered(edits[i].file, edits[i].edit, hash), 0);
        CU_ASSERT_STRING_NOT_EQUAL(hash, today);
    }
}

static void rows__bad_rows_are_refused(void)
{
    static const struct { const char *file, *edit; } edits[] = {
        {"wire.def", "s/base, psn, 24/base, psn, 25/"},                    // sum
        {"wire.def", "s/base, version, 4/base, version, 6/;s/base, kind, 4/base, kind, 2/;"
                     "s/base, opcode, 8/base, opcode, 9/;s/base, flags, 8/base, flags, 7/"},
        {"wire.def", "s/base, psn, 24/base, ts, 24/"},                     // name twice
        {"host.def", "s/tele, cwnd, 16/tele, cwnd, 24/;s/tele, state, 8/tele, state2, 8/;"
                     "s/tele, rsvd0, 24/tele, rsvd0, 16/"},                // alignment
        {"codes.def", "s/OP, WRITE, 1,/OP, WRITE, 2,/"},                   // value twice
        {"codes.def", "s/KIND, ERROR, 5/KIND, ERROR, 16/"},                // too wide
        {"regs.def", "s/0x804/0x803/"},                                    // offset
        {"regs.def", "s/DB_SQ, 0x800/DB_SQ, 0x404/"},                      // in the counters
        {"packets.def", "s/PROBE, none/PROBE, setup/"},                    // header too long
        {"packets.def", "s/PROBE, none/PROBE, nothing/"},                  // no such layout
    };
    for (unsigned i = 0; i < sizeof edits / sizeof *edits; i++) {
        char hash[16];
        int rc = altered(edits[i].file, edits[i].edit, hash);
        CU_ASSERT_EQUAL(rc, 1);
        if (rc != 1)
            printf("edit %u: %d\n", i, rc);
    }
}

void add_rows(void)
{
    CU_pSuite s = CU_add_suite("rows", NULL, NULL);
    ADD(s, rows__hash_is_stable);
    ADD(s, rows__hash_follows_every_kind_of_row);
    ADD(s, rows__bad_rows_are_refused);
}
