#pragma once
/// The steps of a rank's program as its executor goes through them.

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
#include "pipeline/tiles/tiled_run.hpp"

namespace takt::pipeline {

/// A step, with all that it works with at hand.
struct BoundStep : Step {
  const Stage* stage = nullptr;
  /// Its output, and those of its inputs.
  Datum* output = nullptr;
  std::span<Datum* const> inputs = {};
  StageTally* tally = nullptr;
  /// Bytes of the first of them.
  std::size_t input_bytes = 0;
  /// Of a kernel: itself, which a change of a parameter may make anew.
  const std::unique_ptr<Kernel>* kernel = nullptr;
  /// Where its output lies where that is not in a message, how it gets into one, and whether it only moves
  /// data.
  std::optional<FrameBuffer> buffer = {};
  OutputPlacement* output_placement = nullptr;
  bool only_moves = false;
  /// Of a source, and which of the program's steps it is where frames of this round may be given back by
  /// then.
  SourceFeed* feed = nullptr;
  std::size_t number = 0;
  /// Of a kernel, whether it has one input, and makes its output where that stays; of a source, whether its
  /// frames stay where it has them.
  bool is_simple = false;
  /// Of the first of steps that are done tile by tile: the others come with it.
  TiledRun* tiles = nullptr;
};

}  // namespace takt::pipeline
