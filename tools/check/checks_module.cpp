// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>

#include "tools/check/groups.hpp"
#include "tools/check/rank.hpp"

// What a component says of itself.

namespace hawser::check {

namespace {

void attributes_make_sense(Rank& self) {
  self.open();
  const btl::Component& component = self.component();
  require(component.module_count() > 0, "it opened without a module; one that has none says why in open");
  for (std::size_t i = 0; i < component.module_count(); ++i) {
    const btl::Module& module = self.component().module(i);
    const btl::Attributes& a = module.attributes();
    const char* name = module.name();
    expect((a.flags & btl::kFlagSend) != 0, "{}: the flag for active messages is not set", name);
    expect(a.eager_limit > 0, "{}: eager_limit is 0", name);
    expect(a.eager_limit <= a.max_send_size, "{}: eager_limit {} is above max_send_size {}", name,
           a.eager_limit, a.max_send_size);
    expect(a.rndv_eager_limit <= a.max_send_size, "{}: rndv_eager_limit {} is above max_send_size {}", name,
           a.rndv_eager_limit, a.max_send_size);
    expect(a.bandwidth_mbps > 0, "{}: bandwidth_mbps is 0: a rail without weight carries nothing", name);
  }
}

void names_are_given(Rank& self) {
  self.open();
  std::set<std::string> names;
  for (std::size_t i = 0; i < self.component().module_count(); ++i) {
    const char* name = self.component().module(i).name();
    require(name && *name, "module {} has no name", i);
    expect(names.insert(name).second, "two modules are called \"{}\"", name);
  }
}

void counters_are_described(Rank& self) {
  self.open();
  const btl::CounterView view = self.component().module(0).counters();
  constexpr auto kBase = static_cast<std::size_t>(btl::BaseCounter::kCount);
  require(view.info && view.values && view.count >= kBase, "there are {} counters; the base ones are {}",
          view.count, kBase);
  std::set<std::string> names;
  for (std::size_t i = 0; i < view.count; ++i) {
    const CounterInfo& info = view.info[i];
    require(info.name && info.unit && info.help, "counter {} lacks a text", i);
    expect(names.insert(info.name).second, "two counters are called \"{}\"", info.name);
    expect(*info.name && *info.unit && *info.help, "counter \"{}\" lacks name, unit or help", info.name);
  }
  for (std::size_t i = 0; i < kBase; ++i) {
    expect(std::string(view.info[i].name) == btl::kBaseCounterInfo[i].name,
           "counter {} is \"{}\"; the base counters come first, and this one is \"{}\"", i, view.info[i].name,
           btl::kBaseCounterInfo[i].name);
  }
}

// It may do without what it was refused; if it cannot, it says so.
void must_say_why(Rank& self, const char* refused) {
  auto opened = self.try_open();
  if (opened) return;
  const std::string& text = opened.error().text;
  const std::size_t colon = text.rfind("could not open: ");
  require(colon != std::string::npos, "with {} refused it could not be opened, but not by its own words: {}",
          refused, text);
  const std::string words = text.substr(colon + 16);
  expect(words != to_text(opened.error().code), "with {} refused it did not open and gave no reason in words",
         refused);
}

void a_refused_blob_is_told(Rank& self) {
  self.host().answer_to_put = Errc::kOutOfMemory;
  must_say_why(self, "modex_put");
}

void a_refused_watch_is_told(Rank& self) {
  self.host().answer_to_watch = Errc::kSystem;
  must_say_why(self, "watch");
}

constexpr Check kChecks[] = {
    {"module.attributes_make_sense",
     "Every module can send, and its limits are ordered: eager_limit and rndv_eager_limit within "
     "max_send_size.",
     kAlone, &attributes_make_sense},
    {"module.is_named", "Every module has a name for people, and no other has the same.", kAlone,
     &names_are_given},
    {"module.counters_described",
     "Every module counts the base counters first, in their order; each counter has a name of its own, a "
     "unit "
     "and a help text.",
     kAlone, &counters_are_described},
    {"open.tells_of_a_refused_blob", "When open cannot publish its blob and needs it, it says why in words.",
     kAlone, &a_refused_blob_is_told},
    {"open.tells_of_a_refused_watch",
     "When open cannot watch a descriptor and needs it, it says why in words.", kAlone,
     &a_refused_watch_is_told},
};

}  // namespace

std::span<const Check> module_checks() {
  return kChecks;
}

}  // namespace hawser::check
