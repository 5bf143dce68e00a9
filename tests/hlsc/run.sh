#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run.sh STEP OUT TOOLS ... - one step of hlsc's tests; leaves OUT/RESULT with
# `passed failed skipped` and OUT/log. See hls/hlsc/hlsc.mk.
step=$1; out=$2; tools=$3
here=$(dirname "$0")
[ "$step" = summary ] || { shift 3; rm -rf "$out"; mkdir -p "$out"; }

# lockstep's last line to "passed failed"
counts() { sed -n 's/^LOCKSTEP \([0-9]*\) passed, \([0-9]*\) failed.*/\1 \2/p' "$1"; }

# Builds and runs a batch. A refused kernel or a build that fails counts as failed.
batch() {
    want=$#
    if ! "$here/batch.sh" "$out/b" "$tools" "$@" > "$out/log" 2>&1; then
        echo "0 $want 0" > "$out/RESULT"
        echo "hlsc: $out: the batch does not build, see $out/log"; tail -5 "$out/log"
        return 1
    fi
    "$out/b/lockstep" -c "$cycles" >> "$out/log" 2>&1
    refused=$(wc -l < "$out/b/refused")
    set -- $(counts "$out/log")
    echo "${1:-0} $((${2:-$want} + refused)) 0" > "$out/RESULT"
    cat "$out/b/refused"
    grep "differs" "$out/log"
    rm -rf "$out/b/obj" "$out"/b/*.o "$out/b/gentop" "$out/b/all.cc"
    return 0
}

random_batch() { # first seed, count
    list=
    mkdir -p "$out/k"
    for i in $(seq "$1" $(($1 + $2 - 1))); do
        "$tools/gen" "$i" "k$i" > "$out/k/k$i.c"
        list="$list $out/k/k$i.c"
    done
    KERNEL_FLAGS=-w batch $list
}

# iverilog reads all kernels of the batch without a word
icarus() {
    [ -s "$out/b/names" ] || return
    iverilog -g2005 -Wall -t null $(sed "s|.*|$out/b/&.v|" "$out/b/names") "$here/../../hls/hlsc/rtl/mr_skid.v" \
        > "$out/icarus" 2>&1 && [ ! -s "$out/icarus" ] && return
    echo "icarus:"; head -5 "$out/icarus"
    read -r p f s < "$out/RESULT"
    echo "$p $((f + 1)) $s" > "$out/RESULT"
}

case $step in
directed)
    cycles=${HLSC_CYCLES:-20000}
    export TRACE=1
    batch "$@" && cat "$out/log"
    icarus
    ;;
tools) # what Yosys thinks of the directed kernels
    p=0; f=0
    for n in $(cat "$1/b/names"); do
        syn="proc; opt_clean; memory -nomap; check -assert"
        # deep synchronous memories must become block RAM
        case $n in flows | update) syn="proc; check -assert; synth_xilinx -family xcup -top $n -run prepare:map_ffram; select -assert-min 1 t:RAMB*" ;; esac
        if yosys -q -p "read_verilog $1/b/$n.v $here/../../hls/hlsc/rtl/mr_skid.v; hierarchy -check -top $n; $syn" > "$out/log.$n" 2>&1; then
            p=$((p + 1))
        else
            f=$((f + 1)); echo "yosys: $n"; tail -3 "$out/log.$n"
        fi
    done
    echo "$p $f 0" > "$out/RESULT"
    ;;
random)
    cycles=$HLSC_CYCLES
    random_batch $(($1 * HLSC_PER_BATCH)) "$HLSC_PER_BATCH"
    icarus
    echo "hlsc random batch $1: $(tail -1 "$out/log")"
    ;;
mistake)
    m=$1; shift; cycles=3000
    HLSC_FLAGS="--seed-mistake $m" batch "$@" > /dev/null
    read -r p f s < "$out/RESULT"
    if [ "$f" -gt 0 ]; then
        echo "1 0 0" > "$out/RESULT"
        echo "hlsc mistake $m: caught by $(sed -n 's/^\([a-z_0-9]*\): cycle \([0-9]*\):.*/\1 (cycle \2)/p' "$out/log" | tr '\n' ' ')"
    else
        echo "0 1 0" > "$out/RESULT"; echo "hlsc mistake $m: not caught"
    fi
    ;;
fuzz)
    n=$1; seed=$(($2 * 100000)); cycles=$HLSC_CYCLES; bad=0; base=$out
    while [ "$n" -gt 0 ]; do
        k=$((n < 25 ? n : 25)); out=$base/$seed; mkdir -p "$out"
        random_batch "$seed" "$k"
        read -r p f s < "$out/RESULT"
        echo "seeds $seed to $((seed + k - 1)): $p passed, $f failed"
        [ "$f" = 0 ] && rm -rf "$out"
        bad=$((bad + f)); n=$((n - k)); seed=$((seed + k))
    done
    [ "$bad" = 0 ]
    ;;
summary)
    shift
    cat "$@" | { P=0; F=0; S=0
        while read -r p f s; do P=$((P + p)); F=$((F + f)); S=$((S + s)); done
        echo "SUITE hlsc: $P passed, $F failed, $S skipped"
        [ "$F" = 0 ]; }
    ;;
esac
