#include <array>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/program_commands.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "core/system/allowed_processors.hpp"
#include "pipeline/pages/comparison_page.hpp"
#include "schedulers/judge/comparison_report.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::cli {

namespace {

struct CompareArguments {
  std::vector<std::string> graphs, machines;
  std::string schedulers = "all", format, output, columns;
  bool summary = false, executes = false, is_fresh = false;
  std::optional<std::size_t> runs, ranks;
  std::size_t jobs = allowed_processors().size();
  std::optional<double> time_limit;
  takt::schedulers::Options options;
  ProgressArguments progress;
};

constexpr std::array<std::string_view, 4> formats{"table", "csv", "json", "html"};

schedulers::ComparisonInput read_input(const CompareArguments& arguments) {
  schedulers::ComparisonInput input;
  input.schedulers = schedulers::select_schedulers(arguments.schedulers);
  input.options = arguments.options;
  if (arguments.time_limit) input.time_limit.emplace(*arguments.time_limit);
  for (const std::string& machine : arguments.machines)
    input.machines.emplace_back(machine, read_machine(machine));
  for (const std::string& graph : arguments.graphs) input.graphs.emplace_back(graph, read_graph(graph));
  for (const auto& [name, graph] : input.graphs)
    for (const auto& [text, machine] : input.machines) (void)on_machine(name, graph, machine);
  return input;
}

std::string report(const std::vector<schedulers::ComparisonRow>& rows, const std::string& format,
                   bool summary_only, const schedulers::ColumnNames& columns) {
  if (format == "html") return pipeline::comparison_page(rows);
  const schedulers::ComparisonSummary summary = schedulers::summarise(rows);
  if (format == "json")
    return summary_only ? schedulers::summary_to_json(summary)
                        : schedulers::comparison_to_json(rows, columns);
  if (format == "csv")
    return summary_only ? schedulers::summary_to_csv(summary) : schedulers::comparison_to_csv(rows, columns);
  if (summary_only) return schedulers::summary_to_text(summary);
  const bool is_worth_it = summary.instances > 1 && summary.schedulers.size() > 1;
  return schedulers::comparison_to_text(rows, columns) +
         (is_worth_it ? "\n" + schedulers::summary_to_text(summary) : "");
}

/// Compares executed programs. Throws UsageError for options that apply to schedules only.
int execute(const CompareArguments& arguments) {
  if (arguments.summary || !arguments.columns.empty())
    throw UsageError("--summary and --columns apply to schedules: expected neither with --execute");
  if (arguments.machines.size() > 1)
    throw UsageError("--execute runs on this computer: expected one --machine at most, to plan for");
  ProgramComparison comparison{.programs = arguments.graphs,
                               .machine = arguments.machines.empty() ? "" : arguments.machines.front(),
                               .schedulers = arguments.schedulers,
                               .format = arguments.format,
                               .output = arguments.output,
                               .options = arguments.options,
                               .ranks = arguments.ranks,
                               .jobs = arguments.jobs,
                               .is_fresh = arguments.is_fresh,
                               .progress = arguments.progress.chosen()};
  if (arguments.runs) comparison.runs = *arguments.runs;
  if (arguments.time_limit) comparison.time_limit = *arguments.time_limit;
  return compare_programs(comparison);
}

int compare(const CompareArguments& arguments) {
  if (arguments.executes) return execute(arguments);
  if (arguments.runs || arguments.ranks || arguments.is_fresh)
    throw UsageError("--runs, --ranks and --fresh apply to executed programs: expected --execute as well");
  if (arguments.machines.empty()) throw UsageError("--machine is required, except with --execute");
  const std::string format = choose_format("format", arguments.format, arguments.output, formats);
  std::vector<std::string> inputs = arguments.graphs;
  inputs.insert(inputs.end(), arguments.machines.begin(), arguments.machines.end());
  check_output(arguments.output, inputs);
  schedulers::ColumnNames columns;
  if (!arguments.columns.empty()) {
    if (arguments.summary || format == "html")
      throw UsageError("--columns needs rows: expected it without --summary and without --format html");
    columns = schedulers::parse_columns(arguments.columns);
  }
  const schedulers::ComparisonInput input = read_input(arguments);

  std::vector<schedulers::ComparisonRow> rows;
  {
    ProgressLine line(arguments.progress.chosen());
    rows = schedulers::compare(input, arguments.jobs, [&](const schedulers::ComparisonProgress& progress) {
      line.show(fmt::format("{} of {}{}: {} on {} ({})", progress.done, progress.total,
                            progress.failed > 0 ? fmt::format(", {} failed", progress.failed) : "",
                            progress.row.scheduler, progress.row.graph, progress.row.machine),
                static_cast<double>(progress.done) / static_cast<double>(progress.total));
    });
  }
  print_or_write(report(rows, format, arguments.summary, columns), arguments.output);

  bool all_valid = true;
  for (const schedulers::ComparisonRow& row : rows) {
    if (!row.figures || row.figures->valid) continue;
    all_valid = false;
    std::cerr << fmt::format("takt: {} on {}: the schedule of '{}' is not valid: {}\n", row.graph,
                             row.machine, row.scheduler, row.error);
  }
  return all_valid ? 0 : 1;
}

}  // namespace

