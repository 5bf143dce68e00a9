#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fields.py DUMP.json HOST.def: each entry has the fields of its layout's rows, in their order.

The program that drives the NIC has no use for some tables: these are there, and empty.
"""
import json
import re
import sys

dump = json.load(open(sys.argv[1]))
rows = open(sys.argv[2]).read()
unused = {"rq", "eq", "pages"}
assert unused < set(dump), list(dump)
for table, entries in dump.items():
    want = ["index"] + re.findall(rf"MR_FIELD\({table}, (\w+),", rows)
    assert len(want) > 1 and bool(entries) == (table not in unused), table
    for e in entries:
        assert list(e) == want, (table, list(e), want)
