#include "pipeline/report/report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/pictures/text_fill.hpp"
#include "core/told_apart.hpp"
#include "pipeline/protocol/histogram.hpp"
#include "pipeline/report/optional_text.hpp"
#include "pipeline/report/plan_report.hpp"

namespace takt::pipeline {

namespace {

constexpr double held_tolerance = 0.01;

/// Whether all ranks have told their last figures, or will tell no more.
bool is_over(const RunRecord& record) {
  return !record.failure.empty() ||
         std::ranges::all_of(record.ranks, [](const auto& rank) { return rank && rank->final; });
}

/// Merges the ranks' figures of each stage.
void gather_tasks(const RunRecord& record, Report& report) {
  std::vector<Distribution> times(report.tasks.size());
  std::vector<std::uint64_t> total_ns(report.tasks.size()), given(report.tasks.size()),
      overstated(report.tasks.size());
  for (const auto& rank : record.ranks) {
    if (!rank) continue;
    for (const StageStatus& stage : rank->stages) {
      report.tasks[stage.stage].runs += stage.runs;
      total_ns[stage.stage] += stage.total_ns;
      overstated[stage.stage] += stage.overstated;
      given[stage.stage] += stage.given;
      times[stage.stage].merge(stage.time);
    }
  }
  for (std::size_t i = 0; i < report.tasks.size(); ++i) {
    Report::Task& task = report.tasks[i];
    if (overstated[i] > 0)
      report.overstatements.push_back(fmt::format(
          "'{}' produced frames that stand for {} more than it received (`combined` in their headers)",
          task.name, overstated[i]));
    if (task.runs == 0) continue;
    task.mean = Time(static_cast<Time::rep>(total_ns[i] / task.runs));
    task.p99 = times[i].quantile(0.99);
  }
  // A run that was broken off has frames on the way.
  if (!record.failure.empty() || !is_over(record)) return;
  for (std::size_t i = 0; i < report.tasks.size(); ++i)
    for (const std::size_t input : record.plan->stages[i].inputs) {
      // A sink's second input triggers it, and is not written.
      if (report.tasks[i].kind == "sink" && input != record.plan->stages[i].inputs.front()) break;
      if (given[input] != report.tasks[i].runs)
        report.miscounts.push_back(fmt::format("'{}' produced {} frames, '{}' received {}",
                                               report.tasks[input].name, given[input], report.tasks[i].name,
                                               report.tasks[i].runs));
    }
}

/// Frames of the source for which what a sink's backlog took and did not give on stands
/// (sensors/backlog/frame_backlog.hpp), and what was held back from it, as the user wanted.
std::uint64_t left_out(const std::vector<sensors::Counter>& counters) {
  std::uint64_t count = 0;
  for (const sensors::Counter& counter : counters)
    if (counter.name == "backlog_left_out" || counter.name == "held_back") count += counter.value;
  return count;
}

Report::PredictedLatency predicted_latency_of(const PlannedStage& sink) {
  std::optional<Time> by_costs;
  if (sink.costs_latency_ns) by_costs = Time(*sink.costs_latency_ns);
  return {Time(sink.latency_ns), by_costs, sink.trial_latency_ns};
}

void gather_frames(const RunRecord& record, Report& report) {
  std::optional<std::uint64_t> passed;
  std::uint64_t source_drops = 0;
  for (const SourceStatus& source : sources_of(record.ranks)) {
    report.lost += source.counters.lost;
    report.incomplete += source.counters.incomplete;
    source_drops += source.counters.dropped;
    const std::string& name = report.tasks[source.stage].name;
    report.sources.push_back({name, source.counters, record.plan->stages[source.stage].queue_frames});
    for (const std::string& warning : source.warnings)
      report.notes.push_back(fmt::format("{}: {}", name, warning));
  }
  for (const auto& rank : record.ranks) {
    if (!rank || record.failure.empty() || rank->final) continue;
    for (const SinkStatus& sink : rank->sinks) {
      report.is_least = true;
      report.notes.push_back(
          fmt::format("rank {} ended without a final report: its figures are from its last heartbeat, and "
                      "'{}' may have more frames",
                      rank->rank, report.tasks[sink.stage].name));
    }
  }
  for (const SinkStatus& sink : sinks_of(record.ranks)) {
    passed = std::min(passed.value_or(sink.passed), sink.passed);
    const std::uint64_t absorbed = sink.passed - std::min(sink.passed, sink.delivered);
    report.absorbed = std::max(report.absorbed, absorbed);
    // While the run goes on the first of them may be the beginning of what comes.
    if (sink.delivered > 0 || is_over(record))
      report.absorbs = report.absorbs || absorbed >= std::max<std::uint64_t>(sink.most_combined, 1);
    Distribution latency;
    latency.merge(sink.latency);
    const PlannedStage& planned = record.plan->stages[sink.stage];
    report.outputs.push_back({.sink = report.tasks[sink.stage].name,
                              .location = sink.location,
                              .passed = sink.passed,
                              .delivered = sink.delivered - std::min(sink.delivered, left_out(sink.counters)),
                              .latency = quantiles_of(latency),
                              .predicted_latency = predicted_latency_of(planned),
                              .counters = sink.counters});
    for (const std::string& warning : sink.warnings)
      report.notes.push_back(fmt::format("{}: {}", report.tasks[sink.stage].name, warning));
    // What a filter keeps is nothing beside the stream.
    if (sink.rest > 0 && 2 * sink.rest >= sink.delivered)
      report.notes.push_back(fmt::format(
          "tasks produced {} of the {} frames of '{}' at the end of the stream: their time does not count "
          "towards throughput",
          sink.rest, sink.delivered, report.tasks[sink.stage].name));
    const auto hertz = sustained_rate(sink.timed, sink.first_ns, sink.last_ns, report.replicas);
    if (hertz) report.sustained_hz = std::min(report.sustained_hz.value_or(*hertz), *hertz);
  }
  for (const Report::Source& source : report.sources)
    report.ingested = std::max(report.ingested, source.counters.ingested);
  report.delivered = passed.value_or(0);
  // A rank that was killed told its figures a moment before; what others got from it since then counts.
  report.ingested = std::max(report.ingested, report.delivered);
  const std::uint64_t undelivered = report.ingested - report.delivered;
  report.dropped = source_drops;
  (is_over(record) ? report.dropped : report.under_way) += undelivered;
  report.absorbed = std::min(report.absorbed, report.delivered);
  report.delivered -= report.absorbed;
}

void gather_latencies(Report& report) {
  const bool has_several = std::ranges::any_of(
      report.outputs, [](const Report::Output& output) { return output.latency.are_of_several(); });
  for (const Report::Output& output : report.outputs) {
    if (output.latency.frames == 0 || output.latency.are_of_several() != has_several) continue;
    report.latency = longer(report.latency, output.latency);
    if (output.predicted_latency.median >= report.predicted_latency.median)
      report.predicted_latency = output.predicted_latency;
  }
}

void gather_ranks(const RunRecord& record, Report& report) {
  std::uint64_t busiest_ns = 0;
  // Ranks' times are those since the last restart.
  const std::uint64_t before = record.outages.empty() ? 0 : record.outages.back().frame;
  const std::uint64_t frames =
      report.delivered + report.absorbed - std::min(before, report.delivered + report.absorbed);
  PlannedLoad planned;
  if (record.plan) planned = planned_load(*record.plan);
  report.planned_hz = planned.at_hz;
  for (std::size_t i = 0; i < record.ranks.size(); ++i) {
    Report::Rank rank;
    if (const auto& status = record.ranks[i]) {
      rank.host = status->host;
      rank.pid = status->pid;
      const std::uint64_t busy = status->work_ns();
      busiest_ns = std::max(busiest_ns, busy - std::min(busy, status->rest_ns));
      const std::uint64_t all = std::max<std::uint64_t>(busy + status->starved_ns + status->blocked_ns, 1);
      const auto share = [&](std::uint64_t part) {
        return static_cast<double>(part) / static_cast<double>(all);
      };
      rank.compute = share(status->compute_ns);
      rank.message = share(status->message_ns);
      rank.other = share(status->other_ns);
      rank.starved = share(status->starved_ns);
      rank.blocked = share(status->blocked_ns);
      if (status->watched_ns > 0) {
        rank.used = static_cast<double>(status->used_ns) / static_cast<double>(status->watched_ns);
        rank.delayed = static_cast<double>(status->delayed_ns) / static_cast<double>(status->watched_ns);
      }
      for (const WaitStatus& wait : status->waits)
        rank.waits.push_back({wait.rank, share(wait.starved_ns), share(wait.blocked_ns)});
      for (const SourceStatus& source : status->sources)
        rank.source_waits.push_back({source.stage, share(source.awaited_ns)});
    }
    if (frames > 0 && i < planned.busy.size()) rank.planned = planned.busy[i];
    report.ranks.push_back(rank);
  }
  if (frames > 0 && busiest_ns > 0)
    report.capacity_hz = std::max(1e9 * static_cast<double>(frames) / static_cast<double>(busiest_ns),
                                  // Of few frames the first ones are expensive, and no part of that.
                                  report.sustained_hz.value_or(0));
}

double busiest_share(const Report& report) {
  double share = 0;
  for (const Report::Rank& rank : report.ranks) share = std::max(share, rank.busy());
  return share;
}

/// Whether a rank waited for its source for more than such a share of the time.
bool waited_for_source(const Report& report, double share) {
  return std::ranges::any_of(report.ranks,
                             [&](const Report::Rank& rank) { return rank.for_sources() > share; });
}

/// Whether a rank was busy for half of the time, or could have been: else the source gave frames so rarely
/// that caches were cold and clocks slow for each of them, which says little of frames that follow one
/// another. Ranks that wait for each other have missed what was promised.
bool was_put_to_work(const Report& report) {
  constexpr double half = 0.5;
  return busiest_share(report) >= half || !waited_for_source(report, half);
}

/// By few repetitions, or of another plan than that of the prediction, it cannot be.
bool may_judge_prediction(const Report& report) {
  constexpr std::uint64_t few = 20;
  return report.delivered + report.absorbed >= few * report.replicas && report.plan_changes == 0;
}

/// Says so where far more was sustained than was promised: plans were compared by figures that were not so.
void note_fast_run(Report& report) {
  if (!report.differs_from_prediction() || report.sustained_hz.value_or(0) < report.predicted_hz) return;
  report.notes.push_back(fmt::format(
      "sustained {}, {:.1f} times the predicted rate{}", takt::to_string(Frequency{*report.sustained_hz}),
      *report.sustained_hz / report.predicted_hz,
      report.trial_hz ? ": the trial run used made-up frames, or the machine was slower then"
                      : ": predicted from the costs of single tasks, without a trial run"));
}

/// Says so where the capacity is not what was promised.
void note_idle_ranks(Report& report) {
  constexpr double alike = 0.9;
  if (!report.failure.empty() || !report.capacity_hz || was_put_to_work(report) ||
      *report.capacity_hz > alike * report.predicted_hz)
    return;
  report.notes.push_back(fmt::format(
      "The ranks were {:.1f}{}% busy, so this run cannot confirm the predicted {}; `takt sustain` can",
      100 * busiest_share(report), no_break, takt::to_string(Frequency{report.predicted_hz})));
}

}  // namespace

std::optional<bool> Report::held() const {
  if (!required_hz || !sustained_hz) return std::nullopt;
  return why_not_held().empty();
}

std::string Report::why_not_held() const {
  std::vector<std::string> reasons;
  const auto count = [&](std::uint64_t frames, std::string_view what) {
    if (frames > 0) reasons.push_back(fmt::format("{} frame{} {}", frames, frames == 1 ? "" : "s", what));
  };
  if (!required_hz || !sustained_hz) return {};
  if (*sustained_hz < *required_hz * (1 - held_tolerance))
    reasons.push_back(fmt::format("{:.3g}{}% too slow", 100 * (1 - *sustained_hz / *required_hz), no_break));
  count(dropped, "dropped");
  std::uint64_t lost_in_restarts = 0;
  for (const Outage& outage : outages) lost_in_restarts += outage.lost.value_or(0);
  count(lost_in_restarts, "lost in restarts");
  if (absorbs) reasons.emplace_back("frames consumed by kernels");
  if (is_miscounted()) reasons.emplace_back("frames miscounted");
  return fmt::format("{}", fmt::join(reasons, ", "));
}

namespace {

/// The sources whose queues dropped frames, and what to do.
std::string full_queues(const Report& report) {
  std::vector<std::string> names;
  for (const Report::Source& source : report.sources)
    if (source.counters.dropped > 0) names.push_back(fmt::format("'{}'", source.name));
  if (names.empty()) return "";
  return fmt::format(": the queue{} of {} {} full", names.size() > 1 ? "s" : "", fmt::join(names, " and "),
                     names.size() > 1 ? "were" : "was");
}

/// Of the rank that waited most for its processor, where that is worth saying; otherwise nothing.
std::string what_others_took(const std::vector<Report::Rank>& ranks) {
  constexpr double worth_saying = 0.03;
  const auto delayed = [](const Report::Rank& rank) { return rank.delayed.value_or(0); };
  const auto most = std::ranges::max_element(ranks, {}, delayed);
  if (most == ranks.end() || delayed(*most) < worth_saying) return {};
  return fmt::format("; for {:.0f}{}% of the time rank {} was ready while other processes used its core",
                     100 * delayed(*most), no_break, most - ranks.begin());
}

}  // namespace

bool Report::differs_from_prediction() const {
  constexpr double far = 1.25;
  if (!may_judge_prediction(*this)) return false;
  return sustained_hz.value_or(0) > far * predicted_hz ||
         (capacity_hz && was_put_to_work(*this) && far * *capacity_hz < predicted_hz);
}

bool Report::is_held_up_by_source() const {
  // What ranks wait between two frames that follow one another.
  constexpr double hardly = 0.03;
  return waited_for_source(*this, hardly);
}

std::vector<std::string> Report::shortcomings(double tolerance) const {
  std::vector<std::string> found;
  if (dropped > 0)
    found.push_back(
        fmt::format("{} frame{} dropped{}", dropped, dropped == 1 ? "" : "s", full_queues(*this)));
  if (lost > 0) found.push_back(fmt::format("{} frame{} lost", lost, lost == 1 ? "" : "s"));
  for (const auto& source : sources)
    for (const sensors::Counter& counter : source.counters.details)
      if (counter.name == "streams_cut" && counter.value > 0)
        found.push_back(
            fmt::format("the stream of source '{}' ended without its sender's end mark", source.name));
  if (!held().value_or(true)) {
    const auto [required, sustained] = told_apart(Frequency{*required_hz}, Frequency{*sustained_hz});
    found.push_back(fmt::format("required {}, sustained {}: {}", required, sustained, why_not_held()));
  } else if (is_miscounted()) {
    found.emplace_back("frames were miscounted");
  }
  if (required_hz && !sustained_hz)
    found.push_back(
        fmt::format("required {}, but only {} frame{} reached the sinks, too few to measure a rate",
                    takt::to_string(Frequency{*required_hz}), delivered, delivered == 1 ? "" : "s"));
  // The sustained rate has the time in which ranks were gone.
  const bool says_more = is_held_up_by_source() || !outages.empty();
  const double reached = says_more ? capacity_hz.value_or(0) : sustained_hz.value_or(0);
  if (sustained_hz && may_judge_prediction(*this) && was_put_to_work(*this) &&
      reached < predicted_hz * (1 - tolerance)) {
    const std::string what = takt::to_string(Frequency{reached});
    found.push_back(fmt::format("predicted {}, {} {}, {:.0f}{}% less{}",
                                takt::to_string(Frequency{predicted_hz}),
                                says_more ? "estimated limit" : "sustained", what,
                                100 * (1 - reached / predicted_hz), no_break, what_others_took(ranks)));
  }
  return found;
}

Report make_report(const RunRecord& record) {
  Report report;
  report.failure = record.failure;
  if (record.plan) {
    const RunPlan& plan = *record.plan;
    report.pipeline = plan.pipeline;
    report.scheduler = plan.scheduler;
    report.objective = plan.objective;
    report.limit = plan.limit;
    report.replicas = plan.replicas;
    report.notes = notes_of(plan);
    report.predicted_hz = plan.predicted_hz;
    report.costs_hz = plan.costs_hz;
    report.trial_hz = plan.trial_hz;
    report.required_hz = plan.required_hz;
    for (const PlannedStage& stage : plan.stages)
      report.tasks.push_back(
          {stage.name, stage.type, stage.kind, stage.ranks, 0, Time(stage.cost_ns), {}, {}, stage.group});
    gather_tasks(record, report);
    gather_frames(record, report);
    gather_latencies(report);
    if (report.latency.frames == 0) report.predicted_latency.median = Time(plan.predicted_latency_ns);
  }
  gather_ranks(record, report);
  report.changes = record.changes;
  report.plan_changes = record.plan_changes;
  note_idle_ranks(report);
  note_fast_run(report);
  report.outages = record.outages;
  for (const std::string& warning : record.warnings) report.notes.push_back("while it went on: " + warning);
  return report;
}

}  // namespace takt::pipeline
