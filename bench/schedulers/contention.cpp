/// What does a plan lose that ignores contention between messages?
///
///     contention [--progress auto|plain|none] > tables.md
///
/// Prints the tables of docs/reproduction/contention.md: figures 1 and 2 of Ruan, Liu, Han, Li (2007) on
/// equal and on unequal processors, and the family's schedulers on the paper's own model.

#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "bench/progress.hpp"
#include "tests/schedulers/heterogeneous/contention_study.hpp"

namespace {

using namespace takt;

constexpr std::size_t sizes[] = {100, 200, 400, 800};
constexpr std::size_t seeds = 3;
constexpr const char* family[] = {"ca_list", "mh",  "dls_apn", "bu",       "bsa",
                                  "heft",    "dsc", "single",  "ca_search"};

void print_study(bench::Steps& steps, std::string_view title, std::string_view machine) {
  const auto begins = [&](std::size_t tasks) { steps.begin(fmt::format("{}, {} tasks", title, tasks)); };
  const std::vector<schedulers::ContentionRow> rows =
      schedulers::contention_study(sizes, seeds, machine, true, begins);
  steps.clear();
  fmt::print(
      "### {}\n\n| CCR | error, classic | error, aware | efficiency, classic | aware | search |\n"
      "|--:|--:|--:|--:|--:|--:|\n",
      title);
  for (const schedulers::ContentionRow& row : rows)
    fmt::print("| {} | {:.1f} % | {:.1f} % | {:.1f} % | {:.1f} % | {:.1f} % |\n", row.ccr, row.classic_error,
               row.aware_error, row.classic_efficiency, row.aware_efficiency, row.search_efficiency);
  fmt::print("\n");
  std::fflush(stdout);
}

void print_family(bench::Steps& steps, std::string_view machine, std::string_view title,
                  schedulers::NetworkMapping mapping) {
  fmt::print("### Makespans on `contention:{}`, 200 tasks, {}\n\n| scheduler |", machine, title);
  for (double ccr : schedulers::paper_ratios) fmt::print(" CCR {} |", ccr);
  fmt::print("\n|---|--:|--:|--:|--:|\n");
  for (const char* name : family) {
    steps.begin(name);
    const std::string line = schedulers::contention_line(name, machine, mapping);
    steps.clear();
    fmt::print("{}\n", line);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const ProgressStyle style = bench::take_progress_style(count, arguments);
  bench::Steps steps(style,
                     2 * schedulers::contention_graphs(std::size(sizes), seeds) + 2 * std::size(family));
  print_study(steps, "Eight equal processors", "P=8");
  print_study(steps, "Eight processors of four speeds", "P=8,speed=1/1/2/2/3/3/4/4");
  print_family(steps, "P=8", "as the schedulers decide", schedulers::NetworkMapping::none);
  fmt::print("\n");
  print_family(steps, "P=8", "as the mapping improves them", schedulers::NetworkMapping::best);
}
