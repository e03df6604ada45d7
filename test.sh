#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Builds everything and runs all tests. Arguments go to ctest: ./test.sh -R name, ./test.sh -L unit.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$top"
. cmake/setup.sh

install_packages build test
build release
exec ctest --preset release -j "$tests_at_once" "$@"
