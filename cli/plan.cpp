#include "cli/plan.hpp"

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "core/formats/graph_source.hpp"
#include "core/formats/schedule_yaml.hpp"
#include "core/text_file.hpp"
#include "logp/machine_yaml.hpp"
#include "schedulers/judge/evaluation_report.hpp"
#include "schedulers/judge/trace_report.hpp"
#include "schedulers/mapping/interaction_graph.hpp"
#include "schedulers/plan/auto_choice.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::cli {

namespace {

schedulers::AutoChoice choose(const TaskGraph& graph, const logp::Machine& machine,
                              schedulers::Objective objective, const schedulers::Options& options) {
  ProgressLine line;
  return schedulers::choose_scheduler(graph, machine, objective, options,
                                      std::max(1U, std::thread::hardware_concurrency()),
                                      [&](const schedulers::ComparisonProgress& progress) {
                                        line.show(fmt::format("{} of {} schedulers: {}", progress.done,
                                                              progress.total, progress.row.scheduler));
                                      });
}

int plan_schedule(const PlanArguments& arguments) {
  expect_known("format", arguments.format, {"table", "json", "yaml"});
  if (arguments.trace && arguments.format == "yaml")
    throw ConfigError("--trace goes with --format table or json: a schedule file has no room for it");
  expect_writable(arguments.output);
  const schedulers::Objective objective = schedulers::find_objective(arguments.objective);
  const bool is_auto = arguments.scheduler == "auto";
  const schedulers::Scheduler* scheduler =
      is_auto ? nullptr : &schedulers::find_scheduler(arguments.scheduler, {"auto"});
  const logp::Machine machine = logp::parse_machine(arguments.machine);
  const TaskGraph graph = load_graph_or_pipeline(arguments.graphs.front());

  std::optional<schedulers::AutoChoice> choice;
  if (is_auto) {
    choice = choose(graph, machine, objective, arguments.options);
    scheduler = choice->scheduler;
  }
  schedulers::Trace trace;
  schedulers::Options options = arguments.options;
  if (arguments.trace) options.trace = &trace;
  const schedulers::Evaluation evaluation = schedulers::evaluate(*scheduler, graph, machine, options);
  if (!arguments.frequencies.empty()) {
    const schedulers::RequiredRate rate = schedulers::parse_required_rate(arguments.frequencies.front());
    if (!rate.is_held_by(evaluation.figures.exact_period()))
      return refuse_rate(arguments, rate, graph, machine, evaluation.figures.exact_period());
  }
  const schedulers::Narration narration{*scheduler, graph, trace, evaluation.schedule};

  std::optional<schedulers::MappingCost> mapping;
  if (scheduler->family == "mapping") mapping = schedulers::mapping_cost(graph, machine, evaluation.schedule);

  const auto as_yaml = [&] { return schedule_to_yaml(evaluation.schedule, graph, logp::to_yaml(machine)); };
  if (!arguments.output.empty()) write_text_file(arguments.output, as_yaml());
  if (arguments.format == "json") {
    std::vector<std::pair<std::string, std::string>> more;
    if (choice) more.emplace_back("auto", schedulers::to_json(*choice));
    if (mapping)
      more.emplace_back("mapping", fmt::format("{{\"largest_load\": {}, \"total_load\": {}}}",
                                               mapping->largest.count(), mapping->total.count()));
    if (arguments.trace) more.emplace_back("trace", schedulers::trace_to_json(narration));
    std::cout << schedulers::to_json(evaluation, graph, more);
  }
  if (arguments.format == "yaml") std::cout << as_yaml();
  if (arguments.format == "table") {
    if (choice) std::cout << schedulers::to_text(*choice) << '\n';
    if (arguments.trace) std::cout << schedulers::trace_to_text(narration) << '\n';
    if (mapping)
      std::cout << fmt::format("mapping: largest load of a processor {}, all loads {} (work and exchanges)\n",
                               mapping->largest.count(), mapping->total.count());
    std::cout << schedulers::to_text(evaluation, graph);
  }
  if (evaluation.figures.valid) return 0;
  std::cerr << "takt: the schedule of '" << scheduler->name
            << "' is not valid: " << evaluation.findings.front().message << '\n';
  return 1;
}

int plan(const PlanArguments& given) {
  if (given.graphs.size() > 1 || !given.running.empty()) return plan_streams(given);
  if (!given.priorities.empty())
    throw ConfigError("--priority orders several streams, and there is one graph");
  const PlanArguments arguments = with_settings_of_pipeline(given);
  if (arguments.pareto) return plan_front(arguments);
  if (arguments.frequencies.size() > 1) throw ConfigError("--frequency is given several times for one graph");
  expect_known("objective", arguments.objective, {"frequency", "makespan", "latency", "processors"});
  if (arguments.objective == "latency" || arguments.objective == "processors")
    return plan_for_rate(arguments);
  return plan_schedule(arguments);
}

}  // namespace

