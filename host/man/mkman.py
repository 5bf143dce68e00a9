#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints the manual pages of libmetaroce from the comments of metaroce.h.

    mkman.py HEADER TEMPLATE VERSION DATE OUT

Writes OUT/man3: one page for each part of the header (its `/* --- name */`
lines, and those of the headers metaroce_*.h that it includes), and one that
leads there for each function. TEMPLATE becomes
OUT/man7/metaroce.7: @VERSION@, @DATE@, @INTRO@ (the header's first comment) and
@PAGES@ (a list of the pages of section 3) are filled in.
"""
import os
import re
import sys
import textwrap

PART = re.compile(r"^/\* -{5,} (.+) \*/$", re.M)
ITEM = re.compile(
    r"/\*\*(?P<doc>.*?)\*/\n(?P<code>(?:(?!\n\n)(?!/\*).)*)"  # a comment and what stands right below it
    r"|(?P<bare>^(?:enum|struct) \w+ \{.*?^\};)", re.S | re.M)
PROTO = re.compile(r"^MR_API\s+(.*?;)", re.S | re.M)


def escape(s):
    s = s.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + s if s[:1] in ".'" else s


def inline(s):
    """A line of prose: functions and error codes are set in bold."""
    s = escape(s)
    s = re.sub(r"\b(mr_\w+)\(\)", r"\\fB\1\\fP(3)", s)
    return re.sub(r"(\\-E[A-Z]{2,})", r"\\fB\1\\fP", s)


def literal(lines):
    return [".PP", ".RS 4", ".nf", *[escape(x) for x in lines], ".fi", ".RE"]


def strip(doc):
    """The lines of a comment without its stars."""
    return [re.sub(r"^ ?\* ?", "", x).rstrip() for x in doc.strip("\n").split("\n")]


def paragraphs(lines):
    """Lists of lines; a paragraph whose lines are indented is to be set as it is."""
    out, now = [], []
    for line in lines + [""]:
        if line.strip():
            now.append(line)
        elif now:
            out.append(now)
            now = []
    return out


def indented(par):
    return all(x.startswith("    ") for x in par)


def prose(pars):
    out = []
    for par in pars:
        if indented(par):
            out += literal([x[4:] for x in par])
        else:
            out += [".PP"] + [inline(x) for x in textwrap.wrap(" ".join(par), 68, break_on_hyphens=False)]
    return out


def split_errors(pars):
    """What a comment says of errors, apart from the rest."""
    rest, errors = [], []
    for par in pars:
        text = "\n".join(par)
        m = re.search(r"(?:^|(?<=\s))Errors(:|, )", text)
        if indented(par) or not m:
            rest.append(par)
            continue
        if text[:m.start()].strip():
            rest.append(text[:m.start()].rstrip().split("\n"))
        text = text[m.end():].strip()
        errors.append((text[0].upper() + text[1:]).split("\n"))
    return rest, errors


class Item:
    def __init__(self, doc, code):
        self.rest, self.errors = split_errors(paragraphs(strip(doc or "")))
        self.code = code.rstrip().split("\n")
        self.protos = [" ".join(p.split()) for p in PROTO.findall(code)]
        self.names = [re.search(r"(\w+)\(", p).group(1) for p in self.protos]


class Part:
    def __init__(self, title, text):
        self.title = title
        self.page = "mr_" + title.split()[-1]
        self.items = [Item(m["doc"], m["code"] if m["bare"] is None else m["bare"])
                      for m in ITEM.finditer(text)]
        self.functions = [n for i in self.items for n in i.names]

    def write(self, out, head, see):
        types = [i for i in self.items if not i.protos and i.code != [""]]
        calls = [i for i in self.items if i.protos]
        p = [f'.TH {self.page.upper()} 3 "{head["date"]}" "metaroce {head["version"]}" "MetaRoCE Manual"',
             ".SH NAME", *textwrap.wrap(", ".join(self.functions), 72), f"\\- MetaRoCE: {self.title}",
             ".SH SYNOPSIS", ".nf", ".B #include <metaroce.h>"]
        for i in calls:
            p += [".PP"] + [f".B {escape(x)}" for x in i.protos]
        p += [".fi", ".PP", "Compile and link with", "`pkg\\-config \\-\\-cflags \\-\\-libs metaroce`.",
              ".SH DESCRIPTION"]
        for i in calls:
            p += [".SS " + ", ".join(f"{n}()" for n in i.names)] + prose(i.rest)[1:]
        if types:
            p += [".SH TYPES AND CONSTANTS"]
            p += sum((prose(i.rest) + literal(i.code) for i in types), [])[1:]
        p += [".SH RETURN VALUE"] + prose(head["returns"])[1:]
        if any(i.errors for i in calls):
            p += [".SH ERRORS"]
        for i in calls:
            if i.errors:
                p += [".SS " + ", ".join(f"{n}()" for n in i.names)] + prose(i.errors)[1:]
        p += [".SH THREADS"] + prose(head["threads"])[1:]
        p += [".SH SEE ALSO"] + [f".BR {n} (3)," for n in see if n != self.page] + [".BR metaroce (7)"]
        save(out, "man3", self.page + ".3", p)
        for n in self.functions:
            save(out, "man3", n + ".3", [f".so man3/{self.page}.3"])


def save(out, section, name, lines):
    with open(os.path.join(out, section, name), "w") as f:
        f.write("\n".join(lines) + "\n")


def main():
    header, template, version, date, out = sys.argv[1:]
    text = open(header).read()
    for more in re.findall(r'^#include "(metaroce_(?!codes)\w+\.h)"', text, re.M):
        text += open(os.path.join(os.path.dirname(header), more)).read()
    for section in ("man3", "man7"):
        os.makedirs(os.path.join(out, section), exist_ok=True)
    cut = PART.split(text)
    parts = [Part(cut[i], cut[i + 1]) for i in range(1, len(cut), 2)]
    intro = paragraphs(strip(re.search(r"^/\*\n(.*?)\*/", text, re.S | re.M)[1]))[1:]
    starts = lambda word: [p for p in intro if p[0].startswith(word)]
    head = {"version": version, "date": date, "returns": starts("Calls return"), "threads": starts("Threads:")}
    if not head["returns"] or not head["threads"]:
        sys.exit("mkman: the header's first comment says nothing of returns or of threads")
    declared = re.findall(r"(\w+)\(", " ".join(PROTO.findall(text)))
    last = [p.page for p in parts]
    for p in parts:  # two kinds of queue: pages of their whole names
        if last.count(p.page) > 1:
            p.page = "mr_" + "_".join(p.title.split())
    pages = [p.page for p in parts]
    missing = set(declared) - {n for p in parts for n in p.functions}
    twice = set(pages) & set(declared)
    if missing or twice or len(set(pages)) < len(pages):
        sys.exit(f"mkman: without a comment: {missing}; a page and a function: {twice}; pages: {pages}")
    for p in parts:
        p.write(out, head, pages)
    listing = []
    for p in parts:
        listing += [".TP", f".BR {p.page} (3)", *textwrap.wrap(f"{p.title}: {', '.join(p.functions)}", 72)]
    page = open(template).read()
    for name, value in (("VERSION", version), ("DATE", date), ("INTRO", "\n".join(prose(intro)[1:])),
                        ("PAGES", "\n".join(listing))):
        page = page.replace(f"@{name}@", value)
    save(out, "man7", "metaroce.7", [page.rstrip()])


main()
