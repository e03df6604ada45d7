// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0

// MPI_Comm_idup: the members agree on a context as agree_on_context does, but step by step.

#include <algorithm>
#include <atomic>
#include <memory>

#include "mpi/activity.hpp"
#include "mpi/attached.hpp"
#include "mpi/binding.hpp"
#include "mpi/coll/active.hpp"
#include "mpi/comm.hpp"
#include "mpi/errors.hpp"

namespace hawser::mpi {

namespace {

std::atomic<int> g_refusals{0};  // that are not known to all yet

/// In each round every member names a number, and all learn one verdict: first the highest of the contexts
/// that are free in one of them, then whether it could be taken in all. Member 0 asks and tells.
class Duplication final : public Activity {
 public:
  /// `copy` is prepared, not open; it and `made` are set once all agree. `refuses`: this member takes part
  /// only so that the others learn that there is no communicator.
  Duplication(Comm& parent, Comm& copy, MPI_Comm* made, bool refuses)
      : Activity(Kind::kOther, &release_duplication),
        parent_(parent),
        copy_(&copy),
        made_(refuses ? &nobodys_ : made),
        refuses_(refuses),
        tag_(coll::next_tag(parent)),
        numbers_(static_cast<std::size_t>(parent.size)) {
    transfers_.reserve(numbers_.size() + 1);  // there is nobody to tell later that memory is out
    set_claims(2);
    parent.retain();
    user = &parent;
    if (refuses) g_refusals.fetch_add(1, std::memory_order_relaxed);
  }

  void start() noexcept {
    ask();
    if (advance()) {
      finish();
    } else {
      coll::active().add(*this);
    }
  }

  Progress poll() noexcept override {
    if (!transfers_done()) return Progress::kNone;
    if (!advance()) return Progress::kSome;
    const pml::Request* self = this;
    finish();
    library().runtime->engine().completed(self);
    return Progress::kEnded;
  }

 private:
  enum class Step : std::uint8_t { kName, kTell, kLearned };
  static constexpr std::uint32_t kFailed = UINT32_MAX;

  bool is_first() const noexcept { return parent_.rank == 0; }
  void send(std::uint32_t& number, int to) {
    transfers_.push_back(library().pml->isend(*parent_.coll, {&number, sizeof number, nullptr}, to, tag_));
  }
  void receive(std::uint32_t& number, int from) {
    transfers_.push_back(library().pml->irecv(*parent_.coll, {&number, sizeof number, nullptr}, from, tag_));
  }

  /// Begins a round.
  void name(std::uint32_t number) {
    mine_ = number;
    step_ = Step::kName;
    if (is_first()) {
      numbers_[0] = number;
      for (int member = 1; member < parent_.size; ++member)
        receive(numbers_[static_cast<std::size_t>(member)], member);
    } else {
      send(mine_, 0);
      receive(verdict_, 0);
    }
  }
  void ask() {
    asks_ = true;
    name(refuses_ ? kRefused : free_context_from(least_));
  }

  /// Goes on as far as it can. True: it is over.
  bool advance() noexcept {
    while (transfers_done()) {
      if (step_ == Step::kLearned) {
        if (conclude()) return true;
      } else if (step_ == Step::kName && is_first()) {
        tell();
      } else {
        step_ = Step::kLearned;
      }
    }
    return false;
  }

  void tell() {
    const auto highest = std::max_element(numbers_.begin(), numbers_.end());
    const auto lowest = std::min_element(numbers_.begin(), numbers_.end());
    verdict_ = status_.error != Errc::kOk ? kFailed : *(asks_ ? highest : lowest);
    step_ = Step::kTell;
    for (int member = 1; member < parent_.size; ++member) send(verdict_, member);
  }

