#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks what state.py measured against the RTL, the rules by which it is placed, and the rates.

usage: test_state.py STATE.json RTL_DIR RATE
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../hls/graph"))
import cards  # noqa: E402
import state as measure  # noqa: E402
import state_table as table  # noqa: E402

passed = failed = 0


def check(good, what):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print(f"FAILED: {what}")


def mem(depth, width, sync=1, asyn=0):
    return {"depth": depth, "width": width, "sync_reads": sync, "async_reads": asyn}


def declared(path):
    """Bits of every memory that a module declares, by name; a memory per leaf counts under its array."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    found = re.findall(r"^\s*reg\s+(?:\[(\d+):0\]\s+)?(\w+)\s+\[0:(\d+)\];", text, flags=re.M)
    return {name: (int(depth) + 1) * (int(msb or 0) + 1) for msb, name, depth in found}


def test_against_rtl(state, rtl):
    for name, k in state["kernels"].items():
        have = declared(f"{rtl}/{name}.v")
        told = sum(m["depth"] * m["width"] for m in k["memories"])
        check(sum(have.values()) == told, f"{name}: {told} bits of memory told, {sum(have.values())} declared")
        for m in k["memories"]:
            if m["packed"]:
                check(have.get(m["name"].replace(".", "_")) == m["depth"] * m["width"], f"{name}.{m['name']} as declared")
    with open(f"{rtl}/mr_core.v", encoding="utf-8") as f:
        check(len(state["fifos"]) == f.read().count("mr_fifo #("), "every FIFO of the core is there")


def test_owners(state, rows):
    for r in rows:
        check(r["owner"] is not None, f"{r['where']}.{r['name']} belongs to something")
    counts = {**state["constants"], **{s: 1 << v for s, v in state["sizes"].items()}}
    sums = table.sums_of(rows)
    check(sums["connection"]["count"] == counts["MR_CONNS_LOG2"], "connections")
    check(sums["stream"]["count"] == counts["MR_STREAMS_LOG2"], "streams")
    check(sums["path"]["count"] % counts["MR_GROUP"] == 0, "paths")
    check(sums["slot"]["count"] == sums["path"]["count"] * counts["MR_WIRE_WINDOW"], "slots")
    for owner, s in sums.items():
        check(s["count"] * s["each"] == s["all"], f"{owner}: the sum is that of its rows")
    check(sum(s["all"] for s in sums.values()) == sum(table.bits(r) for r in rows), "sums add up to the rows")


def test_places(rows):
    for card in cards.CARDS:
        for r in rows:
            p = cards.place(r, card)
            name = f"{r['where']}.{r['name']} on {card.name}"
            check(p.kind == "LUTRAM" or not r["async_reads"], f"{name}: asynchronous reads in {p.kind}")
            size = {"BRAM": 36 * 1024, "URAM": 288 * 1024, "LUTRAM": 64, card.far: 8}[p.kind]
            check(p.blocks * size >= table.bits(r), f"{name}: fits into {p.blocks} {p.kind}")
        use = table.use_of(rows, card)
        check(all(use[k] <= card.has(k) for k in ("BRAM", "URAM", "LUTRAM")), f"fits on chip: {card.name}")
        check(use[card.far] <= card.far_gib << 30, f"fits beside it: {card.name}")


def test_rules():
    card = cards.CARDS[0]
    for depth, width, want in ((512, 72, 1), (512, 73, 2), (4096, 9, 1), (4096, 256, 29), (32768, 1, 1), (100, 8, 1)):
        check(cards.bram_blocks(depth, width) == want, f"{depth} x {width}: {want} BRAM36")
    for depth, width, want in ((4096, 72, 1), (4097, 72, 2), (32768, 1088, 128)):
        check(cards.uram_blocks(depth, width) == want, f"{depth} x {width}: {want} URAM")
    check(cards.lutram_luts(64, 7) == 8, "64 x 7: the 8 LUTs of a slice")
    for depth in (64, 4096, 1 << 20):
        check(cards.place(mem(depth, 16, 0, 1), card).kind == "LUTRAM", f"asynchronous, {depth} deep")
    check(cards.place(mem(1 << 23, 405), card).kind == card.far, "huge: off chip")
    check(cards.place(mem(1024, 30), card).kind == "BRAM", "shallow: block RAM")
    check(cards.place(mem(4096, 256, 2), card).blocks == 2 * cards.place(mem(4096, 256), card).blocks, "a copy per read")


def test_ownership():
    v = {"MR_CONNS_LOG2": 12, "MR_GROUPS_LOG2": 13, "MR_STREAMS_LOG2": 12, "MR_MSGS_LOG2": 6, "MR_CQS_LOG2": 10,
         "MR_NEW_LOG2": 4, "MR_GROUP": 8, "MR_WIRE_WINDOW": 256}
    for depth, follows, want in (
            (4096, ["MR_CONNS_LOG2"], ("connection", 1)), (8192, ["MR_CONNS_LOG2"], ("connection", 2)),
            (8192, ["MR_GROUPS_LOG2"], ("path group", 1)), (65536, ["MR_GROUPS_LOG2"], ("path", 1)),
            (1 << 24, ["MR_GROUPS_LOG2"], ("slot", 1)),
            (1 << 18, ["MR_MSGS_LOG2", "MR_STREAMS_LOG2"], ("message", 1)), (1024, ["MR_CQS_LOG2"], ("CQ", 1)),
            (48, ["MR_NEW_LOG2"], ("new", 3)), (2, ["MR_NEW_LOG2"], ("8 news", 1)), (40, [], ("fixed", 40)),
            (1 << 16, ["MR_NEW_LOG2", "MR_CONNS_LOG2"], (None, 0))):
        check(measure.owner_of(depth, follows, v) == want, f"{depth} that follows {follows} is of {want}")


def test_rates(state, rate):
    """What must hold of every measurement, whatever the kernels cost."""
    run = subprocess.run([rate, "1024"], capture_output=True, text=True, check=False)
    check(run.returncode == 0, f"{rate} ends well: {run.stderr.strip()}")
    tables = re.split(r"\n(?=.*: [\d.]+ cycles per data packet)", run.stdout)[1:]
    check(len(tables) >= 2, "a table for every load")
    for text in tables:
        name, whole = re.match(r"(.*): ([\d.]+) cycles", text).groups()
        rows = {r[0]: r[1:] for r in re.findall(r"^(\w+) +([\d.]+)  (?:\w+)? +([\d.]+) +\d+ % (<?) *([\d.]+)", text, flags=re.M)}
        check(rows.keys() == state["instances"].keys(), f"{name}: every kernel is there")
        for inst, (items, most, bound, cycles) in rows.items():
            check(float(most) <= float(items) + .01, f"{name}: {inst}: items")
            # At most one item per port and cycle; and the NIC is as slow as its slowest kernel, or slower.
            # (A kernel that nobody waits for, slowed down, is left out, not queued up for.)
            check(bound or float(cycles) >= .97 * float(most), f"{name}: {inst} takes at most an item per cycle")
            check(bound or float(cycles) <= 1.03 * float(whole), f"{name}: {inst} is not slower than the NIC")


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        state = json.load(f)
    rows = table.rows_of(state)
    test_against_rtl(state, sys.argv[2])
    test_owners(state, rows)
    test_places(rows)
    test_rules()
    test_ownership()
    test_rates(state, sys.argv[3])
    print(f"SUITE state: {passed} passed, {failed} failed, 0 skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
