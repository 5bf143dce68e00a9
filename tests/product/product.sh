#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# libmetaroce and mrnic as somebody has them who installs them.
set -u
: "${B:=build}"
dir=$(realpath "$B")/tests/product
here=tests/product
mkdir -p "$dir"
. $here/checks.sh
. $here/install.sh
. $here/tools.sh
echo "SUITE product: $passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
