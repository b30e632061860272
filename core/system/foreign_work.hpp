#pragma once
/// What other programs use of this computer's processors.

#include <chrono>
#include <optional>
#include <string_view>

namespace takt {

/// Since it was made. Counted is all that the processors worked at, and what a host took from its guest, less
/// what this process and those of its children that have ended and were waited for have used: a child that
/// still works is somebody else.
class ForeignWork {
 public:
  ForeignWork();

  /// How many processors others had in the mean, 0 at least; nothing where the system does not tell. Good to
  /// some hundredths, in a second or more.
  [[nodiscard]] std::optional<double> processors() const;

 private:
  std::chrono::steady_clock::time_point since_;
  std::optional<double> before_s_;
};

/// Ticks in which all processors worked, or somebody had taken them, from the first line of /proc/stat;
/// nothing where it is none. Source: proc_stat(5).
[[nodiscard]] std::optional<double> worked_ticks(std::string_view line);

}  // namespace takt
