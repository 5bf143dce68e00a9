#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# test.sh DIR MRSIM - the equivalence suite; DIR holds its programs and takes its files.
dir=$1
mrsim=$2
log=$dir/log
: >"$log"

# Runs a check whose output has one line `ok` or `FAIL` each; a program that ends otherwise is a failure.
check() {
    timeout -k 5 240 "$@" >"$log.part" 2>&1
    status=$?
    tee -a "$log" <"$log.part"
    if [ $status -gt 1 ] || { [ $status -eq 1 ] && ! grep -q '^FAIL' "$log.part"; }; then
        echo "FAIL equiv: $* ended with status $status" | tee -a "$log"
    fi
}

check "$dir/equiv"

# The same program of the public library on the software NIC and on the simulated RTL.
wire=$(mktemp -d /tmp/mr-equiv-XXXXXX)
rm -f "$dir/soft.txt" "$dir/sim.txt"
check "$dir/lib" "soft:0?dir=$wire&loss=0.01&seed=1" "soft:1?dir=$wire&loss=0.01&seed=2" "$dir/soft.txt"
timeout -k 5 240 "$mrsim" --engine rtl --socket "$wire/sock" --nics 2 --seed 1 --loss 0.01 >"$log.mrsim" 2>&1 &
sim=$!
for i in 1 2 3 4 5 6 7 8 9 10; do
    [ -S "$wire/sock" ] && break
    sleep 0.2
done
check "$dir/lib" "sim:$wire/sock?nic=0" "sim:$wire/sock?nic=1" "$dir/sim.txt"
wait $sim
status=$?
if [ $status -eq 0 ]; then
    echo "ok   equiv: mrsim ended well"
else
    cat "$log.mrsim"
    echo "FAIL equiv: mrsim ended with status $status"
fi | tee -a "$log"
if cmp "$dir/soft.txt" "$dir/sim.txt"; then
    echo "ok   equiv: soft: and sim: leave the same completions and the same memory"
else
    diff "$dir/soft.txt" "$dir/sim.txt" | head -n 20
    echo "FAIL equiv: soft: and sim: differ"
fi | tee -a "$log"
rm -rf "$wire"

passed=$(grep -c '^ok ' "$log")
failed=$(grep -c '^FAIL' "$log")
echo "SUITE equiv: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
