// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/check/groups.hpp"
#include "tools/check/rank.hpp"

namespace hawser::check {

namespace {

constexpr Shape kShapes[] = {kFile, kAlone, kLoop, kPair, kFour};

// A way that is not there is a reason to skip what needs it, and no fault.

void probe_itself(Rank& self) {
  self.open();
  if (self.reach(0).count == 0) skip("it does not reach the own rank");
}

void probe_other(Rank& self) {
  self.open();
  const bool reached = self.reach(self.peer()).count != 0;
  self.barrier("the other rank");
  if (!reached) skip("it does not reach other ranks");
}

}  // namespace

std::vector<const Check*> all_checks() {
  std::vector<const Check*> all;
  for (const auto& group : {file_checks(), module_checks(), reach_checks(), message_checks(), post_checks(),
                            flow_checks(), sleep_checks(), thread_checks(), memory_checks(), end_checks(),
                            leave_checks(), many_checks(), take_checks()}) {
    for (const Check& check : group) all.push_back(&check);
  }
  return all;
}

std::vector<Shape> shapes_for(const Check& check, const Subject& subject) {
  std::vector<Shape> shapes;
  for (const Shape shape : kShapes) {
    const bool can = shape == kLoop                     ? subject.reaches_itself
                     : shape == kPair || shape == kFour ? subject.reaches_others
                                                        : true;
    if ((check.shapes & shape) != 0 && can) shapes.push_back(shape);
  }
  return shapes;
}

const char* to_text(Shape shape) noexcept {
  switch (shape) {
    case kFile:
      return "file";
    case kAlone:
      return "alone";
    case kLoop:
      return "1 process";
    case kPair:
      return "2 processes";
    case kFour:
      return "4 processes";
  }
  return "nowhere";
}

/// What it reaches is seen by trying, as a job would.
Verdict probe(Subject& subject) {
  static constexpr const char* kPromise = "A component that is there loads and opens.";
  static const Check itself{"probe.itself", kPromise, kAlone, &probe_itself};
  static const Check other{"probe.other", kPromise, kPair, &probe_other};
  Verdict alone = run_check(itself, kAlone, subject);
  if (alone.outcome == Outcome::kFailed) return alone;
  Verdict together = run_check(other, kPair, subject);
  subject.reaches_itself = alone.outcome == Outcome::kPassed;
  subject.reaches_others = together.outcome == Outcome::kPassed;
  if (!subject.reaches_itself && !subject.reaches_others && together.outcome == Outcome::kSkipped) {
    together.outcome = Outcome::kFailed;
    together.reasons = {"it reaches neither the own rank nor another one"};
  }
  return together;
}

}  // namespace hawser::check
