#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# First contact from four threads of each of four ranks, two hosts joined by two cables, two links on each: fresh
# jobs, one after the other. Every job ends with 0, nobody is turned away, and each pair of ranks has one
# connection on each rail: one wire-up per peer.
# Usage: mpi_first_contact.sh BUILD [JOBS]   (as root)
set -euo pipefail
build=$1 jobs=${2:-20}
ranks=4 cables=2 links=2
hosts=("hwfc$$a" "hwfc$$b")
work=$(mktemp -d)

clean_up() {
  for host in "${hosts[@]}"; do ip netns del "$host" 2>/dev/null || true; done
  rm -rf "$work"
}
trap clean_up EXIT
fail() {
  printf 'job %s: %s\n' "$job" "$*" >&2
  cat "$work/out" "$work/err" >&2
  exit 1
}

job=0
for host in "${hosts[@]}"; do
  ip netns add "$host"
  ip -n "$host" link set lo up
done
for ((i = 0; i < cables; ++i)); do
  ip -n "${hosts[0]}" link add "e$i" type veth peer name "e$i" netns "${hosts[1]}"
  for h in 0 1; do
    ip -n "${hosts[h]}" addr add "10.77.$i.$((h + 1))/24" dev "e$i"
    ip -n "${hosts[h]}" link set "e$i" up
  done
done

# Even ranks on one host, odd ranks on the other.
wrap="bash -c 'hosts=(${hosts[*]}); exec ip netns exec \${hosts[{rank} % 2]} \"\$@\"' -"

# sum NAME: of that counter over all modules of tcp and all ranks.
sum() {
  awk -v name="$1" '/^hawser stats: .* btl tcp / { for (i = 1; i < NF; ++i) if ($i == name) total += $(i + 1) }
    END { print total + 0 }' "$work/err"
}

pairs=$((ranks * (ranks - 1) / 2))
for ((job = 1; job <= jobs; ++job)); do
  "$build/bin/hawser" run -n $ranks --timeout 60 --wrap "$wrap" --mca btl self,tcp --mca btl_tcp_if_include e0,e1 \
    --mca btl_tcp_links $links --mca hawser_stats 1 "$build/bin/mpi_first_contact" >"$work/out" 2>"$work/err" ||
    fail "status $?"
  [ "$(grep -vc '^hawser stats: ' "$work/err")" = 0 ] || fail "writes to stderr"
  rails=$((cables * links))
  for counter in connections_made accepted; do
    [ "$(sum $counter)" = $((pairs * rails)) ] || fail "$counter is $(sum $counter), not $((pairs * rails))"
  done
  wireups=$(awk '/^hawser stats: .* bml wireups / { total += $NF } END { print total + 0 }' "$work/err")
  [ "$wireups" = $((ranks * ranks)) ] || fail "$wireups wire-ups: every rank meets each, and itself, once"
  for counter in dropped_inbound rails_failed; do
    [ "$(sum $counter)" = 0 ] || fail "$counter is $(sum $counter)"
  done
done
printf '%d jobs, each with %d connections for %d pairs of ranks\n' "$jobs" $((pairs * cables * links)) "$pairs"
