# SPDX-License-Identifier: BSD-2-Clause
"""Prints a checked process graph: Verilog, Graphviz, C table."""

HEAD = ("// SPDX-License-Identifier: BSD-2-Clause\n"
        "// Printed by hls/graph/gen_core.py from the process graph. Do not edit.\n")


def bits(width):
    return f"[{width - 1}:0] " if width > 1 else ""


def edge_ports(shell, widths):
    lines = ["input  wire clk_i", "input  wire rst_ni"]
    for name, (way, kind) in shell.items():
        if way == "level":
            lines.append(f"input  wire {bits(kind)}{name}_i")
            continue
        w = bits(widths[kind])
        a, b = ("input ", "i"), ("output", "o")
        if way == "out":
            a, b = b, a
        lines += [f"{a[0]} wire {w}{name}_data_{a[1]}", f"{a[0]} wire {name}_valid_{a[1]}",
                  f"{b[0]} wire {name}_ready_{b[1]}"]
    return lines


def fifo(inst, width, depth, src, dst):
    return (f"  mr_fifo #(.W({width}), .DEPTH({depth})) {inst} (\n"
            "    .clk_i(clk_i), .rst_ni(rst_ni),\n"
            f"    .in_data_i({src[0]}), .in_valid_i({src[1]}), .in_ready_o({src[2]}),\n"
            f"    .out_data_o({dst[0]}), .out_valid_o({dst[1]}), .out_ready_i({dst[2]})\n"
            "  );\n")


def wires(base, width):
    """Declares the three wires of a stream; returns (text, names)."""
    names = tuple(f"{base}_{n}" for n in ("data", "valid", "ready"))
    text = f"  wire {bits(width)}{names[0]};\n  wire {names[1]}, {names[2]};\n"
    return text, names


def stream_text(s, width, conn):
    """Wires and FIFO of one stream; notes in conn what its kernels connect to."""
    base = "l_" + (s.name or "__".join(s.src))
    text = f"\n  // {s.where}\n"
    if s.src:
        # A kernel's output holds two items already.
        t, src = wires(base, width)
        text += t
        conn[s.src] = src
        depth = s.depth - 2
    else:
        src = (f"{s.name}_data_i", f"{s.name}_valid_i", f"{s.name}_ready_o")
        depth = s.depth
    if s.dst:
        if depth > 0:
            t, dst = wires(base + "_q", width)
            text += t + fifo("u_" + base, width, max(depth, 2), src, dst)
        else:
            dst = src
        conn[s.dst] = dst
        return text
    dst = (f"{s.name}_data_o", f"{s.name}_valid_o", f"{s.name}_ready_i")
    if depth > 0:
        return text + fifo("u_" + base, width, max(depth, 2), src, dst)
    return text + (f"  assign {dst[0]} = {src[0]};\n  assign {dst[1]} = {src[1]};\n"
                   f"  assign {src[2]} = {dst[2]};\n")


def levels_text(g, shell, kernels, conn):
    text = "\n  // levels\n"
    done = set()
    for lv in g.levels:
        if lv.src is None:
            width = kernels[g.insts[lv.dst[0]].kernel].cfgs[lv.dst[1]]
            have = shell[lv.name][1]
            conn[lv.dst] = f"{lv.name}_i" + ("" if width == have else f"[{width - 1}:0]")
            continue
        wire = "v_" + "__".join(lv.src)
        if lv.src not in done:
            done.add(lv.src)
            width = kernels[g.insts[lv.src[0]].kernel].stats[lv.src[1]]
            text += f"  wire {bits(width)}{wire};\n"
        conn[lv.src] = conn[lv.dst] = wire
    return text


