#pragma once
/// How often a plan is tried in a rehearsal, and what its turns say.

#include <vector>

namespace takt::pipeline {

/// What one plan sustained in its turns. A host that moves a machine's processors, or has none to give, slows
/// a pipeline for tenths of a second; nothing makes it faster than it is.
class RehearsalTurns {
 public:
  /// `promised_hz` is what costs say. `have_own_cores`: each rank has a processor; those that have not slow
  /// each other by turns, and their rates scatter both ways.
  RehearsalTurns(double promised_hz, bool have_own_cores)
      : promised_hz_(promised_hz), have_own_cores_(have_own_cores) {}

  /// Frames a second; 0, where a turn showed nothing, does not count.
  void add(double hertz);
  /// Whether the turns so far leave a doubt that one more may settle: they differ by more than a steady
  /// machine's (8 %); ranks with processors of their own also when they stay below 0.85 of what costs
  /// promise. Five turns at most.
  [[nodiscard]] bool are_doubtful() const;
  /// Frames a second: the median of the turns, with processors of their own of those within 8 % of the
  /// fastest. 0 where none showed anything.
  [[nodiscard]] double settled() const;

 private:
  double promised_hz_;
  bool have_own_cores_;
  /// Ascending.
  std::vector<double> turns_;
};

}  // namespace takt::pipeline
