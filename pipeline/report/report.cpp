#include "pipeline/report/report.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pipeline/constants.hpp"
#include "pipeline/protocol/histogram.hpp"
#include "pipeline/report/optional_text.hpp"
#include "pipeline/report/plan_report.hpp"

namespace takt::pipeline {

namespace {

/// Returns whether no rank will report further figures.
bool is_over(const RunRecord& record) {
  return !record.failure.empty() ||
         std::ranges::all_of(record.ranks, [](const auto& rank) { return rank && rank->final; });
}

/// Merges the ranks' figures of each stage.
void gather_tasks(const RunRecord& record, Report& report) {
  for (const PlannedStage& stage : record.plan->stages)
    report.tasks.push_back({stage.name, stage.type, stage.kind, stage.ranks, stage.group});
  for (const auto& rank : record.ranks)
    if (rank)
      for (const StageStatus& stage : rank->stages) report.tasks[stage.stage].counts.add(stage.counts);
  for (std::size_t i = 0; i < report.tasks.size(); ++i) {
    Report::Task& task = report.tasks[i];
    if (const std::uint64_t overstated = task.counts["overstated"]; overstated > 0)
      report.overstatements.push_back(fmt::format(
          "'{}' produced frames that stand for {} more than it received (`combined` in their headers)",
          task.name, overstated));
    Distribution times;
    times.merge(task.counts.histogram("time"));
    task.figures = shown(task.counts, {.runs = task.counts["runs"]});
    task.figures["planned"] = static_cast<double>(record.plan->stages[i].cost_ns);
    task.figures["p99"] = static_cast<double>(times.quantile(0.99).count());
  }
  // A failed run has frames in flight.
  if (!record.failure.empty() || !is_over(record)) return;
  for (std::size_t i = 0; i < report.tasks.size(); ++i)
    for (const std::size_t input : record.plan->stages[i].inputs) {
      // A sink's second input triggers it, and is not written.
      if (report.tasks[i].kind == "sink" && input != record.plan->stages[i].inputs.front()) break;
      const std::uint64_t given = report.tasks[input].counts["given"], taken = report.tasks[i].counts["runs"];
      if (given != taken)
        report.miscounts.push_back(fmt::format("'{}' produced {} frames, '{}' received {}",
                                               report.tasks[input].name, given, report.tasks[i].name, taken));
    }
}

/// Returns the source frames that a sink's backlog discarded (sensors/backlog/frame_backlog.hpp) or that the
/// user held back.
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

/// Sets the latencies of the run or of a sink.
template <Scope scope>
void set_latencies(FigureValues<scope>& figures, const LatencyQuantiles& latency,
                   const Report::PredictedLatency& predicted) {
  const auto ns = [](const std::optional<Time>& time) {
    return time ? std::optional(static_cast<double>(time->count())) : std::nullopt;
  };
  figures["latency_p50"] = ns(latency.p50);
  figures["latency_p90"] = ns(latency.p90);
  figures["latency_p99"] = ns(latency.p99);
  figures["latency_max"] = ns(latency.max);
  figures["latency_predicted"] = ns(predicted.median);
  figures["latency_by_costs"] = ns(predicted.by_costs);
  if (!predicted.trial_ns) return;
  figures["latency_trial_least"] = predicted.trial_ns->least;
  figures["latency_trial_most"] = predicted.trial_ns->most;
}

void set_age(Report::Source& source) {
  Distribution ages;
  ages.merge(source.counts.histogram("age"));
  if (ages.count() == 0) return;
  source.age = quantiles_of(ages);
  source.mean_age = Time(std::llround(ages.sum_ns() / static_cast<double>(ages.count())));
  source.figures["age_p50"] = static_cast<double>(source.age.p50->count());
  source.figures["age_p99"] = static_cast<double>(source.age.p99->count());
  source.figures["age_max"] = static_cast<double>(source.age.max->count());
}

void gather_sources(const RunRecord& record, Report& report) {
  double lost = 0, incomplete = 0, dropped = 0, ingested = 0;
  for (SourceStatus& source : sources_of(record.ranks)) {
    const std::string& name = report.tasks[source.stage].name;
    const FigureValues<Scope::source> figures = shown(source.counts, {});
    lost += figures.value("lost");
    incomplete += figures.value("incomplete");
    dropped += figures.value("dropped");
    ingested = std::max(ingested, figures.value("ingested"));
    std::vector<sensors::ChannelLatency> channels = sensors::take_channel_latencies(source.details);
    report.sources.push_back({.name = name,
                              .counts = source.counts,
                              .figures = figures,
                              .details = std::move(source.details),
                              .queue_frames = record.plan->stages[source.stage].queue_frames,
                              .channels = std::move(channels)});
    set_age(report.sources.back());
    for (const std::string& warning : source.warnings)
      report.notes.push_back(fmt::format("{}: {}", name, warning));
  }
  report.figures["lost"] = lost;
  report.figures["incomplete"] = incomplete;
  report.figures["dropped"] = dropped;
  report.figures["ingested"] = ingested;
}

/// Notes sinks whose rank died before its last report.
void note_missing_reports(const RunRecord& record, Report& report) {
  if (record.failure.empty()) return;
  for (const auto& rank : record.ranks) {
    if (!rank || rank->final) continue;
    for (const SinkStatus& sink : rank->sinks) {
      report.figures["is_least"] = 1;
      report.notes.push_back(
          fmt::format("rank {} ended without a final report: its figures are from its last heartbeat, and "
                      "'{}' may have more frames",
                      rank->rank, report.tasks[sink.stage].name));
    }
  }
}

/// Returns the frame rate of the slowest source with a pace of its own; nothing without one.
std::optional<double> offered_rate(const RunRecord& record, const Report& report) {
  std::optional<double> slowest;
  for (const SourceStatus& source : sources_of(record.ranks)) {
    const auto hertz = sustained_rate(report.tasks[source.stage].counts["given"], source.waits["first_ns"],
                                      source.waits["last_ns"], 1);
    if (record.plan->stages[source.stage].has_own_pace && hertz)
      slowest = std::min(slowest.value_or(*hertz), *hertz);
  }
  return slowest;
}

void gather_frames(const RunRecord& record, Report& report) {
  gather_sources(record, report);
  note_missing_reports(record, report);
  std::optional<std::uint64_t> passed;
  std::uint64_t absorbed = 0;
  for (const SinkStatus& sink : sinks_of(record.ranks)) {
    const Counts<Scope::sink>& counts = sink.counts;
    passed = std::min(passed.value_or(counts["passed"]), counts["passed"]);
    const std::uint64_t absorbed_here = counts["passed"] - std::min(counts["passed"], counts["delivered"]);
    absorbed = std::max(absorbed, absorbed_here);
    // During the run, the first absorbed frames may belong to a result that follows.
    if (counts["delivered"] > 0 || is_over(record))
      report.absorbs = report.absorbs || absorbed_here >= std::max<std::uint64_t>(counts["most_combined"], 1);
    Distribution latency;
    latency.merge(counts.histogram("latency"));
    const PlannedStage& planned = record.plan->stages[sink.stage];
    Report::Output output{.sink = report.tasks[sink.stage].name,
                          .location = sink.location,
                          .counts = counts,
                          .figures = shown(counts, {}),
                          .latency = quantiles_of(latency),
                          .predicted_latency = predicted_latency_of(planned),
                          .counters = sink.counters};
    output.figures["delivered"] =
        static_cast<double>(counts["delivered"] - std::min(counts["delivered"], left_out(sink.counters)));
    set_latencies(output.figures, output.latency, output.predicted_latency);
    report.outputs.push_back(std::move(output));
    for (const std::string& warning : sink.warnings)
      report.notes.push_back(fmt::format("{}: {}", report.tasks[sink.stage].name, warning));
    // The output that filters flush is small compared with the stream, and needs no note.
    if (counts["rest"] > 0 && 2 * counts["rest"] >= counts["delivered"])
      report.notes.push_back(fmt::format(
          "tasks produced {} of the {} frames of '{}' at the end of the stream: their time does not count "
          "towards throughput",
          counts["rest"], counts["delivered"], report.tasks[sink.stage].name));
    const auto hertz =
        sustained_rate(counts["timed"], counts["first_ns"], counts["last_ns"], report.replicas);
    std::optional<double>& sustained = report.figures["sustained"];
    if (hertz) sustained = std::min(sustained.value_or(*hertz), *hertz);
  }
  // After a late first frame, the waiting frames leave at once: that rate is not sustained.
  if (const std::optional<double> offered = offered_rate(record, report);
      offered && report.figures["sustained"])
    report.figures["sustained"] = std::min(*report.figures["sustained"], *offered);
  const std::uint64_t through = passed.value_or(0);
  absorbed = std::min(absorbed, through);
  // Frames that other ranks received after the last report of a killed rank count as ingested.
  const std::uint64_t ingested = std::max(report.figures.count("ingested"), through);
  const auto undelivered = static_cast<double>(ingested - through);
  report.figures["ingested"] = static_cast<double>(ingested);
  report.figures["absorbed"] = static_cast<double>(absorbed);
  report.figures["delivered"] = static_cast<double>(through - absorbed);
  report.figures["under_way"] = is_over(record) ? 0 : undelivered;
  if (is_over(record)) report.figures["dropped"] = report.figures.value("dropped") + undelivered;
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

void note_latency_limit(const RunPlan& plan, Report& report) {
  const std::optional<Quantile> quantile = quantile_named(plan.latency_quantile);
  if (!plan.required_latency_ns || !quantile) return;
  report.latency_limit = {*quantile, Time(*plan.required_latency_ns)};
  report.figures["latency_required"] = static_cast<double>(*plan.required_latency_ns);
  report.figures["latency_share"] = named(*quantile).share;
}

/// Returns the figures of a rank and its waits.
Report::Rank rank_of(const RankStatus& status) {
  const Divisors divisors{.loop_ns = status.loop_ns(), .watched_ns = status.counts["watched"]};
  Report::Rank rank{.host = status.host,
                    .pid = status.pid,
                    .has_reported = true,
                    .counts = status.counts,
                    .figures = shown(status.counts, divisors),
                    .waits = {},
                    .source_waits = {}};
  for (const WaitStatus& wait : status.waits)
    rank.waits.push_back({wait.rank, wait.counts, shown(wait.counts, divisors)});
  for (const SourceStatus& source : status.sources)
    rank.source_waits.push_back({source.stage, source.waits, shown(source.waits, divisors)});
  return rank;
}

void gather_ranks(const RunRecord& record, Report& report) {
  std::uint64_t busiest_ns = 0;
  // The times of the ranks begin at the last restart.
  const std::uint64_t before = record.outages.empty() ? 0 : record.outages.back().frame;
  const std::uint64_t through = report.figures.count("delivered") + report.figures.count("absorbed");
  const std::uint64_t frames = through - std::min(before, through);
  PlannedLoad planned;
  if (record.plan) planned = planned_load(*record.plan);
  report.planned_hz = planned.at_hz;
  for (std::size_t i = 0; i < record.ranks.size(); ++i) {
    const RankStatus status = record.ranks[i].value_or(RankStatus{});
    Report::Rank rank = rank_of(status);
    rank.has_reported = record.ranks[i].has_value();
    busiest_ns = std::max(busiest_ns, status.work_ns() - std::min(status.work_ns(), status.counts["rest"]));
    rank.figures["utilisation"] =
        rank.figures.value("compute") + rank.figures.value("message") + rank.figures.value("other");
    if (const std::uint64_t cores = status.counts["cores"]; cores > 1 && status.loop_ns() > 0) {
      const double workers = static_cast<double>(cores - 1);
      rank.figures["workers_idle"] = std::clamp(1 - rank.figures.value("tasks") / workers, 0.0, 1.0);
    }
    if (frames > 0 && i < planned.busy.size()) rank.figures["planned_utilisation"] = planned.busy[i];
    report.ranks.push_back(std::move(rank));
  }
  if (frames > 0 && busiest_ns > 0)
    report.figures["capacity"] =
        std::max(1e9 * static_cast<double>(frames) / static_cast<double>(busiest_ns),
                 // The first frames are expensive and not part of the sustained rate.
                 report.figures.value("sustained"));
}

/// Sets the frames that wait between tasks. Ranks report at different times: negative differences count as 0.
void gather_queues(const RunRecord& record, Report& report) {
  for (Report::Rank& rank : report.ranks)
    if (rank.has_reported) rank.figures["queue"] = 0;
  for (std::size_t i = 0; i < report.tasks.size(); ++i) {
    Report::Task& task = report.tasks[i];
    task.figures["queue"] = 0;
    for (const std::size_t input : record.plan->stages[i].inputs) {
      const std::uint64_t given = report.tasks[input].counts["given"];
      const auto queue = static_cast<double>(given - std::min(given, task.counts["runs"]));
      report.edges.push_back({i, input});
      report.edges.back().figures["queue"] = queue;
      task.figures["queue"] = std::max(task.figures.value("queue"), queue);
      for (const std::size_t rank : task.ranks) {
        if (rank >= report.ranks.size()) continue;
        FigureValues<Scope::rank>& figures = report.ranks[rank].figures;
        figures["queue"] = figures.value("queue") + queue / static_cast<double>(task.ranks.size());
      }
    }
  }
}

/// No device reports its load: it is the planned time of a frame at the sustained throughput.
void gather_devices(const RunPlan& plan, Report& report) {
  for (const PlannedDevice& device : plan.devices) {
    Report::Device& reported = report.devices.emplace_back(
        Report::Device{.name = device.name, .units = device.units, .tasks = {}, .load = {}});
    for (const std::size_t task : device.tasks) reported.tasks.push_back(plan.stages.at(task).name);
    reported.work = Time(device.work_ns);
    reported.planned_load = device.load(report.planned_hz);
    if (const std::optional<double> hertz = report.figures["sustained"]) reported.load = device.load(*hertz);
  }
}

/// Returns the figures since the last change of plan; nothing without one.
std::optional<Report::SinceChange> since_change_of(const RunRecord& record) {
  if (record.ranks_at_change.empty()) return std::nullopt;
  Report::SinceChange since;
  const std::vector<SinkStatus> sinks_then = sinks_of(record.ranks_at_change);
  for (const SinkStatus& sink : sinks_of(record.ranks)) {
    const auto then = std::ranges::find(sinks_then, sink.stage, &SinkStatus::stage);
    if (then == sinks_then.end()) continue;
    // Counters begin at 0 after a restart.
    if (sink.counts["timed"] < then->counts["timed"]) return std::nullopt;
    // Frames after the last one before the change.
    const auto hertz = sustained_rate(sink.counts["timed"] - then->counts["timed"] + record.plan->replicas,
                                      then->counts["last_ns"], sink.counts["last_ns"], record.plan->replicas);
    if (!hertz) return Report::SinceChange{};
    since.sustained_hz = std::min(since.sustained_hz.value_or(*hertz), *hertz);
  }
  const auto dropped = [](const std::vector<std::optional<RankStatus>>& ranks) {
    std::uint64_t count = 0;
    for (const SourceStatus& source : sources_of(ranks)) count += source.counts["dropped"];
    return count;
  };
  since.dropped = dropped(record.ranks) - std::min(dropped(record.ranks), dropped(record.ranks_at_change));
  return since;
}

}  // namespace

Report make_report(const RunRecord& record) {
  Report report;
  report.failure = record.failure;
  report.figures = {{"ingested", 0}, {"delivered", 0},  {"absorbed", 0}, {"lost", 0},
                    {"dropped", 0},  {"incomplete", 0}, {"is_least", 0}, {"predicted", 0}};
  if (record.plan) {
    const RunPlan& plan = *record.plan;
    report.pipeline = plan.pipeline;
    report.scheduler = plan.scheduler;
    report.objective = plan.objective;
    report.limit = plan.limit;
    report.replicas = plan.replicas;
    report.is_pipelined = plan.is_pipelined;
    report.figures["predicted"] = plan.predicted_hz;
    report.figures["by_costs"] = plan.costs_hz;
    report.figures["required"] = plan.required_hz;
    note_latency_limit(plan, report);
    if ((report.trial_hz = plan.trial_hz)) {
      report.figures["trial_least"] = plan.trial_hz->least;
      report.figures["trial_most"] = plan.trial_hz->most;
    }
    gather_tasks(record, report);
    gather_frames(record, report);
    // The verdict of a missed rate has its own cause.
    std::vector<std::string> notes = notes_of(plan, report.held().value_or(true));
    report.notes.insert(report.notes.begin(), notes.begin(), notes.end());
    gather_latencies(report);
    if (report.latency.frames == 0) report.predicted_latency.median = Time(plan.predicted_latency_ns);
  }
  set_latencies(report.figures, report.latency, report.predicted_latency);
  gather_ranks(record, report);
  if (record.plan) gather_devices(*record.plan, report);
  gather_queues(record, report);
  report.changes = record.changes;
  report.plan_changes = record.plan_changes;
  if (record.plan) report.since_change = since_change_of(record);
  note_idle_ranks(report);
  note_fast_run(report);
  report.outages = record.outages;
  for (const std::string& warning : record.warnings) report.notes.push_back("while it went on: " + warning);
  if (const std::optional<bool> held = report.held()) report.figures["held"] = *held ? 1 : 0;
  if (const std::optional<bool> held = report.holds_latency()) report.figures["latency_held"] = *held ? 1 : 0;
  return report;
}

}  // namespace takt::pipeline
