#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Takes figures, prints a table, writes build/bench.json: flat keys to numbers.

usage: bench.py BUILD ONLY KERNEL... -- FLAG...

ONLY: what a key must begin with to be taken, "" for all; other keys in
bench.json stay. KERNEL, FLAG: sources of the kernels, flags to compile them.
"""
import json
import os
import resource
import subprocess
import sys
import time

# What is asked for: at least, or with "<" at most.
ASKED = {
    "rtl.goodput_pct.loss_0": (">", 96), "rtl.goodput_pct.loss_0p1": (">", 96), "rtl.goodput_pct.loss_1": (">", 95),
    "rtl.goodput_pct.loss_5": (">", 89), "rtl.goodput_pct.loss_10": (">", 82), "rtl.goodput_pct.corrupt_1": (">", 95),
    "rtl.goodput_pct.dup_5": (">", 95), "rtl.goodput_pct.reorder_heavy": (">", 95),
    "rtl.goodput_pct.one_of_4_paths_dead": (">", 73), "rtl.rtt.incast_8to1_settle": ("<", 2),
    "rtl.jain.incast_8to1": (">", 0.98), "native.jain.incast_64to1": (">", 0.98),
    "rtl.cycles.write64_latency": ("<", 250),
}


def lines(*command):
    """Runs a program that prints "KEY NUMBER" lines."""
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return {key: float(value) for key, value in (line.split() for line in out.splitlines())}


def probe(build, key, what):
    return {key: float(subprocess.run([f"{build}/bench/probe", what], check=True, capture_output=True, text=True).stdout)}


def hlsc(build, key, kernels, flags):
    """Processor seconds of compiling every kernel."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for k in kernels:
        name = os.path.splitext(os.path.basename(k))[0]
        subprocess.run([f"{build}/hlsc/hlsc", k, "-k", name, "-o", os.devnull, "--", *flags], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {key: after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime}


def jobs(build, kernels, flags):
    """Pairs: keys that come of it, how to take them."""
    def scen(name, *keys, full=False):
        program = f"{build}/full/scen/scen_bench_native" if full else f"{build}/scen/scen_bench"
        return keys, lambda: lines(program, name)

    for name in ("loss_0", "loss_0p1", "loss_1", "loss_5", "loss_10", "corrupt_1", "dup_5", "reorder_heavy",
                 "one_of_4_paths_dead"):
        yield scen(name, f"rtl.goodput_pct.{name}")
    yield scen("recover_path_fail", "rtl.rtt.recover_path_fail")
    yield scen("recover_plane_fail", "rtl.rtt.recover_plane_fail")
    for name, engine in ("incast_8to1", "rtl"), ("incast_64to1", "native"):
        yield scen(name, f"{engine}.rtt.{name}_settle", f"{engine}.jain.{name}", f"{engine}.queue_kib.{name}")
    yield scen("write8", "rtl.mpps.write8")
    for name in "conns_1", "conns_64", "conns_4096":
        yield scen(name, f"native.goodput_pct.{name}", full=True)
    for key, what in ("rtl.cycles.write64_latency", "latency"), ("sim.khz", "khz"), ("native.mpps", "mpps"):
        yield (key,), lambda key=key, what=what: probe(build, key, what)
    yield ("hlsc.seconds",), lambda: hlsc(build, "hlsc.seconds", kernels, flags)


def asked(key, figures):
    """What the table says of a figure besides its value."""
    if key == "native.goodput_pct.conns_4096" and "native.goodput_pct.conns_1" in figures:
        kind, limit = ">", 0.95 * figures["native.goodput_pct.conns_1"]
    elif key in ASKED:
        kind, limit = ASKED[key]
    else:
        return ""
    good = figures[key] >= limit if kind == ">" else figures[key] <= limit
    return f"   asked for {'at least' if kind == '>' else 'at most'} {limit:g}{'' if good else '   MISSED'}"


def main():
    cut = sys.argv.index("--")
    build, only, kernels, flags = sys.argv[1], sys.argv[2], sys.argv[3:cut], sys.argv[cut + 1:]
    path = f"{build}/bench.json"
    figures = {}
    failed = False
    if only and os.path.exists(path):
        with open(path) as f:
            figures = json.load(f)
    for keys, take in jobs(build, kernels, flags):
        if not any(k.startswith(only) for k in keys):
            continue
        start = time.monotonic()
        try:
            got = take()
        except (subprocess.CalledProcessError, ValueError) as e:
            print(f"{keys[0]}: {e}", file=sys.stderr)
            failed = True
            continue
        figures.update(got)
        for key in got:
            print(f"{key:38} {got[key]:10.3f}{asked(key, figures)}   ({time.monotonic() - start:.0f} s)", flush=True)
    with open(path, "w") as f:
        json.dump({k: round(v, 4) for k, v in figures.items()}, f, indent=1)
        f.write("\n")
    return failed


sys.exit(main())
