// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "framework/base/machine.hpp"
#include "framework/btl/layout.hpp"
#include "framework/mca/param_row.hpp"

namespace hawser::btl {

inline constexpr std::uint32_t kAbiMajor = 1;
inline constexpr std::uint32_t kAbiMinor = 2;
inline constexpr std::uint64_t kMagic = 0x314c545253574148;  // "HAWSRTL1"

enum DescriptorFlags : std::uint32_t {
  kOnlyByName = 1u << 0,  // used only if the list of components names it, never of itself
};

}  // namespace hawser::btl

extern "C" {

/// The handshake: what a plug-in says of itself before any of its code runs. New members only at the end.
struct hawser_btl_descriptor {
  std::uint64_t magic;                       // hawser::btl::kMagic
  std::uint32_t struct_size;                 // sizeof(hawser_btl_descriptor) as the plug-in saw it
  std::uint32_t abi_major;                   // hawser::btl::kAbiMajor
  std::uint32_t abi_minor;                   // hawser::btl::kAbiMinor
  std::uint32_t param_count;                 // rows of `params`
  const char* framework;                     // "btl"
  const char* name;                          // "tcp"
  const char* version;                       // of the plug-in
  const char* toolchain;                     // compiler and options that matter
  const hawser::mca::ParamRow* params;       // of static life
  hawser::btl::Component* (*create)();       // one per process; null: no memory
  void (*destroy)(hawser::btl::Component*);  // what `create` gave, after close
  const hawser::btl::LayoutRow* layout;      // hawser::btl::kLayout
  std::uint32_t layout_count;                // rows of `layout`
  std::uint32_t flags;                       // hawser::btl::DescriptorFlags

  const hawser::CounterInfo* counters;  // since 1.1: as its modules count, for `hawser info`; null: not told
  const hawser::MachineInfo* machines;  // since 1.1: its state machines, for `hawser info`; null: none
  std::uint32_t counter_count;          // since 1.1: rows of `counters`
  std::uint32_t machine_count;          // since 1.1: rows of `machines`
};
}

#define HAWSER_BTL_SYMBOL_NAME "hawser_btl_component"

#if defined(__clang__)
#define HAWSER_TOOLCHAIN "clang " __clang_version__
#else
#define HAWSER_TOOLCHAIN "gcc " __VERSION__
#endif

/// Exports the descriptor: the one symbol of a plug-in, a constant object of that name.
///   HAWSER_BTL_COMPONENT("self", "1.0", kRows, &create, &destroy)
/// PARAMS is an array of ParamRow with static life.
#define HAWSER_BTL_COMPONENT(NAME, VERSION, PARAMS, CREATE, DESTROY) \
  HAWSER_BTL_COMPONENT_FLAGS(NAME, VERSION, PARAMS, CREATE, DESTROY, 0)

/// The same with DescriptorFlags.
#define HAWSER_BTL_COMPONENT_FLAGS(NAME, VERSION, PARAMS, CREATE, DESTROY, FLAGS) \
  HAWSER_BTL_COMPONENT_TOLD(NAME, VERSION, PARAMS, CREATE, DESTROY, FLAGS, nullptr, 0, nullptr, 0)

/// The same with what `hawser info` tells of its counters and state machines: arrays with static life.
#define HAWSER_BTL_COMPONENT_TOLD(NAME, VERSION, PARAMS, CREATE, DESTROY, FLAGS, COUNTERS, COUNTER_COUNT, \
                                  MACHINES, MACHINE_COUNT)                                                \
  extern "C" __attribute__((visibility("default")))                                                       \
  const hawser_btl_descriptor hawser_btl_component = {::hawser::btl::kMagic,                              \
                                                      sizeof(hawser_btl_descriptor),                      \
                                                      ::hawser::btl::kAbiMajor,                           \
                                                      ::hawser::btl::kAbiMinor,                           \
                                                      sizeof(PARAMS) / sizeof((PARAMS)[0]),               \
                                                      "btl",                                              \
                                                      NAME,                                               \
                                                      VERSION,                                            \
                                                      HAWSER_TOOLCHAIN,                                   \
                                                      PARAMS,                                             \
                                                      CREATE,                                             \
                                                      DESTROY,                                            \
                                                      ::hawser::btl::kLayout,                             \
                                                      ::hawser::btl::kLayoutCount,                        \
                                                      FLAGS,                                              \
                                                      COUNTERS,                                           \
                                                      MACHINES,                                           \
                                                      COUNTER_COUNT,                                      \
                                                      MACHINE_COUNT}
