#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# batch.sh OUT TOOLS KERNEL.c... - one Verilator build for many kernels.
#
# Each KERNEL.c defines the kernel of its own base name. TOOLS holds hlsc,
# lockstep.o and verilated.o (hlsc.mk makes them). Leaves OUT/lockstep; kernels
# that hlsc refuses are left out and listed in OUT/refused.
# Environment: HLSC_FLAGS (e.g. --seed-mistake 3), KERNEL_FLAGS (for clang), TRACE
# (build with MR_TRACE and replay what it records).
set -e
out=$1; tools=$2; shift 2
here=$(dirname "$0")
root=$(cd "$here/../.." && pwd)
[ -z "$TRACE" ] || { vtrace=+define+MR_TRACE; ctrace=-DKUT_TRACE; }
inc=/usr/share/verilator/include
rm -rf "$out"; mkdir -p "$out"
: > "$out/refused"; : > "$out/names"
for c in "$@"; do
    n=$(basename "$c" .c)
    if "$tools/hlsc" $HLSC_FLAGS "$c" -k "$n" -o "$out/$n.v" --glue "$out/$n.glue.h" -- -I"$root/hls" $KERNEL_FLAGS \
        2> "$out/$n.err"; then
        echo "$n" >> "$out/names"
        clang-19 -std=c23 -O0 -w $ctrace -DKUT="$n" -DKUT_SOURCE="\"$(realpath "$c")\"" -DKUT_GLUE="\"$n.glue.h\"" \
            -I"$out" -I"$root/hls" -I"$here" $KERNEL_FLAGS -x c -c "$here/kut.h" -o "$out/$n.o"
    else
        echo "$n: $(head -1 "$out/$n.err")" >> "$out/refused"
    fi
done
{
    echo '#include "lockstep.h"'
    echo 'unsigned long trace_calls, trace_differences;'
    sed 's/.*/extern const struct kut &_kut;/' "$out/names"
    echo 'const struct kut *const kuts[] = {'
    sed 's/.*/\&&_kut,/' "$out/names"
    echo 'nullptr};'
} > "$out/table.c"
objs=$(sed "s|.*|$out/&.o|" "$out/names")
clang-19 -std=c23 -O1 -I"$here" -c "$out/table.c" -o "$out/table.o"
clang-19 "$tools/gentop.o" "$out/table.o" $objs -o "$out/gentop"
"$out/gentop" "$out/top.v" "$out/pins.inc"
# every warning is an error here: the generated Verilog silences only unused signals, itself
verilator --cc -O3 $vtrace --x-assign fast --x-initial fast -Wall -Wno-UNUSED -Wno-DECLFILENAME --top-module top \
    --Mdir "$out/obj" "$out/top.v" $(sed "s|.*|$out/&.v|" "$out/names") "$root/hls/hlsc/rtl/mr_skid.v"
# one translation unit: Verilator's headers cost a second each time; compiling costs more than running
for f in "$out"/obj/*.cpp; do echo "#include \"obj/$(basename "$f")\""; done > "$out/all.cc"
echo "#include \"$(realpath "$here")/top.cc\"" >> "$out/all.cc"
clang++-19 ${CXXOPT:--O0} -w -I"$out" -I"$out/obj" -I"$here" -I$inc -I$inc/vltstd -c "$out/all.cc" -o "$out/all.o"
clang++-19 "$tools/lockstep.o" "$out/all.o" "$out/table.o" $objs "$tools"/verilated*.o -lpthread -o "$out/lockstep"
