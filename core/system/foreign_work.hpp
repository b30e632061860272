#pragma once
/// The CPU load of other programs on this computer.

#include <chrono>
#include <optional>
#include <string_view>

namespace takt {

/// Measures since its construction. Counts the busy time of all processors and time stolen by a host from its
/// guest. Subtracts the time of this process and of its awaited children: a running child counts as another
/// program.
class ForeignWork {
 public:
  ForeignWork();

  /// Returns the mean number of processors used by other programs, at least 0; empty if unknown. Accurate to
  /// some hundredths over a second or more.
  [[nodiscard]] std::optional<double> processors() const;

 private:
  std::chrono::steady_clock::time_point since_;
  std::optional<double> before_s_;
};

/// Returns the busy and stolen ticks of all processors from the first line of /proc/stat; empty if the line
/// is invalid. Source: proc_stat(5).
[[nodiscard]] std::optional<double> worked_ticks(std::string_view line);

}  // namespace takt
