#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# test.sh DIR MUTANT... - the replay suite; DIR holds its programs and takes its files.
dir=$1
shift
log=$dir/log
: >"$log"

# Runs a check whose output has one line `ok` or `FAIL` each; a program that ends otherwise is a failure.
check() {
    timeout -k 5 240 "$@" >"$log.part" 2>&1
    status=$?
    grep -v '^==.*LeakSanitizer' "$log.part" | tee -a "$log"
    if [ $status -gt 1 ] || { [ $status -eq 1 ] && ! grep -q '^FAIL' "$log.part"; }; then
        echo "FAIL replay: $* ended with status $status" | tee -a "$log"
    fi
}

check "$dir/record" "$dir/run.mrt"
du -ch "$dir"/run.?.mrt | sed -n 's/\(.*\)\ttotal/     replay: \1 recorded/p'
check "$dir/replay" "$dir/run.0.mrt" "$dir/run.1.mrt"
check "$dir/replay" --flip 0 "$dir/run.0.mrt"
check "$dir/replay" --flip-in tx_crc 3 "$dir/run.0.mrt"

# The scenario of `make run` itself: the same programs, on a simulator that records.
main=$dir/main
mkdir -p "$main"
printf '#!/bin/sh\nexec %s/mrsim-trace --trace %s/run.mrt "$@"\n' "$B" "$main" >"$main/mrsim"
chmod +x "$main/mrsim"
if "$B/mr_run" --mrsim "$main/mrsim" "$B/run.tar" >"$main/table" 2>&1; then
    echo "ok   replay: make run recorded"
else
    cat "$main/table"
    echo "FAIL replay: make run recorded"
fi | tee -a "$log"
check "$dir/replay" --may-idle "$main/run.0.mrt"
check "$dir/replay" --may-idle "$main/run.1.mrt"

# A kernel with a changed constant, alone: must not be as recorded.
for m; do
    timeout -k 5 240 "$dir/mutant/$m" --only "$m" "$dir/run.0.mrt" >"$log.part" 2>&1
    if [ $? -eq 1 ] && grep -q "^FAIL replay: run.0.mrt $m .* [1-9][0-9]* mismatches" "$log.part"; then
        echo "ok   replay: $m with a changed constant:$(sed -n 's/^ *first/ first mismatch/p' "$log.part")"
    else
        cat "$log.part"
        echo "FAIL replay: $m with a changed constant was not noticed"
    fi | tee -a "$log"
done

passed=$(grep -c '^ok ' "$log")
failed=$(grep -c '^FAIL' "$log")
echo "SUITE replay: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
