#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# run.sh [MODEL...]: checks each Spin model exhaustively, then each of its old faults, which must be found.
# Needs spin and cc. Prints one line per run.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT INT TERM

# check MODEL SWITCH EXPECTED_ERRORS
check() {
  cd "$scratch"
  rm -f pan*
  spin -a ${2:+-D$2} "$here/$1.pml" > spin.log 2>&1 || { cat spin.log; exit 1; }
  cc -O2 -DSAFETY -DVECTORSZ=2048 -w -o pan pan.c
  ./pan -m1000000 > pan.log 2>&1 || true
  states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)
  errors=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' pan.log)
  if grep -q 'max search depth too small\|out of memory\|reached -DMEMLIM' pan.log || [ "${errors:-none}" != "$3" ]; then
    cat pan.log
    echo "FAILED: $1 ${2:-as it is}: ${errors:-no} errors, expected $3"
    exit 1
  fi
  if [ "$3" = 0 ]; then verdict="no error"; else verdict="fault found"; fi
  printf '%-12s %-22s %10s states  %s\n' "$1" "${2:-as it is}" "$states" "$verdict"
}

for model in "${@:-all}"; do
  case $model in
    publish|all) check publish "" 0; check publish FAULT_EARLY 1 ;;
  esac
  case $model in
    creator|all) check creator "" 0; check creator FAULT_CHECK_THEN_ACT 1 ;;
  esac
  case $model in
    joined_get|all) check joined_get "" 0; check joined_get FAULT_BUSY 1; check joined_get FAULT_LATE 1 ;;
  esac
  case $model in
    gate|all) check gate "" 0; check gate BREAK 0; check gate FAULT_ENQUEUE 1; check gate FAULT_GIVE_UP 1 ;;
  esac
  case $model in
    waiting|all) check waiting "" 0; check waiting FAULT_CHECK_FIRST 1; check waiting FAULT_NO_HAND_OVER 1 ;;
  esac
done
