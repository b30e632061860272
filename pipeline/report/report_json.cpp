/// A report for programs.

#include <cmath>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/formats/json_text.hpp"
#include "pipeline/report/report.hpp"
#include "pipeline/report/report_verdict.hpp"

namespace takt::pipeline {

namespace {

nlohmann::json counters_json(const std::vector<sensors::Counter>& counters) {
  nlohmann::json json = nlohmann::json::object();
  for (const sensors::Counter& counter : counters) json[counter.name] = counter.value;
  return json;
}

/// As a whole number where its unit is one; null where it is not known.
nlohmann::json value_json(const Figure& figure, const std::optional<double>& value) {
  if (!value) return nullptr;
  switch (shown_unit(figure)) {
    case Unit::count:
    case Unit::ns:
    case Unit::bytes:
      return std::llround(*value);
    case Unit::flag:
      return *value != 0;
    case Unit::hertz:
    case Unit::share:
      break;
  }
  return *value;
}

/// All figures that have a key. Of a group within a group (`latency_ns.trial`) that is not known, the group
/// is null.
template <Scope scope>
nlohmann::json figures_json(const FigureValues<scope>& figures) {
  nlohmann::json json = nlohmann::json::object();
  figures.each([&](const Figure& figure, const std::optional<double>& value) {
    nlohmann::json* place = &json;
    std::string_view key = figure.key;
    for (std::size_t depth = 0, end = 0; (end = key.find('.')) != std::string_view::npos; ++depth) {
      place = &(*place)[std::string(key.substr(0, end))];
      key.remove_prefix(end + 1);
      if (depth == 1 && !value) return;
    }
    if (!key.empty()) (*place)[std::string(key)] = value_json(figure, value);
  });
  return json;
}

nlohmann::json channels_json(const std::vector<sensors::ChannelLatency>& channels) {
  nlohmann::json json = nlohmann::json::array();
  for (const sensors::ChannelLatency& each : channels)
    json.push_back({{"channel", each.channel},
                    {"records", each.records},
                    {"latency_ns", {{"mean", each.mean().count()}, {"max", each.longest.count()}}}});
  return json;
}

nlohmann::json rank_json(const Report& report, std::size_t number) {
  const Report::Rank& rank = report.ranks[number];
  nlohmann::json json = figures_json(rank.figures);
  json["rank"] = number;
  json["host"] = rank.host;
  json["pid"] = rank.pid;
  json["waits"] = json["source_waits"] = nlohmann::json::array();
  const auto add = [&](const char* list, nlohmann::json figures, const char* key, const auto& of) {
    figures[key] = of;
    json[list].push_back(std::move(figures));
  };
  for (const Report::Rank::Wait& wait : rank.waits)
    add("waits", figures_json(wait.figures), "rank", wait.rank);
  for (const Report::Rank::SourceWait& wait : rank.source_waits)
    add("source_waits", figures_json(wait.figures), "source", report.tasks[wait.stage].name);
  return json;
}

}  // namespace

std::string to_json(const Report& report) {
  using nlohmann::json;
  json root = figures_json(report.figures);
  root["pipeline"] = report.pipeline;
  root["scheduler"] = report.scheduler;
  root["objective"] = report.objective;
  root["replicas"] = report.replicas;
  root["pipelined"] = report.is_pipelined;
  root["verdict"] = verdict_text(report);
  root["failure"] = report.failure.empty() ? json(nullptr) : json(report.failure);
  root["restarts"] = json::array();
  for (const Outage& outage : report.outages)
    root["restarts"].push_back({{"utc_ns", outage.utc_ns},
                                {"reason", outage.reason},
                                {"frame", outage.frame},
                                {"lost", outage.lost ? json(*outage.lost) : json(nullptr)},
                                {"hosts_left_out", outage.hosts}});
  root["limit"] = report.limit;
  root["ranks"] = json::array();
  for (std::size_t rank = 0; rank < report.ranks.size(); ++rank)
    root["ranks"].push_back(rank_json(report, rank));
  // The figures of each, and what they belong to.
  const auto add = [&](const char* list, json figures, json names) {
    figures.update(names);
    root[list].push_back(std::move(figures));
  };
  for (const char* list : {"tasks", "sources", "outputs"}) root[list] = json::array();
  for (const Report::Task& task : report.tasks)
    add("tasks", figures_json(task.figures),
        {{"name", task.name},
         {"type", task.type},
         {"kind", task.kind},
         {"ranks", task.ranks},
         {"group", task.group}});
  for (const Report::Source& source : report.sources)
    add("sources", figures_json(source.figures),
        {{"name", source.name},
         {"counters", counters_json(source.details)},
         {"channels", channels_json(source.channels)}});
  for (const Report::Output& output : report.outputs)
    add("outputs", figures_json(output.figures),
        {{"sink", output.sink}, {"location", output.location}, {"counters", counters_json(output.counters)}});
  root["devices"] = json::array();
  for (const Report::Device& device : report.devices)
    root["devices"].push_back({{"name", device.name},
                               {"units", device.units},
                               {"tasks", device.tasks},
                               {"work_ns", device.work.count()},
                               {"planned_load", device.planned_load},
                               {"load", device.load ? json(*device.load) : json(nullptr)}});
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
