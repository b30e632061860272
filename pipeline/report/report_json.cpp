/// A report for programs.

#include <cmath>

#include <nlohmann/json.hpp>

#include "core/formats/json_text.hpp"
#include "pipeline/report/report.hpp"

namespace takt::pipeline {

namespace {

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

nlohmann::json source_waits_json(const Report& report, const Report::Rank& rank) {
  nlohmann::json json = nlohmann::json::array();
  for (const Report::Rank::SourceWait& wait : rank.source_waits)
    json.push_back({{"source", report.tasks[wait.stage].name}, {"starved", wait.starved}});
  return json;
}

nlohmann::json optional_ns(const std::optional<Time>& value) {
  return value ? nlohmann::json(value->count()) : nlohmann::json(nullptr);
}

/// In whole numbers.
nlohmann::json optional_ns(const std::optional<Spread>& spread) {
  if (!spread) return nullptr;
  return {{"least", std::llround(spread->least)}, {"most", std::llround(spread->most)}};
}

nlohmann::json latency_json(const LatencyQuantiles& latency, const Report::PredictedLatency& predicted) {
  return {{"p50", optional_ns(latency.p50)},         {"p90", optional_ns(latency.p90)},
          {"p99", optional_ns(latency.p99)},         {"max", optional_ns(latency.max)},
          {"predicted", predicted.median.count()},   {"by_costs", optional_ns(predicted.by_costs)},
          {"trial", optional_ns(predicted.trial_ns)}};
}

}  // namespace

std::string to_json(const Report& report) {
  using nlohmann::json;
  auto optional_number = [](const std::optional<double>& value) {
    return value ? json(*value) : json(nullptr);
  };

  const auto spread_json = [](const std::optional<Spread>& spread) {
    return spread ? json({{"least", spread->least}, {"most", spread->most}}) : json(nullptr);
  };

  json root;
  root["pipeline"] = report.pipeline;
  root["scheduler"] = report.scheduler;
  root["objective"] = report.objective;
  root["replicas"] = report.replicas;
  root["failure"] = report.failure.empty() ? json(nullptr) : json(report.failure);
  root["frames"] = {{"ingested", report.ingested}, {"delivered", report.delivered},
                    {"lost", report.lost},         {"dropped", report.dropped},
                    {"absorbed", report.absorbed}, {"incomplete", report.incomplete},
                    {"is_least", report.is_least}};
  root["frequency_hz"] = {
      {"sustained", optional_number(report.sustained_hz)}, {"predicted", report.predicted_hz},
      {"by_costs", optional_number(report.costs_hz)},      {"trial", spread_json(report.trial_hz)},
      {"required", optional_number(report.required_hz)},   {"capacity", optional_number(report.capacity_hz)}};
  root["restarts"] = json::array();
  for (const Outage& outage : report.outages)
    root["restarts"].push_back({{"utc_ns", outage.utc_ns},
                                {"reason", outage.reason},
                                {"frame", outage.frame},
                                {"lost", outage.lost ? json(*outage.lost) : json(nullptr)},
                                {"hosts_left_out", outage.hosts}});
  root["held"] = report.held() ? json(*report.held()) : json(nullptr);
  root["limit"] = report.limit;
  root["latency_ns"] = latency_json(report.latency, report.predicted_latency);
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
                             {"source_waits", source_waits_json(report, rank)},
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
                               {"latency_ns", latency_json(output.latency, output.predicted_latency)},
                               {"counters", counters_json(output.counters)}});
  root["miscounts"] = report.miscounts;
  root["overstatements"] = report.overstatements;
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

}  // namespace takt::pipeline
