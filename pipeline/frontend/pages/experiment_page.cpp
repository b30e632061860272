#include "pipeline/frontend/pages/experiment_page.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/formats/json.hpp"
#include "core/pictures/document_page.hpp"
#include "core/pictures/figure_text.hpp"

namespace takt::frontend {

namespace {

using FiguresJson = nlohmann::ordered_json;

/// Rows with a plan: the single rank, then the schedulers.
std::vector<const ExperimentRow*> rows_of(const Experiment& experiment) {
  std::vector<const ExperimentRow*> rows{&experiment.sequential};
  for (const ExperimentRow& row : experiment.rows)
    if (row.plan.parallel) rows.push_back(&row);
  return rows;
}

std::vector<std::string> names_of(const Experiment& experiment) {
  std::vector<std::string> names;
  for (const ExperimentRow* row : rows_of(experiment)) names.push_back(row->plan.scheduler);
  return names;
}

BarSeries series_of(const Experiment& experiment, const std::string& name, const auto& value) {
  BarSeries series{.name = name, .values = {}};
  for (const ExperimentRow* row : rows_of(experiment)) series.values.push_back(value(*row));
  return series;
}

View times_view(const Experiment& experiment) {
  std::vector<BarSeries> series{
      series_of(experiment, "planned",
                [](const ExperimentRow& row) { return static_cast<double>(row.plan.planned.count()); }),
      series_of(experiment, "predicted",
                [](const ExperimentRow& row) { return static_cast<double>(row.plan.predicted.count()); })};
  if (!experiment.is_simulated())
    series.push_back(
        series_of(experiment, "executed", [](const ExperimentRow& row) { return row.executed(); }));
  const std::string says =
      experiment.is_simulated()
          ? "Simulated: this computer has fewer processors than ranks."
          : fmt::format("The scheduler's own plan, the program with its messages, and the mean of {} runs.",
                        experiment.runs);
  return bar_view(experiment.program + ": makespans", says, "scheduler", "ns", names_of(experiment), series);
}

View shares_view(const Experiment& experiment) {
  const auto percent = [](double share) { return 100 * std::max(0.0, share); };
  const auto use = [](const ExperimentRow& row) {
    return row.execution ? row.execution->use : row.plan.predicted_use;
  };
  const auto messages = [](const ExperimentRow& row) {
    return row.execution ? row.execution->communication : 0.0;
  };
  return bar_view(
      experiment.program + ": the ranks' time",
      "Shares of ranks times makespan; waiting for a message counts as messages.", "scheduler", "%",
      names_of(experiment),
      {series_of(experiment, "calls", [&](const ExperimentRow& row) { return percent(use(row)); }),
       series_of(experiment, "messages", [&](const ExperimentRow& row) { return percent(messages(row)); }),
       series_of(experiment, "rest",
                 [&](const ExperimentRow& row) { return percent(1 - use(row) - messages(row)); })},
      true);
}

/// Columns of a table: names and contents.
FiguresJson table(const std::string& name, const std::string& says,
                  const std::vector<std::pair<std::string, ColumnKind>>& columns) {
  FiguresJson view{{"kind", "table"},
                   {"name", name},
                   {"says", says},
                   {"columns", FiguresJson::array()},
                   {"numbers", FiguresJson::array()},
                   {"rows", FiguresJson::array()}};
  for (const auto& [column, kind] : columns) {
    view["columns"].push_back(column);
    view["numbers"].push_back(static_cast<int>(kind));
  }
  return view;
}

View view_text(const FiguresJson& json) {
  return json.dump(-1, ' ', false, FiguresJson::error_handler_t::replace);
}

View figures_view(const Experiment& experiment) {
  FiguresJson view = table(experiment.program + ": figures", "One row per scheduler.",
                           {{"scheduler", ColumnKind::text},
                            {"planned", ColumnKind::ns},
                            {"predicted", ColumnKind::ns},
                            {"executed", ColumnKind::ns},
                            {"deviation", ColumnKind::ns},
                            {"shortest", ColumnKind::ns},
                            {"speed-up", ColumnKind::number},
                            {"messages", ColumnKind::number},
                            {"scheduled in", ColumnKind::seconds}});
  for (const ExperimentRow* row : rows_of(experiment)) {
    const auto executed = [&](double value) {
      return row->execution ? fmt::format("{:.0f}", value) : std::string("-");
    };
    view["rows"].push_back(
        {row->plan.scheduler, fmt::format("{}", row->plan.planned.count()),
         fmt::format("{}", row->plan.predicted.count()), executed(row->executed()),
         executed(row->execution ? row->execution->deviation() : 0),
         executed(row->execution ? static_cast<double>(row->execution->shortest().count()) : 0),
         fmt::format("{:.3f}", experiment.sequential.executed() / std::max(1.0, row->executed())),
         fmt::format("{}", row->plan.parallel->transfers.size()), fmt::format("{}", row->plan.seconds)});
  }
  return view_text(view);
}

/// Executed times of schedulers by programs, as tables 2 to 4 of the CASCH paper.
View programs_view(const std::vector<Experiment>& experiments) {
  std::vector<std::pair<std::string, ColumnKind>> columns{{"scheduler", ColumnKind::text}};
  for (const Experiment& experiment : experiments) columns.emplace_back(experiment.program, ColumnKind::ns);
  FiguresJson view = table("Executed times", "Means of the runs; predicted times where simulated.", columns);
  const auto add = [&](const auto& row_of) {
    FiguresJson cells = FiguresJson::array({row_of(experiments.front()).plan.scheduler});
    for (const Experiment& experiment : experiments) {
      const ExperimentRow& row = row_of(experiment);
      cells.push_back(row.plan.parallel ? fmt::format("{:.0f}", row.executed()) : std::string("-"));
    }
    view["rows"].push_back(std::move(cells));
  };
  add([](const Experiment& experiment) -> const ExperimentRow& { return experiment.sequential; });
  for (std::size_t i = 0; i < experiments.front().rows.size(); ++i)
    add([&](const Experiment& experiment) -> const ExperimentRow& { return experiment.rows[i]; });
  return view_text(view);
}

}  // namespace

Page experiments_page(const std::vector<Experiment>& experiments) {
  Page page{.title = experiments.size() == 1 ? experiments.front().program
                                             : fmt::format("{} programs", experiments.size()),
            .says = "Plans of a program by many schedulers, next to their execution.",
            .facts = {},
            .views = {}};
  for (const Experiment& experiment : experiments) {
    const Experiment::Order order = experiment.order();
    page.facts.push_back({experiment.program,
                          fmt::format("{} calls on {} ranks", experiment.calls, experiment.ranks),
                          experiment.is_simulated() ? "simulated" : fmt::format("{} runs", experiment.runs)});
    page.facts.push_back(
        {"Kendall's tau", fmt::format("{:.2f}", order.tau), "of planned and executed times"});
    page.facts.push_back(
        {"tau apart", fmt::format("{:.2f}", order.tau_apart),
         fmt::format("among the {} pairs whose plans differ by more than 5 %", order.pairs_apart)});
  }
  if (experiments.size() > 1) page.views.push_back(programs_view(experiments));
  for (const Experiment& experiment : experiments) {
    page.views.push_back(times_view(experiment));
    page.views.push_back(shares_view(experiment));
    page.views.push_back(figures_view(experiment));
  }
  return page;
}

}  // namespace takt::frontend
