#include "pipeline/live/live_update.hpp"

#include <algorithm>

#include "core/formats/json.hpp"
#include "pipeline/pages/trace_page.hpp"
#include "pipeline/report/report.hpp"

namespace takt::pipeline {

namespace {

using Update = nlohmann::ordered_json;

Update or_null(const std::optional<double>& value) {
  return value ? Update(*value) : Update(nullptr);
}
Update milliseconds(const std::optional<Time>& time) {
  return time ? Update(static_cast<double>(time->count()) / 1e6) : Update(nullptr);
}

Update stages_of(const RunRecord& record) {
  struct Sums {
    std::uint64_t runs = 0, given = 0, total_ns = 0;
  };
  std::vector<Sums> sums(record.plan->stages.size());
  for (const auto& rank : record.ranks)
    if (rank)
      for (const StageStatus& stage : rank->stages) {
        sums[stage.stage].runs += stage.runs;
        sums[stage.stage].given += stage.given;
        sums[stage.stage].total_ns += stage.total_ns;
      }
  Update stages = Update::array();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const PlannedStage& planned = record.plan->stages[i];
    // Ranks tell their figures at different moments.
    std::uint64_t queue = 0;
    for (const std::size_t input : planned.inputs)
      queue = std::max(queue, sums[input].given > sums[i].runs ? sums[input].given - sums[i].runs : 0);
    const auto total = static_cast<double>(sums[i].total_ns);
    stages.push_back({{"name", planned.name},
                      {"kind", planned.kind},
                      {"ranks", planned.ranks},
                      {"frames", sums[i].runs},
                      {"mean_ms", sums[i].runs > 0 ? total / 1e6 / static_cast<double>(sums[i].runs) : 0.0},
                      {"total_s", total / 1e9},
                      {"queue", queue}});
  }
  return stages;
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
       {{"sustained", or_null(report.sustained_hz)},
        {"required", or_null(report.required_hz)},
        {"predicted", record.plan ? Update(report.predicted_hz) : Update(nullptr)}}},
      {"latency_ms", {{"p50", milliseconds(report.latency.p50)}, {"p99", milliseconds(report.latency.p99)}}},
      {"frames",
       {{"ingested", report.ingested},
        {"delivered", report.delivered},
        {"lost", report.lost},
        {"dropped", report.dropped},
        {"incomplete", report.incomplete}}},
      {"ranks", Update::array()},
      {"stages", record.plan ? stages_of(record) : Update::array()},
      {"held", record.are_outputs_held},
      {"log", record.log}};
  for (std::size_t rank = 0; rank < report.ranks.size(); ++rank) {
    const Report::Rank& each = report.ranks[rank];
    const bool is_known = rank < record.ranks.size() && record.ranks[rank];
    const RankStatus status = is_known ? *record.ranks[rank] : RankStatus{};
    const auto busy = static_cast<double>(status.work_ns());
    update["ranks"].push_back(
        {{"rank", rank},
         {"host", each.host},
         {"compute", each.compute},
         {"message", each.message},
         {"starved", each.starved},
         {"blocked", each.blocked},
         {"other", each.other},
         {"busy_s", busy / 1e9},
         {"loop_s", (busy + static_cast<double>(status.starved_ns + status.blocked_ns)) / 1e9},
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
