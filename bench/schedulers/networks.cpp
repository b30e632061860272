/// How long are schedules on networks, as decided by schedulers and after the mapping?
///
///     networks [--progress auto|plain|none] > tables.md
///
/// Prints the tables of docs/reproduction/networks.md.

#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "bench/progress.hpp"
#include "tests/schedulers/placement/network_study.hpp"

namespace {

using namespace takt;

void print_study(bench::Steps& steps, std::string_view title, std::span<const std::string_view> graphs,
                 std::span<const std::string_view> machines) {
  const schedulers::NetworkStudy study = schedulers::network_study(
      graphs, machines, [&](std::string_view what) { steps.begin(std::string(what)); });
  steps.clear();
  fmt::print("### {}\n\n{} cases:", title, study.cases);
  for (std::string_view graph : graphs) fmt::print("{} `{}`", graph == graphs.front() ? "" : ",", graph);
  fmt::print(" on");
  for (std::string_view machine : machines)
    fmt::print("{} `{}`", machine == machines.front() ? "" : ",", machine);
  fmt::print(
      ".\n\n| scheduler | family | as it decides, mean | most | longer than one | by the mapping, mean | "
      "most | "
      "longer than one |\n|---|---|--:|--:|--:|--:|--:|--:|\n");
  for (const schedulers::NetworkRow& row : study.rows)
    fmt::print("| {} | {} | {:.3f} | {:.2f} | {} | {:.3f} | {:.2f} | {} |\n", row.scheduler->name,
               row.scheduler->family, row.decided.mean, row.decided.largest, row.decided.longer_than_one,
               row.mapped.mean, row.mapped.largest, row.mapped.longer_than_one);
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  using namespace schedulers;
  const ProgressStyle style = bench::take_progress_style(count, arguments);
  bench::Steps steps(style, small_network_graphs.size() * small_networks.size() +
                                large_network_graphs.size() * large_networks.size());
  print_study(steps, "Some dozen tasks", small_network_graphs, small_networks);
  print_study(steps, "1,000 to 2,500 tasks", large_network_graphs, large_networks);
}
