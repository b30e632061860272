#include "pipeline/runtime/source_sharing.hpp"

#include <algorithm>
#include <utility>

#include "core/system/clock.hpp"
#include "logp/mpi/blocking.hpp"
#include "pipeline/runtime/channels/nodes.hpp"

namespace takt::pipeline {

namespace {

int traffic_of(const Pipeline& pipeline, const RankProgram& program) {
  // A rank whose steps are of several iterations cannot claim frames in any order.
  if (largest_offset(program) > 0) return other_traffic;
  if (program.sends.empty()) return program.receives.empty() ? no_messages : only_receives;
  if (!program.receives.empty()) return other_traffic;
  const int peer = program.sends.front().peer;
  const std::size_t source = pipeline.sources().front();
  for (const ChannelPlan& plan : program.sends) {
    const bool carries_source = std::ranges::count(plan.parts, source, &ChannelPlan::Part::stage) > 0;
    if (plan.peer != peer || carries_source) return other_traffic;
  }
  const bool has_sink = std::ranges::any_of(program.steps, [&](const Step& step) {
    return step.kind == OperationKind::compute && pipeline.stages[step.index].kind == StageKind::sink;
  });
  return has_sink ? other_traffic : peer;
}

}  // namespace

SharingAgreement agree_on_sharing(const std::vector<int>& traffic, const std::vector<int>& takes_part) {
  const auto found = std::ranges::find(traffic, only_receives);
  if (found == traffic.end())
    return {std::ranges::count(traffic, no_messages) == std::ssize(traffic), std::nullopt};
  const auto reorders = static_cast<std::size_t>(found - traffic.begin());
  for (std::size_t rank = 0; rank < traffic.size(); ++rank) {
    const bool is_idle = traffic[rank] == no_messages && takes_part[rank] == 0;
    if (rank != reorders && traffic[rank] != static_cast<int>(reorders) && !is_idle) return {};
  }
  return {std::ranges::count(takes_part, 1) > 1, static_cast<int>(reorders)};
}

SourceSharing::SourceSharing(const Pipeline& pipeline, const RankProgram& program, MPI_Comm communicator)
    : instances_(program.instances), phases_(program.phases) {
  const std::vector<std::size_t> sources = pipeline.sources();
  if (instances_ < 2 || sources.size() != 1 || !pipeline.stages[sources.front()].stateless) return;
  // Even a rank that has all frames may process those of an iteration in another order.
  const std::uint64_t own_frames = instances_of(program, sources.front());
  const bool takes_part = own_frames > 0;
  const std::vector<int> traffic = mpi::gather(traffic_of(pipeline, program), communicator);
  const SharingAgreement agreement = agree_on_sharing(traffic, mpi::gather(takes_part ? 1 : 0, communicator));
  // A rank that waits for a state could not reorder meanwhile.
  const bool reorders_states = agreement.reorders && !program.travelling.empty();
  if (!agreement.is_self_scheduled || reorders_states) {
    turns_ = SourceTurns::agree(communicator, takes_part);
    return;
  }
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  const bool reorders = agreement.reorders == rank;
  NodeMemory memory = share_memory(communicator, takes_part, SelfScheduling::bytes);
  if (reorders) reordering_ = reorder_program(pipeline, program);
  if (!takes_part) return;
  // If frames have an order, no rank may be far ahead.
  if (agreement.reorders)
    self_scheduling_.emplace(std::move(memory), reorders ? 1 : own_frames, 1);
  else if (!program.travelling.empty())
    self_scheduling_.emplace(std::move(memory), own_frames, 1);
  else
    self_scheduling_.emplace(std::move(memory), own_frames);
  places_.resize(instances_);
  if (reorders) return;
  std::vector<bool> is_own(instances_);
  for (const Step& step : program.steps) is_own[step.instance] = true;
  for (std::size_t instance = 1; instance < is_own.size(); ++instance)
    places_[instance] = places_[instance - 1] + (is_own[instance - 1] ? 1 : 0);
}

FrameNumbers SourceSharing::first_frames(std::uint64_t first_frame) const {
  // A rank that reorders processes one frame after the other.
  if (reordering_)
    return {.first = 0, .offsets = std::vector<std::uint64_t>(instances_), .instances = instances_};
  if (self_scheduling_)
    return {.first = self_scheduling_->first(), .offsets = places_, .instances = instances_};
  FrameNumbers frames{.first = first_frame,
                      .offsets = std::vector<std::uint64_t>(phases_ * instances_),
                      .instances = instances_};
  for (std::size_t i = 0; i < frames.offsets.size(); ++i) frames.offsets[i] = i % instances_;
  return frames;
}

void SourceSharing::wait_for_slowest(RankState& state, MessageIo& io) {
  std::optional<int> slowest = turns_->waits_for(state.round);
  if (!slowest) return;
  const auto is_over = [&] {
    const std::optional<int> rank = turns_->waits_for(state.round);
    if (rank) slowest = rank;
    return !rank;
  };
  // That rank sends no wake-up: poll.
  io.wait_until(
      Use::blocked, Use::other, [&]() -> Tally& { return state.tally.waits[*slowest]["blocked"]; }, is_over,
      [](std::int64_t latest) { sleep_until(std::min(latest, now_ns() + WaitPolicy::shortest_nap)); });
}

}  // namespace takt::pipeline
