# SPDX-License-Identifier: BSD-2-Clause
#
# trace_calls.awk - prints mr_trace_<kernel> for every import of it in the
# generated Verilog: each hands its pins and their widths to sim_trace_put.

BEGIN {
    print "// SPDX-License-Identifier: BSD-2-Clause"
    print "// Printed by sim/trace_calls.awk."
    print "#include \"Vmr_nic_sim__Dpi.h\"\n#include \"trace.h\"\n"
}

function width(text) {
    match(text, /\[[0-9]+:0\]/)
    return substr(text, RSTART + 1, RLENGTH - 4) + 1
}

/import "DPI-C" function void mr_trace_/ {
    match($0, /mr_trace_[a-zA-Z0-9_]+/)
    kernel = substr($0, RSTART + 9, RLENGTH - 9)
    text = $0
    if (text !~ /out_pins/) {
        in_bits = width(text)
        getline text
    }
    if (kernel in seen)
        next
    seen[kernel] = 1
    print "void mr_trace_" kernel "(int id, const svBitVecVal *in_pins, const svBitVecVal *out_pins)\n{"
    print "    sim_trace_put(\"" kernel "\", static_cast<uint32_t>(id), " in_bits ", in_pins, " width(text) ", out_pins);"
    print "}\n"
}
