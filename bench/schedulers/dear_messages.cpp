/// How much of the period is proven where messages are dear?
///
///     dear_messages [--progress auto|plain|none] > table.md
///
/// Prints the table of docs/decisions/0099-chains-also-begin-with-even-shares.md: bound over period of
/// `optfo` by default effort, on 16 and 64 processors, for data that take a tenth of the time of the work,
/// and as long.

#include <array>

#include <fmt/format.h>

#include "bench/progress.hpp"
#include "core/processor_clock.hpp"
#include "tests/schedulers/frequency/dear_messages_study.hpp"

namespace {

using namespace takt;

struct Column {
  std::size_t processors;
  std::size_t largest_datum;
};

constexpr std::array columns{Column{16, 10}, Column{64, 10}, Column{16, 100}, Column{64, 100}};

/// Processor time of this thread: others may have the core, too.
double seconds_used() {
  static const ProcessorClock clock;
  return 1e-9 * static_cast<double>(clock.now().value_or(ProcessorTimes{}).used_ns);
}

}  // namespace

int main(int argc, char** argv) {
  const ProgressStyle style = bench::take_progress_style(argc, argv);
  const std::vector<std::string_view>& shapes = schedulers::dear_shapes();
  bench::Steps steps(style, shapes.size() * columns.size());
  fmt::print("| graph |");
  for (const Column& column : columns)
    fmt::print(" P = {}, CCR {} |", column.processors, static_cast<double>(column.largest_datum) / 100);
  fmt::print("\n|---|--:|--:|--:|--:|\n");
  std::array<double, columns.size()> explained{}, seconds{};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    std::string line = fmt::format("| `{}` |", shapes[i]);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      steps.begin(fmt::format("{} on {}", shapes[i], columns[c].processors));
      const double before = seconds_used();
      const schedulers::DearPeriod found =
          schedulers::plan_dear({shapes[i], columns[c].processors, columns[c].largest_datum, 1 + i});
      seconds[c] += seconds_used() - before;
      explained[c] += found.explained();
      line +=
          fmt::format(" {:.3f} ({} / {}) |", found.explained(), found.bound.count(), found.period.count());
    }
    steps.clear();
    fmt::print("{}\n", line);
  }
  const auto count = static_cast<double>(shapes.size());
  std::string means = "| **mean** |", times = "| seconds of a plan |";
  for (std::size_t c = 0; c < columns.size(); ++c) {
    means += fmt::format(" **{:.3f}** |", explained[c] / count);
    times += fmt::format(" {:.1f} |", seconds[c] / count);
  }
  fmt::print("{}\n{}\n", means, times);
}
