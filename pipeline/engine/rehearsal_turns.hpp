#pragma once
/// How often a plan is tried in a rehearsal, and what its turns say.

#include <vector>

namespace takt::pipeline {

/// How the rates of turns are to be understood.
enum class Turns {
  /// Each rank has a processor: nothing makes them faster than they are, and others slow them.
  alone,
  /// Ranks that share processors slow each other by turns: their rates scatter both ways.
  crowded,
  /// Some frames are far dearer than others: so many of them as there are in a turn is chance.
  uneven,
};

/// What one plan sustained in its turns. A host that moves a machine's processors, or has none to give, slows
/// a pipeline for tenths of a second; nothing makes it faster than it is.
class RehearsalTurns {
 public:
  /// `promised_hz` is what costs say.
  RehearsalTurns(double promised_hz, Turns kind) : promised_hz_(promised_hz), kind_(kind) {}

  /// Frames a second; 0, where a turn showed nothing, does not count.
  void add(double hertz);
  /// Whether the turns so far leave a doubt that one more may settle: they differ by more than a steady
  /// machine's (8 %); ranks with processors of their own also when they stay below 0.85 of what costs
  /// promise. Five turns at most; always five of uneven ones.
  [[nodiscard]] bool are_doubtful() const;
  /// Frames a second: the median of the turns, with processors of their own of those within 8 % of the
  /// fastest; of uneven ones the mean of all frames' times. 0 where none showed anything.
  [[nodiscard]] double settled() const;

 private:
  double promised_hz_;
  Turns kind_;
  /// Ascending.
  std::vector<double> turns_;
  /// With those that showed nothing.
  std::size_t tried_ = 0;
};

}  // namespace takt::pipeline
