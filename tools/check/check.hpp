// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "framework/mca/registry.hpp"

namespace hawser::check {

class Rank;

/// The component under test, as the user named it.
struct Subject {
  std::string name;         // "tcp"
  std::string file;         // the path of its .so
  std::string folder;       // where that is
  std::string search_path;  // that and the user's mca_component_path: colons between
  std::vector<mca::Setting> settings;
  std::chrono::seconds patience{20};  // how long a rank waits while nothing moves
  // Found out before the first check.
  bool reaches_itself = false;
  bool reaches_others = false;
};

/// Where a check is run.
enum Shape : unsigned {
  kFile = 1u << 0,   // on the file, in a process that only looks at it
  kAlone = 1u << 1,  // one process, a job of one rank
  kLoop = 1u << 2,   // one process that talks to itself, if the component can
  kPair = 1u << 3,   // two processes, if the component reaches other ranks
  kFour = 1u << 4,   // four processes
};
inline constexpr unsigned kBoth = kLoop | kPair;

/// One promise of the SDK, and how it is seen whether a component keeps it.
struct Check {
  const char* name;     // "posts.pending_completes_once"
  const char* promise;  // one sentence
  unsigned shapes;      // where it is run
  void (*body)(Rank& self);
  void (*look)(const Subject& subject) = nullptr;  // of a check of the file, instead
  int dies = -1;                                   // the rank that ends by SIGKILL, as the check wants
  std::uint32_t more = 0;                          // ranks of the job that are never there
  bool stranger = false;  // one process more, which says it is rank 1 and does not know the job's secret
};

enum class Outcome { kPassed, kFailed, kSkipped };

struct Verdict {
  const Check* check;
  Shape shape;
  Outcome outcome;
  std::vector<std::string> reasons;  // why it failed or was skipped
  double seconds = 0;
};

/// All of them, in the order in which they are run.
std::vector<const Check*> all_checks();

/// The shapes of `check` that apply to the component.
std::vector<Shape> shapes_for(const Check& check, const Subject& subject);
const char* to_text(Shape shape) noexcept;

/// Runs one check, each rank in a process of its own, so that it may crash, hang or leave threads without
/// harm to others.
Verdict run_check(const Check& check, Shape shape, const Subject& subject);

/// Finds out whom the component reaches. Not passed: it does not load or open, and the reasons say why.
Verdict probe(Subject& subject);

}  // namespace hawser::check
