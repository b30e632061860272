#include "pipeline/engine/rehearsed.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pipeline/profiling/cost_noise.hpp"

namespace takt::pipeline {

namespace {

/// Of each stage, what the tasks on the longest way to its end take, from when a frame is there, without any
/// wait.
std::vector<Time> work_up_to(const RunPlan& plan) {
  std::vector<Time> work;
  // Stages come behind their inputs.
  for (const PlannedStage& stage : plan.stages) {
    Time before{0};
    for (const std::size_t input : stage.inputs) before = std::max(before, work[input]);
    work.push_back(before + Time(stage.cost_ns - stage.receiving_ns));
  }
  return work;
}

}  // namespace

SinkLatencies with_rare_sinks(const RunPlan& plan, SinkLatencies rehearsed) {
  const SinkLatencies seen = rehearsed;
  const std::vector<Time> least = work_up_to(plan);
  for (std::size_t sink = 0; sink < rehearsed.size(); ++sink) {
    if (seen[sink] || plan.stages[sink].kind != "sink") continue;
    const Time by_costs(plan.stages[sink].latency_ns);
    std::optional<Time> nearest;
    for (std::size_t other = 0; other < seen.size(); ++other) {
      if (!seen[other]) continue;
      const Time its_costs(plan.stages[other].latency_ns), away = std::chrono::abs(its_costs - by_costs);
      if (nearest && *nearest <= away) continue;
      nearest = away;
      rehearsed[sink] = std::max(least[sink], by_costs + *seen[other] - its_costs);
    }
  }
  return rehearsed;
}

std::size_t choose_rehearsed(const std::vector<double>& hertz, const std::optional<RateToHold>& to_hold,
                             const std::vector<SinkLatencies>& latencies) {
  constexpr double clearly_less = 0.9;
  std::optional<std::size_t> held;
  const auto is_better = [&](std::size_t i) {
    if (i >= latencies.size()) return false;
    const std::optional<Time> its = longest_latency(latencies[i]), others = longest_latency(latencies[*held]);
    return its && others &&
           static_cast<double>(its->count()) < clearly_less * static_cast<double>(others->count()) &&
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
    std::vector<const RunPlan*> all;
    for (const SharedPlan& plan : plans) all.push_back(&plan.summary);
    const std::vector<std::string> names = names_of(all);
    std::vector<std::string> tried;
    for (std::size_t i = 0; i < plans.size(); ++i)
      if (hertz[i] > 0)
        tried.push_back(fmt::format("{}: {} ({} by costs{})", names[i], rate(hertz[i]),
                                    rate(plans[i].summary.predicted_hz), and_latency(i)));
    chosen.notes.push_back(fmt::format("plans tried: {}; chosen: {}", fmt::join(tried, "; "), names[index]));
  }
  if (hertz[index] <= 0) return;
  const double ratio = hertz[index] / chosen.predicted_hz;
  chosen.costs_hz = chosen.predicted_hz;
  chosen.predicted_hz = hertz[index];
  chosen.rehearsed_hz = seen.rate_spread;
  chosen.hand_over_ns = seen.hand_over_ns;
  for (double& busy : chosen.predicted_busy) busy = std::min(1.0, busy * ratio);
  if (index >= seen.latencies.size() || !longest_latency(seen.latencies[index])) return;
  std::vector<Time> latencies;
  for (std::size_t i = 0; i < chosen.stages.size(); ++i)
    latencies.push_back(seen.latencies[index][i].value_or(Time{0}));
  for (PlannedStage& stage : chosen.stages)
    if (stage.kind == "sink") stage.costs_latency_ns = stage.latency_ns;
  for (std::size_t i = 0; i < seen.latency_spreads.size(); ++i)
    chosen.stages[i].rehearsed_latency_ns = seen.latency_spreads[i];
  set_latencies(latencies, chosen);
}

}  // namespace takt::pipeline
