#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# The installed tree, moved: programs, wrappers, CMake package, pkg-config; nothing of it points back.
. "$(dirname "$0")/checks.sh" "$@"

cmake --install "$BUILD" --prefix "$WORK/first" >install.log || { cat install.log; fail "cmake --install"; }
mv first moved
tree=$WORK/moved

# MPI programs.
"$tree/bin/mpicc" hello.c -o hello
expect "world of 1, sum 1" ./hello
expect "world of 2, sum 2" "$tree/bin/hawser" run -n 2 ./hello
for selection in self,tcp self,shm; do
  expect "world of 2, sum 2" "$tree/bin/mpiexec" -n 2 --mca btl $selection ./hello
done
"$tree/bin/mpicxx" hello.cpp -o hello_cxx
expect "world of 2, sum 2" "$tree/bin/mpirun" -n 2 ./hello_cxx
[[ $(ldd ./hello) != *"$BUILD/lib"* ]] || fail "the moved tree leads back to the build tree: $(ldd ./hello)"
expect "$tree/lib" "$tree/bin/hawser" info
pc=$(find "$tree" -name pkgconfig)
eval "cc hello.c -o hello_pc $(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs hawser-mpi) -Wl,-rpath,$tree/lib"
expect "world of 1, sum 1" ./hello_pc

# A project outside: a program and a component.
cmake -S "$SOURCE/tests/tools/outside" -B outside -DCMAKE_PREFIX_PATH="$tree" >outside.log 2>&1 &&
  cmake --build outside >>outside.log 2>&1 || { cat outside.log; fail "the project outside"; }
expect "outside of 1" ./outside/outside
expect "hawser_btl_nowhere.so" "$tree/bin/hawser" info --all --mca mca_component_path "$WORK/outside"
