// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// A component that polls: each process has a file in memory with one ring for each rank that sends to it.
// Read it after how-to-write-a-component.md; what differs from the component of `hawser new` is explained
// here.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <new>

#include "endpoint.hpp"
#include "framework/base/sealed_memory.hpp"
#include "framework/btl/abi.hpp"
#include "framework/peers/peer_table.hpp"

namespace btl_mapped {
namespace {

using hawser::Fd;
using hawser::make_error;
using hawser::system_error;

constexpr char kKey[] = "btl.mapped";
constexpr std::chrono::seconds kPatience{10};

std::uint64_t g_eager_limit, g_max_send_size, g_ring_size;
const hawser::mca::ParamRow kParamRows[] = {
    hawser::mca::param_size("eager_limit", &g_eager_limit, "4k", {1, 1 << 20}, 4,
                            "largest message sent without asking"),
    hawser::mca::param_size("max_send_size", &g_max_send_size, "16k", {1, 1 << 24}, 4, "largest single send"),
    hawser::mca::param_size("ring_size", &g_ring_size, "64k", {4096, 1 << 28}, 5,
                            "room for the messages of one peer; at least four of the largest fit"),
};

unsigned char* map(const Fd& memory, std::size_t size) noexcept {
  void* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  return at == MAP_FAILED ? nullptr : static_cast<unsigned char*>(at);
}

class Component final : public btl::Component, public Module {
 public:
  ~Component() {
    if (inbox.memory) ::munmap(inbox.memory, Inbox::size_for(host->job().size, inbox.ring_size));
  }

  Errc open(btl::Host& the_host, char* why, std::size_t why_size) noexcept override try {
    host = &the_host;
    const std::uint64_t largest = std::max(g_max_send_size, g_eager_limit);
    attributes_ = {
        1, btl::kFlagSend | btl::kFlagOrdered, g_eager_limit, g_eager_limit, largest, 0, 0, 1'000, 20'000};
    inbox.ring_size = std::bit_ceil(std::max(g_ring_size, 4 * (largest + 128)));
    peers_ = std::make_unique<Peers>(host->job().size);
    const char* what =
        make_inbox() ? make_bell() ? nullptr : "a socket to be woken by" : "memory for the rings";
    if (what) {
      std::snprintf(why, why_size, "no %s: %s; btl_mapped_ring_size is its size for each rank", what,
                    std::strerror(errno));
      return Errc::kOutOfMemory;
    }
    Errc status = host->modex_put(kKey, &card_, sizeof card_);
    if (status == Errc::kOk) status = host->watch(bell.get(), EPOLLIN, &Component::on_bell, this);
    if (status != Errc::kOk)
      std::snprintf(why, why_size, "the address cannot be offered: %s", to_text(status));
    return status;
  } catch (const std::bad_alloc&) {
    std::snprintf(why, why_size, "out of memory");
    return Errc::kOutOfMemory;
  }
  std::size_t module_count() const noexcept override { return 1; }
  btl::Module& module(std::size_t) noexcept override { return *this; }

  void add_procs(std::uint32_t rank, btl::Reach& reach) noexcept override {
    const auto peer = find_or_make(rank);
    reach.status = peer ? Errc::kOk : peer.error().code;
    reach.count = peer ? 1 : 0;
    if (peer) reach.rails[0] = {this, *peer};
    std::snprintf(reach.reason, sizeof reach.reason, "%s", peer ? "" : peer.error().text.c_str());
  }
  void release_peer(std::uint32_t rank) noexcept override {
    auto peer = peers_->take(rank);
    if (!peer) return;
    peer->end(Side::kSaidGoodbye);
    const hawser::Lock lock(mutex_);
    peer->next = std::move(let_go_);
    let_go_ = std::move(peer);
  }

  int progress() noexcept override {
    int moved = 0;
    if (inbox.door().knocks.load(std::memory_order_acquire) != heard_) moved += answer_knocks();
    peers_->for_each([&](Endpoint& peer) { moved += peer.poll(); });
    return moved;
  }
  /// Says first that we sleep, and looks then: who puts something after the look sees that it must ring.
  bool arm() noexcept override {
    inbox.door().is_asleep.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with Endpoint::ring_if_asleep
    bool news = inbox.door().knocks.load(std::memory_order_acquire) != heard_;
    peers_->for_each([&](Endpoint& peer) { news = news || peer.has_news(); });
    return !news;
  }
  void disarm() noexcept override { inbox.door().is_asleep.store(0, std::memory_order_relaxed); }

