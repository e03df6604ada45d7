// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/modex/singleton.hpp"

#include <sodium.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <set>

#include "framework/base/mutex.hpp"
#include "framework/modex/cores.hpp"
#include "framework/modex/protocol.hpp"

namespace hawser::modex {
namespace {

class Singleton final : public Modex {
 public:
  Singleton() {
    randombytes_buf(&job_.id, sizeof job_.id);
    randombytes_buf(job_.secret, sizeof job_.secret);
    job_.size = 1;
    job_.local_size = 1;
    job_.cores = count_cores();
  }

  const char* name() const noexcept override { return "singleton"; }
  const btl::Job& job() const noexcept override { return job_; }

  Result<void> put(std::string_view key, std::string_view value) override {
    Lock lock(mutex_);
    put_[std::string(key)] = value;
    return {};
  }
  Result<void> commit() override {
    Lock lock(mutex_);
    committed_ = put_;
    changed_.notify_all();
    return {};
  }
  Result<void> fence(bool, Deadline) override { return {}; }
  Result<std::string> get(std::uint32_t rank, std::string_view key, Deadline deadline) override {
    assert_no_locks_held();
    Lock lock(mutex_);
    if (rank != 0) return make_error(Errc::kInvalid, "there is no rank {} in a world of one process", rank);
    while (!committed_) {  // another thread may, as another rank would
      if (changed_.wait_until(lock, deadline) == std::cv_status::timeout && !committed_)
        return make_error(Errc::kTimedOut, "this process has not published \"{}\" in time", key);
    }
    const auto found = committed_->find(key);
    if (found != committed_->end()) return found->second;
    return make_error(Errc::kNotFound, "this process published no \"{}\" (it is a world of one)", key);
  }

  void forget(std::uint32_t) override {}

  [[noreturn]] void abort(int code, std::string_view text) override {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
    ::_exit((code & 0xff) != 0 ? code & 0xff : 1);
  }
  bool first_to_report(std::string_view topic) override {
    Lock lock(mutex_);
    return topics_.emplace(topic).second;
  }
  void finalize() override {}

 private:
  btl::Job job_{};
  Mutex<LockRank::kModex> mutex_;
  protocol::Blob put_ HAWSER_GUARDED_BY(mutex_);
  Condition changed_;
  std::optional<protocol::Blob> committed_ HAWSER_GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> topics_ HAWSER_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<Modex> make_singleton() {
  return std::make_unique<Singleton>();
}

}  // namespace hawser::modex
