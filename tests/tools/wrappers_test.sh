#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# The compiler wrappers of the build tree.
. "$(dirname "$0")/checks.sh" "$@"
bin=$BUILD/bin

"$bin/mpicc" -Wall -Wextra -Wpedantic -Werror -std=c99 hello.c -o hello_c
expect "world of 1, sum 1" ./hello_c
expect "world of 2, sum 2" "$bin/mpirun" -n 2 ./hello_c
for wrapper in mpicxx mpic++ mpiCC; do
  "$bin/$wrapper" -Wall -Wextra -Werror hello.cpp -o "hello_$wrapper"
  expect "world of 2, sum 2" "$bin/mpirun" -n 2 "./hello_$wrapper"
done

# In two steps, and through a link from elsewhere.
ln -s "$bin/mpicc" cc-by-link
./cc-by-link -c hello.c -o hello.o
./cc-by-link hello.o -o hello_two
expect "world of 1, sum 1" ./hello_two

# What it would do, and parts of it.
expect "-lmpi_abi" "$bin/mpicc" -show
expect "hello.c" "$bin/mpicc" -show hello.c
[[ $("$bin/mpicc" -show -c hello.c) != *-lmpi_abi* ]] || fail "-c does not link"
[[ $("$bin/mpicc" --version) == $("$("$bin/mpicc" -showme:command)" --version) ]] || fail "--version is the compiler's"
expect "Hawser" "$bin/mpicc" -showme:version
refuse "$bin/mpicc" -showme:nonsense
eval "cc $("$bin/mpicc" -showme:compile) hello.c -o hello_by_hand $("$bin/mpicc" -showme:link)"
expect "world of 1, sum 1" ./hello_by_hand

# Another compiler, with an option of its own; arguments stay whole.
expect "other -O3 -I" env HAWSER_CC="echo other -O3" "$bin/mpicc" hello.c
"$bin/mpicc" '-DTEXT="two words"' -x c - -o words <<'END'
#include <stdio.h>
int main(void) { return puts(TEXT) < 0; }
END
expect "two words" ./words
refuse "$bin/mpicc" missing.c -o missing
