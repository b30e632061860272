#include "pipeline/engine/rehearsal.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <set>

#include "logp/mpi/blocking.hpp"
#include "pipeline/activity.hpp"
#include "pipeline/engine/call_cycle.hpp"
#include "pipeline/engine/rehearsal_trial.hpp"
#include "pipeline/engine/rehearsal_turns.hpp"
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

struct TrialLength {
  std::uint64_t rounds = 0;
  CallCycle cycle = {};
};

/// Of one trial; nothing where so many rounds as are needed take too long. As long as stages behind a
/// decimation need to be called as often as in the stream, or as long as one may be.
std::optional<TrialLength> length_of(const Pipeline& pipeline, const RunPlan& plan, Time duration) {
  const double round_ns = period_ns(plan) * plan.replicas;
  constexpr double patience = 5, longest = 8;
  const double budget = static_cast<double>(duration.count()) / turns;
  const std::uint64_t least = Trial::warm_up + least_rounds_of(plan);
  if (static_cast<double>(least) * round_ns > patience * budget) return std::nullopt;
  double most = std::numeric_limits<double>::infinity();
  if (const double written = written_bytes(pipeline); written > 0)
    most = most_written / written / plan.replicas;
  const auto rounds = static_cast<std::uint64_t>(std::min(budget / round_ns, most));
  const auto most_rounds = static_cast<std::uint64_t>(std::min(longest * budget / round_ns, most));
  // The first tenth of a trial is not counted.
  constexpr std::uint64_t few = Trial::warm_up + 2;
  const CallCycle cycle = call_cycle(plan, std::max(most_rounds * 9 / 10, few + 1) - few);
  return TrialLength{std::max({least, rounds, cycle.rounds == 1 ? 0 : cycle.rounds * 10 / 9 + few}), cycle};
}

/// Of the run; nothing where nobody says.
std::optional<std::uint64_t> frames_at_most(const Pipeline& pipeline, const StreamLimits& limits) {
  std::optional<std::uint64_t> most = limits.frames;
  for (const std::size_t stage : pipeline.sources()) {
    const Stage& source = pipeline.stages[stage];
    // A source that would go on for ever with other values than its own.
    for (const auto& [name, value] :
         pipeline.kernels.find_source(source.type)->at_rate(0, source.own_frames)) {
      if (name != "frames") continue;
      const auto own = static_cast<double>(source.parameters.integer(name));
      // Joined ones are cut to frames of another length.
      const auto given = static_cast<std::uint64_t>(
          pipeline.joins_sources() ? own * source.output.rate_hz / source.own_frames.rate_hz : own);
      if (own > 0) most = std::min(most.value_or(given), given);
    }
  }
  return most;
}

/// Rounds in which latencies are looked at, at least. Those that come first are quicker where a round holds
/// several frames: with five counted ones a frame of two at a time was promised a tenth too soon.
std::uint64_t least_paced_rounds(const RunPlan& plan) {
  return Trial::warm_up + least_rounds_of(plan);
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
  std::uint64_t frames = 0;
  double most = std::numeric_limits<double>::infinity();
  for (const std::size_t i : looked_at) {
    frames = std::max(frames, least_paced_rounds(plans[i].summary) * plans[i].summary.replicas);
    most = std::min(most, calm * hertz[i]);
  }
  if (!source_rate || most <= 0) return std::nullopt;
  const double least = 1e9 * static_cast<double>(frames) / (patience * static_cast<double>(duration.count()));
  return Frequency{std::min(most, std::max(source_rate->hertz, least))};
}

double paced_round_ns(const RunPlan& plan, Frequency pace) {
  return 1e9 * plan.replicas / pace.hertz;
}

/// Rounds of one turn at this pace.
std::uint64_t paced_rounds(const RunPlan& plan, Frequency pace, Time duration) {
  const auto fitting =
      static_cast<std::uint64_t>(static_cast<double>(duration.count()) / turns / paced_round_ns(plan, pace));
  return std::max(least_paced_rounds(plan), fitting);
}

