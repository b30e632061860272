#include "pipeline/runtime/trials/trial_run.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/system/clock.hpp"
#include "core/system/kept_affinity.hpp"
#include "logp/mpi/blocking.hpp"
#include "pipeline/constants.hpp"
#include "pipeline/costs/paced_source.hpp"
#include "pipeline/costs/trial_stages.hpp"
#include "pipeline/runtime/counting/iteration_times.hpp"
#include "pipeline/runtime/rank_run.hpp"
#include "pipeline/runtime/stage_error.hpp"

namespace takt::pipeline {

namespace {

/// Stores the throughput of the slowest sink of this rank.
void note_slowest_sink(const std::vector<IterationTimes>& times, std::size_t cycle, RankRate& rate) {
  for (const IterationTimes& sink : times) {
    if (sink.ended_ns.empty()) continue;
    const std::size_t skipped = std::max<std::size_t>(Trial::warm_up, sink.ended_ns.size() / 10);
    const std::optional<double> steady = steady_rate(sink, skipped, least_calls, cycle);
    const double hertz = steady ? *steady : mean_rate(sink, skipped, cycle).value_or(0);
    if (hertz >= rate.hertz) continue;
    rate.hertz = hertz;
    rate.is_steady = steady.has_value();
  }
}

/// Returns the processor time of a rank's work until the end of the stream: the lesser of its processor time,
/// which includes waits for messages, and the duration of its work, which includes preemption.
double work_ns(const RankTally& tally, std::int64_t processor_before) {
  const double had = static_cast<double>(tally.processor_ns.value()) - static_cast<double>(processor_before);
  return std::min(had, static_cast<double>(tally.worked_ns.value()));
}

/// Formats the latencies of all sinks of this rank as triples: stage, bucket of Histogram, count.
std::string latencies_to_text(const RankTally& tally) {
  std::string text;
  for (std::size_t stage = 0; stage < tally.sinks.size(); ++stage)
    for (const auto& [bucket, count] : tally.sinks[stage].counts.histogram("latency").buckets())
      text += fmt::format("{} {} {} ", stage, bucket, count);
  return text;
}

/// Returns the mean of two quantiles around the median. Latencies are bimodal if two ranks process the frames
/// of a source alternately and the rank with the source passes on the other's frames late. The median of a
/// few dozen frames would then fall on a random side of the gap.
std::optional<Time> median_of(const Distribution& latency) {
  if (latency.count() < least_calls) return std::nullopt;
  return (latency.quantile(0.5 - small_share) + latency.quantile(0.5 + small_share)) / 2;
}

/// Returns the median latency of each sink over all ranks. Collective.
SinkLatencies median_latencies(const RankTally& tally, MPI_Comm communicator) {
  std::vector<Distribution> of_stage(tally.sinks.size());
  for (const std::string& text : mpi::gather(latencies_to_text(tally), communicator)) {
    std::istringstream words(text);
    std::size_t stage = 0;
    std::pair<std::uint32_t, std::uint64_t> bucket;
    while (words >> stage >> bucket.first >> bucket.second) of_stage[stage].merge({bucket});
  }
  SinkLatencies latencies;
  std::ranges::transform(of_stage, std::back_inserter(latencies), median_of);
  return latencies;
}

std::unique_ptr<sensors::Source> source_of(const Pipeline& pipeline, std::size_t stage, const RunPlan& plan,
                                           const Trial& trial) {
  const FrameType& frames = pipeline.stages[stage].output;
  const FrameType& own_frames = pipeline.stages[stage].own_frames;
  const bool is_joined = pipeline.joins_sources();
  // Frames of this source per frame of the joined sources.
  const double own = is_joined ? own_frames.rate_hz / frames.rate_hz : 1;
  const Time receiving(std::llround(static_cast<double>(plan.stages[stage].receiving_ns) / own));
  std::unique_ptr<sensors::Source> source =
      is_joined ? make_trial_source_to_join(pipeline, stage, receiving)
                : make_trial_source(pipeline, stage, receiving, trial.skipped);
  if (!trial.pace) return source;
  // A rank may process a whole iteration while frames wait.
  constexpr std::size_t frames_in_hand = 2;
  const double most_waiting = own * static_cast<double>(plan.replicas + frames_in_hand);
  return paced(std::move(source), {.rate = {own * trial.pace->hertz},
                                   .most_waiting = static_cast<std::size_t>(std::ceil(most_waiting)),
                                   .receiving = receiving});
}

}  // namespace

std::uint64_t iterations_held(const Pipeline& pipeline, std::uint32_t replicas) {
  std::uint64_t most = 0;
  for (const Stage& stage : pipeline.stages) most = std::max(most, stage.iterations_held(replicas));
  return most;
}

TrialResult try_plan_once(const Pipeline& pipeline, const SharedPlan& plan, const std::vector<int>& nodes,
                          RunOptions options, const Trial& trial, MPI_Comm communicator) {
  const KeptAffinity reaper;
  const std::uint64_t rounds = trial.rounds;
  options.limits = {.frames = rounds * plan.summary.replicas, .duration = {}};
  options.traced.reset();
  options.clock_offset_ns = offset_to_source(plan.summary, nodes, communicator);
  std::vector<IterationTimes> times(pipeline.stages.size());
  for (std::size_t i = 0; i < times.size(); ++i)
    if (pipeline.stages[i].kind == StageKind::sink) times[i].reserve(rounds);
  options.iteration_times = &times;
  RankRate seen{.node = options.share.node, .cores = static_cast<int>(options.share.processors)};
  RankTally tally(pipeline.stages.size());
  std::optional<RankRun> run(std::in_place, pipeline, plan.schedule, nodes, communicator);
  try {
    Executor& executor = run->make_executor(
        {.kernel = {},
         .source = [&](std::size_t stage) { return source_of(pipeline, stage, plan.summary, trial); },
         .sink = [&](std::size_t stage) { return make_trial_sink(pipeline, stage); }},
        options, tally);
    const std::int64_t before = thread_processor_ns();
    executor.run();
    seen.claimed = static_cast<double>(executor.claimed_per_round()) / plan.summary.replicas;
    if (run->works()) seen.processor_ns = work_ns(tally, before) / static_cast<double>(rounds);
  } catch (const StageError& error) {
    throw StageError(
        run->execution().roles[error.stage].stage,
        fmt::format("{} (in the trial run, on synthetic frames; --trial 0s skips it)", error.what()),
        error.is_config_error);
  }
  // Waits without load, as in a run: a rank without further work may share a processor with a rank that
  // works.
  mpi::await_others(communicator);
  // Closes channels first: their pending receives would take the messages of later channels.
  run.reset();
  note_slowest_sink(times, trial.cycle, seen);
  std::vector<RankRate> ranks;
  for (const std::string& text : mpi::gather(to_text(seen), communicator))
    ranks.push_back(rank_rate_from_text(text));
  return {plan.summary.replicas * rate_of(ranks), median_latencies(tally, communicator)};
}

}  // namespace takt::pipeline
