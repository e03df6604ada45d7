# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# What Doxygen reads: "int a;  // words" becomes "int a;  ///< words", with the lines below that go on in the same
# column.
{
  if ($0 ~ /^ *\/\/ /) {
    if (index($0, "//") == column) sub(/\/\/ /, "///< "); else column = 0
  } else if ($0 !~ /^[#}]/ && $0 !~ /\/\/\// && match($0, /[;,{}\\)] *\/\/ /)) {
    column = index($0, "// ")
    sub(/\/\/ /, "///< ")
  } else {
    column = 0
  }
  print
}
