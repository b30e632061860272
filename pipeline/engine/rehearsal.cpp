#include "pipeline/engine/rehearsal.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "logp/mpi/blocking.hpp"
#include "pipeline/activity.hpp"
#include "pipeline/engine/rehearsal_trial.hpp"
#include "pipeline/engine/rehearsal_turns.hpp"
#include "pipeline/planning/cost_noise.hpp"
#include "pipeline/planning/pipeline_plan.hpp"
#include "pipeline/planning/rare_frames.hpp"
#include "pipeline/planning/usual_margin.hpp"

namespace takt::pipeline {

namespace {

/// How often each plan has its turn; more often where these leave a doubt (rehearsal_turns.hpp).
constexpr int turns = 2;
/// Rounds of a trial that are counted at least.
constexpr std::uint64_t least_rounds = 9;
/// Fewer where each has several frames, or plans of many frames would not be tried at all.
std::uint64_t least_rounds_of(const RunPlan& plan) {
  constexpr std::uint32_t several = 4;
  constexpr std::uint64_t least_of_several = 6;
  return plan.replicas < several ? least_rounds : least_of_several;
}

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
  constexpr double patience = 5;
  const double budget = static_cast<double>(duration.count()) / turns;
  const std::uint64_t least = Trial::warm_up + least_rounds_of(plan);
  if (static_cast<double>(least) * round_ns > patience * budget) return std::nullopt;
  double rounds = budget / round_ns;
  if (const double written = written_bytes(pipeline); written > 0)
    rounds = std::min(rounds, most_written / written / plan.replicas);
  return std::max(least, static_cast<std::uint64_t>(rounds));
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

/// At which frames come while the latency of these plans, which sustain so much, is looked at: the source's
/// own where each sustains that with something left, less where one does not, more where so few rounds would
/// come that nothing is seen in the time that a rehearsal may take. Nothing where the source has no rate, or
/// one of the plans sustains nothing.
std::optional<Frequency> pace_of(const Pipeline& pipeline, const std::vector<SharedPlan>& plans,
                                 const std::vector<double>& hertz, const std::vector<std::size_t>& looked_at,
                                 Time duration) {
  constexpr double calm = 0.9, patience = 2.5;
  const std::optional<Frequency> source_rate = pipeline.source_rate();
  std::uint32_t replicas = 1;
  double most = std::numeric_limits<double>::infinity();
  for (const std::size_t i : looked_at) {
    replicas = std::max(replicas, plans[i].summary.replicas);
    most = std::min(most, calm * hertz[i]);
  }
  if (!source_rate || most <= 0) return std::nullopt;
  const double frames = static_cast<double>(Trial::warm_up + least_rounds) * replicas;
  const double least = 1e9 * frames / (patience * static_cast<double>(duration.count()));
  return Frequency{std::min(most, std::max(source_rate->hertz, least))};
}

/// Of two turns the lesser one; nothing where neither has any.
std::optional<Time> lesser(const std::optional<Time>& a, const std::optional<Time>& b) {
  return a && b ? std::min(a, b) : std::max(a, b);
}

/// What a frame takes to each sink at this pace: the lesser median of two turns, in which ranks sleep and
/// wake and caches grow cold as in the run. Nothing where hardly a frame came to an end. Collective.
SinkLatencies rehearse_latencies(const Pipeline& pipeline, const SharedPlan& plan, Frequency pace,
                                 const std::vector<int>& nodes, const RunOptions& options, Time duration,
                                 MPI_Comm communicator) {
  const double round_ns = 1e9 * plan.summary.replicas / pace.hertz;
  const auto rounds = static_cast<std::uint64_t>(static_cast<double>(duration.count()) / turns / round_ns);
  SinkLatencies least(pipeline.stages.size());
  for (int turn = 0; turn < turns; ++turn) {
    const Trial trial{.rounds = std::max(Trial::warm_up + least_rounds, rounds), .pace = pace};
    const SinkLatencies seen = try_plan_once(pipeline, plan, nodes, options, trial, communicator).latencies;
    std::ranges::transform(least, seen, least.begin(), lesser);
  }
  return least;
}

}  // namespace

bool is_long_beside(Time duration, const Pipeline& pipeline, const RunPlan& plan,
                    const StreamLimits& limits) {
  constexpr double least = 10;
  const std::optional<std::uint64_t> frames = frames_at_most(pipeline, limits);
  const double wanted = least * static_cast<double>(duration.count());
  return !(limits.duration && static_cast<double>(limits.duration->count()) < wanted) &&
         !(frames && static_cast<double>(*frames) * period_ns(plan) < wanted);
}

bool is_worth_rehearsing(const Pipeline& pipeline, const std::vector<SharedPlan>& plans,
                         const StreamLimits& limits, Time duration) {
  if (duration == Time{0} || pipeline.joins_sources()) return false;
  const Time all = duration * static_cast<Time::rep>(plans.size());
  return std::ranges::all_of(plans, [&](const SharedPlan& plan) {
    return is_long_beside(all, pipeline, plan.summary, limits) && rounds_of(pipeline, plan.summary, duration);
  });
}

void leave_out_long_rounds(const Pipeline& pipeline, std::vector<SharedPlan>& plans,
                           const StreamLimits& limits, Time duration) {
  const std::optional<RateToHold> to_hold = rate_to_hold(pipeline);
  if (!to_hold || !to_hold->with_least_latency || !has_usual_margin(pipeline.goal)) return;
  std::vector<SharedPlan> others;
  std::ranges::copy_if(plans, std::back_inserter(others), [&](const SharedPlan& plan) {
    return plan.summary.replicas == 1 || rounds_of(pipeline, plan.summary, duration);
  });
  const auto is_enough = [&](const SharedPlan& plan) {
    return plan.summary.predicted_hz >= to_hold->enough.hertz;
  };
  if (std::ranges::any_of(others, is_enough) &&
      is_worth_rehearsing(pipeline, {others.front()}, limits, duration))
    plans = std::move(others);
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

bool may_be_faster(double promised_hz, double seen_hz) {
  constexpr double doubt = 1.6;
  return doubt * promised_hz > seen_hz;
}

bool takes_turns(const RunPlan& plan, const std::vector<int>& node_of, const std::vector<int>& processors) {
  std::set<std::size_t> busy;
  for (const PlannedStage& stage : plan.stages) busy.insert(stage.ranks.begin(), stage.ranks.end());
  std::map<int, int> on_node;
  for (const std::size_t rank : busy)
    if (++on_node[node_of[rank]] > processors[rank]) return true;
  return false;
}

Rehearsed rehearse(const Pipeline& pipeline, const std::vector<SharedPlan>& plans,
                   const std::vector<int>& nodes, const RunOptions& options, Time duration,
                   HandOver& hand_over, MPI_Comm communicator) {
  const WholePhase phase(phase_rehearsing);
  std::vector<RehearsalTurns> seen;
  bool is_crowded = false;
  // Costs are the same for all plans, and so are the frames that are dear.
  const bool is_uneven = has_rare_frames(plans.front().summary);
  const std::vector<int> node_of = mpi::gather(options.share.node, communicator);
  const std::vector<int> processors = mpi::gather(static_cast<int>(options.share.processors), communicator);
  for (const SharedPlan& plan : plans) {
    const bool are_crowded = takes_turns(plan.summary, node_of, processors);
    is_crowded = is_crowded || are_crowded;
    seen.emplace_back(plan.summary.predicted_hz, is_uneven     ? Turns::uneven
                                                 : are_crowded ? Turns::crowded
                                                               : Turns::alone);
  }
  // Many frames, so that dear ones are among them as often as in the stream.
  constexpr int longer = 4;
  if (is_uneven) duration *= longer;
  std::vector<std::uint64_t> begun(plans.size());
  const auto try_plan = [&](std::size_t i) {
    Trial trial{.rounds = rounds_of(pipeline, plans[i].summary, duration).value()};
    // Other frames in each turn: of the first thousand as many as there happen to be are dear.
    if (is_uneven) trial.skipped = begun[i]++ * trial.rounds * plans[i].summary.replicas;
    const double hertz = try_plan_once(pipeline, plans[i], nodes, options, trial, communicator).hertz;
    seen[i].add(hertz, hand_over.look());
  };
  const std::optional<RateToHold> to_hold = rate_to_hold(pipeline);
  const bool weighs_latency =
      to_hold && to_hold->with_least_latency && pipeline.source_rate() && plans.size() > 1;
  const auto settled = [&] {
    std::vector<double> hertz;
    for (const RehearsalTurns& each : seen) hertz.push_back(each.settled());
    return hertz;
  };
  std::vector<bool> is_tried(plans.size());
  // Those that may be of use and were not tried yet; all ranks have seen the same.
  const auto try_plans = [&] {
    std::vector<std::size_t> tried;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const double most = std::ranges::max(settled());
      // One turn is enough where ranks do not take turns.
      const bool is_held = to_hold && most >= to_hold->enough.hertz && !is_crowded && !weighs_latency;
      const double wanted = weighs_latency ? std::min(most, to_hold->enough.hertz) : most;
      if (is_tried[i] || is_held || !may_be_faster(plans[i].summary.predicted_hz, wanted)) continue;
      try_plan(i);
      is_tried[i] = true;
      tried.push_back(i);
    }
    for (int turn = 1; turn < turns; ++turn)
      for (const std::size_t i : tried) try_plan(i);
    while (std::erase_if(tried, [&](std::size_t i) { return !seen[i].are_doubtful(); }), !tried.empty())
      for (const std::size_t i : tried) try_plan(i);
  };
  try_plans();
  // What seemed to hold the rate in its first turn may not.
  if (to_hold && std::ranges::max(settled()) < to_hold->enough.hertz) try_plans();
  Rehearsed result{.hertz = {}, .latencies = std::vector<SinkLatencies>(plans.size())};
  const auto pace_for = [&](const std::vector<std::size_t>& looked_at) {
    return pace_of(pipeline, plans, settled(), looked_at, duration);
  };
  const auto look_at_latency = [&](std::size_t i, Frequency pace) {
    result.latencies[i] =
        rehearse_latencies(pipeline, plans[i], pace, nodes, options, duration, communicator);
  };
  std::vector<std::size_t> compared;
  if (weighs_latency)
    for (std::size_t i = 0; i < plans.size(); ++i)
      if (seen[i].settled() >= to_hold->enough.hertz) compared.push_back(i);
  const std::optional<Frequency> common = compared.size() > 1 ? pace_for(compared) : std::nullopt;
  if (common)
    for (const std::size_t i : compared) look_at_latency(i, *common);
  // A run that is too short for that has the rate as it is.
  constexpr int most_more = 3;
  const auto best = [&] { return choose_rehearsed(settled(), to_hold, result.latencies); };
  if (is_long_beside(most_more * duration, pipeline, plans.front().summary, options.limits))
    for (std::size_t chosen; chosen = best(), seen[chosen].are_rough();) try_plan(chosen);
  result.chosen = best();
  const std::optional<Frequency> own = pace_for({result.chosen});
  const bool is_known =
      longest_latency(result.latencies[result.chosen]) && own && common && own->hertz == common->hertz;
  if (own && !is_known) look_at_latency(result.chosen, *own);
  result.hertz = settled();
  result.hand_over_ns = seen[result.chosen].hand_over_ns();
  return result;
}

std::optional<Time> longest_latency(const SinkLatencies& latencies) {
  return latencies.empty() ? std::nullopt : std::ranges::max(latencies);
}

std::size_t choose_rehearsed(const std::vector<double>& hertz, const std::optional<RateToHold>& to_hold,
                             const std::vector<SinkLatencies>& latencies) {
  constexpr double clearly_less = 0.9;
  std::optional<std::size_t> held;
  const auto latency_of = [&](std::size_t i) {
    return i < latencies.size() ? longest_latency(latencies[i]) : std::nullopt;
  };
  const auto is_better = [&](std::size_t i) {
    const std::optional<Time> its = latency_of(i), best = latency_of(*held);
    return its && best &&
           static_cast<double>(its->count()) < clearly_less * static_cast<double>(best->count()) &&
           hertz[i] >= std::min(hertz[*held], to_hold->ample.hertz);
  };
  if (to_hold)
    for (std::size_t i = 0; i < hertz.size(); ++i)
      if (hertz[i] >= to_hold->enough.hertz && (!held || is_better(i))) held = i;
  if (held) return *held;
  const auto fastest = std::ranges::max_element(hertz);
  if (hertz.front() == 0 || *fastest <= hertz.front() * (1 + cost_noise)) return 0;
  return static_cast<std::size_t>(fastest - hertz.begin());
}

void note_rehearsal(RunPlan& chosen, const std::vector<SharedPlan>& plans, const Rehearsed& seen) {
  const std::vector<double>& hertz = seen.hertz;
  const auto rate = [](double value) { return takt::to_string(Frequency{value}); };
  const std::size_t index = seen.chosen;
  const bool are_compared = std::ranges::count_if(seen.latencies, [](const SinkLatencies& each) {
                              return longest_latency(each).has_value();
                            }) > 1;
  const auto and_latency = [&](std::size_t i) {
    return are_compared && longest_latency(seen.latencies[i])
               ? ", a frame takes " + takt::to_string(*longest_latency(seen.latencies[i]))
               : "";
  };
  if (std::ranges::count_if(hertz, [](double each) { return each > 0; }) > 1) {
    std::vector<std::string> tried;
    for (std::size_t i = 0; i < plans.size(); ++i)
      if (hertz[i] > 0)
        tried.push_back(fmt::format("{} {} ({} by costs{})", plans[i].summary.scheduler, rate(hertz[i]),
                                    rate(plans[i].summary.predicted_hz), and_latency(i)));
    chosen.notes.push_back(
        fmt::format("rehearsed {}: takes {}", fmt::join(tried, ", "), plans[index].summary.scheduler));
  }
  if (hertz[index] <= 0) return;
  const double ratio = hertz[index] / chosen.predicted_hz;
  chosen.costs_hz = chosen.predicted_hz;
  chosen.predicted_hz = hertz[index];
  chosen.hand_over_ns = seen.hand_over_ns;
  for (double& busy : chosen.predicted_busy) busy = std::min(1.0, busy * ratio);
  if (index >= seen.latencies.size() || !longest_latency(seen.latencies[index])) return;
  chosen.costs_latency_ns = chosen.predicted_latency_ns;
  // A sink that hardly a frame came to has what costs promise.
  std::vector<Time> latencies;
  for (std::size_t i = 0; i < chosen.stages.size(); ++i)
    latencies.push_back(seen.latencies[index][i].value_or(Time(chosen.stages[i].latency_ns)));
  set_latencies(latencies, chosen);
}

}  // namespace takt::pipeline
