#include "schedulers/judge/comparison_report.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/formats/json_text.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/pictures/text_table.hpp"
#include "schedulers/judge/figure_columns.hpp"

namespace takt::schedulers {

namespace {

using Json = nlohmann::ordered_json;

// ---- rows ----

/// A figure of a row that has figures.
struct RowColumn {
  std::string_view name;
  bool is_number = true;
  bool in_tables = true;
  /// Null for the score.
  Figure (*figure)(const Figures&) = nullptr;

  [[nodiscard]] Figure of(const ComparisonRow& row) const {
    return figure != nullptr ? figure(*row.figures) : Figure(row.score);
  }
};

constexpr std::string_view score_name = "score";

/// Returns the named columns, in this order, or all except the score.
std::vector<RowColumn> row_columns(const ColumnNames& names) {
  std::vector<RowColumn> all;
  for (const FigureColumn& column : figure_columns())
    all.push_back({column.name, column.is_number, column.in_tables, column.of});
  if (names.empty()) return all;
  all.push_back({score_name});
  std::vector<RowColumn> chosen;
  for (const std::string& name : names) chosen.push_back(*std::ranges::find(all, name, &RowColumn::name));
  return chosen;
}

/// Table for programs.
TextTable all_columns(const std::vector<ComparisonRow>& rows, const ColumnNames& names) {
  std::vector<TextTable::Column> columns{{"graph"}, {"machine"}, {"scheduler"}};
  const std::vector<RowColumn> figures = row_columns(names);
  for (const RowColumn& column : figures) columns.push_back({std::string(column.name), column.is_number});
  columns.push_back({"error"});
  TextTable table(std::move(columns));
  for (const ComparisonRow& row : rows) {
    std::vector<std::string> cells{row.graph, row.machine, row.scheduler};
    for (const RowColumn& column : figures)
      cells.push_back(row.figures ? to_text(column.of(row), Digits::all) : "");
    cells.push_back(row.error);
    table.add(std::move(cells));
  }
  return table;
}

/// Text columns that identify a row, left of the figures.
struct RowKey {
  std::string_view name;
  std::string ComparisonRow::*text;
};

/// Table for users, without values of the heading and without columns that are the same in every row.
TextTable few_columns(std::span<const ComparisonRow> rows, const std::vector<RowKey>& keys,
                      const ColumnNames& names, bool has_bounds_in_heading) {
  const bool all_are_valid =
      std::ranges::all_of(rows, [](const ComparisonRow& row) { return !row.figures || row.figures->valid; });
  const bool has_error =
      std::ranges::any_of(rows, [](const ComparisonRow& row) { return !row.error.empty(); });
  std::vector<RowColumn> shown = row_columns(names);
  if (names.empty())
    std::erase_if(shown, [&](const RowColumn& column) {
      return !column.in_tables || (column.name == "valid" && all_are_valid) ||
             (column.name == "lower_bound" && has_bounds_in_heading);
    });

  std::vector<TextTable::Column> columns;
  for (const RowKey& key : keys) columns.push_back({std::string(key.name)});
  for (const RowColumn& column : shown) columns.push_back({std::string(column.name), column.is_number});
  if (has_error) columns.push_back({.name = "error", .is_prose = true});
  TextTable table(std::move(columns), keys.size());
  for (const ComparisonRow& row : rows) {
    std::vector<std::string> cells;
    for (const RowKey& key : keys) cells.push_back(row.*key.text);
    for (const RowColumn& column : shown)
      cells.push_back(row.figures ? to_text(column.of(row), Digits::few) : "-");
    if (has_error) cells.push_back(row.error);
    table.add(std::move(cells));
  }
  return table;
}

/// Text of a graph on a machine, with the bounds that all its schedules share.
std::string instance_to_text(std::span<const ComparisonRow> rows, const ColumnNames& columns) {
  const ComparisonRow& first = rows.front();
  std::string text = fill(fmt::format("{} on {}", first.graph, first.machine), text_columns) + '\n';
  const auto with_figures =
      std::ranges::find_if(rows, [](const ComparisonRow& row) { return row.figures.has_value(); });
  if (with_figures != rows.end())
    text +=
        fill(fmt::format("lower bounds: period {}{}, makespan {}\n", to_decimal(with_figures->figures->bound),
                         of_class(*with_figures->figures), with_figures->figures->makespan_bound.count()),
             text_columns);
  return text + few_columns(rows, {{"scheduler", &ComparisonRow::scheduler}}, columns, true).to_text();
}

// ---- the summary ----

struct SummaryColumn {
  std::string_view name;
  Figure (*of)(const SchedulerSummary&);
};

constexpr std::size_t makespan = static_cast<std::size_t>(Objective::makespan),
                      frequency = static_cast<std::size_t>(Objective::frequency);

Figure summary_count(std::size_t number) {
  return static_cast<std::int64_t>(number);
}

constexpr std::array summary_columns{
    SummaryColumn{"served", [](const SchedulerSummary& s) { return summary_count(s.served); }},
    SummaryColumn{"failed", [](const SchedulerSummary& s) { return summary_count(s.failed); }},
    SummaryColumn{"best_makespan", [](const SchedulerSummary& s) { return summary_count(s.best[makespan]); }},
    SummaryColumn{"best_frequency",
                  [](const SchedulerSummary& s) { return summary_count(s.best[frequency]); }},
    SummaryColumn{"makespan_over_best",
                  [](const SchedulerSummary& s) -> Figure { return s.mean_excess[makespan]; }},
    SummaryColumn{"period_over_best",
                  [](const SchedulerSummary& s) -> Figure { return s.mean_excess[frequency]; }},
    SummaryColumn{"score", [](const SchedulerSummary& s) -> Figure { return s.score; }},
    SummaryColumn{"nsl", [](const SchedulerSummary& s) -> Figure { return s.mean_nsl; }},
    SummaryColumn{"makespan_ratio",
                  [](const SchedulerSummary& s) -> Figure { return s.mean_makespan_ratio; }},
    SummaryColumn{"ratio", [](const SchedulerSummary& s) -> Figure { return s.mean_ratio; }},
    SummaryColumn{"speed_up", [](const SchedulerSummary& s) -> Figure { return s.mean_speed_up; }},
    SummaryColumn{"efficiency", [](const SchedulerSummary& s) -> Figure { return s.mean_efficiency; }},
    SummaryColumn{"processors", [](const SchedulerSummary& s) -> Figure { return s.mean_processors; }},
    SummaryColumn{"seconds", [](const SchedulerSummary& s) -> Figure { return s.mean_seconds; }},
};

/// Means over no valid schedule are undefined.
std::optional<Figure> figure_of(const SummaryColumn& column, const SchedulerSummary& summary) {
  const bool is_count =
      column.name == "served" || column.name == "failed" || column.name.starts_with("best_");
  if (summary.served == 0 && !is_count) return std::nullopt;
  return column.of(summary);
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
    for (const SummaryColumn& column : summary_columns) {
      const std::optional<Figure> figure = figure_of(column, summary.schedulers[i]);
      cells.push_back(figure ? to_text(*figure, digits) : std::string(missing));
    }
    if (with_wins)
      for (const auto& duels : summary.duels)
        for (const Duel& duel : duels[i]) cells.push_back(fmt::format("{}", duel.wins));
    table.add(std::move(cells));
  }
  return table;
}

/// Columns have numbers as headings, rows have number and name, so that many schedulers fit on a screen.
TextTable duel_table(const ComparisonSummary& summary, Objective objective) {
  std::vector<TextTable::Column> columns{{"", true}, {"wins over"}};
  constexpr std::size_t keys = 2;
  for (std::size_t j = 0; j < summary.schedulers.size(); ++j)
    columns.push_back({fmt::format("{}", j + 1), true});
  TextTable table(std::move(columns), keys);
  for (std::size_t i = 0; i < summary.schedulers.size(); ++i) {
    std::vector<std::string> cells{fmt::format("{}", i + 1), summary.schedulers[i].scheduler};
    for (std::size_t j = 0; j < summary.schedulers.size(); ++j)
      cells.push_back(
          i == j ? "." : fmt::format("{}", summary.duels[static_cast<std::size_t>(objective)][i][j].wins));
    table.add(std::move(cells));
  }
  return table;
}

Json duels_json(const ComparisonSummary& summary, std::size_t scheduler) {
  Json json;
  for (const Objective objective : judged_objectives) {
    Json& others = json[std::string(name_of(objective))] = Json::object();
    const auto& duels = summary.duels[static_cast<std::size_t>(objective)][scheduler];
    for (std::size_t j = 0; j < duels.size(); ++j)
      if (j != scheduler)
        others[summary.schedulers[j].scheduler] = {
            {"wins", duels[j].wins}, {"ties", duels[j].ties}, {"losses", duels[j].losses}};
  }
  return json;
}

}  // namespace

