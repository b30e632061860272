#pragma once
/// Frames of a source that has no rate, at a steady one.

#include <memory>

#include "core/units.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

/// Gives the frames of `source`, which are there whenever it is asked, one a period from `start` on; a frame
/// that nobody takes in time waits, however long. Its latency counts from its moment on, or so much later
/// as receiving it takes. Throws std::invalid_argument where the rate is not above 0.
[[nodiscard]] std::unique_ptr<sensors::Source> paced(std::unique_ptr<sensors::Source> source, Frequency rate,
                                                     Time receiving = {});

}  // namespace takt::pipeline
