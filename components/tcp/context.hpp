// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "components/tcp/hello.hpp"
#include "components/tcp/params.hpp"
#include "framework/btl/host.hpp"

namespace hawser::tcp {

class Endpoint;

/// What all parts of the component share. Constant after open, but for `attention` and `closing`.
struct Context {
  explicit Context(btl::Host& lent, const Params& settings) noexcept
      : host(lent), params(settings), notary(lent.job()) {}

  btl::Host& host;
  const Params& params;
  Notary notary;
  std::uint64_t incarnation = 0;              // of this process, as published
  std::uint64_t largest = 0;                  // most bytes of data in one message
  std::atomic<Endpoint*> attention{nullptr};  // stack of endpoints that the progress role must look at
  bool closing = false;                       // progress role's own

  template <class... Args>
  void log(btl::LogLevel level, fmt::format_string<Args...> text, Args&&... args) {
    if (host.logs(level)) host.log(level, "tcp", fmt::format(text, std::forward<Args>(args)...).c_str());
  }
};

/// NODELAY, keep-alive, buffer sizes as the parameters say.
void tune_socket(int fd, const Params& params) noexcept;
/// "12 of at most 1024 open files" for messages about EMFILE.
std::string file_limit_text();

}  // namespace hawser::tcp
