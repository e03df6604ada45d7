// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

#include "components/fault/inbox.hpp"
#include "components/fault/wrap.hpp"

namespace hawser::fault {

/// Another component with faults: it loses, delays, doubles, overtakes, refuses and breaks by rules that are
/// parameters, the same in every run of one seed. For tests of what stands above.
///
/// What a rule means above the BTL interface: a post is taken whole or not at all, so a "short write" is a
/// message that is taken up piece by piece before it is sent, and a "short read" one that is written to its
/// place piece by piece; between the pieces all else goes on. Refusing, delaying and pieces keep every
/// promise of a component; overtaking takes the ordered flag away; a loss breaks the rail, as an honest
/// component reports it. Doubling, and silent loss, break promises on purpose.
class Component final : public wrap::Component {
 public:
  const char* own_name() const noexcept override { return "fault"; }

  int progress() noexcept override;
  bool arm() noexcept override;
  void disarm() noexcept override;
  bool flushed() noexcept override;
  void release_peer(std::uint32_t rank) noexcept override;
  void close() noexcept override;

  void deliver(const btl::Handler& handler, const btl::Message& message) noexcept override;
  bool place(const btl::Handler& handler, const btl::Message& head, btl::Placement& out) noexcept override;
  void rail_failed(wrap::Endpoint& endpoint, Errc status, const char* text) noexcept override;

  /// Something is held now: who sleeps is woken. Any thread.
  void stir() noexcept;
  /// A post was refused that may be posted again at once: nobody may sleep before. Any thread.
  void owe_room() noexcept;
  void hand_up(const btl::Handler& handler, const btl::Message& message) noexcept;
  void count_piece(const btl::Message& message) noexcept;

 private:
  const char* target() const noexcept override;
  std::unique_ptr<wrap::Module> make_module(btl::Module& wrapped) override;
  std::unique_ptr<wrap::Endpoint> make_endpoint(wrap::Module& module, btl::Endpoint& wrapped,
                                                std::uint32_t rank) override;
  /// Of all there ever were.
  template <class Visit>
  void for_each_endpoint(Visit&& visit) const noexcept;
  bool over_a_whole_rail(btl::Message& message) noexcept;
  bool nothing_waits() noexcept;

  std::atomic<bool> armed_{false};
  std::atomic<bool> owes_room_{false};
};

}  // namespace hawser::fault
