#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Removes test hosts that a test left behind when it was killed, and ends what still runs in them. Their names begin
# with "hw", letters, and the id of the process that made them: those of processes that live are left alone.
for path in /run/netns/hw*; do
  name=${path##*/}
  owner=$(expr "$name" : 'hw[a-z]*\([0-9][0-9]*\)') || continue
  [ ! -e "/proc/$owner" ] || continue
  for pid in $(ip netns pids "$name" 2>/dev/null); do kill -KILL "$pid" 2>/dev/null; done
  ip netns del "$name" 2>/dev/null
done
true
