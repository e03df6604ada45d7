// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// What the runtime lends to components.
#include <cstdio>
#include <cstring>
#include <new>

#include "framework/base/hooks.hpp"
#include "framework/base/log.hpp"
#include "framework/base/signals_off.hpp"
#include "framework/runtime/runtime.hpp"

namespace hawser {

const btl::Proc* Runtime::proc(std::uint32_t rank, char* why, std::size_t why_size) noexcept try {
  auto found = find_proc(rank);
  if (found) return *found;
  if (why_size != 0) {
    const std::size_t size = std::min(found.error().text.size(), why_size - 1);
    std::memcpy(why, found.error().text.data(), size);
    why[size] = '\0';
  }
  return nullptr;
} catch (const std::bad_alloc&) {
  if (why_size != 0) std::snprintf(why, why_size, "out of memory");
  return nullptr;
}

Errc Runtime::modex_put(const char* key, const void* data, std::size_t size) noexcept {
  try {
    auto put = modex_->put(key, std::string_view(static_cast<const char*>(data), size));
    if (put && started_) put = modex_->commit();
    return put ? Errc::kOk : put.error().code;
  } catch (const std::bad_alloc&) {
    return Errc::kOutOfMemory;
  }
}

void Runtime::modex_forget(std::uint32_t rank) noexcept {
  modex_->forget(rank);
  if (auto proc = procs_->forget(rank)) {
    Lock lock(forgotten_mutex_);
    try {
      forgotten_.push_back(std::move(proc));
    } catch (const std::bad_alloc&) {
      static_cast<void>(proc.release());  // kept all the same
    }
  }
}

Errc Runtime::modex_get(std::uint32_t rank, const char* key, void* out, std::size_t capacity,
                        std::size_t* size) noexcept {
  *size = 0;
  try {
    auto value = modex_->get(rank, key, modex_deadline());
    if (!value) return value.error().code;
    *size = value->size();
    if (value->size() > capacity) return Errc::kTruncated;
    std::memcpy(out, value->data(), value->size());
    return Errc::kOk;
  } catch (const std::bad_alloc&) {
    return Errc::kOutOfMemory;
  }
}

Errc Runtime::watch(int fd, std::uint32_t events, btl::WatchFunction function, void* context) noexcept {
  return engine_.loop().watch(fd, events, function, context);
}
Errc Runtime::rewatch(int fd, std::uint32_t events) noexcept {
  return engine_.loop().rewatch(fd, events);
}
void Runtime::unwatch(int fd) noexcept {
  engine_.loop().unwatch(fd);
}

std::uint64_t Runtime::call_at(std::uint64_t at_ns, void (*function)(void*) noexcept,
                               void* context) noexcept {
  return engine_.loop().call_at(at_ns, function, context);
}
bool Runtime::cancel_call(std::uint64_t id) noexcept {
  return engine_.loop().cancel_call(id);
}
void Runtime::wake() noexcept {
  engine_.wake();
}

void Runtime::rail_failed(std::uint32_t rank, btl::Module& module, btl::Endpoint& endpoint, Errc status,
                          const char* text) noexcept {
  if (!rail_failure_.function) return;
  rail_failure_.function(rail_failure_.context, rank, module, endpoint, status, text);
}

void Runtime::rails_changed(std::uint32_t rank) noexcept {
  if (rails_change_.function) rails_change_.function(rails_change_.context, rank);
}

bool Runtime::logs(btl::LogLevel level) const noexcept {
  return static_cast<log::Level>(level) >= log::level();
}

void Runtime::log(btl::LogLevel level, const char* component, const char* text) noexcept {
  if (logs(level)) log::write(static_cast<log::Level>(level), component, text);
}

void Runtime::say_if_first(const std::string& component, const std::string& topic,
                           const std::string& text) noexcept {
  HAWSER_HOOK("runtime.asks_first");
  bool first = true;
  try {
    first = modex_->first_to_report(topic);
  } catch (const std::bad_alloc&) {  // rather told by several ranks than by none
  }
  if (first) log::write(log::Level::kWarn, component.c_str(), text);
}

// Once the job runs, whoever says something may hold the progress role, which must not wait for the launcher.
void Runtime::say_once(const char* component, const char* topic, const char* text) noexcept {
  try {
    if (!started_) return say_if_first(component, topic, text);
    const Lock lock(speakers_mutex_);
    if (!asked_.insert(topic).second) return;  // whoever was first, it is told
    speakers_.reserve(speakers_.size() + 1);
    const SignalsOff off;
    speakers_.emplace_back([this, of = std::string(component), on = std::string(topic),
                            words = std::string(text)] { say_if_first(of, on, words); });
  } catch (const std::exception&) {  // no memory, or no thread
    log::write(log::Level::kWarn, component, text);
  }
}

void Runtime::hear_speakers() {
  std::vector<std::thread> speakers;
  {
    const Lock lock(speakers_mutex_);
    speakers.swap(speakers_);
  }
  for (std::thread& speaker : speakers) speaker.join();
}

const hawser_btl_descriptor* Runtime::component(const char* name, char* why, std::size_t why_size) noexcept
    try {
  const auto found = loader_.descriptor(name);
  if (found) return *found;
  std::snprintf(why, why_size, "%s", found.error().text.c_str());
  return nullptr;
} catch (const std::bad_alloc&) {
  std::snprintf(why, why_size, "out of memory");
  return nullptr;
}

}  // namespace hawser
