# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""What is measured (RUNS) and what must hold (LINES)."""

import dataclasses

KI, MI = 1024, 1024 * 1024


@dataclasses.dataclass(frozen=True)
class Run:
    """One program under one transport. Names of its figures get `transport` in front: "tcp/latency.8"."""

    transport: str
    program: str
    arguments: tuple
    ranks: int = 2
    startup: bool = False  # the figure is the time of the whole command, named "start.PROGRAM.ARGUMENT"
    quick: bool = True

    def prefix(self):
        return f"{self.transport}/" if self.ranks == 2 else f"{self.transport}/{self.ranks}:"


RUNS = [
    Run("shm", "pt2pt", ("latency", 0, 8, 64, KI, 4 * KI, 64 * KI, MI, 4 * MI)),
    Run("shm", "pt2pt", ("rewritten", 64 * KI, MI, 4 * MI)),
    *[Run("shm", "pt2pt", ("rate", size, window)) for size in (8, 64) for window in (64, 256)],
    *[Run("shm", "pt2pt", ("stream", size, 64), quick=size in (64 * KI,)) for size in (KI, 4 * KI, 16 * KI, 64 * KI)],
    *[Run("shm", "pt2pt", ("stream", size, 16), quick=size == MI) for size in (MI, 4 * MI)],
    Run("shm-copy", "pt2pt", ("latency", 64 * KI, MI, 4 * MI)),
    Run("shm-copy", "pt2pt", ("stream", MI, 16), quick=False),
    Run("tcp", "pt2pt", ("latency", 8, 64 * KI)),
    Run("tcp", "pt2pt", ("rate", 8, 64)),
    *[Run("tcp", "pt2pt", ("stream", size, 16), quick=size == MI) for size in (64 * KI, MI)],
    Run("tcp", "pt2pt", ("stream", 64 * MI, 2), quick=False),
    Run("shm", "threads", ()),
    Run("shm", "matching", (10, 1000, 50000), quick=False),
    Run("shm", "coll", ()),
    Run("shm", "coll", (), ranks=4),
    Run("shm", "coll", (), ranks=8, quick=False),
    Run("shm", "waiting", (), quick=False),
    *[Run("shm", "contact", (what,), ranks=n, startup=True, quick=n in (2, 8))
      for n in (2, 8, 32, 64) for what in ("hello", "all")],
    Run("tcp", "contact", ("all",), ranks=64, startup=True, quick=False),
]


@dataclasses.dataclass(frozen=True)
class Line:
    """`peers`: bound on our figure divided by the best peer's; `limit`: (names of limits, bound on our figure divided by
    the best of those); `own`: bound on our figure itself, or on it divided by another figure of ours."""

    figure: str
    title: str
    unit: str
    better: str = "low"
    peers: float = None
    against: tuple = ()  # peers that count; none: all
    limit: tuple = None
    own: float = None
    own_of: str = None


def size_text(size):
    return f"{size // MI} MiB" if size >= MI else f"{size // KI} KiB" if size >= KI else f"{size} B"


def _latencies():
    for size in (0, 8):
        yield Line(f"shm/latency.{size}", f"shm {size} B", "us", peers=0.75, limit=(("raw.two_lines",), 1.6))
    for size in (64, KI, 4 * KI):
        yield Line(f"shm/latency.{size}", f"shm {size_text(size)}", "us", peers=0.8)
    for kind, words in (("latency", "reused"), ("rewritten", "rewritten")):
        for size, bound in ((64 * KI, 0.85), (MI, 0.55), (4 * MI, 0.6)):
            yield Line(f"shm/{kind}.{size}", f"shm {size_text(size)}, {words}", "us", peers=bound)


def _streams():
    for size in (8, 64):
        for window in (64, 256):
            yield Line(f"shm/rate.{size}.{window}", f"shm {size} B, window {window}", "msg/s", "high", peers=1.5)
    for size in (KI, 4 * KI, 16 * KI, 64 * KI, MI, 4 * MI):
        bound = 1.1 if size <= 64 * KI else 1.8 if size == MI else 1.3
        for way, way_words in (("one", "one way"), ("both", "both ways")):
            for kind, kind_words in (("same", "one buffer"), ("each", "a buffer each")):
                limit = None
                if (way, kind) == ("one", "same"):
                    limit = ((f"raw.copy_stream.{size}", f"raw.readv_stream.{size}"), 0.85)
                yield Line(f"shm/stream.{way}.{kind}.{size}", f"shm {size_text(size)}, {way_words}, {kind_words}", "MB/s",
                           "high", peers=bound, limit=limit)
    for size in (64 * KI, MI, 4 * MI):
        yield Line(f"shm-copy/latency.{size}", f"shm {size_text(size)}, no single copy", "us", peers=1 / 1.3,
                   against=("ob1",))
    yield Line(f"shm-copy/stream.one.same.{MI}", "shm 1 MiB stream, no single copy", "MB/s", "high", peers=1.3,
               against=("ob1",))


def _tcp():
    yield Line("tcp/latency.8", "tcp 8 B", "us", peers=0.9, limit=(("raw.socket_spin.8",), 1.15))
    yield Line(f"tcp/latency.{64 * KI}", "tcp 64 KiB", "us", peers=0.7)
    yield Line("tcp/rate.8.64", "tcp 8 B, window 64", "msg/s", "high", peers=10)
    for size in (64 * KI, MI, 64 * MI):
        for way, words in (("one", "one way"), ("both", "both ways")):
            limit = ((f"raw.socket_stream.{size}",), 0.95) if way == "one" else None
            yield Line(f"tcp/stream.{way}.same.{size}", f"tcp {size_text(size)}, {words}", "MB/s", "high", peers=1.1,
                       limit=limit)


def _others():
    for kind in ("own", "shared"):
        words = "own communicators" if kind == "own" else "one communicator"
        yield Line(f"shm/threads.latency.{kind}", f"2 threads, 8 B, {words}", "us", peers=1 / 1.5)
        yield Line(f"shm/threads.rate.{kind}", f"2 threads, rate, {words}", "msg/s", "high", peers=1.5)
    for kind in ("unexpected", "posted"):
        yield Line(f"shm/matching.{kind}.50000", f"matching, 50,000 {kind}", "ns", own=2, own_of=f"shm/matching.{kind}.10")
    for ranks, bound in ((2, 0.8), (4, 0.7), (8, 0.7)):
        prefix = "shm/" if ranks == 2 else f"shm/{ranks}:"
        for op in ("barrier", "allreduce.8", f"allreduce.{MI}", "bcast.8", f"bcast.{MI}", "alltoall.8", f"alltoall.{MI}"):
            name, _, size = op.partition(".")
            yield Line(f"{prefix}coll.{op}", f"{ranks} ranks: {name} {size_text(int(size)) if size else ''}".rstrip(), "us",
                       peers=bound)
    for ranks in (2, 8, 32, 64):
        prefix = "shm/" if ranks == 2 else f"shm/{ranks}:"
        for what, words in (("hello", "start and end"), ("all", "all pairs")):
            yield Line(f"{prefix}start.contact.{what}", f"{ranks} ranks: {words}", "s", peers=0.5)
    for transport in ("shm", "tcp"):
        yield Line(f"{transport}/64:contact.pss", f"memory of a rank, 64 ranks, {transport}", "MB", peers=0.5)
    yield Line("shm/waiting.cpu", "CPU of a rank that waits", "%", own=1)
    yield Line("shm/waiting.wake", "woken after", "us", own=60)


LINES = [*_latencies(), *_streams(), *_tcp(), *_others()]
