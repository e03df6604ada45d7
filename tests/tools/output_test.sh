#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# output_test.sh HAWSER: where there is no room for what a command prints, it says so and fails.
set -eu
hawser=$1
for words in --version --help 'run --help' info 'info --all' 'info --json' topo; do
  # shellcheck disable=SC2086
  if said=$("$hawser" $words 2>&1 >/dev/full); then
    echo "hawser $words: status 0, though nothing of what it printed was written" >&2
    exit 1
  fi
  case $said in
    *hawser:*writ*) ;;
    *) echo "hawser $words: no word of what could not be written, but \"$said\"" >&2; exit 1 ;;
  esac
  "$hawser" $words >/dev/null
done