ColumnNames parse_columns(std::string_view text) {
  std::vector<std::string_view> known;
  for (const FigureColumn& column : figure_columns()) known.push_back(column.name);
  known.push_back(score_name);
  ColumnNames names;
  for (const auto part : std::views::split(text, ',')) {
    const std::string_view name(part.begin(), part.end());
    if (std::ranges::find(known, name) == known.end()) throw ConfigError(unknown_name("column", name, known));
    if (std::ranges::find(names, name) != names.end())
      throw ConfigError(fmt::format("column '{}' is given twice", name));
    names.emplace_back(name);
  }
  return names;
}

std::string comparison_to_json(const std::vector<ComparisonRow>& rows, const ColumnNames& columns) {
  Json list = Json::array();
  for (const ComparisonRow& row : rows) {
    Json& object = list.emplace_back(Json{{"graph", row.graph}, {"machine", row.machine}});
    object["scheduler"] = row.scheduler;
    if (row.figures)
      for (const RowColumn& column : row_columns(columns))
        object[std::string(column.name)] = to_json(column.of(row));
    if (!row.error.empty()) object["error"] = row.error;
  }
  return json_text(list);
}

std::string comparison_to_csv(const std::vector<ComparisonRow>& rows, const ColumnNames& columns) {
  return all_columns(rows, columns).to_csv();
}

