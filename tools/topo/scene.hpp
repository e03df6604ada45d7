// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
// Where everything goes in the picture; svg.cpp draws it. Lengths in pixels, y grows downwards.
#pragma once

#include <string>
#include <vector>

#include "tools/topo/pairing.hpp"

namespace hawser::tools {

inline constexpr double kBoxWidth = 340;
inline constexpr double kLineHeight = 16;

/// One interface, or some that are folded.
struct SceneBox {
  std::vector<const TopoNic*> nics;
  std::string title;
  std::string speed;
  std::vector<std::string> addresses;
  std::vector<std::string> words;  // what speaks against it, in lines
  bool pale = false;
  bool chosen = false;  // in a pair that is used
  double x = 0;
  double y = 0;
  double height = 0;

  double middle() const { return y + height / 2; }
};

/// A host: a frame around boxes.
struct SceneCard {
  std::string title;
  std::string subtitle;
  bool unreachable = false;
  double x = 0;
  double y = 0;
  double height = 0;
};

struct SceneLabel {
  std::string text;
  double x = 0;
  double y = 0;
};

/// Between a box on the left and one on the right.
struct SceneLine {
  std::size_t from = 0;    // in Scene::boxes
  std::size_t to = 0;      // in Scene::boxes
  std::size_t reason = 0;  // in Scene::reasons; of a pair that is used: kChosen
  std::string label;       // of a pair that is used
  std::string tip;
};
inline constexpr std::size_t kChosen = static_cast<std::size_t>(-1);

struct SceneReason {
  std::string text;
  std::size_t count = 0;  // combinations of addresses
  bool drawn = false;
};

struct Scene {
  double width = 0;
  double height = 0;  // without the legend
  std::vector<SceneCard> cards;
  std::vector<SceneLabel> headings;  // of NUMA nodes
  std::vector<SceneBox> boxes;
  std::vector<SceneLine> lines;
  std::vector<SceneReason> reasons;
  std::size_t chosen = 0;    // pairs that are used
  std::size_t left_out = 0;  // lines that would have been too many
};

Scene make_scene(const TopoHost& host, const std::vector<Pairing>& pairings);

}  // namespace hawser::tools
