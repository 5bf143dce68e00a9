#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Programs of Debian's packages, unchanged, on two NICs: two processes on soft:, each
# with its own. They find each other over TCP on the loopback device.
set -u
: "${B:=build}"
dir=$B/tests/verbs
mkdir -p "$dir"
MR_SOFT_DIR=$(mktemp -d)
export MR_SOFT_DIR
trap 'rm -rf "$MR_SOFT_DIR"' EXIT
passed=0 failed=0 port=$((20000 + $$ % 10000))
limit=60  # seconds that one program may take

verdict() { # what, status, files with what was printed...
    local what=$1 status=$2
    shift 2
    if [ "$status" = 0 ]; then
        passed=$((passed + 1))
        echo "passed: $what"
    else
        failed=$((failed + 1))
        echo "FAILED: $what (status $status)"
        tail -n 30 "$@"
    fi
}

listens() {
    grep -qE ":$(printf %04X "$1") [0-9A-F:]+ 0A" /proc/net/tcp /proc/net/tcp6
}

# Server on the first device, client on the second: the client's last line of figures is shown.
ends() { # what to say in front, the two devices, program, its arguments
    local what=$1 first=$2 second=$3 server client
    shift 3
    port=$((port + 1))
    timeout $limit "$B/mrnic" run --dev "$first" -- "$@" -p $port >"$dir/server" 2>&1 &
    server=$!
    for _ in $(seq 200); do
        listens $port && break
        kill -0 $server 2>/dev/null || break
        sleep 0.05
    done
    timeout $limit "$B/mrnic" run --dev "$second" -- "$@" -p $port 127.0.0.1 >"$dir/client" 2>&1
    client=$?
    wait $server
    verdict "$what$*" $((client | $?)) "$dir/client" "$dir/server"
    grep -vE '^-*$' "$dir/client" | tail -n 1
}

pair() { # options of both devices, program, its arguments
    local uri=$1
    shift
    ends "${uri:+$uri: }" "soft:0?$uri" "soft:1?$uri" "$@"
}

# Time passes for a server that nobody has come to yet, so the simulator waits for one client only.
sim_pair() { # engine, program, its arguments
    local engine=$1 sock=$MR_SOFT_DIR/sim sim
    shift
    "$B/$([ $engine = rtl ] && echo mrsim || echo mrsim-native)" --engine $engine --socket "$sock" --nics 2 \
        --clients 1 --loss 0.01 >"$dir/sim" 2>&1 &
    sim=$!
    for _ in $(seq 100); do
        [ -S "$sock" ] && break
        sleep 0.05
    done
    ends "sim: $engine: " "sim:$sock?nic=0" "sim:$sock?nic=1" "$@"
    wait $sim
    verdict "and the simulator" $? "$dir/sim"
}

one() { # what, command...
    local what=$1
    shift
    timeout $limit "$@" >"$dir/out" 2>&1
    verdict "$what" $? "$dir/out"
}

run=("$B/mrnic" run --dev soft:0 --)
one "ibv_devices finds mr0" sh -c "${run[*]} ibv_devices | grep -q 'mr0.*020000fffe000001'"
one "ibv_devinfo -v" sh -c "${run[*]} ibv_devinfo -v | grep -q 'PORT_ACTIVE'"
one "no device without a URI" sh -c "! MR_DEVICE= LD_PRELOAD=$B/libmrverbs.so ibv_devinfo 2>&1 | grep mr0"
one "what cannot be a device is refused" sh -c "! $B/mrnic run --dev pcie:0 -- true"
one "a program that is not there: 127" sh -c "${run[*]} /absent; [ \$? = 127 ]"
one "a program's status" sh -c "${run[*]} sh -c 'exit 3'; [ \$? = 3 ]"
one "calls of libibverbs" "${run[@]}" "$dir/calls"
cat "$dir/out"

for uri in "" loss=0.01; do
    pair "$uri" ibv_rc_pingpong -g 0 -n 100
    pair "$uri" ibv_rc_pingpong -g 0 -n 100 -e
    pair "$uri" ib_send_bw -s 4096 -n 50
    pair "$uri" ib_send_lat -s 2 -n 50
    pair "$uri" ib_write_bw -s 65536 -n 20
    pair "$uri" ib_write_lat -s 2 -n 20
    pair "$uri" ib_read_bw -s 65536 -n 20
    pair "$uri" ib_read_lat -s 64 -n 20
    pair "$uri" ib_atomic_bw -n 50
    pair "$uri" ib_send_bw -s 1024 -n 50 -q 4 -b
done
pair "" ibv_rc_pingpong -g 0 -n 50 -t -c
pair "" ibv_rc_pingpong -g 0 -n 50 -N -c
pair "" ibv_srq_pingpong -g 0 -n 50 -q 4 -c
pair "" ib_write_bw -a -n 5
pair "" ib_write_bw -s 64 -n 50 -q 4 -b -I 64
pair "" ib_write_bw -s 8192 -n 48 --use_old_post_send -l 4
pair "" ib_send_bw -s 4096 -n 50 -e -b
pair "" ib_send_bw -s 4096 -n 50 -q 4 --use-srq
pair "" ib_read_lat -s 4096 -n 20 -e
pair "" ib_read_bw -s 16384 -n 20 -q 4 -b
pair "" ib_atomic_bw -n 50 -q 2 -A CMP_AND_SWAP
pair "" ib_atomic_lat -n 20
sim_pair native ibv_rc_pingpong -g 0 -n 10 -r 10 -c
sim_pair native ib_write_bw -s 4096 -n 10
sim_pair native ib_read_bw -s 4096 -n 10
sim_pair rtl ibv_rc_pingpong -g 0 -n 5 -r 5 -c

echo "SUITE verbs: $passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
