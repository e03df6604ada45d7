// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "bml/bml.hpp"
#include "tools/perf/active.hpp"

namespace hawser::tools {

namespace {

class BmlSender {
 public:
  explicit BmlSender(Runtime& runtime) : runtime_(runtime) {
    auto made = bml::Bml::make(runtime);
    if (!made) runtime.abort(1, made.error().text);
    bml_ = std::move(*made);
    bml_->on_peer_failure({[](void* self, std::uint32_t, Errc, const char* text) noexcept {
                             static_cast<Runtime*>(self)->abort(1, text);
                           },
                           &runtime});
  }

  void connect(std::uint32_t rank) {
    bml_->start();
    auto met = bml_->peer(rank);
    if (!met) runtime_.abort(1, met.error().text);
    peer_ = *met;
  }

  void send(const void* data, std::size_t size) {
    if (size > peer_->eager_limit.load(std::memory_order_relaxed)) return transfer(data, size);
    post({nullptr, 0, kPerfWhole}, data, size);
  }
  void small(btl::Head head) { post(head, nullptr, 0); }
  bool busy() const { return descriptors_.busy() || transfers_ != 0; }
  void drop() { bml_.reset(); }

 private:
  void post(btl::Head head, const void* data, std::size_t size) {
    if (bml_->sendi(*peer_, head, data, size) == btl::Posted::kDone) return;
    btl::Descriptor* descriptor = nullptr;
    while (!(descriptor = descriptors_.take(head.tag, head.bytes, head.size, data, size)))
      runtime_.engine().progress();
    const btl::Posted posted = bml_->send(*peer_, *descriptor);
    if (posted == btl::Posted::kUnreachable) runtime_.abort(1, "the last rail is gone");
    if (posted == btl::Posted::kDone) descriptors_.give(*descriptor);
  }

  void transfer(const void* data, std::size_t size) {
    ++transfers_;
    auto* transfer = new bml::Transfer;
    transfer->tag = kPerfPiece;
    transfer->peer = peer_;
    transfer->size = size;
    transfer->base = static_cast<char*>(const_cast<void*>(data));
    transfer->owner = this;
    transfer->on_done = [](bml::Transfer& self, Errc status) noexcept {
      auto& sender = *static_cast<BmlSender*>(self.owner);
      if (status != Errc::kOk) sender.runtime_.abort(1, "a message was lost: the last rail is gone");
      --sender.transfers_;
      delete &self;
    };
    bml_->start(*transfer);
  }

  Runtime& runtime_;
  std::unique_ptr<bml::Bml> bml_;
  bml::Peer* peer_ = nullptr;
  PerfDescriptors descriptors_;
  std::uint64_t transfers_ = 0;
};

}  // namespace

std::unique_ptr<PerfLevel> make_bml_level(std::size_t largest) {
  return std::make_unique<ActiveLevel<BmlSender>>(largest);
}

}  // namespace hawser::tools
