# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""instructions_test.py HAWSER PROGRAM: how many instructions a small message over shm costs, as callgrind counts them:
a number that is the same on a busy machine. The bounds are what the code needs today, and a tenth; whoever lowers the
figures lowers the bounds too."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

# Calls of the program, and instructions for each of its messages at most; first contact is in them, with some 30.
BOUNDS = [
    ("blocking", 0, "MPI_Send", 275),
    ("nonblocking", 0, "MPI_Isend and MPI_Waitall", 355),
    ("nonblocking", 1, "MPI_Irecv, delivery and MPI_Waitall", 515),
]
COUNTED = ["*MPI_Send", "*MPI_Isend", "*MPI_Irecv", "*MPI_Waitall"]


def count(hawser, program, kind, folder):
    """Instructions for each message, by rank."""
    turn = os.path.join(folder, "turn")
    with open(turn, "wb") as file:
        file.write(bytes(8))
    out = os.path.join(folder, "callgrind.%q{HAWSER_RANK}")
    argv = [hawser, "run", "-n", "2", "--timeout", "200", "--mca", "btl", "self,shm", "valgrind", "--tool=callgrind",
            f"--callgrind-out-file={out}", *[f"--toggle-collect={name}" for name in COUNTED], program, turn, kind]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=240, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(argv)}: status {done.returncode}\n{done.stderr[-2000:]}")
    messages = int(re.search(r"(\d+) messages", done.stdout).group(1))
    counts = []
    for rank in range(2):
        with open(os.path.join(folder, f"callgrind.{rank}"), encoding="utf-8") as file:
            total = re.search(r"^(?:totals|summary): (\d+)", file.read(), re.MULTILINE)
        counts.append(int(total.group(1)) / messages)
    return counts


def main():
    hawser, program = sys.argv[1:]
    if not shutil.which("valgrind"):
        print("valgrind is not installed: nothing is counted")
        sys.exit(77)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        counts = {kind: count(hawser, program, kind, folder) for kind in ("blocking", "nonblocking")}
    for kind, rank, what, bound in BOUNDS:
        got = counts[kind][rank]
        print(f"{what}: {got:.0f} instructions a message, at most {bound}")
        failed = failed or got > bound or got < 50  # fewer: they were not counted
    sys.exit(1 if failed else 0)


main()
