#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# batch.sh OUT HLSC KERNEL.c... - one Verilator build for many kernels.
#
# Each KERNEL.c defines the kernel of its own base name. Leaves OUT/lockstep.
# Environment: HLSC_FLAGS (e.g. --seed-mistake 3), KERNEL_FLAGS (for clang).
# A kernel that hlsc refuses is left out and listed in OUT/refused.
set -e
[ -z "$HLSC_PROFILE" ] || set -x
out=$1; hlsc=$2; shift 2
here=$(dirname "$0")
root=$(cd "$here/../.." && pwd)
rm -rf "$out"; mkdir -p "$out"
: > "$out/refused"; : > "$out/names"
for c in "$@"; do
    n=$(basename "$c" .c)
    if "$hlsc" $HLSC_FLAGS "$c" -k "$n" -o "$out/$n.v" --glue "$out/$n.glue.h" -- -I"$root/hls" $KERNEL_FLAGS 2> "$out/$n.err"; then
        echo "$n" >> "$out/names"
        clang-19 -std=c23 -O1 -w -DKUT="$n" -DKUT_SOURCE="\"$(realpath "$c")\"" -DKUT_GLUE="\"$n.glue.h\"" \
            -I"$out" -I"$root/hls" -I"$here" $KERNEL_FLAGS -x c -c "$here/kut.h" -o "$out/$n.o"
    else
        echo "$n: $(head -1 "$out/$n.err")" >> "$out/refused"
    fi
done
{
    echo '#include "lockstep.h"'
    sed 's/.*/extern const struct kut &_kut;/' "$out/names"
    echo 'const struct kut *const kuts[] = {'
    sed 's/.*/\&&_kut,/' "$out/names"
    echo 'nullptr};'
} > "$out/table.c"
objs=$(sed "s|.*|$out/&.o|" "$out/names")
clang-19 -std=c23 -O1 -I"$here" -c "$out/table.c" -o "$out/table.o"
clang-19 -std=c23 -Wall -Wextra -Werror -O2 -I"$here" "$here/gentop.c" "$out/table.o" $objs -o "$out/gentop"
"$out/gentop" "$out/top.v" "$out/pins.inc"
clang-19 -std=c23 -Wall -Wextra -Werror -O2 -I"$here" -c "$here/lockstep.c" -o "$out/lockstep.o"
verilator --cc -O3 --x-assign fast --x-initial fast -Wall -Wno-UNUSED -Wno-DECLFILENAME -Wno-UNDRIVEN --top-module top --Mdir "$out/obj" \
    "$out/top.v" $(sed "s|.*|$out/&.v|" "$out/names") "$root/hls/hlsc/rtl/mr_skid.v" > "$out/verilator.log" 2>&1 \
    || { cat "$out/verilator.log"; exit 1; }
make -s -C "$out/obj" -f Vtop.mk OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1 Vtop__ALL.a verilated.o verilated_threads.o > "$out/make.log" 2>&1 || { cat "$out/make.log"; exit 1; }
g++ -O1 -I"$out" -I"$out/obj" -I"$here" -I/usr/share/verilator/include -c "$here/top.cc" -o "$out/topcc.o"
g++ "$out/lockstep.o" "$out/topcc.o" "$out/table.o" $objs "$out"/obj/Vtop__ALL.a "$out"/obj/verilated.o "$out"/obj/verilated_threads.o -lpthread -o "$out/lockstep"
