# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests in shell: SOURCE, BUILD and an empty folder WORK from the arguments, and a few checks.
set -euo pipefail
SOURCE=$1 BUILD=$2 WORK=$3
rm -rf "$WORK"
mkdir -p "$WORK"
cd "$WORK"
unset LD_LIBRARY_PATH HAWSER_CC HAWSER_CXX
ulimit -c 0

fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
# expect WANTED COMMAND...: the output of the command contains the text.
expect() {
  local wanted=$1 output
  shift
  output=$("$@" 2>&1) || fail "$* ended with status $?: $output"
  [[ $output == *"$wanted"* ]] || fail "$*: no \"$wanted\" in: $output"
}
refuse() {
  local output
  if output=$("$@" 2>&1); then fail "$* should have failed: $output"; fi
}

cat >hello.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, size, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int one = 1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("world of %d, sum %d\n", size, sum);
  MPI_Finalize();
  return 0;
}
END
cp hello.c hello.cpp
