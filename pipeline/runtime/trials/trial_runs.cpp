#include "pipeline/runtime/trials/trial_runs.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <numeric>

#include "core/system/clock.hpp"
#include "logp/mpi/blocking.hpp"
#include "pipeline/constants.hpp"
#include "pipeline/runtime/trials/hyperperiod.hpp"
#include "pipeline/runtime/trials/repetitions.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

namespace {

/// Limit of what all sinks together write in a repetition, in bytes.
constexpr double most_written = 256 << 20;

double iteration_ns(const RunPlan& plan) {
  return 1e9 / plan.predicted_hz * plan.replicas;
}

/// Returns the bytes per frame that all sinks together write to files.
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

struct RepetitionLength {
  std::uint64_t iterations = 0;
  Hyperperiod cycle = {};
};

/// Returns nothing if the least number of iterations takes more than half of the time. A repetition has at
/// least `least_iterations`, and those in which asynchronous tasks fill and drain. It calls infrequent stages
/// as often as in the stream if that fits into a quarter of the time.
std::optional<RepetitionLength> repetition_of(const Pipeline& pipeline, const RunPlan& plan, Time longest) {
  const double each_ns = iteration_ns(plan), all_ns = static_cast<double>(longest.count());
  const std::uint64_t held = iterations_held(pipeline, plan.replicas);
  const std::uint64_t least = Trial::warm_up + least_iterations + 2 * held;
  if (2 * static_cast<double>(least) * each_ns > all_ns) return std::nullopt;
  const double written = written_bytes(pipeline) * plan.replicas;
  const double most = written > 0 ? most_written / written : std::numeric_limits<double>::infinity();
  const auto within = [&](double share) {
    return static_cast<std::uint64_t>(std::min(share * all_ns / each_ns, most));
  };
  // The first tenth of a repetition is not counted.
  const std::uint64_t few = Trial::warm_up + 2 + 2 * held;
  const Hyperperiod cycle = hyperperiod(plan, std::max(within(large_share) * 9 / 10, few + 1) - few);
  const std::uint64_t of_cycle = cycle.rounds == 1 ? 0 : cycle.rounds * 10 / 9 + few;
  return RepetitionLength{std::max({least, within(small_share), of_cycle}), cycle};
}

/// Returns the largest number of frames of the run; nothing if neither the file nor the user limits it.
std::optional<std::uint64_t> frames_at_most(const Pipeline& pipeline, const StreamLimits& limits) {
  std::optional<std::uint64_t> most = limits.frames;
  for (const std::size_t stage : pipeline.sources()) {
    const Stage& source = pipeline.stages[stage];
    // These values make the source endless: among them is the parameter that limits its frames.
    for (const auto& [name, value] :
         pipeline.kernels.find_source(source.type)->at_rate(0, source.own_frames)) {
      if (name != "frames") continue;
      const auto own = static_cast<double>(source.parameters.integer(name));
      // Joined sources are cut to frames of another length.
      const auto given = static_cast<std::uint64_t>(
          pipeline.joins_sources() ? own * source.output.rate_hz / source.own_frames.rate_hz : own);
      if (own > 0) most = std::min(most.value_or(given), given);
    }
  }
  return most;
}

/// Chooses and orders the measurements; all ranks decide alike, because they have the same results.
class Trials {
 public:
  Trials(const Pipeline& pipeline, const std::vector<SharedPlan>& plans, const std::vector<int>& nodes,
         const RunOptions& options, Time longest, MPI_Comm communicator)
      : pipeline_(pipeline),
        plans_(plans),
        nodes_(nodes),
        options_(options),
        longest_(longest),
        communicator_(communicator),
        goal_(goal_by_trials(pipeline)),
        latencies_(plans.size()),
        latency_spreads_(plans.size()),
        frames_(plans.size()) {}

