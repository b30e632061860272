#pragma once
/// What streams that share a machine ask for.

#include <string>

namespace takt {

/// What a stream of a timetable was asked for (docs/rates.md).
struct StreamRequirement {
  std::string stream;
  /// Ticks between its frames, at most.
  double period = 0;
  /// How many times that rate its places in the timetable allow, at least.
  double margin = 1;
  friend bool operator==(const StreamRequirement&, const StreamRequirement&) = default;
};

}  // namespace takt
