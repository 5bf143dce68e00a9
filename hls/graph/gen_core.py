#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints the RTL core of the NIC, or a picture of it, from the process graph.

  gen_core.py --rtl DIR nic.def           mr_core.v; DIR/<kernel>.v are the kernels
  gen_core.py --dot nic.def               the graph for Graphviz
  gen_core.py --ids nic.def               C table: TRACE_ID to instance and kernel

Errors name the row as file:line. Exit status 1: the graph is wrong.
"""
import argparse
import os
import sys

import graph
import verilog


def main(argv=None):
    ap = argparse.ArgumentParser(description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    ap.add_argument("graph")
    ap.add_argument("--rtl", metavar="DIR", help="folder of the kernels' Verilog")
    ap.add_argument("--shell", default=os.path.join(here, "shell.def"))
    ap.add_argument("--ext", default=os.path.join(here, "..", "ext.h"))
    ap.add_argument("--cpp", default="clang-19 -E -x c", help="C preprocessor and its flags")
    ap.add_argument("--dot", action="store_true")
    ap.add_argument("--ids", action="store_true")
    ap.add_argument("-o", metavar="FILE", help="output, default stdout")
    args = ap.parse_args(argv)
    if not (args.rtl or args.dot or args.ids):
        ap.error("one of --rtl, --dot, --ids")

    errors = graph.Errors()
    g = graph.read_graph(args.graph, args.cpp, errors)
    text = ""
    if args.dot:
        text = verilog.dot(g)
    elif args.ids:
        text = verilog.ids(g)
    else:
        shell = graph.read_shell(args.shell, args.cpp, errors)
        widths = graph.struct_widths(args.ext)
        kernels = {k: graph.read_ports(os.path.join(args.rtl, k + ".v"), k, errors)
                   for k in sorted({i.kernel for i in g.insts.values()})}
        graph.check(g, shell, widths, kernels, errors)
        if not errors.list:
            text = verilog.core(g, shell, widths, kernels, errors)
    for e in errors.notes:
        print(f"note: {e}", file=sys.stderr)
    for e in errors.list:
        print(f"error: {e}", file=sys.stderr)
    if errors.list:
        return 1
    if args.o:
        with open(args.o, "w", encoding="utf-8") as f:
            f.write(text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
