#pragma once
/// Classes of schedules by the frames that a processor works on in turn.

#include <array>
#include <cstdint>
#include <string_view>

namespace takt::schedulers {

/// Each class contains the ones before it.
enum class FrameClass : std::uint8_t {
  /// A processor ends a frame before it begins the next one.
  one_at_a_time,
  /// An iteration holds several frames, and a processor ends an iteration before it begins the next one.
  interleaved,
  /// A processor works on frames of several iterations in turn (core/offsets.hpp).
  pipelined,
};
/// Their names, in the same order.
inline constexpr std::array<std::string_view, 3> frame_class_names{"one_at_a_time", "interleaved",
                                                                   "pipelined"};

/// Names for users of the schedules of the narrower classes, for bounds and proofs. Those of the widest class
/// hold for all schedules.
inline constexpr std::string_view one_frame_at_a_time = "schedules of one frame at a time";
inline constexpr std::string_view of_interleaved_frames = "schedules of interleaved frames";

}  // namespace takt::schedulers