def inst_text(inst, ports, conn):
    pins = ["    .clk_i(clk_i), .rst_ni(rst_ni)"]
    for port in ports.ins:
        d, v, r = conn[inst.name, port]
        pins.append(f"    .{port}_data_i({d}), .{port}_valid_i({v}), .{port}_ready_o({r})")
    for port in ports.outs:
        d, v, r = conn[inst.name, port]
        pins.append(f"    .{port}_data_o({d}), .{port}_valid_o({v}), .{port}_ready_i({r})")
    for port in ports.cfgs:
        pins.append(f"    .{port}_i({conn[inst.name, port]})")
    for port in ports.stats:
        pins.append(f"    .{port}_o({conn.get((inst.name, port), '')})")
    return (f"\n  {inst.kernel} #(.TRACE_ID(TRACE_BASE + {inst.id})) u_{inst.name} (\n"
            + ",\n".join(pins) + "\n  );\n")


def tie_off(shell, widths, g, errors):
    text = ""
    used = {s.name for s in g.streams}
    for name, (way, kind) in shell.items():
        if way == "level" or name in used:
            continue
        errors.notes.append(f"the graph has no {name}: tied off")
        if way == "in":
            text += f"  assign {name}_ready_o = 1'b1;   // not in the graph\n"
        else:
            text += (f"  assign {name}_data_o = {widths[kind]}'d0;   // not in the graph\n"
                     f"  assign {name}_valid_o = 1'b0;\n")
    return text


def core(g, shell, widths, kernels, errors):
    conn = {}
    body = ""
    for s in g.streams:
        end, kind = (s.src, "outs") if s.src else (s.dst, "ins")
        width = getattr(kernels[g.insts[end[0]].kernel], kind)[end[1]]
        body += stream_text(s, width, conn)
    body += levels_text(g, shell, kernels, conn)
    for inst in g.insts.values():
        body += inst_text(inst, kernels[inst.kernel], conn)
    loose = tie_off(shell, widths, g, errors)
    lint = "/* verilator lint_off UNUSEDSIGNAL */\n/* verilator lint_off PINCONNECTEMPTY */\n"
    return (HEAD + lint + "module mr_core #(\n  parameter integer TRACE_BASE = 0\n) (\n  "
            + ",\n  ".join(edge_ports(shell, widths)) + "\n);\n" + body
            + ("\n" + loose if loose else "") + "endmodule\n"
            "/* verilator lint_on PINCONNECTEMPTY */\n/* verilator lint_on UNUSEDSIGNAL */\n")


def ids(g):
    """A C table for the replay of RTL traces."""
    text = HEAD + ("/* TRACE_ID, less TRACE_BASE, of every kernel in mr_core. */\n"
                   "static const struct { const char *inst, *kernel; } mr_trace_ids[] = {\n")
    for i in g.insts.values():
        text += f'    [{i.id}] = {{"{i.name}", "{i.kernel}"}},\n'
    return text + "};\n"


def dot(g):
    """Streams as solid edges with their depth; levels as dotted ones, once per pair."""
    text = ('digraph nic {\n  rankdir=LR; bgcolor="white";\n'
            '  node [shape=box, style=filled, fillcolor="#e8f0fe", fontname="Helvetica"];\n'
            '  edge [fontname="Helvetica", fontsize=9];\n')
    for i in g.insts.values():
        label = i.name if i.name == i.kernel else f"{i.name}\\n({i.kernel})"
        text += f'  "{i.name}" [label="{label}"];\n'
    for s in g.streams:
        if s.name:
            text += f'  "ext.{s.name}" [label="{s.name}", shape=plaintext, fillcolor="white"];\n'
        src = s.src[0] if s.src else f"ext.{s.name}"
        dst = s.dst[0] if s.dst else f"ext.{s.name}"
        port = (s.src or s.dst)[1]
        text += f'  "{src}" -> "{dst}" [label="{port} ({s.depth})"];\n'
    pairs = {(lv.src[0], lv.dst[0]): 0 for lv in g.levels if lv.src}
    for lv in g.levels:
        if lv.src:
            pairs[lv.src[0], lv.dst[0]] += 1
    for (src, dst), n in pairs.items():
        text += f'  "{src}" -> "{dst}" [style=dotted, arrowhead=empty, label="{n} levels"];\n'
    return text + "}\n"
