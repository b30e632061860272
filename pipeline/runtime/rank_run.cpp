#include "pipeline/runtime/rank_run.hpp"

#include <algorithm>

#include "logp/schedule_file.hpp"
#include "pipeline/runtime/channels/clocks.hpp"
#include "pipeline/runtime/mpi_group.hpp"

namespace takt::pipeline {

namespace {

int rank_of(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return rank;
}

Execution read_execution(const Pipeline& pipeline, const std::string& schedule,
                         const std::vector<int>& nodes) {
  const logp::ScheduleFile file = logp::schedule_from_yaml(schedule, "the plan");
  return execution_of(pipeline, file.graph, file.schedule,
                      [&](std::size_t a, std::size_t b) { return nodes[a] == nodes[b]; });
}

}  // namespace

std::int64_t offset_to_source(const RunPlan& plan, const std::vector<int>& nodes, MPI_Comm communicator) {
  const std::vector<std::int64_t> offsets = clock_offsets(nodes, communicator);
  const auto source = std::ranges::find(plan.stages, name_of(StageKind::source), &PlannedStage::kind);
  if (source == plan.stages.end() || source->ranks.empty()) return 0;
  return offsets[static_cast<std::size_t>(rank_of(communicator))] - offsets[source->ranks.front()];
}

RankRun::RankRun(const Pipeline& pipeline, const std::string& schedule, std::vector<int> nodes,
                 MPI_Comm communicator)
    : pipeline_(pipeline),
      nodes_(std::move(nodes)),
      communicator_(communicator),
      rank_(rank_of(communicator)),
      execution_(read_execution(pipeline, schedule, nodes_)),
      program_(execution_.program_of(ProcessorId(static_cast<std::size_t>(rank_)))) {}

Executor& RankRun::make_executor(StageMakers makers, const RunOptions& options, RankTally& tally,
                                 KeptStages kept) {
  makers.kernel = [this](std::size_t stage) {
    return execution_.make_kernel(
        stage, pipeline_, [&](std::size_t task, const Member& member) { return make_group(task, member); });
  };
  return executor_.emplace(execution_.pipeline, program_, communicator_, nodes_, std::move(makers), options,
                           tally, std::move(kept));
}

/// Makes the group of a task with this rank as that member. The tags of groups follow those of channels.
std::unique_ptr<Group> RankRun::make_group(std::size_t task, const Member& member) {
  const std::vector<std::size_t>& ranks = member.group_of(static_cast<std::size_t>(rank_));
  const std::size_t tag = execution_.schedule.messages.size() * execution_.schedule.replicas + task;
  return std::make_unique<MpiGroup>(communicator_, std::vector<int>(ranks.begin(), ranks.end()), member.index,
                                    static_cast<int>(tag), [this] { executor_->advance_sources(); });
}

}  // namespace takt::pipeline
