#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/options.hpp"
#include "cli/program_commands.hpp"
#include "cli/program_costs.hpp"
#include "core/error.hpp"
#include "core/system/allowed_processors.hpp"
#include "core/system/host_name.hpp"
#include "pipeline/frontend/execution/experiment.hpp"
#include "pipeline/frontend/execution/experiment_report.hpp"
#include "pipeline/frontend/pages/experiment_page.hpp"
#include "schedulers/judge/comparison.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::cli {

namespace {

/// Returns `fft.c:PN=8` of a name with folders.
std::string short_name(const std::string& name) {
  const std::size_t colon = std::min(name.find(':'), name.size());
  return std::filesystem::path(name.substr(0, colon)).filename().string() + name.substr(colon);
}

std::vector<frontend::PlannedProgram> plans_of(const ProgramComparison& comparison, const std::string& name,
                                               const frontend::WeightedProgram& program,
                                               const logp::Machine& machine, ProgressLine& line) {
  schedulers::ComparisonInput input{.graphs = {{name, program.graph}},
                                    .machines = {{"ranks", machine}},
                                    .schedulers = schedulers::select_schedulers(comparison.schedulers),
                                    .options = comparison.options,
                                    .keeps_schedules = true};
  input.time_limit.emplace(comparison.time_limit);
  const std::vector<schedulers::ComparisonRow> rows =
      schedulers::compare(input, comparison.jobs, [&](const schedulers::ComparisonProgress& progress) {
        line.show(fmt::format("{}: planned by {} of {} schedulers", name, progress.done, progress.total),
                  static_cast<double>(progress.done) / static_cast<double>(progress.total));
      });
  return frontend::planned_programs(program, machine, rows);
}

}  // namespace

int compare_programs(const ProgramComparison& comparison) {
  constexpr std::array<std::string_view, 3> formats{"table", "json", "html"};
  const std::string format =
      choose_format("format with --execute", comparison.format, comparison.output, formats);
  check_output(comparison.output, comparison.programs);
  const std::size_t ranks = comparison.ranks.value_or(allowed_processors().size());
  const bool is_simulated = ranks > allowed_processors().size();
  std::vector<frontend::Experiment> experiments;
  {
    ProgressLine line(comparison.progress);
    for (const std::string& each : comparison.programs) {
      const std::string name = short_name(each);
      line.show(name + ": measuring its calls", 0);
      const frontend::WeightedProgram program = load_measured(each, comparison.is_fresh);
      const logp::Machine machine = measured_machine(comparison.machine, ranks, comparison.is_fresh);
      std::vector<frontend::PlannedProgram> plans = plans_of(comparison, name, program, machine, line);
      experiments.push_back(frontend::execute_plans(
          name, program, std::move(plans), ranks, is_simulated ? 0 : comparison.runs,
          [&](std::size_t done, std::size_t all) {
            line.show(fmt::format("{}: {} of {} programs compiled or run", name, done, all),
                      static_cast<double>(done) / static_cast<double>(all));
          }));
    }
  }
  const auto text = [&] {
    if (format == "json") return frontend::experiments_to_json(experiments, host_name());
    if (format == "html") return to_html(frontend::experiments_page(experiments));
    return frontend::experiments_to_text(experiments);
  };
  print_or_write(text(), comparison.output);
  return 0;
}

}  // namespace takt::cli
