/// For how many small graphs is the makespan proven optimal, and how close do the other schedulers come?
///
///     proofs [--seed N] [--progress auto|plain|none] > tables.md
///
/// Prints the tables of "Random graphs drawn anew" in docs/reproduction/makespan.md: `exact_makespan` and the
/// best other makespan scheduler, with default options. Uses twelve kinds of graphs in three sizes with three
/// ratios of data to work. Seeds other than 0 draw other graphs.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "bench/progress.hpp"
#include "core/system/processor_clock.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/baseline/proof_study.hpp"

namespace {

using namespace takt;

/// Returns the processor time of this thread, since other processes may use the core.
double seconds_used() {
  static const ProcessorClock clock;
  return 1e-9 * static_cast<double>(clock.now().value_or(ProcessorTimes{}).used_ns);
}

/// Figures of several cases, and the longest time of one of them.
struct Row {
  std::string name;
  schedulers::ProofFigures figures;
  double longest = 0;

  void add(const schedulers::ProofFigures& of_one, double seconds) {
    figures.add(of_one);
    longest = std::max(longest, seconds);
  }
};

void print(std::string_view what, const std::vector<Row>& rows) {
  fmt::print(
      "| {} | graphs | proven | `exact_makespan` above the bound, mean | best of all others, mean | longest, "
      "seconds |\n|---|--:|--:|--:|--:|--:|\n",
      what);
  for (const Row& row : rows) fmt::print("{} {:.1f} |\n", row.figures.line(row.name), row.longest);
  fmt::print("\n");
}

/// Returns N of `--seed N`, or 0; exits with 2 and a message for other arguments.
std::uint64_t take_seed(std::span<char*> arguments) {
  if (arguments.empty()) return 0;
  std::uint64_t seed = 0;
  const std::string_view text = arguments.size() == 2 ? arguments[1] : "";
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (std::string_view(arguments[0]) == "--seed" && !text.empty() && error == std::errc{} &&
      end == text.data() + text.size())
    return seed;
  fmt::print(stderr, "proofs: expected `--seed N` with a whole number, or nothing, not `{}`\n",
             fmt::join(arguments, " "));
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace schedulers;
  const ProgressStyle style = bench::take_progress_style(argc, argv);
  const std::uint64_t seed = take_seed(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  bench::Steps steps(style, proof_kinds().size() * std::size(proof_tasks) * std::size(proof_ratios));
  std::vector<Row> by_kind, by_size, by_ratio, all{{"all", {}}};
  for (const ProofKind& kind : proof_kinds()) by_kind.push_back({std::string(kind.name), {}});
  for (const std::size_t tasks : proof_tasks) by_size.push_back({fmt::format("{}", tasks), {}});
  for (const double ratio : proof_ratios) by_ratio.push_back({fmt::format("{}", ratio), {}});
  for (std::size_t k = 0; k < by_kind.size(); ++k)
    for (std::size_t s = 0; s < by_size.size(); ++s)
      for (std::size_t r = 0; r < by_ratio.size(); ++r) {
        steps.begin(fmt::format("{}, {} tasks", by_kind[k].name, by_size[s].name));
        const double before = seconds_used();
        const ProofFigures figures =
            prove(proof_case(proof_kinds()[k], proof_tasks[s], proof_ratios[r], seed));
        const double taken = seconds_used() - before;
        for (Row* row : {&by_kind[k], &by_size[s], &by_ratio[r], &all.front()}) row->add(figures, taken);
      }
  steps.clear();
  by_size.push_back(all.front());
  print("tasks", by_size);
  print("data over work", by_ratio);
  print("kind", by_kind);
}
