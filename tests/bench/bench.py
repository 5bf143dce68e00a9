#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Takes all figures, prints a table, writes build/bench.json: flat keys to numbers.

usage: bench.py BUILD KERNEL... -- FLAG...   (sources of the kernels, flags to compile them)
"""
import json
import os
import resource
import subprocess
import sys

# Payload's share of the line: 4,096 of 98 header, 4,096 payload, 4 integrity and 24 Ethernet bytes.
SHARE = 4096 / (98 + 4096 + 4 + 24)
ASKED = {"rtl.goodput_pct.loss_0": 90, "rtl.cycles.write64_latency": 250}


def goodput(build, loss):
    """Per cent of the line's payload share, 16 MiB in 1 MiB Writes over 4 paths."""
    data = os.path.join(build, "bench.bin")
    if not os.path.exists(data):
        with open(data, "wb") as f:
            f.write(bytes((i * 2654435761 >> 11) & 255 for i in range(1 << 16)) * 256)
    out = os.path.join(build, "bench.run.json")
    subprocess.run([f"{build}/mr_run", "--mrsim", f"{build}/mrsim", "--loss", str(loss), "--json", out,
                    data], check=True, stdout=subprocess.DEVNULL)
    with open(out) as f:
        sent = json.load(f)["sender"]
    return sent["bytes"] * 8 / sent["time_ns"] / 100 / SHARE * 100


def probe(build, what):
    return float(subprocess.run([f"{build}/bench/probe", what], check=True, capture_output=True, text=True).stdout)


def hlsc(build, kernels, flags):
    """Processor seconds of compiling every kernel."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for k in kernels:
        name = os.path.splitext(os.path.basename(k))[0]
        subprocess.run([f"{build}/hlsc/hlsc", k, "-k", name, "-o", os.devnull, "--", *flags], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    cut = sys.argv.index("--")
    build, kernels, flags = sys.argv[1], sys.argv[2:cut], sys.argv[cut + 1:]
    figures = {
        "rtl.goodput_pct.loss_0": goodput(build, 0),
        "rtl.goodput_pct.loss_1": goodput(build, 0.01),
        "rtl.cycles.write64_latency": probe(build, "latency"),
        "sim.khz": probe(build, "khz"),
        "native.mpps": probe(build, "mpps"),
        "hlsc.seconds": hlsc(build, kernels, flags),
    }
    for key, value in figures.items():
        asked = f"   asked for {ASKED[key]}" if key in ASKED else ""
        print(f"{key:32} {value:10.3f}{asked}")
    with open(f"{build}/bench.json", "w") as f:
        json.dump({k: round(v, 4) for k, v in figures.items()}, f, indent=1)
        f.write("\n")


main()
