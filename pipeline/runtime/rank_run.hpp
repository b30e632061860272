#pragma once
/// A schedule on this rank: its execution, its program, and their executor.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <mpi.h>

#include "pipeline/planning/run_plan.hpp"
#include "pipeline/program/execution.hpp"
#include "pipeline/runtime/executor.hpp"

namespace takt::pipeline {

/// Returns the clock of this rank minus the clock of the source's rank. Collective.
[[nodiscard]] std::int64_t offset_to_source(const RunPlan& plan, const std::vector<int>& nodes,
                                            MPI_Comm communicator);

class RankRun {
 public:
  /// `schedule` is a schedule file of the pipeline. The pipeline must outlive this. `nodes` as in Executor.
  /// Throws what execution_of throws.
  RankRun(const Pipeline& pipeline, const std::string& schedule, std::vector<int> nodes,
          MPI_Comm communicator);
  RankRun(const RankRun&) = delete;
  RankRun& operator=(const RankRun&) = delete;

  /// Makes the executor, with these sources and sinks if they are given. Collective. Throws what Executor
  /// throws.
  Executor& make_executor(StageMakers makers, const RunOptions& options, RankTally& tally,
                          KeptStages kept = {});

  /// Requires `make_executor`.
  [[nodiscard]] Executor& executor() { return *executor_; }
  /// Returns whether this rank has steps.
  [[nodiscard]] bool works() const { return !program_.steps.empty(); }
  [[nodiscard]] const Execution& execution() const { return execution_; }

 private:
  [[nodiscard]] std::unique_ptr<Group> make_group(std::size_t task, const Member& member);

  const Pipeline& pipeline_;
  std::vector<int> nodes_;
  MPI_Comm communicator_;
  int rank_ = 0;
  Execution execution_;
  RankProgram program_;
  std::optional<Executor> executor_;
};

}  // namespace takt::pipeline
