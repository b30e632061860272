/// Does takt reproduce the study of MCGAS, and what does the network simplex save? Runs HCPA, MCGAS and
/// others on the 1,296 graphs of Dutot, N'Takpe, Suter, Casanova (2009), Strassen's multiplication and the
/// FFT, on their part of Grid'5000. SimGrid's parallel tasks (ptask_L07) judge the makespans.
///
///     bench/moldable DIRECTORY [SAMPLES]
///
/// Writes DIRECTORY/moldable.md and its pictures. SAMPLES per kind of graph (there are 432), 3 as in the
/// paper. Deterministic except for the run times of the schedulers.

#include <array>
#include <charconv>
#include <cstring>
#include <iostream>

#include <fmt/format.h>

#include "bench/moldable/report.hpp"
#include "bench/progress.hpp"
#include "core/graphs/generators.hpp"
#include "core/system/progress_line.hpp"
#include "logp/machine.hpp"
#include "schedulers/judge/evaluation.hpp"
#include "schedulers/registry/registry.hpp"

namespace {

using namespace takt;
using namespace takt::bench;

struct Made {
  double seconds = 0;
  double makespan = 0;
};

Made make(const char* scheduler, const TaskGraph& graph, const logp::Machine& machine,
          std::optional<std::size_t> allocations) {
  schedulers::Options options;
  options.moldable.mapping = schedulers::GroupMapping::eft;
  options.moldable.allocations = allocations;
  if (std::strcmp(scheduler, "mcgas") == 0) {
    options.moldable.mu = 0.66;
    options.moldable.bound = std::min(bound, schedulers::Clusters(machine).largest());
  }
  const double start = processor_seconds();
  const Schedule schedule = schedulers::find_scheduler(scheduler).schedule(graph, machine, options);
  return {processor_seconds() - start, static_cast<double>(measure(schedule).makespan.count()) * 1e-9};
}

TimedRow timed(std::size_t tasks, int graphs, const logp::Machine& machine, std::string name) {
  TimedRow row;
  row.tasks = tasks;
  row.machine = std::move(name);
  row.graphs = fmt::format("layered:tasks={},width=0.5,regularity=0.8,density={},jump=2,alpha=0..0.25", tasks,
                           tasks > 100 ? 0.02 : 0.5);
  for (int seed = 1; seed <= graphs; ++seed) {
    constexpr std::array kinds{"linear", "log", "matrix", "mixed"};
    const TaskGraph graph =
        generate(fmt::format("{},complexity={},seed={}", row.graphs,
                             kinds[static_cast<std::size_t>(seed - 1) % kinds.size()], seed));
    const auto add = [&](double& seconds, double& makespan, const Made& made) {
      seconds += made.seconds / graphs;
      makespan += made.makespan / graphs;
    };
    row.sequential += static_cast<double>(graph.total_work().count()) * 1e-9 / graphs /
                      schedulers::Clusters(machine).fastest_processor();
    add(row.mcgas_seconds, row.mcgas_makespan, make("mcgas", graph, machine, {}));
    add(row.hcpa_seconds, row.hcpa_makespan, make("hcpa", graph, machine, {}));
    add(row.few_seconds, row.few_makespan, make("mcgas", graph, machine, 20));
  }
  return row;
}

/// Returns a machine of ten clusters of 100 processors each.
logp::Machine thousand_processors() {
  Platform platform = Platform::uniform(1000);
  for (std::uint32_t node = 0; node < 1000; ++node) platform.cluster_of_node[node] = node / 100;
  const auto link = [](double latency, double shared) {
    logp::LinkCosts costs;
    costs.latency = logp::Cost(latency, 8);
    costs.send_gap = costs.receive_gap = logp::Cost(0, 8);
    costs.backbone = logp::Cost(0, shared);
    return costs;
  };
  return {platform, {logp::LinkCosts{}, {}, link(3e5, 0), link(5e6, 0.8)}};
}

void run(const std::string& directory, std::size_t samples, ProgressStyle style) {
  const logp::Machine machine = logp::parse_machine("configs/machines/grid5000-2008.yaml");
  Study found;
  found.synthetic = synthetic_graphs(samples);
  PtaskSimulator simulator(machine);
  simulator.run([&] {
    const std::vector<StudyGraph> strassen = strassen_graphs(), fft = fft_graphs();
    const std::size_t total = strassen.size() + fft.size() + found.synthetic.size();
    std::size_t done = 0;
    ProgressLine progress(style);
    const auto all = [&](const std::vector<StudyGraph>& graphs, std::vector<StudyResult>& results) {
      for (const StudyGraph& graph : graphs) {
        results.push_back(study(graph, machine, simulator));
        ++done;
        progress.show(fmt::format("{} of {} graphs", done, total),
                      static_cast<double>(done) / static_cast<double>(total));
      }
    };
    all(strassen, found.strassen);
    all(fft, found.fft);
    all(found.synthetic, found.results);
  });
  found.mus = {0.04, 0.19, 0.34, 0.49, 0.66, 0.81};
  found.bounds = {10, 20, 30, 47, 53, 56, 65, 74, 87, 99, 120, 150, 180, 216};
  found.sweep = sweep(synthetic_graphs(1), machine, found.mus, found.bounds);
  for (const std::size_t tasks : {10U, 20U, 30U, 50U, 100U})
    found.times.push_back(timed(tasks, 12, machine, "Grid'5000"));
  const logp::Machine large = thousand_processors();
  found.times.push_back(timed(1'000, 1, large, "10 x 100"));
  found.times.push_back(timed(10'000, 1, large, "10 x 100"));
  report(found, directory);
}

}  // namespace

int main(int argc, char** argv) {
  const takt::ProgressStyle style = takt::bench::take_progress_style(argc, argv);
  std::size_t samples = 3;
  const bool is_number =
      argc < 3 ||
      (std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), samples).ec == std::errc{} && samples > 0);
  if (argc < 2 || argc > 3 || !is_number) {
    std::cerr << "usage: moldable DIRECTORY [SAMPLES] [--progress auto|plain|none], from the project's top\n";
    return 2;
  }
  try {
    run(argv[1], samples, style);
  } catch (const std::exception& error) {
    std::cerr << "moldable: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
