// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "framework/base/machine.hpp"

namespace hawser::loader {

/// How far a plug-in has come. What each stage and event means: stages.cpp.
enum class Stage : std::uint8_t {
  kFound,
  kRefused,
  kLoaded,
  kExcluded,
  kSelected,
  kOpen,
  kOpenFailed,
  kShadowed,
  kCount
};

/// What the loader does with a plug-in.
enum class StageEvent : std::uint8_t {
  kShadow,
  kRefuse,
  kAccept,
  kSelect,
  kExclude,
  kOpen,
  kFail,
  kClose,
  kCount
};

struct StageEdge {
  Stage from;
  StageEvent event;
  Stage to;
};

inline constexpr std::array kStageEdges{
    StageEdge{Stage::kFound, StageEvent::kShadow, Stage::kShadowed},
    StageEdge{Stage::kFound, StageEvent::kRefuse, Stage::kRefused},
    StageEdge{Stage::kFound, StageEvent::kAccept, Stage::kLoaded},
    StageEdge{Stage::kLoaded, StageEvent::kSelect, Stage::kSelected},
    StageEdge{Stage::kLoaded, StageEvent::kExclude, Stage::kExcluded},
    StageEdge{Stage::kSelected, StageEvent::kSelect, Stage::kSelected},  // by another list
    StageEdge{Stage::kSelected, StageEvent::kExclude, Stage::kExcluded},
    StageEdge{Stage::kExcluded, StageEvent::kSelect, Stage::kSelected},
    StageEdge{Stage::kExcluded, StageEvent::kExclude, Stage::kExcluded},
    StageEdge{Stage::kSelected, StageEvent::kOpen, Stage::kOpen},
    StageEdge{Stage::kSelected, StageEvent::kFail, Stage::kOpenFailed},
    StageEdge{Stage::kOpen, StageEvent::kClose, Stage::kLoaded},
};

static_assert(machine_is_deterministic(kStageEdges));
static_assert(machine_ends_in(kStageEdges, Stage::kRefused) && machine_ends_in(kStageEdges, Stage::kShadowed),
              "what was not loaded never runs");
static_assert(machine_ends_in(kStageEdges, Stage::kOpenFailed), "nothing is opened twice that could not be");

/// For `hawser info --machines`.
extern const MachineInfo kStageMachine;

const char* to_text(Stage stage) noexcept;

}  // namespace hawser::loader
