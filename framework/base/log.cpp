// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/base/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <memory>

namespace hawser::log {

namespace {

std::atomic<Level> g_level{Level::kError};

spdlog::logger& logger() {
  // Never destroyed: lines may come until the process ends.
  static auto* instance = [] {
    auto* made = new spdlog::logger("hawser", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("hawser: %v");
    made->set_level(spdlog::level::trace);
    return made;
  }();
  return *instance;
}

}  // namespace

void set_prefix(const std::string& prefix) {
  logger().set_pattern(prefix.empty() ? "hawser: %v" : "hawser: [" + prefix + "] %v");
}

void set_level(Level level) {
  g_level.store(level, std::memory_order_relaxed);
}

Level level() noexcept {
  return g_level.load(std::memory_order_relaxed);
}

void write(Level level, std::string_view layer, std::string_view text) noexcept {
  auto to = static_cast<spdlog::level::level_enum>(level);
  if (layer.empty()) {
    logger().log(to, "{}", text);
  } else {
    logger().log(to, "{}: {}", layer, text);
  }
}

}  // namespace hawser::log
