#include "pipeline/costs/trial_calls.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace takt::pipeline {

TrialCalls::TrialCalls(const KernelTrial& trial)
    : trial_(trial), gave_(trial.stages().size()), results_(trial.stages().size()) {}

void TrialCalls::note() {
  if (gave_.size() > 1) parts_.push_back(trial_.parts());
  for (std::size_t i = 0; i < gave_.size(); ++i) {
    const bool gave = trial_.gave(i);
    gave_[i].push_back(gave);
    results_[i] += gave ? 1 : 0;
  }
}

void TrialCalls::forget() {
  parts_.clear();
  for (std::vector<bool>& calls : gave_) calls.clear();
  std::ranges::fill(results_, 0U);
}

bool TrialCalls::await_results() const {
  constexpr std::size_t enough = 2;
  return std::ranges::any_of(results_, [](std::size_t results) { return results < enough; });
}

std::vector<StageCalls> TrialCalls::of_stages(const std::vector<Time>& all) const {
  std::vector<StageCalls> stages(gave_.size());
  if (stages.size() == 1) stages.front() = {all, gave_.front()};
  for (std::size_t call = 0; call < parts_.size(); ++call) {
    const std::vector<Time>& parts = parts_[call];
    const Time sum = std::accumulate(parts.begin(), parts.end(), Time{0});
    const double kept =
        sum > all[call] ? static_cast<double>(all[call].count()) / static_cast<double>(sum.count()) : 1;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] == Time{0}) continue;
      stages[i].times.emplace_back(std::llround(kept * static_cast<double>(parts[i].count())));
      stages[i].gave.push_back(gave_[i][call]);
    }
  }
  return stages;
}

}  // namespace takt::pipeline
