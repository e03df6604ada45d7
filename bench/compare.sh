#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Measures Hawser beside Debian's Open MPI (ob1, ucx) and MPICH, and beside the physical limits of the same minutes.
# Prints a table with ratios; writes JSON, Markdown and SVG. `bench/compare.sh --help` lists the options.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
compare=(python3 "$top/bench/compare/main.py" --build "$top/build" "$@")
case " $* " in *" --help "* | *" -h "*) exec "${compare[@]}" ;; esac
. "$top/cmake/setup.sh"
install_packages build bench
build release bench_compare
exec "${compare[@]}"
