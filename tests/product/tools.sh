# SPDX-License-Identifier: BSD-2-Clause
# mrnic, on a NIC that another program drives. Sourced.

nic=$B/mrnic
sock=$dir/sim.sock
unset MR_DEVICE MR_SIM

# Starts a simulator, and a program that holds a connection open on it until its input ends.
start() { # NICs' options of hold...
    rm -f "$sock" "$dir/hold.out"
    "$B/mrsim-native" --socket "$sock" --seed 3 --loss 0.01 --escape-ms 50 2>"$dir/sim.err" &
    sim=$!
    for _ in $(seq 100); do [ -S "$sock" ] && break; sleep 0.05; done
    coproc HOLD { exec "$dir/hold" "$sock" "$@" >"$dir/hold.out" 2>"$dir/hold.err"; }
    hold=$HOLD_PID
    for _ in $(seq 400); do grep -q ready "$dir/hold.out" 2>/dev/null && return; sleep 0.05; done
    echo "FAILED: hold did not come"
    cat "$dir/hold.err" "$dir/sim.err"
    failed=$((failed + 1))
}

stop() {
    eval "exec ${HOLD[1]}>&-"
    check "the program that was watched ends well" 0 wait "$hold"
    check "and the simulator" 0 wait "$sim"
}

# Usage errors.
check "no command" 64 "$nic"
check "an unknown command" 64 "$nic" look
check "an unknown option" 64 "$nic" --look
for c in list info stat top dump run; do
    check "$c --help" 0 "$nic" $c --help
    says "$c --help" "^Usage: mrnic $c "
    check "$c --version" 0 "$nic" $c --version
    check "$c with an unknown option" 64 "$nic" $c --look
    check "$c with two devices" 64 "$nic" $c sim:a sim:b
done
for c in list info stat top; do
    check "$c with something that is no URI" 64 "$nic" $c 17
done
check "dump of no such table" 64 "$nic" dump sim: chairs
check "dump of two tables" 64 "$nic" dump sim: conn path
check "top with no number" 64 "$nic" top -n 0
check "top with a short interval" 64 "$nic" top -i 1

# No device.
for c in info stat dump "top --once"; do
    check "$c of nobody" 1 "$nic" $c "sim:$dir/absent"
    says "$c of nobody" "sim:$dir/absent: no such device"
    check "$c of no such back end" 1 "$nic" $c usb:1
done
check "list of nobody" 0 "$nic" list "sim:$dir/absent"
says "list of nobody" " absent "

# A NIC in use.
start 6 1
check "list" 0 env MR_SIM="$sock" "$nic" list
says "list" "^sim:\?nic=0 +in use"
says "list" "^soft:0 +free"
check "list as JSON" 0 "$nic" list --json "sim:$sock"
cp "$dir/out" "$dir/json"
check "is JSON" 0 python3 -m json.tool "$dir/json"
check "info" 0 "$nic" info "sim:$sock"
says "info" '^interface +1\.0$'
says "info" '^layouts +0x[0-9a-f]{8}$'
says "info" '^  conns +64$'
says "info" '^  probe_min_ns +10000$'
check "info as JSON" 0 "$nic" info -j "sim:$sock"
cp "$dir/out" "$dir/json"
check "is JSON" 0 python3 -m json.tool "$dir/json"
check "stat" 0 "$nic" stat "sim:$sock?nic=0"
says "stat" '^tx_data +[1-9]'
says "stat" '^connection 0: 10\.0\.0\.1 to 10\.0\.0\.2, payload 4096, planes 1'
says "stat" '^   5 +0 [0-9]{5} .* live$'
"$nic" stat --json "sim:$sock?nic=0" >"$dir/stat.json" 2>"$dir/out"
check "stat as JSON" 0 python3 -m json.tool "$dir/stat.json"
check "agrees with the program's own counters and paths" 0 python3 $here/agree.py "$dir/stat.json" "$dir/hold.out"
check "top" 0 "$nic" top --once "sim:$sock"
says "top" '^mrnic top - sim:.*, connections: 1$'
says "top, planes" '^ +0 +6 +- +[1-9]'
says "top, connections" '^ +0 +6 10\.0\.0\.2 '
says "top, paths" '^ +0 +5 +0 live '
check "top, frame by frame" 0 "$nic" top -b -n 3 -i 10 "sim:$sock"
says "top, frame by frame" ' us later, connections: 1$'
check "top on a terminal" 0 env TERM=xterm script -qec "$nic top -n 2 -i 50 sim:$sock" /dev/null
says "top on a terminal" '10\.0\.0\.2'
check "and ended by a key" 0 sh -c "(sleep 0.3; printf q) | TERM=xterm timeout 10 script -qec '$nic top sim:$sock' /dev/null"
check "top on what is no terminal" 1 env TERM=none "$nic" top -n 1 "sim:$sock"
check "dump" 0 "$nic" dump "sim:$sock"
says "dump of connections" '^conn 0: state=1 .* npaths=6 .* nplanes=1 '
says "dump of paths" '^path 5: sport=[0-9]+ plane=0 state=1 conn=0 path=5 '
says "dump of telemetry" '^tele 5: .* state=1 '
says "dump of histograms" '^hist 5: b0='
says "dump of keys" '^key 0: rights=5 .* len=50000 '
check "dump of one table" 0 "$nic" dump "sim:$sock" KEY
cp "$dir/out" "$dir/dump"
check "and of no other" 1 grep -v '^key' "$dir/dump"
check "dump with texts" 0 "$nic" dump --long "sim:$sock" conn
says "dump with texts" '^  mtu +4096 +payload bytes per packet'
check "dump as JSON" 0 "$nic" dump -j "sim:$sock"
cp "$dir/out" "$dir/dump.json"
check "names every field of defs/" 0 python3 $here/fields.py "$dir/dump.json" defs/host.def
stop

