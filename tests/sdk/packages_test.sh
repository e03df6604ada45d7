#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# `cpack` makes three packages; what is in them, for whom to read, what they need, and that none has a file of another
# MPI. Made under an umask that lets nobody else read, and with no word about the kind of package.
for tool in cpack dpkg-deb dpkg-shlibdeps file; do
  command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
. "$(dirname "$0")/../tools/checks.sh" "$@"

(umask 077 && cd "$BUILD" && cpack -B "$WORK" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip) >cpack.log 2>&1 ||
  { cat cpack.log; fail "cpack"; }
package() { echo "$WORK/$1"_*.deb; }
list() { dpkg-deb -c "$(package "$1")"; }

expect "./usr/bin/hawser -> ../lib/hawser/bin/hawser" list hawser
expect "./usr/lib/hawser/lib/hawser/hawser_btl_tcp.so" list hawser
expect "./etc/hawser/mca-params.conf" list hawser
expect "./usr/share/bash-completion/completions/hawser" list hawser
expect "./usr/lib/hawser/bin/mpicc" list hawser-dev
expect "./usr/lib/hawser/include/mpi.h" list hawser-dev
expect "./usr/share/cmake/hawser/hawserConfig.cmake" list hawser-dev
expect "./usr/share/pkgconfig/hawser-mpi.pc" list hawser-dev
expect "./usr/share/doc/hawser-doc/docs/how-to-write-a-component.md" list hawser-doc
for name in hawser hawser-dev hawser-doc; do
  expect "./usr/share/doc/$name/copyright" list $name
  shut=$(list $name | grep -Ev "^(drwxr-xr-x|-rwxr-xr-x|-rw-r--r--|lrwxrwxrwx) root/root " || true)
  [ -z "$shut" ] || fail "$name has what not everybody can read: $shut"
  # mpirun, mpicc and mpi.h belong to the alternatives.
  others=$(list $name | grep -v "/$" | grep -E " \./usr/(bin|include|lib/[a-z0-9_]*-linux-gnu)/|man1/mpi[A-Za-z+]*\.1" | grep -v "usr/bin/hawser" || true)
  [ -z "$others" ] || fail "$name has files where other implementations have theirs: $others"
done
needs() { dpkg-deb -f "$(package "$1")" Depends; }
for library in libc6 libstdc++6 libfmt libspdlog libsodium; do expect "$library" needs hawser; done
expect "hawser (= " needs hawser-dev
expect "libexpected-dev" needs hawser-dev

# Another kind, here of the pages alone, has the tree as it is.
(cd "$BUILD" && cpack -G TGZ -B "$WORK/archive" -D "CPACK_INSTALL_CMAKE_PROJECTS=$BUILD;hawser;doc;/") >cpack.log 2>&1 ||
  { cat cpack.log; fail "cpack -G TGZ"; }
expect "usr/lib/hawser/share/doc/hawser/docs/install.md" tar -tzf "$(echo archive/*.tar.gz)"
