#include "pipeline/report/run_progress.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/pictures/text_table.hpp"
#include "pipeline/launch/launcher.hpp"
#include "pipeline/report/optional_text.hpp"
#include "pipeline/report/report.hpp"

namespace takt::pipeline {

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
  for (const std::string& silent : silent_ranks(record)) text += "; " + silent;
  return text;
}

std::string progress_table(const RunRecord& record) {
  if (!record.plan) return "";
  const Report report = make_report(record);
  // Again, since of the line above narrow terminals cut the end.
  const std::string rate =
      fmt::format("rate {}, predicted {}{}\n", optional_hertz(report.sustained_hz),
                  to_string(Frequency{report.predicted_hz}),
                  report.required_hz ? ", required " + optional_hertz(report.required_hz) : "");
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
  std::string text = rate + latency + ranks.to_text();
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
  // By stage: several ranks may run one source.
  std::map<std::size_t, std::uint64_t> given;
  for (const auto& rank : record.ranks)
    if (rank)
      for (const SourceStatus& source : rank->sources) given[source.stage] += source.counters.ingested;
  std::uint64_t ingested = 0;
  for (const auto& [stage, frames] : given) ingested = std::max(ingested, frames);
  return std::min(1.0, static_cast<double>(ingested) / static_cast<double>(*limits.frames));
}

}  // namespace takt::pipeline
