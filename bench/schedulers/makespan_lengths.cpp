/// How long are the makespans compared with those of the papers and with proven optima?
///
///     makespan_lengths [FOLDER] [--progress auto|plain|none] > table.md
///
/// FOLDER holds graphs with optimal schedules inside, as the University of Auckland's optimal-scheduling
/// project publishes them (.dot). Without it, only the examples of the papers are run. With it, graphs of the
/// same shapes with shuffled weights are proven as well.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/progress.hpp"
#include "core/formats/dot.hpp"
#include "core/random.hpp"
#include "core/schedule.hpp"
#include "core/system/processor_clock.hpp"
#include "core/system/progress_line.hpp"
#include "core/system/text_file.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/baseline/excess_study.hpp"
#include "tests/schedulers/registry/worked_examples.hpp"

namespace {

using namespace takt;
namespace fs = std::filesystem;

std::int64_t length_on(const std::string& scheduler, const TaskGraph& graph, const logp::Machine& machine) {
  return measure(schedulers::find_scheduler(scheduler).schedule(
                     graph, machine, {.mapping = schedulers::NetworkMapping::none}))
      .makespan.count();
}

struct Example {
  std::string title;
  TaskGraph graph;
  std::string machine;
  std::vector<std::pair<std::string, int>> printed;
};

void print_examples() {
  using namespace schedulers::examples;
  const Example examples[] = {{"Kwok and Ahmad, 9 tasks on 9 processors",
                               kwok_ahmad(),
                               "delay:P=9",
                               {{"hlfet", 19},
                                {"ish", 19},
                                {"mcp", 20},
                                {"etf", 19},
                                {"dls", 20},
                                {"last", 19},
                                {"ez", 18},
                                {"lc", 19},
                                {"dsc", 17},
                                {"md", 17},
                                {"dcp", 16}}},
                              {"Kwok and Ahmad, 9 tasks on a ring of 4 processors",
                               kwok_ahmad(),
                               "delay:P=4,network=ring:4",
                               {{"mh", 16}, {"bu", 24}, {"bsa", 16}}},
                              {"Wu and Gajski, Gaussian elimination in 18 tasks",
                               gaussian_elimination(),
                               "delay:P=18",
                               {{"mcp", 520}, {"md", 460}, {"dcp", 440}, {"dsc", 460}}},
                              {"Topcuoglu, 10 tasks on 3 processors",
                               topcuoglu(),
                               "delay:P=3",
                               {{"heft", 80}, {"cpop", 86}, {"peft", 85}}},
                              {"Arabnejad and Barbosa, 10 tasks on 3 processors",
                               arabnejad_barbosa(),
                               "delay:P=3",
                               {{"peft", 122}, {"heft", 133}, {"cpop", 167}}}};
  for (const Example& example : examples) {
    fmt::print("### {}\n\n| algorithm | printed | takt |\n|---|--:|--:|\n", example.title);
    for (const auto& [name, printed] : example.printed)
      fmt::print("| {} | {} | {} |\n", name, printed,
                 length_on(name, example.graph, logp::parse_machine(example.machine)));
    fmt::print("\n");
  }
}

void print_excess(const std::vector<schedulers::KnownOptimum>& known, ProgressStyle style) {
  fmt::print("{} graphs.\n\n", known.size());
  fmt::print("| algorithm | family | mean excess | largest | optimal | below the optimum |\n");
  fmt::print("|---|---|--:|--:|--:|--:|\n");
  ProgressLine progress(style);
  std::size_t done = 0;
  for (const schedulers::Scheduler& scheduler : schedulers::all_schedulers()) {
    progress.show(std::string(scheduler.name),
                  static_cast<double>(done++) / static_cast<double>(schedulers::all_schedulers().size()));
    if (scheduler.family == "frequency") continue;
    fmt::print("{}\n", schedulers::excess_line(scheduler, known));
  }
}

/// Returns the processor time of this thread, since other processes may use the core.
double seconds_used() {
  static const ProcessorClock clock;
  return 1e-9 * static_cast<double>(clock.now().value_or(ProcessorTimes{}).used_ns);
}

/// Returns the shape of a graph with shuffled works and sizes; sizes are scaled to the given ratio of all
/// data to all work.
TaskGraph shuffled(const TaskGraph& graph, double ratio, Random& draw) {
  const auto shuffle = [&](auto& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[draw.below(i)]);
  };
  std::vector<Time> works;
  for (TaskId task : graph.tasks()) works.push_back(graph.task(task).work);
  std::vector<double> sizes;
  double data = 0;
  for (EdgeId edge : graph.edges()) {
    sizes.push_back(static_cast<double>(graph.edge(edge).size.count));
    data += sizes.back();
  }
  shuffle(works);
  shuffle(sizes);
  const double scale = ratio * static_cast<double>(graph.total_work().count()) / std::max(1.0, data);
  TaskGraphBuilder builder;
  for (TaskId task : graph.tasks()) builder.add_task({graph.task(task).name, works[task.index()]});
  for (EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    const double size = std::max(1.0, std::round(sizes[id.index()] * scale));
    builder.add_edge(edge.from, edge.to, Bytes{static_cast<std::uint64_t>(size)});
  }
  return std::move(builder).build();
}

/// Prints how many of them exact_makespan proves by default, and its longest time.
void print_proofs(const std::string& folder, ProgressStyle style) {
  std::vector<std::pair<std::string, TaskGraph>> shapes;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".dot")
      shapes.emplace_back(entry.path().stem().string(),
                          read_dot(read_text_file(entry.path()), entry.path().string()).graph);
  std::ranges::sort(shapes, {}, &std::pair<std::string, TaskGraph>::first);
  constexpr std::uint64_t seeds = 2;
  fmt::print(
      "\n### With shuffled weights\n\n| data over work | graphs | proven | longest, seconds |\n"
      "|--:|--:|--:|--:|\n");
  ProgressLine progress(style);
  for (const double ratio : {0.1, 1.0, 10.0}) {
    std::size_t graphs = 0, proven = 0;
    double longest = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
      for (std::size_t i = 0; i < shapes.size(); ++i) {
        Random draw(seed, static_cast<std::uint32_t>(i));
        const std::size_t processors = 2 * (1 + draw.below(4));
        const TaskGraph graph = shuffled(shapes[i].second, ratio, draw);
        const double before = seconds_used();
        const Schedule schedule = schedulers::find_scheduler("exact_makespan")
                                      .schedule(graph, logp::Machine::delay(processors), {});
        longest = std::max(longest, seconds_used() - before);
        ++graphs;
        if (schedule.makespan_bound && measure(schedule).makespan == *schedule.makespan_bound) ++proven;
        progress.show(fmt::format("{} of {} proven", proven, graphs),
                      static_cast<double>(graphs) / static_cast<double>(seeds * shapes.size()));
      }
    fmt::print("| {} | {} | {} | {:.1f} |\n", ratio, graphs, proven, longest);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const ProgressStyle style = bench::take_progress_style(argc, argv);
  CLI::App app("Makespans next to those of papers and proven optima, as tables in Markdown");
  std::string folder;
  app.add_option("folder", folder, "graphs with optimal schedules inside")->check(CLI::ExistingDirectory);
  CLI11_PARSE(app, argc, argv);
  try {
    print_examples();
    if (folder.empty()) return 0;
    print_excess(schedulers::known_optima(folder), style);
    print_proofs(folder, style);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
