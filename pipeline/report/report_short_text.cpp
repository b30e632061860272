/// A report of a run that goes on, for one screen.

#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "core/pictures/text_fill.hpp"
#include "core/pictures/text_table.hpp"
#include "pipeline/report/optional_text.hpp"
#include "pipeline/report/plan_report.hpp"
#include "pipeline/report/report.hpp"

namespace takt::pipeline {

namespace {

/// Of each of the two tables: with their headings and the lines below, a terminal of 24 lines holds them.
constexpr std::size_t most_rows = 6;

/// Indices of the largest values, the largest first.
template <class Value>
std::vector<std::size_t> largest(std::size_t count, Value value) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, value);
  order.resize(std::min(count, most_rows));
  return order;
}

/// Which ones a table leaves out.
std::string and_more(std::size_t count, std::string_view what) {
  return count > most_rows ? fmt::format("  and {} less busy {}\n", count - most_rows, what) : "";
}

std::string short_percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string busiest_ranks_text(const Report& report) {
  TextTable table({{"rank", true},
                   {"host"},
                   {"busy", true},
                   {"tasks", true},
                   {"messages", true},
                   {"starved", true},
                   {"blocked", true}});
  for (const std::size_t i :
       largest(report.ranks.size(), [&](std::size_t rank) { return report.ranks[rank].busy(); })) {
    const Report::Rank& rank = report.ranks[i];
    table.add({fmt::format("{}", i), cut_in_the_middle(rank.host, 24), short_percent(rank.busy()),
               short_percent(rank.compute), short_percent(rank.message), short_percent(rank.starved),
               short_percent(rank.blocked)});
  }
  return table.to_text(2) + and_more(report.ranks.size(), "ranks");
}

std::string longest_tasks_text(const Report& report) {
  TextTable table({{"task"}, {"rank"}, {"planned", true}, {"mean", true}, {"p99", true}, {"runs", true}});
  const auto total = [&](std::size_t task) {
    return static_cast<double>(report.tasks[task].mean.count()) *
           static_cast<double>(report.tasks[task].runs);
  };
  for (const std::size_t i : largest(report.tasks.size(), total)) {
    const Report::Task& task = report.tasks[i];
    table.add({cut_in_the_middle(task.name, 20), cut_in_the_middle(ranks_of_task(task.ranks, task.group), 16),
               to_string(task.planned), task.runs > 0 ? to_string(task.mean) : "-",
               task.runs > 0 ? to_string(task.p99) : "-", fmt::format("{}", task.runs)});
  }
  return table.to_text(2) + and_more(report.tasks.size(), "tasks");
}

}  // namespace

std::string to_short_text(const Report& report) {
  std::string text = busiest_ranks_text(report) + longest_tasks_text(report);
  text += titled("frames",
                 fmt::format("{} ingested, {} delivered, {} lost, {} dropped, {} incomplete", report.ingested,
                             report.delivered, report.lost, report.dropped, report.incomplete));
  text += titled("frequency",
                 fmt::format("{} sustained, {} predicted, {} required", optional_hertz(report.sustained_hz),
                             to_string(Frequency{report.predicted_hz}), optional_hertz(report.required_hz)));
  text +=
      titled("latency", fmt::format("p50 {}, p99 {}, max {}", optional_time(report.latency.p50),
                                    optional_time(report.latency.p99), optional_time(report.latency.max)));
  if (!report.changes.empty()) {
    const MadeChange& last = report.changes.back();
    text += titled("changed", fmt::format("{} = {} (was {}) from frame {} on", last.parameter, last.value,
                                          last.old_value, last.frame));
  }
  return text;
}

}  // namespace takt::pipeline
