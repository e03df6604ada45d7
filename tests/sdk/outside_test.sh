#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# From an installed prefix and nothing else: a new component is written, built, checked, and carries a ring; the
# example outside the tree likewise.
. "$(dirname "$0")/../tools/checks.sh" "$@"

cmake --install "$BUILD" --prefix "$WORK/prefix" >install.log || { cat install.log; fail "cmake --install"; }
hawser=$WORK/prefix/bin/hawser
for file in share/bash-completion/completions/hawser share/zsh/site-functions/_hawser etc/hawser/mca-params.conf \
  share/hawser/mca-params/tcp-only.conf share/hawser/examples/components/self/module.cpp share/man/man1/hawser-run.1 \
  share/man/man1/mpirun.1 share/man/man1/mpiCC.1 share/doc/hawser/docs/how-to-write-a-component.md include/mpi.h \
  include/hawser/framework/{base,btl,mca,interfaces,matching,peers,modex}; do
  [ -e "prefix/$file" ] || fail "$file is not installed"
done
python3 "$SOURCE/tests/layering/links.py" prefix/share/doc || fail "an installed page leads to what is not installed"
prefix/bin/mpicc "$SOURCE/tests/sdk/descriptors.c" -o descriptors
unset SOURCE BUILD  # from here on there is the prefix alone

# build FOLDER NAME: as the page says.
build() {
  cmake -S "$1" -B "$1/build" -DCMAKE_PREFIX_PATH="$WORK/prefix" >"$2.log" 2>&1 &&
    cmake --build "$1/build" >>"$2.log" 2>&1 || { cat "$2.log"; fail "building $2"; }
}
# keeps NAME FOLDER: every promise; and a ring goes over it alone.
keeps() {
  local ring=$WORK/ring
  expect " 0 failed" "$hawser" check "$2/hawser_btl_$1.so"
  [ -x "$ring" ] || "$WORK/prefix/bin/mpicc" "$WORK/prefix/share/hawser/examples/ring.c" -o "$ring"
  expect "Rank 0 took one off: 0" "$hawser" run -n 4 --mca btl "$1,self" --mca mca_component_path "$2" "$ring"
  # Ranks that were told different sizes do not reach each other, and are told why.
  local unequal="[ \$HAWSER_RANK = 0 ] || export HAWSER_MCA_btl_$1_max_send_size=200k; exec $ring" output
  output=$("$hawser" run -n 2 --timeout 20 --mca btl "$1,self" --mca mca_component_path "$2" sh -c "$unequal" 2>&1) &&
    fail "$1: a ring over sizes that differ: $output"
  [[ $output == *"make btl_$1_max_send_size equal"* ]] || fail "$1: sizes that differ, but: $output"
}

expect "cmake -S mine" "$hawser" new mine
build mine mine
keeps mine "$WORK/mine/build"
expect "rank 0 got 42" "$hawser" run -n 2 --timeout 30 --mca btl mine,self --mca mca_component_path mine/build \
  "$WORK/descriptors"
expect "100% tests passed" ctest --test-dir mine/build -R "wire|ring"
expect "mine" "$hawser" info --mca mca_component_path "$WORK/mine/build"

# A program on the BML alone, as install.md says.
mkdir ping
cat >ping/CMakeLists.txt <<'PROJECT'
cmake_minimum_required(VERSION 3.25)
project(ping LANGUAGES C CXX)
find_package(hawser REQUIRED COMPONENTS bml)
add_executable(ping ${hawser_EXAMPLES_DIR}/bml_ping.cpp)
target_link_libraries(ping hawser::bml)
PROJECT
build ping ping
expect "us one way" "$hawser" run -n 2 --timeout 30 ping/build/ping

cp -r prefix/share/hawser/examples/mapped .
build mapped mapped
keeps mapped "$WORK/mapped/build"
