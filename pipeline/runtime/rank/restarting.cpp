#include "pipeline/runtime/rank/restarting.hpp"

#include <algorithm>
#include <cmath>

#include "logp/mpi/blocking.hpp"
#include "pipeline/protocol/kept_spills.hpp"

namespace takt::pipeline {

namespace {

/// Returns on all ranks the file that rank 0 reads in the folder; empty if the run may not restart.
std::string shared(std::string (*read)(const std::filesystem::path&), MPI_Comm communicator) {
  const std::filesystem::path folder = restart_folder();
  if (folder.empty()) return "";
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return mpi::broadcast(rank == 0 ? read(folder) : "", communicator);
}

}  // namespace

std::optional<Checkpoint> share_checkpoint(MPI_Comm communicator) {
  const std::string text = shared(read_checkpoint, communicator);
  if (text.empty()) return std::nullopt;
  return checkpoint_from_text(text);
}

std::optional<SharedPlan> share_plan_of_before(MPI_Comm communicator) {
  const std::string text = shared(read_plan, communicator);
  if (text.empty()) return std::nullopt;
  return shared_plan_from_text(text);
}

BegunFiles share_begun_files(MPI_Comm communicator) {
  const std::string text = shared(read_begun_files, communicator);
  return text.empty() ? BegunFiles{} : begun_files_from_text(text);
}

void take_over_counts(const Checkpoint& checkpoint, const RunPlan& plan, std::size_t rank, RankTally& tally) {
  for (const SavedStage& saved : checkpoint.stages) {
    if (plan.stages.at(saved.stage).ranks.front() != rank) continue;
    StageTally& stage = tally.stages[saved.stage];
    stage.counts["runs"].set(saved.runs);
    stage.counts["given"].set(saved.given);
    stage.counts["work"].set(saved.total_ns);
    if (!saved.delivery) continue;
    SinkTally& sink = tally.sinks[saved.stage];
    sink.counts["passed"].set(saved.delivery->passed);
    sink.counts["delivered"].set(saved.delivery->delivered);
    sink.counts["most_combined"].set(saved.delivery->most_combined);
    sink.held_back.set(saved.delivery->held_back);
  }
}

void keep_spills(Pipeline& pipeline) {
  const std::filesystem::path folder = restart_folder();
  if (folder.empty() || pipeline.joins_sources()) return;
  for (const std::size_t source : pipeline.sources())
    if (auto& backlog = pipeline.stages[source].backlog;
        backlog && backlog->policy == sensors::BacklogPolicy::spill)
      backlog->kept = kept_spill(folder, backlog->folder, source);
}

void forget_spills(const Pipeline& pipeline, MPI_Comm communicator) {
  const auto is_kept = [](const Stage& stage) { return stage.backlog && !stage.backlog->kept.empty(); };
  if (std::ranges::none_of(pipeline.stages, is_kept)) return;
  mpi::barrier(communicator);
  std::error_code ignored;
  for (const Stage& stage : pipeline.stages)
    if (is_kept(stage)) std::filesystem::remove(stage.backlog->kept, ignored);
}

std::uint64_t rounds_of_checkpoints(const Pipeline& pipeline, const RunPlan& plan) {
  if (!pipeline.deployment.restart) return 1;
  double hertz = plan.predicted_hz;
  if (const auto given = pipeline.source_rate()) hertz = std::min(hertz, given->hertz);
  const double frames = hertz * static_cast<double>(pipeline.deployment.restart->every.count()) / 1e9;
  return static_cast<std::uint64_t>(std::clamp(frames / plan.replicas, 1.0, 1e15));
}

}  // namespace takt::pipeline
