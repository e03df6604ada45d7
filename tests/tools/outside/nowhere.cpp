// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// The smallest component there can be: it has no module and reaches nobody.
#include <cstdio>

#include "framework/btl/abi.hpp"
#include "framework/btl/component.hpp"

namespace {

using namespace hawser;

class Nowhere final : public btl::Component {
 public:
  Errc open(btl::Host&, char* why, std::size_t why_size) noexcept override {
    std::snprintf(why, why_size, "it reaches nobody");
    return Errc::kUnsupported;
  }
  std::size_t module_count() const noexcept override { return 0; }
  btl::Module& module(std::size_t) noexcept override { __builtin_unreachable(); }
  void add_procs(std::uint32_t, btl::Reach& reach) noexcept override {
    reach.count = 0;
    reach.status = Errc::kUnreachable;
    std::snprintf(reach.reason, sizeof reach.reason, "it reaches nobody");
  }
  void release_peer(std::uint32_t) noexcept override {}
  int progress() noexcept override { return 0; }
  bool arm() noexcept override { return true; }
  void disarm() noexcept override {}
  bool flushed() noexcept override { return true; }
  void close() noexcept override {}
};

Nowhere g_component;
bool g_loud = false;
const mca::ParamRow kRows[] = {mca::param_bool(
    "loud", &g_loud, "false", 9, "Has no effect: shows that parameters of a plug-in are seen.")};

btl::Component* create() {
  return &g_component;
}
void destroy(btl::Component*) {}

}  // namespace

HAWSER_BTL_COMPONENT("nowhere", "1.0", kRows, &create, &destroy);
