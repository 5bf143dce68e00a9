#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""gen_core.py on the toy graph, whole and with seeded faults."""
import contextlib
import io
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TOY = os.path.join(HERE, "toy")
sys.path.insert(0, os.path.join(HERE, "..", "..", "hls", "graph"))

import gen_core


def gen(text, *args, rtl=TOY):
    """Runs the generator on a graph; returns (status, stdout, stderr)."""
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "g.def")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        cpp = os.environ.get("GRAPH_CPP", "clang-19 -E -x c")
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = gen_core.main(["--cpp", cpp, *(args or ("--rtl", rtl)), path])
        return status, out.getvalue(), err.getvalue()


def toy():
    """The toy graph in one text."""
    text = ""
    for name in ("toy.def", "toy_rows.def"):
        with open(os.path.join(TOY, name), encoding="utf-8") as f:
            text += f.read()
    return text.replace('#include "toy_rows.def"\n', "")


class Gen(unittest.TestCase):
    def bad(self, old, new, message):
        """The toy graph with `old` replaced is refused with this message and a row."""
        text = toy()
        self.assertIn(old, text)
        text = text.replace(old, new, 1)
        status, out, err = gen(text)
        self.assertEqual(status, 1)
        self.assertEqual(out, "")
        self.assertIn(message, err)
        return text, err

    def test_whole(self):
        status, out, err = gen(toy())
        self.assertEqual(status, 0, err)
        self.assertIn("toy_echo #(.TRACE_ID(TRACE_BASE + 4)) u_echo3", out)
        self.assertIn("cqe_wr_req: tied off", err)
        self.assertIn(".DEPTH(3)) u_l_echo2__tx", out)     # 5, less the 2 in the kernel
        self.assertNotIn("u_l_echo__tx", out)              # 2: no FIFO

    def test_repeatable(self):
        cut = lambda text: [line for line in text.splitlines() if "g.def" not in line]
        self.assertEqual(cut(gen(toy())[1]), cut(gen(toy())[1]))

    def test_ids(self):
        out = gen(toy(), "--ids")[1]
        self.assertIn('[3] = {"echo2", "toy_echo"}', out)

    def test_dot(self):
        out = gen(toy(), "--dot")[1]
        self.assertIn('"echo" -> "echo2" [label="tx (2)"]', out)
        self.assertIn('"copy" -> "regs" [style=dotted', out)

    def test_bad_missing_input(self):
        self.bad("MR_EXT_IN(struct mac_beat, mac_rx, echo, rx, 2)\n", "", "MR_IN echo.rx is not connected")

    def test_bad_missing_output(self):
        self.bad("MR_EXT_OUT(struct mac_beat, mac_tx, echo3, tx, 2)\n", "",
                 "MR_OUT echo3.tx is not connected")

    def test_bad_missing_level(self):
        self.bad("MR_LEVEL(copy, copies, regs, copies)\n", "", "MR_CFG regs.copies is not connected")

    def test_bad_twice(self):
        row = "MR_LINK(struct mac_beat, echo, tx, echo2, rx, 2)\n"
        self.bad(row, row + row, "echo.tx is already connected")

    def test_bad_width(self):
        self.bad("regs, cmd, copy, cmd, 4", "regs, rsp, copy, cmd, 4",
                 "regs.rsp to copy.cmd: 32 bits at one end, 80 at the other")

    def test_bad_level_width(self):
        self.bad("MR_LEVEL(copy, copies, regs, copies)", "MR_LEVEL(echo, frames, regs, copies)",
                 "16 bits at one end, 32 at the other")

    def test_bad_edge_width(self):
        self.bad("struct wr_req, pay_wr_req, copy, wr,", "struct wr_req, pay_wr_req, copy, wrb,",
                 "pay_wr_req (struct wr_req): 577 bits at one end, 80 at the other")

    def test_bad_edge_type(self):
        self.bad("struct wr_req, pay_wr_req", "struct rd_req, pay_wr_req",
                 "is struct rd_req here, struct wr_req in the shell")

    def test_bad_edge_name(self):
        self.bad("mac_tx, echo3", "mac_xt, echo3", "the shell has no stream mac_xt")

    def test_bad_edge_direction(self):
        self.bad("MR_EXT_OUT(struct mac_beat, mac_tx, echo3, tx, 2)",
                 "MR_EXT_OUT(struct mac_beat, mac_rx, echo3, tx, 2)", "no stream mac_rx in this direction")

    def test_bad_port(self):
        self.bad("echo, tx, echo2, rx, 2", "echo, ty, echo2, rx, 2", "echo has no MR_OUT ty")

    def test_bad_instance(self):
        text, err = self.bad("echo, tx, echo2, rx, 2", "echoo, tx, echo2, rx, 2", "no instance echoo")
        line = [i for i, t in enumerate(text.splitlines(), 1) if "echoo" in t][0]
        self.assertIn(f"g.def:{line}: no instance echoo", err)

    def test_bad_depth(self):
        self.bad("echo2, rx, 2)", "echo2, rx, 1)", "depth 1 is less than 2")

    def test_bad_row(self):
        self.bad("MR_LAZY(echo)", "MR_LAZI(echo)", "unknown row MR_LAZI")
        self.bad("MR_LAZY(echo)", "MR_LAZY(echo, echo)", "MR_LAZY has 2 arguments, not 1")
        self.bad("MR_LAZY(echo)", "echo", "not a row: echo")

    def test_bad_kernel(self):
        self.bad("MR_INST(copy, toy_copy)", "MR_INST(copy, toy_cpy)", "toy_cpy.v: No such file")

    def test_bad_instance_twice(self):
        self.bad("MR_INST(copy, toy_copy)", "MR_INST(copy, toy_copy)\nMR_INST(copy, toy_copy)",
                 "instance copy is there twice")

    def test_rows_from_macros(self):
        text = toy().replace("MR_LEVEL(echo3, frames, regs, frames)",
                             "#define F(i) MR_LEVEL(i, frames, regs, frames) MR_LAZY(echo2)\nF(echo3)\n")
        self.assertEqual(gen(text)[0], 0)


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=2).result
    failed = len(result.failures) + len(result.errors)
    print(f"BENCH gen_core: {result.testsRun - failed} passed, {failed} failed")
    sys.exit(failed != 0)
