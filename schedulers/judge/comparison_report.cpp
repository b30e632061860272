#include "schedulers/judge/comparison_report.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/pictures/text_table.hpp"
#include "schedulers/judge/figure_columns.hpp"

namespace takt::schedulers {

namespace {

std::string json_list(const std::vector<std::string>& elements) {
  if (elements.empty()) return "[]\n";
  return fmt::format("[\n  {}\n]\n", fmt::join(elements, ",\n  "));
}

// ---- rows ----

struct TableShape {
  bool for_people = false;
  bool machine = true;
  bool error = true;
};

TextTable comparison_table(const std::vector<ComparisonRow>& rows, const TableShape& shape) {
  std::vector<FigureColumn> shown;
  for (const FigureColumn& column : figure_columns())
    if (column.in_tables || !shape.for_people) shown.push_back(column);

  std::vector<TextTable::Column> columns{{"graph"}};
  if (shape.machine) columns.push_back({"machine"});
  columns.push_back({"scheduler"});
  for (const FigureColumn& column : shown) columns.push_back({std::string(column.name), column.is_number});
  if (shape.error) columns.push_back({"error"});

  const Digits digits = shape.for_people ? Digits::few : Digits::all;
  TextTable table(std::move(columns));
  for (const ComparisonRow& row : rows) {
    std::vector<std::string> cells{row.graph};
    if (shape.machine) cells.push_back(row.machine);
    cells.push_back(row.scheduler);
    for (const FigureColumn& column : shown)
      cells.push_back(row.figures ? column.cell(*row.figures, digits) : shape.for_people ? "-" : "");
    if (shape.error) cells.push_back(row.error);
    table.add(std::move(cells));
  }
  return table;
}

// ---- the summary ----

struct SummaryColumn {
  std::string_view name;
  std::string (*cell)(const SchedulerSummary&, Digits);
};

constexpr std::size_t makespan = static_cast<std::size_t>(Objective::makespan),
                      frequency = static_cast<std::size_t>(Objective::frequency);

constexpr std::array summary_columns{
    SummaryColumn{"served", [](const SchedulerSummary& s, Digits) { return fmt::format("{}", s.served); }},
    SummaryColumn{"failed", [](const SchedulerSummary& s, Digits) { return fmt::format("{}", s.failed); }},
    SummaryColumn{"best_makespan",
                  [](const SchedulerSummary& s, Digits) { return fmt::format("{}", s.best[makespan]); }},
    SummaryColumn{"best_frequency",
                  [](const SchedulerSummary& s, Digits) { return fmt::format("{}", s.best[frequency]); }},
    SummaryColumn{"makespan_over_best",
                  [](const SchedulerSummary& s, Digits d) { return number(s.mean_excess[makespan], d); }},
    SummaryColumn{"period_over_best",
                  [](const SchedulerSummary& s, Digits d) { return number(s.mean_excess[frequency], d); }},
    SummaryColumn{"nsl", [](const SchedulerSummary& s, Digits d) { return number(s.mean_nsl, d); }},
    SummaryColumn{"makespan_ratio",
                  [](const SchedulerSummary& s, Digits d) { return number(s.mean_makespan_ratio, d); }},
    SummaryColumn{"ratio", [](const SchedulerSummary& s, Digits d) { return number(s.mean_ratio, d); }},
    SummaryColumn{"speed_up", [](const SchedulerSummary& s, Digits d) { return number(s.mean_speed_up, d); }},
    SummaryColumn{"efficiency",
                  [](const SchedulerSummary& s, Digits d) { return number(s.mean_efficiency, d); }},
    SummaryColumn{"processors",
                  [](const SchedulerSummary& s, Digits d) { return number(s.mean_processors, d); }},
    SummaryColumn{"seconds", [](const SchedulerSummary& s, Digits d) { return number(s.mean_seconds, d); }},
};

/// Means of a scheduler that served nothing say nothing.
std::string summary_cell(const SummaryColumn& column, const SchedulerSummary& summary, Digits digits,
                         std::string_view missing) {
  const bool is_count =
      column.name == "served" || column.name == "failed" || column.name.starts_with("best_");
  return summary.served > 0 || is_count ? column.cell(summary, digits) : std::string(missing);
}

TextTable summary_table(const ComparisonSummary& summary, Digits digits, std::string_view missing,
                        bool with_wins) {
  std::vector<TextTable::Column> columns{{"scheduler"}};
  for (const SummaryColumn& column : summary_columns) columns.push_back({std::string(column.name), true});
  if (with_wins)
    for (const Objective objective : judged_objectives)
      for (const SchedulerSummary& other : summary.schedulers)
        columns.push_back({fmt::format("{}_wins_over_{}", name_of(objective), other.scheduler), true});
  TextTable table(std::move(columns));
  for (std::size_t i = 0; i < summary.schedulers.size(); ++i) {
    std::vector<std::string> cells{summary.schedulers[i].scheduler};
    for (const SummaryColumn& column : summary_columns)
      cells.push_back(summary_cell(column, summary.schedulers[i], digits, missing));
    if (with_wins)
      for (const auto& duels : summary.duels)
        for (const Duel& duel : duels[i]) cells.push_back(fmt::format("{}", duel.wins));
    table.add(std::move(cells));
  }
  return table;
}

/// Columns have numbers for headings, rows have number and name, so that many schedulers fit on a screen.
TextTable duel_table(const ComparisonSummary& summary, Objective objective) {
  std::vector<TextTable::Column> columns{{"", true}, {"wins over"}};
  for (std::size_t j = 0; j < summary.schedulers.size(); ++j)
    columns.push_back({fmt::format("{}", j + 1), true});
  TextTable table(std::move(columns));
  for (std::size_t i = 0; i < summary.schedulers.size(); ++i) {
    std::vector<std::string> cells{fmt::format("{}", i + 1), summary.schedulers[i].scheduler};
    for (std::size_t j = 0; j < summary.schedulers.size(); ++j)
      cells.push_back(
          i == j ? "." : fmt::format("{}", summary.duels[static_cast<std::size_t>(objective)][i][j].wins));
    table.add(std::move(cells));
  }
  return table;
}

std::string duels_to_json(const ComparisonSummary& summary, std::size_t scheduler) {
  std::vector<std::string> members;
  for (const Objective objective : judged_objectives) {
    std::vector<std::string> others;
    const auto& duels = summary.duels[static_cast<std::size_t>(objective)][scheduler];
    for (std::size_t j = 0; j < duels.size(); ++j)
      if (j != scheduler)
        others.push_back(fmt::format("{}: {{\"wins\": {}, \"ties\": {}, \"losses\": {}}}",
                                     quoted(summary.schedulers[j].scheduler), duels[j].wins, duels[j].ties,
                                     duels[j].losses));
    members.push_back(fmt::format("\"{}\": {{{}}}", name_of(objective), fmt::join(others, ", ")));
  }
  return fmt::format("{{{}}}", fmt::join(members, ", "));
}

}  // namespace

std::string comparison_to_json(const std::vector<ComparisonRow>& rows) {
  std::vector<std::string> elements;
  for (const ComparisonRow& row : rows) {
    std::string members =
        fmt::format("\"graph\": {}, \"machine\": {}, ", quoted(row.graph), quoted(row.machine));
    members += row.figures ? figures_to_json(*row.figures, ", ")
                           : fmt::format("\"scheduler\": {}", quoted(row.scheduler));
    if (!row.error.empty()) members += fmt::format(", \"error\": {}", quoted(row.error));
    elements.push_back(fmt::format("{{{}}}", members));
  }
  return json_list(elements);
}

std::string comparison_to_csv(const std::vector<ComparisonRow>& rows) {
  return comparison_table(rows, {}).to_csv();
}

std::string comparison_to_text(const std::vector<ComparisonRow>& rows) {
  const auto other_machine = [&](const ComparisonRow& row) { return row.machine != rows.front().machine; };
  const auto has_error = [](const ComparisonRow& row) { return !row.error.empty(); };
  return comparison_table(rows, {.for_people = true,
                                 .machine = std::any_of(rows.begin(), rows.end(), other_machine),
                                 .error = std::any_of(rows.begin(), rows.end(), has_error)})
      .to_text();
}

std::string summary_to_json(const ComparisonSummary& summary) {
  std::vector<std::string> elements;
  for (std::size_t i = 0; i < summary.schedulers.size(); ++i) {
    std::string members = fmt::format("\"scheduler\": {}", quoted(summary.schedulers[i].scheduler));
    for (const SummaryColumn& column : summary_columns)
      members += fmt::format(", \"{}\": {}", column.name,
                             summary_cell(column, summary.schedulers[i], Digits::all, "null"));
    elements.push_back(fmt::format("{{{}, \"duels\": {}}}", members, duels_to_json(summary, i)));
  }
  return json_list(elements);
}

std::string summary_to_csv(const ComparisonSummary& summary) {
  return summary_table(summary, Digits::all, "", true).to_csv();
}

std::string summary_to_text(const ComparisonSummary& summary) {
  std::string text = fmt::format("{} instance{} (graph on machine); means over those served\n",
                                 summary.instances, summary.instances == 1 ? "" : "s");
  text += summary_table(summary, Digits::few, "-", false).to_text();
  if (summary.schedulers.size() < 2) return text;
  for (const Objective objective : judged_objectives)
    text += fmt::format("\ninstances with a better {} than the scheduler of column n\n{}", name_of(objective),
                        duel_table(summary, objective).to_text());
  return text;
}

}  // namespace takt::schedulers
