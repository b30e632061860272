#pragma once
/// Where the outputs of a rank's stages lie.

#include <cstddef>
#include <optional>
#include <vector>

#include "pipeline/program/layout.hpp"
#include "pipeline/runtime/datum.hpp"
#include "pipeline/runtime/output_placement.hpp"
#include "pipeline/runtime/rank_state.hpp"
#include "sensors/frames/frame_memory.hpp"

namespace takt::pipeline {

/// One slot for each instance and stage (RankState::slot), allocated once. Outputs that lie in messages are
/// in the memory of their channels (message_io.hpp).
struct RankMemory {
  /// `placements` must outlive it.
  RankMemory(const RankState& state, const Neighbourhood& neighbourhood, OutputPlacements& placements);

  Layout layout;
  /// By slot. The header is used where an output lies in `arena`, or a source's frame is given another one.
  std::vector<Datum> data;
  std::vector<sensors::FrameHeader> headers;
  sensors::FrameMemory arena;
  /// By slot: how an output gets into its message; null where there is no choice.
  std::vector<OutputPlacement*> placements;
  /// Where kernels write outputs that are then copied into their message.
  std::optional<sensors::FrameMemory> workbench;
};

}  // namespace takt::pipeline
