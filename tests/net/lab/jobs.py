# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""Jobs under `hawser run`, their ranks on the nodes of a lab, and what they counted."""
import ctypes
import os
import re
import shlex
import signal
import subprocess
import tempfile
import time

_STATS = re.compile(r"^hawser stats: rank (\d+) btl (\S+) module (\S+) (.*)$")
_WIREUPS = re.compile(r"^hawser stats: rank (\d+) bml wireups (\d+)$")
_PDEATHSIG = 1


def _die_with_parent():
    ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGTERM)


class Outcome:
    """How a job ended. `err` without the counters; `modules`: (rank, "tcp/e0#0") -> {counter: value}."""

    def __init__(self, command, status, out, err, seconds):
        self.command, self.status, self.out, self.seconds = command, status, out, seconds
        lines = err.splitlines(keepends=True)
        self.err = "".join(line for line in lines if not line.startswith("hawser stats: "))
        self.modules, self.wireups = {}, 0
        for line in map(str.rstrip, lines):
            if found := _STATS.match(line):
                words = found[4].split()
                self.modules[int(found[1]), found[3]] = dict(zip(words[::2], map(int, words[1::2])))
            elif found := _WIREUPS.match(line):
                self.wireups += int(found[2])

    def sum(self, counter, module="tcp/", ranks=None):
        """That counter over all modules whose name begins with `module`: of all ranks, or of some."""
        return sum(counters.get(counter, 0) for (rank, name), counters in self.modules.items()
                   if name.startswith(module) and (ranks is None or rank in ranks))

    def carriers(self, ranks=None):
        """The interfaces over which data went: {"e0", "lo"}. What was sent and never arrived does not count."""
        return {name[len("tcp/"):].split("#")[0] for (rank, name), counters in self.modules.items()
                if name.startswith("tcp/") and counters["bytes_received"] and (ranks is None or rank in ranks)}

    def __str__(self):
        counted = "".join(f"  rank {rank} {name} " + " ".join(f"{k} {v}" for k, v in counters.items() if v) + "\n"
                          for (rank, name), counters in sorted(self.modules.items()))
        return (f"{shlex.join(self.command)}\nstatus {self.status} after {self.seconds:.2f} s\nstdout:\n{self.out}"
                f"stderr:\n{self.err}counters:\n{counted}")


class Job:
    """`hawser run` on its way. `places`: the node of each rank. `timeout`: the launcher ends the job then, with
    status 124. `env` is for the launcher and so for all ranks; `wrap` comes before the program."""

    def __init__(self, hawser, places, program, mca=None, options=(), timeout=60, env=None, stats=True, before=(),
                 wrap=()):
        self._out, self._err = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
        self._limit = timeout
        settings = {**({"hawser_stats": "1", "hawser_stats_format": "lines"} if stats else {}), **(mca or {})}
        self.command = [*before, hawser, "run", "-n", str(len(places)), "--timeout", str(timeout),
                        "--wrap", _wrap(places, wrap)]
        for name, value in settings.items():
            self.command += ["--mca", name, str(value)]
        self.command += [*options, *map(str, program)]
        self._began = time.monotonic()
        clean = {name: value for name, value in os.environ.items() if "_MCA_" not in name}
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=self._out, stderr=self._err,
                                        text=True, env={**clean, **(env or {})}, preexec_fn=_die_with_parent)

    def wait_for(self, text, seconds=60):
        """Until the job has written that to stdout. False: it ended, or did not."""
        end = time.monotonic() + seconds
        while text not in _content(self._out):
            if self.process.poll() is not None or time.monotonic() > end:
                return text in _content(self._out)
            time.sleep(0.01)
        return True

    def go(self):
        """Gives rank 0 the line it waits for."""
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def end(self):
        """Waits for the end of the job. The launcher itself must end it in time."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self.process.wait(self._limit + 15)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            self.process.wait()
        seconds = time.monotonic() - self._began
        outcome = Outcome(self.command, self.process.returncode, _content(self._out), _content(self._err), seconds)
        self._out.close()
        self._err.close()
        return outcome


def _content(file):
    return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode(errors="replace")


def _wrap(places, inner):
    """Puts each rank on its node, with that node's variables."""
    # The case is evaluated by the shell of each rank: its rank is in its environment.
    arms = []
    for rank, node in enumerate(places):
        words = node.command("env", *[f"{name}={value}" for name, value in node.env.items()], *inner)
        arms.append(f'{rank}) exec {shlex.join(words)} "$@";;')
    return shlex.join(["sh", "-c", "case $HAWSER_RANK in " + " ".join(arms) + " esac", "-"])
