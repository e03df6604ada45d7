// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/tcp_fake_job.hpp"

#include <cstring>

#include "components/tcp/params.hpp"
#include "framework/base/clock.hpp"

namespace hawser::tcp::testing {

FakeJob::FakeJob(std::uint32_t ranks) : size(ranks) {
  job.id = 4711;
  job.size = ranks;
  job.local_size = ranks;
  job.cores = 2;
  std::memset(job.secret, 0x5a, sizeof job.secret);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    btl::Proc proc{};
    proc.rank = rank;
    proc.incarnation = 1000 + rank;
    std::snprintf(proc.host, sizeof proc.host, "testhost");
    procs.push_back(proc);
  }
}

btl::Job FakeJob::of(std::uint32_t rank) const {
  btl::Job result = job;
  result.rank = rank;
  return result;
}

Blob FakeJob::published(std::uint32_t rank) {
  const std::lock_guard lock(mutex);
  return *decode(blobs.at({rank, kBlobKey}));
}

Rank::Rank(FakeJob& job, std::uint32_t rank) : shared_(job), rank_(rank), own_job_(job.of(rank)) {
  handlers_.entries[1] = {&deliver, nullptr, nullptr, this};
  handlers_.entries[2] = {&deliver, &place, &abandon, this};
}

Rank::~Rank() {
  close();
}

std::string Rank::open() {
  char why[512] = "";
  const Errc code = component_.open(*this, why, sizeof why);
  open_ = code == Errc::kOk;
  return open_ ? "" : why;
}

void Rank::close() {
  if (open_) component_.close();
  open_ = false;
}

void Rank::turn(int timeout_ms) {
  if (!open_) return;
  component_.progress();
  loop_.run(component_.arm() ? timeout_ms : 0);
  component_.disarm();
}

void Rank::pass() {
  component_.progress();
  loop_.run(0);
}

void Rank::poll() {
  component_.progress();
}

btl::Reach Rank::reach(std::uint32_t rank) {
  btl::Reach result;
  component_.add_procs(rank, result);
  return result;
}

std::uint64_t Rank::count(Counter counter) const {
  std::uint64_t sum = 0;
  auto& self = const_cast<Rank&>(*this);
  for (std::size_t i = 0; i < component_.module_count(); ++i) {
    sum += self.component_.module(i).counters().values[static_cast<std::size_t>(counter)].load();
  }
  return sum;
}

const btl::Proc* Rank::proc(std::uint32_t rank, char* why, std::size_t why_size) noexcept {
  if (rank < shared_.size && rank != shared_.dead) return &shared_.procs[rank];
  std::snprintf(why, why_size, rank == shared_.dead ? "it ended before it published" : "no such rank");
  return nullptr;
}

Errc Rank::modex_put(const char* key, const void* data, std::size_t size) noexcept {
  const std::lock_guard lock(shared_.mutex);
  shared_.blobs[{rank_, key}] = std::string(static_cast<const char*>(data), size);
  return Errc::kOk;
}

Errc Rank::modex_get(std::uint32_t rank, const char* key, void* out, std::size_t capacity,
                     std::size_t* size) noexcept {
  const std::lock_guard lock(shared_.mutex);
  auto at = cache_.find({rank, key});
  if (at == cache_.end()) {
    const auto found = shared_.blobs.find({rank, key});
    if (found == shared_.blobs.end()) return Errc::kNotFound;
    at = cache_.insert(*found).first;
  }
  *size = at->second.size();
  if (at->second.size() > capacity) return Errc::kTruncated;
  std::memcpy(out, at->second.data(), at->second.size());
  return Errc::kOk;
}

void Rank::modex_forget(std::uint32_t rank) noexcept {
  const std::lock_guard lock(shared_.mutex);
  ++forgotten;
  cache_.erase({rank, kBlobKey});
}

Errc Rank::watch(int fd, std::uint32_t events, btl::WatchFunction function, void* context) noexcept {
  return refuse_watch ? Errc::kOutOfMemory : loop_.watch(fd, events, function, context);
}

std::uint64_t Rank::call_at(std::uint64_t at_ns, void (*function)(void*) noexcept, void* context) noexcept {
  return loop_.call_at(at_ns, function, context);
}

void Rank::rail_failed(std::uint32_t rank, btl::Module&, btl::Endpoint&, Errc status,
                       const char* text) noexcept {
  try {
    failures.push_back({rank, status, text});
  } catch (const std::bad_alloc&) {
    ++unsaid;
  }
}

void Rank::log(btl::LogLevel, const char*, const char* text) noexcept {
  log_lines.emplace_back(text);
}

void Rank::deliver(void* context, const btl::Message& message) noexcept {
  auto& self = *static_cast<Rank*>(context);
  self.received.push_back(
      {message.rank, std::string(static_cast<const char*>(message.header), message.header_size),
       std::string(static_cast<const char*>(message.data), message.size), message.placed != nullptr});
  self.placements_.erase(message.placed);
  if (self.on_deliver) self.on_deliver();
}

bool Rank::place(void* context, const btl::Message& head, btl::Placement& out) noexcept {
  auto& self = *static_cast<Rank*>(context);
  if (self.refuse_place) return false;
  auto memory = std::make_unique<std::string>(head.size, '\0');
  out = {memory->data(), memory.get()};
  self.placements_[memory.get()] = std::move(memory);
  return true;
}

void Rank::abandon(void* context, const btl::Message& head) noexcept {
  auto& self = *static_cast<Rank*>(context);
  self.abandoned += static_cast<int>(self.placements_.erase(head.placed));
}

Letter::Letter(btl::Tag tag, std::string header, std::string body) : data(std::move(body)) {
  piece = {data.data(), data.size()};
  descriptor.data = &piece;
  descriptor.data_count = 1;
  descriptor.data_size = data.size();
  descriptor.tag = tag;
  descriptor.header_size = static_cast<std::uint8_t>(header.size());
  std::memcpy(descriptor.header, header.data(), header.size());
  descriptor.scratch[3] = 0;
  descriptor.on_complete = [](btl::Descriptor& self, Errc status) noexcept {
    auto* letter = reinterpret_cast<Letter*>(&self);  // its first member
    ++letter->completions;
    letter->status = status;
  };
}

void reset_params() {
  g_params = Params{};
  g_params.if_include = "127.0.0.0/8";
  g_params.links = 1;
  g_params.eager_limit = 64 * 1024;
  g_params.rndv_eager_limit = 64 * 1024;
  g_params.max_send_size = 4 << 20;
  g_params.port_range_v4 = g_params.port_range_v6 = 1000;
  g_params.exclusivity = 100;
  g_params.latency_us = 100;
  g_params.connect_timeout_ns = 2'000'000'000;
  g_params.hello_timeout_ns = 200'000'000;
  g_params.silence_timeout_ns = 30'000'000'000;
  g_params.retries = 3;
  g_params.retry_pause_ns = 1'000'000;
  g_params.half_open_max = 16;
}

bool drive(const std::vector<Rank*>& ranks, const std::function<bool()>& done) {
  const Deadline deadline = deadline_in(std::chrono::seconds(10));
  while (!done()) {
    if (Clock::now() > deadline) return done();
    for (Rank* rank : ranks) rank->turn();
  }
  return true;
}

}  // namespace hawser::tcp::testing
