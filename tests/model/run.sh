#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# run.sh [MODEL...]: checks each Spin model as it is, where nothing may be found, and with each of its faults, which
#   must be found. One line a run, then a summary. Exit status: 0 if all came out as they must.
# run.sh -t MODEL [-DNAME=VALUE...] [NAME=VALUE...]: checks one variant and prints the trail of the error that it finds;
#   with PROGRESS=1 the trail of a cycle without progress.
# Every search is exhaustive: no bit states, no depth or memory limit reached. Needs spin and cc.
# What each model shows: docs/models.md.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT INT TERM
runs=0 failures=0

# compile MODEL [-DNAME=VALUE...]: a checker for safety and one for progress; what else they need is in the environment
compile() {
  cd "$scratch"
  rm -f pan*
  cp "$here"/*.pml .
  "$here"/edges.sh < "$here/../../components/tcp/states.hpp" > edges.pml
  model=$1
  shift
  spin -a "$@" "$model.pml" > spin.log 2>&1 || { cat spin.log; exit 1; }
  optimise=-O1
  [ "$model" != connect ] || optimise=-O0 # a large program that runs for a moment
  set -- cc $optimise -w -DVECTORSZ=2048 -DMEMLIM=1500
  "$@" -DSAFETY -o safety pan.c &
  "$@" -DNP -DNFAIR=4 -o progress pan.c
  wait $!
}

# fault_number MODEL NAME
fault_number() { sed -n "s/^#define FAULT_$2 \([0-9]*\).*/\1/p" "$here/$1.pml"; }

# search MODEL PROPERTY NAME=VALUE...: into pan.log
search() {
  model=$1 property=$2
  shift 2
  rm -f "$model.pml.trail"
  for setting in "$@"; do
    case $setting in
      FAULT=[A-Z]*) set -- "$@" "FAULT=$(fault_number "$model" "${setting#FAULT=}")" ;;
    esac
  done
  if [ "$property" = safety ]; then
    env "$@" ./safety -m200000 -w20 > pan.log 2>&1 || true
  else # every process that can go on for ever does go on in the end (weak fairness)
    env "$@" ./progress -m200000 -w20 -A -l -f > pan.log 2>&1 || true
  fi
}

# value PATTERN: of pan.log
value() { sed -n "s/$1.*/\1/p" pan.log | head -n 1; }

# check holds|found PROPERTY [NAME=VALUE...], of the model that was compiled last
check() {
  expected=$1 property=$2
  shift 2
  search "$model" "$property" "$@"
  errors=$(value '.*errors: \([0-9]*\)')
  result=holds
  [ "$errors" = 0 ] || result=found
  incomplete='too small\|out of memory\|reached -DMEMLIM\|^pan: error\|Hash-Compact\|Bit statespace'
  if [ -z "$errors" ] || grep -q "$incomplete" pan.log; then
    result=incomplete
  fi
  runs=$((runs + 1))
  said=$result
  if [ "$result" = "$expected" ]; then
    [ "$result" = holds ] || said="fault found"
  else
    failures=$((failures + 1))
    said="FAILED: $result, expected $expected"
    cat pan.log
  fi
  printf '%-13s %-26s %-9s %9s states %5s deep %5s MB %6s s  %s\n' \
    "$model" "$(echo "${*:-as it is}" | sed 's/FAULT=//')" "$property" \
    "$(value '^ *\([0-9.e+]*\) states, stored')" "$(value '.*depth reached \([0-9]*\)')" \
    "$(value '^ *\([0-9]*\)\.[0-9]*	total actual memory')" "$(value '.*elapsed time \([0-9.e-]*\)')" "$said"
  [ "$expected" = found ] || sed -n 's/^not taken: //p' pan.log > "not_taken.$runs"
}
# both [NAME=VALUE...]: neither an error nor a cycle without progress
both() {
  check holds safety "$@"
  check holds progress "$@"
}
# faults NAME...: each is found by the check for safety
faults() {
  for name in "$@"; do check found safety "FAULT=$name"; done
}

publish() {
  compile publish
  both
  faults EARLY IN_PLACE DESTROY
}
creator() {
  compile creator
  both
  faults CHECK_THEN_ACT UNTOLD TAKEN OUTDATED LEFT
}
joined_get() {
  compile joined_get
  both
  faults BUSY OLD LINKED NO_NOTICE
}
gate() {
  compile gate
  both
  both BREAKS=1
  faults ENQUEUE GIVE_UP
}
waiting() {
  compile waiting
  both
  both TWO=1
  check holds safety YIELDS=1
  both ATTENDANT=1
  faults CHECK_FIRST NO_HAND_OVER SLEEP_FIRST
  check found safety TWO=1 FAULT=OLD_KEY
  for name in NO_NUDGE STANDS_BY ARM_FIRST; do check found safety ATTENDANT=1 "FAULT=$name"; done
}
rails() {
  compile rails
  both
  faults LET_GO_FIRST NULL LAST_LOOK FORGOTTEN
}
connect() {
  compile connect
  rm -f not_taken.*
  both
  check holds safety CUTS=2
  both CUTS=1 TROUBLES=1
  check holds safety CUTS=1 ABANDONS=1
  check holds safety CUTS=1 CLOSES=1
  for name in ARRIVAL SILENT PARKED DUPLICATE LEFTOVER EARLY NUMBER BELIEVE; do check found safety CUTS=1 "FAULT=$name"; done
  check found progress CUTS=1 FAULT=DEAF
  cat not_taken.* | sort | uniq -c | awk -v "all=$(ls not_taken.* | wc -l)" \
    '$1 == all { $1 = ""; print "connect: an edge that no run took:" $0 }'
}
exactly_once() {
  compile exactly_once -DRAILS=2 -DMESSAGES=3
  both DEATHS=1
  check holds safety DEATHS=2
  for name in NO_ABANDON ON_WRITE AT_START TOLD_ONCE HELD DOUBLE; do check found safety DEATHS=1 "FAULT=$name"; done
  compile exactly_once -DRAILS=3 -DMESSAGES=2
  check holds safety DEATHS=2
  check found safety DEATHS=2 FAULT=MARK
}

if [ "${1:-}" = -t ]; then
  name=$2 sizes=
  shift 2
  for word in "$@"; do
    shift
    case $word in
      -D*) sizes="$sizes $word" ;;
      FAULT=*) set -- "$@" "FAULT=$(fault_number "$name" "${word#FAULT=}")" ;;
      *) set -- "$@" "$word" ;;
    esac
  done
  compile "$name" $sizes
  property=safety option=
  case " $* " in *" PROGRESS=1 "*) property=progress option="-A -l -f" ;; esac
  search "$model" "$property" "$@"
  [ -f "$model.pml.trail" ] || { cat pan.log; exit 1; }
  env "$@" ./"$property" $option -r "$model.pml.trail"
  exit 0
fi
for model in "${@:-publish creator joined_get gate waiting rails connect exactly_once}"; do
  for each in $model; do $each; done
done
printf '%d runs, %d failed\n' "$runs" "$failures"
[ "$failures" = 0 ]
