// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/race/failing_memory.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constexpr int kNever = -1;
thread_local int t_left = kNever;  // allocations that still succeed
thread_local bool t_struck = false;

bool strikes() noexcept {
  if (t_left == kNever) return false;
  if (t_left == 0) return t_struck = true;
  --t_left;
  return false;
}

void* take(std::size_t size, std::size_t alignment) noexcept {
  if (strikes()) return nullptr;
  if (size == 0) size = 1;
  return alignment <= alignof(std::max_align_t)
             ? std::malloc(size)
             : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* take_or_throw(std::size_t size, std::size_t alignment) {
  void* memory = take(size, alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) {
  return take_or_throw(size, 1);
}
void* operator new[](std::size_t size) {
  return take_or_throw(size, 1);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return take_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return take_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return take(size, 1);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return take(size, 1);
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return take(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return take(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace hawser::tests {

FailingMemory::FailingMemory(int first) {
  t_struck = false;
  t_left = first;
}
FailingMemory::~FailingMemory() {
  t_left = kNever;
}
bool FailingMemory::struck() {
  return t_struck;
}
FailingMemory::Pause::Pause() : left_(t_left) {
  t_left = kNever;
}
FailingMemory::Pause::~Pause() {
  t_left = left_;
}

}  // namespace hawser::tests
