#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""Every check has a component that it catches, and every fault a check: complete.py HAWSER caught.tsv broken.cpp"""
import pathlib
import re
import subprocess
import sys


def main():
    program, table, source = sys.argv[1:]
    listed = subprocess.run([program, "check", "--list"], capture_output=True, text=True, check=True).stdout
    checks = {line.split()[0] for line in listed.splitlines() if line.strip()}
    rows = [line.split("\t") for line in pathlib.Path(table).read_text(encoding="utf-8").splitlines()[1:]]
    names = re.search(r"kNames\[\] =(.*?);", pathlib.Path(source).read_text(encoding="utf-8"), re.S)[1]
    faults = set("".join(re.findall(r'"([^"]*)"', names)).split("|")) - {"none"}
    used = {found[1] for row in rows if (found := re.search(r"fault=(\w+)", row[-1]))}
    faulty = [f"check {name}: no broken component shows it" for name in checks - {row[0] for row in rows}]
    faulty += [f"{row[0]}: there is no such check" for row in rows if row[0] not in checks]
    faulty += [f"fault {name}: no check is said to catch it" for name in faults - used]
    sys.exit("\n".join(faulty) if faulty else 0)


if __name__ == "__main__":
    main()
