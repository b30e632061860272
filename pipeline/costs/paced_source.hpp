#pragma once
/// Frames of a source that has no rate, at a steady one.

#include <cstddef>
#include <memory>

#include "core/units.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

struct Pace {
  Frequency rate;
  /// Frames that may wait to be taken: where more would, the ranks were held up by something else, and the
  /// clock of the source with them, so that what comes then has not waited.
  std::size_t most_waiting = 4;
  /// From a frame's moment, when the next one begins to come, until it is there.
  Time receiving{0};
};

/// Gives the frames of `source`, which are there whenever it is asked, at that pace from `start` on; their
/// latency counts from when they are there. Throws std::invalid_argument where the rate is not above 0.
[[nodiscard]] std::unique_ptr<sensors::Source> paced(std::unique_ptr<sensors::Source> source,
                                                     const Pace& pace);

}  // namespace takt::pipeline
