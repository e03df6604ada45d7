#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Keeps the headers of the component interface as they are now: freeze.sh VERSION, once per version, when it is
# released. A frozen version is never changed after; the component beside it is built against it for good.
set -eu
cd "$(dirname "$0")/../.."
version=${1:?freeze.sh VERSION}
case $version in *[!0-9.]* | *..*) echo "freeze.sh: a version looks like 1.0, not $version" >&2; exit 2 ;; esac
to=tests/abi/$version/include
if [ -e "$to" ]; then echo "freeze.sh: $version is frozen already, in $to" >&2; exit 1; fi
needs=$(c++ -std=c++20 -MM -I. -x c++ framework/btl/abi.hpp)
echo "$needs" | tr -d '\\\n' | tr ' ' '\n' | grep '^framework/' | sort -u |
  while read -r header; do
    mkdir -p "$to/$(dirname "$header")"
    cp "$header" "$to/$header"
  done
find "$to" -type f | sort
