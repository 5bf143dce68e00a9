# SPDX-License-Identifier: BSD-2-Clause
"""The process graph as data: reading nic.def and the kernels' ports, checking."""
import re
import shlex
import subprocess
from dataclasses import dataclass, field


class Errors:
    def __init__(self):
        self.list = []
        self.notes = []

    def add(self, where, text):
        self.list.append(f"{where}: {text}")


@dataclass
class Inst:
    name: str
    kernel: str
    where: str
    id: int


@dataclass
class Stream:
    """A link between kernels, or a stream across the edge (then one end is None)."""
    type: str
    src: tuple    # (instance, port) or None
    dst: tuple
    depth: int
    name: str     # of the edge, or None
    where: str


@dataclass
class Level:
    src: tuple    # (instance, stat), or None: from outside
    dst: tuple    # (instance, cfg)
    name: str     # of the level from outside, or None
    where: str


@dataclass
class Graph:
    insts: dict = field(default_factory=dict)
    streams: list = field(default_factory=list)
    levels: list = field(default_factory=list)
    lazy: list = field(default_factory=list)   # (instance, where)


@dataclass
class Ports:
    """Ports of a kernel's module: name to width."""
    ins: dict = field(default_factory=dict)
    outs: dict = field(default_factory=dict)
    cfgs: dict = field(default_factory=dict)
    stats: dict = field(default_factory=dict)


def rows(path, cpp, errors):
    """Yields (kind, args, where) of every row, after the C preprocessor."""
    run = subprocess.run(shlex.split(cpp) + [path], capture_output=True, text=True, check=False)
    if run.returncode:
        errors.add(path, run.stderr.strip())
        return
    where_file, line = path, 0
    for text in run.stdout.splitlines():
        mark = re.match(r'# (\d+) "([^"]*)"', text)
        if mark:
            line, where_file = int(mark[1]) - 1, mark[2]
            continue
        line += 1
        at = f"{where_file}:{line}"
        rest = text.strip()
        while rest:
            row = re.match(r"(MR_\w+)\s*\(", rest)
            end = closing(rest, row.end()) if row else -1
            if end < 0:
                errors.add(at, f"not a row: {rest}")
                break
            yield row[1], split_args(rest[row.end():end]), at
            rest = rest[end + 1:].strip()


def closing(text, at):
    depth = 1
    for i in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    return -1


def split_args(text):
    args, depth = [""], 0
    for c in text:
        depth += {"(": 1, ")": -1}.get(c, 0)
        if c == "," and depth == 0:
            args.append("")
        else:
            args[-1] += c
    return [" ".join(a.split()) for a in args]


COUNT = {"MR_INST": 2, "MR_LINK": 6, "MR_EXT_IN": 5, "MR_EXT_OUT": 5, "MR_LEVEL": 4,
         "MR_EXT_LEVEL": 3, "MR_LAZY": 1,
         "MR_SHELL_IN": 2, "MR_SHELL_OUT": 2, "MR_SHELL_LEVEL": 2}


def well_formed(kind, args, where, errors):
    if kind not in COUNT:
        errors.add(where, f"unknown row {kind}")
        return False
    if len(args) != COUNT[kind]:
        errors.add(where, f"{kind} has {len(args)} arguments, not {COUNT[kind]}")
        return False
    return True


def depth_of(text, where, errors):
    try:
        depth = int(text, 0)
    except ValueError:
        errors.add(where, f"depth '{text}' is not a number")
        return 2
    if depth < 2:
        errors.add(where, f"depth {depth} is less than 2")
    return depth


def read_graph(path, cpp, errors):
    g = Graph()
    for kind, a, where in rows(path, cpp, errors):
        if not well_formed(kind, a, where, errors):
            continue
        if kind == "MR_INST":
            if a[0] in g.insts:
                errors.add(where, f"instance {a[0]} is there twice")
            g.insts[a[0]] = Inst(a[0], a[1], where, len(g.insts))
        elif kind == "MR_LAZY":
            g.lazy.append((a[0], where))
        elif kind == "MR_LINK":
            g.streams.append(Stream(a[0], (a[1], a[2]), (a[3], a[4]),
                                    depth_of(a[5], where, errors), None, where))
        elif kind == "MR_EXT_IN":
            g.streams.append(Stream(a[0], None, (a[2], a[3]),
                                    depth_of(a[4], where, errors), a[1], where))
        elif kind == "MR_EXT_OUT":
            g.streams.append(Stream(a[0], (a[2], a[3]), None,
                                    depth_of(a[4], where, errors), a[1], where))
        elif kind == "MR_LEVEL":
            g.levels.append(Level((a[0], a[1]), (a[2], a[3]), None, where))
        elif kind == "MR_EXT_LEVEL":
            g.levels.append(Level(None, (a[1], a[2]), a[0], where))
        else:
            errors.add(where, f"{kind} does not belong here")
    return g


def read_shell(path, cpp, errors):
    """Edge of the NIC: name to ('in'|'out'|'level', type or width)."""
    shell = {}
    for kind, a, where in rows(path, cpp, errors):
        if not well_formed(kind, a, where, errors):
            continue
        if kind == "MR_SHELL_LEVEL":
            shell[a[0]] = ("level", int(a[1]))
        else:
            shell[a[1]] = ("in" if kind == "MR_SHELL_IN" else "out", a[0])
    return shell


