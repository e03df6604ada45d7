# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
"""Whole jobs on hosts and networks such as users have. A case is named after a kind of report.

Usage: main.py HAWSER TALK CASE [--long]   (as root)
CASE: B01, or B25_Refusals; --long: as many runs as a night has room for.
"""
import signal
import sys
import unittest

import case
import connecting
import hosts
import selecting
import trouble

SKIPPED = 77


def main():
    words = [word for word in sys.argv[1:] if word != "--long"]
    if len(words) < 3:
        sys.exit(__doc__)
    if why := hosts.why_not():
        print(f"skipped: {why}")
        return SKIPPED
    case.Case.hawser, case.Case.talk = words[:2]
    case.Case.long = "--long" in sys.argv
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda number, _: sys.exit(128 + number))
    suite = unittest.TestSuite()
    for module in (selecting, connecting, trouble):
        for name, found in vars(module).items():
            if isinstance(found, type) and any(f"{name}_".startswith(f"{word}_") for word in words[2:]):
                suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(found))
    if suite.countTestCases() == 0:
        sys.exit(f"there is no case {' '.join(words[2:])}")
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
