// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/modex_input.hpp"

#include <sys/socket.h>

#include <cstdlib>
#include <map>
#include <string>

#include "framework/base/fd.hpp"
#include "framework/modex/embedded.hpp"
#include "tools/run/server.hpp"

namespace hawser::modex {

using namespace protocol;

namespace {

constexpr std::uint32_t kRanks = 3;

void require(bool kept) {
  if (!kept) std::abort();
}

/// What was read is written as it was read; but for flags, of which any value but 0 is true.
template <class M>
void read_message(std::string_view payload, bool comes_back) {
  M message;
  if (!decode(payload, message)) return;
  const std::string again = encode(message);
  M twice;
  require(decode(std::string_view(again).substr(kHeaderSize), twice));
  require(!comes_back || again.substr(kHeaderSize) == payload);
}

void read_messages(std::string_view payload) {
  read_message<Hello>(payload, true);
  read_message<Welcome>(payload, true);
  read_message<Refused>(payload, true);
  read_message<Commit>(payload, true);
  read_message<Committed>(payload, true);
  read_message<Fence>(payload, false);
  read_message<FenceDone>(payload, true);
  read_message<Get>(payload, true);
  read_message<Got>(payload, true);
  read_message<Report>(payload, true);
  read_message<Reported>(payload, false);
  read_message<Abort>(payload, true);
}

void read_blob(std::string_view bytes) {
  const auto blob = decode_blob(bytes);
  if (!blob) return require(!blob.error().text.empty());
  std::size_t size = 0;
  for (const auto& [key, value] : *blob) {
    size += key.size() + value.size();
    require(find_in_blob(bytes, key) == value);
  }
  require(size <= bytes.size());
  require(*decode_blob(encode_blob(*blob)) == *blob);
}

/// The launcher's half: answers go only to those that asked, one for each question.
class Ledger final : public tools::ServerEvents {
 public:
  void send(std::uint32_t rank, const SharedFrame& bytes) override {
    FrameCutter cutter(kMaxFromLauncher);
    cutter.append(bytes->data(), bytes->size());
    const auto frame = cutter.next();
    require(frame && *frame);
    if ((*frame)->type == Type::kGot || (*frame)->type == Type::kFenceDone)
      require(--owed[{rank, (*frame)->type}] >= 0);
  }
  void on_abort(std::uint32_t, int, const std::string&) override {}
  void on_fault(std::uint32_t rank, const std::string& text) override {
    require(rank < kRanks && !text.empty());
  }
  std::map<std::pair<std::uint32_t, Type>, int> owed;
};

/// Each step: a byte for rank and type, one for the length, then the payload. A type of 15 is an exit.
void drive_server(std::string_view bytes) {
  btl::Job job{};
  job.size = kRanks;
  Ledger ledger;
  tools::ModexServer server(job, ledger);
  while (bytes.size() >= 2) {
    const auto what = static_cast<unsigned char>(bytes[0]);
    const std::uint32_t rank = (what >> 4) % kRanks;
    const auto type = static_cast<Type>(what & 15);
    const std::size_t size =
        std::min<std::size_t>(static_cast<unsigned char>(bytes[1]) % 48, bytes.size() - 2);
    const std::string payload(bytes.substr(2, size));
    bytes.remove_prefix(2 + size);
    if ((what & 15) == 15) {
      server.on_exit(rank, "exited");
      continue;
    }
    if (type == Type::kGet) ++ledger.owed[{rank, Type::kGot}];
    if (type == Type::kFence) ++ledger.owed[{rank, Type::kFenceDone}];
    server.on_frame(rank, Frame{type, payload});
    if (const auto next = server.next_deadline(); next && size % 7 == 0) server.run_timers(*next);
  }
}

/// The rank's half: whatever the launcher says, a get ends, and with an outcome that is one.
void drive_rank(std::string_view bytes) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  const Fd ours(ends[0]);
  Fd theirs(ends[1]);
  Welcome welcome;
  welcome.job.size = kRanks;
  const std::string first = encode(welcome);
  std::string all = first;
  all.append(bytes);
  if (::send(theirs.get(), all.data(), all.size(), MSG_DONTWAIT) != static_cast<ssize_t>(all.size())) return;
  ::shutdown(theirs.get(), SHUT_WR);
  auto modex = Embedded::join(ours.get(), deadline_in(std::chrono::seconds(10)));
  if (!modex) return require(!modex.error().text.empty());
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    const auto got = (*modex)->get(rank, "key", deadline_in(std::chrono::seconds(10)));
    require(got || (got.error().code != Errc::kTimedOut && !got.error().text.empty()));
  }
  const auto met = (*modex)->fence(true, deadline_in(std::chrono::seconds(10)));
  require(met || (met.error().code != Errc::kTimedOut && !met.error().text.empty()));
}

void cut_frames(std::string_view bytes) {
  FrameCutter whole(kMaxFromRank);
  FrameCutter pieces(kMaxFromRank);
  whole.append(bytes.data(), bytes.size());
  for (const char& byte : bytes) {
    pieces.append(&byte, 1);
    for (auto frame = pieces.next(); frame && *frame; frame = pieces.next()) {
      const auto same = whole.next();
      require(same && *same && (*same)->type == (*frame)->type && (*same)->payload == (*frame)->payload);
      read_messages((*frame)->payload);
    }
  }
  const auto last = whole.next();
  require(!last || !*last);
}

}  // namespace

void read_foreign_input(const unsigned char* data, std::size_t size) {
  if (size == 0) return;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 5) {
    case 0:
      return read_messages(bytes);
    case 1:
      return read_blob(bytes);
    case 2:
      return cut_frames(bytes);
    case 3:
      return drive_server(bytes);
    default:
      return drive_rank(bytes);
  }
}

}  // namespace hawser::modex
