// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <set>

#include "framework/base/mutex.hpp"
#include "framework/base/no_destructor.hpp"
#include "mpi/coll/coll.hpp"
#include "mpi/comm.hpp"

namespace hawser::mpi {

namespace {

constexpr std::uint32_t kFirstFree = 2;  // after world and self
constexpr int kExchangeTag = 1 << 30;    // on the collective channel, above what collectives use

/// The contexts that this process uses or has promised.
class Contexts {
 public:
  std::uint32_t free_from(std::uint32_t least) {
    Lock lock(mutex_);
    while (taken_.count(least) != 0) ++least;
    return least;
  }
  bool take(std::uint32_t context) {
    Lock lock(mutex_);
    return context < kMaxComms && taken_.insert(context).second;
  }
  void give(std::uint32_t context) noexcept {
    Lock lock(mutex_);
    taken_.erase(context);
  }

 private:
  Mutex<LockRank::kMpi> mutex_;
  std::set<std::uint32_t> taken_ HAWSER_GUARDED_BY(mutex_);
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
Result<std::uint32_t> agree_on_context(Comm& parent, const std::vector<int>& members, int tag) {
  const std::size_t count = members.empty() ? static_cast<std::size_t>(parent.size) : members.size();
  std::vector<std::uint32_t> answers(count);
  library().pml->free_given_up();  // they may hold contexts
  const auto all_say = [&](std::uint32_t mine) -> Errc {
    return exchange(parent, members, tag, &mine, answers.data(), sizeof mine);
  };
  for (std::uint32_t least = kFirstFree; least < kMaxComms;) {
    if (Errc error = all_say(contexts().free_from(least)); error != Errc::kOk)
      return make_error(error, "{}", to_text(error));
    const std::uint32_t context = *std::max_element(answers.begin(), answers.end());
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

void release_context(std::uint32_t context) noexcept {
  contexts().give(context);
}

}  // namespace hawser::mpi
