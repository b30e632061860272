#pragma once
/// Detects whether a frame reports an event, for transient buffers (sensors/files/transient_sink.hpp).

#include <optional>

#include "sensors/frames/frame.hpp"
#include "sensors/sink.hpp"

namespace takt::pipeline {

/// Returns the time of the event; nothing without one. For frames of event times (float64[event][field], as
/// from `threshold`): first to last. For others: the frame's time if any element is neither 0 nor missing.
[[nodiscard]] std::optional<sensors::UtcSpan> find_event(const sensors::FrameType& type,
                                                         const sensors::FrameView& frame);

}  // namespace takt::pipeline
