// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/common/gather.hpp"

namespace hawser::tools {

/// Whether something is used, why, and which parameter decided that.
struct Verdict {
  std::string name;  // "tcp", "eth0"
  std::string what;  // file of a component, address of an interface; "": it has none
  bool used = false;
  std::string reason;                       // never empty
  const mca::ParamView* decided = nullptr;  // the parameter; null: none did
};

struct Why {
  std::vector<Verdict> components;
  std::vector<Verdict> interfaces;  // one for each address, and for each device without one
};

/// What would be used, and why: every component that was found, and every interface as tcp sees it.
/// `findings` outlives the answer.
Why look_why(Findings& findings);

std::string why_text(const Why& why, std::size_t width, bool colour);
nlohmann::ordered_json why_json(const Why& why);

}  // namespace hawser::tools
