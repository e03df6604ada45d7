// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "components/tcp/blob.hpp"
#include "components/tcp/context.hpp"
#include "components/tcp/listener.hpp"
#include "components/tcp/module_table.hpp"
#include "framework/base/mutex.hpp"

namespace hawser::tcp {

/// What this process offers its peers: addresses, a listener on each, and modules over them. Follows the
/// interfaces while the job runs. An address that goes and comes again is a new one, with new modules: so a
/// pair of modules means one thing for ever. Progress role, but for `snapshot` and the modules.
class Offer {
 public:
  Offer(Context& context, Acceptor& acceptor) noexcept : context_(context), acceptor_(acceptor) {}

  /// Takes `usable` for what is there now. True: the offer is another one, of the next generation. An error,
  /// with nothing changed: no address can be listened on. (If the only one is wanted on another device, needs
  /// its own port for that, and another program takes the port in that moment, nobody can call there until
  /// the next change; connections serve on.)
  Result<bool> adopt(const std::vector<interfaces::Interface>& usable);

  /// As it is now; the object does not change. Any thread.
  std::shared_ptr<const Blob> snapshot() const;
  const ModuleTable& modules() const noexcept { return modules_; }

 private:
  static const Published* find(const Blob& blob, const interfaces::Interface& interface) noexcept;
  Result<Published> offer(const Blob& now, const interfaces::Interface& interface);
  void leave_out(const interfaces::Interface& interface, const Error& why);
  Error no_more_modules(const interfaces::Interface& interface);
  std::uint16_t add_modules(const interfaces::Interface& interface);
  std::string unique_name(const interfaces::Interface& interface);
  void stop_listening(const Blob& before, const Blob& after) noexcept;

  Context& context_;
  Acceptor& acceptor_;
  ModuleTable modules_;
  std::map<std::string, unsigned> names_;                         // how often each was wanted
  std::set<std::pair<std::string, interfaces::IpAddress>> told_;  // of those that cannot be used, and why
  mutable Mutex<LockRank::kComponent> mutex_;
  std::shared_ptr<const Blob> current_ HAWSER_GUARDED_BY(mutex_) = std::make_shared<Blob>();
};

}  // namespace hawser::tcp
