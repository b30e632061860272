#include <iostream>
#include <memory>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"
#include "core/graph_source.hpp"
#include "schedulers/evaluation_report.hpp"

namespace takt::cli {

namespace {

struct CompareArguments {
  std::vector<std::string> graphs, machines;
  std::string schedulers = "all", format = "table";
  takt::schedulers::Options options;
};

int compare(const CompareArguments& arguments) {
  expect_known("format", arguments.format, {"table", "json", "csv"});
  const std::vector<const schedulers::Scheduler*> selected =
      schedulers::select_schedulers(arguments.schedulers);
  std::vector<logp::Machine> machines;
  for (const std::string& machine : arguments.machines) machines.push_back(logp::parse_machine(machine));

  bool all_valid = true;
  std::vector<schedulers::ComparisonRow> rows;
  for (const std::string& name : arguments.graphs) {
    const TaskGraph graph = load_graph(name);
    for (std::size_t m = 0; m < machines.size(); ++m)
      for (const schedulers::Scheduler* scheduler : selected) {
        schedulers::ComparisonRow& row =
            rows.emplace_back(name, arguments.machines[m], std::string(scheduler->name), std::nullopt, "");
        try {
          const schedulers::Evaluation evaluation =
              schedulers::evaluate(*scheduler, graph, machines[m], arguments.options);
          row.figures = evaluation.figures;
          if (evaluation.figures.valid) continue;
          all_valid = false;
          std::cerr << "takt: " << name << " on " << row.machine << ": the schedule of '" << scheduler->name
                    << "' is not valid: " << evaluation.findings.front().message << '\n';
        } catch (const ConfigError& refusal) {
          row.error = refusal.what();
        }
      }
  }
  if (arguments.format == "json") std::cout << schedulers::comparison_to_json(rows);
  if (arguments.format == "csv") std::cout << schedulers::comparison_to_csv(rows);
  if (arguments.format == "table") std::cout << schedulers::comparison_to_text(rows);
  return all_valid ? 0 : 1;
}

}  // namespace

void add_compare(Program& program) {
  CLI::App& command =
      *program.app.add_subcommand("compare", "Set schedulers side by side on graphs and machines");
  auto arguments = std::make_shared<CompareArguments>();
  command.add_option("graphs", arguments->graphs, "Task graphs: files or generators")
      ->required()
      ->type_name("GRAPH");
  command.add_option("--machine", arguments->machines, "Machine to schedule for; may be given several times")
      ->required()
      ->allow_extra_args(false)
      ->type_name("MACHINE");
  command
      .add_option("--schedulers", arguments->schedulers,
                  "all, a family, or names with commas between them (see takt list schedulers)")
      ->type_name("NAMES")
      ->capture_default_str();
  add_scheduler_options(command, arguments->options);
  command.add_option("--format", arguments->format, "What to print: table, csv or json")
      ->type_name("FORMAT")
      ->capture_default_str();
  command.footer(
      graph_help() + machine_help() +
      "A scheduler that cannot serve a graph or a machine gets a row that says why.\n"
      "Exit code: 0 done, 1 a schedule is not valid, 2 a graph, a machine or an option is wrong.\n\n"
      "Example: takt compare fft:depth=4 wave:depth=5,width=6 --machine delay:P=4 --schedulers frequency");
  command.callback([&program, arguments] { program.exit_code = compare(*arguments); });
}

}  // namespace takt::cli
