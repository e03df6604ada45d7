// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <exception>
#include <new>
#include <type_traits>

#include "framework/base/result.hpp"
#include "framework/btl/component.hpp"

// What every component would else write again: being made, its answers, its callbacks. No part of the
// contract: a component may do without.
namespace hawser::btl {

/// hawser_btl_descriptor::create, for a component of class C: `&btl::create<C>`.
template <class C>
Component* create() {
  return new (std::nothrow) C;
}
/// hawser_btl_descriptor::destroy, likewise.
template <class C>
void destroy(Component* component) {
  delete static_cast<C*>(component);
}

/// Component::open's answer: what `open() -> Result<void>` came to, with its text in `why`. What it throws is
/// an answer, too.
template <class Open>
Errc answer_open(char* why, std::size_t why_size, Open&& open) noexcept {
  const auto say = [&](Errc status, const char* text) noexcept {
    if (why_size != 0) std::snprintf(why, why_size, "%s", text);
    return status;
  };
  try {
    const Result<void> done = open();
    return done ? Errc::kOk : say(done.error().code, done.error().text.c_str());
  } catch (const std::bad_alloc&) {
    return say(Errc::kOutOfMemory, "out of memory");
  } catch (const std::exception& error) {
    return say(Errc::kSystem, error.what());
  } catch (...) {
    return say(Errc::kSystem, "an exception that is no std::exception");
  }
}

/// Component::add_procs's answer: the one rail that leads to the peer.
inline void answer(Reach& reach, Module& module, Endpoint& endpoint) noexcept {
  reach.count = 1;
  reach.rails[0] = {&module, &endpoint};
  reach.status = Errc::kOk;
  reach.reason[0] = '\0';
}
/// Likewise: none does. `why` is for people.
inline void refuse(Reach& reach, Errc status, const char* why) noexcept {
  reach.count = 0;
  reach.status = status;
  std::snprintf(reach.reason, sizeof reach.reason, "%s", why);
}
/// Likewise, as an error tells it.
inline void refuse(Reach& reach, const Error& error) noexcept {
  refuse(reach, error.code, error.text.c_str());
}

/// A member function of an Object as a WatchFunction, whose context is the Object. It takes the events or
/// nothing; what it answers is dropped.
template <auto kMember, class Object>
void on_event(void* object, std::uint32_t events) noexcept {
  Object& self = *static_cast<Object*>(object);
  if constexpr (std::is_invocable_v<decltype(kMember), Object&, std::uint32_t>)
    static_cast<void>((self.*kMember)(events));
  else
    static_cast<void>((self.*kMember)());
}
/// Host::watch with a member function, as for `on_event`: `btl::watch<&Peer::on_in>(host, fd, EPOLLIN,
/// peer)`.
template <auto kMember, class Object>
Errc watch(Host& host, int fd, std::uint32_t events, Object& object) noexcept {
  return host.watch(fd, events, &on_event<kMember, Object>, &object);
}
/// Host::call_at with a member function that takes nothing.
template <auto kMember, class Object>
std::uint64_t call_at(Host& host, std::uint64_t at_ns, Object& object) noexcept {
  const auto call = [](void* self) noexcept { static_cast<void>((static_cast<Object*>(self)->*kMember)()); };
  return host.call_at(at_ns, call, &object);
}

}  // namespace hawser::btl
