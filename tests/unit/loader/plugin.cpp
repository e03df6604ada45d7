// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// One tiny component, built several times with one fault each:
//   PLUGIN_NAME       its name
//   PLUGIN_UNDEFINED  calls a function that nobody has
//   PLUGIN_MAJOR, PLUGIN_MINOR, PLUGIN_MAGIC, PLUGIN_FRAMEWORK, PLUGIN_CALLED, PLUGIN_SIZE, PLUGIN_LAYOUT,
//   PLUGIN_ROWS, PLUGIN_FLAGS   what the descriptor says
//   PLUGIN_OPEN       what open answers
//   PLUGIN_CREATE     null or throw
#include <array>
#include <cstdio>
#include <stdexcept>

#include "framework/btl/abi.hpp"
#include "framework/btl/component.hpp"

#if !defined(PLUGIN_MAJOR)
#define PLUGIN_MAJOR hawser::btl::kAbiMajor
#endif
#if !defined(PLUGIN_MINOR)
#define PLUGIN_MINOR hawser::btl::kAbiMinor
#endif
#if !defined(PLUGIN_MAGIC)
#define PLUGIN_MAGIC hawser::btl::kMagic
#endif
#if !defined(PLUGIN_FRAMEWORK)
#define PLUGIN_FRAMEWORK "btl"
#endif
#if !defined(PLUGIN_CALLED)
#define PLUGIN_CALLED PLUGIN_NAME
#endif
#if !defined(PLUGIN_SIZE)
#define PLUGIN_SIZE sizeof(hawser_btl_descriptor)
#endif
#if !defined(PLUGIN_LAYOUT)
#define PLUGIN_LAYOUT hawser::btl::kLayout
#endif
#if !defined(PLUGIN_ROWS)
#define PLUGIN_ROWS hawser::btl::kLayoutCount
#endif
#if !defined(PLUGIN_FLAGS)
#define PLUGIN_FLAGS 0
#endif
#if !defined(PLUGIN_OPEN)
#define PLUGIN_OPEN kOk
#endif
#if !defined(PLUGIN_CREATE)
#define PLUGIN_CREATE return &g_component
#endif

#if defined(PLUGIN_UNDEFINED)
extern "C" int hawser_test_function_that_nobody_has();
#endif

namespace {

std::int64_t g_links = 0;

class TestComponent final : public hawser::btl::Component {
 public:
  hawser::Errc open(hawser::btl::Host&, char* why, std::size_t size) noexcept override {
    std::snprintf(why, size, "no network of the kind %s, links %lld", PLUGIN_NAME,
                  static_cast<long long>(g_links));
#if defined(PLUGIN_UNDEFINED)
    hawser_test_function_that_nobody_has();
#endif
    return hawser::Errc::PLUGIN_OPEN;
  }
  std::size_t module_count() const noexcept override {
    return 0;
  }
  hawser::btl::Module& module(std::size_t) noexcept override {
    __builtin_unreachable();
  }
  void add_procs(std::uint32_t, hawser::btl::Reach&) noexcept override {}
  void release_peer(std::uint32_t) noexcept override {}
  int progress() noexcept override {
    return 0;
  }
  bool arm() noexcept override {
    return true;
  }
  void disarm() noexcept override {}
  bool flushed() noexcept override {
    return true;
  }
  void close() noexcept override {}
};

[[maybe_unused]] TestComponent g_component;

hawser::btl::Component* create() {
  PLUGIN_CREATE;
}
void destroy(hawser::btl::Component*) {}

// Every type one byte larger than it is.
[[maybe_unused]] constexpr auto kSwollen = [] {
  std::array<hawser::btl::LayoutRow, hawser::btl::kLayoutCount> rows{};
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = {hawser::btl::kLayout[i].type, hawser::btl::kLayout[i].size + 1};
  return rows;
}();
[[maybe_unused]] constexpr const hawser::btl::LayoutRow* kSwollenRows = kSwollen.data();

const hawser::mca::ParamRow kRows[] = {
    hawser::mca::param_int("links", &g_links, "1", {1, 16}, 4, "how many links")};

[[maybe_unused]] constexpr hawser::CounterInfo kCounters[] = {{"turns", "times", "times something turned"}};

}  // namespace

#if !defined(PLUGIN_BARE)
extern "C" __attribute__((visibility("default")))
const hawser_btl_descriptor hawser_btl_component = {PLUGIN_MAGIC,
                                                    PLUGIN_SIZE,
                                                    PLUGIN_MAJOR,
                                                    PLUGIN_MINOR,
                                                    1,
                                                    PLUGIN_FRAMEWORK,
                                                    PLUGIN_CALLED,
                                                    "1.2",
                                                    HAWSER_TOOLCHAIN,
                                                    kRows,
                                                    &create,
                                                    &destroy,
                                                    PLUGIN_LAYOUT,
                                                    PLUGIN_ROWS,
                                                    PLUGIN_FLAGS,
                                                    kCounters,
                                                    nullptr,
                                                    1,
                                                    0};
#else
// Exported, but not what a component exports.
extern "C" __attribute__((visibility("default"))) const void* hawser_btl_bare() {
  return kRows;
}
extern "C" __attribute__((visibility("default"))) void* hawser_btl_bare_create() {
  return create();
}
extern "C" __attribute__((visibility("default"))) void hawser_btl_bare_destroy() {
  destroy(nullptr);
}
#endif
