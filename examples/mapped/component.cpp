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

#include "endpoint.hpp"
#include "framework/base/sealed_memory.hpp"
#include "framework/btl/abi.hpp"
#include "framework/btl/peer_facts.hpp"

namespace btl_mapped {
namespace {

using hawser::Fd;
using hawser::make_error;
using hawser::Result;
using hawser::system_error;

constexpr char kKey[] = "btl.mapped";

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

class Component final : public Module {
 public:
  ~Component() {
    if (inbox.memory) ::munmap(inbox.memory, Inbox::size_for(host().job().size, inbox.ring_size));
  }

  int progress() noexcept override {
    int moved = 0;
    if (inbox.door().knocks.load(std::memory_order_acquire) != heard_) moved += answer_knocks();
    peers().for_each([&](Endpoint& peer) { moved += peer.poll(); });
    return moved;
  }
  /// Says first that we sleep, and looks then: who puts something after the look sees that it must ring.
  bool arm() noexcept override {
    inbox.door().is_asleep.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with Endpoint::ring_if_asleep
    bool news = inbox.door().knocks.load(std::memory_order_acquire) != heard_;
    peers().for_each([&](Endpoint& peer) { news = news || peer.has_news(); });
    return !news;
  }
  void disarm() noexcept override { inbox.door().is_asleep.store(0, std::memory_order_relaxed); }

  void close() noexcept override {
    Module::close();
    bell.reset();  // last: the goodbyes ring at those who sleep
  }

 private:
  Result<void> set_up() override {
    const std::uint64_t largest = std::max(g_max_send_size, g_eager_limit);
    attributes_.exclusivity = 1;
    attributes_.flags = btl::kFlagSend | btl::kFlagOrdered;
    attributes_.eager_limit = attributes_.rndv_eager_limit = g_eager_limit;
    attributes_.max_send_size = largest;
    attributes_.latency_ns = 1'000;
    attributes_.bandwidth_mbps = 20'000;
    inbox.ring_size = std::bit_ceil(std::max(g_ring_size, 4 * (largest + 128)));
    if (auto made = make_inbox(); !made) return made;
    if (!make_bell()) return system_error("no socket to be woken by", errno);
    const Errc status = btl::watch<&Component::on_bell>(host(), bell.get(), EPOLLIN, *this);
    if (status != Errc::kOk) return make_error(status, "our bell cannot be watched: {}", to_text(status));
    return btl::publish(host(), kKey, card_);  // last: from here on they come
  }
  void shut() noexcept override { host().unwatch(bell.get()); }

  // No name in a file system, so nothing is left behind; sealed, so that no peer can take the memory away.
  Result<void> make_inbox() {
    const std::size_t size = Inbox::size_for(host().job().size, inbox.ring_size);
    auto memory = hawser::make_sealed_memory("hawser-mapped", size, size);
    if (memory) inbox.memory = map(*memory, size);
    if (!inbox.memory)
      return make_error(Errc::kOutOfMemory,
                        "no memory for the rings: {}; btl_mapped_ring_size is its size for each rank",
                        std::strerror(memory ? errno : memory.error().sys_errno));
    memory_ = std::move(*memory);
    new (inbox.memory) Door{.job = host().job().id, .rank = host().job().rank};
    for (std::uint32_t rank = 0; rank < host().job().size; ++rank) new (&inbox.ring(rank)) Ring;
    card_.ring_size = inbox.ring_size;
    card_.largest = attributes_.max_send_size;
    card_.memory = memory_.get();
    return {};
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

  void on_bell() noexcept {
    char bytes[16];
    for (int i = 0; i < 16; ++i) {  // anybody may ring: the event comes again while there is more
      if (::recv(bell.get(), bytes, sizeof bytes, 0) < 0) return;
    }
  }

  /// Somebody has come: whoever it is finds us whole, or we make the way whole, as a first send does.
  int answer_knocks() noexcept {
    heard_ = inbox.door().knocks.load(std::memory_order_acquire);
    for (std::uint32_t rank = 0; rank < host().job().size; ++rank) {
      if (inbox.ring(rank).writer.load(std::memory_order_acquire) == Side::kAbsent || peers().find(rank))
        continue;
      if (const auto peer = find_or_make(rank); !peer)
        host().log(btl::LogLevel::kWarn, "mapped", peer.error().text.c_str());
    }
    return 1;
  }

  Result<std::unique_ptr<Endpoint>> make(std::uint32_t rank) override {
    const auto proc = btl::local_proc(host(), rank);
    if (!proc) return proc.error();
    const auto card = btl::published_by<Card>(host(), rank, kKey);
    if (!card) return card.error();
    if (card->magic != Door::kMagic || card->bell_size > sizeof card->bell)
      return make_error(Errc::kVersion, "rank {} uses another version of mapped", rank);
    // Either way: a ring that only one side uses would swallow messages.
    if (card->largest != attributes_.max_send_size)
      return make_error(Errc::kUnreachable,
                        "largest message: {} here, {} at rank {}; make btl_mapped_max_send_size equal",
                        attributes_.max_send_size, card->largest, rank);
    return reach(**proc, *card);
  }

  /// Opens the peer's memory through its process, which the kernel permits to its own user alone.
  Result<std::unique_ptr<Endpoint>> reach(const btl::Proc& proc, const Card& card) {
    // First: from here on the number means this process. (A system call: the header of glibc 2.36 is no C++.)
    Fd process(static_cast<int>(::syscall(SYS_pidfd_open, proc.pid, 0)));
    if (!process) return system_error(fmt::format("watching the process of rank {}", proc.rank), errno);
    const auto memory = hawser::open_of_process(proc.pid, card.memory, O_RDWR, "inbox");
    if (!memory) return memory.error();
    const std::size_t size = Inbox::size_for(host().job().size, card.ring_size);
    struct stat file {};
    const bool whole = std::has_single_bit(card.ring_size) && card.ring_size <= std::uint64_t{1} << 32 &&
                       ::fstat(memory->get(), &file) == 0 && static_cast<std::size_t>(file.st_size) == size &&
                       hawser::is_sealed(memory->get());
    if (!whole) return make_error(Errc::kProtocol, "the inbox of rank {} is no inbox", proc.rank);
    const Inbox theirs{map(*memory, size), card.ring_size};
    if (!theirs.memory) return system_error(fmt::format("mapping the inbox of rank {}", proc.rank), errno);
    auto peer = std::make_unique<Endpoint>(*this, proc.rank, card, theirs, std::move(process));
    if (theirs.door().magic != Door::kMagic || theirs.door().job != host().job().id ||
        theirs.door().rank != proc.rank)
      return make_error(Errc::kPeerGone, "the process of rank {} is another one by now", proc.rank);
    return peer;
  }

  Card card_;
  Fd memory_;
  std::uint32_t heard_ = 0;  // knocks; the progress role's
};

}  // namespace
}  // namespace btl_mapped

HAWSER_BTL_COMPONENT("mapped", "0.1.0", btl_mapped::kParamRows, &hawser::btl::create<btl_mapped::Component>,
                     &hawser::btl::destroy<btl_mapped::Component>);
