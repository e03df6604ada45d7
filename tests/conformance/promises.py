#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""The promises in the SDK's headers and the checks that look at them.

promises.py sentences ROOT             every sentence of the headers' comments, to be judged in promises.tsv
promises.py page ROOT HAWSER TABLES    docs/promises.md, on stdout
promises.py test ROOT HAWSER TABLES    that nothing is missing, and the page is that
TABLES is the folder with promises.tsv (header, sentence, checks or why there is none) and broken/caught.tsv.
"""
import pathlib
import re
import subprocess
import sys

HEADERS = ("posted", "descriptor", "endpoint", "module", "rdma", "taker", "component", "message", "attributes", "host", "abi",
           "layout")


def sentences(root, header):
    """Every sentence of the comments, in order."""
    text, blocks, block = (root / "framework/btl" / f"{header}.hpp").read_text(encoding="utf-8"), [], []
    for line in text.splitlines()[3:]:
        alone = re.match(r"\s*//", line)
        code = "" if alone else re.match(r'(?:"(?:\\.|[^"\\])*"|[^/"]|/(?!/))*', line)[0]
        found = re.match(r"\s*//[/]?\s?(.*)", line[len(code):])
        if not found or (not alone and block):
            blocks, block = blocks + [block], []
        if found and not found[1].startswith("namespace"):
            block.append(found[1].strip())
            if not alone:
                blocks, block = blocks + [block], []
    for words in blocks + [block]:
        for sentence in re.split(r"(?<=[.;])\s+(?=[A-Zk`])", " ".join(words).strip()):
            if sentence.strip():
                yield sentence.strip()


def read_table(path):
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]


def checks_of(program):
    listed = subprocess.run([program, "check", "--list"], capture_output=True, text=True, check=True).stdout
    return dict(line.split(None, 1) for line in listed.splitlines() if line.strip())


def cell(text):
    return text.replace("|", "\\|")


BEYOND = """## What it cannot see

The kit knows a component by its interface alone, so these are for tests of your own:

- *Bytes on the wire.* It forges nothing: lengths, ranks and kinds that no component writes (`wire_test.cpp` of the
  template does). Its stranger is the same component, of another user and with another secret: it shows that a name
  alone is not believed. It needs a root who can become another user, and is skipped for others. That a rank of the
  job gives itself out for another rank of it is not tried: ranks trust each other.
- *Links that lose, delay and break.* Run it over `fault`, and over a shaped interface; see fault-injection.md.
- *A full way at the goodbye* is made with posts: as many as went out before, while the other side took nothing, again
  once it has taken those. Where the system's buffers grow meanwhile (TCP), room may be left. Another limit of the
  system (descriptors, memory, ports) is not tried.
- *Rails that change* (`Host::rails_changed`), and a peer that is restarted.
- *Locks* of another kind than those of `framework/base`, unless a thread is caught by them, and races that did not
  happen in this run: build it with `-fsanitize=thread`, and run the kit under it:
  `env LD_PRELOAD=$(gcc -print-file-name=libtsan.so) hawser check ...`.
- *Cost*: that a post allocates nothing and does not wait is seen only if it hangs.
"""


def page(checks, promises, caught):
    lines = ["# Promises and checks", "",
             "What the headers in `framework/btl` promise, and the check of `hawser check` that looks whether a",
             "component keeps it. Made by `tests/conformance/promises.py`, held equal by a test; so a new sentence in a",
             "header needs a line in `tests/conformance/promises.tsv`, and a new check a component that breaks it.", ""]
    for header in HEADERS:
        lines += [f"## framework/btl/{header}.hpp", "", "| promise | check |", "|---|---|"]
        for where, sentence, judged in promises:
            if where == header:
                shown = "<br>".join(f"`{name}`" if name in checks else name for name in judged.split(", ")
                                    ) if judged.split(", ")[0] in checks else judged
                lines.append(f"| {cell(sentence)} | {shown} |")
        lines.append("")
    lines += ["## The checks", "", "| check | promise | caught by it, among others |", "|---|---|---|"]
    for name, promise in checks.items():
        faults = [found[1] if (found := re.search(r"fault=(\w+)", row[-1])) else " ".join(row[1:]).strip()
                  for row in caught if row[0] == name]
        lines.append(f"| `{name}` | {cell(promise.strip())} | {', '.join(faults)} |")
    return "\n".join([*lines, "", BEYOND])


def faults_of(root, checks, promises):
    known = {(where, sentence) for where, sentence, _ in promises}
    for header in HEADERS:
        there = set(sentences(root, header))
        for sentence in there - {sentence for where, sentence in known if where == header}:
            yield f"framework/btl/{header}.hpp: a sentence that nobody judged: \"{sentence}\""
        for where, sentence in known:
            if where == header and sentence not in there:
                yield f"promises.tsv: framework/btl/{header}.hpp does not say \"{sentence}\""
    for where, sentence, judged in promises:
        names = judged.split(", ")
        for name in names:
            if re.fullmatch(r"[a-z]+\.[a-z_]+", name) and name not in checks:
                yield f"promises.tsv: \"{sentence}\": there is no check {name}"
    said = {name for _, _, judged in promises for name in judged.split(", ")}
    for name in set(checks) - said:
        yield f"check {name} looks at no sentence of a header"


def main():
    what, root = sys.argv[1], pathlib.Path(sys.argv[2])
    if what == "sentences":
        for header in HEADERS:
            for sentence in sentences(root, header):
                print(f"{header}\t{sentence}\t")
        return
    checks, tables = checks_of(sys.argv[3]), pathlib.Path(sys.argv[4])
    promises, caught = read_table(tables / "promises.tsv"), read_table(tables / "broken/caught.tsv")
    text = page(checks, promises, caught)
    if what == "page":
        print(text, end="")
        return
    faults = list(faults_of(root, checks, promises))
    if (root / "docs/promises.md").read_text(encoding="utf-8") != text:
        faults.append("docs/promises.md is not what promises.py makes: run its \"page\"")
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
