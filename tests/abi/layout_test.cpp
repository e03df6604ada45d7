// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// The binary interface of version 1.0, as it is. A number here changes only with the major version; what is
// new goes to the end, gets a line of its own, and raises the minor version.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <string_view>

#include "framework/btl/abi.hpp"
#include "framework/btl/component.hpp"

namespace hawser {
namespace {

struct Golden {
  const char* what;
  std::size_t seen;
  std::size_t golden;
};

/// The place of a virtual function in its class's table: the Itanium C++ ABI keeps it in a pointer to member.
template <class Function>
std::size_t slot_of(Function function) {
  std::ptrdiff_t word = 0;
  std::memcpy(&word, &function, sizeof word);
  return static_cast<std::size_t>(word - 1) / sizeof(void*);
}

#define HAWSER_SIZE(TYPE, SIZE) \
  { "sizeof " #TYPE, sizeof(TYPE), SIZE }
#define HAWSER_OFFSET(TYPE, MEMBER, OFFSET) \
  { #TYPE "::" #MEMBER, offsetof(TYPE, MEMBER), OFFSET }
#define HAWSER_SLOT(CLASS, FUNCTION, SLOT) \
  { #CLASS "::" #FUNCTION "()", slot_of(&CLASS::FUNCTION), SLOT }

const Golden kSizes[] = {
    // clang-format off
    HAWSER_SIZE(btl::Attributes, 56),
    HAWSER_SIZE(CounterInfo, 24),
    HAWSER_SIZE(btl::CounterView, 24),
    HAWSER_SIZE(btl::Descriptor, 168),
    HAWSER_SIZE(btl::Handler, 32),
    HAWSER_SIZE(btl::HandlerTable, 8192),
    HAWSER_SIZE(btl::Head, 16),
    HAWSER_SIZE(btl::Job, 56),
    HAWSER_SIZE(MachineEdge, 6),
    HAWSER_SIZE(MachineInfo, 56),
    HAWSER_SIZE(MachineWord, 16),
    HAWSER_SIZE(btl::Message, 56),
    HAWSER_SIZE(mca::ParamRow, 80),
    HAWSER_SIZE(btl::Placement, 16),
    HAWSER_SIZE(btl::Proc, 120),
    HAWSER_SIZE(btl::Reach, 1296),
    HAWSER_SIZE(btl::Reach::Rail, 16),
    HAWSER_SIZE(btl::RemoteKey, 24),
    HAWSER_SIZE(hawser_btl_descriptor, 120),  // 1.0: 96
    HAWSER_SIZE(btl::LayoutRow, 16),
    // clang-format on
};

const Golden kOffsets[] = {
    // clang-format off
    HAWSER_OFFSET(hawser_btl_descriptor, magic, 0),
    HAWSER_OFFSET(hawser_btl_descriptor, struct_size, 8),
    HAWSER_OFFSET(hawser_btl_descriptor, abi_major, 12),
    HAWSER_OFFSET(hawser_btl_descriptor, abi_minor, 16),
    HAWSER_OFFSET(hawser_btl_descriptor, param_count, 20),
    HAWSER_OFFSET(hawser_btl_descriptor, framework, 24),
    HAWSER_OFFSET(hawser_btl_descriptor, name, 32),
    HAWSER_OFFSET(hawser_btl_descriptor, version, 40),
    HAWSER_OFFSET(hawser_btl_descriptor, toolchain, 48),
    HAWSER_OFFSET(hawser_btl_descriptor, params, 56),
    HAWSER_OFFSET(hawser_btl_descriptor, create, 64),
    HAWSER_OFFSET(hawser_btl_descriptor, destroy, 72),
    HAWSER_OFFSET(hawser_btl_descriptor, layout, 80),
    HAWSER_OFFSET(hawser_btl_descriptor, layout_count, 88),
    HAWSER_OFFSET(hawser_btl_descriptor, flags, 92),
    HAWSER_OFFSET(hawser_btl_descriptor, counters, 96),  // from here on since 1.1
    HAWSER_OFFSET(hawser_btl_descriptor, machines, 104),
    HAWSER_OFFSET(hawser_btl_descriptor, counter_count, 112),
    HAWSER_OFFSET(hawser_btl_descriptor, machine_count, 116),
    HAWSER_OFFSET(MachineInfo, name, 0),
    HAWSER_OFFSET(MachineInfo, help, 8),
    HAWSER_OFFSET(MachineInfo, states, 16),
    HAWSER_OFFSET(MachineInfo, events, 24),
    HAWSER_OFFSET(MachineInfo, edges, 32),
    HAWSER_OFFSET(MachineInfo, state_count, 40),
    HAWSER_OFFSET(MachineInfo, event_count, 44),
    HAWSER_OFFSET(MachineInfo, edge_count, 48),
    HAWSER_OFFSET(btl::Descriptor, next, 0),
    HAWSER_OFFSET(btl::Descriptor, on_complete, 8),
    HAWSER_OFFSET(btl::Descriptor, owner, 16),
    HAWSER_OFFSET(btl::Descriptor, data, 24),
    HAWSER_OFFSET(btl::Descriptor, data_count, 32),
    HAWSER_OFFSET(btl::Descriptor, tag, 36),
    HAWSER_OFFSET(btl::Descriptor, header_size, 37),
    HAWSER_OFFSET(btl::Descriptor, may_wait, 38),
    HAWSER_OFFSET(btl::Descriptor, data_size, 40),
    HAWSER_OFFSET(btl::Descriptor, scratch, 48),
    HAWSER_OFFSET(btl::Descriptor, header, 80),
    HAWSER_OFFSET(btl::Attributes, exclusivity, 0),
    HAWSER_OFFSET(btl::Attributes, flags, 4),
    HAWSER_OFFSET(btl::Attributes, eager_limit, 8),
    HAWSER_OFFSET(btl::Attributes, rndv_eager_limit, 16),
    HAWSER_OFFSET(btl::Attributes, max_send_size, 24),
    HAWSER_OFFSET(btl::Attributes, rdma_min_size, 32),
    HAWSER_OFFSET(btl::Attributes, rdma_max_size, 40),
    HAWSER_OFFSET(btl::Attributes, latency_ns, 48),
    HAWSER_OFFSET(btl::Attributes, bandwidth_mbps, 52),
    HAWSER_OFFSET(btl::Message, rank, 0),
    HAWSER_OFFSET(btl::Message, tag, 4),
    HAWSER_OFFSET(btl::Message, header_size, 5),
    HAWSER_OFFSET(btl::Message, header, 8),
    HAWSER_OFFSET(btl::Message, data, 16),
    HAWSER_OFFSET(btl::Message, size, 24),
    HAWSER_OFFSET(btl::Message, placed, 32),
    HAWSER_OFFSET(btl::Message, module, 40),
    HAWSER_OFFSET(btl::Message, endpoint, 48),
    HAWSER_OFFSET(btl::Head, bytes, 0),
    HAWSER_OFFSET(btl::Head, size, 8),
    HAWSER_OFFSET(btl::Head, tag, 12),
    HAWSER_OFFSET(btl::Head, may_wait, 13),
    HAWSER_OFFSET(btl::Reach, count, 0),
    HAWSER_OFFSET(btl::Reach, rails, 8),
    HAWSER_OFFSET(btl::Reach, status, 1032),
    HAWSER_OFFSET(btl::Reach, reason, 1036),
    HAWSER_OFFSET(btl::Handler, deliver, 0),
    HAWSER_OFFSET(btl::Handler, place, 8),
    HAWSER_OFFSET(btl::Handler, abandon, 16),
    HAWSER_OFFSET(btl::Handler, context, 24),
    HAWSER_OFFSET(btl::Placement, memory, 0),
    HAWSER_OFFSET(btl::Placement, cookie, 8),
    HAWSER_OFFSET(btl::Proc, rank, 0),
    HAWSER_OFFSET(btl::Proc, pid, 4),
    HAWSER_OFFSET(btl::Proc, incarnation, 8),
    HAWSER_OFFSET(btl::Proc, boot_id, 16),
    HAWSER_OFFSET(btl::Proc, net_namespace, 32),
    HAWSER_OFFSET(btl::Proc, pid_namespace, 40),
    HAWSER_OFFSET(btl::Proc, user_namespace, 48),
    HAWSER_OFFSET(btl::Proc, host, 56),
    HAWSER_OFFSET(btl::Job, id, 0),
    HAWSER_OFFSET(btl::Job, size, 8),
    HAWSER_OFFSET(btl::Job, rank, 12),
    HAWSER_OFFSET(btl::Job, local_size, 16),
    HAWSER_OFFSET(btl::Job, cores, 20),
    HAWSER_OFFSET(btl::Job, secret, 24),
    HAWSER_OFFSET(btl::CounterView, info, 0),
    HAWSER_OFFSET(btl::CounterView, values, 8),
    HAWSER_OFFSET(btl::CounterView, count, 16),
    HAWSER_OFFSET(mca::ParamRow, name, 0),
    HAWSER_OFFSET(mca::ParamRow, type, 8),
    HAWSER_OFFSET(mca::ParamRow, scope, 12),
    HAWSER_OFFSET(mca::ParamRow, storage, 16),
    HAWSER_OFFSET(mca::ParamRow, default_text, 24),
    HAWSER_OFFSET(mca::ParamRow, min, 32),
    HAWSER_OFFSET(mca::ParamRow, max, 40),
    HAWSER_OFFSET(mca::ParamRow, unit, 48),
    HAWSER_OFFSET(mca::ParamRow, choices, 56),
    HAWSER_OFFSET(mca::ParamRow, level, 64),
    HAWSER_OFFSET(mca::ParamRow, help, 72),
    // clang-format on
};

const Golden kSlots[] = {
    // clang-format off
    HAWSER_SLOT(btl::Component, open, 0),
    HAWSER_SLOT(btl::Component, module_count, 1),
    HAWSER_SLOT(btl::Component, module, 2),
    HAWSER_SLOT(btl::Component, add_procs, 3),
    HAWSER_SLOT(btl::Component, release_peer, 4),
    HAWSER_SLOT(btl::Component, progress, 5),
    HAWSER_SLOT(btl::Component, arm, 6),
    HAWSER_SLOT(btl::Component, disarm, 7),
    HAWSER_SLOT(btl::Component, flushed, 8),
    HAWSER_SLOT(btl::Component, close, 9),
    HAWSER_SLOT(btl::Module, name, 0),
    HAWSER_SLOT(btl::Module, attributes, 1),
    HAWSER_SLOT(btl::Module, sendi, 2),
    HAWSER_SLOT(btl::Module, send, 3),
    HAWSER_SLOT(btl::Module, abandon, 4),
    HAWSER_SLOT(btl::Module, rdma, 5),
    HAWSER_SLOT(btl::Module, counters, 6),
    HAWSER_SLOT(btl::Module, taker, 7),  // since 1.2
    HAWSER_SLOT(btl::Rdma, register_memory, 0),
    HAWSER_SLOT(btl::Rdma, deregister_memory, 1),
    HAWSER_SLOT(btl::Rdma, get, 2),
    HAWSER_SLOT(btl::Rdma, put, 3),
    HAWSER_SLOT(btl::Taker, take, 0),
    HAWSER_SLOT(btl::Host, job, 0),
    HAWSER_SLOT(btl::Host, proc, 1),
    HAWSER_SLOT(btl::Host, handlers, 2),
    HAWSER_SLOT(btl::Host, modex_put, 3),
    HAWSER_SLOT(btl::Host, modex_forget, 4),
    HAWSER_SLOT(btl::Host, modex_get, 5),
    HAWSER_SLOT(btl::Host, watch, 6),
    HAWSER_SLOT(btl::Host, rewatch, 7),
    HAWSER_SLOT(btl::Host, unwatch, 8),
    HAWSER_SLOT(btl::Host, call_at, 9),
    HAWSER_SLOT(btl::Host, cancel_call, 10),
    HAWSER_SLOT(btl::Host, wake, 11),
    HAWSER_SLOT(btl::Host, rail_failed, 12),
    HAWSER_SLOT(btl::Host, rails_changed, 13),
    HAWSER_SLOT(btl::Host, logs, 14),
    HAWSER_SLOT(btl::Host, log, 15),
    HAWSER_SLOT(btl::Host, say_once, 16),
    HAWSER_SLOT(btl::Host, component, 17),
    // clang-format on
};

TEST(AbiLayout, SizesAreThoseOfTheVersion) {
  for (const Golden& one : kSizes) EXPECT_EQ(one.seen, one.golden) << one.what;
}

TEST(AbiLayout, MembersAreWhereTheyWere) {
  for (const Golden& one : kOffsets) EXPECT_EQ(one.seen, one.golden) << one.what;
}

TEST(AbiLayout, FunctionsAreWhereTheyWere) {
  for (const Golden& one : kSlots) EXPECT_EQ(one.seen, one.golden) << one.what;
}

TEST(AbiLayout, EveryRowOfTheLayoutIsGolden) {
  for (const btl::LayoutRow& row : btl::kLayout) {
    const bool known = std::any_of(std::begin(kSizes), std::end(kSizes), [&](const Golden& one) {
      const std::string_view name = one.what;
      return name.ends_with(row.type) && one.golden == row.size;
    });
    EXPECT_TRUE(known) << row.type << " of " << row.size << " bytes";
  }
}

TEST(AbiLayout, ConstantsThatBothSidesKnow) {
  EXPECT_EQ(btl::kAbiMajor, 1u);
  EXPECT_EQ(btl::kAbiMinor, 2u);
  EXPECT_EQ(btl::kMaxHeader, 88u);
  EXPECT_EQ(btl::kMaxRails, 64u);
  EXPECT_EQ(btl::kReasonSize, 256u);
  EXPECT_EQ(btl::kHandlers, 256u);
  EXPECT_EQ(btl::kKeySize, 24u);
  EXPECT_EQ(static_cast<int>(btl::BaseCounter::kCount), 9);
  EXPECT_EQ(static_cast<int>(btl::Posted::kUnreachable), 3);
  EXPECT_EQ(static_cast<int>(Errc::kTruncated), 13);
}

}  // namespace
}  // namespace hawser
