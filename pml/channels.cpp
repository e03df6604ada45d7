// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "pml/impl.hpp"

namespace hawser::pml {

PmlImpl::~PmlImpl() {
  free_given_up();
  free_closed();
  for (auto& slot : pages) {
    Page* page = slot.load(std::memory_order_relaxed);
    if (!page) continue;
    for (auto& channel : *page) delete channel.load(std::memory_order_relaxed);
    delete page;
  }
  Lock lock(channels_mutex);
  while (ArrivedMessage* message = homeless.pop_front()) message->free();
}

/// For a channel that is not open yet. False: it is open now, or there is no memory (then the sender's
/// message is lost, and said so).
bool PmlImpl::keep_homeless(const MessageView& message) noexcept {
  Lock lock(channels_mutex);
  if (channel_of(message.match.context)) return false;
  ArrivedMessage* copy = ArrivedMessage::copy_of(message, nullptr);
  if (copy) homeless.push_back(*copy);
  return copy != nullptr;
}

Channel* Pml::open_channel(std::uint32_t context, int my_rank, std::vector<std::uint32_t> world_ranks) {
  auto* channel =
      new Channel(context, my_rank, std::move(world_ranks), 0, &runtime_.live().open_channel(context));
  DList<ArrivedMessage, &ArrivedMessage::in_order> waiting;
  {
    Lock lock(impl_->channels_mutex);
    auto& page = impl_->pages[context / 256];
    if (!page.load(std::memory_order_relaxed)) page.store(new PmlImpl::Page{}, std::memory_order_release);
    (*page.load(std::memory_order_relaxed))[context % 256].store(channel, std::memory_order_release);
    impl_->homeless.for_each([&](ArrivedMessage& message) {
      if (message.match.context != context) return;
      message.in_order.unlink();
      waiting.push_back(message);
    });
  }
  // Later ones may overtake these on their way in; the sequence numbers put them right.
  while (ArrivedMessage* message = waiting.pop_front()) {
    impl_->arrived_on(*channel, message->view());
    message->free();
  }
  return channel;
}

void PmlImpl::free_closed() noexcept {
  Channel* gone = nullptr;
  {
    Lock lock(channels_mutex);
    gone = std::exchange(closed, nullptr);
  }
  while (gone) {
    Channel* channel = std::exchange(gone, gone->next_closed);
    live::Channel& live = channel->live();
    delete channel;
    runtime.live().close_channel(live);
  }
}

void Pml::close_channel(Channel* channel) {
  {
    Lock lock(impl_->channels_mutex);
    auto* page = impl_->pages[channel->context / 256].load(std::memory_order_relaxed);
    (*page)[channel->context % 256].store(nullptr, std::memory_order_release);
    channel->next_closed = std::exchange(impl_->closed, channel);
  }
  // The role's holder may just be delivering to it; between two passes nobody is.
  impl_->closed_timer.set(now_ns());
}

}  // namespace hawser::pml
