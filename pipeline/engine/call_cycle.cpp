#include "pipeline/engine/call_cycle.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace takt::pipeline {

namespace {

/// The least number of frames for which a stage is called a whole number of times.
std::uint64_t frames_between(double calls_a_frame) {
  constexpr int most_calls = 8;
  constexpr double rounding = 1e-6;
  for (int calls = 1; calls <= most_calls; ++calls) {
    const double frames = calls / calls_a_frame;
    if (std::abs(frames - std::round(frames)) < rounding * frames)
      return static_cast<std::uint64_t>(std::llround(frames));
  }
  return static_cast<std::uint64_t>(std::llround(1 / calls_a_frame));
}

bool is_seldom(const RunPlan& plan, const PlannedStage& stage) {
  constexpr double worth_seeing = 0.01;
  return stage.calls_a_frame > 0 && stage.calls_a_frame < 1 &&
         work_a_frame_ns(stage) * plan.predicted_hz > worth_seeing * 1e9;
}

}  // namespace

CallCycle call_cycle(const RunPlan& plan, std::uint64_t most_rounds) {
  std::vector<std::pair<std::uint64_t, std::size_t>> apart;
  for (std::size_t i = 0; i < plan.stages.size(); ++i)
    if (is_seldom(plan, plan.stages[i])) {
      const std::uint64_t frames = frames_between(plan.stages[i].calls_a_frame);
      apart.emplace_back(frames / std::gcd<std::uint64_t>(frames, plan.replicas), i);
    }
  std::ranges::sort(apart);
  CallCycle cycle;
  for (const auto& [rounds, stage] : apart) {
    const std::uint64_t both = rounds / std::gcd(rounds, cycle.rounds);
    if (both > most_rounds / cycle.rounds)
      cycle.beyond.push_back(stage);
    else
      cycle.rounds *= both;
  }
  return cycle;
}

double with_calls_beyond(const RunPlan& plan, const CallCycle& cycle, std::uint64_t frames, double hertz) {
  if (hertz <= 0) return hertz;
  // Of what was not called, what is done beside other ranks, and what these wait for.
  std::vector<double> seen(plan.ranks), unseen(plan.ranks);
  double waits_ns = 0;
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const PlannedStage& stage = plan.stages[i];
    const bool was_called = std::ranges::find(cycle.beyond, i) == cycle.beyond.end() ||
                            frames_between(stage.calls_a_frame) <= frames;
    const double waits = was_called ? 0 : held_up(stage, plan);
    waits_ns += waits * all_calls_ns(stage);
    for (const std::size_t rank : stage.ranks)
      (was_called ? seen : unseen)[rank] +=
          was_called ? work_a_frame_ns(stage) : (1 - waits) * most_work_a_frame_ns(stage);
  }
  const double most_seen = std::ranges::max(seen), period_ns = 1e9 / hertz;
  double longest_ns = period_ns;
  for (std::size_t rank = 0; rank < plan.ranks; ++rank) {
    const double work_ns = most_seen > 0 ? period_ns * seen[rank] / most_seen : 0;
    longest_ns = std::max(longest_ns, work_ns + unseen[rank]);
  }
  return 1e9 / (longest_ns + waits_ns);
}

}  // namespace takt::pipeline
