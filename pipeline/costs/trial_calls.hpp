#pragma once
/// Splits the calls of a trial (kernel_trial.hpp) by stage.

#include <cstddef>
#include <vector>

#include "pipeline/costs/kernel_trial.hpp"

namespace takt::pipeline {

/// Calls of one stage, in their order.
struct StageCalls {
  std::vector<Time> times;
  /// By call, true if it produced a frame.
  std::vector<bool> gave;
};

class TrialCalls {
 public:
  /// The trial must outlive it.
  explicit TrialCalls(const KernelTrial& trial);

  /// Call after each call of the trial.
  void note();
  /// Discards all noted calls, which only warmed up.
  void forget();
  /// Returns true if some stage has not produced two frames yet, so that the cost of those calls is unknown.
  [[nodiscard]] bool await_results() const;
  /// Returns the calls of each stage. `all` holds the times of the noted calls without interruptions by other
  /// processes. The interrupted stage is unknown, so all stages share the correction in proportion.
  [[nodiscard]] std::vector<StageCalls> of_stages(const std::vector<Time>& all) const;

 private:
  const KernelTrial& trial_;
  /// For trials of several stages, by call and stage.
  std::vector<std::vector<Time>> parts_;
  /// By stage and call.
  std::vector<std::vector<bool>> gave_;
  std::vector<std::size_t> results_;
};

}  // namespace takt::pipeline
