// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/rank.hpp"

#include <cstring>
#include <stdexcept>

#include "framework/base/mutex.hpp"

namespace hawser::conformance {

namespace {

// Set while this thread is inside a post: a completion that comes then came too early.
thread_local bool t_posting = false;

struct Posting {
  Posting() { t_posting = true; }
  ~Posting() { t_posting = false; }
};

constexpr unsigned char kUnset = 0xee;

}  // namespace

Subject& subject() {
  static Subject it;
  return it;
}

unsigned char pattern(const Stamp& stamp, std::size_t i) noexcept {
  return static_cast<unsigned char>(stamp.number * 31 + stamp.stream * 17 + i * 7 + (i >> 8) + (i >> 16));
}

std::vector<unsigned char> make_data(const Stamp& stamp) {
  std::vector<unsigned char> bytes(stamp.size);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = pattern(stamp, i);
  return bytes;
}

void Parcel::fill(Stamp stamp, std::uint8_t header_bytes, std::size_t pieces) {
  tag = kTag;
  header_size = header_bytes;
  std::memset(header, 0, sizeof header);
  std::memcpy(header, &stamp, sizeof stamp);
  bytes = make_data(stamp);
  parts.clear();
  std::size_t at = 0;
  for (std::size_t i = 0; i < pieces; ++i) {
    // Unequal parts, some of them empty; the last takes the rest.
    const std::size_t left = bytes.size() - at;
    const std::size_t part = i + 1 == pieces ? left : (i % 3 == 1 ? 0 : left / 2);
    parts.push_back({bytes.data() + at, part});
    at += part;
  }
  data = parts.data();
  data_count = static_cast<std::uint32_t>(parts.size());
  data_size = bytes.size();
  completions = 0;
}

void Parcel::completed(btl::Descriptor& self, Errc status) noexcept {
  assert_no_locks_held();
  auto& parcel = static_cast<Parcel&>(self);
  EXPECT_FALSE(t_posting) << "completed inside the post";
  parcel.outcome = status;
  parcel.completions.fetch_add(1);
}

Rank::Rank(Board& board, std::uint32_t rank, std::uint32_t size) : own_(rank), host_(board, rank, size) {
  host_.table().entries[kTag] = {&deliver, nullptr, nullptr, this};
  host_.table().entries[kPlacedTag] = {&deliver, &place, &abandon, this};
  auto found = loader_.discover(registry_, subject().path);
  if (!found) throw std::runtime_error(found.error().text);
  auto applied = registry_.apply(subject().settings);
  if (!applied) throw std::runtime_error(applied.error().text);
  auto selected = loader_.select(subject().component);
  if (!selected) throw std::runtime_error(selected.error().text);
  auto opened = loader_.open(host_);
  if (!opened) throw std::runtime_error(opened.error().text);
  component_ = loader_.components().front();
  host_.commit();
}

Rank::~Rank() {
  close();
}

btl::Reach Rank::reach(std::uint32_t rank) {
  btl::Reach reach;
  component_->add_procs(rank, reach);
  return reach;
}

btl::Reach::Rail Rank::rail() {
  if (!endpoint_) {
    const btl::Reach found = reach(peer());
    if (found.count == 0) throw std::runtime_error(std::string("no way to the peer: ") + found.reason);
    module_ = found.rails[0].module;
    endpoint_ = found.rails[0].endpoint;
  }
  return {module_, endpoint_};
}

int Rank::pass() {
  const int moved = component_->progress();
  return moved + host_.loop().run(0);
}

std::int64_t Rank::sleep(int limit_ms) {
  std::int64_t slept = 0;
  if (component_->arm()) {
    const auto since = Clock::now();
    host_.loop().run(limit_ms);
    slept = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - since).count();
  }
  component_->disarm();
  return slept;
}

