# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""Runs one command within its time, and leaves nothing of it behind."""

import os
import pathlib
import signal
import subprocess
import time


class Failure(Exception):
    """The command did not end well; `figures` is what it printed before."""

    def __init__(self, why, figures=None, too_slow=False):
        super().__init__(why)
        self.figures = figures or {}
        self.too_slow = too_slow


def figures_of(text):
    """From lines "NAME VALUE"; other lines are not for us."""
    figures = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 2:
            try:
                figures[words[0]] = float(words[1])
            except ValueError:
                pass
    return figures


def run(argv, extra, limit_s):
    """What the command printed, and how long it took in seconds. A launcher that does not end in time is asked to
    end its ranks; what is left of its session is killed."""
    environment = {**os.environ, **extra}
    begin = time.monotonic()
    with subprocess.Popen([str(a) for a in argv], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            out, _ = end(process)
            raise Failure(f"no end after {limit_s:g} s", figures_of(out), too_slow=True) from None
        except BaseException:
            end(process)
            raise
    took = time.monotonic() - begin
    if process.returncode != 0:
        raise Failure(f"status {process.returncode}: {(err or out).strip()[-400:]}", figures_of(out))
    return figures_of(out), took


def end(process):
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout=3)
    except subprocess.TimeoutExpired:
        pass
    for pid in members(process.pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return process.communicate()


def members(session):
    """The processes of a session; ranks have process groups of their own, but stay in it."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        if int(fields[3]) == session:
            found.append(int(stat.parent.name))
    return found
