#include "pipeline/engine/rehearsal.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <list>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include "logp/mpi/blocking.hpp"
#include "pipeline/activity.hpp"
#include "pipeline/engine/rank_run.hpp"
#include "pipeline/engine/stage_error.hpp"
#include "pipeline/planning/trial_stages.hpp"

namespace takt::pipeline {

namespace {

/// How often each plan has its turn.
constexpr int turns = 2;
/// Rounds of a trial before it is counted, and those that are counted at least.
constexpr std::uint64_t warm_up = 3, least_rounds = 9;
/// What all sinks may write in a trial.
constexpr double most_written = 256 << 20;

double period_ns(const RunPlan& plan) {
  return 1e9 / plan.predicted_hz;
}

/// What all sinks together write of a frame to files.
double written_bytes(const Pipeline& pipeline) {
  double bytes = 0;
  for (const Stage& stage : pipeline.stages) {
    if (stage.kind != StageKind::sink) continue;
    const SinkKind& kind = *pipeline.kernels.find_sink(stage.type);
    const bool has_file = std::ranges::any_of(kind.parameters, [](const ParameterSpec& parameter) {
      return parameter.type == ParameterType::output_file;
    });
    if (has_file && !kind.is_live) bytes += static_cast<double>(stage.output.size().count);
  }
  return bytes;
}

/// Rounds of one trial; nothing where so many as are needed take too long.
std::optional<std::uint64_t> rounds_of(const Pipeline& pipeline, const RunPlan& plan, Time duration) {
  const double round_ns = period_ns(plan) * plan.replicas;
  constexpr double patience = 3;
  const double budget = static_cast<double>(duration.count()) / turns;
  if (static_cast<double>(warm_up + least_rounds) * round_ns > patience * budget) return std::nullopt;
  double rounds = budget / round_ns;
  if (const double written = written_bytes(pipeline); written > 0)
    rounds = std::min(rounds, most_written / written / plan.replicas);
  return std::max(warm_up + least_rounds, static_cast<std::uint64_t>(rounds));
}

/// Of the run; nothing where nobody says.
std::optional<std::uint64_t> frames_at_most(const Pipeline& pipeline, const StreamLimits& limits) {
  std::optional<std::uint64_t> most = limits.frames;
  const Stage& source = pipeline.stages[pipeline.sources().front()];
  // A source that would go on for ever with other values than its own.
  for (const auto& [name, value] : pipeline.kernels.find_source(source.type)->at_rate(0, source.own_frames)) {
    if (name != "frames") continue;
    const auto own = static_cast<std::uint64_t>(source.parameters.integer(name));
    if (own > 0) most = std::min(most.value_or(own), own);
  }
  return most;
}

/// Of the sinks of this rank, the slowest one's.
double slowest_sink(const RankTally& tally, std::uint32_t replicas) {
  double slowest = std::numeric_limits<double>::infinity();
  for (const SinkTally& sink : tally.sinks)
    if (const auto hertz =
            sustained_rate(sink.timed.value(), sink.first_ns.value(), sink.last_ns.value(), replicas))
      slowest = std::min(slowest, *hertz);
  return slowest;
}

/// Where this thread may run, as it was.
class AffinityKeeper {
 public:
  AffinityKeeper() : is_known_(::sched_getaffinity(0, sizeof(before_), &before_) == 0) {}
  AffinityKeeper(const AffinityKeeper&) = delete;
  AffinityKeeper& operator=(const AffinityKeeper&) = delete;
  ~AffinityKeeper() {
    if (is_known_) ::sched_setaffinity(0, sizeof(before_), &before_);
  }

