#pragma once
/// The requirements of streams that share a machine.

#include <string>

namespace takt {

/// The requirement of a stream in a timetable (docs/how-to/rates.md).
struct StreamRequirement {
  std::string stream;
  /// Largest number of ticks between its frames.
  double period = 0;
  /// Least ratio of the rate permitted by its slots in the timetable to the required rate.
  double margin = 1;
  friend bool operator==(const StreamRequirement&, const StreamRequirement&) = default;
};

}  // namespace takt
