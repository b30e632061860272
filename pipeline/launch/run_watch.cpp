#include "pipeline/launch/run_watch.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/distinct_texts.hpp"
#include "core/units.hpp"
#include "pipeline/constants.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

namespace {

/// A rank that is busy for this share of its time has none to
/// spare; one that is planned to be busy for `worthwhile_gain` less
/// does.
constexpr double busy = 1 - accuracy_of_trials;

/// A rank without tasks in the plan waits for the end from the start on.
bool has_task(const RunPlan& plan, std::size_t rank) {
  return std::ranges::any_of(plan.stages, [&](const PlannedStage& stage) {
    return std::ranges::find(stage.ranks, rank) != stage.ranks.end();
  });
}

bool goes_on(const RunRecord& record) {
  if (!record.plan) return false;
  for (std::size_t i = 0; i < record.ranks.size(); ++i) {
    const auto& rank = record.ranks[i];
    if (!rank || rank->final || !rank->failure.empty()) return false;
    if (rank->phase != Phase::running && has_task(*record.plan, i)) return false;
  }
  return true;
}

bool is_silent(const SourceStatus& source) {
  return source.counts["ingested"] + source.counts["lost"] + source.counts["dropped"] == 0;
}

bool has_silent_source(const RunRecord& record) {
  return std::ranges::any_of(record.ranks,
                             [](const auto& rank) { return std::ranges::any_of(rank->sources, is_silent); });
}

/// Returns the time that it waited for its own sources.
std::uint64_t awaited_ns(const RankStatus& rank) {
  std::uint64_t all = 0;
  for (const SourceStatus& source : rank.sources) all += source.waits["starved"];
  return all;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Returns the CPU share of ranks while they were ready to run; 1 if not measured. Sleeping, or waiting for
/// another process or a device, does not count.
double processor_share(std::uint64_t used_ns, std::uint64_t delayed_ns) {
  return used_ns == 0 ? 1 : share(used_ns, used_ns + delayed_ns);
}

}  // namespace

RunWatch::Moment RunWatch::moment_of(const RunRecord& record, std::int64_t now) {
  Moment moment{.at = now, .passed = std::numeric_limits<std::uint64_t>::max()};
  moment.stages.resize(record.plan->stages.size());
  std::map<std::string, std::size_t> ranks_on;
  for (const auto& rank : record.ranks) {
    moment.ranks.push_back(
        {rank->work_ns(), rank->loop_ns(), rank->counts["used"], rank->counts["delayed"], awaited_ns(*rank)});
    for (const StageStatus& stage : rank->stages) {
      moment.stages[stage.stage].runs += stage.counts["runs"];
      moment.stages[stage.stage].total_ns += stage.counts["work"];
    }
    moment.most_ranks_on_a_host = std::max(moment.most_ranks_on_a_host, ++ranks_on[rank->host]);
    for (const SourceStatus& source : rank->sources) {
      moment.dropped += source.counts["dropped"];
      Moment::Intake& intake = moment.sources[source.stage];
      intake.came += source.counts["ingested"] + source.counts["dropped"];
      intake.awaited_ns[moment.ranks.size() - 1] += source.waits["starved"];
    }
  }
  for (const SinkStatus& sink : sinks_of(record.ranks))
    moment.passed = std::min(moment.passed, sink.counts["passed"]);
  return moment;
}

void RunWatch::begin_again() {
  moments_.clear();
  short_since_.reset();
  is_full_ = is_off_plan_ = false;
}

std::vector<std::string> RunWatch::look(const RunRecord& record, std::int64_t now) {
  is_full_ = is_off_plan_ = false;
  std::optional<Diagnosis> seen;
  std::optional<Shortage> shortage;
  std::vector<std::string> notes;
  if (goes_on(record)) {
    // A window that began before the stream would show too low a rate.
    const bool is_silent_now = has_silent_source(record);
    if (std::exchange(was_silent_, is_silent_now) && !is_silent_now) moments_.clear();
    if (moments_.empty()) first_ = now;
    moments_.push_back(moment_of(record, now));
    while (moments_.size() > 1 && moments_[1].at <= now - window_ns_) moments_.pop_front();
    const Moment& then = moments_.front();
    is_full_ = then.at <= now - window_ns_ && then.at >= first_ + window_ns_;
    if (is_full_) {
      Deviation deviation = deviation_from(*record.plan, then, moments_.back());
      if (!is_silent_now) shortage = shortage_in(*record.plan, then, moments_.back());
      // Then little or no output is expected, and its reason is reported. Frames at a low rate take longer
      // each, so that the limit cannot be estimated from them.
      if (is_silent_now || shortage) deviation.required.reset();
      // Infrequent frames find cold caches, and cores that other processes use meanwhile: without effect,
      // where the ranks could sustain the required rate.
      if (shortage && deviation.ranks.empty() && deviation.dropped == 0 &&
          deviation.room.hertz >= shortage->required.hertz)
        deviation.tasks.clear();
      seen = diagnosis_of(deviation);
      notes = look_at_sources(record);
      std::ranges::move(look_at_shortage(*record.plan, shortage, now), std::back_inserter(notes));
    }
  } else {
    moments_.clear();
    short_since_.reset();
  }
  is_off_plan_ = seen.has_value();
  if (auto text = deviations_.take(seen, now)) notes.insert(notes.begin(), std::move(*text));
  return notes;
}

std::optional<RunWatch::Shortage> RunWatch::shortage_in(const RunPlan& plan, const Moment& then,
                                                        const Moment& now) {
  if (!plan.required_hz) return std::nullopt;
  const double seconds = static_cast<double>(now.at - then.at) / 1e9;
  const double least_hz = *plan.required_hz * (1 - settled_error);
  const double hertz = static_cast<double>(now.passed - then.passed) / seconds;
  if (hertz >= least_hz) return std::nullopt;
  std::optional<Shortage> worst;
  for (const auto& [stage, intake] : now.sources) {
    const auto before = then.sources.find(stage);
    if (before == then.sources.end()) continue;
    const double delivered_hz = static_cast<double>(intake.came - before->second.came) / seconds;
    if (delivered_hz >= least_hz) continue;
    double awaited = 0, with_others = 0;
    for (const auto& [rank, until_now] : intake.awaited_ns) {
      const Moment::Use &last = now.ranks[rank], &first = then.ranks[rank];
      const auto share_of = [&](std::uint64_t until_then, std::uint64_t until) {
        return std::min(1.0, share(until - std::min(until_then, until), last.all_ns - first.all_ns));
      };
      const auto until_then = before->second.awaited_ns.find(rank);
      if (until_then == before->second.awaited_ns.end()) continue;
      awaited = std::max(awaited, share_of(until_then->second, until_now));
      with_others = std::max(with_others, share_of(first.awaited_ns, last.awaited_ns));
    }
    if (hertz >= least_hz * (1 - with_others) && (!worst || awaited > worst->awaited))
      worst = {.stage = stage, .gives = {delivered_hz}, .required = {*plan.required_hz}, .awaited = awaited};
  }
  return worst;
}

Deviation RunWatch::deviation_from(const RunPlan& plan, const Moment& then, const Moment& now) {
  const auto window_ns = static_cast<std::uint64_t>(now.at - then.at);
  Deviation deviation{.seconds = static_cast<double>(window_ns) / 1e9};
  const double hertz = static_cast<double>(now.passed - then.passed) / deviation.seconds;
  const auto had_of = [&](const std::vector<std::size_t>& ranks) {
    std::uint64_t used_ns = 0, delayed_ns = 0;
    for (const std::size_t rank : ranks) {
      if (rank >= now.ranks.size()) continue;
      used_ns += now.ranks[rank].used_ns - then.ranks[rank].used_ns;
      delayed_ns += now.ranks[rank].delayed_ns - then.ranks[rank].delayed_ns;
    }
    return processor_share(used_ns, delayed_ns);
  };
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const PlannedStage& stage = plan.stages[i];
    const std::uint64_t runs = now.stages[i].runs - then.stages[i].runs;
    if (runs < least_runs) continue;
    const std::uint64_t total_ns = now.stages[i].total_ns - then.stages[i].total_ns;
    if (share(total_ns, window_ns) < small_share) continue;
    const Time takes{static_cast<Time::rep>(total_ns / runs)}, planned{stage.cost_ns};
    if (static_cast<double>(takes.count()) < (1 + worthwhile_gain) * static_cast<double>(planned.count()))
      continue;
    deviation.tasks.push_back({.name = stage.name,
                               .takes = takes,
                               .planned = planned,
                               .had = had_of(stage.ranks),
                               .excess = static_cast<double>((takes - planned).count()) *
                                         static_cast<double>(runs) / static_cast<double>(window_ns)});
  }
  double busiest = 0, planned_busiest = 0;
  for (std::size_t rank = 0; rank < now.ranks.size(); ++rank) {
    const double is_busy = share(now.ranks[rank].busy_ns - then.ranks[rank].busy_ns,
                                 now.ranks[rank].all_ns - then.ranks[rank].all_ns);
    busiest = std::max(busiest, is_busy);
    if (rank >= plan.predicted_busy.size()) continue;
    const double planned = plan.predicted_busy[rank] * hertz / std::max(plan.predicted_hz, 1e-9);
    planned_busiest = std::max(planned_busiest, planned);
    if (is_busy >= busy && planned <= busy - worthwhile_gain)
      deviation.ranks.push_back({.rank = rank, .busy = is_busy, .planned = planned, .had = had_of({rank})});
  }
  deviation.output_rate = {hertz};
  deviation.room = {busiest > 0 ? hertz / busiest : hertz};
  deviation.dropped = now.dropped - then.dropped;
  if (plan.required_hz) {
    const double most_late = std::max(settled_error, longest_stall_s / deviation.seconds);
    deviation.is_missed = hertz < *plan.required_hz * (1 - most_late);
    const bool has_no_room = busiest > 0 && planned_busiest <= busy - worthwhile_gain &&
                             deviation.room.hertz < *plan.required_hz * (1 + accuracy_of_trials);
    if (deviation.is_missed || has_no_room) deviation.required = Frequency{*plan.required_hz};
  }
  return deviation;
}