std::string comparison_to_text(const std::vector<ComparisonRow>& rows, const ColumnNames& columns) {
  const std::vector<std::span<const ComparisonRow>> instances = instances_of(rows);
  // One scheduler on many graphs needs no heading for each.
  if (std::ranges::all_of(instances, [](const auto& instance) { return instance.size() == 1; })) {
    std::vector<RowKey> keys{{"graph", &ComparisonRow::graph}};
    if (std::ranges::any_of(rows, [&](const auto& row) { return row.machine != rows.front().machine; }))
      keys.push_back({"machine", &ComparisonRow::machine});
    keys.push_back({"scheduler", &ComparisonRow::scheduler});
    return few_columns(rows, keys, columns, false).to_text();
  }
  std::string text;
  for (const std::span<const ComparisonRow> instance : instances)
    text += (text.empty() ? "" : "\n") + instance_to_text(instance, columns);
  return text;
}

std::string summary_to_json(const ComparisonSummary& summary) {
  Json list = Json::array();
  for (std::size_t i = 0; i < summary.schedulers.size(); ++i) {
    Json& object = list.emplace_back(Json{{"scheduler", summary.schedulers[i].scheduler}});
    for (const SummaryColumn& column : summary_columns) {
      const std::optional<Figure> figure = figure_of(column, summary.schedulers[i]);
      object[std::string(column.name)] = figure ? to_json(*figure) : Json();
    }
    object["duels"] = duels_json(summary, i);
  }
  return json_text(list);
}

std::string summary_to_csv(const ComparisonSummary& summary) {
  return summary_table(summary, Digits::all, "", true).to_csv();
}

std::string summary_to_text(const ComparisonSummary& summary) {
  std::string text = fmt::format("{} instance{} (graph on machine); means over the supported ones\n",
                                 summary.instances, summary.instances == 1 ? "" : "s");
  text += summary_table(summary, Digits::few, "-", false).to_text();
  if (summary.schedulers.size() < 2) return text;
  for (const Objective objective : judged_objectives)
    text += fmt::format("\ninstances with a better {} than the scheduler of column n\n{}", name_of(objective),
                        duel_table(summary, objective).to_text());
  return text;
}

}  // namespace takt::schedulers
