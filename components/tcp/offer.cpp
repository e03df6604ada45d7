// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "components/tcp/offer.hpp"

#include <algorithm>
#include <cerrno>

#include "framework/interfaces/routes.hpp"

namespace hawser::tcp {
namespace {

bool leads_out(std::uint32_t properties) noexcept {
  return (properties & (interfaces::kLoopback | interfaces::kNoCarrier)) == 0;
}

// An address whose carrier is lost has gone, and one without carrier has come.
bool same_way(const Published& published, const interfaces::Interface& interface) noexcept {
  const matching::Candidate& candidate = published.candidate;
  const bool lost = interface.has(interfaces::kNoCarrier) && !(candidate.properties & interfaces::kNoCarrier);
  return candidate.address == interface.address && candidate.nic == interface.index &&
         published.name == interface.label && !lost;
}

bool any_leads_out(const std::vector<Published>& addresses) noexcept {
  return std::any_of(addresses.begin(), addresses.end(),
                     [](const Published& at) { return leads_out(at.candidate.properties); });
}

bool any_leads_out(const std::vector<interfaces::Interface>& usable) noexcept {
  return std::any_of(usable.begin(), usable.end(),
                     [](const interfaces::Interface& interface) { return leads_out(interface.properties); });
}

// Whether two blobs say the same to a peer, whatever their generation.
bool same_words(Blob a, const Blob& b) {
  a.generation = b.generation;
  return encode(a) == encode(b);
}

}  // namespace

std::shared_ptr<const Blob> Offer::snapshot() const {
  const Lock lock(mutex_);
  return current_;
}

Result<bool> Offer::adopt(const std::vector<interfaces::Interface>& usable) {
  const auto now = snapshot();
  // The last ways to other machines are kept, gone or not: connections survive a cable that is pulled for a
  // while.
  const bool led_out = any_leads_out(now->addresses);
  if (led_out && !any_leads_out(usable)) return false;
  Blob next;
  next.incarnation = context_.incarnation;
  next.generation = now->generation + (now->addresses.empty() ? 0 : 1);
  next.links = static_cast<std::uint16_t>(context_.params.links);
  next.largest = context_.largest;
  std::string failures;
  for (const auto& interface : usable) {
    if (next.addresses.size() == kMaxAddresses) break;
    const auto offered = offer(*now, interface);
    if (offered) {
      next.addresses.push_back(*offered);
      continue;
    }
    failures += (failures.empty() ? "" : "; ") + offered.error().text;
    leave_out(interface, offered.error());
  }
  if (next.addresses.empty()) return make_error(Errc::kSystem, "no address can be listened on: {}", failures);
  auto routes = interfaces::routes();
  if (routes) {
    next.routes = std::move(*routes);
  } else {
    next.routes = now->routes;
  }
  if (same_words(*now, next)) return false;
  stop_listening(*now, next);
  context_.published = encode(next);
  const std::uint32_t generation = next.generation;
  {
    const Lock lock(mutex_);
    current_ = std::make_shared<const Blob>(std::move(next));
  }
  context_.generation.store(generation, std::memory_order_release);
  return true;
}

const Published* Offer::find(const Blob& blob, const interfaces::Interface& interface) noexcept {
  const auto at = std::find_if(blob.addresses.begin(), blob.addresses.end(),
                               [&](const Published& published) { return same_way(published, interface); });
  return at == blob.addresses.end() ? nullptr : &*at;
}

Result<Published> Offer::offer(const Blob& now, const interfaces::Interface& interface) {
  Published result;
  result.candidate = matching::candidate_of(interface);
  result.name = interface.label;
  if (const Published* known = find(now, interface)) {
    result.port = known->port;
    result.first_module = known->first_module;
    return result;
  }
  if (!modules_.has_room_for(static_cast<std::size_t>(context_.params.links)))
    return no_more_modules(interface);
  auto bound = acceptor_.bind(interface);
  if (!bound && bound.error().sys_errno == EADDRINUSE) {
    // The same address on another device: its port is to be had again. Only now, as the old one is published.
    for (const Published& old : now.addresses) {
      if (old.candidate.address == interface.address) acceptor_.stop(old.first_module);
    }
    bound = acceptor_.bind(interface);
  }
  if (!bound) return bound.error();
  result.port = interfaces::port_of(bound->get());
  result.first_module = add_modules(interface);
  const Errc code =
      acceptor_.listen(std::move(*bound), result.first_module, modules_[result.first_module].own_counters());
  if (code == Errc::kOk) return result;
  acceptor_.stop(result.first_module);
  return make_error(code, "watching the listener on {}: {}", interface.address.text(), to_text(code));
}

// The others serve. An address that the kernel has not confirmed yet, or that is gone again, is no news;
// ENODEV is what a link-local address of IPv6 says when its device went since the interfaces were read.
void Offer::leave_out(const interfaces::Interface& interface, const Error& why) {
  const bool absent = why.sys_errno == EADDRNOTAVAIL || why.sys_errno == ENODEV;
  const bool told = !absent && !told_.emplace(interface.label, interface.address).second;
  const bool wanted = !absent && interface.has(interfaces::kNamed);
  const auto level = absent || told ? btl::LogLevel::kDebug : btl::LogLevel::kWarn;
  const std::string about = fmt::format("{} is not used", interface.label);
  const std::string text = fmt::format("{}: {}", about, why.text);
  if (!wanted) return context_.log(level, "{}", text);
  if (!told) context_.host.say_once("tcp", about.c_str(), text.c_str());
}

// Indices are used once, and there is an end to them: what is there serves on, what comes now does not.
Error Offer::no_more_modules(const interfaces::Interface& interface) {
  const std::string text = fmt::format(
      "{} is not used: addresses have come and gone so often that all {} modules are used up. Start the job "
      "anew, keep such interfaces out with btl_tcp_if_exclude, or use fewer btl_tcp_links",
      interface.label, ModuleTable::kCapacity);
  if (told_.emplace(interface.label, interface.address).second)
    context_.host.say_once("tcp", "modules used up", text.c_str());
  return make_error(Errc::kOutOfMemory, "{}", text);
}

std::uint16_t Offer::add_modules(const interfaces::Interface& interface) {
  const auto first = static_cast<std::uint16_t>(modules_.size());
  const std::string name = unique_name(interface);
  for (unsigned link = 0; link < static_cast<unsigned>(context_.params.links); ++link) {
    const auto index = static_cast<std::uint16_t>(first + link);
    modules_.add(std::make_unique<Module>(context_.params, interface, name, index, link));
  }
  return first;
}

// "eth0"; "eth0.v6"; "eth0~2" for its second address, or the same one after it went and came.
std::string Offer::unique_name(const interfaces::Interface& interface) {
  std::string name = interface.label;
  if (interface.address.family == interfaces::Family::kV6) name += ".v6";
  const unsigned times = ++names_[name];
  return times == 1 ? name : fmt::format("{}~{}", name, times);
}

void Offer::stop_listening(const Blob& before, const Blob& after) noexcept {
  for (const Published& old : before.addresses) {
    if (!after.offers(old.first_module)) acceptor_.stop(old.first_module);
  }
}

}  // namespace hawser::tcp
