#include <array>
#include <iostream>

#include <fmt/format.h>

#include "cli/options.hpp"
#include "cli/plan.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "logp/diagnostics.hpp"
#include "pipeline/costs/profile.hpp"
#include "pipeline/pages/pareto_page.hpp"
#include "schedulers/plan/pareto.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::cli {

int plan_front(const PlanArguments& arguments) {
  if (arguments.format == "yaml")
    throw UsageError("--pareto finds many schedules: expected --format table, json or svg");
  constexpr std::array<std::string_view, 2> file_formats{"svg", "json"};
  const std::string file_format = choose_format("format of a front", "", arguments.output, file_formats);
  check_output(arguments.output, {arguments.graphs.front(), arguments.machine});
  const logp::Machine machine = read_machine(arguments.machine);
  const std::string& name = arguments.graphs.front();
  const TaskGraph graph = is_pipeline(name) ? pipeline::measured_task_graph(pipeline::load_pipeline(name))
                                            : on_machine(name, read_graph(name), machine);
  ProgressLine line(arguments.progress.chosen());
  const std::vector<schedulers::ParetoPoint> front = schedulers::pareto_front(
      graph, machine, schedulers::rate_schedulers(), arguments.options,
      [&](const schedulers::ParetoProgress& progress) {
        line.show(fmt::format("{} of {} searches: {} processors", progress.done, progress.total,
                              progress.processors),
                  static_cast<double>(progress.done) / static_cast<double>(progress.total));
      });
  line.clear();
  for (const schedulers::ParetoPoint& point : front)
    if (const auto findings = logp::diagnose(graph, machine, point.schedule, {.limit = 1});
        !findings.empty()) {
      std::cerr << "takt: a schedule of '" << point.schedule.scheduler
                << "' is not valid: " << findings.front().message << '\n';
      return 1;
    }
  if (!arguments.output.empty())
    write_output(arguments.output,
                 file_format == "json" ? schedulers::to_json(front) : pipeline::pareto_picture(front));
  if (arguments.format == "json") std::cout << schedulers::to_json(front);
  if (arguments.format == "svg") std::cout << pipeline::pareto_picture(front);
  if (arguments.format == "table") std::cout << schedulers::to_text(front);
  return 0;
}

}  // namespace takt::cli
