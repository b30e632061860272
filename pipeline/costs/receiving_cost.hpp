#pragma once
/// Measures the CPU time for receiving a frame.

#include "core/units.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

/// Returns the CPU time (user and kernel) in which a thread receives the messages of one frame from its
/// socket into the frame's memory: the median of many measurements over the loopback. Interrupts of a network
/// card are not included.
[[nodiscard]] Time receiving_cost(const sensors::Reception& reception);

}  // namespace takt::pipeline
