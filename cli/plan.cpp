#include "cli/plan.hpp"

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "logp/schedule_file.hpp"
#include "schedulers/judge/trace_report.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/plan/plan_report.hpp"
#include "schedulers/plan/shortfall.hpp"

namespace takt::cli {

namespace {

using schedulers::Goal;

Goal goal_of(const PlanArguments& arguments) {
  Goal goal{.scheduler = arguments.scheduler, .options = arguments.options};
  if (!arguments.objective.empty()) goal.objective = schedulers::find_objective(arguments.objective);
  if (arguments.frequencies.size() > 1) throw UsageError("--rate is given several times for one graph");
  if (!arguments.frequencies.empty())
    goal.rate = schedulers::parse_required_rate(arguments.frequencies.front());
  constexpr double usual_limit = 10;
  goal.time_limit.emplace(arguments.time_limit.value_or(usual_limit));
  if (arguments.time_limit) goal.own_time_limit.emplace(*arguments.time_limit);
  return goal;
}

schedulers::Plan plan_with_progress(const TaskGraph& graph, const logp::Machine& machine, const Goal& goal,
                                    ProgressStyle style) {
  ProgressLine line(style);
  return schedulers::make_plan(graph, machine, goal, [&](const schedulers::ComparisonProgress& progress) {
    line.show(fmt::format("{} of {} schedulers: {}", progress.done, progress.total, progress.row.scheduler),
              static_cast<double>(progress.done) / static_cast<double>(progress.total));
  });
}

/// Reports a missed frequency and possible remedies.
void refuse_rate(const schedulers::Plan& plan, const TaskGraph& graph, const logp::Machine& machine,
                 const Goal& goal, const std::string& format) {
  const schedulers::Shortfall shortfall =
      schedulers::explain_shortfall(*goal.rate, graph, machine,
                                    {plan.evaluation.figures.exact_period(), plan.evaluation.figures.bound,
                                     plan.evaluation.figures.bound_among},
                                    {.search = goal.options});
  if (format == "json") std::cout << schedulers::to_json(shortfall, *goal.rate);
  std::cerr << "takt: " << schedulers::to_text(shortfall, *goal.rate);
}

int plan_graph(const PlanArguments& arguments) {
  check_output(arguments.output, {arguments.graphs.front(), arguments.machine});
  schedulers::Trace trace;
  Goal goal = goal_of(arguments);
  if (arguments.trace) goal.options.trace = &trace;
  check(goal);
  const logp::Machine machine = read_machine(arguments.machine);
  const std::string& name = arguments.graphs.front();
  const TaskGraph graph = on_machine(name, read_graph(name), machine);

  const schedulers::Plan plan = plan_with_progress(graph, machine, goal, arguments.progress.chosen());
  if (!plan.holds_rate) {
    refuse_rate(plan, graph, machine, goal, arguments.format);
    return 1;
  }
  const Schedule& schedule = plan.evaluation.schedule;
  const bool is_file = arguments.format == "yaml" || !arguments.output.empty();
  const Decisions decisions = is_file ? schedulers::decisions_of(trace) : Decisions{};
  if (is_file && arguments.trace && decisions.empty())
    std::cerr << fmt::format("takt: {} does not place tasks one by one: no decisions to record\n",
                             schedule.scheduler);
  const auto as_yaml = [&] { return logp::schedule_to_yaml(graph, machine, schedule, decisions); };
  if (!arguments.output.empty()) write_output(arguments.output, as_yaml());
  if (arguments.format == "json") schedulers::write_plan_json(std::cout, plan, graph, machine, goal);
  if (arguments.format == "yaml") logp::schedule_to_yaml(std::cout, graph, machine, schedule, decisions);
  if (arguments.format == "table") std::cout << schedulers::plan_to_text(plan, graph, machine, goal);
  if (plan.evaluation.figures.valid) return 0;
  std::cerr << "takt: the schedule of '" << schedule.scheduler
            << "' is not valid: " << plan.evaluation.findings.front().message << '\n';
  return 1;
}

/// Rejects options that apply only to other kinds of plans.
void check_options(const PlanArguments& arguments, const Command& given, bool is_one, bool has_pipeline) {
  if (arguments.lazy) {
    if (!is_one) throw UsageError("--lazy plans one program");
    for (const char* option : {"--scheduler", "--objective", "--trace", "--rate", "--time-limit", "--pareto"})
      if (given.has(option)) throw UsageError(fmt::format("{} is not valid with --lazy", option));
    if (arguments.machine.empty()) throw UsageError("--machine is required for a C program");
    if (arguments.format != "table" && arguments.format != "json")
      throw UsageError("--lazy prints a table or json; --output writes each call as a line of CSV");
  }
  if (!is_one)
    for (const char* option : {"--scheduler", "--objective", "--trace", "--pareto", "--time-limit"})
      if (given.has(option)) throw UsageError(fmt::format("{} is not valid with several streams", option));
  if (given.has("--time-limit")) {
    if (has_pipeline || arguments.pareto)
      throw UsageError(fmt::format("--time-limit is not valid with {}: --effort limits its searches",
                                   arguments.pareto ? "--pareto" : "a pipeline"));
    if (arguments.trace)
      throw UsageError("--trace records no search with a --time-limit: expected one of them");
    if (arguments.objective == "latency" || arguments.objective == "processors")
      throw UsageError(
          fmt::format("--time-limit is not valid with --objective {}: --effort limits its searches",
                      arguments.objective));
  }
  if (is_one && !arguments.priorities.empty())
    throw UsageError("--priority needs several graphs: one is given");
  for (const char* option : {"--set", "--ranks", "--profile", "--trial"})
    if (!has_pipeline && given.has(option))
      throw UsageError(
          fmt::format("{} needs a pipeline: '{}' is a task graph", option, arguments.graphs.front()));
  for (const char* option : {"--class", "--merging", "--mapping", "--mu", "--bound", "--guarantee",
                             "--allocations", "--groups", "--left-work"})
    if ((has_pipeline || !is_one) && !arguments.pareto && given.has(option))
      throw UsageError(fmt::format("{} applies to a single task graph only", option));
  if (!has_pipeline && arguments.machine.empty()) {
    // An invalid graph name may be a mistyped pipeline.
    for (const std::string& graph : arguments.graphs)
      if (graph != "-") (void)read_graph(graph);
    throw UsageError("--machine is required for a task graph");
  }
  if (arguments.pareto)
    for (const char* option : {"--scheduler", "--objective", "--trace", "--rate"})
      if (given.has(option))
        throw UsageError(
            fmt::format("--pareto tries many schedulers, objectives and frequencies: expected it without "
                        "--scheduler, --objective, --trace and --rate, but {} is given",
                        option));
  if (arguments.format == "svg" && !arguments.pareto)
    throw UsageError("--format svg needs --pareto, whose front it draws; takt view draws schedules");
}

int plan(PlanArguments& arguments, const Command& given) {
  const bool is_one = arguments.graphs.size() == 1 && arguments.running.empty();
  const bool has_pipeline = is_one && is_pipeline(arguments.graphs.front());
  check_options(arguments, given, is_one, has_pipeline);
  arguments.words = given.words();
  if (given.has("--seed")) arguments.seed = arguments.options.seed;
  arguments.effort = arguments.options.effort;
  if (arguments.lazy) return plan_lazy(arguments);
  if (!is_one) return plan_streams(arguments);
  if (arguments.pareto) return plan_front(arguments);
  if (has_pipeline) return plan_pipeline(arguments);
  return plan_graph(arguments);
}

}  // namespace

void declare_plan(Command& command) {
  auto arguments = std::make_shared<PlanArguments>();
  command
      .add("graph", arguments->graphs,
           "A task graph (a file or a generator), or a pipeline, planned as for a run; several: streams that "
           "share one machine")
      .value("GRAPH")
      .required();
  add_machine_option(command, arguments->machine,
                     "Machine to schedule for; default for a pipeline: takt measures the links");
  std::vector<std::string> schedulers = scheduler_names();
  schedulers.insert(schedulers.begin(), std::string(schedulers::automatic));
  command
      .add("--scheduler", arguments->scheduler,
           "Scheduler (see takt list schedulers), or auto: the best of them. Default: optfo for the "
           "frequency, auto for the makespan")
      .value("NAME")
      .suggest(std::move(schedulers));
  command
      .add("--objective", arguments->objective,
           "Objective: frequency or makespan; with --rate also latency (least) or processors (fewest)")
      .value("WHAT")
      .suggest({"frequency", "makespan", "latency", "processors"});
  command
      .add("--rate", arguments->frequencies,
           "Required rate, one per graph: with a unit (50Hz), or in frames per tick (1 ns) for task graphs")
      .value("F");
  command.number("--priority", arguments->priorities,
                 "Streams with higher numbers are placed first; one per graph", {.least = -1e6, .most = 1e6});
  command
      .add("--running", arguments->running,
           "Schedule of running streams, written by --output: it stays as it is, and the new streams are "
           "placed next to it")
      .value("FILE");
  command.flag("--pareto", arguments->pareto,
               "Pareto front of frequency, latency and processors; --format svg and --output FILE.svg "
               "draw it");
  command.flag(
      "--lazy", arguments->lazy,
      "Place each call of a C program as it is read, where it ends first: memory for live data only, "
      "for programs of millions of calls; --output writes the calls as CSV");
  add_scheduler_options(command, arguments->options);
  command
      .number("--time-limit", arguments->time_limit,
              "Time limit of each scheduler of auto, which lists those that exceed it, or of the named one",
              {0.001, 1e6})
      .value("SECONDS")
      .fallback("10");
  add_format_option(command, arguments->format, {"table", "json", "yaml", "svg"});
  add_progress_options(command, arguments->progress);
  command.flag("--trace", arguments->trace,
               "Record the placement of each task, step by step; a schedule file keeps it for takt view");
  add_output_option(command, arguments->output,
                    "Write the schedule for takt verify, takt simulate, takt view and takt run --schedule");
  const char* const group = "Of a pipeline";
  command.add("--set", arguments->overrides, "Replace a value of the file: tasks.fft.channels=64")
      .value("PATH=VALUE")
      .group(group);
  command.number("--ranks", arguments->ranks, "Number of ranks; overrides the file", {1, 4096}).group(group);
  command.add("--profile", arguments->profile, "Costs of the tasks, from takt profile; default: measure them")
      .value("FILE")
      .group(group);
  command
      .add("--trial", arguments->trial,
           "Run the best candidates on synthetic frames for at most TIME, and choose the fastest; default: "
           "choose by costs")
      .value("TIME")
      .group(group)
      .excludes({"--pareto"});
  add_graph_note(command);
  add_machine_note(command);
  command.note("Times are in ticks (nanoseconds); processors are numbered from 0.");
  command.note(
      "Exit code: 0 done, 1 a frequency cannot be held (remedies are listed) or the schedule is not valid, 2 "
      "a graph, the machine or an option is wrong.");
  command.example("takt plan send_tree:depth=3,cost=1 --machine logp:P=3,L=1,o=1,g=2 \\");
  command.example("    --scheduler greedy");
  command.example("takt plan gauss:size=5,ccr=1 --machine delay:P=3 --scheduler mcp --trace");
  command.example("takt plan fft:depth=4 --machine delay:P=8 --objective makespan");
  command.example("takt plan fft:depth=3 --machine logp:P=8,L=1,o=1,g=2 --rate 0.1 \\");
  command.example("    --objective processors");
  command.example("takt plan docs/examples/parallelise/fft.c:PN=65536 --machine delay:P=8 --lazy");
  command.example("takt plan configs/first.yaml --output first-plan.yaml");
  command.does([arguments](const Command& given) { return plan(*arguments, given); });
}

}  // namespace takt::cli
