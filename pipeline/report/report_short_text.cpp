/// A report of a run that goes on, for one screen.

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/pictures/text_fill.hpp"
#include "core/pictures/text_table.hpp"
#include "pipeline/report/optional_text.hpp"
#include "pipeline/report/plan_report.hpp"
#include "pipeline/report/report.hpp"
#include "pipeline/report/shown_text.hpp"

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

/// Returns true for figures that change during a run: those of the live page, and the sum of a rank's work.
bool is_on_screen(const Figure& figure) {
  return !figure.page.empty() || figure.name == "utilisation";
}

std::string busiest_ranks_text(const Report& report) {
  TextTable table(with_figures<Scope::rank>({{"rank", true}, {"host"}}, is_on_screen));
  const auto busy = [&](std::size_t rank) { return report.ranks[rank].busy(); };
  for (const std::size_t i : largest(report.ranks.size(), busy)) {
    const Report::Rank& rank = report.ranks[i];
    table.add(
        with_figures({fmt::to_string(i), cut_in_the_middle(rank.host, 16)}, rank.figures, is_on_screen));
  }
  return table.to_text(2) + and_more(report.ranks.size(), "ranks");
}

std::string longest_tasks_text(const Report& report) {
  TextTable table(with_figures<Scope::task>({{"task"}, {"rank"}}));
  const auto work = [&](std::size_t task) { return report.tasks[task].counts["work"]; };
  for (const std::size_t i : largest(report.tasks.size(), work)) {
    const Report::Task& task = report.tasks[i];
    table.add(with_figures(
        {cut_in_the_middle(task.name, 20), cut_in_the_middle(ranks_of_task(task.ranks, task.group), 16)},
        task.figures));
  }
  return table.to_text(2) + and_more(report.tasks.size(), "tasks");
}

/// `101 ingested, 90 delivered, 0 lost, 11 dropped, 0 incomplete`.
std::string frame_counts(const FigureValues<Scope::run>& figures) {
  std::vector<std::string> counts;
  figures.each([&](const Figure& figure, const std::optional<double>& value) {
    if (is_on_screen(figure)) counts.push_back(fmt::format("{} {}", shown_text(figure, value), figure.page));
  });
  return fmt::format("{}", fmt::join(counts, ", "));
}

}  // namespace

std::string to_short_text(const Report& report) {
  const FigureValues<Scope::run>& figures = report.figures;
  std::string text = busiest_ranks_text(report) + longest_tasks_text(report);
  text += titled("frames", frame_counts(figures));
  text += titled(
      "frequency",
      fmt::format("{} sustained, {} predicted, {} required", optional_hertz(figures["sustained"]),
                  to_string(Frequency{figures.value("predicted")}), optional_hertz(figures["required"])));
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