/// How many turns of it are not too long together.
std::size_t most_paced_turns(const RunPlan& plan, Frequency pace, Time duration) {
  constexpr double patience = 3;
  const double turn_ns = static_cast<double>(paced_rounds(plan, pace, duration)) * paced_round_ns(plan, pace);
  const auto fitting = static_cast<std::size_t>(patience * static_cast<double>(duration.count()) / turn_ns);
  return std::clamp(fitting, LatencyTurns::least, LatencyTurns::usual_most);
}

}  // namespace

bool is_long_beside(Time duration, const Pipeline& pipeline, const RunPlan& plan,
                    const StreamLimits& limits) {
  constexpr double least = 10;
  const std::optional<std::uint64_t> frames = frames_at_most(pipeline, limits);
  const double wanted = least * static_cast<double>(duration.count());
  const std::optional<Frequency> source_rate = pipeline.source_rate();
  const double frame_ns = std::max(period_ns(plan), source_rate ? 1e9 / source_rate->hertz : 0);
  return !(limits.duration && static_cast<double>(limits.duration->count()) < wanted) &&
         !(frames && static_cast<double>(*frames) * frame_ns < wanted);
}

bool is_worth_rehearsing(const Pipeline& pipeline, const std::vector<SharedPlan>& plans,
                         const StreamLimits& limits, Time duration) {
  if (duration == Time{0}) return false;
  const Time all = duration * static_cast<Time::rep>(plans.size());
  return std::ranges::all_of(plans, [&](const SharedPlan& plan) {
    return is_long_beside(all, pipeline, plan.summary, limits) && length_of(pipeline, plan.summary, duration);
  });
}

namespace {

/// What a plan must promise to be taken instead of the first one, which cannot be tried; nothing where none
/// is.
std::optional<double> enough_to_be_tried(const Pipeline& pipeline, const RunPlan& first) {
  // What costs promise of many frames at a time may be so far off.
  constexpr double nearly_as_fast = 0.85;
  const std::optional<RateToHold> to_hold = rate_to_hold(pipeline);
  if (!to_hold) return nearly_as_fast * first.predicted_hz;
  if (!to_hold->with_least_latency || !has_usual_margin(pipeline.goal)) return std::nullopt;
  return to_hold->enough.hertz;
}

}  // namespace

void leave_out_long_rounds(const Pipeline& pipeline, std::vector<SharedPlan>& plans,
                           const StreamLimits& limits, Time duration) {
  const std::optional<double> enough_hz = enough_to_be_tried(pipeline, plans.front().summary);
  if (!enough_hz) return;
  std::vector<SharedPlan> others;
  std::ranges::copy_if(plans, std::back_inserter(others), [&](const SharedPlan& plan) {
    return plan.summary.replicas == 1 || length_of(pipeline, plan.summary, duration);
  });
  const auto is_enough = [&](const SharedPlan& plan) { return plan.summary.predicted_hz >= *enough_hz; };
  if (std::ranges::any_of(others, is_enough) &&
      is_worth_rehearsing(pipeline, {others.front()}, limits, duration))
    plans = std::move(others);
}

