#pragma once
/// The steps of a rank's program as its executor runs them.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/kernel.hpp"
#include "pipeline/program/program.hpp"
#include "pipeline/runtime/counting/tally.hpp"
#include "pipeline/runtime/datum.hpp"
#include "pipeline/runtime/output_placement.hpp"
#include "pipeline/runtime/sources/source_feed.hpp"
#include "pipeline/runtime/travelling_state.hpp"
#include "pipeline/tiles/tiled_run.hpp"

namespace takt::pipeline {

/// A step with direct access to its stage, memory and counters.
struct BoundStep : Step {
  const Stage* stage = nullptr;
  /// Its output, and the outputs that are its inputs.
  Datum* output = nullptr;
  std::span<Datum* const> inputs = {};
  StageTally* tally = nullptr;
  /// Bytes of the first input.
  std::size_t input_bytes = 0;
  /// Of a kernel: the kernel itself, which a parameter update may replace.
  const std::unique_ptr<Kernel>* kernel = nullptr;
  /// Of a kernel whose state travels; null for others.
  TravellingState* state = nullptr;
  /// Memory of the output unless that lies in a message, how it gets into a message, and whether the kernel
  /// only moves data.
  std::optional<FrameBuffer> buffer = {};
  OutputPlacement* output_placement = nullptr;
  bool only_moves = false;
  /// Of a source: its feed, and the index of the step in the program if the step may release earlier frames
  /// of the iteration; otherwise 0.
  SourceFeed* feed = nullptr;
  std::size_t number = 0;
  /// Of a kernel, true if it has one input and writes its output to the final place. Of a source, true if its
  /// frames stay in its memory.
  bool is_simple = false;
  /// Of the first step of a tile group: the group, whose other steps run with it.
  TiledRun* tiles = nullptr;
  /// Of a sink: iterations after which its other steps have processed the frames of this iteration, too.
  std::uint32_t until_all = 0;
};

}  // namespace takt::pipeline
