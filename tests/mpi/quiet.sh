#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# quiet.sh COMMAND...: runs it, and fails if it fails or writes anything to stderr.
ulimit -c 0
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
"$@" 2>"$errors"
status=$?
cat "$errors" >&2
if [ "$status" -ne 0 ]; then
  echo "quiet.sh: status $status" >&2
  exit "$status"
fi
if [ -s "$errors" ]; then
  echo "quiet.sh: a correct run writes nothing to stderr" >&2
  exit 1
fi
