# SPDX-FileCopyrightText: 2026 The Hawser authors
# SPDX-License-Identifier: Apache-2.0
# Sourced by demo.sh, test.sh and .ci/run, which set `top` to the folder of the clone: installs the packages that
# are missing, configures, builds. On a terminal progress is shown; elsewhere only failures are.

tests_at_once=$(($(nproc) + 1))  # one more than cores: tests wait for ranks, networks and deadlines, too

say() { if [ -t 1 ]; then printf '%s\n' "$*"; fi; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# log_file NAME: where the output of a step goes while nobody watches.
log_file() { mkdir -p "$top/build/log" && printf '%s/build/log/%s.log' "$top" "$1"; }

# quietly NAME COMMAND...: the output is shown only if the command fails.
quietly() {
  local log; log=$(log_file "$1"); shift
  "$@" >"$log" 2>&1 || { cat "$log" >&2; die "failed: $*"; }
}

# step NAME COMMAND...: the output is shown on a terminal, else only if the command fails.
step() { if [ -t 1 ]; then shift; "$@" || die "failed: $*"; else quietly "$@"; fi; }

missing_packages() {
  local groups=" $* " group package
  while read -r group package; do
    case $groups in *" $group "*) ;; *) continue ;; esac
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || printf '%s\n' "$package"
  done < <(grep -v '^#' "$top/cmake/debian-packages.txt")
}

# install_packages GROUP...: see cmake/debian-packages.txt.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system: taking what cmake/debian-packages.txt lists as installed"
    return
  fi
  local missing root=()
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      die "these packages are missing, and without root or sudo they cannot be installed: ${missing[*]}"
    root=(sudo)
  fi
  say "installing: ${missing[*]}"
  quietly apt-update "${root[@]}" apt-get -qq update
  quietly apt-install "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq install -y --no-install-recommends "${missing[@]}"
}

# build PRESET [TARGET...]: configures and builds; all targets if none is named.
build() {
  local preset=$1; shift
  local targets=()
  [ $# -eq 0 ] || targets=(--target "$@")
  quietly "configure-$preset" cmake -S "$top" --preset "$preset"
  step "build-$preset" cmake --build --preset "$preset" -j "$(nproc)" "${targets[@]}"
}