btl::Posted Rank::try_sendi(const Stamp& stamp, std::uint8_t header_bytes) {
  alignas(8) unsigned char header[btl::kMaxHeader] = {};
  std::memcpy(header, &stamp, sizeof stamp);
  const auto bytes = make_data(stamp);
  const auto way = rail();
  Posting posting;
  const btl::Posted posted =
      way.module->sendi(*way.endpoint, {header, header_bytes, kTag}, bytes.data(), bytes.size());
  EXPECT_NE(posted, btl::Posted::kPending) << "an immediate send pends";
  if (posted == btl::Posted::kNoResource) ++refusals_;
  return posted;
}

btl::Posted Rank::try_send(Parcel& parcel) {
  const auto way = rail();
  Posting posting;
  const btl::Posted posted = way.module->send(*way.endpoint, parcel);
  if (posted == btl::Posted::kNoResource) ++refusals_;
  return posted;
}

btl::Posted Rank::sendi(Stamp stamp, std::uint8_t header_bytes) {
  btl::Posted posted = btl::Posted::kNoResource;
  until([&] { return (posted = try_sendi(stamp, header_bytes)) != btl::Posted::kNoResource; },
        "room for a message");
  return posted;
}

btl::Posted Rank::send(Parcel& parcel) {
  btl::Posted posted = btl::Posted::kNoResource;
  until([&] { return (posted = try_send(parcel)) != btl::Posted::kNoResource; }, "room for a message");
  return posted;
}

void Rank::settle(Parcel& parcel, btl::Posted posted) {
  if (posted == btl::Posted::kPending) until([&] { return parcel.completions > 0; }, "a completion");
}

void Rank::barrier(const char* what) {
  const std::uint32_t ranks = subject().loopback ? 1 : 2;
  host_.board().arrived.fetch_add(1);
  const std::uint32_t all = ++barriers_ * ranks;
  until([&] { return host_.board().arrived.load() >= all; }, what);
}

std::uint64_t Rank::counter(const char* name) {
  const btl::CounterView view = rail().module->counters();
  for (std::size_t i = 0; i < view.count; ++i) {
    if (std::strcmp(view.info[i].name, name) == 0) return view.values[i].load();
  }
  ADD_FAILURE() << "no counter " << name;
  return 0;
}

void Rank::finish() {
  until([&] { return component_->flushed(); }, "everything flushed");
  barrier("the end");
  EXPECT_EQ(host_.complaints(), 0) << "a good run logs nothing";
  close();
  EXPECT_TRUE(host_.failures().empty()) << "a good run loses no rail: " << host_.failures().front().text;
}

void Rank::close() {
  if (closed_) return;
  closed_ = true;
  loader_.close();
}

void Rank::deliver(void* context, const btl::Message& message) noexcept {
  assert_no_locks_held();
  EXPECT_FALSE(t_posting) << "delivered inside a post";
  static_cast<Rank*>(context)->take(message);
}

void Rank::take(const btl::Message& message) {
  EXPECT_EQ(message.rank, peer());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(message.header) % 8, 0u);
  ASSERT_GE(message.header_size, sizeof(Stamp));
  Arrival arrival{{}, message.header_size};
  std::memcpy(&arrival.stamp, message.header, sizeof(Stamp));
  for (std::size_t i = sizeof(Stamp); i < message.header_size; ++i) {
    ASSERT_EQ(static_cast<const unsigned char*>(message.header)[i], 0) << "byte " << i << " of the header";
  }
  ASSERT_EQ(message.size, arrival.stamp.size) << "message " << arrival.stamp.number;
  EXPECT_TRUE(!message.placed || message.data == message.placed);
  const auto* bytes = static_cast<const unsigned char*>(message.data);
  for (std::size_t i = 0; i < message.size; ++i) {
    ASSERT_EQ(bytes[i], pattern(arrival.stamp, i)) << "byte " << i << " of message " << arrival.stamp.number;
  }
  arrivals_.push_back(arrival);
}

bool Rank::place(void* context, const btl::Message& head, btl::Placement& out) noexcept {
  assert_no_locks_held();
  auto& self = *static_cast<Rank*>(context);
  self.placed_.assign(head.size, kUnset);
  out = {self.placed_.data(), self.placed_.data()};
  return head.size != 0;
}

void Rank::abandon(void*, const btl::Message&) noexcept {}

}  // namespace hawser::conformance
