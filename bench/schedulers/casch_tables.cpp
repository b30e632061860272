/// Do our algorithms stand in the order in which CASCH's do?
///
///     casch_tables [--progress auto|plain|none] > tables.md
///
/// Prints the tables of docs/reproduction/casch.md: planned lengths beside the printed execution times.

#include <cstdio>

#include <fmt/format.h>

#include "bench/progress.hpp"
#include "tests/schedulers/registry/casch_study.hpp"

namespace {

namespace casch = takt::schedulers::casch;

/// The lengths in seconds, `randsch` last.
std::vector<double> seconds_of(const casch::Application& application, int size, takt::Time point) {
  const casch::Planned made = casch::planned(application, size, point);
  std::vector<double> seconds;
  for (takt::Time length : made.length) seconds.push_back(static_cast<double>(length.count()) * 1e-9);
  seconds.push_back(static_cast<double>(made.random.count()) * 1e-9);
  return seconds;
}

}  // namespace

int main(int count, char** arguments) {
  const takt::ProgressStyle style = takt::bench::take_progress_style(count, arguments);
  takt::bench::Steps steps(style, casch::applications().size() * casch::sizes * casch::grains.size());
  for (const casch::Application& application : casch::applications()) {
    std::array<std::vector<double>, casch::sizes> printed;
    std::array<std::array<std::vector<double>, casch::sizes>, casch::grains.size()> planned;
    for (std::size_t i = 0; i < casch::sizes; ++i) {
      for (const casch::Row& row : application.rows) printed[i].push_back(row.printed[i]);
      for (std::size_t grain = 0; grain < casch::grains.size(); ++grain) {
        steps.begin(fmt::format("{}, {} {}", application.title, application.size[i], application.unit));
        planned[grain][i] = seconds_of(application, application.size[i], casch::grains[grain]);
      }
    }
    steps.clear();
    fmt::print("### {}\n\n| algorithm |", application.title);
    for (int size : application.size) fmt::print(" {} {}, printed | takt |", size, application.unit);
    fmt::print("\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (std::size_t row = 0; row < application.rows.size(); ++row) {
      fmt::print("| {} |", application.rows[row].name);
      for (std::size_t i = 0; i < casch::sizes; ++i)
        fmt::print(" {:.2f} | {:.4f} |", printed[i][row], planned[1][i][row]);
      fmt::print("\n");
    }
    for (std::size_t grain = 0; grain < casch::grains.size(); ++grain) {
      fmt::print("| tau, {} us |", casch::grains[grain].count() / 1000);
      for (std::size_t i = 0; i < casch::sizes; ++i)
        fmt::print(" | {:.2f} |", casch::kendall_tau(printed[i], planned[grain][i]));
      fmt::print("\n");
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
}
