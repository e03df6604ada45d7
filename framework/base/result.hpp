// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "framework/base/errc.hpp"

namespace hawser {

/// A failure on a cold path: a class of error, the errno if a system call gave one, and a text for people.
/// The text says what happened, to which rank, peer and address, and what the user can change.
struct Error {
  Errc code = Errc::kInvalid;  // the class
  int sys_errno = 0;           // 0: no system call failed
  std::string text;            // for people
};

/// tl::expected that warns when it is dropped. Cold path only: the hot path answers btl::Posted.
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
  /// A failure.
  Result(Error error) : tl::expected<T, Error>(tl::unexpect, std::move(error)) {}
};

/// A failure with a text, formatted as fmt does.
template <class... Args>
Error make_error(Errc code, fmt::format_string<Args...> text, Args&&... args) {
  return Error{code, 0, fmt::format(text, std::forward<Args>(args)...)};
}

/// The class that an errno falls into.
Errc class_of_errno(int sys_errno) noexcept;

/// The failure of a system call: "what: errno text". Out of memory, files or ports is told apart.
Error system_error(const std::string& what, int sys_errno);

}  // namespace hawser
