// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/btl/abi.hpp"
#include "framework/btl/host.hpp"

namespace hawser::fakes {

/// A host for components that ask little of it: a job of one rank, no modex, no event loop.
class QuietHost : public btl::Host {
 public:
  struct Failure {
    std::uint32_t rank;
    btl::Endpoint* endpoint;
    Errc status;
    std::string text;
  };
  std::vector<Failure> failures;
  btl::HandlerTable table{};
  const hawser_btl_descriptor* other = nullptr;  // the answer to `component`

  const btl::Job& job() const noexcept override { return job_; }
  const btl::Proc* proc(std::uint32_t, char*, std::size_t) noexcept override { return nullptr; }
  const btl::HandlerTable& handlers() const noexcept override { return table; }
  Errc modex_put(const char*, const void*, std::size_t) noexcept override { return Errc::kUnsupported; }
  void modex_forget(std::uint32_t) noexcept override {}
  Errc modex_get(std::uint32_t, const char*, void*, std::size_t, std::size_t*) noexcept override {
    return Errc::kNotFound;
  }
  Errc watch(int, std::uint32_t, btl::WatchFunction, void*) noexcept override { return Errc::kUnsupported; }
  Errc rewatch(int, std::uint32_t) noexcept override { return Errc::kUnsupported; }
  void unwatch(int) noexcept override {}
  std::uint64_t call_at(std::uint64_t, void (*)(void*) noexcept, void*) noexcept override { return 1; }
  bool cancel_call(std::uint64_t) noexcept override { return false; }
  void wake() noexcept override {}
  void rail_failed(std::uint32_t rank, btl::Module&, btl::Endpoint& endpoint, Errc status,
                   const char* text) noexcept override {
    failures.push_back({rank, &endpoint, status, text});
  }
  void rails_changed(std::uint32_t) noexcept override {}
  bool logs(btl::LogLevel) const noexcept override { return false; }
  void log(btl::LogLevel, const char*, const char*) noexcept override {}
  void say_once(const char*, const char*, const char*) noexcept override {}
  const hawser_btl_descriptor* component(const char*, char*, std::size_t) noexcept override { return other; }

 private:
  btl::Job job_{};
};

}  // namespace hawser::fakes
