#pragma once
/// The calls of a trial (kernel_trial.hpp), taken apart by stage.

#include <cstddef>
#include <vector>

#include "pipeline/costs/kernel_trial.hpp"

namespace takt::pipeline {

/// Of one stage, in their order.
struct StageCalls {
  std::vector<Time> times;
  /// Which of them gave a frame.
  std::vector<bool> gave;
};

class TrialCalls {
 public:
  /// The trial must outlive it.
  explicit TrialCalls(const KernelTrial& trial);

  /// Behind each call.
  void note();
  /// All that was noted: those calls only warmed up.
  void forget();
  /// Whether some stage has not given two frames yet, so that what those calls take is not known.
  [[nodiscard]] bool await_results() const;
  /// Those that came to each stage. `all`, the times of the noted calls, are without what others took the
  /// processor for; whose part that was is not known: it is taken from all of them alike.
  [[nodiscard]] std::vector<StageCalls> of_stages(const std::vector<Time>& all) const;

 private:
  const KernelTrial& trial_;
  /// Of trials of several stages, by call and stage.
  std::vector<std::vector<Time>> parts_;
  /// By stage and call.
  std::vector<std::vector<bool>> gave_;
  std::vector<std::size_t> results_;
};

}  // namespace takt::pipeline
