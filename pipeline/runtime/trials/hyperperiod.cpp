#include "pipeline/runtime/trials/hyperperiod.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace takt::pipeline {

namespace {

/// Returns the least number of frames in which a stage is called a whole number of times.
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

bool is_infrequent(const RunPlan& plan, const PlannedStage& stage) {
  constexpr double worth_seeing = 0.01;
  return stage.calls_a_frame > 0 && stage.calls_a_frame < 1 &&
         work_per_frame_ns(stage) * plan.predicted_hz > worth_seeing * 1e9;
}

}  // namespace

Hyperperiod hyperperiod(const RunPlan& plan, std::uint64_t most_rounds) {
  std::vector<std::pair<std::uint64_t, std::size_t>> apart;
  for (std::size_t i = 0; i < plan.stages.size(); ++i)
    if (is_infrequent(plan, plan.stages[i])) {
      const std::uint64_t frames = frames_between(plan.stages[i].calls_a_frame);
      apart.emplace_back(frames / std::gcd<std::uint64_t>(frames, plan.replicas), i);
    }
  std::ranges::sort(apart);
  Hyperperiod cycle;
  for (const auto& [rounds, stage] : apart) {
    const std::uint64_t both = rounds / std::gcd(rounds, cycle.rounds);
    if (both > most_rounds / cycle.rounds)
      cycle.beyond.push_back(stage);
    else
      cycle.rounds *= both;
  }
  return cycle;
}

}  // namespace takt::pipeline
