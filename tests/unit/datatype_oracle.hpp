// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Datatypes the slow way: the whole type map as the standard defines it, one entry per element.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "mpi/type_build.hpp"

namespace hawser::mpi::oracle {

struct Element {
  std::int64_t at;
  std::uint32_t size;
  std::uint32_t alignment;
};

struct TypeMap {
  std::vector<Element> elements;
  std::vector<std::int64_t> lb_markers;
  std::vector<std::int64_t> ub_markers;

  std::int64_t lb() const {
    if (!lb_markers.empty()) return *std::min_element(lb_markers.begin(), lb_markers.end());
    return true_lb();
  }
  std::int64_t ub() const {
    if (!ub_markers.empty()) return *std::max_element(ub_markers.begin(), ub_markers.end());
    std::int64_t alignment = 1;
    for (const Element& e : elements) alignment = std::max<std::int64_t>(alignment, e.alignment);
    const std::int64_t extent = true_ub() - lb();
    return lb() + (extent + alignment - 1) / alignment * alignment;
  }
  std::int64_t extent() const { return ub() - lb(); }
  std::int64_t true_lb() const {
    if (elements.empty()) return 0;
    std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
    for (const Element& e : elements) lowest = std::min(lowest, e.at);
    return lowest;
  }
  std::int64_t true_ub() const {
    if (elements.empty()) return 0;
    std::int64_t highest = std::numeric_limits<std::int64_t>::min();
    for (const Element& e : elements) highest = std::max(highest, e.at + e.size);
    return highest;
  }
  std::uint64_t size() const {
    std::uint64_t sum = 0;
    for (const Element& e : elements) sum += e.size;
    return sum;
  }

  void add_item(const TypeMap& item, std::int64_t at) {
    for (Element e : item.elements) {
      e.at += at;
      elements.push_back(e);
    }
    for (const auto marker : item.lb_markers) lb_markers.push_back(marker + at);
    for (const auto marker : item.ub_markers) ub_markers.push_back(marker + at);
  }
  void add(const Blocks& blocks, const TypeMap& item) {
    const std::int64_t extent = item.extent();
    for (std::uint64_t block = 0; block < blocks.count; ++block) {
      for (std::uint64_t i = 0; i < blocks.length; ++i) {
        add_item(item, static_cast<std::int64_t>(blocks.displacement) +
                           static_cast<std::int64_t>(blocks.stride) * static_cast<std::int64_t>(block) +
                           extent * static_cast<std::int64_t>(i));
      }
    }
  }
};

/// For each byte of the packed stream of `count` items, where it lies.
inline std::vector<std::int64_t> places(const TypeMap& map, std::uint64_t count) {
  std::vector<std::int64_t> out;
  const std::int64_t extent = map.extent();
  for (std::uint64_t item = 0; item < count; ++item) {
    for (const Element& e : map.elements) {
      for (std::uint32_t byte = 0; byte < e.size; ++byte) {
        out.push_back(extent * static_cast<std::int64_t>(item) + e.at + byte);
      }
    }
  }
  return out;
}

}  // namespace hawser::mpi::oracle
