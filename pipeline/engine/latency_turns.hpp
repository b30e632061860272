#pragma once
/// What a plan's frames took in the turns of a rehearsal.

#include <cstddef>
#include <optional>
#include <vector>

#include "pipeline/engine/rehearsal_trial.hpp"

namespace takt::pipeline {

/// To the sink where it is the longest; nothing where none is known.
[[nodiscard]] std::optional<Time> longest_latency(const SinkLatencies& latencies);

/// Turns of one plan at one pace. Those of a steady machine agree; a host that is restless makes frames take
/// half as long again for tenths of a second, and the lesser of two turns is then what few frames take.
class LatencyTurns {
 public:
  static constexpr std::size_t least = 2, usual_most = 6;

  /// So many turns at most; two at least.
  explicit LatencyTurns(std::size_t most = usual_most) : most_(most) {}

  void add(SinkLatencies latencies) { turns_.push_back(std::move(latencies)); }
  /// Whether there are less than two turns, or they differ by more than a tenth and are not the most.
  [[nodiscard]] bool wants_another() const;
  /// Of each sink the median of those turns in which it is known.
  [[nodiscard]] SinkLatencies settled() const;
  /// Of each sink the least and the longest one, in ns.
  [[nodiscard]] std::vector<std::optional<Spread>> spreads() const;

 private:
  /// Of a sink, those that are known.
  [[nodiscard]] std::vector<Time> known_of(std::size_t stage) const;
  [[nodiscard]] std::size_t stages() const { return turns_.empty() ? 0 : turns_.front().size(); }

  std::size_t most_;
  std::vector<SinkLatencies> turns_;
};

}  // namespace takt::pipeline