bool has_room_to_rehearse(const Pipeline& pipeline, const std::vector<SharedPlan>& plans, Time duration) {
  constexpr double ample = 4;
  std::error_code error;
  const auto space = std::filesystem::space(std::filesystem::temp_directory_path(error), error);
  return std::ranges::all_of(plans, [&](const SharedPlan& plan) {
    const std::uint64_t rounds = length_of(pipeline, plan.summary, duration).value_or(TrialLength{}).rounds;
    const double bytes = static_cast<double>(rounds) * plan.summary.replicas * written_bytes(pipeline);
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

namespace {

/// Plans that are tried by turns. The same on all ranks, which have seen the same.
class RehearsedPlans {
 public:
  RehearsedPlans(const Pipeline& pipeline, const std::vector<SharedPlan>& plans,
                 const std::vector<int>& nodes, const RunOptions& options, Time duration, HandOver& hand_over,
                 MPI_Comm communicator);

  /// Those that may be of use.
  void find_rates();
  /// Of those that sustain enough, where the least latency is asked for.
  void compare_latencies();
  /// More turns of the one that is chosen, while they make its rate clearer.
  void settle_rate();
  /// With the latency of the one that is chosen.
  [[nodiscard]] Rehearsed result();

 private:
  void try_plan(std::size_t i);
  void try_plans();
  void look_at_latencies(const std::vector<std::size_t>& looked_at, Frequency pace);
  [[nodiscard]] std::vector<double> settled() const;
  [[nodiscard]] std::optional<Frequency> pace_for(const std::vector<std::size_t>& looked_at) const;
  [[nodiscard]] std::size_t best() const { return choose_rehearsed(settled(), to_hold_, latencies_); }

  const Pipeline& pipeline_;
  const std::vector<SharedPlan>& plans_;
  const std::vector<int>& nodes_;
  const RunOptions& options_;
  HandOver& hand_over_;
  MPI_Comm communicator_;
  /// Costs are the same for all plans, and so are the frames that are dear.
  bool is_uneven_ = false;
  Time duration_;
  std::optional<RateToHold> to_hold_;
  bool weighs_latency_ = false;
  bool is_crowded_ = false;
  /// By plan, as all that follows.
  std::vector<RehearsalTurns> seen_;
  std::vector<bool> is_tried_;
  std::vector<std::uint64_t> begun_;
  std::vector<SinkLatencies> latencies_;
  std::vector<std::vector<std::optional<Spread>>> latency_spreads_;
  /// At which latencies were compared.
  std::optional<Frequency> common_pace_;
};

RehearsedPlans::RehearsedPlans(const Pipeline& pipeline, const std::vector<SharedPlan>& plans,
                               const std::vector<int>& nodes, const RunOptions& options, Time duration,
                               HandOver& hand_over, MPI_Comm communicator)
    : pipeline_(pipeline),
      plans_(plans),
      nodes_(nodes),
      options_(options),
      hand_over_(hand_over),
      communicator_(communicator),
      is_uneven_(has_rare_frames(plans.front().summary)),
      duration_(duration),
      to_hold_(rate_to_hold(pipeline)),
      weighs_latency_(to_hold_ && to_hold_->with_least_latency && pipeline.source_rate() && plans.size() > 1),
      is_tried_(plans.size()),
      begun_(plans.size()),
      latencies_(plans.size()),
      latency_spreads_(plans.size()) {
  // Many frames, so that dear ones are among them as often as in the stream.
  constexpr int longer = 4;
  if (is_uneven_) duration_ *= longer;
  const std::vector<int> node_of = mpi::gather(options.share.node, communicator);
  const std::vector<int> processors = mpi::gather(static_cast<int>(options.share.processors), communicator);
  for (const SharedPlan& plan : plans) {
    const bool are_crowded = takes_turns(plan.summary, node_of, processors);
    is_crowded_ = is_crowded_ || are_crowded;
    seen_.emplace_back(plan.summary.predicted_hz, is_uneven_    ? Turns::uneven
                                                  : are_crowded ? Turns::crowded
                                                                : Turns::alone);
  }
}

void RehearsedPlans::try_plan(std::size_t i) {
  const RunPlan& plan = plans_[i].summary;
  const TrialLength length = length_of(pipeline_, plan, duration_).value();
  Trial trial{.rounds = length.rounds, .cycle = length.cycle.rounds};
  // Other frames in each turn: of the first thousand as many as there happen to be are dear.
  const std::uint64_t frames = trial.rounds * plan.replicas;
  if (is_uneven_) trial.skipped = begun_[i]++ * frames;
  const double hertz = try_plan_once(pipeline_, plans_[i], nodes_, options_, trial, communicator_).hertz;
  seen_[i].add(with_calls_beyond(plan, length.cycle, frames, hertz), hand_over_.look());
}

std::vector<double> RehearsedPlans::settled() const {
  std::vector<double> hertz;
  for (const RehearsalTurns& each : seen_) hertz.push_back(each.settled());
  return hertz;
}

/// Those that may be of use and were not tried yet.
void RehearsedPlans::try_plans() {
  std::vector<std::size_t> tried;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    const double most = std::ranges::max(settled());
    // One turn is enough where ranks do not take turns.
    const bool is_held = to_hold_ && most >= to_hold_->enough.hertz && !is_crowded_ && !weighs_latency_;
    const double wanted = weighs_latency_ ? std::min(most, to_hold_->enough.hertz) : most;
    if (is_tried_[i] || is_held || !may_be_faster(plans_[i].summary.predicted_hz, wanted)) continue;
    try_plan(i);
    is_tried_[i] = true;
    tried.push_back(i);
  }
  for (int turn = 1; turn < turns; ++turn)
    for (const std::size_t i : tried) try_plan(i);
  while (std::erase_if(tried, [&](std::size_t i) { return !seen_[i].are_doubtful(); }), !tried.empty())
    for (const std::size_t i : tried) try_plan(i);
}

void RehearsedPlans::find_rates() {
  try_plans();
  // What seemed to hold the rate in its first turn may not.
  if (to_hold_ && std::ranges::max(settled()) < to_hold_->enough.hertz) try_plans();
}

std::optional<Frequency> RehearsedPlans::pace_for(const std::vector<std::size_t>& looked_at) const {
  return pace_of(pipeline_, plans_, settled(), looked_at, duration_);
}

/// What frames take to each sink at this pace, at which ranks sleep and wake and caches grow cold as in the
/// run.
void RehearsedPlans::look_at_latencies(const std::vector<std::size_t>& looked_at, Frequency pace) {
  std::vector<LatencyTurns> seen;
  for (const SharedPlan& plan : plans_) seen.emplace_back(most_paced_turns(plan.summary, pace, duration_));
  const auto try_latencies = [&](std::size_t i) {
    const Trial trial{.rounds = paced_rounds(plans_[i].summary, pace, duration_), .pace = pace};
    return try_plan_once(pipeline_, plans_[i], nodes_, options_, trial, communicator_).latencies;
  };
  for (std::vector<std::size_t> left = looked_at; !left.empty();
       std::erase_if(left, [&](std::size_t i) { return !seen[i].wants_another(); }))
    for (const std::size_t i : left) seen[i].add(try_latencies(i));
  for (const std::size_t i : looked_at) {
    latencies_[i] = with_rare_sinks(plans_[i].summary, seen[i].settled());
    latency_spreads_[i] = seen[i].spreads();
  }
}

void RehearsedPlans::compare_latencies() {
  if (!weighs_latency_) return;
  std::vector<std::size_t> compared;
  for (std::size_t i = 0; i < plans_.size(); ++i)
    if (seen_[i].settled() >= to_hold_->enough.hertz) compared.push_back(i);
  if (compared.size() > 1) common_pace_ = pace_for(compared);
  if (common_pace_) look_at_latencies(compared, *common_pace_);
}

void RehearsedPlans::settle_rate() {
  // A run that is too short for that has the rate as it is.
  constexpr int most_more = 3;
  if (!is_long_beside(most_more * duration_, pipeline_, plans_.front().summary, options_.limits)) return;
  for (std::size_t chosen; chosen = best(), seen_[chosen].are_rough();) try_plan(chosen);
}

Rehearsed RehearsedPlans::result() {
  const std::size_t chosen = best();
  const std::optional<Frequency> pace = pace_for({chosen});
  const bool is_known =
      longest_latency(latencies_[chosen]) && pace && common_pace_ && pace->hertz == common_pace_->hertz;
  if (pace && !is_known) look_at_latencies({chosen}, *pace);
  return {.hertz = settled(),
          .latencies = latencies_,
          .chosen = chosen,
          .hand_over_ns = seen_[chosen].hand_over_ns(),
          .rate_spread = seen_[chosen].spread(),
          .latency_spreads = latency_spreads_[chosen]};
}

}  // namespace

Rehearsed rehearse(const Pipeline& pipeline, const std::vector<SharedPlan>& plans,
                   const std::vector<int>& nodes, const RunOptions& options, Time duration,
                   HandOver& hand_over, MPI_Comm communicator) {
  const WholePhase phase(Phase::trial);
  RehearsedPlans rehearsed(pipeline, plans, nodes, options, duration, hand_over, communicator);
  rehearsed.find_rates();
  rehearsed.compare_latencies();
  rehearsed.settle_rate();
  return rehearsed.result();
}

}  // namespace takt::pipeline