  TrialResults run() {
    measure_rates();
    if (goal_.wants_least_latency || goal_.latency_limit) {
      // At one rate, so that latencies are comparable.
      const std::vector<std::size_t> enough =
          plans_where([&](std::size_t plan) { return is_enough(goal_, results_.figures[plan]); });
      if (enough.size() > (goal_.latency_limit ? 0 : 1)) measure_latencies(enough);
    }
    // If no plan is in time at the rate, what other plans reach shows what would fit.
    if (goal_.latency_limit && std::ranges::none_of(results_.figures, [&](const PlanFigures& figures) {
          return is_enough(goal_, figures);
        })) {
      const std::vector<std::size_t> others =
          plans_where([&](std::size_t plan) { return latencies_[plan].empty(); });
      if (!others.empty()) measure_latencies(others);
    }
    results_.chosen = best_plan_of(goal_, results_.figures);
    if (latencies_[results_.chosen].empty()) measure_latencies({results_.chosen});
    results_.rates = rates_[results_.chosen].spread();
    results_.latencies = latencies_[results_.chosen];
    results_.latency_spreads = latency_spreads_[results_.chosen];
    results_.unseen_stages = length_of(results_.chosen).cycle.beyond;
    return results_;
  }

 private:
  template <class Condition>
  [[nodiscard]] std::vector<std::size_t> plans_where(Condition condition) const {
    std::vector<std::size_t> plans;
    for (std::size_t i = 0; i < plans_.size(); ++i)
      if (condition(i)) plans.push_back(i);
    return plans;
  }

  [[nodiscard]] RepetitionLength length_of(std::size_t plan) const {
    return repetition_of(pipeline_, plans_[plan].summary, longest_).value();
  }

  TrialResult repeat(std::size_t plan, const Trial& trial) {
    return try_plan_once(pipeline_, plans_[plan], nodes_, options_, trial, communicator_);
  }

  /// Returns a predicate that is true after `duration` by the clock of rank 0; a call of it is collective.
  [[nodiscard]] std::function<bool()> end_after(Time duration) const {
    return [communicator = communicator_, end = now_ns() + duration.count()] {
      return mpi::broadcast(now_ns() >= end ? "1" : "0", communicator) == "1";
    };
  }

