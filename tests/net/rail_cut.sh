#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Two hosts joined by two cables, one of which goes in the middle of a stream of checked messages: the job goes on
# over the other, and ends with 0, every message once.
#   down     its interface is taken down on one side
#   deleted  the cable is taken away
#   silent   nothing comes through any more, and nobody is told
# Usage: rail_cut.sh BUILD PROGRAM down|deleted|silent [JOBS]   (as root)
set -euo pipefail
build=$1 program=$2 how=$3 jobs=${4:-1}
ranks=4
hosts=("hwrc$$a" "hwrc$$b")
work=$(mktemp -d)

take_down() {
  for host in "${hosts[@]}"; do ip netns del "$host" 2>/dev/null || true; done
}
clean_up() {
  [ -z "${run:-}" ] || kill "$run" 2>/dev/null || true
  take_down
  rm -rf "$work"
}
trap clean_up EXIT
fail() {
  printf 'job %s, cable %s: %s\n' "$job" "$how" "$*" >&2
  cat "$work/out" "$work/err" >&2
  exit 1
}

sh "$(dirname "$0")/sweep.sh"

set_up() {
  for host in "${hosts[@]}"; do
    ip netns add "$host"
    ip -n "$host" link set lo up
  done
  for i in 0 1; do
    ip -n "${hosts[0]}" link add "e$i" type veth peer name "e$i" netns "${hosts[1]}"
    for h in 0 1; do
      ip -n "${hosts[h]}" addr add "10.78.$i.$((h + 1))/24" dev "e$i"
      ip -n "${hosts[h]}" link set "e$i" up
    done
  done
}

cut_cable() {
  case $how in
    down) ip -n "${hosts[0]}" link set e1 down ;;
    deleted) ip -n "${hosts[0]}" link del e1 ;;
    silent)
      # Frames go to an address that nobody has: as a switch that has lost its port.
      ip -n "${hosts[0]}" neigh replace 10.78.1.2 lladdr 02:00:00:00:00:99 dev e1 nud permanent
      ip -n "${hosts[1]}" neigh replace 10.78.1.1 lladdr 02:00:00:00:00:99 dev e1 nud permanent
      ;;
  esac
}

# sum NAME: of that counter over the lines of the BML of all ranks.
sum() {
  awk -v name="$1" '/^hawser stats: .* bml guard / { for (i = 1; i < NF; ++i) if ($i == name) total += $(i + 1) }
    END { print total + 0 }' "$work/err"
}

# Even ranks on one host, odd ranks on the other.
wrap="bash -c 'hosts=(${hosts[*]}); exec ip netns exec \${hosts[{rank} % 2]} \"\$@\"' -"
again=0
for ((job = 1; job <= jobs; ++job)); do
  set_up
  rm -f "$work/streaming" "$work/cut"
  "$build/bin/hawser" run -n $ranks --timeout 100 --wrap "$wrap" --mca btl self,tcp --mca btl_tcp_if_include e0,e1 \
    --mca btl_tcp_silence_timeout 2s --mca hawser_stats 1 --mca hawser_stats_format lines "$program" "$work" 60 >"$work/out" 2>"$work/err" &
  run=$!
  for ((i = 0; i < 600; ++i)); do
    [ -e "$work/streaming" ] && break
    kill -0 $run 2>/dev/null || break
    sleep 0.05
  done
  [ -e "$work/streaming" ] || fail "the stream does not begin"
  cut_cable
  touch "$work/cut"
  status=0
  wait $run || status=$?
  run=
  [ $status = 0 ] || fail "status $status"
  [ "$(grep -vc '^hawser stats: ' "$work/err")" = 0 ] || fail "writes to stderr"
  [ "$(sum guarded_peers)" -gt 0 ] || fail "nobody is guarded"
  again=$((again + $(sum sent_again)))
  take_down
done
printf 'cable %s: %d jobs went on without it, %d messages were sent again\n' "$how" "$jobs" "$again"
