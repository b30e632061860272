#pragma once
/// Memory of the outputs of a rank's stages.

#include <cstddef>
#include <optional>
#include <vector>

#include "pipeline/program/layout.hpp"
#include "pipeline/runtime/datum.hpp"
#include "pipeline/runtime/output_placement.hpp"
#include "pipeline/runtime/rank_state.hpp"
#include "sensors/frames/frame_memory.hpp"

namespace takt::pipeline {

/// One slot per instance and stage (RankState::slot), allocated once. Outputs in messages lie in the memory
/// of their channels (message_io.hpp).
struct RankMemory {
  /// `placements` must outlive it.
  RankMemory(const RankState& state, const Neighbourhood& neighbourhood, OutputPlacements& placements);

  Layout layout;
  /// By slot. The header is used for an output in `arena`, and for a source's frame that gets a new header.
  std::vector<Datum> data;
  std::vector<sensors::FrameHeader> headers;
  sensors::FrameMemory arena;
  /// By slot: how an output gets into its message; null if there is no choice.
  std::vector<OutputPlacement*> placements;
  /// Memory for outputs that are then copied into their message.
  std::optional<sensors::FrameMemory> workbench;
};

}  // namespace takt::pipeline
