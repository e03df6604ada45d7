#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# First contact from four threads of each of four ranks, two hosts joined by two cables, two links on each: fresh
# jobs, one after the other. Every job ends with 0 in time, nobody is turned away, and each pair of ranks has one
# connection on each rail, made by one side and taken by the other: one wire-up per peer.
#
# Usage, as root:
#   mpi_first_contact.sh BUILD [OPTIONS]
#   mpi_first_contact.sh BUILD --all-variants --jobs 2000     all four variants in turn, 500 jobs each
# Options:
#   --jobs N          jobs in all (20)
#   --thread          with the progress thread; ranks compute for up to 5 ms before they first call
#   --delays US       random delays of up to US microseconds at the hook points, with another seed for each job;
#                     BUILD must have HAWSER_HOOKS
#   --all-variants    plain, --thread, --delays 2000, and both
#   --seed N          of the first job (1); job J has seed N + J - 1
#   --timeout S       a job that takes longer counts as hung (60)
#   --keep FOLDER     what failed jobs wrote goes there, and the run goes on; else the first failure ends it
set -euo pipefail
build=$1
shift
jobs=20 thread=0 delays=0 all=0 first_seed=1 timeout=60 keep=
while (($#)); do
  case $1 in
    --jobs) jobs=$2 && shift ;;
    --thread) thread=1 ;;
    --delays) delays=$2 && shift ;;
    --all-variants) all=1 ;;
    --seed) first_seed=$2 && shift ;;
    --timeout) timeout=$2 && shift ;;
    --keep) keep=$2 && shift ;;
    *) echo "unknown option $1" >&2 && exit 2 ;;
  esac
  shift
done
ranks=4 cables=2 links=2
pairs=$((ranks * (ranks - 1) / 2)) rails=$((cables * links))
hosts=("hwfc$$a" "hwfc$$b")
work=$(mktemp -d)
failures=0

clean_up() {
  for host in "${hosts[@]}"; do ip netns del "$host" 2>/dev/null || true; done
  rm -rf "$work"
}
trap clean_up EXIT

sh "$(dirname "$0")/sweep.sh"
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

# counters: "NAME SUM" for each counter of tcp, over all modules and ranks; "wireups RANK N" for each rank; what
# the progress threads did.
counters() {
  awk '
    !/^hawser stats: / { print "stray_lines 1"; next }
    / btl tcp / { for (i = 9; i < NF; i += 2) sum[$i] += $(i + 1) }
    / bml wireups / { print "wireups_of_" $4, $NF }
    / progress thread / { sum["watches"] += $8; sum["moved"] += $10 }
    END { for (name in sum) print name, sum[name] }' "$1"
}

# check NAME WANTED: that counter of the job just run.
check() {
  local got=${count[$1]:-0}
  [ "$got" = "$2" ] || complaints+=("$1 is $got, not $2")
}

check_counters() {
  declare -gA count=()
  local name value
  while read -r name value; do count[$name]=$value; done < <(counters "$work/err")
  check stray_lines 0
  check connections_made $((pairs * rails))
  check accepted $((pairs * rails))
  for name in dropped_inbound rails_failed refused_strangers; do check $name 0; done
  for ((rank = 0; rank < ranks; ++rank)); do check "wireups_of_$rank" $ranks; done  # itself among them
  for name in ties_lost parked_promoted dials_repeated watches moved; do
    total[$name]=$((${total[$name]:-0} + ${count[$name]:-0}))
  done
}

# run_job SEED THREAD DELAYS: one fresh job; what is wrong with it is in `complaints`.
run_job() {
  local options=() program=("$build/bin/mpi_first_contact") status=0
  complaints=()
  if (($2)); then
    options+=(--mca hawser_progress_thread 1)
    program+=(5000 "$1")
  fi
  if (($3)); then options+=(-x "HAWSER_HOOKS_DELAY_US=$3" -x "HAWSER_HOOKS_SEED=$1"); fi
  timeout -k 5 $((timeout + 30)) "$build/bin/hawser" run -n $ranks --timeout "$timeout" --wrap "$wrap" --mca btl self,tcp \
    --mca btl_tcp_if_include e0,e1 --mca btl_tcp_links $links --mca hawser_stats 1 --mca hawser_stats_format lines "${options[@]}" "${program[@]}" \
    >"$work/out" 2>"$work/err" || status=$?
  case $status in
    0) check_counters ;;
    124) complaints+=("hung: not over after $timeout s") ;;
    *) complaints+=("status $status") ;;
  esac
}

report_failure() { # SEED NAME
  printf '%s, seed %s:%s\n' "$2" "$1" "$(printf ' %s;' "${complaints[@]}")" >&2
  failures=$((failures + 1))
  if [ -z "$keep" ]; then
    cat "$work/out" "$work/err" >&2
    exit 1
  fi
  mkdir -p "$keep"
  cp "$work/out" "$keep/$2-$1.out"
  cp "$work/err" "$keep/$2-$1.err"
}

run_variant() { # NAME JOBS THREAD DELAYS
  local seed failed_before=$failures start=$SECONDS
  declare -gA total=()
  for ((seed = first_seed; seed < first_seed + $2; ++seed)); do
    run_job "$seed" "$3" "$4"
    [ ${#complaints[@]} = 0 ] || report_failure "$seed" "$1"
  done
  printf '%s: %d jobs, %d failed, each with %d connections for %d pairs of ranks; ties lost %d, promoted %d, ' \
    "$1" "$2" $((failures - failed_before)) $((pairs * rails)) "$pairs" "${total[ties_lost]:-0}" \
    "${total[parked_promoted]:-0}"
  printf 'dialled again %d, progress threads slept %d times and moved %d; %d s\n' "${total[dials_repeated]:-0}" \
    "${total[watches]:-0}" "${total[moved]:-0}" $((SECONDS - start))
}

if ((all)); then
  share=$((jobs / 4))
  run_variant plain $share 0 0
  run_variant thread $share 1 0
  run_variant delays $share 0 2000
  run_variant thread-delays $share 1 2000
elif ((thread && delays)); then
  run_variant thread-delays "$jobs" 1 "$delays"
elif ((thread)); then
  run_variant thread "$jobs" 1 0
elif ((delays)); then
  run_variant delays "$jobs" 0 "$delays"
else
  run_variant plain "$jobs" 0 0
fi
((failures == 0))
