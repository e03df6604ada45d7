# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""What is measured: RUNS. One run is one job of one implementation; the implementations take turns at it, and the
limits that its figures are held against are measured among them."""

import dataclasses

from lines import KI, MI


@dataclasses.dataclass(frozen=True)
class Part:
    """Some arguments of a program, the figures that they bring, and the limits (arguments of bench/raw/limits.cpp)."""

    words: tuple = ()
    figures: tuple = ()
    limits: tuple = ()
    quick: bool = True


@dataclasses.dataclass(frozen=True)
class Run:
    """Names of figures get a prefix: "tcp/latency.8", "shm/4/coll.barrier"."""

    transport: str
    program: str
    parts: tuple
    ranks: int = 2
    startup: bool = False  # the time of the whole command is a figure: start.PROGRAM.ARGUMENT
    alone: bool = False  # nobody else is asked: the lines are about our own figures

    @property
    def prefix(self):
        return f"{self.transport}/" if self.ranks == 2 else f"{self.transport}/{self.ranks}/"

    @property
    def arguments(self):
        return tuple(word for part in self.parts for word in part.words)

    @property
    def limits(self):
        return tuple(dict.fromkeys(limit for part in self.parts for limit in part.limits))

    @property
    def label(self):
        ranks = "" if self.ranks == 2 else f" {self.ranks} ranks:"
        return " ".join([f"{self.transport}:{ranks}", self.program, *map(str, self.arguments)])

    def only(self, figures, quick):
        """What is left of this run when just these figures count; nothing: None."""
        parts = tuple(p for p in self.parts
                      if (p.quick or not quick) and any(self.prefix + f in figures for f in p.figures))
        return dataclasses.replace(self, parts=parts) if parts else None


def latency(size, kind="latency", limits=(), quick=True):
    return Part((kind, size), (f"{kind}.{size}",), limits, quick)


def rate(size, window):
    return Part(("rate", size, window), (f"rate.{size}.{window}",))


def rate_below(size):
    return Part(("rate", size), (f"rate.{size}",))


def stream(size, window, quick):
    figures = tuple(f"stream.{way}.{kind}.{size}" for way in ("one", "both") for kind in ("same", "each"))
    return Part(("stream", size, window), figures, tuple(f"stream:{size}:{window}:{k}" for k in ("same", "each")), quick)


def stream_same(size, window, limits=(), quick=True):
    return Part(("stream-same", size, window), tuple(f"stream.{way}.same.{size}" for way in ("one", "both")), limits, quick)


def sockets(transport):
    return [
        Run(transport, "pt2pt", (latency(8, limits=("socket:8",)), latency(64 * KI, limits=(f"socket:{64 * KI}",)),
                                 rate(8, 64))),
        Run(transport, "pt2pt", tuple(stream_same(size, window, (f"socket_stream:{size}:{window}",), quick=size == MI)
                                      for size, window in ((64 * KI, 16), (MI, 16), (64 * MI, 2)))),
    ]


def threads():
    return Part((), tuple(f"threads.{what}.{kind}" for what in ("latency", "rate") for kind in ("own", "shared")))


def collectives(ranks, quick=True):
    sized = tuple(f"coll.{op}.{size}" for op in ("allreduce", "bcast", "alltoall") for size in (8, MI))
    return Run("shm", "coll", (Part((), ("coll.barrier", *sized), quick=quick),), ranks)


def contact(transport, what, ranks, quick):
    figures = (f"start.contact.{what}",) + (("contact.pss",) if what == "all" else ())
    return Run(transport, "contact", (Part((what,), figures, quick=quick),), ranks, startup=True)


def matching():
    depths = (10, 50000)
    return Part(depths, tuple(f"matching.{kind}.{depth}" for kind in ("unexpected", "posted") for depth in depths))


RUNS = [
    Run("shm", "pt2pt", (*[latency(size, limits=("lines",)) for size in (0, 8)],
                         *[latency(size, limits=(f"copy:{size}",)) for size in (64, KI, 4 * KI)],
                         *[rate(size, window) for size in (8, 64) for window in (64, 256)])),
    Run("shm", "pt2pt", (*[latency(size, limits=(f"copy:{size}",)) for size in (64 * KI, MI, 4 * MI)],
                         *[latency(size, "rewritten") for size in (64 * KI, MI, 4 * MI)])),
    *[Run("shm", "pt2pt", (stream(size, 64, size == 64 * KI),)) for size in (KI, 4 * KI, 16 * KI, 64 * KI)],
    *[Run("shm", "pt2pt", (stream(size, 16, size == MI),)) for size in (MI, 4 * MI)],
    Run("shm-copy", "pt2pt", (*[latency(size, limits=(f"copy:{size}",)) for size in (64 * KI, MI, 4 * MI)],
                              stream_same(MI, 16, (f"stream:{MI}:16:same",)))),
    *sockets("tcp"),
    *sockets("veth"),
    Run("shm", "threads", (threads(),)),
    Run("shm", "matching", (matching(),), alone=True),
    *[collectives(ranks, quick=ranks < 8) for ranks in (2, 4, 8)],
    *[Run(transport, "waiting", (Part((), ("waiting.cpu", "waiting.wake"), (limit,), quick=transport == "shm"),), alone=True)
      for transport, limit in (("shm", "wake"), ("tcp", "wake_socket"))],
    *[contact("shm", what, ranks, ranks < 32) for ranks in (2, 8, 32, 64) for what in ("hello", "all")],
    contact("tcp", "all", 64, False),
    Run("sdk-shm", "perf", (latency(64), rate_below(8))),
    Run("sdk-tcp", "perf", (latency(8),)),
]
