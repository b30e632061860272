#include <array>
#include <chrono>
#include <iostream>

#include "cli/options.hpp"
#include "cli/plan.hpp"
#include "core/error.hpp"
#include "core/formats/graph_source.hpp"
#include "core/formats/schedule_yaml.hpp"
#include "core/text_file.hpp"
#include "logp/diagnostics.hpp"
#include "logp/machine_yaml.hpp"
#include "schedulers/judge/evaluation_report.hpp"
#include "schedulers/plan/pareto.hpp"
#include "schedulers/plan/rate_objective.hpp"
#include "schedulers/plan/shortfall.hpp"

namespace takt::cli {

int refuse_rate(const PlanArguments& arguments, const schedulers::RequiredRate& rate, const TaskGraph& graph,
                const logp::Machine& machine, const Period& best) {
  const schedulers::Shortfall shortfall =
      schedulers::explain_shortfall(rate, graph, machine, best, arguments.options);
  if (arguments.format == "json") std::cout << schedulers::to_json(shortfall, rate);
  std::cerr << "takt: " << schedulers::to_text(shortfall, rate);
  return 1;
}

int plan_for_rate(const PlanArguments& arguments) {
  expect_known("format", arguments.format, {"table", "json", "yaml"});
  if (arguments.has_scheduler || arguments.trace)
    throw ConfigError("--objective " + arguments.objective +
                      " chooses from many schedulers: it goes with neither --scheduler nor --trace");
  if (arguments.frequencies.empty())
    throw ConfigError("--objective " + arguments.objective + " needs --frequency F, the frequency to hold");
  const auto objective = arguments.objective == "latency" ? schedulers::RateObjective::latency
                                                          : schedulers::RateObjective::processors;
  expect_writable(arguments.output);
  const schedulers::RequiredRate rate = schedulers::parse_required_rate(arguments.frequencies.front());
  const logp::Machine machine = logp::parse_machine(arguments.machine);
  const TaskGraph graph = load_graph_or_pipeline(arguments.graphs.front());

  const auto start = std::chrono::steady_clock::now();
  schedulers::RateSchedule result =
      schedulers::schedule_for_rate(objective, rate, graph, machine, arguments.options);
  if (!result.is_held)
    return refuse_rate(arguments, rate, graph, machine, measure(result.schedule).exact_period());
  schedulers::Evaluation evaluation = schedulers::judge(graph, machine, std::move(result.schedule));
  evaluation.figures.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  const auto as_yaml = [&] { return schedule_to_yaml(evaluation.schedule, graph, logp::to_yaml(machine)); };
  if (!arguments.output.empty()) write_text_file(arguments.output, as_yaml());
  if (arguments.format == "yaml") std::cout << as_yaml();
  if (arguments.format == "json")
    std::cout << schedulers::to_json(
        evaluation, graph, {{"held", "true"}, {"fewest_is_proven", result.is_proven ? "true" : "false"}});
  if (arguments.format == "table") {
    if (objective == schedulers::RateObjective::processors)
      std::cout << (result.is_proven ? "no fewer processors can hold this frequency\n"
                                     : "whether fewer processors could hold this frequency is open\n");
    std::cout << schedulers::to_text(evaluation, graph);
  }
  if (evaluation.figures.valid) return 0;
  std::cerr << "takt: the schedule is not valid: " << evaluation.findings.front().message << '\n';
  return 1;
}

int plan_front(const PlanArguments& arguments) {
  expect_known("format", arguments.format, {"table", "json", "svg"});
  if (arguments.has_scheduler || arguments.has_objective || arguments.trace || !arguments.frequencies.empty())
    throw ConfigError(
        "--pareto tries many schedulers, objectives and frequencies: it goes with none of --scheduler, "
        "--objective, --trace and --frequency");
  constexpr std::array<std::string_view, 2> file_formats{"svg", "json"};
  const std::string file_format = choose_format("format of a front", "", arguments.output, file_formats);
  expect_writable(arguments.output);
  const logp::Machine machine = logp::parse_machine(arguments.machine);
  const TaskGraph graph = load_graph_or_pipeline(arguments.graphs.front());
  const std::vector<schedulers::ParetoPoint> front =
      schedulers::pareto_front(graph, machine, arguments.options);
  for (const schedulers::ParetoPoint& point : front)
    if (const auto findings = logp::diagnose(graph, machine, point.schedule, {.limit = 1});
        !findings.empty()) {
      std::cerr << "takt: a schedule of '" << point.schedule.scheduler
                << "' is not valid: " << findings.front().message << '\n';
      return 1;
    }
  if (!arguments.output.empty())
    write_text_file(arguments.output,
                    file_format == "json" ? schedulers::to_json(front) : schedulers::to_svg(front));
  if (arguments.format == "json") std::cout << schedulers::to_json(front);
  if (arguments.format == "svg") std::cout << schedulers::to_svg(front);
  if (arguments.format == "table") std::cout << schedulers::to_text(front);
  return 0;
}

}  // namespace takt::cli
