// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/check/rank.hpp"

#include <algorithm>
#include <cstring>

namespace hawser::check {

const char* to_text(btl::Posted posted) noexcept {
  switch (posted) {
    case btl::Posted::kDone:
      return "done";
    case btl::Posted::kPending:
      return "pending";
    case btl::Posted::kNoResource:
      return "no resource";
    case btl::Posted::kUnreachable:
      return "unreachable";
  }
  return "something that is no answer";
}

Rank::Rank(const Part& part) : part_(part) {
  host_ = std::make_unique<Host>(part, loader_);
  host_->table().entries[kTag] = {&deliver, nullptr, nullptr, this};
  host_->table().entries[kPlacedTag] = {&deliver, &place, &abandon, this};
}

Rank::~Rank() {
  close();
}

Result<void> Rank::try_open() {
  if (!discovered_) {
    auto applied = registry_.apply(subject().settings);
    if (!applied) return applied;
    auto found = loader_.discover(registry_, subject().search_path);
    if (!found) return found;
    discovered_ = true;
  }
  host_->uncommit();
  auto selected = loader_.select(subject().name);
  if (!selected) return selected.error();
  auto opened = loader_.open(*host_);
  if (!opened) return opened;
  component_ = loader_.components().front();
  host_->commit();
  return {};
}

void Rank::open() {
  auto opened = try_open();
  require(opened.has_value(), "{}", opened ? "" : opened.error().text);
}

btl::Reach Rank::reach(std::uint32_t rank) {
  btl::Reach reach;
  component_->add_procs(rank, reach);
  return reach;
}

btl::Reach::Rail Rank::rail_to(std::uint32_t rank) {
  const btl::Reach found = reach(rank);
  require(found.count != 0, "no way to rank {}: {} ({})", rank, found.reason, to_text(found.status));
  return found.rails[0];
}

btl::Reach::Rail Rank::rail() {
  if (!endpoint_) {
    const btl::Reach::Rail first = rail_to(peer());
    module_ = first.module;
    endpoint_ = first.endpoint;
  }
  return {module_, endpoint_};
}

int Rank::pass() {
  const int moved = component_->progress();
  return moved + host_->loop().run(0);
}

void Rank::passes(int count) {
  for (int i = 0; i < count; ++i) pass();
}

std::int64_t Rank::sleep(int limit_ms) {
  std::int64_t slept = 0;
  if (component_->arm()) {
    const auto since = Clock::now();
    host_->loop().run(limit_ms);
    slept = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - since).count();
  }
  component_->disarm();
  return slept;
}

Stamp Rank::fitted(const Stamp& stamp, const btl::Module& module) noexcept {
  Stamp fits = stamp;
  fits.size = std::min<std::uint64_t>(stamp.size, module.attributes().eager_limit);
  return fits;
}

btl::Posted Rank::try_sendi(const Stamp& wanted, std::uint8_t header_bytes) {
  const auto way = rail();
  const Stamp stamp = fitted(wanted, *way.module);
  alignas(8) unsigned char header[btl::kMaxHeader] = {};
  std::memcpy(header, &stamp, sizeof stamp);
  auto bytes = make_data(stamp);
  btl::Posted posted;
  {
    Posting posting;
    posted = way.module->sendi(*way.endpoint, {header, header_bytes, kTag}, bytes.data(), bytes.size());
  }
  expect(posted != btl::Posted::kPending,
         "an immediate send answered pending; its bytes are copied before "
         "it returns, or it is refused");
  std::fill(bytes.begin(), bytes.end(), static_cast<unsigned char>(0xdd));  // they are ours again
  std::memset(header, 0xdd, sizeof header);
  note(posted);
  return posted;
}

void Rank::note(btl::Posted posted) noexcept {
  if (posted == btl::Posted::kNoResource) refusals_.fetch_add(1);
  if (posted == btl::Posted::kDone || posted == btl::Posted::kPending) note_move();
}

