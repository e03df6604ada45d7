#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""A broken component is caught: caught.py HAWSER COMPONENT.so CHECK [NAME=VALUE...]

The check must fail, with a reason in words, and the program must say so with its exit status. Exit status 77: it
was not run, since it needs another user.
"""
import json
import subprocess
import sys

NEEDS_ROOT = ("reach.stranger_is_refused",)  # and a system that lets root become another user


def main():
    program, component, check, *params = sys.argv[1:]
    command = [program, "check", component, "--only", check, "--json", "-", "--patience", "2"]
    for param in params:
        command += ["--param", param]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=110)
    if check in NEEDS_ROOT and run.returncode == 0:
        verdicts = json.loads(run.stdout)["checks"]
        if verdicts and all(one["outcome"] == "skipped" for one in verdicts):
            print(*verdicts[0]["reasons"], sep="\n")
            sys.exit(77)
    if run.returncode != 1:
        sys.exit(f"exit status {run.returncode}, not 1\n{run.stdout}{run.stderr}")
    failed = [one for one in json.loads(run.stdout)["checks"] if one["outcome"] == "failed"]
    if not failed:
        sys.exit(f"no check failed\n{run.stdout}")
    for one in failed:
        if one["name"] != check or not all(len(reason) > 10 for reason in one["reasons"]) or not one["reasons"]:
            sys.exit(f"not the check that is meant for it, or no reason in words\n{run.stdout}")
        print(*one["reasons"], sep="\n")


if __name__ == "__main__":
    main()