  bool flushed() noexcept override { return true; }  // what is in a ring is in the peer's hands
  void close() noexcept override {
    host->unwatch(bell.get());
    if (!peers_->close(hawser::deadline_in(kPatience))) return;  // a thread is inside and needs them
    for (std::uint32_t rank = 0; rank < peers_->size(); ++rank) release_peer(rank);
    for (auto peer = take_let_go(); peer; peer = std::move(peer->next)) peer->close();
    bell.reset();
  }

 private:
  using Peers = hawser::peers::PeerTable<Endpoint>;

  // No name in a file system, so nothing is left behind; sealed, so that no peer can take the memory away.
  bool make_inbox() noexcept {
    const std::size_t size = Inbox::size_for(host->job().size, inbox.ring_size);
    auto memory = hawser::make_sealed_memory("hawser-mapped", size, size);
    if (!memory) errno = memory.error().sys_errno;
    if (!memory) return false;
    memory_ = std::move(*memory);
    inbox.memory = map(memory_, size);
    if (!inbox.memory) return false;
    new (inbox.memory) Door{.job = host->job().id, .rank = host->job().rank};
    for (std::uint32_t rank = 0; rank < host->job().size; ++rank) new (&inbox.ring(rank)) Ring;
    card_.ring_size = inbox.ring_size;
    card_.largest = attributes_.max_send_size;
    card_.memory = memory_.get();
    return true;
  }

  bool make_bell() noexcept {
    bell = Fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    card_.bell.sun_family = AF_UNIX;
    socklen_t size = sizeof card_.bell.sun_family;
    auto* const any = reinterpret_cast<sockaddr*>(&card_.bell);
    if (!bell || ::bind(bell.get(), any, size) != 0) return false;
    size = sizeof card_.bell;
    if (::getsockname(bell.get(), any, &size) != 0) return false;
    card_.bell_size = size;
    return true;
  }

  static void on_bell(void* self, std::uint32_t) noexcept {
    char bytes[16];
    for (int i = 0; i < 16; ++i) {  // anybody may ring: the event comes again while there is more
      if (::recv(static_cast<Component*>(self)->bell.get(), bytes, sizeof bytes, 0) < 0) return;
    }
  }

  /// Somebody has come: whoever it is finds us whole, or we make the way whole, as a first send does.
  int answer_knocks() noexcept {
    heard_ = inbox.door().knocks.load(std::memory_order_acquire);
    for (std::uint32_t rank = 0; rank < host->job().size; ++rank) {
      if (inbox.ring(rank).writer.load(std::memory_order_acquire) == Side::kAbsent || peers_->find(rank))
        continue;
      if (const auto peer = find_or_make(rank); !peer)
        host->log(btl::LogLevel::kWarn, "mapped", peer.error().text.c_str());
    }
    return 1;
  }

  hawser::Result<Endpoint*> find_or_make(std::uint32_t rank) noexcept {
    auto peer = peers_->get_or_make(rank, hawser::deadline_in(kPatience), [&] { return make(rank); });
    const Errc status = peer ? (*peer)->start() : Errc::kOk;
    if (status != Errc::kOk) return make_error(status, "the process of rank {} cannot be watched", rank);
    return peer;
  }

