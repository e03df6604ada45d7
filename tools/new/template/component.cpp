// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "endpoint.hpp"
#include "framework/btl/abi.hpp"
#include "framework/btl/listener.hpp"
#include "framework/btl/peer_facts.hpp"

namespace btl_ferry {
namespace {

using hawser::make_error;
using hawser::Result;

// How-to, section 1. Written before the component is made, constant after.
std::uint64_t g_eager, g_max_send;
const hawser::mca::ParamRow kParamRows[] = {
    hawser::mca::param_size("eager_limit", &g_eager, "16k", {1, 1 << 20}, 4, "largest unasked message"),
    hawser::mca::param_size("max_send_size", &g_max_send, "64k", {1, 1 << 24}, 4, "largest single send"),
};
constexpr char kKey[] = "btl.ferry";  // in the modex
constexpr char kUnequal[] = "largest message: {} here, {} at rank {}; make btl_ferry_max_send_size equal";

/// Whether that process, of our user, is at the other end: the kernel's word, not the peer's (section 12).
bool is_process(const Fd& stream, std::uint32_t pid) noexcept {
  ucred other{};
  socklen_t size = sizeof other;
  return ::getsockopt(stream.get(), SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 &&
         other.uid == ::geteuid() && static_cast<std::uint32_t>(other.pid) == pid;
}

/// A socket of that name, or of one that the kernel picks. It is in no folder, so nothing is left behind.
Fd named_socket(int flags, const Hello* name) noexcept {
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  Door own;
  if (name) std::memcpy(own.address.sun_path + 1, name, sizeof *name);
  own.size = offsetof(sockaddr_un, sun_path) + (name ? 1 + sizeof *name : 0);
  if (socket && ::bind(socket.get(), own.general(), own.size) != 0) socket.reset();
  return socket;
}

/// What is the same in every component of this kind is in the base: how-to, sections 3, 16 and 17.
class Component final : public Module {
  // How-to, sections 2 and 11: our address is offered.
  Result<void> set_up() override {
    const std::uint64_t most = g_max_send > g_eager ? g_max_send : g_eager;
    attributes_.exclusivity = 1;
    attributes_.flags = btl::kFlagSend | btl::kFlagOrdered;
    attributes_.eager_limit = attributes_.rndv_eager_limit = g_eager;
    attributes_.max_send_size = most;
    attributes_.latency_ns = 5'000;
    attributes_.bandwidth_mbps = 10'000;
    Door door{.largest = most};
    Fd socket = named_socket(SOCK_NONBLOCK, nullptr);
    if (!socket || ::listen(socket.get(), SOMAXCONN) != 0 ||
        ::getsockname(socket.get(), door.general(), &door.size) != 0)
      return hawser::system_error("no Unix-domain socket to be called on", errno);
    const Errc status = listener_.start<&Component::accept>(host(), std::move(socket), *this);
    if (status != Errc::kOk) return make_error(status, "our socket cannot be watched: {}", to_text(status));
    return btl::publish(host(), kKey, door);  // last: from here on they call
  }

  // How-to, section 3: a peer is made once, in private, and then published, whole.
  Result<std::unique_ptr<Endpoint>> make(std::uint32_t rank) override {
    const auto proc = btl::local_proc(host(), rank);
    if (!proc) return proc.error();
    auto door = btl::published_by<Door>(host(), rank, kKey);
    if (!door) return door.error();
    if (door->size > sizeof door->address)
      return make_error(Errc::kProtocol, "the address of rank {} is no address", rank);
    if (door->largest != attributes_.max_send_size)  // either way: both sides must come to the same answer
      return make_error(Errc::kUnreachable, kUnequal, attributes_.max_send_size, door->largest, rank);
    const btl::Job& job = host().job();
    const Hello hello{.job = job.id, .nonce = hawser::now_ns(), .from = job.rank, .to = rank};
    Fd out = named_socket(0, &hello);
    const timeval limit{10, 0};  // s, for a peer that takes nobody in
    if (!out || ::setsockopt(out.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0 ||
        ::connect(out.get(), door->general(), door->size) != 0)
      return hawser::system_error(fmt::format("calling rank {}", rank), errno);
    if (!is_process(out, (*proc)->pid))
      return make_error(Errc::kPermission, "another process has the address of rank {}", rank);
    return std::make_unique<Endpoint>(*this, rank, std::move(out));
  }

  /// Who calls finds its peer whole, or has it made whole, as a first send does.
  bool accept() noexcept override {
    for (int i = 0; i < 16; ++i) {  // then others get their turn
      Door from;
      Fd in = listener_.accept(from.general(), &from.size, SOCK_CLOEXEC);
      if (!in) return !listener_.pauses();
      Hello hello;
      if (from.size != offsetof(sockaddr_un, sun_path) + 1 + sizeof hello) continue;
      std::memcpy(&hello, from.address.sun_path + 1, sizeof hello);
      char why[btl::kReasonSize];
      const btl::Proc* proc = hello.is_for(host().job()) ? host().proc(hello.from, why, sizeof why) : nullptr;
      if (!proc || !is_process(in, proc->pid)) continue;  // a stranger: it gets no byte
      if (const auto peer = find_or_make(hello.from)) (*peer)->adopt(std::move(in));
    }
    return false;
  }

  // How-to, section 16.
  void shut() noexcept override { listener_.close(); }

  btl::Listener listener_;
};

}  // namespace
}  // namespace btl_ferry

// How-to, section 9.
HAWSER_BTL_COMPONENT("ferry", "0.1.0", btl_ferry::kParamRows, &hawser::btl::create<btl_ferry::Component>,
                     &hawser::btl::destroy<btl_ferry::Component>);
