#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# The models in this folder, in the table of docs/models.md and in run.sh are the same; so are the faults of the table
# and those that the models name, and run.sh tries each of them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
page=$here/../../docs/models.md
bad=0
same() { # WHAT ONE OTHER
  [ "$2" = "$3" ] && return
  echo "$1 differ:"; echo " $2"; echo " $3"
  bad=1
}
sorted() { tr ' ' '\n' | sed '/^$/d' | sort -u | tr '\n' ' '; }
folder=$(cd "$here" && grep -l '^init' ./*.pml | sed 's|./||; s/\.pml//' | sorted)
same "models in the folder and in docs/models.md" "$folder" "$(sed -n 's/^| `\([a-z_]*\)` |.*/\1/p' "$page" | sorted)"
same "models in the folder and in run.sh" "$folder" \
  "$(sed -n 's/^for model in "${@:-\(.*\)}.*/\1/p' "$here/run.sh" | sorted)"
for model in $folder; do
  named=$(sed -n 's/^#define FAULT_\([A-Z_]*\) .*/\1/p' "$here/$model.pml" | sorted)
  same "faults of $model in the model and in docs/models.md" "$named" \
    "$(sed -n "s/^| \`$model\` |.*| \(.*\) |\$/\1/p" "$page" | tr -d '`' | sorted)"
  steps=$(sed -n "/^$model()/,/^}/p" "$here/run.sh")
  for fault in $named; do
    echo "$steps" | grep -qw "$fault" || { echo "run.sh does not try $fault of $model"; bad=1; }
  done
done
exit $bad
