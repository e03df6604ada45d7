// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bitset>
#include <cstring>

#include "framework/base/mutex.hpp"
#include "framework/base/no_destructor.hpp"
#include "mpi/coll/coll.hpp"
#include "mpi/comm.hpp"

namespace hawser::mpi {

namespace {

constexpr int kExchangeTag = 1 << 30;  // on the collective channel, above what collectives use

/// The contexts that this process uses or has promised.
class Contexts {
 public:
  /// The lowest that is free, `least` or above; kMaxComms: there is none.
  std::uint32_t free_from(std::uint32_t least) noexcept {
    Lock lock(mutex_);
    const bool leaves_none_out = least <= lowest_;
    least = std::max(least, lowest_);
    while (least < kMaxComms && taken_[least]) ++least;
    if (leaves_none_out) lowest_ = least;
    return least;
  }
  bool take(std::uint32_t context) noexcept {
    Lock lock(mutex_);
    if (context >= kMaxComms || taken_[context]) return false;
    taken_[context] = true;
    return true;
  }
  void give(std::uint32_t context) noexcept {
    Lock lock(mutex_);
    taken_[context] = false;
    lowest_ = std::min(lowest_, context);
  }

 private:
  Mutex<LockRank::kMpi> mutex_;
  std::bitset<kMaxComms> taken_ HAWSER_GUARDED_BY(mutex_);
  std::uint32_t lowest_ HAWSER_GUARDED_BY(mutex_) = kFirstFreeContext;  // none below it is free
};

Contexts& contexts() {
  static NoDestructor<Contexts> instance;
  return *instance;
}

}  // namespace

/// All to the first of `members`, which answers all. Few and rare: kept simple.
Errc exchange(Comm& parent, const std::vector<int>& members, int tag, const void* mine, void* all,
              std::size_t bytes) {
  if (members.empty()) return coll::allgather_bytes(parent, mine, all, bytes);
  pml::Pml& pml = *library().pml;
  const int first = members.front();
  const int channel_tag = kExchangeTag + tag;
  const std::size_t total = bytes * members.size();
  if (parent.rank != first) {
    if (Errc error = pml.send(*parent.coll, {const_cast<void*>(mine), bytes, nullptr}, first, channel_tag);
        error != Errc::kOk) {
      return error;
    }
    return pml.recv(*parent.coll, {all, total, nullptr}, first, channel_tag).error;
  }
  char* slots = static_cast<char*>(all);
  std::memcpy(slots, mine, bytes);
  for (std::size_t i = 1; i < members.size(); ++i) {
    const Errc error =
        pml.recv(*parent.coll, {slots + i * bytes, bytes, nullptr}, members[i], channel_tag).error;
    if (error != Errc::kOk) return error;
  }
  for (std::size_t i = 1; i < members.size(); ++i) {
    const Errc error = pml.send(*parent.coll, {all, total, nullptr}, members[i], channel_tag);
    if (error != Errc::kOk) return error;
  }
  return Errc::kOk;
}

/// Everybody names the lowest context that is free there; the highest of these is taken, if it is free for
/// all. Threads that do this on other communicators at the same time may have taken it meanwhile: then once
/// more, higher.
Result<std::uint32_t> agree_on_context(Comm& parent, const std::vector<int>& members, int tag, bool refuses) {
  const std::size_t count = members.empty() ? static_cast<std::size_t>(parent.size) : members.size();
  std::vector<std::uint32_t> answers(count);
  library().pml->free_given_up();  // they may hold contexts
  const auto all_say = [&](std::uint32_t mine) -> Errc {
    return exchange(parent, members, tag, &mine, answers.data(), sizeof mine);
  };
  for (std::uint32_t least = kFirstFreeContext; least < kMaxComms;) {
    if (Errc error = all_say(refuses ? kRefused : contexts().free_from(least)); error != Errc::kOk)
      return make_error(error, "{}", to_text(error));
    const std::uint32_t context = *std::max_element(answers.begin(), answers.end());
    if (context == kRefused) return make_error(Errc::kSystem, "{}", kRefusedThere);
    const bool taken = contexts().take(context);
    if (Errc error = all_say(taken ? 1 : 0); error != Errc::kOk)
      return make_error(error, "{}", to_text(error));
    if (std::count(answers.begin(), answers.end(), 1u) == static_cast<std::ptrdiff_t>(count)) return context;
    if (taken) contexts().give(context);
    least = context + 1 + parent.context % 3;  // two that collide part here
  }
  return make_error(Errc::kOutOfMemory, "there is no free context: at most {} communicators at a time",
                    kMaxComms);
}

std::uint32_t free_context_from(std::uint32_t least) {
  return contexts().free_from(least);
}

bool take_context(std::uint32_t context) {
  return contexts().take(context);
}

void release_context(std::uint32_t context) noexcept {
  contexts().give(context);
}

}  // namespace hawser::mpi