std::vector<std::string> RunWatch::look_at_sources(const RunRecord& record) {
  std::vector<std::string> notes;
  for (const auto& rank : record.ranks)
    for (const SourceStatus& source : rank->sources) {
      if (!is_silent(source)) continue;
      const std::string& name = record.plan->stages[source.stage].name;
      if (!silent_sources_.insert(name).second) continue;
      std::string arrivals;
      for (const sensors::Counter& counter : source.details)
        if (counter.value > 0 &&
            (counter.unit == "packets" || counter.unit == "messages" || counter.unit == "records"))
          arrivals += fmt::format("{}{} {}", arrivals.empty() ? "" : ", ", counter.name, counter.value);
      notes.push_back(fmt::format(
          "source '{}': no frame for {}: {}", name, takt::to_string(Time{2 * window_ns_}),
          arrivals.empty() ? "nothing received: is the sender running, and is this its destination?"
                           : "no complete frame (" + arrivals + ")"));
    }
  return notes;
}

std::vector<std::string> RunWatch::look_at_shortage(const RunPlan& plan,
                                                    const std::optional<Shortage>& shortage,
                                                    std::int64_t now) {
  if (!shortage) short_since_.reset();
  if (shortage && !short_since_) short_since_ = now;
  // A pause shorter than a window is visible for less than two.
  if (!shortage || now - *short_since_ < 2 * window_ns_ || !short_sources_.insert(shortage->stage).second)
    return {};
  const auto [gives, required] = distinct_texts(shortage->gives, shortage->required);
  return {fmt::format("source '{}' delivers {}, {} are required: its rank is starved {:.0f} % of the time",
                      plan.stages[shortage->stage].name, gives, required, 100 * shortage->awaited)};
}

