// SPDX-License-Identifier: BSD-2-Clause
/*
 * gen_icrc.c - prints icrc_tab.h: the matrices of the CRC-32 kernels over GF(2).
 *
 * zlib's crc32 is the source of truth; the register is its value without the
 * inversions at start and end. Every matrix is printed as a list of rows,
 * ROW(i, mask): bit i of the result is the parity of the argument under mask.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { BEAT = 64 };

static uint32_t reg_after(uint32_t reg, const uint8_t *data, size_t len)
{
    return (uint32_t)~crc32(~reg & 0xffffffffu, data, (uInt)len);
}

/** The register's part in a beat: it acts like data in the first four bytes. */
static void check_register_is_data(void)
{
    static const uint8_t zero[BEAT];
    for (int b = 0; b < 32; b++) {
        uint8_t one[BEAT] = {};
        one[b / 8] = (uint8_t)(1u << b % 8);
        if (reg_after(1u << b, zero, BEAT) != reg_after(0, one, BEAT)) {
            fprintf(stderr, "gen_icrc: the register is not data\n");
            exit(1);
        }
    }
}

static void print_beat(void)
{
    static uint8_t row[32][BEAT];
    for (int b = 0; b < 8 * BEAT; b++) {
        uint8_t one[BEAT] = {};
        one[b / 8] = (uint8_t)(1u << b % 8);
        uint32_t col = reg_after(0, one, BEAT);
        for (int i = 0; i < 32; i++)
            row[i][b / 8] |= (uint8_t)((col >> i & 1) << b % 8);
    }
    printf("\n/** 64 bytes of data into a register that was 0. */\n#define MR_ICRC_BEAT(ROW)");
    for (int i = 0; i < 32; i++) {
        printf(" \\\n    ROW(%d, 0x", i);
        for (int j = BEAT - 1; j >= 0; j--)
            printf("%02x", row[i][j]);
        printf("uwb)");
    }
    printf("\n");
}

static void print_rows(const char *name, const char *text, const uint32_t row[32])
{
    printf("\n/** %s */\n#define %s(ROW)", text, name);
    for (int i = 0; i < 32; i++)
        printf(" \\\n    ROW(%d, 0x%08xu)", i, row[i]);
    printf("\n");
}

/** Rows of the matrix that n zero bytes multiply the register with. */
static void rows_of_zeros(size_t n, uint32_t row[32])
{
    static const uint8_t zero[BEAT];
    memset(row, 0, 32 * sizeof *row);
    for (int b = 0; b < 32; b++) {
        uint32_t col = reg_after(1u << b, zero, n);
        for (int i = 0; i < 32; i++)
            row[i] |= (col >> i & 1) << b;
    }
}

/** Gauss-Jordan; the matrix is regular because a CRC step can be undone. */
static void invert(const uint32_t m[32], uint32_t inv[32])
{
    uint32_t a[32];
    memcpy(a, m, sizeof a);
    for (int i = 0; i < 32; i++)
        inv[i] = 1u << i;
    for (int c = 0; c < 32; c++) {
        int p = c;
        while (p < 32 && !(a[p] >> c & 1))
            p++;
        if (p == 32) {
            fprintf(stderr, "gen_icrc: singular\n");
            exit(1);
        }
        uint32_t t = a[p], ti = inv[p];
        a[p] = a[c], inv[p] = inv[c];
        a[c] = t, inv[c] = ti;
        for (int i = 0; i < 32; i++)
            if (i != c && a[i] >> c & 1)
                a[i] ^= a[c], inv[i] ^= inv[c];
    }
}

int main(void)
{
    uint32_t row[32], inv[32];
    char name[32], text[80];
    check_register_is_data();
    printf("// SPDX-License-Identifier: BSD-2-Clause\n"
           "/* Made by hls/icrc/gen_icrc.c; do not edit. */\n"
           "#ifndef MR_ICRC_TAB_H\n#define MR_ICRC_TAB_H\n");
    print_beat();
    rows_of_zeros(BEAT, row);
    print_rows("MR_ICRC_SKIP_64", "64 zero bytes.", row);
    static const unsigned back[] = {1, 2, 3, 4, 8, 12, 16, 32, 48, 64};
    for (size_t i = 0; i < sizeof back / sizeof *back; i++) {
        unsigned n = back[i];
        rows_of_zeros(n, row);
        invert(row, inv);
        snprintf(name, sizeof name, "MR_ICRC_BACK_%u", n);
        snprintf(text, sizeof text, "Takes back %u zero bytes.", n);
        print_rows(name, text, inv);
    }
    printf("\n#endif\n");
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