  /// What a verdict leads to. True: it was the last.
  bool conclude() {
    if (verdict_ == kFailed && status_.error == Errc::kOk)
      note(Errc::kPeerGone, "a member of the communicator failed while it was duplicated");
    if (verdict_ == kRefused) note(Errc::kSystem, kRefusedThere);
    if (status_.error != Errc::kOk) {
      if (!asks_) give_back();
      return true;
    }
    if (asks_) {
      context_ = verdict_;
      asks_ = false;
      taken_ = take_context(context_);
      name(taken_ ? 1 : 0);
      return false;
    }
    if (verdict_ == 1) return true;
    give_back();
    least_ = context_ + 1 + parent_.context % 3;  // two that collide part here
    if (least_ < kMaxComms) {
      ask();
      return false;
    }
    note(Errc::kOutOfMemory, "there is no free context: too many communicators at a time");
    return true;
  }
  void give_back() noexcept {
    if (taken_) release_context(context_);
    taken_ = false;
  }

  bool transfers_done() noexcept {
    while (!transfers_.empty() && transfers_.back()->done()) {
      pml::Request& transfer = *transfers_.back();
      if (transfer.status().error != Errc::kOk) note(transfer.status().error, transfer.status().why);
      transfer.release();
      transfers_.pop_back();
    }
    return transfers_.empty();
  }
  void note(Errc error, const char* why) noexcept {
    if (status_.error != Errc::kOk) return;
    status_.error = error;
    status_.why = why;
  }

  void finish() noexcept {
    if (status_.error == Errc::kOk) {
      open_comm(*copy_, context_);
      *made_ = handle_of<MPI_Comm>(*copy_);
    } else {
      drop_attributes(*copy_);
      forget(*copy_);
      *made_ = MPI_COMM_NULL;
    }
    if (refuses_) g_refusals.fetch_sub(1, std::memory_order_release);
    set_done();
    release();
  }

  static void release_duplication(pml::Request& self) noexcept {
    auto& it = static_cast<Duplication&>(self);
    if (!it.unclaim()) return;
    Comm& parent = it.parent_;
    delete &it;
    drop(parent);
  }

  Comm& parent_;
  Comm* const copy_;
  MPI_Comm nobodys_ = MPI_COMM_NULL;
  MPI_Comm* const made_;
  const bool refuses_;
  const int tag_;
  std::vector<std::uint32_t> numbers_;  // member 0's: what each said
  std::vector<pml::Request*> transfers_;
  Step step_ = Step::kName;
  bool asks_ = true;  // for a context; else whether it is taken
  bool taken_ = false;
  std::uint32_t mine_ = 0;
  std::uint32_t verdict_ = 0;
  std::uint32_t context_ = 0;
  std::uint32_t least_ = kFirstFreeContext;
};

/// Attributes are copied as they are now. Where a copy function fails the call returns its error, and in all
/// other members the request ends with an error.
int duplicate(MPI_Comm comm, MPI_Comm* made, MPI_Request* request, const char* function) noexcept {
  Comm* parent = object_of(comm);
  if (int bad = check_comm(parent, function)) return bad;
  if (!made || !request) return fail(parent, MPI_ERR_ARG, function, "an address for a result is null");
  return guarded(function, [&] {
    library().pml->free_given_up();  // they may hold contexts
    parent->group->retain();
    Comm* copy = prepare_comm(parent->group, *parent);
    copy->name = fmt::format("duplicate of {}", parent->name).substr(0, MPI_MAX_OBJECT_NAME - 1);
    copy->topology = parent->topology;
    const int bad = copy_attributes(*parent, *copy);
    auto* started = std::make_unique<Duplication>(*parent, *copy, made, bad != MPI_SUCCESS).release();
    if (!bad) *request = handle_of(started);
    started->start();
    if (!bad) return MPI_SUCCESS;
    started->release();
    return fail(parent, bad, function, kNotCopied);
  });
}

}  // namespace

bool refusals_known() noexcept {
  return g_refusals.load(std::memory_order_acquire) == 0;
}

}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
  return duplicate(comm, made, request, "MPI_Comm_idup");
}
HAWSER_MPI_ALIAS(Comm_idup)

int PMPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info, MPI_Comm* made, MPI_Request* request) {
  return duplicate(comm, made, request, "MPI_Comm_idup_with_info");
}
HAWSER_MPI_ALIAS(Comm_idup_with_info)
