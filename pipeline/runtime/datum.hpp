#pragma once
/// One output of a stage as the steps of a rank pass it on.

#include <cstddef>

#include "sensors/frames/frame.hpp"

namespace takt::pipeline {

/// Where the output of a stage lies for one instance, and whether it is there.
struct Datum {
  const sensors::FrameHeader* header = nullptr;
  const std::byte* bytes = nullptr;
  bool present : 1 = false;
  /// Nothing more will come.
  bool ended : 1 = false;
  /// sensors::Source::is_cut_off of the frame that it comes from.
  bool cut_off : 1 = false;
  /// The source had no frame any more: what is present here are kernels' rests.
  bool after_end : 1 = false;
  /// The stream has not ended: it is only paused.
  bool paused : 1 = false;

  /// Output behind the last frame.
  [[nodiscard]] static Datum end_of_stream(bool is_paused = false) {
    return {.ended = true, .after_end = true, .paused = is_paused};
  }
  /// In the middle of the stream.
  [[nodiscard]] bool is_common() const { return present && !ended && !cut_off && !after_end && !paused; }
};

}  // namespace takt::pipeline
