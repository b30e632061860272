#pragma once
/// The times of a pipelined schedule within one iteration, for pictures.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/units.hpp"

namespace takt {

/// A part of an operation within one iteration.
struct FoldedTime {
  Time start{0};
  Time end{0};
  /// The operation's frame, counted from the iteration's first frame: negative for frames of earlier
  /// iterations.
  std::int64_t frame = 0;
};

/// Returns the parts of an operation of the given instance between 0 and the repetition: two if it goes
/// beyond the end of the iteration, for its rest is drawn at the begin; itself without a repetition.
[[nodiscard]] std::vector<FoldedTime> folded_times(Time start, Time end, std::uint32_t instance,
                                                   std::uint32_t replicas, std::optional<Time> repetition);

}  // namespace takt
