// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "framework/btl/component.hpp"
#include "tools/perf/active.hpp"

namespace hawser::tools {

namespace {

/// Posts to the best module that reaches the other rank, as the SDK has it.
class BtlSender {
 public:
  explicit BtlSender(Runtime& runtime) : runtime_(runtime) {
    runtime.on_rail_failure(
        {[](void* self, std::uint32_t, btl::Module& module, btl::Endpoint&, Errc, const char* text) noexcept {
           static_cast<Runtime*>(self)->abort(1, fmt::format("{}: {}", module.name(), text));
         },
         &runtime});
  }

  void connect(std::uint32_t rank) {
    auto reach = std::make_unique<btl::Reach>();
    std::string reasons;
    for (btl::Component* component : runtime_.loader().components()) {
      *reach = {};
      component->add_procs(rank, *reach);
      for (std::size_t i = 0; i < reach->count; ++i) consider(reach->rails[i]);
      if (reach->count == 0)
        reasons += fmt::format("\n  {}: {}", runtime_.loader().name_of(*component), reach->reason);
    }
    if (!module_) runtime_.abort(1, fmt::format("no BTL reaches rank {}:{}", rank, reasons));
  }

  void send(const void* data, std::size_t size) {
    if (size <= limits_.eager_limit) return immediate({nullptr, 0, kPerfWhole}, data, size);
    for (std::size_t offset = 0; offset < size; offset += limits_.max_send_size) {
      const bml::SliceHeader header{0, offset};
      piece(header, static_cast<const char*>(data) + offset,
            std::min<std::size_t>(size - offset, limits_.max_send_size));
    }
  }
  void small(btl::Head head) { immediate(head, nullptr, 0); }
  bool busy() const { return descriptors_.busy(); }
  void drop() {}

 private:
  /// As the BML chooses: the highest exclusivity, then the lowest latency.
  void consider(const btl::Reach::Rail& rail) {
    const btl::Attributes& its = rail.module->attributes();
    if (module_ && (its.exclusivity < limits_.exclusivity ||
                    (its.exclusivity == limits_.exclusivity && its.latency_ns >= limits_.latency_ns)))
      return;
    module_ = rail.module, endpoint_ = rail.endpoint, limits_ = its;
  }

  void immediate(btl::Head head, const void* data, std::size_t size) {
    for (;;) {
      const btl::Posted posted = module_->sendi(*endpoint_, head, data, size);
      if (posted == btl::Posted::kDone) return;
      refused(posted);
    }
  }

  void piece(const bml::SliceHeader& header, const void* data, std::size_t size) {
    btl::Descriptor* descriptor = nullptr;
    while (!(descriptor = descriptors_.take(kPerfPiece, &header, sizeof header, data, size)))
      runtime_.engine().progress();
    for (;;) {
      const btl::Posted posted = module_->send(*endpoint_, *descriptor);
      if (posted == btl::Posted::kPending) return;
      if (posted == btl::Posted::kDone) return descriptors_.give(*descriptor);
      refused(posted);
    }
  }

  void refused(btl::Posted posted) {
    if (posted == btl::Posted::kUnreachable)
      runtime_.abort(1, fmt::format("{}: the rail is gone", module_->name()));
    runtime_.engine().progress();
  }

  Runtime& runtime_;
  btl::Module* module_ = nullptr;
  btl::Endpoint* endpoint_ = nullptr;
  btl::Attributes limits_{};
  PerfDescriptors descriptors_;
};

}  // namespace

std::unique_ptr<PerfLevel> make_btl_level(std::size_t largest) {
  return std::make_unique<ActiveLevel<BtlSender>>(largest);
}

}  // namespace hawser::tools
