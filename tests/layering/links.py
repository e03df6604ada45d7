#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""links.py FOLDER: every relative link of every page below it leads to a file that is there, and to a heading of it.

Pages in folders of builds (those with a CMakeCache.txt) are not looked at.
"""
import os
import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
OUTSIDE = re.compile(r"[a-z]+:")


def pages(top):
    for folder, below, files in os.walk(top):
        built = "CMakeCache.txt" in files
        below[:] = [] if built else [name for name in below if not name.startswith(".")]
        yield from (pathlib.Path(folder, name) for name in files if name.endswith(".md") and not built)


def prose(page):
    """The text without what stands in code."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(page):
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def dead_links(top):
    for page in pages(top):
        for link in LINK.findall(prose(page)):
            name, _, anchor = link.partition("#")
            if OUTSIDE.match(link):
                continue
            target = page.parent / name if name else page
            if not target.exists():
                yield f"{page}: {link} leads nowhere"
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                yield f"{page}: {link}: there is no such heading"


def main():
    top = pathlib.Path(sys.argv[1])
    count = len(list(pages(top)))
    faults = list(dead_links(top)) or ([] if count else [f"{top}: there is no page"])
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
