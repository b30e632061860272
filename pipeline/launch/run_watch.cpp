#include "pipeline/launch/run_watch.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "core/told_apart.hpp"
#include "core/units.hpp"
#include "pipeline/activity.hpp"

namespace takt::pipeline {

namespace {

/// Fewer frames in a window tell nothing about a task.
constexpr std::uint64_t least_runs = 20;

bool goes_on(const RunRecord& record) {
  return record.plan && std::ranges::all_of(record.ranks, [](const auto& rank) {
           return rank && !rank->final && rank->failure.empty() && rank->activity.starts_with(phase_running);
         });
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// What ranks that were busy for so long had of a processor meanwhile; 1 where nobody saw. Of the time in
/// which they wait they may use some, too: then this says too much, and never too little.
double processor_share(std::uint64_t used_ns, std::uint64_t busy_ns) {
  return used_ns == 0 ? 1 : std::min(1.0, share(used_ns, busy_ns));
}

/// `60 % of a processor`.
std::string part_of_processor(double share) {
  return fmt::format("{:.0f} % of a processor", 100 * share);
}

}  // namespace

RunWatch::Moment RunWatch::moment_of(const RunRecord& record, std::int64_t now) {
  Moment moment{.at = now, .passed = std::numeric_limits<std::uint64_t>::max()};
  moment.stages.resize(record.plan->stages.size());
  std::map<std::string, std::size_t> ranks_on;
  for (const auto& rank : record.ranks) {
    const std::uint64_t busy_ns = rank->compute_ns + rank->message_ns + rank->other_ns;
    moment.ranks.push_back({busy_ns, busy_ns + rank->starved_ns + rank->blocked_ns, rank->used_ns});
    for (const StageStatus& stage : rank->stages) {
      moment.stages[stage.stage].runs += stage.runs;
      moment.stages[stage.stage].total_ns += stage.total_ns;
    }
    moment.most_ranks_on_a_host = std::max(moment.most_ranks_on_a_host, ++ranks_on[rank->host]);
    for (const SourceStatus& source : rank->sources) moment.dropped += source.counters.dropped;
  }
  for (const SinkStatus& sink : sinks_of(record.ranks)) moment.passed = std::min(moment.passed, sink.passed);
  return moment;
}

std::vector<std::string> RunWatch::look(const RunRecord& record, std::int64_t now) {
  news_.clear();
  is_full_ = is_off_plan_ = false;
  if (!goes_on(record)) {
    moments_.clear();
    return {};
  }
  if (moments_.empty()) first_ = now;
  moments_.push_back(moment_of(record, now));
  while (moments_.size() > 1 && moments_[1].at <= now - window_ns_) moments_.pop_front();
  const Moment& then = moments_.front();
  if (then.at > now - window_ns_ || then.at < first_ + window_ns_) return {};
  is_full_ = true;
  look_at_tasks(*record.plan, then, moments_.back());
  look_at_ranks(*record.plan, then, moments_.back());
  look_at_rate(*record.plan, then, moments_.back());
  look_at_sources(record);
  return news_;
}

void RunWatch::look_at_tasks(const RunPlan& plan, const Moment& then, const Moment& now) {
  // A task may be slow that hardly takes any of the time there is.
  constexpr double worth_saying = 0.05;
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const std::uint64_t runs = now.stages[i].runs - then.stages[i].runs;
    if (runs < least_runs) continue;
    const std::uint64_t total_ns = now.stages[i].total_ns - then.stages[i].total_ns;
    const auto mean = static_cast<std::int64_t>(total_ns / runs);
    if (static_cast<double>(mean) < slower * static_cast<double>(plan.stages[i].cost_ns)) continue;
    if (share(total_ns, static_cast<std::uint64_t>(now.at - then.at)) < worth_saying) continue;
    const std::string what =
        fmt::format("task '{}' takes {} a frame where {} were planned", plan.stages[i].name,
                    takt::to_string(Time{mean}), takt::to_string(Time{plan.stages[i].cost_ns}));
    std::uint64_t used_ns = 0, busy_ns = 0;
    for (const std::size_t rank : plan.stages[i].ranks) {
      if (rank >= now.ranks.size()) continue;
      used_ns += now.ranks[rank].used_ns - then.ranks[rank].used_ns;
      busy_ns += now.ranks[rank].busy_ns - then.ranks[rank].busy_ns;
    }
    // What others take makes all tasks slower, and none of them is to blame.
    const double had = processor_share(used_ns, busy_ns);
    if (had * static_cast<double>(mean) < slower * static_cast<double>(plan.stages[i].cost_ns))
      say("processors", fmt::format("others use the processors, too: {}, having {} while at work", what,
                                    part_of_processor(had)));
    else
      say("task " + plan.stages[i].name, what);
  }
}

void RunWatch::look_at_ranks(const RunPlan& plan, const Moment& then, const Moment& now) {
  const double seconds = static_cast<double>(now.at - then.at) / 1e9;
  const double hertz = static_cast<double>(now.passed - then.passed) / seconds;
  for (std::size_t rank = 0; rank < std::min(now.ranks.size(), plan.predicted_busy.size()); ++rank) {
    const double is_busy = share(now.ranks[rank].busy_ns - then.ranks[rank].busy_ns,
                                 now.ranks[rank].all_ns - then.ranks[rank].all_ns);
    const double planned = plan.predicted_busy[rank] * hertz / std::max(plan.predicted_hz, 1e-9);
    if (is_busy < busy || planned > busy - spare) continue;
    constexpr double undisturbed = 0.95;
    const double had = processor_share(now.ranks[rank].used_ns - then.ranks[rank].used_ns,
                                       now.ranks[rank].busy_ns - then.ranks[rank].busy_ns);
    say(fmt::format("rank {}", rank),
        fmt::format(
            "rank {} is busy {:.0f} % of its time{}, and was planned to be {:.0f} % at this rate: it has "
            "become the bottleneck",
            rank, 100 * is_busy, had < undisturbed ? ", having " + part_of_processor(had) : "",
            100 * planned));
  }
}

void RunWatch::look_at_rate(const RunPlan& plan, const Moment& then, const Moment& now) {
  const double seconds = static_cast<double>(now.at - then.at) / 1e9;
  const double hertz = static_cast<double>(now.passed - then.passed) / seconds;
  const std::uint64_t dropped = now.dropped - then.dropped;
  if (plan.required_hz && hertz < *plan.required_hz * (1 - missed)) {
    const auto [comes, required] = told_apart(Frequency{hertz}, Frequency{*plan.required_hz});
    say("rate", fmt::format("{} come out where {} are required", comes, required));
  }
  if (dropped > 0)
    say("dropped", fmt::format("the pipeline does not keep up: {} frame{} dropped at the source in {:.0f} s",
                               dropped, dropped == 1 ? " was" : "s were", seconds));
}

void RunWatch::look_at_sources(const RunRecord& record) {
  for (const auto& rank : record.ranks)
    for (const SourceStatus& source : rank->sources) {
      const sensors::SourceCounters& counters = source.counters;
      if (counters.ingested + counters.lost + counters.dropped > 0) continue;
      std::string arrivals;
      for (const sensors::Counter& counter : counters.details)
        if (counter.value > 0 &&
            (counter.unit == "packets" || counter.unit == "messages" || counter.unit == "records"))
          arrivals += fmt::format("{}{} {}", arrivals.empty() ? "" : ", ", counter.name, counter.value);
      const std::string& name = record.plan->stages[source.stage].name;
      const std::string warning = fmt::format(
          "source '{}' has given no frame for {}: {}", name, takt::to_string(Time{2 * window_ns_}),
          arrivals.empty() ? "nothing has come; is its sender at work, and is this its address?"
                           : "of what has come it could make none (" + arrivals + ")");
      if (said_.insert("source " + name).second) news_.push_back(warning);
    }
}

void RunWatch::say(const std::string& kind, const std::string& warning) {
  is_off_plan_ = true;
  if (said_.insert(kind).second) news_.push_back(warning);
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
    const std::uint64_t busy_ns = now.ranks[rank].busy_ns - then.ranks[rank].busy_ns;
    busiest = std::max(busiest, share(busy_ns, now.ranks[rank].all_ns - then.ranks[rank].all_ns));
    observed.processor_shares.push_back(
        processor_share(now.ranks[rank].used_ns - then.ranks[rank].used_ns, busy_ns));
  }
  const double seconds = static_cast<double>(now.at - then.at) / 1e9;
  if (busiest > 0) observed.capacity_hz = static_cast<double>(now.passed - then.passed) / seconds / busiest;
  return observed;
}

}  // namespace takt::pipeline