# Two planes.
start 6 2
check "top" 0 "$nic" top --once "sim:$sock?nic=1"
says "top, planes" '^ +1 +3 '
says "top, paths" '^ +0 +5 +1 live '
check "stat" 0 "$nic" stat "sim:$sock"
says "stat" '10\.0\.0\.8 to 10\.0\.0\.16, payload 4096, planes 2'
stop

# A program that uses the table window all the while does not notice.
start 8 1 busy
for _ in $(seq 5); do
    check "dump of a busy NIC" 0 "$nic" dump "sim:$sock"
    check "stat of a busy NIC" 0 "$nic" stat --json "sim:$sock"
done
stop
check "nothing was said of a path" 1 grep . "$dir/hold.err"

# RTL under way: rates, and the transfer does not suffer.
for _ in 1 2 3 4; do cat "$B/run.tar"; done >"$dir/file"
rm -f "$sock" "$dir/ctl"
"$B/mrsim" --engine rtl --socket "$sock" --loss 0.01 2>"$dir/sim.err" &
sim=$!
for _ in $(seq 100); do [ -S "$sock" ] && break; sleep 0.05; done
"$B/mr_sendfile" --role recv --dev "sim:$sock?nic=1" --control "$dir/ctl" >"$dir/recv.out" 2>&1 &
recv=$!
"$B/mr_sendfile" --role send --dev "sim:$sock?nic=0" --control "$dir/ctl" --file "$dir/file" >"$dir/send.out" 2>&1 &
send=$!
check "top until the simulator ends" 1 "$nic" top -b -i 100 "sim:$sock?nic=0"
says "top of a transfer" '^ +0 +[48] 10\.0\.0\.2 +[1-9][0-9]+\.[0-9]{3} '
says "and its end" 'stopped answering'
check "the sender" 0 wait $send
check "the receiver" 0 wait $recv
check "the simulator" 0 wait $sim

# The protocol itself, between any two steps of the owner.
rm -f "$sock"
"$B/mrsim-native" --socket "$sock" --nics 1 --clients 1 2>"$dir/sim.err" &
sim=$!
for _ in $(seq 100); do [ -S "$sock" ] && break; sleep 0.05; done
check "watching between any two steps" 0 "$dir/watcher" "$sock"
check "and the simulator" 0 wait "$sim"

# soft: the tool's own device.
export MR_SOFT_DIR=$dir/soft
check "info of soft:" 0 "$nic" info soft:3
check "stat of soft:" 0 "$nic" stat --json soft:3
says "stat of soft:" '"connections": \[\]'
check "top of soft:" 0 "$nic" top --once soft:3
check "dump of soft:" 1 "$nic" dump soft:3
says "dump of soft:" 'no such back end or function'
