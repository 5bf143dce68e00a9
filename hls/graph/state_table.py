#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints what state.py measured: every memory, sums, and places on cards.

usage: state_table.py STATE.json
"""
import json
import sys

import cards
from state import FIXED

OF_CONNECTIONS = ("connection", "path group", "path")


def rows_of(state):
    """One row per memory of the NIC: of every instance, and the FIFOs of the graph."""
    rows = []
    for inst, kernel in state["instances"].items():
        for m in state["kernels"][kernel]["memories"]:
            rows.append({**m, "where": inst, "fifo": False})
    for f in state["fifos"]:
        rows.append({**f, "where": "FIFO", "fifo": True, "owner": FIXED, "each": f["depth"],
                     "packed": True, "sync_reads": 1, "async_reads": 0, "writes": 1})
    return rows


def bits(row):
    return row["depth"] * row["width"]


def sums_of(rows):
    """By owner: how many there are, bits of each, bits in all. FIFOs are an owner of their own."""
    sums = {}
    for r in rows:
        owner = "FIFOs" if r["fifo"] else r["owner"]
        s = sums.setdefault(owner, {"count": 1 if owner in ("FIFOs", FIXED) else r["depth"] // r["each"],
                                    "each": 0, "all": 0})
        s["each"] += r["each"] * r["width"]
        s["all"] += bits(r)
    return sums


def registers_of(state):
    """Bits of registers: of the kernels, and of the streams' ends."""
    kernels = streams = 0
    for kernel in state["instances"].values():
        k = state["kernels"][kernel]
        kernels += k["registers"]["bits"]
        streams += sum(2 * p["width"] for p in k["ports"] if p["kind"] == "out")
    streams += sum(f["width"] for f in state["fifos"])
    return kernels, streams


def use_of(rows, card):
    """Blocks by kind that all memories take on a card."""
    use = {"BRAM": 0, "URAM": 0, "LUTRAM": 0, card.far: 0}
    for r in rows:
        p = cards.place(r, card)
        use[p.kind] += p.blocks
    return use


def kib(n):
    return f"{n / 8 / 1024:,.1f}"


def place_text(p):
    return f"{p.kind} {p.blocks:,}" if p.kind in ("BRAM", "URAM", "LUTRAM") else p.kind


def columns(lines):
    """First column to the left, the others to the right, as wide as needed."""
    width = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        print("  ".join(c.ljust(w) if i == 0 else c.rjust(w)
                        for i, (c, w) in enumerate(zip(line, width, strict=True))).rstrip())


def print_memories(rows):
    lines = [["memory", "depth", "bits", "read", "of", "KiB", *(c.name for c in cards.CARDS)]]
    for r in sorted((r for r in rows if not r["fifo"]), key=lambda r: -bits(r)):
        of = r["owner"] or "?"
        lines.append([f"{r['where']}.{r['name']}" + ("" if r["packed"] else " (a memory per leaf)"),
                      f"{r['depth']:,}", str(r["width"]), "async" if r["async_reads"] else "sync",
                      f"{r['each']} x {of}" if r["each"] > 1 else of, kib(bits(r)),
                      *(place_text(cards.place(r, c)) for c in cards.CARDS)])
    columns(lines)


def print_sums(rows, state):
    off = {r["owner"] for r in rows if all(cards.place(r, c).kind == c.far for c in cards.CARDS)}
    lines = [["state", "count", "bytes of one", "KiB in all", "where"]]
    for owner, s in sums_of(rows).items():
        lines.append([owner or "?", f"{s['count']:,}", f"{s['each'] / 8:,.1f}", kib(s["all"]),
                      "off chip" if owner in off else "on chip"])
    kernels, streams = registers_of(state)
    lines.append(["registers of kernels", "1", f"{kernels / 8:,.1f}", kib(kernels), "on chip"])
    lines.append(["registers of streams", "1", f"{streams / 8:,.1f}", kib(streams), "on chip"])
    columns(lines)
    conns = 1 << state["sizes"]["MR_CONNS_LOG2"]
    paths = state["constants"]["MR_GROUP"]
    print(f"\nA connection with {paths} paths: "
          f"{sum(bits(r) for r in rows if r['owner'] in OF_CONNECTIONS) / conns / 8:,.1f} bytes on chip, "
          f"{sum(bits(r) for r in rows if r['owner'] in off) / conns / 8:,.0f} off chip.")
    far = sum(bits(r) for r in rows if r["owner"] in off)
    near = sum(bits(r) for r in rows) - far + kernels + streams
    print(f"{conns:,} connections by {paths} paths, and all that is there for them: "
          f"{kib(near)} KiB on chip, {kib(far)} KiB off chip.")


def print_cards(rows):
    for kind in ("LUTRAM", "BRAM", "URAM", "far"):
        line = []
        for c in cards.CARDS:
            use = use_of(rows, c)
            if kind == "far":
                have = c.far_gib << 30
                line.append(f"{use[c.far] / (1 << 20):,.0f} MiB of {c.far_gib} GiB {c.far}, {100 * use[c.far] / have:.1f} %")
            else:
                line.append(f"{use[kind]:,} of {c.has(kind):,}, {100 * use[kind] / c.has(kind):.1f} %")
        yield ["off chip" if kind == "far" else kind, *line]


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        state = json.load(f)
    rows = rows_of(state)
    print_memories(rows)
    print()
    print_sums(rows, state)
    print("\nThe NIC core on a card; PCIe, MAC and memory controllers come on top.\n")
    columns([["used", *(f"{c.name}, {c.device}" for c in cards.CARDS)], *print_cards(rows)])
    slow = [f"{r['where']}.{r['name']}" for r in rows if r["async_reads"]]
    if slow:
        print(f"\nread asynchronously, so LUTRAM only: {', '.join(slow)}")
    lost = [f"{r['where']}.{r['name']}" for r in rows if r["owner"] is None]
    if lost:
        print(f"\nnobody's: {', '.join(lost)}")


if __name__ == "__main__":
    main()
