/// How far is optfo ahead of the published algorithms for chains on big and little cores?
///
///     chains FOLDER [--progress auto|plain|none] > tables.md
///
/// FOLDER has the chains and results of the amp-scheduling study (arXiv 2502.10000): scenarios.csv.gz,
/// results.csv.gz and dvbs2/. Prints the tables of docs/reproduction/chains.md. Every schedule passes the
/// checker, or the program ends with its findings.

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "bench/progress.hpp"
#include "core/system/processor_clock.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/task_chains/published_chains.hpp"

namespace {

using namespace takt;
using namespace takt::schedulers;

/// Processor time of this thread: others may have the core, too.
double seconds_used() {
  static const ProcessorClock clock;
  return 1e-9 * static_cast<double>(clock.now().value_or(ProcessorTimes{}).used_ns);
}

struct Answer {
  double period = 0, bound = 0, seconds = 0;
  std::uint32_t frames = 1;
};

Answer ask(const CoreChain& chain, const CoreCounts& cores) {
  const TaskGraph graph = graph_of(chain, cores);
  const logp::Machine machine =
      logp::Machine::constant(cores[big_core] + cores[little_core], Time{0}, Time{0}, Time{0});
  const double start = seconds_used();
  const Schedule schedule =
      find_scheduler("optfo").schedule(graph, machine, {.frames = FrameClass::interleaved});
  const double seconds = seconds_used() - start;
  if (!logp::diagnose(graph, machine, schedule).empty())
    throw std::runtime_error("the checker refuses a schedule");
  return {measure(schedule).exact_period().ticks(), PeriodBounds(graph, machine).best().period.ticks(),
          seconds, schedule.replicas};
}

/// What a row of the table sums up.
struct Row {
  int chains = 0, ahead = 0, behind = 0, proven = 0;
  double sum = 0, best = 2, worst = 0, bound = 0, frames = 0, seconds = 0, longest = 0;

  void add(const Answer& answer, double herad) {
    // Published periods have six digits.
    constexpr double digits = 1e-5;
    const double ratio = answer.period / herad;
    ++chains;
    ahead += ratio < 1 - digits ? 1 : 0;
    behind += ratio > 1 + digits ? 1 : 0;
    proven += answer.period <= answer.bound * (1 + 1e-12) ? 1 : 0;
    sum += ratio;
    best = std::min(best, ratio);
    worst = std::max(worst, ratio);
    bound += answer.period / answer.bound;
    frames += answer.frames;
    seconds += answer.seconds;
    longest = std::max(longest, answer.seconds);
  }
  void print(const std::string& name) const {
    fmt::print(
        "| {} | {} | {:.4f} | {:.3f} | {:.3f} | {} | {} | {:.1f} % | {:.4f} | {:.1f} | {:.1f} | {:.0f} |\n",
        name, chains, sum / chains, best, worst, ahead, behind, 100.0 * proven / chains, bound / chains,
        frames / chains, 1e3 * seconds / chains, 1e3 * longest);
  }
};

void print_chains(const std::filesystem::path& folder, bench::Steps& steps,
                  const std::vector<PublishedResult>& results) {
  const std::map<std::string, CoreChain> chains = published_chains(folder);
  std::map<std::tuple<std::size_t, std::string>, Row> rows;
  Row all;
  for (const PublishedResult& result : results) {
    if (result.algorithm != "HeRAD") continue;
    steps.begin(result.chain);
    const Answer answer = ask(chains.at(result.chain), result.cores);
    const std::string ratio = result.chain.substr(result.chain.find('/') + 1);
    rows[{1'000 - result.cores[big_core],
          fmt::format("{} + {} | {}", result.cores[big_core], result.cores[little_core], ratio)}]
        .add(answer, std::stod(result.period));
    all.add(answer, std::stod(result.period));
  }
  steps.clear();
  fmt::print(
      "| big + little | stateless | chains | mean | best | worst | ahead | behind | proven | to the bound | "
      "frames | ms, mean | ms, most |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (const auto& [key, row] : rows) row.print(std::get<1>(key));
  all.print("all | ");
}

void print_receiver(const std::filesystem::path& folder) {
  fmt::print(
      "\n| machine | big + little | HeRAD, us | optfo, us | ratio | frames | bound, us |\n"
      "|---|---|--:|--:|--:|--:|--:|\n");
  for (const auto& [file, name] :
       {std::pair{"m1", "Apple M1 Ultra"}, std::pair{"u9", "Intel Ultra 9 185H"}}) {
    const CoreChain chain = measured_chain(folder / "dvbs2" / fmt::format("{}_tasks.csv", file));
    for (const PublishedResult& result :
         published_results(folder / "dvbs2" / fmt::format("{}_results.csv", file))) {
      if (result.algorithm != "HeRAD") continue;
      const Answer answer = ask(chain, result.cores);
      // Times are in units of 10 ns.
      const double herad = std::stod(result.period);
      fmt::print("| {} | {} + {} | {:.1f} | {:.1f} | {:.3f} | {} | {:.1f} |\n", name, result.cores[big_core],
                 result.cores[little_core], herad / 100, answer.period / 100, answer.period / herad,
                 answer.frames, answer.bound / 100);
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  const ProgressStyle style = bench::take_progress_style(count, arguments);
  if (count != 2) {
    fmt::print(stderr, "usage: chains FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  const std::vector<PublishedResult> results = published_results(folder / "results.csv.gz");
  bench::Steps steps(
      style, static_cast<std::size_t>(std::ranges::count(results, "HeRAD", &PublishedResult::algorithm)));
  print_chains(folder, steps, results);
  print_receiver(folder);
}
