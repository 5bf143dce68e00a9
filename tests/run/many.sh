#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Several programs on several NICs of one simulation: N NICs, each pair (2i, 2i+1)
# moves a file at the same time, with loss. usage: many.sh NICS DIR FILE ENGINE
set -u
: "${B:=build}"
nics=$1 dir=$2 file=$3 engine=$4
rm -rf "$dir" && mkdir -p "$dir"
"$B/mrsim" --nics "$nics" --engine "$engine" --clients "$nics" --socket "$dir/sim.sock" \
    --loss 0.01 --seed 5 --stats "$dir/stats.json" >"$dir/sim.out" 2>&1 &
sim=$!
for _ in $(seq 100); do
    [ -S "$dir/sim.sock" ] && break
    sleep 0.05
done
pids=()
for ((i = 0; i < nics; i += 2)); do
    dev="sim:$dir/sim.sock"
    "$B/mr_sendfile" --role recv --dev "$dev?nic=$((i + 1))&wait=100" --control "$dir/$i.ctl" --id $((i + 2)) \
        --timeout 100 --file "$dir/$i.got" --json "$dir/$i.recv.json" >"$dir/$i.recv.out" 2>&1 &
    pids+=($!)
    "$B/mr_sendfile" --role send --dev "$dev?nic=$i&wait=100" --control "$dir/$i.ctl" --id $((i + 1)) \
        --timeout 100 --file "$file" --json "$dir/$i.send.json" >"$dir/$i.send.out" 2>&1 &
    pids+=($!)
done
bad=0
for pid in "${pids[@]}"; do
    wait "$pid" || bad=1
done
wait "$sim" || bad=1
for ((i = 0; i < nics; i += 2)); do
    cmp "$file" "$dir/$i.got" || bad=1
done
[ $bad -eq 0 ] || tail -n 20 "$dir"/*.out
exit $bad
