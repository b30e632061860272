#pragma once
/// What it takes of a processor to receive a frame.

#include "core/units.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

/// Processor time, the kernel's part included, in which a thread takes what makes up one frame from its
/// socket and puts it into the frame's memory: measured over the loopback, the median of many. What a network
/// card's interrupts take is not in it.
[[nodiscard]] Time receiving_cost(const sensors::Reception& reception);

}  // namespace takt::pipeline
