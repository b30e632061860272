#include <iostream>
#include <memory>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"
#include "core/graph_source.hpp"
#include "core/schedule_yaml.hpp"
#include "logp/machine_yaml.hpp"
#include "schedulers/evaluation_report.hpp"

namespace takt::cli {

namespace {

struct PlanArguments {
  std::string graph, machine, scheduler = "basic_fo", format = "table", output;
  schedulers::Options options;
};

int plan(const PlanArguments& arguments) {
  expect_known("format", arguments.format, {"table", "json", "yaml"});
  const schedulers::Scheduler& scheduler = schedulers::find_scheduler(arguments.scheduler);
  const logp::Machine machine = logp::parse_machine(arguments.machine);
  const TaskGraph graph = load_graph(arguments.graph);
  const schedulers::Evaluation evaluation =
      schedulers::evaluate(scheduler, graph, machine, arguments.options);

  const auto as_yaml = [&] { return schedule_to_yaml(evaluation.schedule, graph, logp::to_yaml(machine)); };
  if (!arguments.output.empty()) write_text_file(arguments.output, as_yaml());
  if (arguments.format == "json") std::cout << schedulers::to_json(evaluation, graph);
  if (arguments.format == "yaml") std::cout << as_yaml();
  if (arguments.format == "table") std::cout << schedulers::to_text(evaluation, graph);
  if (evaluation.figures.valid) return 0;
  std::cerr << "takt: the schedule of '" << scheduler.name
            << "' is not valid: " << evaluation.findings.front().message << '\n';
  return 1;
}

}  // namespace

void add_plan(Program& program) {
  CLI::App& command = *program.app.add_subcommand("plan", "Compute a schedule of a task graph for a machine");
  auto arguments = std::make_shared<PlanArguments>();
  add_graph_argument(command, arguments->graph);
  add_machine_option(command, arguments->machine)->required();
  command.add_option("--scheduler", arguments->scheduler, "Scheduler (see takt list schedulers)")
      ->type_name("NAME")
      ->capture_default_str();
  add_scheduler_options(command, arguments->options);
  command.add_option("--format", arguments->format, "What to print: table, json, or yaml (a schedule file)")
      ->type_name("FORMAT")
      ->capture_default_str();
  command
      .add_option("--output", arguments->output,
                  "Write the schedule for takt verify, takt simulate and takt view")
      ->type_name("FILE");
  command.footer(
      graph_help() + machine_help() +
      "Times are in ticks (nanoseconds), processors count from 0.\n"
      "Exit code: 0 done, 1 the schedule is not valid, 2 the graph, the machine or an option is wrong.\n\n"
      "Example: takt plan send_tree:depth=3,cost=1 --machine logp:P=3,L=1,o=1,g=2 --scheduler greedy");
  command.callback([&program, arguments] { program.exit_code = plan(*arguments); });
}

}  // namespace takt::cli
