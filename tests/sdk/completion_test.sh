#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# completion_test.sh FOLDER HAWSER: what the completion of bash offers; and that of zsh, where there is one.
set -euo pipefail
completion=$1
. "$completion/hawser.bash"
hawser=$2

fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
# offers WANTED WORD...: with these words typed, the last of them begun, WANTED is among what is offered.
offers() {
  local wanted=$1
  shift
  COMP_WORDS=("$hawser" "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _hawser
  [[ " ${COMPREPLY[*]-} " == *" $wanted "* ]] || fail "after \"$*\" there is no \"$wanted\" in: ${COMPREPLY[*]-}"
}

for command in run info topo top check new perf; do offers $command ""; done
offers info in
offers --version --v
offers --timeout run --ti
offers -n run -
offers --svg perf --s
offers btl_tcp_links run --mca btl_tcp_l
offers hawser_stats run -n 4 --mca hawser_
offers tcp run --mca btl t
offers self check s
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
evil='$(touch made)`touch made`.so'  # the name of a file is no command
touch "$evil" "two words.so" "no-plugin.c"
offers "$evil" check ""
offers "$evil" check '$(touch made)'
offers "two words.so" check t
[ ! -e made ] || fail "the name of a file was run as a command"
[ ${#COMPREPLY[@]} -eq 2 ] || fail "\"tcp\" and one file, not: ${COMPREPLY[*]}"

COMP_WORDS=("$hawser" run ./some) COMP_CWORD=2
_hawser
[ ${#COMPREPLY[@]} -eq 0 ] || fail "a program is a file, not: ${COMPREPLY[*]}"

# Likewise zsh, whose helpers print here what they would offer.
command -v zsh >/dev/null || exit 0
cat >offered.zsh <<'ZSH'
_describe() { [[ $1 == -o ]] && shift; print -r -- " ${(P)2} "; }
_files() { print -r -- " files $* "; }
program=$1 file=$2
shift 2
words=($program "$@") CURRENT=$#words
source $file
ZSH
zsh_offers() {
  local wanted=$1 found
  shift
  found=$(zsh -f offered.zsh "$hawser" "$completion/_hawser" "$@" 2>&1) || fail "zsh after \"$*\": $found"
  [[ $found == *" $wanted"* ]] || fail "zsh after \"$*\" has no \"$wanted\" in: $found"
}
zsh_offers run: ""
zsh_offers top: ""
zsh_offers "btl_tcp_links " run --mca btl_tcp_l
zsh_offers "tcp " run --mca btl t
zsh_offers "--compare " perf --
zsh_offers "self " check s
zsh_offers "files -g *.so" check s
zsh_offers files run ./some
