/// How long do the schedulers take, and how does the time grow with the graph?
///
///     makespan_speed [casch|growth] [--families list,clustering] [--progress auto|plain|none] > table.md
///
/// `casch` compares our times with table 5 of CASCH; `growth` measures graphs of up to 10^6 tasks. Every run
/// is a separate process, so that its memory can be measured. Times are processor time, from the graph to the
/// finished schedule with its frequency.

#include <cmath>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/progress.hpp"
#include "core/graphs/generators.hpp"
#include "core/schedule.hpp"
#include "schedulers/registry/registry.hpp"

namespace {

using namespace takt;

struct Run {
  std::size_t tasks = 0;
  std::size_t edges = 0;
  double seconds = 0;
  double frequency = 0;
  double mebibytes = 0;
};

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Run in_this_process(const std::string& scheduler, const std::string& graph_text,
                    const std::string& machine_text) {
  const TaskGraph graph = generate(graph_text);
  const logp::Machine machine = logp::parse_machine(machine_text);
  const double start = processor_seconds();
  const ScheduleMetrics metrics = measure(schedulers::find_scheduler(scheduler).schedule(
      graph, machine, {.mapping = schedulers::NetworkMapping::none}));
  return {graph.task_count(), graph.edge_count(), processor_seconds() - start, metrics.frequency(), 0};
}

/// Returns nothing when the process failed.
std::optional<Run> run(const std::string& scheduler, const std::string& graph, const std::string& machine) {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const Run result = in_this_process(scheduler, graph, machine);
    const bool written = write(ends[1], &result, sizeof result) == sizeof result;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  Run result;
  const bool complete = child > 0 && read(ends[0], &result, sizeof result) == sizeof result;
  close(ends[0]);
  rusage usage{};
  if (child > 0) wait4(child, nullptr, 0, &usage);
  if (!complete) return std::nullopt;
  result.mebibytes = static_cast<double>(usage.ru_maxrss) / 1024;
  return result;
}

bool is_for_networks(const std::string& scheduler) {
  return schedulers::find_scheduler(scheduler).family == "network";
}

std::string machine_for(const std::string& scheduler) {
  return is_for_networks(scheduler) ? "delay:P=64,network=mesh:8x8" : "delay:P=64";
}

/// A row of table 5 of CASCH: seconds on a SPARC Station 2.
struct Printed {
  std::string name;
  std::string scheduler;
  std::vector<double> seconds;
};

struct Application {
  std::string title;
  std::vector<std::string> sizes;
  std::vector<std::string> graphs;
  std::vector<Printed> printed;
};

std::vector<Application> casch_applications() {
  const std::string weights = ",cost=1..100,data=1..100,seed=1";
  std::vector<Application> applications{{"FFT, points",
                                         {"512", "1024", "2048", "4096"},
                                         {},
                                         {{"DCP", "dcp", {15.80, 69.54, 304.50, 1306.32}},
                                          {"DSC", "dsc", {0.09, 0.22, 0.53, 1.28}},
                                          {"EZ", "ez", {15.37, 71.18, 336.44, 1540.80}},
                                          {"LC", "lc", {0.09, 0.23, 0.60, 1.54}},
                                          {"MD", "md", {69.78, 543.16, 4147.10, 32764.68}},
                                          {"ETF", "etf", {0.16, 0.56, 1.99, 6.90}},
                                          {"HLFET", "hlfet", {0.15, 0.44, 1.27, 3.78}},
                                          {"ISH", "ish", {0.13, 0.45, 1.57, 5.47}},
                                          {"LAST", "last", {0.30, 1.21, 4.83, 19.17}},
                                          {"MCP", "mcp", {0.14, 0.43, 1.35, 4.24}},
                                          {"DLS", "dls", {0.29, 1.03, 3.64, 12.79}},
                                          {"BSA", "bsa", {5.38, 29.61, 159.71, 855.99}},
                                          {"BU", "bu", {0.41, 1.14, 3.06, 8.30}},
                                          {"DLS (APN)", "dls_apn", {93.35, 512.14, 2809.33, 15521.60}},
                                          {"MH", "mh", {4.58, 20.62, 93.28, 417.03}}}},
                                        {"Laplace, matrix dimension",
                                         {"8", "16", "32", "64"},
                                         {},
                                         {{"DCP", "dcp", {7.03, 9.60, 44.95, 198.15}},
                                          {"DSC", "dsc", {0.04, 0.10, 0.29, 0.69}},
                                          {"EZ", "ez", {7.15, 9.71, 35.00, 164.50}},
                                          {"LC", "lc", {0.07, 0.09, 0.16, 0.41}},
                                          {"MD", "md", {7.65, 10.01, 111.99, 864.95}},
                                          {"ETF", "etf", {0.07, 0.10, 0.30, 1.04}},
                                          {"HLFET", "hlfet", {0.09, 0.11, 0.29, 0.86}},
                                          {"ISH", "ish", {0.08, 0.09, 0.35, 1.19}},
                                          {"LAST", "last", {0.10, 0.15, 0.82, 3.24}},
                                          {"MCP", "mcp", {0.04, 0.10, 0.19, 0.59}},
                                          {"DLS", "dls", {0.07, 0.10, 0.36, 1.29}},
                                          {"BSA", "bsa", {2.81, 4.92, 27.99, 148.62}},
                                          {"BU", "bu", {0.37, 0.50, 0.73, 1.98}},
                                          {"DLS (APN)", "dls_apn", {7.81, 10.86, 75.90, 422.22}},
                                          {"MH", "mh", {2.41, 3.25, 16.29, 74.75}}}},
                                        {"N-body, points",
                                         {"512", "1024", "2048", "4096"},
                                         {},
                                         {{"DCP", "dcp", {6.65, 14.92, 289.61, 1472.51}},
                                          {"DSC", "dsc", {0.05, 0.11, 0.23, 0.58}},
                                          {"EZ", "ez", {7.77, 17.38, 350.19, 1856.19}},
                                          {"LC", "lc", {0.06, 0.08, 0.32, 0.79}},
                                          {"MD", "md", {7.57, 42.58, 3133.97, 19292.11}},
                                          {"ETF", "etf", {0.08, 0.22, 2.28, 8.03}},
                                          {"HLFET", "hlfet", {0.07, 0.16, 0.75, 2.20}},
                                          {"ISH", "ish", {0.07, 0.09, 0.32, 1.19}},
                                          {"LAST", "last", {0.09, 0.26, 2.65, 9.06}},
                                          {"MCP", "mcp", {0.07, 0.10, 0.45, 1.22}},
                                          {"DLS", "dls", {0.08, 0.31, 3.09, 11.90}},
                                          {"BSA", "bsa", {2.05, 14.91, 248.36, 1279.62}},
                                          {"BU", "bu", {0.40, 0.47, 1.11, 3.06}},
                                          {"DLS (APN)", "dls_apn", {17.79, 312.87, 8105.45, 36430.02}},
                                          {"MH", "mh", {1.52, 11.48, 368.57, 1788.90}}}}};
  for (int depth : {6, 7, 8, 9})
    applications[0].graphs.push_back(fmt::format("casch_fft:depth={}{}", depth, weights));
  for (int size : {8, 16, 32, 64}) {
    applications[1].graphs.push_back(fmt::format("laplace:size={}{}", size, weights));
    applications[2].graphs.push_back(fmt::format("nbody:size={}{}", size, weights));
  }
  return applications;
}

void print_casch(ProgressStyle style) {
  const std::vector<Application> applications = casch_applications();
  std::size_t runs = 0;
  for (const Application& each : applications) runs += each.printed.size() * each.graphs.size();
  bench::Steps steps(style, runs);
  for (const Application& application : applications) {
    std::vector<std::size_t> task_counts;
    for (const std::string& graph : application.graphs) task_counts.push_back(generate(graph).task_count());
    fmt::print("### {}\n\nOurs with {} tasks.\n\n| algorithm |", application.title,
               fmt::join(task_counts, ", "));
    for (const std::string& size : application.sizes) fmt::print(" {} printed | takt |", size);
    fmt::print("\n|---|");
    for (std::size_t i = 0; i < application.sizes.size(); ++i) fmt::print("--:|--:|");
    fmt::print("\n");
    for (const Printed& printed : application.printed) {
      std::string line = fmt::format("| {} |", printed.name);
      for (std::size_t i = 0; i < application.graphs.size(); ++i) {
        steps.begin(fmt::format("{} on {}", printed.name, application.graphs[i]));
        const auto result = run(printed.scheduler, application.graphs[i], machine_for(printed.scheduler));
        line += fmt::format(" {:.2f} | {} |", printed.seconds[i],
                            result ? fmt::format("{:.4f}", result->seconds) : "-");
      }
      steps.clear();
      fmt::print("{}\n", line);
      std::cout.flush();
    }
    fmt::print("\n");
  }
}

/// A kind of graph in increasing sizes.
struct Series {
  std::string title;
  std::vector<std::string> graphs;
};

std::vector<Series> growth_series() {
  const std::string weights = ",cost=1..100,data=1..100,seed=1";
  std::vector<Series> series{{"random layers", {}}, {"FFT", {}}, {"Laplace", {}}, {"N-body", {}}};
  // About 3.3 edges per task for every size.
  for (const auto& [tasks, density] :
       {std::pair{"1000", "0.16"}, {"10000", "0.05"}, {"100000", "0.016"}, {"1000000", "0.005"}})
    series[0].graphs.push_back(fmt::format("layered:tasks={},density={}{}", tasks, density, weights));
  for (int depth : {7, 10, 13, 16}) series[1].graphs.push_back(fmt::format("fft:depth={}{}", depth, weights));
  for (int size : {32, 100, 316, 1000}) {
    series[2].graphs.push_back(fmt::format("laplace:size={}{}", size, weights));
    series[3].graphs.push_back(fmt::format("nbody:size={}{}", size, weights));
  }
  return series;
}

/// Returns how many sizes to run: up to 10^4 tasks for schedulers of quadratic time.
std::size_t sizes_for(const std::string& scheduler) {
  for (const char* slow : {"ez", "md", "dcp", "bu", "mh", "dls_apn", "bsa"})
    if (scheduler == slow) return 2;
  for (const char* middling : {"etf", "dls", "peft", "cpop", "mcp"})
    if (scheduler == middling) return 3;
  return 4;
}

void print_growth(const std::vector<std::string>& families, ProgressStyle style) {
  std::size_t runs = 0;
  for (const std::string& family : families)
    for (const schedulers::Scheduler* scheduler : schedulers::select_schedulers(family))
      runs += growth_series().size() * sizes_for(std::string(scheduler->name));
  bench::Steps steps(style, runs);
  for (const Series& series : growth_series()) {
    fmt::print(
        "### {}\n\n| algorithm | tasks | edges | seconds | MiB | growth |\n|---|--:|--:|--:|--:|--:|\n",
        series.title);
    for (const std::string& family : families)
      for (const schedulers::Scheduler* scheduler : schedulers::select_schedulers(family)) {
        const std::string name(scheduler->name);
        std::optional<Run> before;
        for (std::size_t i = 0; i < sizes_for(name); ++i) {
          steps.begin(fmt::format("{} on {}", name, series.graphs[i]));
          const std::optional<Run> result = run(name, series.graphs[i], machine_for(name));
          steps.clear();
          if (!result) break;
          std::string growth = "-";
          if (before && before->seconds > 0.01)
            growth = fmt::format("{:.2f}", std::log(result->seconds / before->seconds) /
                                               std::log(static_cast<double>(result->tasks + result->edges) /
                                                        static_cast<double>(before->tasks + before->edges)));
          fmt::print("| {} | {} | {} | {:.2f} | {:.0f} | {} |\n", name, result->tasks, result->edges,
                     result->seconds, result->mebibytes, growth);
          std::cout.flush();
          before = result;
        }
      }
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const ProgressStyle style = bench::take_progress_style(argc, argv);
  CLI::App app("Times to schedule, as tables in Markdown");
  std::string what = "casch";
  app.add_option("what", what, "casch or growth")->check(CLI::IsMember({"casch", "growth"}));
  std::vector<std::string> families{"list", "heterogeneous", "clustering", "network"};
  app.add_option("--families", families, "Those whose growth is measured")->delimiter(',');
  CLI11_PARSE(app, argc, argv);
  if (what == "casch") print_casch(style);
  if (what == "growth") print_growth(families, style);
}