  hawser::Result<std::unique_ptr<Endpoint>> make(std::uint32_t rank) {
    const btl::Job& job = host->job();
    if (rank == job.rank)
      return make_error(Errc::kUnreachable, "mapped does not reach its own rank; \"self\" does");
    char why[btl::kReasonSize] = "";
    const btl::Proc* own = host->proc(job.rank, why, sizeof why);
    const btl::Proc* proc = own ? host->proc(rank, why, sizeof why) : nullptr;
    if (!proc) return make_error(Errc::kNotFound, "nothing is known of rank {}: {}", rank, why);
    if (!same_node(*own, *proc))
      return make_error(Errc::kUnreachable, "rank {} is elsewhere, on {}", rank, proc->host);
    Card card;
    std::size_t size = 0;
    const Errc status = host->modex_get(rank, kKey, &card, sizeof card, &size);
    if (status == Errc::kNotFound) return make_error(Errc::kUnreachable, "rank {} does not use mapped", rank);
    if (status != Errc::kOk) return make_error(status, "the inbox of rank {}: {}", rank, to_text(status));
    if (size != sizeof card || card.magic != Door::kMagic || card.bell_size > sizeof card.bell)
      return make_error(Errc::kVersion, "rank {} uses another version of mapped", rank);
    // Either way: a ring that only one side uses would swallow messages.
    if (card.largest != attributes_.max_send_size)
      return make_error(Errc::kUnreachable,
                        "largest message: {} here, {} at rank {}; make btl_mapped_max_send_size equal",
                        attributes_.max_send_size, card.largest, rank);
    return reach(*proc, card);
  }

  /// Opens the peer's memory through its process, which the kernel permits to its own user alone.
  hawser::Result<std::unique_ptr<Endpoint>> reach(const btl::Proc& proc, const Card& card) {
    // First: from here on the number means this process. (A system call: the header of glibc 2.36 is no C++.)
    Fd process(static_cast<int>(::syscall(SYS_pidfd_open, proc.pid, 0)));
    if (!process) return system_error(fmt::format("watching the process of rank {}", proc.rank), errno);
    const auto memory = hawser::open_of_process(proc.pid, card.memory, O_RDWR, "inbox");
    if (!memory) return memory.error();
    const std::size_t size = Inbox::size_for(host->job().size, card.ring_size);
    struct stat file {};
    const bool whole = std::has_single_bit(card.ring_size) && card.ring_size <= std::uint64_t{1} << 32 &&
                       ::fstat(memory->get(), &file) == 0 && static_cast<std::size_t>(file.st_size) == size &&
                       hawser::is_sealed(memory->get());
    if (!whole) return make_error(Errc::kProtocol, "the inbox of rank {} is no inbox", proc.rank);
    const Inbox theirs{map(*memory, size), card.ring_size};
    if (!theirs.memory) return system_error(fmt::format("mapping the inbox of rank {}", proc.rank), errno);
    auto peer = std::make_unique<Endpoint>(*this, proc.rank, card, theirs, std::move(process));
    if (theirs.door().magic != Door::kMagic || theirs.door().job != host->job().id ||
        theirs.door().rank != proc.rank)
      return make_error(Errc::kPeerGone, "the process of rank {} is another one by now", proc.rank);
    return peer;
  }

  std::unique_ptr<Endpoint> take_let_go() noexcept {
    const hawser::Lock lock(mutex_);
    return std::move(let_go_);
  }

  Card card_;
  Fd memory_;
  std::uint32_t heard_ = 0;  // knocks; the progress role's
  std::unique_ptr<Peers> peers_;
  hawser::Mutex<hawser::LockRank::kComponent> mutex_;
  std::unique_ptr<Endpoint> let_go_ HAWSER_GUARDED_BY(mutex_);
};

btl::Component* create() {
  return new (std::nothrow) Component;
}
void destroy(btl::Component* component) {
  delete static_cast<Component*>(component);
}

}  // namespace

Posted Module::sendi(btl::Endpoint& to, btl::Head head, const void* data, std::size_t size) noexcept {
  const iovec piece{const_cast<void*>(data), size};
  const Frame frame{static_cast<std::uint32_t>(size), head.tag, static_cast<std::uint8_t>(head.size)};
  return static_cast<Endpoint&>(to).post(frame, head.bytes, &piece, 1);
}
Posted Module::send(btl::Endpoint& to, btl::Descriptor& d) noexcept {
  const Frame frame{static_cast<std::uint32_t>(d.data_size), d.tag, d.header_size};
  return static_cast<Endpoint&>(to).post(frame, d.header, d.data, d.data_count);
}
void Module::abandon(btl::Endpoint& to) noexcept {
  static_cast<Endpoint&>(to).end(Side::kBroken);
  static_cast<Endpoint&>(to).close();
}

}  // namespace btl_mapped

HAWSER_BTL_COMPONENT("mapped", "0.1.0", btl_mapped::kParamRows, &btl_mapped::create, &btl_mapped::destroy);
