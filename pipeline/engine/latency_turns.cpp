#include "pipeline/engine/latency_turns.hpp"

#include <algorithm>

namespace takt::pipeline {

namespace {

/// Of an even number of them the middle of the two in the middle.
std::optional<Time> median_time(std::vector<Time> times) {
  if (times.empty()) return std::nullopt;
  std::ranges::sort(times);
  return (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2;
}

}  // namespace

std::optional<Time> longest_latency(const SinkLatencies& latencies) {
  return latencies.empty() ? std::nullopt : std::ranges::max(latencies);
}

bool LatencyTurns::wants_another() const {
  constexpr double apart = 1.1;
  if (turns_.size() < least || turns_.size() >= most_) return turns_.size() < least;
  std::vector<Time> longest;
  for (const SinkLatencies& turn : turns_)
    if (const std::optional<Time> latency = longest_latency(turn)) longest.push_back(*latency);
  if (longest.empty()) return false;
  const auto [shortest, longest_one] = std::ranges::minmax(longest);
  return static_cast<double>(longest_one.count()) > apart * static_cast<double>(shortest.count());
}

SinkLatencies LatencyTurns::settled() const {
  SinkLatencies medians;
  for (std::size_t stage = 0; stage < stages(); ++stage) medians.push_back(median_time(known_of(stage)));
  return medians;
}

std::vector<std::optional<Spread>> LatencyTurns::spreads() const {
  std::vector<std::optional<Spread>> spreads(stages());
  for (std::size_t stage = 0; stage < spreads.size(); ++stage) {
    const std::vector<Time> known = known_of(stage);
    if (known.empty()) continue;
    const auto [least, most] = std::ranges::minmax(known);
    spreads[stage] = Spread{static_cast<double>(least.count()), static_cast<double>(most.count())};
  }
  return spreads;
}

std::vector<Time> LatencyTurns::known_of(std::size_t stage) const {
  std::vector<Time> known;
  for (const SinkLatencies& turn : turns_)
    if (turn[stage]) known.push_back(*turn[stage]);
  return known;
}

}  // namespace takt::pipeline
