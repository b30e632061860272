#include "pipeline/report/report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/formats/json_text.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/pictures/text_table.hpp"
#include "pipeline/engine/histogram.hpp"
#include "pipeline/report/plan_report.hpp"

namespace takt::pipeline {

namespace {

constexpr double held_tolerance = 0.01;

/// Merges the ranks' figures of each stage.
void gather_tasks(const RunRecord& record, Report& report) {
  std::vector<Distribution> times(report.tasks.size());
  std::vector<std::uint64_t> total_ns(report.tasks.size()), given(report.tasks.size());
  for (const auto& rank : record.ranks) {
    if (!rank) continue;
    for (const StageStatus& stage : rank->stages) {
      report.tasks[stage.stage].runs += stage.runs;
      total_ns[stage.stage] += stage.total_ns;
      given[stage.stage] += stage.given;
      times[stage.stage].merge(stage.time);
    }
  }
  for (std::size_t i = 0; i < report.tasks.size(); ++i) {
    Report::Task& task = report.tasks[i];
    if (task.runs == 0) continue;
    task.mean = Time(static_cast<Time::rep>(total_ns[i] / task.runs));
    task.p99 = times[i].quantile(0.99);
  }
  // A run that was broken off has frames on the way.
  if (!record.failure.empty() ||
      !std::ranges::all_of(record.ranks, [](const auto& rank) { return rank && rank->final; }))
    return;
  for (std::size_t i = 0; i < report.tasks.size(); ++i)
    for (const std::size_t input : record.plan->stages[i].inputs) {
      // A sink's second input triggers it, and is not written.
      if (report.tasks[i].kind == "sink" && input != record.plan->stages[i].inputs.front()) break;
      if (given[input] != report.tasks[i].runs)
        report.miscounts.push_back(fmt::format("'{}' gave {} frames, '{}' took {}", report.tasks[input].name,
                                               given[input], report.tasks[i].name, report.tasks[i].runs));
    }
}

/// Frames that a sink's backlog took and did not give on (sensors/backlog/frame_backlog.hpp), and those that
/// were held back from it, as the user wanted.
std::uint64_t left_out(const std::vector<sensors::Counter>& counters) {
  std::uint64_t count = 0;
  for (const sensors::Counter& counter : counters)
    if (counter.name == "backlog_dropped" || counter.name == "backlog_decimated" ||
        counter.name == "held_back")
      count += counter.value;
  return count;
}

void gather_frames(const RunRecord& record, Report& report) {
  Distribution latency;
  std::optional<std::uint64_t> passed;
  std::uint64_t source_drops = 0;
  for (const auto& rank : record.ranks) {
    if (!rank) continue;
    for (const SourceStatus& source : rank->sources) {
      const sensors::SourceCounters& counters = source.counters;
      report.ingested = std::max(report.ingested, counters.ingested);
      report.lost += counters.lost;
      report.incomplete += counters.incomplete;
      source_drops += counters.dropped;
      report.sources.push_back({report.tasks[source.stage].name, counters});
      for (const std::string& warning : source.warnings)
        report.notes.push_back(fmt::format("{}: {}", report.tasks[source.stage].name, warning));
    }
    for (const SinkStatus& sink : rank->sinks) {
      passed = std::min(passed.value_or(sink.passed), sink.passed);
      const std::uint64_t absorbed = sink.passed - std::min(sink.passed, sink.delivered);
      report.absorbed = std::max(report.absorbed, absorbed);
      report.absorbs = report.absorbs || absorbed >= std::max<std::uint64_t>(sink.most_combined, 1);
      latency.merge(sink.latency);
      report.outputs.push_back({report.tasks[sink.stage].name, sink.location, sink.passed,
                                sink.delivered - std::min(sink.delivered, left_out(sink.counters)),
                                sink.counters});
      for (const std::string& warning : sink.warnings)
        report.notes.push_back(fmt::format("{}: {}", report.tasks[sink.stage].name, warning));
      const auto hertz = sustained_rate(sink.timed, sink.first_ns, sink.last_ns, report.replicas);
      if (hertz) report.sustained_hz = std::min(report.sustained_hz.value_or(*hertz), *hertz);
    }
  }
  report.delivered = passed.value_or(0);
  // A rank that was killed told its figures a moment before; what others got from it since then counts.
  report.ingested = std::max(report.ingested, report.delivered);
  report.undelivered = report.ingested - report.delivered;
  report.dropped = source_drops + report.undelivered;
  report.absorbed = std::min(report.absorbed, report.delivered);
  report.delivered -= report.absorbed;
  if (latency.count() > 0) {
    report.latency_p50 = latency.quantile(0.5);
    report.latency_p90 = latency.quantile(0.9);
    report.latency_p99 = latency.quantile(0.99);
    report.latency_max = latency.quantile(1);
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
      const std::uint64_t busy = status->compute_ns + status->message_ns + status->other_ns;
      busiest_ns = std::max(busiest_ns, busy);
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
    }
    if (frames > 0 && i < planned.busy.size()) rank.planned = planned.busy[i];
    report.ranks.push_back(rank);
  }
  if (frames > 0 && busiest_ns > 0)
    report.capacity_hz = 1e9 * static_cast<double>(frames) / static_cast<double>(busiest_ns);
}

std::string optional_time(const std::optional<Time>& time) {
  return time ? to_string(*time) : "-";
}
std::string optional_hertz(const std::optional<double>& hertz) {
  return hertz ? to_string(Frequency{*hertz}) : "-";
}

/// `packets received 1023, socket buffer 8 MiB`: what is not zero.
std::string counters_text(const std::vector<sensors::Counter>& counters) {
  std::vector<std::string> texts;
  for (const sensors::Counter& counter : counters) {
    if (counter.value == 0) continue;
    std::string name = counter.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    texts.push_back(
        name + ' ' +
        (counter.unit == "bytes" ? to_string(Bytes{counter.value}) : std::to_string(counter.value)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

nlohmann::json counters_json(const std::vector<sensors::Counter>& counters) {
  nlohmann::json json = nlohmann::json::object();
  for (const sensors::Counter& counter : counters) json[counter.name] = counter.value;
  return json;
}

nlohmann::json waits_json(const Report::Rank& rank) {
  nlohmann::json json = nlohmann::json::array();
  for (const Report::Rank::Wait& wait : rank.waits)
    json.push_back({{"rank", wait.rank}, {"starved", wait.starved}, {"blocked", wait.blocked}});
  return json;
}

std::string tasks_text(const Report& report) {
  TextTable table({{"task"},
                   {"type"},
                   {.name = "rank", .is_prose = true},
                   {"planned", true},
                   {"mean", true},
                   {"p99", true},
                   {"runs", true}});
  for (const Report::Task& task : report.tasks)
    table.add({task.name, task.type, ranks_of_task(task.ranks, task.group), to_string(task.planned),
               task.runs > 0 ? to_string(task.mean) : "-", task.runs > 0 ? to_string(task.p99) : "-",
               fmt::format("{}", task.runs)});
  return table.to_text(2);
}

std::string percent(double share) {
  return fmt::format("{:.1f}{}%", 100 * share, no_break);
}

/// `40.0 % for frames of rank 0, 3.1 % for room at rank 2`.
std::string waits_text(const Report& report, std::size_t number) {
  constexpr double worth_saying = 0.0005;
  const Report::Rank& rank = report.ranks[number];
  if (std::ranges::none_of(
          report.tasks, [&](const Report::Task& task) { return std::ranges::count(task.ranks, number) > 0; }))
    return "it has no task";
  std::vector<std::string> texts;
  double source = rank.starved;
  for (const Report::Rank::Wait& wait : rank.waits) source -= wait.starved;
  if (source >= worth_saying) texts.push_back(percent(source) + " for the source");
  for (const Report::Rank::Wait& wait : rank.waits) {
    if (wait.starved >= worth_saying)
      texts.push_back(fmt::format("{} for frames of rank {}", percent(wait.starved), wait.rank));
    if (wait.blocked >= worth_saying)
      texts.push_back(fmt::format("{} for room at rank {}", percent(wait.blocked), wait.rank));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string ranks_text(const Report& report) {
  const bool has_plan =
      std::ranges::any_of(report.ranks, [](const Report::Rank& rank) { return rank.planned.has_value(); });
  std::vector<TextTable::Column> columns{{"rank", true}, {"host"}, {"busy", true}};
  if (has_plan)
    columns.push_back({fmt::format("planned at {}", to_string(Frequency{report.planned_hz})), true});
  for (const char* use : {"tasks", "messages", "loop"}) columns.push_back({use, true});
  columns.push_back({.name = "waits", .is_prose = true});
  TextTable table(std::move(columns));
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    const Report::Rank& rank = report.ranks[i];
    std::vector<std::string> row{fmt::format("{}", i), rank.host, percent(rank.busy())};
    if (has_plan) row.push_back(rank.planned ? percent(*rank.planned) : "-");
    for (const double share : {rank.compute, rank.message, rank.other}) row.push_back(percent(share));
    row.push_back(waits_text(report, i));
    table.add(std::move(row));
  }
  return table.to_text(2);
}

std::string outage_text(const Outage& outage) {
  const std::int64_t second = outage.utc_ns / 1'000'000'000 % 86400;
  std::string text = fmt::format("{:02}:{:02}:{:02} UTC behind frame {}", second / 3600, second / 60 % 60,
                                 second % 60, outage.frame);
  if (outage.lost) text += fmt::format(", {} frame{} lost", *outage.lost, *outage.lost == 1 ? "" : "s");
  if (!outage.hosts.empty()) text += fmt::format(", without {}", fmt::join(outage.hosts, ", "));
  return text + ": " + outage.reason;
}

}  // namespace

std::optional<bool> Report::held() const {
  if (!required_hz || !sustained_hz) return std::nullopt;
  return dropped == 0 && !absorbs && miscounts.empty() &&
         *sustained_hz >= *required_hz * (1 - held_tolerance);
}

std::vector<std::string> Report::shortcomings(double tolerance) const {
  std::vector<std::string> found;
  if (dropped > 0)
    found.push_back(fmt::format("{} frame{} dropped", dropped, dropped == 1 ? " was" : "s were"));
  if (lost > 0) found.push_back(fmt::format("{} frame{} lost", lost, lost == 1 ? " was" : "s were"));
  if (!held().value_or(true))
    found.push_back(fmt::format("{} was required and {} sustained", optional_hertz(required_hz),
                                optional_hertz(sustained_hz)));
  // A source that gives no more keeps the sustained rate below what the ranks could do.
  const double reached = std::max(sustained_hz.value_or(0), capacity_hz.value_or(0));
  if (sustained_hz && reached < predicted_hz * (1 - tolerance))
    found.push_back(fmt::format("{} was predicted, and the ranks could sustain {}, {:.0f}{}% less",
                                takt::to_string(Frequency{predicted_hz}), takt::to_string(Frequency{reached}),
                                100 * (1 - reached / predicted_hz), no_break));
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
    report.notes = plan.notes;
    report.predicted_hz = plan.predicted_hz;
    report.costs_hz = plan.costs_hz;
    report.required_hz = plan.required_hz;
    for (const PlannedStage& stage : plan.stages)
      report.tasks.push_back(
          {stage.name, stage.type, stage.kind, stage.ranks, 0, Time(stage.cost_ns), {}, {}, stage.group});
    gather_tasks(record, report);
    gather_frames(record, report);
  }
  gather_ranks(record, report);
  report.changes = record.changes;
  report.outages = record.outages;
  for (const std::string& warning : record.warnings) report.notes.push_back("while it went on: " + warning);
  return report;
}

std::string to_text(const Report& report) {
  std::string text =
      '\n' +
      fill(
          fmt::format("{}: {} rank{}, scheduled by {}{}{}", report.pipeline, report.ranks.size(),
                      report.ranks.size() == 1 ? "" : "s", report.scheduler, purpose_of(report.objective),
                      report.replicas > 1 ? fmt::format(", {} frames in a repetition", report.replicas) : ""),
          text_columns) +
      "\n\n" + tasks_text(report) + '\n' + ranks_text(report) + '\n';
  const auto line = [&](std::string_view title, const std::string& rest) { text += titled(title, rest); };

  line("frames",
       fmt::format(
           "{} ingested, {} delivered, {} lost, {} dropped{}{}", report.ingested, report.delivered,
           report.lost, report.dropped,
           report.absorbed > 0 ? fmt::format(", {} absorbed by kernels", report.absorbed) : "",
           report.incomplete > 0 ? fmt::format(" ({} ingested with parts missing)", report.incomplete) : ""));
  for (const Report::Source& source : report.sources) {
    std::string counts = counters_text(source.counters.details);
    if (report.sources.size() > 1)
      counts = fmt::format("{} ingested, {} lost, {} dropped, {} with parts missing{}{}",
                           source.counters.ingested, source.counters.lost, source.counters.dropped,
                           source.counters.incomplete, counts.empty() ? "" : "; ", counts);
    if (!counts.empty()) line("  " + source.name, counts);
  }
  for (const Outage& outage : report.outages) line("restarted", outage_text(outage));
  line("frequency",
       fmt::format("{} sustained{}, {} predicted, {} required{}", optional_hertz(report.sustained_hz),
                   report.delivered > 0 && !report.sustained_hz ? " (too few frames to say)" : "",
                   to_string(Frequency{report.predicted_hz}), optional_hertz(report.required_hz),
                   report.held() ? (*report.held() ? ": held" : ": NOT HELD") : ""));
  if (report.capacity_hz)
    line("", fmt::format("the busiest rank could have sustained {}; predicted limit: {}",
                         to_string(Frequency{*report.capacity_hz}), report.limit));
  if (report.costs_hz)
    line("", fmt::format("predicted by a rehearsal; the costs of single tasks promise {}",
                         to_string(Frequency{*report.costs_hz})));
  line("latency", fmt::format("p50 {}, p90 {}, p99 {}, max {}", optional_time(report.latency_p50),
                              optional_time(report.latency_p90), optional_time(report.latency_p99),
                              optional_time(report.latency_max)));
  for (const Report::Output& output : report.outputs) {
    const std::string counts = counters_text(output.counters);
    if (!output.location.empty()) line("output", fmt::format("{}: {}", output.sink, output.location));
    if (!counts.empty()) line("  " + output.sink, counts);
  }
  for (const std::string& miscount : report.miscounts)
    line("MISCOUNT", miscount + "; this is a fault of takt: please report it");
  for (const MadeChange& change : report.changes)
    line("changed", fmt::format("{} = {} (was {}) from frame {} on", change.parameter, change.value,
                                change.old_value, change.frame));
  for (const std::string& note : report.notes) line("note", note);
  return text;
}

std::string to_json(const Report& report) {
  using nlohmann::json;
  auto optional_number = [](const std::optional<double>& value) {
    return value ? json(*value) : json(nullptr);
  };
  auto optional_ns = [](const std::optional<Time>& value) {
    return value ? json(value->count()) : json(nullptr);
  };

  json root;
  root["pipeline"] = report.pipeline;
  root["scheduler"] = report.scheduler;
  root["objective"] = report.objective;
  root["replicas"] = report.replicas;
  root["failure"] = report.failure.empty() ? json(nullptr) : json(report.failure);
  root["frames"] = {{"ingested", report.ingested}, {"delivered", report.delivered},
                    {"lost", report.lost},         {"dropped", report.dropped},
                    {"absorbed", report.absorbed}, {"incomplete", report.incomplete}};
  root["frequency_hz"] = {{"sustained", optional_number(report.sustained_hz)},
                          {"predicted", report.predicted_hz},
                          {"by_costs", optional_number(report.costs_hz)},
                          {"required", optional_number(report.required_hz)},
                          {"capacity", optional_number(report.capacity_hz)}};
  root["restarts"] = json::array();
  for (const Outage& outage : report.outages)
    root["restarts"].push_back({{"utc_ns", outage.utc_ns},
                                {"reason", outage.reason},
                                {"frame", outage.frame},
                                {"lost", outage.lost ? json(*outage.lost) : json(nullptr)},
                                {"hosts_left_out", outage.hosts}});
  root["held"] = report.held() ? json(*report.held()) : json(nullptr);
  root["limit"] = report.limit;
  root["latency_ns"] = {{"p50", optional_ns(report.latency_p50)},
                        {"p90", optional_ns(report.latency_p90)},
                        {"p99", optional_ns(report.latency_p99)},
                        {"max", optional_ns(report.latency_max)}};
  root["ranks"] = json::array();
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    const Report::Rank& rank = report.ranks[i];
    root["ranks"].push_back({{"rank", i},
                             {"host", rank.host},
                             {"pid", rank.pid},
                             {"utilisation", rank.busy()},
                             {"compute", rank.compute},
                             {"message", rank.message},
                             {"other", rank.other},
                             {"starved", rank.starved},
                             {"blocked", rank.blocked},
                             {"waits", waits_json(rank)},
                             {"planned_utilisation", optional_number(rank.planned)},
                             {"processor_used", optional_number(rank.used)},
                             {"processor_delayed", optional_number(rank.delayed)}});
  }
  root["tasks"] = json::array();
  for (const Report::Task& task : report.tasks)
    root["tasks"].push_back({{"name", task.name},
                             {"type", task.type},
                             {"kind", task.kind},
                             {"ranks", task.ranks},
                             {"group", task.group},
                             {"runs", task.runs},
                             {"planned_ns", task.planned.count()},
                             {"mean_ns", task.mean.count()},
                             {"p99_ns", task.p99.count()}});
  root["sources"] = json::array();
  for (const Report::Source& source : report.sources) {
    root["sources"].push_back({{"name", source.name},
                               {"ingested", source.counters.ingested},
                               {"lost", source.counters.lost},
                               {"dropped", source.counters.dropped},
                               {"incomplete", source.counters.incomplete},
                               {"counters", counters_json(source.counters.details)}});
  }
  root["outputs"] = json::array();
  for (const Report::Output& output : report.outputs)
    root["outputs"].push_back({{"sink", output.sink},
                               {"location", output.location},
                               {"delivered", output.delivered},
                               {"passed", output.passed},
                               {"counters", counters_json(output.counters)}});
  root["miscounts"] = report.miscounts;
  root["changes"] = json::array();
  for (const MadeChange& change : report.changes)
    root["changes"].push_back({{"parameter", change.parameter},
                               {"value", change.value},
                               {"was", change.old_value},
                               {"frame", change.frame},
                               {"epoch", change.epoch},
                               {"utc_ns", change.utc_ns}});
  root["notes"] = report.notes;
  return json_text(root);
}

std::string progress_line(const RunRecord& record) {
  if (!record.plan) return "starting the ranks, measuring kernels and links";
  const Report report = make_report(record);
  std::string text =
      fmt::format("{} in, {} out, {} lost, {} dropped; {} (predicted {}", report.ingested, report.delivered,
                  report.lost, report.dropped - report.undelivered, optional_hertz(report.sustained_hz),
                  to_string(Frequency{report.predicted_hz}));
  if (report.required_hz) text += fmt::format(", required {}", optional_hertz(report.required_hz));
  text += fmt::format("); latency p50 {}", optional_time(report.latency_p50));
  const auto busiest = std::ranges::max_element(report.ranks, {}, &Report::Rank::busy);
  if (report.ranks.size() > 1)
    text += fmt::format("; busiest rank {}, {:.0f} %", busiest - report.ranks.begin(), 100 * busiest->busy());
  return text;
}

std::string progress_table(const RunRecord& record) {
  if (!record.plan) return "";
  const Report report = make_report(record);
  const std::string latency =
      fmt::format("latency p50 {}, p90 {}, p99 {}\n", optional_time(report.latency_p50),
                  optional_time(report.latency_p90), optional_time(report.latency_p99));
  TextTable ranks({{"rank", true},
                   {"busy", true},
                   {"compute", true},
                   {"message", true},
                   {"starved", true},
                   {"blocked", true},
                   {"doing"}});
  // So that the table stays in 80 letters.
  constexpr std::size_t most_rows = 16, longest_activity = 28;
  for (std::size_t rank = 0; rank < report.ranks.size() && rank < most_rows; ++rank) {
    const Report::Rank& each = report.ranks[rank];
    const auto percent = [](double share) { return fmt::format("{:.0f} %", 100 * share); };
    ranks.add(
        {fmt::format("{}", rank), percent(each.busy()), percent(each.compute), percent(each.message),
         percent(each.starved), percent(each.blocked),
         record.ranks[rank] ? record.ranks[rank]->activity.substr(0, longest_activity) : "not heard of"});
  }
  std::string text = latency + ranks.to_text();
  if (report.ranks.size() > most_rows)
    text += fmt::format("and {} more ranks\n", report.ranks.size() - most_rows);
  TextTable tasks({{"task"}, {"frames", true}, {"planned", true}, {"mean", true}, {"p99", true}});
  for (std::size_t task = 0; task < report.tasks.size() && task < most_rows; ++task) {
    const Report::Task& each = report.tasks[task];
    tasks.add({each.name, fmt::format("{}", each.runs), takt::to_string(each.planned),
               takt::to_string(each.mean), takt::to_string(each.p99)});
  }
  return text + '\n' + tasks.to_text();
}

std::optional<double> share_done(const RunRecord& record, const StreamLimits& limits) {
  if (!limits.frames || *limits.frames == 0 || !record.plan) return std::nullopt;
  std::uint64_t ingested = 0;
  for (const auto& rank : record.ranks)
    if (rank)
      for (const SourceStatus& source : rank->sources)
        ingested = std::max(ingested, source.counters.ingested);
  return std::min(1.0, static_cast<double>(ingested) / static_cast<double>(*limits.frames));
}

}  // namespace takt::pipeline
