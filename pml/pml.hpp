// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/base/result.hpp"
#include "framework/runtime/runtime.hpp"
#include "pml/buffer.hpp"
#include "pml/request.hpp"

namespace hawser::bml {
class Bml;
}

namespace hawser::pml {

class Channel;         // a context of matching: pml/channel.hpp
class ArrivedMessage;  // a message claimed by improbe

enum class SendMode : std::uint8_t {
  kStandard,
  kDeferred,     // its bytes may wait for those of others, for the sender comes back to end the request
  kSynchronous,  // done only once the receiver has matched it
};

inline constexpr std::uint32_t kMaxContexts = 65536;

/// Point-to-point messages with matching by (channel, source, tag), both wildcards, order kept per channel
/// and sender. Any thread. Operations never throw and never return null: errors are in the request's status,
/// with a text for people in `last_error()` of the same thread.
class Pml {
 public:
  /// Declares parameters and handlers with the runtime; call before Runtime::start.
  static Result<std::unique_ptr<Pml>> make(Runtime& runtime, bml::Bml& bml);
  ~Pml();

  /// Opens matching for `context` (below kMaxContexts, equal in all members). `world_ranks[i]` is the job's
  /// rank of member i of the group that is sent to and received from; `my_rank` is what receivers see as
  /// source. Messages that arrived before are matched from then on. Not two open channels with one context.
  Channel* open_channel(std::uint32_t context, int my_rank, std::vector<std::uint32_t> world_ranks);
  /// No operation may be under way on it. Messages that nobody received are dropped.
  void close_channel(Channel* channel);

  // Where there is no memory for an operation, its request says so, and is over.

  /// `dest`: index in world_ranks. `tag`: not negative.
  Request* isend(Channel& channel, const Buffer& buffer, int dest, int tag,
                 SendMode mode = SendMode::kStandard);
  /// `source`: index in world_ranks or kAnySource. `tag`: not negative, or kAnyTag.
  Request* irecv(Channel& channel, const Buffer& buffer, int source, int tag);
  /// The same, waited for; without a request where that saves time.
  Errc send(Channel& channel, const Buffer& buffer, int dest, int tag, SendMode mode = SendMode::kStandard);
  Status recv(Channel& channel, const Buffer& buffer, int source, int tag);
  /// Waits for a send and gives it back.
  Errc end_send(Request& sent);

  /// Whether a matching message has arrived; makes progress. `status.size` is its full length.
  bool iprobe(Channel& channel, int source, int tag, Status& status);
  /// The same, and claims the message: nobody else receives it. Null if there is none.
  ArrivedMessage* improbe(Channel& channel, int source, int tag, Status& status);
  /// The same two, waiting until there is one, or until it cannot come any more.
  Errc probe(Channel& channel, int source, int tag, Status& status);
  Errc mprobe(Channel& channel, int source, int tag, Status& status, ArrivedMessage*& message);
  /// Null: no memory; the message is still there.
  Request* imrecv(ArrivedMessage* message, const Buffer& buffer);

  /// Takes a receive back that nothing has matched; it is then done and cancelled. False: too late.
  bool cancel(Request& receive);

  /// Gives a send or receive back that may still be under way: it goes on, and is freed some time after it is
  /// done. Then `user`, if it is not null, is handed to the function below.
  void give_up(Request& request) noexcept;
  /// Frees those that are done, without waiting for the time to do so. No lock may be held.
  void free_given_up() noexcept;
  /// Who hears of them, in any thread and with no lock held. Set before the first one is given up.
  using GivenUpFreed = void (*)(void* user, Request::Kind kind) noexcept;
  void on_given_up_freed(GivenUpFreed function) noexcept;

  bool test(Request& request) noexcept {
    if (request.done()) return true;
    progress();
    return request.done();
  }
  void wait(Request& request);
  int progress() noexcept { return runtime_.engine().progress(); }
  /// Waits for any condition that progress brings about. `awaited`: where `done` leaves which request it
  /// needs next; null: any.
  template <class Done>
  void wait_until(Done&& done, const void* const* awaited = nullptr) {
    runtime_.engine().wait_until(static_cast<Done&&>(done), awaited);
  }
  Runtime& runtime() noexcept { return runtime_; }

  /// Whether some rank failed, so that operations with it end with an error. Any thread.
  bool any_failed() const noexcept;
  /// Why that rank of the job failed; null: it did not.
  const char* why_failed(std::uint32_t world_rank) const noexcept;

  /// What went wrong last in this thread, for people.
  static const std::string& last_error() noexcept;

  struct Impl;
  Impl& impl() noexcept { return *impl_; }  // for the way of small messages: pml/impl.hpp

 private:
  explicit Pml(Runtime& runtime);
  Runtime& runtime_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hawser::pml
