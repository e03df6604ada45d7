// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/base/result.hpp"
#include "framework/interfaces/interface.hpp"

namespace hawser::interfaces {

/// One entry of an include or exclude list: an exact name, or a network that selects every address inside it.
struct Selector {
  std::string text;         // as the user wrote it
  bool is_network = false;  // else a name
  IpAddress network;        // if is_network
  unsigned prefix = 0;      // bits, if is_network

  /// Whether it means that one.
  bool selects(const Interface& interface) const noexcept;
};

/// "eth0,10.9.0.0/16,fd00::/8". kInvalid, naming the bad entry.
Result<std::vector<Selector>> parse_selectors(std::string_view list);

/// What the user asked for. `disable_family` is 0, 4 or 6, as in Open MPI.
struct Wish {
  std::string include;     // list; "": all
  std::string exclude;     // list
  int disable_family = 0;  // 4: no IPv4, 6: no IPv6
};

/// A line for people, and what it is about: the same on every host.
struct Note {
  std::string about;  // the entry
  std::string text;   // the whole line
};

/// What the lists leave.
struct Selected {
  std::vector<Interface> interfaces;  // in the order given
  std::vector<Note> notes;            // entries of an include list that matched nothing
};

/// Applies the lists. kInvalid: both lists given, or an entry that cannot be read. kNotFound: nothing is
/// left; the text lists the interfaces that are present. What was included explicitly gets kNamed.
Result<Selected> select(const std::vector<Interface>& all, const Wish& wish,
                        std::string_view prefix = "btl_tcp_");

/// Without the link-local addresses of interfaces that have another; such an address stays if the user named
/// it.
std::vector<Interface> without_needless(const std::vector<Interface>& all);

/// "eth0 (10.9.0.1/24, fe80::1/64), lo (127.0.0.1/8)"
std::string list_text(const std::vector<Interface>& all);

}  // namespace hawser::interfaces
