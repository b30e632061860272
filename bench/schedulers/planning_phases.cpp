/// What does planning a graph of a million tasks cost in addition to its scheduler, in time and memory?
///
///     planning_phases [--takt build/release/cli/takt] [--graph laplace:size=1000,...] [--machine delay:P=64]
///                     [--schedulers hlfet,heft] [--trials 5] > table.md
///
/// Writes the graph to a file in a temporary folder. Each trial runs the program `takt plan FILE --format
/// json` and reports its wall time over that of its scheduler, and its memory. Then children of this program
/// run the same, phase by phase. Prints medians, the ratio first. The rest is the program's start, the
/// detection of the file's kind, and the exit.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/progress.hpp"
#include "core/formats/graph_source.hpp"
#include "core/formats/graph_yaml.hpp"
#include "core/system/allowed_processors.hpp"
#include "core/system/text_file.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/plan/plan_report.hpp"
#include "schedulers/registry/registry.hpp"

namespace {

using namespace takt;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Phases {
  double read = 0, schedule = 0, judge = 0, write = 0;
};

/// Runs the phases of `takt plan` in this process.
Phases plan_here(const std::string& file, const std::string& machine_text, const std::string& scheduler) {
  Phases phases;
  auto start = Clock::now();
  const TaskGraph graph = load_graph(file);
  phases.read = seconds_since(start);
  const logp::Machine machine = logp::parse_machine(machine_text);
  const schedulers::Goal goal{.scheduler = scheduler};
  start = Clock::now();
  const schedulers::Plan plan = schedulers::make_plan(graph, machine, goal);
  phases.schedule = plan.evaluation.figures.seconds;
  phases.judge = seconds_since(start) - phases.schedule;
  start = Clock::now();
  std::ofstream nowhere("/dev/null");
  schedulers::write_plan_json(nowhere, plan, graph, machine, goal);
  phases.write = seconds_since(start);
  return phases;
}

/// Runs `work` in a child process; returns the child's memory in MiB.
template <class Work>
double in_child(Work work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0) {
    std::cerr << "planning_phases: a trial failed\n";
    std::exit(1);
  }
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Results of one trial: the program as a whole, and its phases.
struct Trial {
  double wall = 0, scheduler = 0, mebibytes = 0;
  Phases phases;
};

/// Returns the value of `"seconds": x` in a plan.
double seconds_of_plan(const std::filesystem::path& json) {
  std::ifstream file(json);
  for (std::string line; std::getline(file, line);)
    if (const std::size_t at = line.find("\"seconds\": "); at != line.npos)
      return std::stod(line.substr(at + 11));
  return 0;
}

Trial try_once(const std::string& takt, const std::filesystem::path& folder, const std::string& file,
               const std::string& machine, const std::string& scheduler) {
  Trial trial;
  const std::string json = folder / "plan.json", result = folder / "phases";
  const auto start = Clock::now();
  trial.mebibytes = in_child([&]() -> int {
    const int out = open(json.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (out < 0 || dup2(out, STDOUT_FILENO) < 0) return 1;
    execl(takt.c_str(), takt.c_str(), "plan", file.c_str(), "--machine", machine.c_str(), "--scheduler",
          scheduler.c_str(), "--format", "json", static_cast<char*>(nullptr));
    return 1;
  });
  trial.wall = seconds_since(start);
  trial.scheduler = seconds_of_plan(json);
  in_child([&]() -> int {
    const Phases phases = plan_here(file, machine, scheduler);
    std::ofstream(result) << fmt::format("{} {} {} {}", phases.read, phases.schedule, phases.judge,
                                         phases.write);
    return 0;
  });
  std::ifstream(result) >> trial.phases.read >> trial.phases.schedule >> trial.phases.judge >>
      trial.phases.write;
  return trial;
}

template <class Figure>
double median(std::vector<Trial> trials, Figure figure) {
  std::ranges::nth_element(trials, trials.begin() + static_cast<std::ptrdiff_t>(trials.size() / 2), {},
                           figure);
  return figure(trials[trials.size() / 2]);
}

}  // namespace

int main(int count, char** arguments) {
  const ProgressStyle style = bench::take_progress_style(count, arguments);
  CLI::App app{"What does planning a graph of a million tasks take in addition to its scheduler?"};
  std::string takt = "build/release/cli/takt", graph = "laplace:size=1000,cost=1..100,data=1..100,seed=3",
              machine = "delay:P=64";
  std::vector<std::string> names{"hlfet", "heft"};
  std::size_t trials = 5;
  app.add_option("--takt", takt)->check(CLI::ExistingFile);
  app.add_option("--graph", graph);
  app.add_option("--machine", machine);
  app.add_option("--schedulers", names)->delimiter(',');
  app.add_option("--trials", trials)->check(CLI::PositiveNumber);
  CLI11_PARSE(app, count, arguments);

  std::string pattern = std::filesystem::temp_directory_path() / "planning-phases-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) return 1;
  const std::filesystem::path folder = pattern;
  const std::string file = folder / "graph.yaml";
  in_child([&]() -> int {
    write_text_file(file, graph_to_yaml(load_graph(graph)));
    return 0;
  });
  fmt::print(
      "`takt plan FILE --machine {} --format json`, FILE of {:.0f} MB: {}; medians of {} on {} "
      "processors\n\n",
      machine, static_cast<double>(std::filesystem::file_size(file)) / 1e6, graph, trials,
      allowed_processors().size());
  fmt::print(
      "| scheduler | wall over scheduler | wall, s | scheduler, s | MiB | reading | scheduling | judging | "
      "JSON | left over |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  bench::Steps steps(style, names.size() * trials);
  for (const std::string& name : names) {
    std::vector<Trial> all;
    for (std::size_t i = 0; i < trials; ++i) {
      steps.begin(name);
      all.push_back(try_once(takt, folder, file, machine, name));
    }
    steps.clear();
    const auto of = [&](auto figure) { return median(all, figure); };
    fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} | {:.0f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |\n",
               name, of([](const Trial& trial) { return trial.wall / trial.scheduler; }),
               of([](const Trial& trial) { return trial.wall; }),
               of([](const Trial& trial) { return trial.scheduler; }),
               of([](const Trial& trial) { return trial.mebibytes; }),
               of([](const Trial& trial) { return trial.phases.read; }),
               of([](const Trial& trial) { return trial.phases.schedule; }),
               of([](const Trial& trial) { return trial.phases.judge; }),
               of([](const Trial& trial) { return trial.phases.write; }), of([](const Trial& trial) {
                 const Phases& own = trial.phases;
                 return trial.wall - own.read - own.schedule - own.judge - own.write;
               }));
  }
  std::filesystem::remove_all(folder);
}
