#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""docs/errors.md says what the code says: errors_page.py ROOT. Every class of error is there with its words and the MPI
class that it becomes, every MPI class that the library knows, the launcher's exit statuses, and no text or parameter
that the code does not have. Each fault is a line; exit status 1 if any."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
PAGE = (ROOT / "docs/errors.md").read_text()


def source(path):
    return (ROOT / path).read_text()


def rows(title):
    """The cells of the table under that heading, without its two head lines."""
    section = PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def differences(what, page, code):
    return ([f"{what}: {one} is not on the page" for one in sorted(code - page)] +
            [f"{what}: the page has {one}, the code has not" for one in sorted(page - code)])


def classes_of_code():
    words = dict(re.findall(r'case Errc::(k\w+):\s+return "([^"]+)";', source("framework/base/errc.hpp")))
    body = source("mpi/errors.cpp").split("int class_of(Errc code)", 1)[1].split("\n}\n", 1)[0]
    into, waiting = {}, []
    for name, given in re.findall(r"case Errc::(k\w+):|return (MPI_\w+);", body):
        waiting += [name] if name else []
        if given:
            into.update(dict.fromkeys(waiting, given))
            waiting = []
    return {f"{name} ({words[name]}) as {into[name]}" for name in words}


def texts_of_code():
    """All string literals, those side by side as one."""
    texts = []
    for folder in ("framework", "components", "bml", "pml", "mpi", "tools/run"):
        for path in (ROOT / folder).rglob("*.[ch]pp"):
            joined = re.sub(r'"\s*\n\s*"', "", path.read_text())
            texts += re.findall(r'"((?:[^"\\\n]|\\.)*)"', joined)
    return "\n".join(texts)


def main():
    page = {f"{row[0].strip('`')} ({row[1]}) as {row[4].strip('`')}" for row in rows("Classes")}
    faults = differences("classes", page, classes_of_code())
    known = set(re.findall(r'\{(MPI_\w+), "MPI_', source("mpi/errors.cpp")))
    faults += differences("MPI", {row[0].strip("`") for row in rows("MPI")}, known)
    help_text = re.sub(r'"\s*\n\s*"', "", source("tools/run/options.cpp")).split("Exit status:", 1)[1].split('"', 1)[0]
    numbers = set(re.findall(r"\b\d+\b", help_text.replace("128+N", "").replace("\\n", " ")))
    faults += differences("statuses", {row[0] for row in rows("Exit statuses of `hawser run`")} - {"0", "1", "N", "128+N"},
                          numbers)
    parameters = set(re.findall(r"`((?:btl|bml|mpi|mca|hawser)_[a-z0-9_]+)`", PAGE))
    known = set(re.findall(r"`([a-z0-9_]+)`", source("docs/parameters.md")))
    faults += [f"parameters: there is no {name}" for name in sorted(parameters - known)]
    texts = texts_of_code()
    shown = [row[0].strip("`") for row in rows("Texts that are met most")]
    faults += [f"texts: \"{text}\" is in no string of the code" for text in shown if text not in texts]
    for fault in faults:
        print(f"docs/errors.md: {fault}")
    return 1 if faults or not shown or not page else 0


if __name__ == "__main__":
    sys.exit(main())
