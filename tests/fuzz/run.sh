#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD SECONDS [CORPORA]: runs each libFuzzer program of a build for so long, as many at a time as there are
# cores, on the corpora of an earlier run or on new ones. What fails leaves its input in BUILD/fuzz, and is named.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '4,5s/^# //p' "$0" >&2; exit 2; }
build=$(realpath "$1") seconds=$2 corpora=${3:-}
[ -n "$corpora" ] || { corpora=$(mktemp -d); trap 'rm -rf "$corpora"' EXIT; }
found=$build/fuzz
mkdir -p "$found"

fuzz() {
  local program=$1 name
  name=$(basename "$program")
  mkdir -p "$corpora/$name"
  "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1 \
    -artifact_prefix="$found/$name-" "$corpora/$name" >"$found/$name.log" 2>&1 || {
    tail -n 40 "$found/$name.log" >&2
    printf '%s failed: see %s\n' "$name" "$found/$name.log" >&2
    return 1
  }
  printf '%s: %s inputs\n' "$name" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$found/$name.log")"
}
export -f fuzz
export seconds corpora found
programs=("$build"/bin/fuzz_*)
[ -x "${programs[0]}" ] || { printf 'no libFuzzer programs in %s/bin: build the target fuzzers\n' "$build" >&2; exit 1; }
printf '%s\0' "${programs[@]}" | grep -zv _seeded | xargs -0 -n 1 -P "$(nproc)" bash -c 'fuzz "$0"'
