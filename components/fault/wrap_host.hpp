// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/btl/host.hpp"

namespace hawser::wrap {

class Component;

/// The host as the wrapped component sees it: the real one, but reports pass through the wrap first, and
/// blobs have names of their own, so that wrapped and unwrapped may be used beside each other.
class HostView final : public btl::Host {
 public:
  HostView(btl::Host& outer, Component& wrap) noexcept;

  const btl::Job& job() const noexcept override { return outer_.job(); }
  const btl::Proc* proc(std::uint32_t rank, char* why, std::size_t why_size) noexcept override {
    return outer_.proc(rank, why, why_size);
  }
  const btl::HandlerTable& handlers() const noexcept override { return handlers_; }
  Errc modex_put(const char* key, const void* data, std::size_t size) noexcept override;
  void modex_forget(std::uint32_t rank) noexcept override { outer_.modex_forget(rank); }
  Errc modex_get(std::uint32_t rank, const char* key, void* out, std::size_t capacity,
                 std::size_t* size) noexcept override;
  Errc watch(int fd, std::uint32_t events, btl::WatchFunction function, void* context) noexcept override {
    return outer_.watch(fd, events, function, context);
  }
  Errc rewatch(int fd, std::uint32_t events) noexcept override { return outer_.rewatch(fd, events); }
  void unwatch(int fd) noexcept override { outer_.unwatch(fd); }
  std::uint64_t call_at(std::uint64_t at_ns, void (*function)(void*) noexcept,
                        void* context) noexcept override {
    return outer_.call_at(at_ns, function, context);
  }
  bool cancel_call(std::uint64_t id) noexcept override { return outer_.cancel_call(id); }
  void wake() noexcept override { outer_.wake(); }
  void rail_failed(std::uint32_t rank, btl::Module& module, btl::Endpoint& endpoint, Errc status,
                   const char* text) noexcept override;
  void rails_changed(std::uint32_t rank) noexcept override;
  bool logs(btl::LogLevel level) const noexcept override { return outer_.logs(level); }
  void log(btl::LogLevel level, const char* component, const char* text) noexcept override {
    outer_.log(level, component, text);
  }
  void say_once(const char* component, const char* topic, const char* text) noexcept override {
    outer_.say_once(component, topic, text);
  }
  const hawser_btl_descriptor* component(const char* name, char* why,
                                         std::size_t why_size) noexcept override {
    return outer_.component(name, why, why_size);
  }

 private:
  /// What stands in our table in place of a handler.
  struct Slot {
    Component* wrap;
    const btl::Handler* handler;
  };
  static void deliver(void* slot, const btl::Message& message) noexcept;
  static bool place(void* slot, const btl::Message& head, btl::Placement& out) noexcept;
  static void abandon(void* slot, const btl::Message& head) noexcept;

  btl::Host& outer_;
  Component& wrap_;
  btl::HandlerTable handlers_{};
  Slot slots_[btl::kHandlers]{};
};

}  // namespace hawser::wrap
