// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <new>

#include "endpoint.hpp"
#include "framework/btl/abi.hpp"
#include "framework/peers/peer_table.hpp"

namespace btl_ferry {
namespace {

using hawser::make_error;

// How-to, section 1. Written before the component is made, constant after.
std::uint64_t g_eager, g_max_send;
const hawser::mca::ParamRow kParamRows[] = {
    hawser::mca::param_size("eager_limit", &g_eager, "16k", {1, 1 << 20}, 4, "largest unasked message"),
    hawser::mca::param_size("max_send_size", &g_max_send, "64k", {1, 1 << 24}, 4, "largest single send"),
};
constexpr char kKey[] = "btl.ferry";           // in the modex
constexpr std::chrono::seconds kPatience{10};  // longest wait for a peer or a thread
constexpr std::chrono::seconds kParting{2};    // and, at the end, for peers that do not read
constexpr char kUnequal[] = "largest message: {} here, {} at rank {}; make btl_ferry_max_send_size equal";

/// Whether that process, of our user, is at the other end: the kernel's word, not the peer's (section 12).
bool is_process(const Fd& stream, std::uint32_t pid) noexcept {
  ucred other{};
  socklen_t size = sizeof other;
  return ::getsockopt(stream.get(), SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 &&
         other.uid == ::geteuid() && static_cast<std::uint32_t>(other.pid) == pid;
}

/// A socket of that name, or of one that the kernel picks. Such names are in no folder: nothing is left
/// behind.
Fd named_socket(int flags, const Hello* name) noexcept {
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  Door own;
  if (name) std::memcpy(own.address.sun_path + 1, name, sizeof *name);
  own.size = offsetof(sockaddr_un, sun_path) + (name ? 1 + sizeof *name : 0);
  if (socket && ::bind(socket.get(), own.general(), own.size) != 0) socket.reset();
  return socket;
}

class Component final : public btl::Component, public Module {
 public:
  static btl::Component* create() { return new (std::nothrow) Component; }
  static void destroy(btl::Component* component) { delete static_cast<Component*>(component); }

  // How-to, sections 2 and 11: our address is offered.
  Errc open(btl::Host& the_host, char* why, std::size_t why_size) noexcept override try {
    host = &the_host;
    const std::uint64_t most = g_max_send > g_eager ? g_max_send : g_eager;
    attributes_ = {1, btl::kFlagSend | btl::kFlagOrdered, g_eager, g_eager, most, 0, 0, 5'000, 10'000};
    peers_ = std::make_unique<Peers>(host->job().size);
    Door door{.largest = most};
    listener_ = named_socket(SOCK_NONBLOCK, nullptr);
    const bool there = listener_ && ::listen(listener_.get(), SOMAXCONN) == 0 &&
                       ::getsockname(listener_.get(), door.general(), &door.size) == 0;
    const auto call = [](void* self, std::uint32_t) noexcept { static_cast<Component*>(self)->accept(); };
    Errc status = there ? host->modex_put(kKey, &door, sizeof door) : Errc::kSystem;
    if (status == Errc::kOk) status = host->watch(listener_.get(), EPOLLIN, call, this);
    const char* cause = there ? to_text(status) : std::strerror(errno);
    if (status != Errc::kOk) std::snprintf(why, why_size, "no Unix-domain socket to be called on: %s", cause);
    return status;
  } catch (const std::bad_alloc&) {
    std::snprintf(why, why_size, "out of memory");
    return Errc::kOutOfMemory;
  }
  std::size_t module_count() const noexcept override { return 1; }
  btl::Module& module(std::size_t) noexcept override { return *this; }

  // How-to, section 3: a peer is made once, in private, and then published, whole.
  void add_procs(std::uint32_t rank, btl::Reach& reach) noexcept override {
    const auto peer = find_or_make(rank);
    reach.status = peer ? Errc::kOk : peer.error().code;
    reach.count = peer ? 1 : 0;
    if (peer) reach.rails[0] = {this, *peer};
    std::snprintf(reach.reason, sizeof reach.reason, "%s", peer ? "" : peer.error().text.c_str());
  }
  /// Any thread: the progress role may be inside, so the streams are closed by it, and the peer stays till
  /// close.
  void release_peer(std::uint32_t rank) noexcept override {
    auto peer = peers_->take(rank);
    if (!peer) return;
    peer->end(Errc::kShutdown, true);
    const hawser::Lock lock(mutex_);
    peer->next = std::move(let_go_);
    let_go_ = std::move(peer);
  }

  // How-to, section 17: the event loop of the host calls us, so there is nothing to poll and nothing to arm.
  int progress() noexcept override { return 0; }
  bool arm() noexcept override { return true; }
  void disarm() noexcept override {}

  // How-to, section 16.
  bool flushed() noexcept override {
    bool all = true;
    peers_->for_each([&](Endpoint& peer) { all = peer.flushed() && all; });
    return all;
  }
  void close() noexcept override {
    if (timer_ != 0) host->cancel_call(timer_);
    host->unwatch(listener_.get());
    listener_.reset();
    if (!peers_->close(hawser::deadline_in(kPatience))) return;  // a thread is inside and needs them
    const hawser::Deadline until = hawser::deadline_in(kParting);
    peers_->for_each([&](Endpoint& peer) { peer.end(Errc::kShutdown, true, until); });
    for (std::uint32_t rank = 0; rank < peers_->size(); ++rank) release_peer(rank);
    hawser::Lock lock(mutex_);
    auto peer = std::move(let_go_);
    lock.unlock();
    for (; peer; peer = std::move(peer->next)) peer->close();
  }

 private:
  using Peers = hawser::peers::PeerTable<Endpoint>;

  hawser::Result<Endpoint*> find_or_make(std::uint32_t rank) noexcept {
    auto peer = peers_->get_or_make(rank, hawser::deadline_in(kPatience), [&] { return call(rank); });
    const Errc status = peer ? (*peer)->start() : Errc::kOk;
    if (status != Errc::kOk) return make_error(status, "the stream to rank {} cannot be watched", rank);
    return peer;
  }

  hawser::Result<std::unique_ptr<Endpoint>> call(std::uint32_t rank) {
    const btl::Job& job = host->job();
    if (rank == job.rank)
      return make_error(Errc::kUnreachable, "ferry does not reach its own rank; \"self\" does");
    char why[btl::kReasonSize] = "";
    const btl::Proc* own = host->proc(job.rank, why, sizeof why);
    const btl::Proc* proc = own ? host->proc(rank, why, sizeof why) : nullptr;
    if (!proc) return make_error(Errc::kNotFound, "nothing is known of rank {}: {}", rank, why);
    if (!same_node(*own, *proc))
      return make_error(Errc::kUnreachable, "rank {} is elsewhere, on {}", rank, proc->host);
    Door door;
    std::size_t size = 0;
    const Errc status = host->modex_get(rank, kKey, &door, sizeof door, &size);
    if (status == Errc::kNotFound) return make_error(Errc::kUnreachable, "rank {} does not use ferry", rank);
    if (status != Errc::kOk) return make_error(status, "the address of rank {}: {}", rank, to_text(status));
    if (size != sizeof door || door.size > sizeof door.address)
      return make_error(Errc::kVersion, "rank {} uses another version of ferry", rank);
    if (door.largest != attributes_.max_send_size)  // either way: both sides must come to the same answer
      return make_error(Errc::kUnreachable, kUnequal, attributes_.max_send_size, door.largest, rank);
    const Hello hello{.job = job.id, .nonce = hawser::now_ns(), .from = job.rank, .to = rank};
    Fd out = named_socket(0, &hello);
    const timeval limit{kPatience.count(), 0};
    if (!out || ::setsockopt(out.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0 ||
        ::connect(out.get(), door.general(), door.size) != 0)
      return hawser::system_error(fmt::format("calling rank {}", rank), errno);
    if (!is_process(out, proc->pid))
      return make_error(Errc::kPermission, "another process has the address of rank {}", rank);
    return std::make_unique<Endpoint>(*this, rank, std::move(out));
  }

  /// Who calls finds its peer whole, or has it made whole, as a first send does.
  bool accept() noexcept override {
    for (int i = 0; i < 16; ++i) {  // then others get their turn
      Door from;
      Fd in(::accept4(listener_.get(), from.general(), &from.size, SOCK_CLOEXEC));
      if (!in && (errno == EMFILE || errno == ENFILE)) pause();
      if (!in) return true;
      Hello hello;
      if (from.size != offsetof(sockaddr_un, sun_path) + 1 + sizeof hello) continue;
      std::memcpy(&hello, from.address.sun_path + 1, sizeof hello);
      char why[btl::kReasonSize];
      const btl::Proc* proc = hello.is_for(host->job()) ? host->proc(hello.from, why, sizeof why) : nullptr;
      if (!proc || !is_process(in, proc->pid)) continue;  // a stranger: it gets no byte
      if (const auto peer = find_or_make(hello.from)) (*peer)->adopt(std::move(in));
    }
    return false;
  }

  /// Out of descriptors: the callers are left in the kernel's queue for 100 ms, or the event would come at
  /// once and for ever.
  void pause() noexcept {
    host->rewatch(listener_.get(), 0);
    const auto call = [](void* self) noexcept { static_cast<Component*>(self)->resume(); };
    if (timer_ == 0) timer_ = host->call_at(hawser::now_ns() + 100'000'000, call, this);
    if (timer_ == 0) resume();  // no memory for a call: better at once than never
  }
  void resume() noexcept { timer_ = 0, host->rewatch(listener_.get(), EPOLLIN); }

  Fd listener_;
  std::uint64_t timer_ = 0;  // that ends the pause
  std::unique_ptr<Peers> peers_;
  hawser::Mutex<hawser::LockRank::kComponent> mutex_;
  std::unique_ptr<Endpoint> let_go_ HAWSER_GUARDED_BY(mutex_);
};

}  // namespace

// How-to, section 4: the four answers. An immediate message is copied or refused, a described one may also
// wait.
Posted Module::sendi(btl::Endpoint& to, btl::Head head, const void* data, std::size_t size) noexcept {
  const iovec piece{const_cast<void*>(data), size};
  const Frame frame{static_cast<std::uint32_t>(size), head.tag, static_cast<std::uint8_t>(head.size)};
  return static_cast<Endpoint&>(to).post(frame, head.bytes, &piece, 1, nullptr);
}
Posted Module::send(btl::Endpoint& to, btl::Descriptor& d) noexcept {
  return static_cast<Endpoint&>(to).post(Frame::of(d), d.header, d.data, d.data_count, &d);
}
void Module::abandon(btl::Endpoint& to) noexcept {
  static_cast<Endpoint&>(to).end(Errc::kUnreachable, false);
  static_cast<Endpoint&>(to).close();
}

}  // namespace btl_ferry

// How-to, section 9.
HAWSER_BTL_COMPONENT("ferry", "0.1.0", btl_ferry::kParamRows, &btl_ferry::Component::create,
                     &btl_ferry::Component::destroy);
