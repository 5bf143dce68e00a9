#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures what the NIC keeps, at full size: every memory, and what its entries belong to.

usage: state.py OUT HLSC CC GRAPH PARAMS KERNEL.c... -- FLAG...

Compiles every kernel into OUT and writes OUT/state.json. What an entry belongs to
is found by experiment: each size that PARAMS lets a build set is halved in turn,
and the memories that become half as deep follow it.
"""
import json
import math
import os
import re
import subprocess
import sys

# What the entries of a memory belong to: name, sizes that its depth follows, constants that
# multiply them. Of several that fit, the one with most entries counts. Sizes that stand alone
# need no row: entries are then named after the size. Rows of sizes that do not exist are idle.
OWNERS = [
    ("connection", ["MR_CONNS_LOG2"], []),
    ("path group", ["MR_GROUPS_LOG2"], []),
    ("path", ["MR_GROUPS_LOG2"], ["MR_GROUP"]),
    ("slot", ["MR_GROUPS_LOG2"], ["MR_GROUP", "MR_WIRE_WINDOW"]),
    ("CQ", ["MR_CQS_LOG2"], []),
    ("message", ["MR_STREAMS_LOG2", "MR_MSGS_LOG2"], []),
    ("entry read ahead", ["MR_STREAMS_LOG2", "MR_AHEAD_LOG2"], []),
]
CONSTANTS = ["MR_GROUP", "MR_WIRE_WINDOW"]
FIXED = "fixed"  # of no size: owner of what is there once


def run(cmd, **kw):
    done = subprocess.run(cmd, capture_output=True, text=True, check=False, **kw)
    if done.returncode:
        sys.exit(f"{' '.join(cmd)}\n{done.stderr.strip()}")
    return done.stdout


def sizes_of(params):
    """Names of the sizes that a build may set."""
    with open(params, encoding="utf-8") as f:
        return re.findall(r"#ifndef (MR_\w+_LOG2)\n", f.read())


def values_of(cc, flags, names):
    """Values of macros, as the kernels see them. One that does not exist has none."""
    text = '#include "params.h"\n#include "mr_defs.h"\n'
    text += "".join(f'#ifdef {n}\n"{n}" = {n}\n#endif\n' for n in names)
    out = run([cc, "-std=c23", "-E", "-P", *flags, "-x", "c", "-"], input=text)
    values = {}
    for name, expr in re.findall(r'^"(\w+)" = (.*)$', out, flags=re.M):
        value = re.fullmatch(r"\(?(\d+)u?(?: << (\d+)u?)?\)?", expr)
        if not value:
            sys.exit(f"{name} is {expr}: not a number or a shift of two")
        values[name] = int(value[1]) << int(value[2] or 0)
    return values


def compile_kernel(hlsc, source, out, flags):
    name = os.path.splitext(os.path.basename(source))[0]
    run([hlsc, source, "-k", name, "-o", f"{out}/{name}.v", "--json", f"{out}/{name}.json", "--", *flags])
    with open(f"{out}/{name}.json", encoding="utf-8") as f:
        return json.load(f)


def mentions(cc, source, flags, sizes):
    """The sizes that take part in a kernel: those whose names are left where each stands for itself."""
    marks = [f"-D{s}=IS_{s}" for s in sizes]
    text = run([cc, "-std=c23", "-E", "-P", *flags, *marks, source])
    return [s for s in sizes if f"IS_{s}" in text]


def follow(memories, smaller, size):
    """Notes at every memory whether it follows a size, from the kernel with that size halved."""
    depth = {m["name"]: m["depth"] for m in smaller["memories"]}
    for m in memories:
        if 2 * depth.get(m["name"], 0) == m["depth"]:
            m["follows"].append(size)
        elif depth.get(m["name"]) != m["depth"]:
            m["odd"] = size  # neither half nor the same: nothing is known


def size_name(size):
    return re.sub(r"^MR_(\w+?)S?_LOG2$", r"\1", size).lower()


def owner_of(depth, follows, values):
    """(owner, how many entries each has) of a memory, or (None, 0) when its depth does not tell."""
    product = 1 << sum(values[s] for s in follows)
    if len(follows) == 1 and depth < product and product % depth == 0:  # several in a word
        return f"{product // depth} {size_name(follows[0])}s", 1
    if depth % product or not follows:
        return (None, 0) if follows else (FIXED, depth)
    fits = [(name, math.prod(values[c] for c in consts)) for name, sizes, consts in OWNERS
            if sorted(sizes) == sorted(follows)]
    if not fits and len(follows) == 1:
        fits = [(size_name(follows[0]), 1)]
    fits = [(n, f) for n, f in fits if depth // product % f == 0]
    if not fits:
        return None, 0
    name, factor = max(fits, key=lambda fit: fit[1])
    return name, depth // product // factor


def fifos_of(core):
    """FIFOs of the graph, as they stand in its RTL."""
    with open(core, encoding="utf-8") as f:
        found = re.findall(r"mr_fifo #\(\.W\((\d+)\), \.DEPTH\((\d+)\)\) u_l_(\w+)", f.read())
    return [{"name": n, "width": int(w), "depth": int(d)} for w, d, n in found]


def measure(out, hlsc, cc, graph_def, params, sources, flags):
    here = os.path.dirname(os.path.abspath(__file__))
    os.makedirs(f"{out}/half", exist_ok=True)
    sizes = sizes_of(params)
    values = values_of(cc, flags, sizes + CONSTANTS)
    kernels = {}
    for source in sources:
        k = compile_kernel(hlsc, source, out, flags)
        for m in k["memories"]:
            m["follows"] = []
        for s in mentions(cc, source, flags, sizes) if k["memories"] else []:
            # The others keep their values, should one be defined by another.
            half = compile_kernel(hlsc, source, f"{out}/half",
                                  [*flags, *(f"-D{x}={values[x] - (x == s)}" for x in sizes)])
            follow(k["memories"], half, s)
        for m in k["memories"]:
            m["owner"], m["each"] = owner_of(m["depth"], m["follows"], values)
            if "odd" in m:
                m["owner"] = None
        kernels[k["kernel"]] = k
    run([sys.executable, "-B", f"{here}/gen_core.py", "--cpp", f"{cc} -E -x c -Idefs -Ihls/graph",
         "--rtl", out, "-o", f"{out}/mr_core.v", graph_def])
    with open(graph_def, encoding="utf-8") as f:
        insts = re.findall(r"^MR_INST\((\w+), *(\w+)\)", f.read(), flags=re.M)
    return {"sizes": {s: values[s] for s in sizes}, "constants": {c: values[c] for c in CONSTANTS if c in values},
            "instances": dict(insts), "kernels": kernels, "fifos": fifos_of(f"{out}/mr_core.v")}


def main():
    cut = sys.argv.index("--")
    out, hlsc, cc, graph_def, params = sys.argv[1:6]
    found = measure(out, hlsc, cc, graph_def, params, sys.argv[6:cut], sys.argv[cut + 1:])
    with open(f"{out}/state.json.tmp", "w", encoding="utf-8") as f:
        json.dump(found, f, indent=1)
    os.replace(f"{out}/state.json.tmp", f"{out}/state.json")


if __name__ == "__main__":
    main()
