// SPDX-License-Identifier: BSD-2-Clause
#include "rig.h"

static void find__by_scheme(void)
{
    const char *rest = nullptr;

    CU_ASSERT_PTR_EQUAL(mri_bus_find("sim:/x?nic=1", &rest), &mri_bus_sim);
    CU_ASSERT_STRING_EQUAL(rest, "/x?nic=1");
    CU_ASSERT_PTR_EQUAL(mri_bus_find("soft:", &rest), &mri_bus_soft);
    CU_ASSERT_STRING_EQUAL(rest, "");
    CU_ASSERT_PTR_EQUAL(mri_bus_find("fake:", &rest), &bus_fake);
    CU_ASSERT_PTR_NULL(mri_bus_find("si:", &rest));
    CU_ASSERT_PTR_NULL(mri_bus_find("simx:", &rest));
    CU_ASSERT_PTR_NULL(mri_bus_find("sim", &rest));
    CU_ASSERT_PTR_NULL(mri_bus_find("", &rest));
}

static void option__values(void)
{
    char out[8];

    CU_ASSERT_EQUAL(mri_uri_option("p?a=1&bc=22&d", "bc", out, sizeof out), 2);
    CU_ASSERT_STRING_EQUAL(out, "22");
    CU_ASSERT_EQUAL(mri_uri_option("p?a=1&bc=22&d", "a", out, sizeof out), 1);
    CU_ASSERT_EQUAL(mri_uri_option("p?a=1&bc=22&d", "d", out, sizeof out), 0);
    CU_ASSERT_EQUAL(mri_uri_option("p?a=1&bc=22", "b", out, sizeof out), -ENOENT);
    CU_ASSERT_EQUAL(mri_uri_option("p?a=12345678", "a", out, sizeof out), -ENAMETOOLONG);
    CU_ASSERT_EQUAL(mri_uri_option("p", "a", out, sizeof out), -ENOENT);
    CU_ASSERT_EQUAL(mri_uri_option("p?", "a", out, sizeof out), -ENOENT);
}

static void head__lengths(void)
{
    char out[4];

    CU_ASSERT_EQUAL(mri_uri_head("abc?x=1", out, sizeof out), 3);
    CU_ASSERT_STRING_EQUAL(out, "abc");
    CU_ASSERT_EQUAL(mri_uri_head("?x=1", out, sizeof out), 0);
    CU_ASSERT_EQUAL(mri_uri_head("abcd", out, sizeof out), -ENAMETOOLONG);
}

static void number__ranges(void)
{
    uint64_t v = 77;

    CU_ASSERT_EQUAL(mri_uri_number("?a=5", "b", 0, 9, &v), 0);
    CU_ASSERT_EQUAL(v, 77);
    CU_ASSERT_EQUAL(mri_uri_number("?a=0x1f", "a", 0, 31, &v), 0);
    CU_ASSERT_EQUAL(v, 31);
    static const char *const bad[] = {"?a=32", "?a=", "?a", "?a=-1", "?a=1x", "?a= 1",
                                      "?a=99999999999999999999", "?a=1&a"};
    for (size_t i = 0; i + 1 < sizeof bad / sizeof bad[0]; i++)
        CU_ASSERT_EQUAL(mri_uri_number(bad[i], "a", 0, 31, &v), -EINVAL);
}

static void fraction__ranges(void)
{
    double v = 0.5;

    CU_ASSERT_EQUAL(mri_uri_fraction("?loss=0.01", "loss", &v), 0);
    CU_ASSERT_DOUBLE_EQUAL(v, 0.01, 1e-12);
    static const char *const bad[] = {"?loss=1.1", "?loss=-1", "?loss=nan", "?loss=", "?loss=x"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CU_ASSERT_EQUAL(mri_uri_fraction(bad[i], "loss", &v), -EINVAL);
}

static void check__unknown_option(void)
{
    static const char *const names[] = {"nic", "wait", nullptr};

    CU_ASSERT_EQUAL(mri_uri_check("x", names), 0);
    CU_ASSERT_EQUAL(mri_uri_check("x?nic=1&wait=2", names), 0);
    CU_ASSERT_EQUAL(mri_uri_check("x?nic=1&ni=2", names), -EINVAL);
    CU_ASSERT_EQUAL(mri_uri_check("x?nicx=1", names), -EINVAL);
}

const struct test_row tests_bus[] = {
    {"find__by_scheme", find__by_scheme},
    {"option__values", option__values},
    {"head__lengths", head__lengths},
    {"number__ranges", number__ranges},
    {"fraction__ranges", fraction__ranges},
    {"check__unknown_option", check__unknown_option},
    {},
};
