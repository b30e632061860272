#include "pipeline/live/metrics.hpp"

#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "pipeline/protocol/histogram.hpp"
#include "pipeline/report/report.hpp"

namespace takt::pipeline {

namespace {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

std::string escaped_label(const std::string& text) {
  std::string result;
  for (const char letter : text) switch (letter) {
      case '\\':
        result += "\\\\";
        break;
      case '"':
        result += "\\\"";
        break;
      case '\n':
        result += "\\n";
        break;
      default:
        result += letter;
    }
  return result;
}

/// Families in the order in which they are begun.
class Exposition {
 public:
  void family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    out_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }
  void sample(const Labels& labels, double value, std::string_view suffix = "") {
    out_ += name_;
    out_ += suffix;
    if (!labels.empty()) {
      out_ += '{';
      for (std::size_t i = 0; i < labels.size(); ++i)
        out_ +=
            fmt::format("{}{}=\"{}\"", i > 0 ? "," : "", labels[i].first, escaped_label(labels[i].second));
      out_ += '}';
    }
    // Whole numbers with all their digits.
    out_ += std::abs(value) < 9e15 && value == std::floor(value)
                ? fmt::format(" {}\n", static_cast<std::int64_t>(value))
                : fmt::format(" {:.9g}\n", value);
  }
  void histogram(const Labels& labels, const Distribution& distribution) {
    // 1, 2.5, 5 from 10 us to 100 s.
    for (double decade = 1e4; decade < 1e12; decade *= 10)
      for (const double step : {1.0, 2.5, 5.0}) {
        const double limit = decade * step;
        if (limit > 1e11) continue;
        Labels with_limit = labels;
        with_limit.emplace_back("le", fmt::format("{:g}", limit / 1e9));
        sample(with_limit, static_cast<double>(distribution.at_most(Time(std::llround(limit)))), "_bucket");
      }
    Labels all = labels;
    all.emplace_back("le", "+Inf");
    sample(all, static_cast<double>(distribution.count()), "_bucket");
    sample(labels, distribution.sum_ns() / 1e9, "_sum");
    sample(labels, static_cast<double>(distribution.count()), "_count");
  }
  [[nodiscard]] std::string text() && { return std::move(out_); }

 private:
  std::string_view name_;
  std::string out_;
};

/// The most that was ever there: no count of events.
bool is_high_water(const sensors::Counter& counter) {
  return counter.name.find("high_water") != std::string::npos;
}

void add_frames(Exposition& out, const Report& report) {
  const auto counter = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    out.family(name, "counter", help);
    out.sample({}, static_cast<double>(value));
  };
  counter("takt_frames_ingested_total", "Frames that the pipeline ingested from its sources.",
          report.ingested);
  counter("takt_frames_delivered_total", "Frames that reached every sink.", report.delivered);
  counter("takt_frames_lost_total", "Frames of which no data arrived.", report.lost);
  counter("takt_frames_dropped_total", "Frames that arrived and were discarded.", report.dropped);
  counter("takt_frames_incomplete_total", "Ingested frames with missing parts.", report.incomplete);
  out.family("takt_frames_under_way", "gauge", "Ingested frames that have not reached every sink.");
  out.sample({}, static_cast<double>(report.under_way));
  out.family("takt_source_events_total", "counter",
             "Counters of a source: packets and causes of loss, by name.");
  for (const Report::Source& source : report.sources)
    for (const sensors::Counter& each : source.counters.details)
      if (!is_high_water(each))
        out.sample({{"source", source.name}, {"event", each.name}, {"unit", each.unit}},
                   static_cast<double>(each.value));
  out.family("takt_source_high_water", "gauge", "Largest fill of a source's queues.");
  for (const Report::Source& source : report.sources)
    for (const sensors::Counter& each : source.counters.details)
      if (is_high_water(each))
        out.sample({{"source", source.name}, {"queue", each.name}, {"unit", each.unit}},
                   static_cast<double>(each.value));
}

void add_rates(Exposition& out, const Report& report) {
  out.family("takt_frequency_hertz", "gauge",
             "Throughput in frames/s: sustained since the start, predicted, required, and the estimated "
             "limit of the ranks.");
  if (report.sustained_hz) out.sample({{"kind", "sustained"}}, *report.sustained_hz);
  out.sample({{"kind", "predicted"}}, report.predicted_hz);
  if (report.required_hz) out.sample({{"kind", "required"}}, *report.required_hz);
  if (report.capacity_hz) out.sample({{"kind", "capacity"}}, *report.capacity_hz);
}

/// Merged over the ranks; by stage.
struct StageSums {
  std::uint64_t runs = 0, given = 0;
  Distribution time;
};

