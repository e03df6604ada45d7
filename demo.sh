#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Builds Hawser and runs two MPI programs over several choices of transports. Arguments go to every `hawser run`,
# for example: ./demo.sh --mca btl_tcp_links 2
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$top"
. cmake/setup.sh

# The part of the tree that is no test.
targets=()
for folder in framework components/self components/shm components/tcp bml pml mpi tools examples bench; do
  targets+=("$folder/all")
done

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# run NAME RANKS SELECTION PROGRAM...: standard output and the counters go to $results/NAME.{out,err}.
run() {
  local name=$1 ranks=$2 selection=$3 status=0
  local choice=()
  shift 3
  [ -z "$selection" ] || choice=(--mca btl "$selection")
  build/bin/hawser run -n "$ranks" --timeout 120 "${choice[@]}" "${extra[@]}" --mca hawser_stats 1 --mca hawser_stats_format lines "$@" \
    >"$results/$name.out" 2>"$results/$name.err" || status=$?
  if [ $status -ne 0 ]; then
    cat "$results/$name.out" "$results/$name.err" >&2
    die "hawser run -n $ranks ${choice[*]} $* ended with status $status"
  fi
}

# carried_by NAME: the transports whose counters show bytes, with the bytes of all ranks.
carried_by() {
  awk '
    function human(n) {
      if (n >= 1e9) return sprintf("%.1f GB", n / 1e9)
      if (n >= 1e6) return sprintf("%.1f MB", n / 1e6)
      if (n >= 1e3) return sprintf("%.1f kB", n / 1e3)
      return n " B"
    }
    /^hawser stats: / {
      component = ""
      for (i = 1; i < NF; ++i) {
        if ($i == "btl") component = $(i + 1)
        if ($i == "bytes_sent" || $i == "rdma_get_bytes" || $i == "rdma_put_bytes") bytes[component] += $(i + 1)
      }
    }
    END {
      for (component in bytes) if (bytes[component] > 0) text = text (text ? ", " : "") component " " human(bytes[component])
      if (!text) exit 1
      print text
    }' "$results/$1.err" || die "no counter shows a byte in: $(cat "$results/$1.err")"
}

# half_round_trip NAME BYTES: in us.
half_round_trip() {
  awk -v figure="latency.$2" '$1 == figure { print $2; found = 1 } END { exit !found }' "$results/$1.out" ||
    die "the ping-pong gave no line for $2 bytes: $(cat "$results/$1.out")"
}

row() {
  local title=$1 selection=$2 ring pingpong latency megabyte
  say "running over ${title}"
  run ring 4 "$selection" build/examples/ring
  run pingpong 2 "$selection" build/bench/mpi/pt2pt latency 8 1048576
  ring=$(carried_by ring)
  pingpong=$(carried_by pingpong)
  latency=$(half_round_trip pingpong 8)
  megabyte=$(half_round_trip pingpong 1048576)
  table+=("$(awk -v us="$megabyte" -v row="$(printf '%-11s | %-22s | %-22s | %9.2f us' "$title" "$ring" "$pingpong" "$latency")" \
    'BEGIN { printf "%s | %8.0f MB/s", row, 1048576 / us }')")
}

extra=("$@")
table=()
install_packages build
build release "${targets[@]}"
row self,shm self,shm
row self,tcp self,tcp
row "(default)" ""

printf '%-11s | %-22s | %-22s | %12s | %13s\n' "--mca btl" "ring, 4 ranks, over" "ping-pong, over" "8 B, one way" "1 MiB"
printf '%s\n' "${table[@]}"
