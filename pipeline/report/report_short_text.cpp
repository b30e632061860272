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
    std::vector<std::string> row{fmt::format("{}", i), cut_in_the_middle(rank.host, 24),
                                 short_percent(rank.busy())};
    for (const double share : {rank.figures.value("compute"), rank.figures.value("message"),
                               rank.figures.value("starved"), rank.figures.value("blocked")})
      row.push_back(short_percent(share));
    table.add(std::move(row));
  }
  return table.to_text(2) + and_more(report.ranks.size(), "ranks");
}

std::string longest_tasks_text(const Report& report) {
  TextTable table({{"task"}, {"rank"}, {"planned", true}, {"mean", true}, {"p99", true}, {"runs", true}});
  const auto work = [&](std::size_t task) { return report.tasks[task].counts["work"]; };
  for (const std::size_t i : largest(report.tasks.size(), work)) {
    const Report::Task& task = report.tasks[i];
    const FigureValues<Scope::task>& figures = task.figures;
    const auto measured = [&](Time time) { return figures.count("runs") > 0 ? to_string(time) : "-"; };
    table.add({cut_in_the_middle(task.name, 20), cut_in_the_middle(ranks_of_task(task.ranks, task.group), 16),
               to_string(figures.time("planned")), measured(figures.time("work")),
               measured(figures.time("p99")), fmt::format("{}", figures.count("runs"))});
  }
  return table.to_text(2) + and_more(report.tasks.size(), "tasks");
}

}  // namespace

std::string to_short_text(const Report& report) {
  const FigureValues<Scope::run>& figures = report.figures;
  std::string text = busiest_ranks_text(report) + longest_tasks_text(report);
  text += titled("frames",
                 fmt::format("{} ingested, {} delivered, {} lost, {} dropped, {} incomplete",
                             figures.count("ingested"), figures.count("delivered"), figures.count("lost"),
                             figures.count("dropped"), figures.count("incomplete")));
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
