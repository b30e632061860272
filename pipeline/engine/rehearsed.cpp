#include "pipeline/engine/rehearsed.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pipeline/planning/cost_noise.hpp"

namespace takt::pipeline {

std::optional<Time> longest_latency(const SinkLatencies& latencies) {
  return latencies.empty() ? std::nullopt : std::ranges::max(latencies);
}

std::size_t choose_rehearsed(const std::vector<double>& hertz, const std::optional<RateToHold>& to_hold,
                             const std::vector<SinkLatencies>& latencies) {
  constexpr double clearly_less = 0.9;
  std::optional<std::size_t> held;
  const auto latency_of = [&](std::size_t i) {
    return i < latencies.size() ? longest_latency(latencies[i]) : std::nullopt;
  };
  const auto is_better = [&](std::size_t i) {
    const std::optional<Time> its = latency_of(i), best = latency_of(*held);
    return its && best &&
           static_cast<double>(its->count()) < clearly_less * static_cast<double>(best->count()) &&
           hertz[i] >= std::min(hertz[*held], to_hold->ample.hertz);
  };
  if (to_hold)
    for (std::size_t i = 0; i < hertz.size(); ++i)
      if (hertz[i] >= to_hold->enough.hertz && (!held || is_better(i))) held = i;
  if (held) return *held;
  const auto fastest = std::ranges::max_element(hertz);
  if (hertz.front() == 0 || *fastest <= hertz.front() * (1 + cost_noise)) return 0;
  return static_cast<std::size_t>(fastest - hertz.begin());
}

void note_rehearsal(RunPlan& chosen, const std::vector<SharedPlan>& plans, const Rehearsed& seen) {
  const std::vector<double>& hertz = seen.hertz;
  const auto rate = [](double value) { return takt::to_string(Frequency{value}); };
  const std::size_t index = seen.chosen;
  const bool are_compared = std::ranges::count_if(seen.latencies, [](const SinkLatencies& each) {
                              return longest_latency(each).has_value();
                            }) > 1;
  const auto and_latency = [&](std::size_t i) {
    return are_compared && longest_latency(seen.latencies[i])
               ? ", a frame takes " + takt::to_string(*longest_latency(seen.latencies[i]))
               : "";
  };
  if (std::ranges::count_if(hertz, [](double each) { return each > 0; }) > 1) {
    std::vector<std::string> tried;
    for (std::size_t i = 0; i < plans.size(); ++i)
      if (hertz[i] > 0)
        tried.push_back(fmt::format("{}: {} ({} by costs{})", name_of(plans[i].summary), rate(hertz[i]),
                                    rate(plans[i].summary.predicted_hz), and_latency(i)));
    chosen.notes.push_back(
        fmt::format("rehearsed {}; takes {}", fmt::join(tried, "; "), name_of(plans[index].summary)));
  }
  if (hertz[index] <= 0) return;
  const double ratio = hertz[index] / chosen.predicted_hz;
  chosen.costs_hz = chosen.predicted_hz;
  chosen.predicted_hz = hertz[index];
  chosen.hand_over_ns = seen.hand_over_ns;
  for (double& busy : chosen.predicted_busy) busy = std::min(1.0, busy * ratio);
  if (index >= seen.latencies.size() || !longest_latency(seen.latencies[index])) return;
  chosen.costs_latency_ns = chosen.predicted_latency_ns;
  // A sink that hardly a frame came to has what costs promise.
  std::vector<Time> latencies;
  for (std::size_t i = 0; i < chosen.stages.size(); ++i)
    latencies.push_back(seen.latencies[index][i].value_or(Time(chosen.stages[i].latency_ns)));
  set_latencies(latencies, chosen);
}

}  // namespace takt::pipeline
