#pragma once
/// Whether a frame tells of an event, for sinks that remember (sensors/files/transient_sink.hpp).

#include <optional>

#include "sensors/frames/frame.hpp"
#include "sensors/sink.hpp"

namespace takt::pipeline {

/// When: of events with their times (float64[event][field], as `threshold` gives them) from the first to the
/// last; of other frames their own time, where any element is neither 0 nor missing. Nothing otherwise.
[[nodiscard]] std::optional<sensors::UtcSpan> find_event(const sensors::FrameType& type,
                                                         const sensors::FrameView& frame);

}  // namespace takt::pipeline
