/// Do our algorithms rank in the same order as those of CASCH?
///
///     casch_tables [--progress auto|plain|none] > tables.md
///
/// Prints the tables of docs/reproduction/casch.md: planned lengths next to the printed execution times.

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "bench/progress.hpp"
#include "schedulers/judge/rank_correlation.hpp"
#include "tests/schedulers/registry/casch_study.hpp"

namespace {

namespace casch = takt::schedulers::casch;

/// Returns the lengths in seconds, `randsch` last.
std::vector<double> seconds_of(const casch::Application& application, const casch::Target& target, int size,
                               takt::Time point) {
  const casch::Planned made = casch::planned(application, target, size, point);
  std::vector<double> seconds;
  for (takt::Time length : made.length) seconds.push_back(static_cast<double>(length.count()) * 1e-9);
  seconds.push_back(static_cast<double>(made.random.count()) * 1e-9);
  return seconds;
}

/// Returns the ratio of `randsch`, the last entry, to the slowest of the others.
double random_over_slowest(const std::vector<double>& seconds) {
  return seconds.back() / *std::max_element(seconds.begin(), seconds.end() - 1);
}

}  // namespace

int main(int count, char** arguments) {
  const takt::ProgressStyle style = takt::bench::take_progress_style(count, arguments);
  using BySize = std::array<std::vector<double>, casch::sizes>;
  takt::bench::Steps steps(
      style, casch::applications().size() * casch::targets.size() * casch::sizes * casch::grains.size());
  for (const casch::Application& application : casch::applications()) {
    std::array<BySize, casch::targets.size()> printed;
    std::array<std::array<BySize, casch::grains.size()>, casch::targets.size()> planned;
    for (std::size_t t = 0; t < casch::targets.size(); ++t)
      for (std::size_t i = 0; i < casch::sizes; ++i) {
        const casch::Target& target = casch::targets[t];
        for (const casch::Row& row : application.rows) printed[t][i].push_back((row.*target.printed)[i]);
        for (std::size_t grain = 0; grain < casch::grains.size(); ++grain) {
          steps.begin(fmt::format("{}, {} {}", application.title, application.size[i], application.unit));
          planned[t][grain][i] = seconds_of(application, target, application.size[i], casch::grains[grain]);
        }
      }
    steps.clear();
    fmt::print("### {}\n\n| algorithm |", application.title);
    for (int size : application.size) fmt::print(" {} {}, printed | takt |", size, application.unit);
    fmt::print("\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (std::size_t row = 0; row < application.rows.size(); ++row) {
      fmt::print("| {} |", application.rows[row].name);
      for (std::size_t i = 0; i < casch::sizes; ++i)
        fmt::print(" {:.2f} | {:.4f} |", printed[0][i][row], planned[0][1][i][row]);
      fmt::print("\n");
    }
    for (std::size_t t = 0; t < casch::targets.size(); ++t)
      for (std::size_t grain = 0; grain < casch::grains.size(); ++grain) {
        fmt::print("| tau, {}, {} us |", casch::targets[t].name, casch::grains[grain].count() / 1000);
        for (std::size_t i = 0; i < casch::sizes; ++i)
          fmt::print(" | {:.2f} |", takt::schedulers::kendall_tau(printed[t][i], planned[t][grain][i]));
        fmt::print("\n");
      }
    for (std::size_t t = 0; t < casch::targets.size(); ++t)
      for (std::size_t grain = 0; grain < casch::grains.size(); ++grain) {
        fmt::print("| randsch over the slowest other, {}, {} us |", casch::targets[t].name,
                   casch::grains[grain].count() / 1000);
        for (std::size_t i = 0; i < casch::sizes; ++i)
          fmt::print(" {:.2f} | {:.2f} |", random_over_slowest(printed[t][i]),
                     random_over_slowest(planned[t][grain][i]));
        fmt::print("\n");
      }
    fmt::print("\n");
    std::fflush(stdout);
  }
}
