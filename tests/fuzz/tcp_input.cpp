// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/tcp_input.hpp"

#include <sys/socket.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "components/tcp/blob.hpp"
#include "components/tcp/hello.hpp"
#include "components/tcp/receive_half.hpp"
#include "framework/base/fd.hpp"

namespace hawser::tcp {
namespace {

constexpr std::uint64_t kLargest = 200'000;

void require(bool promise) {
  if (!promise) std::abort();
}

void feed_blob(const unsigned char* data, std::size_t size) {
  const auto blob = decode({reinterpret_cast<const char*>(data), size});
  if (!blob) {
    require(!blob.error().text.empty());
    return;
  }
  require(blob->addresses.size() <= kMaxAddresses && blob->links != 0);
  matching::Question question;
  for (const Published& address : blob->addresses) {
    require(address.candidate.prefix <= address.candidate.address.bits());
    require(blob->offers(address.first_module));
    question.theirs.push_back(address.candidate);
  }
  require(blob->routes.size() <= interfaces::kMaxRoutes);
  for (const interfaces::Route& route : blob->routes) require(route.prefix <= route.network.bits());
  question.ours = question.theirs;
  question.our_routes = question.their_routes = blob->routes;
  matching::match(question);
}

void feed_hello(const unsigned char* data, std::size_t size) {
  btl::Job job{};
  const Notary notary(job);
  HelloBytes hello{};
  AnswerBytes answer{};
  std::memcpy(hello.data(), data, std::min(size, hello.size()));
  std::memcpy(answer.data(), data, std::min(size, answer.size()));
  const char* why = "";
  // A seal cannot be guessed: what is read was written with the secret.
  if (const auto read = notary.read_hello(hello, why)) require(notary.write_hello(*read) == hello);
  if (const auto read = notary.read_answer(hello, answer))
    require(notary.write_answer(hello, *read) == answer);
}

/// Counts what it is given and writes over every byte it was promised.
struct Receiver {
  std::vector<unsigned char> memory;
  bool placing = false;
  std::uint64_t checksum = 0;

  static void deliver(void* context, const btl::Message& message) noexcept {
    auto& self = *static_cast<Receiver*>(context);
    require(message.size <= kLargest && message.header_size <= btl::kMaxHeader);
    require(reinterpret_cast<std::uintptr_t>(message.header) % 8 == 0);
    const auto* bytes = static_cast<const unsigned char*>(message.data);
    for (std::size_t i = 0; i < message.size; ++i) self.checksum += bytes[i];
    if (message.placed) {
      require(self.placing && message.data == self.memory.data());
      self.placing = false;
    }
  }
  static bool place(void* context, const btl::Message& head, btl::Placement& out) noexcept {
    auto& self = *static_cast<Receiver*>(context);
    require(!self.placing && head.size <= kLargest);
    self.placing = true;
    self.memory.assign(head.size, 0);
    out = {self.memory.data(), &self};
    return true;
  }
  static void abandon(void* context, const btl::Message&) noexcept {
    auto& self = *static_cast<Receiver*>(context);
    require(self.placing);
    self.placing = false;
  }
};

void feed_frames(const unsigned char* data, std::size_t size) {
  Receiver receiver;
  auto table = std::make_unique<btl::HandlerTable>();
  table->entries[1] = {&Receiver::deliver, nullptr, nullptr, &receiver};
  table->entries[2] = {&Receiver::deliver, &Receiver::place, &Receiver::abandon, &receiver};
  ModuleCounters counters;
  ReadBuffer spare;
  ReceiveHalf half(*table, counters, spare, 0, kLargest);
  require(half.start());
  int pair[2];
  require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
  const Fd reader(pair[0]);
  Fd writer(pair[1]);
  auto result = ReceiveHalf::Result::kOk;
  int moved = 0;
  for (std::size_t at = 0; at < size && result == ReceiveHalf::Result::kOk;) {
    const std::size_t step =
        std::min<std::size_t>(size - at, 1 + data[at] * 97u);  // cut where the input says
    const ssize_t sent = ::send(writer.get(), data + at, step, MSG_NOSIGNAL);
    require(sent > 0);
    at += static_cast<std::size_t>(sent);
    result = half.pump(reader.get(), moved);
    std::string update;
    if (half.take_update(update)) require(update.size() <= kMaxBlob);
  }
  if (result == ReceiveHalf::Result::kBad) require(half.what_was_bad()[0] != '\0');
  half.abandon();
  require(!receiver.placing);
}

}  // namespace

void read_foreign_input(const unsigned char* data, std::size_t size) {
  if (size == 0) return;
  switch (data[0] % 3) {
    case kFeedBlob:
      feed_blob(data + 1, size - 1);
      break;
    case kFeedHello:
      feed_hello(data + 1, size - 1);
      break;
    default:
      feed_frames(data + 1, size - 1);
      break;
  }
}

}  // namespace hawser::tcp
