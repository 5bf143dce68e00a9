#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the suites named in SUITES and adds up what they say. A suite that ends
# without its line, or fails without counting a failure, counts as one failure.
set -u
passed=0 failed=0 skipped=0
log=${B:=build}/test
mkdir -p "$log"
for suite in $SUITES; do
    start=$(date +%s)
    echo "== $suite"
    make --no-print-directory -j"${JOBS:-2}" -f "$MAKEFILE" "test-$suite" >"$log/$suite.log" 2>&1
    status=$?
    line=$(grep "^SUITE $suite:" "$log/$suite.log" | tail -n 1)
    if [ -z "$line" ]; then
        line="SUITE $suite: 0 passed, 1 failed, 0 skipped"
    fi
    set -- $(echo "$line" | tr -cd '0-9 \n' | tr -s ' ')
    f=$2
    [ $status -ne 0 ] && [ "$f" -eq 0 ] && f=1
    [ "$f" -ne 0 ] && tail -n 60 "$log/$suite.log"
    passed=$((passed + $1)) failed=$((failed + f)) skipped=$((skipped + $3))
    echo "$line ($(($(date +%s) - start)) s)"
done
if [ $skipped -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ]
