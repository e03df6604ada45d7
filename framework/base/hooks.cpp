// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/base/hooks.hpp"

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <string>

#include "framework/base/no_destructor.hpp"

namespace hawser::hooks {

namespace {

struct Installed {
  Function function;
  void* context;
};
struct Table {
  std::mutex mutex;
  std::map<std::string, Installed, std::less<>> points;
  unsigned delay_us = 0;
  std::minstd_rand random;

  Table() {
    if (const char* text = std::getenv("HAWSER_HOOKS_DELAY_US")) delay_us = std::strtoul(text, nullptr, 10);
    const char* seed = std::getenv("HAWSER_HOOKS_SEED");
    random.seed((seed ? std::strtoul(seed, nullptr, 10) : 1) + static_cast<unsigned long>(getpid()));
  }
};
Table& table() {
  static NoDestructor<Table> instance;  // hooks may run until the process ends
  return *instance;
}

}  // namespace

void set(const char* name, Function function, void* context) {
  std::lock_guard lock(table().mutex);
  if (function) {
    table().points.insert_or_assign(name, Installed{function, context});
  } else {
    table().points.erase(name);
  }
}

void run(const char* name) noexcept {
  Table& t = table();
  Installed found{nullptr, nullptr};
  unsigned delay = 0;
  {
    std::lock_guard lock(t.mutex);
    if (t.delay_us != 0) delay = static_cast<unsigned>(t.random() % t.delay_us);
    if (auto it = t.points.find(name); it != t.points.end()) found = it->second;
  }
  if (delay != 0) usleep(delay);
  if (found.function) found.function(found.context);
}

}  // namespace hawser::hooks