  void measure_rates() {
    std::vector<std::size_t> all(plans_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const auto rate_of = [&](std::size_t plan) {
      const RepetitionLength length = length_of(plan);
      // Other frames in each repetition: some may be more expensive than others.
      const Trial trial{.rounds = length.iterations, .cycle = length.cycle.rounds, .skipped = frames_[plan]};
      frames_[plan] += length.iterations * plans_[plan].summary.replicas;
      return repeat(plan, trial).hertz;
    };
    rates_ = repeat_in_alternation(all, rate_of, end_after(longest_));
    for (const std::size_t plan : all) {
      // Calls further apart than a repetition are known from costs only.
      const double most = length_of(plan).cycle.beyond.empty() ? std::numeric_limits<double>::infinity()
                                                               : plans_[plan].summary.predicted_hz;
      results_.figures.push_back({.hertz = std::min(rates_[plan].median(), most)});
    }
  }

  /// Returns the rate for measurements of latency: the source's rate, or less if a plan does not sustain it
  /// with a margin, or more if a repetition would exceed a quarter of the time. Returns nothing if the source
  /// has no rate.
  [[nodiscard]] std::optional<Frequency> pace_of(const std::vector<std::size_t>& plans) const {
    const std::optional<Frequency> source_rate = pipeline_.source_rate();
    double most = std::numeric_limits<double>::infinity();
    std::uint64_t frames = 0;
    for (const std::size_t i : plans) {
      most = std::min(most, (1 - worthwhile_gain) * results_.figures[i].hertz);
      frames = std::max(frames, paced_iterations * plans_[i].summary.replicas);
    }
    if (!source_rate || most <= 0) return std::nullopt;
    const double least =
        1e9 * static_cast<double>(frames) / (large_share * static_cast<double>(longest_.count()));
    return Frequency{std::min(most, std::max(source_rate->hertz, least))};
  }

  void measure_latencies(const std::vector<std::size_t>& plans) {
    const std::optional<Frequency> pace = pace_of(plans);
    if (!pace) return;
    std::vector<std::vector<SinkLatencies>> seen(plans_.size());
    const auto latency_of = [&](std::size_t plan) {
      const double each_ns = 1e9 * plans_[plan].summary.replicas / pace->hertz;
      const auto within =
          static_cast<std::uint64_t>(small_share * static_cast<double>(longest_.count()) / each_ns);
      const Trial trial{.rounds = std::max(paced_iterations, within), .pace = pace};
      seen[plan].push_back(repeat(plan, trial).latencies);
      const std::optional<Time> longest = longest_latency(seen[plan].back());
      return longest ? static_cast<double>(longest->count()) : 0;
    };
    (void)repeat_in_alternation(plans, latency_of, end_after(longest_));
    for (const std::size_t plan : plans) summarise(plan, seen[plan]);
  }

  void summarise(std::size_t plan, const std::vector<SinkLatencies>& seen) {
    for (std::size_t stage = 0; stage < pipeline_.stages.size(); ++stage) {
      Repetitions of_sink;
      for (const SinkLatencies& each : seen)
        of_sink.add(each[stage] ? static_cast<double>(each[stage]->count()) : 0);
      const double median = of_sink.median();
      latencies_[plan].push_back(median > 0 ? std::optional(Time(std::llround(median))) : std::nullopt);
      latency_spreads_[plan].push_back(of_sink.spread());
    }
    results_.figures[plan].latency = longest_latency(latencies_[plan]);
  }

  static constexpr std::uint64_t paced_iterations = Trial::warm_up + least_iterations;

  const Pipeline& pipeline_;
  const std::vector<SharedPlan>& plans_;
  const std::vector<int>& nodes_;
  const RunOptions& options_;
  Time longest_;
  MPI_Comm communicator_;
  PlanGoal goal_;
  TrialResults results_;
  /// By plan, as are all following members.
  std::vector<Repetitions> rates_;
  std::vector<SinkLatencies> latencies_;
  std::vector<std::vector<std::optional<Spread>>> latency_spreads_;
  /// Number of frames consumed by the repetitions so far.
  std::vector<std::uint64_t> frames_;
};

}  // namespace

Time time_for_trials(Time longest, const Pipeline& pipeline, const RunPlan& plan,
                     const StreamLimits& limits) {
  const std::optional<std::uint64_t> frames = frames_at_most(pipeline, limits);
  double run_ns = std::numeric_limits<double>::infinity();
  if (limits.duration) run_ns = static_cast<double>(limits.duration->count());
  if (frames) {
    const std::optional<Frequency> source_rate = pipeline.source_rate();
    const double frame_ns = std::max(1e9 / plan.predicted_hz, source_rate ? 1e9 / source_rate->hertz : 0);
    run_ns = std::min(run_ns, static_cast<double>(*frames) * frame_ns);
  }
  const double most_ns = run_ns / least_run_of_trials;
  return most_ns < static_cast<double>(longest.count()) ? Time(static_cast<Time::rep>(most_ns)) : longest;
}

bool fits_trial(const Pipeline& pipeline, const RunPlan& plan, Time longest) {
  const std::optional<RepetitionLength> length = repetition_of(pipeline, plan, longest);
  if (!length) return false;
  const double bytes = static_cast<double>(length->iterations) * plan.replicas * written_bytes(pipeline);
  if (bytes == 0) return true;
  constexpr double ample = 4;
  std::error_code error;
  const auto space = std::filesystem::space(std::filesystem::temp_directory_path(error), error);
  return !error && ample * bytes <= static_cast<double>(space.available);
}

TrialResults try_plans(const Pipeline& pipeline, const std::vector<SharedPlan>& plans,
                       const std::vector<int>& nodes, const RunOptions& options, Time longest,
                       MPI_Comm communicator) {
  const WholePhase phase(Phase::trial);
  return Trials(pipeline, plans, nodes, options, longest, communicator).run();
}

}  // namespace takt::pipeline