void declare_compare(Command& command) {
  auto arguments = std::make_shared<CompareArguments>();
  command.add("graphs", arguments->graphs, "Task graphs: files or generators").value("GRAPH").required();
  command.add("--machine", arguments->machines, "Machine to schedule for; required without --execute")
      .value("MACHINE");
  command
      .add("--schedulers", arguments->schedulers,
           "all, a family, or names separated by commas (see takt list schedulers)")
      .value("NAMES")
      .suggest(scheduler_names());
  add_scheduler_options(command, arguments->options);
  command
      .add("--format", arguments->format,
           "table, csv, json or html (a page with charts); default: by the output's name, or table")
      .value("FORMAT")
      .suggest({formats.begin(), formats.end()});
  command
      .add("--columns", arguments->columns,
           "Only these figures, separated by commas: for example period, proven (distance from a bound) or "
           "score (10 x frequency / best frequency)")
      .value("NAMES");
  command.flag("--summary", arguments->summary,
               "One line per scheduler: means, how often it is best, and wins against each other scheduler");
  add_output_option(command, arguments->output, "Write to a file instead of the terminal");
  command
      .number("--jobs", arguments->jobs,
              "Schedulers that run at the same time; 1 for the most accurate times", {1, 1024})
      .fallback("one per core");
  command
      .number("--time-limit", arguments->time_limit,
              "Time limit of a scheduler on a graph; its row reports a timeout", {0.001, 1e6})
      .value("SECONDS");
  command.flag(
      "--execute", arguments->executes,
      "Run the schedules: GRAPHs are C programs, and planned times stand next to executed ones, also of "
      "random scheduling and owner-computes (docs/how-to/parallelise.md)");
  command.number("--ranks", arguments->ranks, "Ranks of executed programs", {1, 4096})
      .fallback("one for each processor of this computer; with more, the times are simulated");
  command.number("--runs", arguments->runs, "Runs of each executed program", {1, 10000}).fallback("10");
  command.flag("--fresh", arguments->is_fresh,
               "Measure calls and messages of executed programs anew (see takt list cache)");
  add_progress_options(command, arguments->progress);
  add_graph_note(command);
  add_machine_note(command);
  command.note("For a scheduler that does not support a graph or machine, the row gives the reason.");
  command.note("Exit code: 0 done, 1 a schedule is not valid, 2 a graph, a machine or an option is wrong.");
  command.example("takt compare fft:depth=4 wave:depth=5,width=6 --machine delay:P=4 \\");
  command.example("    --schedulers frequency");
  command.example("takt compare graphs/*.stg --machine delay:P=2 --machine delay:P=8 --summary");
  command.example("takt compare gauss:size=9 --machine delay:P=4 --output comparison.html");
  command.example("takt compare docs/examples/parallelise/fft.c:PN=8,SN=4096 --execute --schedulers list");
  command.does([arguments] { return compare(*arguments); });
}

}  // namespace takt::cli
