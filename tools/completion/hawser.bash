# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Completion for bash. It asks the program itself for commands, options and parameters, so it is never out of date.

_hawser_options() {  # PROGRAM COMMAND: what its help lists
  "$1" "$2" --help 2>/dev/null | sed -nE 's/^  (-[a-zA-Z0-9,-]*).*/\1/p' | tr ',' '\n'
}
_hawser_commands() { "$1" --help 2>/dev/null | sed -n '/^S[Uu][Bb][Cc][Oo][Mm]/,/^$/s/^  \([a-z]*\) .*/\1/p'; }
_hawser_params() { "$1" info --params-conf 2>/dev/null | sed -nE 's/^#([a-z0-9_]+) =.*/\1/p'; }
_hawser_components() {
  "$1" info --json 2>/dev/null | sed -nE 's/.*"path": .*hawser_btl_([a-z0-9_]+)\.so".*/\1/p'
}

_hawser() {
  local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local command=${COMP_WORDS[1]} words= plugins=
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="$(_hawser_commands "$program") --help --version"
  elif [ "$before" = --mca ] || [ "$before" = --gmca ]; then
    words=$(_hawser_params "$program")
  elif [ "$before" = btl ]; then
    words=$(_hawser_components "$program")
  elif [ "$before" = --bind-to ]; then
    words="core none"
  elif [[ $current == -* ]]; then
    words=$(_hawser_options "$program" "$command")
  elif [ "$command" = check ] && [ "$COMP_CWORD" -eq 2 ]; then
    words=$(_hawser_components "$program") plugins=1
  fi
  # Without words of ours: files, by the option below. -W expands its words as a shell does, so names of files never
  # go through it; the option lets readline quote them.
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  if [ -n "$plugins" ]; then
    compopt -o filenames 2>/dev/null || true  # an error where nothing is completed
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -X '!*.so' -- "$current")
  fi
}
complete -o default -F _hawser hawser
