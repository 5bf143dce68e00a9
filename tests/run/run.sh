#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The main job as a user runs it: right, repeatable, and loud when it fails.
set -u
: "${B:=build}"
dir=$B/tests/run
mkdir -p "$dir"
passed=0 failed=0

check() { # what, status wanted (0 or not), command...
    local what=$1 want=$2
    shift 2
    "$@" >"$dir/out" 2>&1
    local status=$?
    if { [ "$want" = 0 ] && [ $status -eq 0 ]; } || { [ "$want" != 0 ] && [ $status -ne 0 ]; }; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $what (status $status)"
        cat "$dir/out"
    fi
}

run() { "$B/mr_run" --mrsim "$B/mrsim" "$@"; }

check "default scenario" 0 run --json "$dir/a.json" --pcap "$dir/a.pcap" "$B/run.tar"
cp "$dir/out" "$dir/table"
check "its table" 0 grep -q ': equal$' "$dir/table"
check "its goodput" 0 grep -Eq '^goodput +[0-9.]+ Gbit/s' "$dir/table"
check "the same again" 0 run --json "$dir/b.json" --pcap "$dir/b.pcap" "$B/run.tar"
check "replays bit by bit from the seed" 0 sh -c "grep -v device $dir/a.json >$dir/a; grep -v device $dir/b.json >$dir/b; cmp $dir/a $dir/b"
check "and on the wire" 0 cmp "$dir/a.pcap" "$dir/b.pcap"
check "another seed" 0 run --seed 2 --json "$dir/c.json" --pcap "$dir/c.pcap" "$B/run.tar"
check "is another run" 1 cmp "$dir/a.pcap" "$dir/c.pcap"
for paths in 1 2 8; do
    check "$paths paths" 0 run --paths $paths --routes 8 "$B/run.tar"
done
check "2 planes" 0 run --planes 2 "$B/run.tar"
cp "$dir/out" "$dir/planes"
check "paths of both in use" 0 sh -c "grep -Eq '^ +0 +0 .* live$' $dir/planes && grep -Eq '^ +1 +1 .* live$' $dir/planes"
check "a plane that is gone" 0 run --planes 2 --lane '*:*:p1:hole=0-1000000' "$B/run.tar"
cp "$dir/out" "$dir/gone"
check "its paths out of use, the others in use" 0 sh -c \
    "grep -Eq '^ +2 +0 .* live$' $dir/gone && ! grep -Eq '^ +[0-9]+ +1 .* live$' $dir/gone"
check "the same at the end" 0 grep -q ': equal$' "$dir/gone"
check "3 routes on 2 planes" 1 run --planes 2 --routes 3 "$B/run.tar"
head -c 1 "$B/run.tar" >"$dir/one"
check "one byte" 0 run --loss 0.1 "$dir/one"
check "one tenth lost" 0 run --loss 0.1 --seed 3 "$B/run.tar"
check "small packets" 0 run --mtu 256 --paths 3 "$0"
head -c 300000 "$B/run.tar" >"$dir/part"
for nics in 4 8; do
    check "$nics programs on $nics NICs" 0 tests/run/many.sh $nics "$dir/many$nics" "$dir/part" rtl
done
check "no such file" 1 run "$dir/absent"
check "everything lost ends in an error" 1 run --loss 1 --timeout 60 "$dir/one"
check "tshark finds no malformed packet" 0 sh -c \
    "! tshark -X lua_script:docs/wireshark/metaroce.lua -r $dir/a.pcap -Y _ws.malformed 2>/dev/null | grep ."


# A receiver that got something else: its report is changed on the way to mr_run.
cat >"$dir/liar" <<END
#!/bin/bash
"$B/mr_sendfile" "\$@" || exit
while [ \$# -gt 1 ]; do
    [ "\$1" = --role ] && role=\$2
    [ "\$1" = --json ] && json=\$2
    shift
done
[ "\$role" = send ] || sed -i 's/\("sha256": "\)...../\1fffff/' "\$json"
END
chmod +x "$dir/liar"
check "a mismatch ends non-zero" 1 run --sendfile "$dir/liar" "$dir/part"
cp "$dir/out" "$dir/mismatch"
check "and says so" 0 grep -q 'DIFFER' "$dir/mismatch"

# A simulator that dies in the middle: both programs end with an error, within 5 s of it.
dead() {
    local sock=$dir/dead.sock
    rm -f "$sock"
    "$B/mrsim" --engine rtl --clients 2 --socket "$sock" >/dev/null 2>&1 &
    local sim=$!
    while [ ! -S "$sock" ]; do sleep 0.05; done
    "$B/mr_sendfile" --role recv --dev "sim:$sock?nic=1" --control "$dir/dead.ctl" >/dev/null 2>&1 &
    local recv=$!
    "$B/mr_sendfile" --role send --dev "sim:$sock?nic=0" --control "$dir/dead.ctl" --file "$dir/big" >/dev/null 2>&1 &
    local send=$!
    sleep 1
    kill -KILL $sim
    wait $sim 2>/dev/null
    local start=$SECONDS
    wait $send && return 1
    wait $recv && return 1
    [ $((SECONDS - start)) -le 5 ]
}
for _ in $(seq 40); do cat "$B/run.tar"; done >"$dir/big"
check "a simulator that dies" 0 dead

echo "SUITE run: $passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