std::string Rank::loss() {
  const Deadline deadline = Clock::now() + std::chrono::seconds(waited_for_loss_ ? 0 : 1);
  while (host_->failures().empty() && Clock::now() < deadline) pass();
  waited_for_loss_ = true;
  if (host_->failures().empty()) return ", and no failure of the rail was reported";
  const Host::Failure& first = host_->failures().front();
  return fmt::format("; the rail to rank {} was reported as failed: \"{}\"", first.rank, first.text);
}

std::string Rank::told(btl::Posted posted) {
  const bool gone = posted == btl::Posted::kUnreachable;
  return gone ? to_text(posted) + loss() : to_text(posted);
}

std::string Rank::told(Errc outcome) {
  return outcome == Errc::kOk ? to_text(outcome) : to_text(outcome) + loss();
}

btl::Posted Rank::try_send(Parcel& parcel) {
  const auto way = rail();
  Posting posting;
  const btl::Posted posted = way.module->send(*way.endpoint, parcel);
  note(posted);
  return posted;
}

btl::Posted Rank::sendi(const Stamp& stamp, std::uint8_t header_bytes) {
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

btl::Posted Rank::send_whole(Parcel& parcel) {
  const btl::Posted posted = send(parcel);
  require(posted == btl::Posted::kDone || posted == btl::Posted::kPending, "a send of {} bytes answered {}",
          parcel.data_size, told(posted));
  if (posted == btl::Posted::kDone) parcel.scribble();  // the bytes are the poster's again
  return posted;
}

void Rank::say_over(btl::Reach::Rail way, const Stamp& wanted) {
  const Stamp stamp = fitted(wanted, *way.module);
  const auto bytes = make_data(stamp);
  btl::Posted posted = btl::Posted::kNoResource;
  until(
      [&] {
        posted = way.module->sendi(*way.endpoint, {&stamp, sizeof stamp, kTag}, bytes.data(), bytes.size());
        note(posted);
        return posted != btl::Posted::kNoResource;
      },
      "room for a message");
  require(posted == btl::Posted::kDone, "an immediate send of {} bytes answered {}", stamp.size,
          told(posted));
}

void Rank::settle(Parcel& parcel, btl::Posted posted) {
  if (posted == btl::Posted::kPending)
    until([&] { return parcel.completions > 0; }, "the completion of a descriptor that pends");
}

void Rank::await(std::size_t count) {
  const std::string what = fmt::format("{} messages that were sent", count);
  until([&] { return arrivals_.size() >= count; }, what.c_str());
}

void Rank::expect_each_once(std::size_t count) {
  require(arrivals_.size() == count, "{} messages arrived of {} that were sent", arrivals_.size(), count);
  if ((attributes().flags & btl::kFlagOrdered) == 0) {
    std::sort(arrivals_.begin(), arrivals_.end(),
              [](const Arrival& one, const Arrival& other) { return one.stamp.number < other.stamp.number; });
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = arrivals_[i].stamp.number;
    require(number == i, "message {} arrived where message {} was due", number, i);
  }
}

void Rank::meet() {
  say({0, own(), 10});
  await(1);
  barrier("the first message each way");
}

void Rank::barrier(const char* what) {
  board().arrived.fetch_add(1);
  const std::uint32_t all = ++barriers_ * ranks();
  until([&] { return board().arrived.load() >= all; }, what);
}

std::uint64_t Rank::counter(const char* name) {
  const btl::CounterView view = rail().module->counters();
  for (std::size_t i = 0; i < view.count; ++i) {
    if (std::strcmp(view.info[i].name, name) == 0) return view.values[i].load();
  }
  require(false, "the module has no counter \"{}\"", name);
  return 0;
}

void Rank::finish() {
  until([&] { return component_->flushed(); }, "everything to be flushed");
  barrier("the end of the other ranks");
  expect(host_->complaints() == 0, "a good run logs no warning; this one said: {}", host_->last_complaint());
  close();
  if (!host_->failures().empty())
    fail(fmt::format("a good run loses no rail; this one did: {}", host_->failures().front().text));
}

void Rank::close() {
  if (!component_) return;
  component_ = nullptr;
  endpoint_ = nullptr;
  loader_.close();
}

}  // namespace hawser::check