def struct_widths(path):
    """Widths of ext.h's structs: flat, of u(N) and bool."""
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", f.read(), flags=re.S)
    widths = {}
    for name, body in re.findall(r"struct (\w+)\s*\{(.*?)\}", text, flags=re.S):
        bits = sum(int(n) for n in re.findall(r"\bu\((\d+)\)", body))
        widths[f"struct {name}"] = bits + len(re.findall(r"\bbool\b", body))
    return widths


PORT = re.compile(r"\b(input|output)\s+(?:wire\s+|reg\s+|logic\s+)?"
                  r"(?:\[\s*(\d+)\s*:\s*0\s*\]\s*)?(\w+)")


def read_ports(path, kernel, errors):
    try:
        with open(path, encoding="utf-8") as f:
            text = re.sub(r"/\*.*?\*/|//[^\n]*|\(\*.*?\*\)", "", f.read(), flags=re.S)
    except OSError as e:
        errors.add(path, e.strerror)
        return Ports()
    head = re.search(rf"\bmodule\s+{re.escape(kernel)}\b(.*?);", text, flags=re.S)
    if not head:
        errors.add(path, f"no module {kernel}")
        return Ports()
    found = {name: (way, int(msb or 0) + 1) for way, msb, name in PORT.findall(head[1])}
    for name in ("clk_i", "rst_ni"):
        if found.pop(name, None) is None:
            errors.add(path, f"no port {name}")
    return sort_ports(found, path, errors)


def sort_ports(found, path, errors):
    """Tells streams from levels by the names of their signals."""
    ports = Ports()

    def stream(base, data, valid, ready, into):
        want = {f"{base}_valid{valid}", f"{base}_ready{ready}"}
        if f"{base}_data{data}" in found and want <= found.keys():
            into[base] = found.pop(f"{base}_data{data}")[1]
            for w in want:
                del found[w]

    for name in list(found):
        if name.endswith("_valid_i"):
            stream(name[:-8], "_i", "_i", "_o", ports.ins)
        elif name.endswith("_valid_o"):
            stream(name[:-8], "_o", "_o", "_i", ports.outs)
    for name, (way, width) in found.items():
        if way == "input" and name.endswith("_i"):
            ports.cfgs[name[:-2]] = width
        elif way == "output" and name.endswith("_o"):
            ports.stats[name[:-2]] = width
        else:
            errors.add(path, f"port {name} fits no convention")
    return ports


class Checker:
    def __init__(self, g, kernels, errors):
        self.g, self.kernels, self.errors = g, kernels, errors
        self.used = {}   # (instance, port) to the row that connects it

    def width(self, end, kind, where, once=True):
        """Width of a port, or None; kind is the field of Ports that must hold it."""
        inst, port = end
        if inst not in self.g.insts:
            self.errors.add(where, f"no instance {inst}")
            return None
        ports = getattr(self.kernels[self.g.insts[inst].kernel], kind)
        if port not in ports:
            what = {"ins": "MR_IN", "outs": "MR_OUT", "cfgs": "MR_CFG", "stats": "MR_STAT"}[kind]
            self.errors.add(where, f"{inst} has no {what} {port}")
            return None
        if once and end in self.used:
            self.errors.add(where, f"{inst}.{port} is already connected by {self.used[end]}")
        self.used[end] = where
        return ports[port]

    def same(self, a, b, where, what):
        if a is not None and b is not None and a != b:
            self.errors.add(where, f"{what}: {a} bits at one end, {b} at the other")


def check(g, shell, widths, kernels, errors):
    c = Checker(g, kernels, errors)
    edge = set()
    for s in g.streams:
        src = c.width(s.src, "outs", s.where) if s.src else None
        dst = c.width(s.dst, "ins", s.where) if s.dst else None
        if s.name is None:
            c.same(src, dst, s.where, f"{'.'.join(s.src)} to {'.'.join(s.dst)}")
            continue
        way, kind = shell.get(s.name, (None, None))
        if way != ("out" if s.src else "in"):
            errors.add(s.where, f"the shell has no stream {s.name} in this direction")
            continue
        if s.name in edge:
            errors.add(s.where, f"stream {s.name} is there twice")
        edge.add(s.name)
        if s.type != kind:
            errors.add(s.where, f"{s.name} is {s.type} here, {kind} in the shell")
        c.same(src or dst, widths.get(kind), s.where, f"{s.name} ({kind})")
    for lv in g.levels:
        dst = c.width(lv.dst, "cfgs", lv.where)
        if lv.src:
            src = c.width(lv.src, "stats", lv.where, once=False)
            c.same(src, dst, lv.where, f"{'.'.join(lv.src)} to {'.'.join(lv.dst)}")
        elif shell.get(lv.name, ("",))[0] != "level":
            errors.add(lv.where, f"the shell has no level {lv.name}")
        elif dst is not None and dst > shell[lv.name][1]:
            errors.add(lv.where, f"level {lv.name} has only {shell[lv.name][1]} bits, not {dst}")
    for inst, where in g.lazy:
        if inst not in g.insts:
            errors.add(where, f"no instance {inst}")
    check_all_used(g, kernels, c, errors)


def check_all_used(g, kernels, c, errors):
    for inst in g.insts.values():
        p = kernels[inst.kernel]
        for kind, names in (("MR_IN", p.ins), ("MR_OUT", p.outs), ("MR_CFG", p.cfgs)):
            for port in names:
                if (inst.name, port) not in c.used:
                    errors.add(inst.where, f"{kind} {inst.name}.{port} is not connected")
        for port in p.stats:
            if (inst.name, port) not in c.used:
                errors.notes.append(f"{inst.where}: MR_STAT {inst.name}.{port} is not used")
