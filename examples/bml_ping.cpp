// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Active messages over the BML, without MPI: rank 0 pings every rank, and tells how long that takes and which
// rails carried the bytes.   hawser run -n 2 bml_ping
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "bml/bml.hpp"

using namespace hawser;

namespace {

// 1. Every kind of message has a tag, the same in all ranks; programs use 0x40 and above.
constexpr btl::Tag kPing = 0x40, kPong = 0x41, kStop = 0x42;
constexpr int kRounds = 1000;
constexpr std::size_t kBytes = 64;

struct Program {
  std::unique_ptr<Runtime> runtime;
  std::unique_ptr<bml::Bml> bml;
  int pongs = 0;
  int stops = 0;
};

/// What `make` gave; before there is a job that could be aborted.
template <class T>
T need(Result<T> result) {
  if (result) return std::move(*result);
  fmt::print(stderr, "bml_ping: {}\n", result.error().text);
  std::exit(1);
}

// 5. A small message goes out at once, or is queued in a descriptor of ours that comes back when it is sent.
void send(bml::Bml& bml, bml::Peer& peer, btl::Tag tag) {
  static const char data[kBytes] = "what a hawser is for";
  const std::uint64_t header = bml.runtime().job().rank;
  if (bml.sendi(peer, {&header, sizeof header, tag}, data, kBytes) == btl::Posted::kDone) return;
  struct Queued {
    btl::Descriptor descriptor;
    iovec bytes;
  };
  auto* queued = new Queued{{}, {const_cast<char*>(data), kBytes}};
  btl::Descriptor& descriptor = queued->descriptor;
  descriptor.tag = tag;
  descriptor.header_size = sizeof header;
  std::memcpy(descriptor.header, &header, sizeof header);
  descriptor.data = &queued->bytes;
  descriptor.data_count = 1;
  descriptor.data_size = kBytes;
  descriptor.owner = queued;
  descriptor.on_complete = [](btl::Descriptor& self, Errc) noexcept {
    delete static_cast<Queued*>(self.owner);
  };
  if (bml.send(peer, descriptor) != btl::Posted::kPending) delete queued;
}

// 2. Handlers run while somebody waits or makes progress, with no lock held; they may post, but not wait.
void set_handlers(Program& program) {
  auto& entries = program.runtime->handler_table().entries;
  entries[kPing] = {.deliver =
                        [](void* context, const btl::Message& message) noexcept {
                          auto& bml = *static_cast<Program*>(context)->bml;
                          if (auto peer = bml.peer(message.rank)) send(bml, **peer, kPong);
                        },
                    .context = &program};
  entries[kPong] = {
      .deliver = [](void* context, const btl::Message&) noexcept { ++static_cast<Program*>(context)->pongs; },
      .context = &program};
  entries[kStop] = {
      .deliver = [](void* context, const btl::Message&) noexcept { ++static_cast<Program*>(context)->stops; },
      .context = &program};
}

void ping(Program& program, std::uint32_t rank) {
  // 4. The first use of a peer wires it up over all transports that reach it.
  const auto found = program.bml->peer(rank);
  if (!found) program.runtime->abort(1, found.error().text);
  bml::Peer& peer = **found;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 1; i <= kRounds; ++i) {
    send(*program.bml, peer, kPing);
    program.runtime->engine().wait_until([&] { return program.pongs == i; });
  }
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  program.pongs = 0;
  fmt::print("rank {}: {:.2f} us one way, {} bytes, rails:", rank, took.count() / kRounds / 2, kBytes);
  for (const bml::Rail& rail : peer.rails().send) {
    const auto* sent = &rail.module->counters().values[static_cast<int>(btl::BaseCounter::kBytesSent)];
    fmt::print(" {} ({}, {} bytes to all peers)", rail.module->name(), rail.component, sent->load());
  }
  fmt::print("\n");
  send(*program.bml, peer, kStop);
}

}  // namespace

int main() {
  Program program;
  program.runtime = need(Runtime::make());
  program.bml = need(bml::Bml::make(*program.runtime));
  set_handlers(program);
  if (auto started = program.runtime->start(); !started)
    program.runtime->abort(1, started.error().text);  // 3.
  program.bml->start();

  if (program.runtime->job().rank == 0) {
    for (std::uint32_t rank = 0; rank < program.runtime->job().size; ++rank) ping(program, rank);
  }
  program.runtime->engine().wait_until([&] { return program.stops == 1; });
  program.runtime->engine().wait_until([&] { return program.bml->idle(); });
  program.runtime->stop();  // 6.
  return 0;
}