 private:
  cpu_set_t before_{};
  bool is_known_;
};

/// Frames a second; 0 where they were too few to say. On rank 0; elsewhere what this rank saw.
double try_once(const Pipeline& pipeline, const SharedPlan& plan, const std::vector<int>& nodes,
                RunOptions options, Time duration, MPI_Comm communicator) {
  const AffinityKeeper keeper;
  // Each sink locks its own.
  std::list<NamelessFile> files;
  const std::uint64_t rounds = rounds_of(pipeline, plan.summary, duration).value();
  options.limits = {.frames = rounds * plan.summary.replicas, .duration = {}};
  options.traced.reset();
  // A tenth of them, but not where that is no time at all.
  options.uncounted_rounds = std::max(warm_up, rounds / 10);
  RankTally tally(pipeline.stages.size());
  RankRun run(pipeline, plan.schedule, nodes, communicator);
  try {
    run.make_executor(
           {.kernel = {},
            .source = [&](std::size_t stage) { return make_trial_source(pipeline, stage); },
            .sink =
                [&](std::size_t stage) { return make_trial_sink(pipeline, stage, files.emplace_back()); }},
           options, tally)
        .run();
  } catch (const StageError& error) {
    throw StageError(
        run.execution().roles[error.stage].stage,
        fmt::format("{} (in the rehearsal, on made-up frames; --rehearsal 0s: without one)", error.what()),
        error.is_config_error);
  }
  double hertz = std::numeric_limits<double>::infinity();
  for (const std::string& text :
       mpi::gather(fmt::format("{}", slowest_sink(tally, plan.summary.replicas)), communicator))
    hertz = std::min(hertz, std::stod(text));
  return std::isfinite(hertz) ? hertz : 0;
}

}  // namespace

bool is_worth_rehearsing(const Pipeline& pipeline, const std::vector<SharedPlan>& plans,
                         const StreamLimits& limits, Time duration) {
  if (duration == Time{0} || pipeline.joins_sources()) return false;
  const std::optional<std::uint64_t> frames = frames_at_most(pipeline, limits);
  const double all = static_cast<double>(duration.count() * static_cast<Time::rep>(plans.size()));
  constexpr double least_share = 10;
  if (limits.duration && static_cast<double>(limits.duration->count()) < least_share * all) return false;
  return std::ranges::all_of(plans, [&](const SharedPlan& plan) {
    const bool is_short =
        frames && static_cast<double>(*frames) * period_ns(plan.summary) < least_share * all;
    return !is_short && rounds_of(pipeline, plan.summary, duration);
  });
}

bool has_room_to_rehearse(const Pipeline& pipeline, const std::vector<SharedPlan>& plans, Time duration) {
  constexpr double ample = 4;
  std::error_code error;
  const auto space = std::filesystem::space(std::filesystem::temp_directory_path(error), error);
  return std::ranges::all_of(plans, [&](const SharedPlan& plan) {
    const auto frames =
        static_cast<double>(rounds_of(pipeline, plan.summary, duration).value_or(0)) * plan.summary.replicas;
    const double bytes = frames * written_bytes(pipeline);
    return bytes == 0 || (!error && ample * bytes <= static_cast<double>(space.available));
  });
}

std::vector<double> rehearse(const Pipeline& pipeline, const std::vector<SharedPlan>& plans,
                             const std::vector<int>& nodes, const RunOptions& options, Time duration,
                             MPI_Comm communicator) {
  const WholePhase phase(phase_rehearsing);
  std::vector<double> hertz(plans.size());
  for (int turn = 0; turn < turns; ++turn)
    for (std::size_t i = 0; i < plans.size(); ++i)
      hertz[i] += try_once(pipeline, plans[i], nodes, options, duration, communicator) / turns;
  return hertz;
}

std::size_t choose_rehearsed(const std::vector<double>& hertz) {
  constexpr double noise = 0.03;
  const auto fastest = std::ranges::max_element(hertz);
  if (*fastest <= hertz.front() * (1 + noise)) return 0;
  return static_cast<std::size_t>(fastest - hertz.begin());
}

void note_rehearsal(RunPlan& chosen, const std::vector<SharedPlan>& plans, const std::vector<double>& hertz) {
  const auto rate = [](double value) { return takt::to_string(Frequency{value}); };
  const std::size_t index = choose_rehearsed(hertz);
  if (plans.size() > 1) {
    std::vector<std::string> tried;
    for (std::size_t i = 0; i < plans.size(); ++i)
      tried.push_back(fmt::format("{} {} ({} by costs)", plans[i].summary.scheduler, rate(hertz[i]),
                                  rate(plans[i].summary.predicted_hz)));
    chosen.notes.push_back(
        fmt::format("rehearsed {}: takes {}", fmt::join(tried, ", "), plans[index].summary.scheduler));
  }
  if (hertz[index] <= 0) return;
  const double ratio = hertz[index] / chosen.predicted_hz;
  chosen.costs_hz = chosen.predicted_hz;
  chosen.predicted_hz = hertz[index];
  for (double& busy : chosen.predicted_busy) busy = std::min(1.0, busy * ratio);
}

}  // namespace takt::pipeline
