// SPDX-License-Identifier: BSD-2-Clause
/* The Wireshark dissector under tshark, on a capture with one packet of every kind and opcode. */
#include "frames.h"
#include "mr_names.h"
#include "test.h"

#include <string.h>

static void put32(FILE *o, uint32_t v)
{
    fwrite(&(uint8_t[]){(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)}, 1,
           4, o);
}

/* Classic pcap, little-endian, version 2.4, link type Ethernet. Frames written. */
static unsigned write_pcap(const char *path)
{
    FILE *o = fopen(path, "w");
    if (o == NULL)
        return 0;
    put32(o, 0xa1b2c3d4);
    put32(o, 4 << 16 | 2);
    put32(o, 0);
    put32(o, 0);
    put32(o, 65535);
    put32(o, 1);
    const struct frame *f;
    unsigned n = 0;
    for (; (f = frame_of_packet(n)) != NULL; n++) {
        put32(o, n);
        put32(o, 0);
        put32(o, (uint32_t)f->n);
        put32(o, (uint32_t)f->n);
        fwrite(f->b, 1, f->n, o);
    }
    fclose(o);
    return n;
}

static void dissector__names_every_field(void)
{
    if (!test_have("tshark")) {
        test_skip("no tshark");
        return;
    }
    char pcap[600];
    snprintf(pcap, sizeof pcap, "%s/kinds.pcap", test_dir);
    unsigned n = write_pcap(pcap);
    CU_ASSERT_FATAL(n > 20);
    /* stderr is kept apart: a fault in the script is told there */
    CU_ASSERT_EQUAL_FATAL(test_run("HOME=%s tshark -r %s -X lua_script:docs/wireshark/metaroce.lua "
                                   "-T pdml >%s/kinds.pdml 2>%s/kinds.err", test_dir, pcap,
                                   test_dir, test_dir), 0);
    CU_ASSERT_NOT_EQUAL(test_run("grep -i 'lua.*error\\|\\.lua:' %s/kinds.err", test_dir), 0);
    CU_ASSERT_NOT_EQUAL(test_run("grep -qi '_ws.malformed\\|_ws.lua.error\\|metaroce.short\\|"
                                 "metaroce.unknown' %s/kinds.pdml", test_dir), 0);
    CU_ASSERT_EQUAL(test_run("test $(grep -c 'proto name=\"metaroce\"' %s/kinds.pdml) = %u",
                             test_dir, n), 0);
    CU_ASSERT_EQUAL(test_run("test $(grep -c 'field name=\"metaroce.icrc\"' %s/kinds.pdml) = %u",
                             test_dir, n), 0);
    for (const struct mr_layout_name *l = mr_layout_names; l->name != NULL; l++)
        for (const struct mr_field_name *f = l->fields; l->wire && f->name != NULL; f++) {
            int rc = test_run("grep -q 'field name=\"metaroce.%s.%s\"' %s/kinds.pdml", l->name,
                              f->name, test_dir);
            CU_ASSERT_EQUAL(rc, 0);
            if (rc != 0)
                printf("not shown: %s.%s\n", l->name, f->name);
        }
}

static void dissector__values(void)
{
    if (!test_have("tshark")) {
        test_skip("no tshark");
        return;
    }
    /* Frame 1 is DATA NULL, frame 2 a Write over IPv6 with a tag. */
    CU_ASSERT_EQUAL(test_run("HOME=%s tshark -r %s/kinds.pcap "
                             "-X lua_script:docs/wireshark/metaroce.lua -T fields "
                             "-e metaroce.base.psn -e metaroce.base.kind -e metaroce.data.pay_len "
                             "-e metaroce.base.version 2>/dev/null | sed -n 2p | "
                             "grep -qx '1001\t1\t37\t1'", test_dir, test_dir), 0);
}

void add_dissector(void)
{
    CU_pSuite s = CU_add_suite("dissector", NULL, NULL);
    ADD(s, dissector__names_every_field);
    ADD(s, dissector__values);
}
