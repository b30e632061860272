/// How tight is the bound on the period with unequal processors and with expensive messages?
///
///     period_bounds [--progress auto|plain|none] > tables.md
///
/// Prints the tables of docs/reproduction/bounds.md: bound over period of `optfo` with the default effort.
/// The machines are 16 and 64 processors of speeds 1/1/2/4, and as many equal processors where data take a
/// tenth of the time of the work, or all of it.

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bench/progress.hpp"
#include "core/system/processor_clock.hpp"
#include "tests/schedulers/frequency/bound_study.hpp"

namespace {

using namespace takt;

/// Returns the processor time of this thread, since other processes may use the core.
double seconds_used() {
  static const ProcessorClock clock;
  return 1e-9 * static_cast<double>(clock.now().value_or(ProcessorTimes{}).used_ns);
}

/// A table with one line per shape, one column per kind of plan, and the means below.
class Table {
 public:
  Table(bench::Steps& steps, std::span<const std::string> columns) : steps_(steps) {
    std::string rule = "|---|";
    fmt::print("| graph |");
    for (const std::string& column : columns) {
      fmt::print(" {} |", column);
      rule += "--:|";
    }
    fmt::print("\n{}\n", rule);
    explained_.resize(columns.size());
    seconds_.resize(columns.size());
    longest_.resize(columns.size());
  }

  void begin_line(std::string_view shape) {
    line_ = fmt::format("| `{}` |", shape);
    column_ = 0;
    ++lines_;
  }
  void add(std::string_view graph, std::string_view machine) {
    steps_.begin(fmt::format("{} on {}", graph, machine.substr(0, machine.find(",L"))));
    const double before = seconds_used();
    const schedulers::ExplainedPeriod found = schedulers::explain_period(graph, machine);
    const double taken = seconds_used() - before;
    seconds_[column_] += taken;
    longest_[column_] = std::max(longest_[column_], taken);
    explained_[column_++] += found.explained();
    line_ += fmt::format(" {:.3f} ({} / {}) |", found.explained(), found.bound.count(), found.period.count());
  }
  void end_line() {
    steps_.clear();
    fmt::print("{}\n", line_);
    std::fflush(stdout);
  }
  void end() {
    const auto count = static_cast<double>(lines_);
    std::string means = "| **mean** |", times = "| seconds of a plan, mean, most |";
    for (std::size_t c = 0; c < explained_.size(); ++c) {
      means += fmt::format(" **{:.3f}** |", explained_[c] / count);
      times += fmt::format(" {:.1f}, {:.1f} |", seconds_[c] / count, longest_[c]);
    }
    fmt::print("{}\n{}\n\n", means, times);
  }

 private:
  bench::Steps& steps_;
  std::string line_;
  std::size_t column_ = 0, lines_ = 0;
  std::vector<double> explained_, seconds_, longest_;
};

constexpr std::array<std::size_t, 2> processors{16, 64};
constexpr std::array<std::size_t, 2> largest_data{10, 100};

}  // namespace

int main(int argc, char** argv) {
  using namespace schedulers;
  const ProgressStyle style = bench::take_progress_style(argc, argv);
  bench::Steps steps(style, processors.size() * unequal_shapes().size() +
                                processors.size() * largest_data.size() * expensive_shapes().size());
  fmt::print("### Unlike speeds\n\n");
  const std::array<std::string, 2> by_speed{"P = 16", "P = 64"};
  Table unequal(steps, by_speed);
  for (const std::string_view shape : unequal_shapes()) {
    unequal.begin_line(shape);
    for (const std::size_t p : processors) unequal.add(unequal_graph(shape), unequal_machine(p));
    unequal.end_line();
  }
  unequal.end();

  fmt::print("### Expensive messages\n\n");
  const std::array<std::string, 4> by_ratio{"P = 16, CCR 0.1", "P = 64, CCR 0.1", "P = 16, CCR 1",
                                            "P = 64, CCR 1"};
  Table expensive(steps, by_ratio);
  for (std::size_t i = 0; i < expensive_shapes().size(); ++i) {
    expensive.begin_line(expensive_shapes()[i]);
    for (const std::size_t largest : largest_data)
      for (const std::size_t p : processors)
        expensive.add(expensive_graph(expensive_shapes()[i], largest, 1 + i), expensive_machine(p));
    expensive.end_line();
  }
  expensive.end();
}
