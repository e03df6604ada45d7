// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "mpi/coll/schedule.hpp"

namespace hawser::mpi::coll {

/// Runs the schedules of all members in one thread, in an order that a seed decides. A message's bytes move
/// at any moment at which sender and receiver allow it, so a schedule that lacks a fence gives wrong data
/// sooner or later.
class Simulator {
 public:
  Simulator(std::vector<Schedule>& schedules, const Op* op, unsigned seed)
      : schedules_(schedules), op_(op), random_(seed), at_(schedules.size()), open_(schedules.size()) {}

  /// Empty: all came to their end. Else what is wrong.
  std::string run() {
    for (;;) {
      std::vector<std::size_t> members;
      for (std::size_t i = 0; i < schedules_.size(); ++i) {
        if (can_step(i)) members.push_back(i);
      }
      std::vector<Pair> pairs;
      for (auto& [pair, lane] : lanes_) {
        if (!lane.sends.empty() && !lane.receives.empty()) pairs.push_back(pair);
      }
      if (members.empty() && pairs.empty()) break;
      const std::size_t choice = random_() % (members.size() + pairs.size());
      if (choice < members.size()) {
        step(members[choice]);
      } else if (!move(pairs[choice - members.size()])) {
        return "a message and its receive differ in size";
      }
    }
    for (std::size_t i = 0; i < schedules_.size(); ++i) {
      if (at_[i] != schedules_[i].steps().size()) return "a member hangs at a fence";
      if (open_[i] != 0) return "a transfer has no other side";
    }
    return "";
  }

 private:
  using Pair = std::pair<int, int>;  // sender, receiver
  struct Lane {
    std::deque<Buffer> sends;
    std::deque<Buffer> receives;
  };

  bool can_step(std::size_t i) const {
    const auto& steps = schedules_[i].steps();
    return at_[i] < steps.size() && (steps[at_[i]].kind != Step::Kind::kFence || open_[i] == 0);
  }
  void step(std::size_t i) {
    const Step& step = schedules_[i].steps()[at_[i]++];
    const int me = static_cast<int>(i);
    switch (step.kind) {
      case Step::Kind::kSend:
        lanes_[{me, step.peer}].sends.push_back(step.from);
        break;
      case Step::Kind::kReceive:
        lanes_[{step.peer, me}].receives.push_back(step.to);
        break;
      case Step::Kind::kCopy:
      case Step::Kind::kReduce:
        return do_local(step, op_);
      case Step::Kind::kFence:
        return;
    }
    ++open_[i];
  }
  bool move(const Pair& pair) {
    Lane& lane = lanes_[pair];
    const Buffer from = lane.sends.front();
    const Buffer to = lane.receives.front();
    lane.sends.pop_front();
    lane.receives.pop_front();
    if (from.size != to.size) return false;
    copy(from, to);
    --open_[static_cast<std::size_t>(pair.first)];
    --open_[static_cast<std::size_t>(pair.second)];
    return true;
  }

  std::vector<Schedule>& schedules_;
  const Op* op_;
  std::mt19937 random_;
  std::vector<std::size_t> at_;
  std::vector<int> open_;
  std::map<Pair, Lane> lanes_;
};

}  // namespace hawser::mpi::coll
