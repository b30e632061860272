#pragma once
/// Paces a source without a rate, for trial runs.

#include <cstddef>
#include <memory>

#include "core/units.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

struct Pace {
  Frequency rate;
  /// Largest number of waiting frames. If more would wait, something else has delayed the ranks, and the
  /// clock of the source is delayed likewise, so that later frames have not waited.
  std::size_t most_waiting = 4;
  /// Time from a frame's nominal arrival, when the next one begins to arrive, until it is available.
  Time receiving{0};
};

/// Returns the frames of `source`, which must always be available, at this pace from `start` on; their
/// latency counts from their completion. Throws std::invalid_argument if the rate is not above 0.
[[nodiscard]] std::unique_ptr<sensors::Source> paced(std::unique_ptr<sensors::Source> source,
                                                     const Pace& pace);

}  // namespace takt::pipeline
