#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# edges.sh < components/tcp/states.hpp > edges.pml: the table of edges as connect.pml needs it, so that model and code
# cannot differ. The checker counts which edges it took and says so when it ends.
set -eu
awk '
  { sub(/\/\/.*/, "") }
  /^enum class State /  { list = "state" }
  /^enum class Event /  { list = "event" }
  list != "" && /^ *k[A-Za-z]+,/ {
    name = $1; sub(/,.*/, "", name)
    if (name != "kCount") { printf "#define %s %d\n", name, count[list]; names[list, count[list]++] = name }
  }
  /^};/ { list = "" }
  /Edge\{State::k/ {
    split($0, part, /Edge\{State::|, Event::|, State::|\}/)
    edge[edges++] = part[2] " " part[3] " " part[4]
    next_of[part[3]] = next_of[part[3]] "(state) == " part[2] " -> " part[4] " : ("
    closing[part[3]] = closing[part[3]] ")"
  }
  END {
    if (edges == 0 || count["state"] == 0) { print "no edges found" > "/dev/stderr"; exit 1 }
    for (i = 0; i < count["event"]; ++i) {
      event = names["event", i]
      printf "#define next_%s(state) (%sNONE%s)\n", event, next_of[event], closing[event]
    }
    print "c_decl {"
    printf "\\#include <stdio.h>\n  static char edge_taken[%d][%d];\n", count["state"], count["event"]
    print "  __attribute__((destructor)) static void tell_edges(void) {\n    int taken = 0;"
    for (i = 0; i < edges; ++i) {
      split(edge[i], part, " ")
      printf "    if (edge_taken[%s][%s]) ++taken; ", part[1], part[2]
      printf "else printf(\"not taken: %s on %s\\n\");\n", part[1], part[2]
    }
    printf "    printf(\"edges taken: %%d of %d\\n\", taken);\n  }\n}\n", edges
  }'