void add_plan(Program& program) {
  CLI::App& command = *program.app.add_subcommand("plan", "Compute a schedule of a task graph for a machine");
  auto arguments = std::make_shared<PlanArguments>();
  command
      .add_option("graph", arguments->graphs,
                  "A task graph: a file, a generator, or a pipeline, whose tasks are measured; several: "
                  "streams of one machine")
      ->required()
      ->type_name("GRAPH");
  add_machine_option(command, arguments->machine)->required();
  command
      .add_option("--scheduler", arguments->scheduler,
                  "Scheduler (see takt list schedulers), or auto: the best of them")
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option(
          "--objective", arguments->objective,
          "frequency, or makespan (what auto is to choose for); with --frequency also latency (the least) "
          "or processors (the fewest)")
      ->type_name("WHAT")
      ->capture_default_str();
  command
      .add_option(
          "--frequency", arguments->frequencies,
          "The frequency to hold, in frames a tick, or with a unit: 50Hz (ticks of 1 ns); one a graph")
      ->allow_extra_args(false)
      ->type_name("F");
  command
      .add_option("--priority", arguments->priorities,
                  "Of several streams, those with higher numbers are placed first; one a graph")
      ->allow_extra_args(false)
      ->type_name("N");
  command
      .add_option(
          "--running", arguments->running,
          "A schedule of streams, written by --output, beside which the new ones must fit; it does not move")
      ->type_name("FILE");
  command.add_flag("--pareto", arguments->pareto,
                   "The front of frequency against latency against processors; --format svg and "
                   "--output FILE.svg draw it");
  add_scheduler_options(command, arguments->options);
  command.add_option("--format", arguments->format, "What to print: table, json, or yaml (a schedule file)")
      ->type_name("FORMAT")
      ->capture_default_str();
  command.add_flag("--trace", arguments->trace, "Also tell how each task was placed, step by step");
  command
      .add_option("-o,--output", arguments->output,
                  "Write the schedule for takt verify, takt simulate and takt view")
      ->type_name("FILE");
  command.footer(
      graph_help() + machine_help() +
      "Times are in ticks (nanoseconds), processors count from 0.\n"
      "Exit code: 0 done, 1 a frequency cannot be held (and what would help) or the schedule is not valid,\n"
      "2 a graph, the machine or an option is wrong.\n\n"
      "Examples: takt plan send_tree:depth=3,cost=1 --machine logp:P=3,L=1,o=1,g=2 --scheduler greedy\n"
      "          takt plan gauss:size=5,ccr=1 --machine delay:P=3 --scheduler mcp --trace\n"
      "          takt plan fft:depth=4 --machine delay:P=8 --scheduler auto --objective makespan\n"
      "          takt plan fft:depth=3 --machine logp:P=8,L=1,o=1,g=2 --objective processors --frequency "
      "0.1");
  command.callback([&program, &command, arguments] {
    arguments->has_scheduler = command.count("--scheduler") > 0;
    arguments->has_objective = command.count("--objective") > 0;
    program.exit_code = plan(*arguments);
  });
}

}  // namespace takt::cli
