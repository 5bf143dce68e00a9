#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""agree.py STAT.json HOLD.out: what mrnic stat says is what the program itself read."""
import json
import sys

stat = json.load(open(sys.argv[1]))
counters, paths = {}, {}
for line in open(sys.argv[2]):
    word = line.split()
    if word[0] == "counter":
        counters[word[1]] = int(word[2])
    elif word[0] == "path":
        paths[int(word[1])] = [int(x) for x in word[2:]]
assert counters and counters == stat["counters"], (counters, stat["counters"])
conn, = stat["connections"]
seen = {p["path"]: [p["sport"], p["packets"], p["bytes"]] for p in conn["paths"]}
assert paths and paths == seen, (paths, seen)
assert sum(p["bytes"] for p in conn["paths"]) == 20 * 50000
assert all(sum(p["rtt"]) > 0 for p in conn["paths"])