std::optional<Observed> RunWatch::observed() const {
  if (!is_full_) return std::nullopt;
  const Moment &then = moments_.front(), &now = moments_.back();
  Observed observed{.most_ranks_on_a_host = now.most_ranks_on_a_host};
  for (std::size_t i = 0; i < now.stages.size(); ++i) {
    const std::uint64_t runs = now.stages[i].runs - then.stages[i].runs;
    std::optional<Time>& cost = observed.costs.emplace_back();
    if (runs >= least_runs)
      cost = Time(static_cast<Time::rep>((now.stages[i].total_ns - then.stages[i].total_ns) / runs));
  }
  double busiest = 0;
  for (std::size_t rank = 0; rank < now.ranks.size(); ++rank) {
    const Moment::Use &used_then = then.ranks[rank], &used_now = now.ranks[rank];
    busiest =
        std::max(busiest, share(used_now.busy_ns - used_then.busy_ns, used_now.all_ns - used_then.all_ns));
    observed.processor_shares.push_back(
        processor_share(used_now.used_ns - used_then.used_ns, used_now.delayed_ns - used_then.delayed_ns));
  }
  const double seconds = static_cast<double>(now.at - then.at) / 1e9;
  if (busiest > 0) observed.capacity_hz = static_cast<double>(now.passed - then.passed) / seconds / busiest;
  return observed;
}

}  // namespace takt::pipeline
