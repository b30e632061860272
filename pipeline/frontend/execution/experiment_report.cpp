#include "pipeline/frontend/execution/experiment_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/pictures/text_table.hpp"

namespace takt::frontend {

namespace {

std::string time_text(double nanoseconds) {
  return to_string(Time{std::llround(nanoseconds)});
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

double speed_up(const Experiment& experiment, const ExperimentRow& row) {
  return experiment.sequential.executed() / std::max(1.0, row.executed());
}

double use_of(const ExperimentRow& row) {
  return row.execution ? row.execution->use : row.plan.predicted_use;
}

std::string title(const Experiment& experiment) {
  const std::string how =
      experiment.is_simulated()
          ? "simulated, as this computer has fewer processors: each rank has one of its own"
          : fmt::format("mean of {} runs of each program, which all print what the sequential one prints",
                        experiment.runs);
  return fmt::format("{}: {} calls on {} ranks; {}\n", experiment.program, experiment.calls, experiment.ranks,
                     how);
}

std::string table_of(const Experiment& experiment) {
  std::vector<TextTable::Column> columns{{"scheduler"}, {"planned", true}, {"predicted", true}};
  if (!experiment.is_simulated()) {
    columns.push_back({"executed", true});
    columns.push_back({"+-", true});
    columns.push_back({"shortest", true});
  }
  columns.push_back({"speed-up", true});
  columns.push_back({"in calls", true});
  if (!experiment.is_simulated()) columns.push_back({"in messages", true});
  columns.push_back({"messages", true});
  columns.push_back({"scheduled in", true});
  TextTable table(columns);
  std::vector<std::pair<std::string, std::string>> refusals;
  const auto add = [&](const ExperimentRow& row) {
    if (!row.plan.parallel) {
      refusals.emplace_back(row.plan.scheduler, row.plan.error);
      return;
    }
    std::vector<std::string> cells{row.plan.scheduler, to_string(row.plan.planned),
                                   to_string(row.plan.predicted)};
    if (row.execution) {
      cells.push_back(time_text(row.execution->mean()));
      cells.push_back(time_text(row.execution->deviation()));
      cells.push_back(to_string(row.execution->shortest()));
    }
    cells.push_back(fmt::format("{:.2f}", speed_up(experiment, row)));
    cells.push_back(percent(use_of(row)));
    if (row.execution) cells.push_back(percent(row.execution->communication));
    cells.push_back(fmt::format("{}", row.plan.parallel->transfers.size()));
    cells.push_back(row.plan.seconds > 0 ? time_text(1e9 * row.plan.seconds) : "");
    table.add(std::move(cells));
  };
  add(experiment.sequential);
  for (const ExperimentRow& row : experiment.rows) add(row);
  std::string text = table.to_text();
  for (const auto& [scheduler, reason] : refusals) text += fmt::format("{}: {}\n", scheduler, reason);
  return text;
}

std::string order_text(const Experiment& experiment) {
  const Experiment::Order order = experiment.order();
  std::string text = fmt::format(
      "Kendall's tau of planned and {} times: {:.2f}; among the {} pairs whose plans differ by more "
      "than 5 %: {:.2f}",
      experiment.is_simulated() ? "predicted" : "executed", order.tau, order.pairs_apart, order.tau_apart);
  if (!experiment.is_simulated()) text += fmt::format(", by the shortest runs {:.2f}", order.tau_shortest);
  return text + '\n';
}

/// A table of schedulers by experiments, which have the same rows.
std::string by_size(const std::vector<Experiment>& experiments,
                    const std::function<std::string(const Experiment&, const ExperimentRow&)>& cell) {
  std::vector<TextTable::Column> columns{{"scheduler"}};
  for (const Experiment& experiment : experiments) columns.push_back({experiment.program, true});
  TextTable table(columns);
  const auto add = [&](const auto& row_of) {
    std::vector<std::string> cells{row_of(experiments.front()).plan.scheduler};
    for (const Experiment& experiment : experiments) {
      const ExperimentRow& row = row_of(experiment);
      cells.push_back(row.plan.parallel ? cell(experiment, row) : "-");
    }
    table.add(std::move(cells));
  };
  add([](const Experiment& experiment) -> const ExperimentRow& { return experiment.sequential; });
  for (std::size_t i = 0; i < experiments.front().rows.size(); ++i)
    add([&](const Experiment& experiment) -> const ExperimentRow& { return experiment.rows[i]; });
  return table.to_text();
}

nlohmann::ordered_json json_of(const Experiment& experiment, const ExperimentRow& row) {
  nlohmann::ordered_json json{{"scheduler", row.plan.scheduler}, {"family", row.plan.family}};
  if (!row.plan.parallel) {
    json["error"] = row.plan.error;
    return json;
  }
  json["planned"] = row.plan.planned.count();
  json["predicted"] = row.plan.predicted.count();
  if (row.execution) {
    json["executed"] = row.execution->mean();
    json["deviation"] = row.execution->deviation();
    for (const Time time : row.execution->makespans) json["runs"].push_back(time.count());
    json["in_messages"] = row.execution->communication;
  }
  json["speed_up"] = speed_up(experiment, row);
  json["in_calls"] = use_of(row);
  json["messages"] = row.plan.parallel->transfers.size();
  json["scheduler_seconds"] = row.plan.seconds;
  return json;
}

}  // namespace

std::string experiments_to_text(const std::vector<Experiment>& experiments) {
  std::string text;
  for (const Experiment& experiment : experiments)
    text += (text.empty() ? "" : "\n") + title(experiment) + table_of(experiment) + order_text(experiment);
  if (experiments.size() < 2) return text;
  text += "\nexecuted times (mean; predicted where simulated)\n" +
          by_size(experiments,
                  [](const Experiment&, const ExperimentRow& row) { return time_text(row.executed()); });
  text +=
      "\ntimes of the schedulers\n" + by_size(experiments, [](const Experiment&, const ExperimentRow& row) {
        return row.plan.seconds > 0 ? time_text(1e9 * row.plan.seconds) : std::string();
      });
  return text;
}

std::string experiments_to_json(const std::vector<Experiment>& experiments, const std::string& host) {
  nlohmann::ordered_json json{{"host", host}, {"experiments", nlohmann::ordered_json::array()}};
  for (const Experiment& experiment : experiments) {
    const Experiment::Order order = experiment.order();
    nlohmann::ordered_json each{{"program", experiment.program},
                                {"calls", experiment.calls},
                                {"ranks", experiment.ranks},
                                {"runs", experiment.runs},
                                {"simulated", experiment.is_simulated()},
                                {"tau", order.tau},
                                {"tau_apart", order.tau_apart},
                                {"tau_shortest", order.tau_shortest},
                                {"pairs_apart", order.pairs_apart},
                                {"sequential", json_of(experiment, experiment.sequential)},
                                {"rows", nlohmann::ordered_json::array()}};
    for (const ExperimentRow& row : experiment.rows) each["rows"].push_back(json_of(experiment, row));
    json["experiments"].push_back(std::move(each));
  }
  return json.dump(2) + "\n";
}

}  // namespace takt::frontend