void add_stages(Exposition& out, const RunRecord& record) {
  std::vector<StageSums> sums(record.plan->stages.size());
  for (const auto& rank : record.ranks)
    if (rank)
      for (const StageStatus& stage : rank->stages) {
        sums[stage.stage].runs += stage.runs;
        sums[stage.stage].given += stage.given;
        sums[stage.stage].time.merge(stage.time);
      }
  const std::vector<PlannedStage>& stages = record.plan->stages;
  out.family("takt_task_frames_total", "counter", "Frames that a task processed (a source: produced).");
  for (std::size_t i = 0; i < stages.size(); ++i)
    out.sample({{"task", stages[i].name}, {"kind", stages[i].kind}}, static_cast<double>(sums[i].runs));
  out.family("takt_task_queue_frames", "gauge", "Frames that wait in the input of a task.");
  std::map<int, double> waiting;
  for (const auto& rank : record.ranks)
    if (rank) waiting[rank->rank] = 0;
  for (std::size_t i = 0; i < stages.size(); ++i)
    for (const std::size_t input : stages[i].inputs) {
      // Ranks tell their figures at different moments.
      const double queue =
          std::max(0.0, static_cast<double>(sums[input].given) - static_cast<double>(sums[i].runs));
      out.sample({{"task", stages[i].name}, {"input", stages[input].name}}, queue);
      for (const std::size_t rank : stages[i].ranks)
        waiting[static_cast<int>(rank)] += queue / static_cast<double>(stages[i].ranks.size());
    }
  out.family("takt_rank_queue_frames", "gauge",
             "Frames that wait for the tasks of a rank; tasks on several ranks count in equal parts.");
  for (const auto& [rank, queue] : waiting) out.sample({{"rank", fmt::format("{}", rank)}}, queue);
  out.family("takt_task_seconds", "histogram", "Time of a task per frame.");
  for (std::size_t i = 0; i < stages.size(); ++i) out.histogram({{"task", stages[i].name}}, sums[i].time);
  out.family("takt_task_planned_seconds", "gauge", "Planned time of a task per frame.");
  for (const PlannedStage& stage : stages)
    out.sample({{"task", stage.name}}, static_cast<double>(stage.cost_ns) / 1e9);
}

void add_ranks(Exposition& out, const RunRecord& record) {
  constexpr std::array<std::pair<std::string_view, std::uint64_t RankStatus::*>, 5> uses{
      {{"compute", &RankStatus::compute_ns},
       {"message", &RankStatus::message_ns},
       {"starved", &RankStatus::starved_ns},
       {"blocked", &RankStatus::blocked_ns},
       {"other", &RankStatus::other_ns}}};
  out.family("takt_rank_seconds_total", "counter", "Time of a rank by use.");
  for (const auto& rank : record.ranks)
    if (rank)
      for (const auto& [name, member] : uses)
        out.sample(
            {{"rank", fmt::format("{}", rank->rank)}, {"host", rank->host}, {"use", std::string(name)}},
            static_cast<double>((*rank).*member) / 1e9);
  out.family("takt_rank_wait_seconds_total", "counter", "Time that a rank waited for another one.");
  for (const auto& rank : record.ranks)
    if (rank)
      for (const WaitStatus& wait : rank->waits)
        for (const auto& [name, ns] :
             {std::pair{"starved", wait.starved_ns}, std::pair{"blocked", wait.blocked_ns}})
          out.sample(
              {{"rank", fmt::format("{}", rank->rank)}, {"for", fmt::format("{}", wait.rank)}, {"use", name}},
              static_cast<double>(ns) / 1e9);
}

void add_source_waits(Exposition& out, const RunRecord& record) {
  out.family("takt_rank_source_wait_seconds_total", "counter",
             "Time that a rank waited for frames of its own sources.");
  for (const auto& rank : record.ranks)
    if (rank)
      for (const SourceStatus& source : rank->sources)
        out.sample(
            {{"rank", fmt::format("{}", rank->rank)}, {"source", record.plan->stages[source.stage].name}},
            static_cast<double>(source.awaited_ns) / 1e9);
}

void add_latency(Exposition& out, const RunRecord& record) {
  out.family("takt_latency_seconds", "histogram", "Time from the ingestion of a frame to its end in a sink.");
  std::vector<std::optional<Distribution>> latencies(record.plan->stages.size());
  for (const auto& rank : record.ranks)
    if (rank)
      for (const SinkStatus& sink : rank->sinks) {
        if (!latencies[sink.stage]) latencies[sink.stage].emplace();
        latencies[sink.stage]->merge(sink.latency);
      }
  for (std::size_t i = 0; i < latencies.size(); ++i)
    if (latencies[i]) out.histogram({{"sink", record.plan->stages[i].name}}, *latencies[i]);
}

}  // namespace

std::string to_prometheus(const RunRecord& record) {
  Exposition out;
  const Report report = make_report(record);
  out.family("takt_run_info", "gauge", "1; the labels describe the run.");
  out.sample(
      {{"pipeline", report.pipeline}, {"scheduler", report.scheduler}, {"objective", report.objective}}, 1);
  out.family("takt_ranks", "gauge", "Ranks that have reported.");
  out.sample({}, static_cast<double>(
                     std::ranges::count_if(record.ranks, [](const auto& rank) { return rank.has_value(); })));
  if (record.plan) {
    add_frames(out, report);
    add_rates(out, report);
    add_latency(out, record);
    add_stages(out, record);
    add_source_waits(out, record);
  }
  add_ranks(out, record);
  return std::move(out).text();
}

}  // namespace takt::pipeline
