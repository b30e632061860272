#include "pipeline/live/live_update.hpp"

#include <algorithm>
#include <cmath>

#include "core/formats/json.hpp"
#include "core/pictures/text_fill.hpp"
#include "pipeline/report/plan_graph.hpp"
#include "pipeline/report/report.hpp"
#include "pipeline/report/shown_text.hpp"

namespace takt::pipeline {

namespace {

using Update = nlohmann::ordered_json;

Update or_null(const std::optional<double>& value) {
  return value ? Update(*value) : Update(nullptr);
}
Update milliseconds(const std::optional<Time>& time) {
  return time ? Update(static_cast<double>(time->count()) / 1e6) : Update(nullptr);
}

/// Returns the values of a scope for the page, by heading: numbers or text.
template <Scope scope>
Update numbers_of(const FigureValues<scope>& figures) {
  Update numbers = Update::object();
  figures.each([&](const Figure& figure, const std::optional<double>& value) {
    if (!figure.page.empty()) numbers[std::string(figure.page)] = std::llround(value.value_or(0));
  });
  return numbers;
}
template <Scope scope>
Update cells_of(const FigureValues<scope>& figures) {
  Update cells = Update::object();
  figures.each([&](const Figure& figure, const std::optional<double>& value) {
    if (!figure.page.empty()) cells[std::string(figure.page)] = plain_blanks(shown_text(figure, value, 0));
  });
  return cells;
}

Update stages_of(const Report& report) {
  Update stages = Update::array();
  for (const Report::Task& task : report.tasks)
    stages.push_back({{"name", task.name},
                      {"kind", task.kind},
                      {"ranks", task.ranks},
                      {"frames", task.counts["runs"]},
                      {"total_s", static_cast<double>(task.counts["work"]) / 1e9},
                      {"queue", task.figures.count("queue")},
                      {"cells", cells_of(task.figures)}});
  return stages;
}

/// Ages of the data of live sources, and the latencies of their channels.
Update ages_of(const Report& report) {
  Update ages = Update::array();
  const auto add = [&](const Report::Source& source, const std::string& channel, std::uint64_t count,
                       Time mean, Time longest) {
    ages.push_back(
        {source.name, channel, std::to_string(count), takt::to_string(mean), takt::to_string(longest)});
  };
  for (const Report::Source& source : report.sources) {
    if (source.age.frames > 0) add(source, "all", source.age.frames, source.mean_age, *source.age.max);
    for (const sensors::ChannelLatency& each : source.channels)
      add(source, each.channel, each.records, each.mean(), each.longest);
  }
  return ages;
}

}  // namespace

std::string live_state(const RunRecord& record) {
  if (!record.failure.empty()) return "failed: " + record.failure;
  if (!record.plan) return "measuring and planning";
  const bool has_ended =
      std::ranges::all_of(record.ranks, [](const auto& rank) { return rank && rank->final; });
  return std::string(has_ended ? "ended" : "running") +
         (record.are_outputs_held ? ", nothing is written" : "");
}

std::string live_update(const RunRecord& record, double seconds) {
  const Report report = make_report(record);
  Update update{
      {"pipeline", report.pipeline.empty() ? "takt" : report.pipeline},
      {"state", live_state(record)},
      {"seconds", seconds},
      {"frequency",
       {{"sustained", or_null(report.figures["sustained"])},
        {"required", or_null(report.figures["required"])},
        {"predicted", record.plan ? or_null(report.figures["predicted"]) : Update(nullptr)}}},
      {"latency_ms", {{"p50", milliseconds(report.latency.p50)}, {"p99", milliseconds(report.latency.p99)}}},
      {"frames", numbers_of(report.figures)},
      {"ranks", Update::array()},
      {"stages", stages_of(report)},
      {"ages", ages_of(report)},
      {"held", record.are_outputs_held},
      {"log", record.log}};
  for (std::size_t rank = 0; rank < report.ranks.size(); ++rank) {
    const Report::Rank& each = report.ranks[rank];
    const bool is_known = rank < record.ranks.size() && record.ranks[rank];
    const RankStatus status = is_known ? *record.ranks[rank] : RankStatus{};
    update["ranks"].push_back({{"rank", rank},
                               {"host", each.host},
                               {"cells", cells_of(each.figures)},
                               {"busy_s", static_cast<double>(status.work_ns()) / 1e9},
                               {"loop_s", static_cast<double>(status.loop_ns()) / 1e9},
                               {"activity", status.activity()}});
  }
  std::string text = update.dump(-1, ' ', false, Update::error_handler_t::replace);
  // It is JSON already.
  if (!record.probe.empty()) text.insert(text.size() - 1, ",\"probe\":" + record.probe);
  return text;
}

std::string live_graph(const RunRecord& record) {
  if (!record.plan) return "";
  return graph_view(graph_of(*record.plan), ranks_of(*record.plan), "ns");
}

}  // namespace takt::pipeline
