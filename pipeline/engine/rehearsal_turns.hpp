#pragma once
/// How often a plan is tried in a rehearsal, and what its turns say.

#include <cstddef>
#include <optional>
#include <vector>

#include "pipeline/planning/run_plan.hpp"

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
/// a pipeline for tenths of a second: a turn that falls into that does not count. Where the machine has gone
/// over into another state meanwhile (hand_over.hpp), the turns of the last one's state count.
class RehearsalTurns {
 public:
  /// `promised_hz` is what costs say.
  RehearsalTurns(double promised_hz, Turns kind) : promised_hz_(promised_hz), kind_(kind) {}

  /// Frames a second; 0, where a turn showed nothing, does not count. What the processors took to hand over
  /// to each other (HandOver), where that is known.
  void add(double hertz, std::optional<double> hand_over_ns = {});
  /// Whether the turns so far leave a doubt that one more may settle: one of them only is of the last one's
  /// state, or the fastest is faster than all others by more than the turns of a steady machine differ (8 %),
  /// up to eight turns; ranks with processors of their own stay below 0.85 of what costs promise, up to five,
  /// or below 0.7, as on two processors that are one core's threads for a while, up to eight. Three turns at
  /// most where ranks take turns; always five of uneven ones.
  [[nodiscard]] bool are_doubtful() const;
  /// Whether one more makes it clearer: of ranks with processors of their own, as long as the mean of the
  /// turns that count has a standard error of more than 1.5 %; eight turns at most.
  [[nodiscard]] bool are_rough() const;
  /// Frames a second: the median of the turns; of ranks with processors of their own, of those in the last
  /// one's state that are within 20 % of the fastest; of uneven ones the mean of all frames' times. 0 where
  /// none showed anything.
  [[nodiscard]] double settled() const;
  /// The slowest and the fastest turn of all; nothing where none showed anything.
  [[nodiscard]] std::optional<Spread> spread() const;
  /// What the processors took in the last turn.
  [[nodiscard]] std::optional<double> hand_over_ns() const;

 private:
  struct Turn {
    double hertz = 0;
    std::optional<double> hand_over_ns;
  };
  /// Of the last one's state, in their order.
  [[nodiscard]] std::vector<double> of_last_state() const;
  /// Of these, those that count; ascending.
  [[nodiscard]] std::vector<double> counted() const;

  double promised_hz_;
  Turns kind_;
  std::vector<Turn> turns_;
  /// With those that showed nothing.
  std::size_t tried_ = 0;
};

}  // namespace takt::pipeline
