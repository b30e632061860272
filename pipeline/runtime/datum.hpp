#pragma once
/// One output of a stage, as the steps of a rank pass it on.

#include <cstddef>

#include "sensors/frames/frame.hpp"

namespace takt::pipeline {

/// Memory of a stage's output for one instance, and whether the output is present.
struct Datum {
  const sensors::FrameHeader* header = nullptr;
  const std::byte* bytes = nullptr;
  bool present : 1 = false;
  /// No more output follows.
  bool ended : 1 = false;
  /// sensors::Source::is_cut_off of the source frame.
  bool cut_off : 1 = false;
  /// The source has no more frames: outputs that are present were flushed by kernels.
  bool after_end : 1 = false;
  /// The stream is only paused, and has not ended.
  bool paused : 1 = false;

  /// Returns the output after the last frame.
  [[nodiscard]] static Datum end_of_stream(bool is_paused = false) {
    return {.ended = true, .after_end = true, .paused = is_paused};
  }
  /// Returns whether this is an output in the middle of the stream.
  [[nodiscard]] bool is_common() const { return present && !ended && !cut_off && !after_end && !paused; }
};

}  // namespace takt::pipeline
