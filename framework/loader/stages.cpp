// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "framework/loader/stages.hpp"

#include <iterator>

namespace hawser::loader {
namespace {

constexpr MachineWord kStages[] = {
    {"found", "a file with the name of a plug-in"},
    {"refused", "not loaded, or not used though it was: it does not fit, or is not to be trusted"},
    {"loaded", "its descriptor fits, and its parameters are declared"},
    {"excluded", "the list of components leaves it out"},
    {"selected", "the list of components wants it"},
    {"open", "its component serves"},
    {"could not open", "its component said why"},
    {"shadowed", "another of that name was found before"},
};
static_assert(std::size(kStages) == static_cast<std::size_t>(Stage::kCount), "describe every stage");

constexpr MachineWord kEvents[] = {
    {"shadow", "the name is taken"},
    {"refuse", "a check of the file, of its folder or of the descriptor fails"},
    {"accept", "all checks are passed"},
    {"select", "the list of components is read, and names it or does not leave it out"},
    {"exclude", "the list of components is read, and leaves it out"},
    {"open", "its component opens"},
    {"fail", "its component cannot be made, or does not open"},
    {"close", "the job is over"},
};
static_assert(std::size(kEvents) == static_cast<std::size_t>(StageEvent::kCount), "describe every event");

constexpr auto kEdges = machine_edges(kStageEdges);

}  // namespace

constinit const MachineInfo kStageMachine =
    machine_info("plug-in", "How far a plug-in comes, from its file to the component that serves.", kStages,
                 kEvents, kEdges);

const char* to_text(Stage stage) noexcept {
  return stage < Stage::kCount ? kStages[static_cast<std::size_t>(stage)].name : "unknown";
}

}  // namespace hawser::loader
