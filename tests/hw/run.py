#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs the benches of tests/hw and sums up. Usage: run.py FOLDER BENCH...

A bench prints `BENCH name: P passed, F failed`; one that does not, or that takes
longer than its limit, counts as one failure. Its whole output is shown then.
"""
import os
import re
import subprocess
import sys
import time

LIMIT = 120  # seconds


def run(name, command):
    start = time.monotonic()
    try:
        p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           errors="replace", timeout=LIMIT, check=False)
        out, status = p.stdout, p.returncode
    except subprocess.TimeoutExpired as e:
        out, status = (e.stdout or b"").decode(errors="replace") + f"no end after {LIMIT} s\n", 1
    line = re.search(r"^BENCH \S+: (\d+) passed, (\d+) failed", out, flags=re.M)
    passed, failed = (int(line[1]), int(line[2])) if line else (0, 0)
    if status and not failed:
        failed = 1
    print(f"{name:12} {passed:3} passed {failed:3} failed  {time.monotonic() - start:5.1f} s", flush=True)
    if failed or not line:
        print(out)
        failed = max(failed, 1)
    return passed, failed


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    total = [0, 0]
    jobs = [(b, [os.path.join(sys.argv[1], "test_" + b)]) for b in sys.argv[2:]]
    jobs.append(("gen_core", [sys.executable, "-B", os.path.join(here, "test_gen_core.py")]))
    for name, command in jobs:
        passed, failed = run(name, command)
        total[0] += passed
        total[1] += failed
    print(f"SUITE hw: {total[0]} passed, {total[1]} failed, 0 skipped")
    return total[1] != 0


if __name__ == "__main__":
    sys.exit(main())
