/// Most of the period is proven, also for expensive messages and different processors: the claims of
/// docs/reproduction/bounds.md, on graphs and with an effort that are fast.

#include "tests/schedulers/frequency/bound_study.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/program.hpp"

namespace takt::schedulers {
namespace {

TEST(ExpensiveMessages, are_explained_by_the_bound_on_all_processors) {
  constexpr std::string_view shapes[] = {"gauss:size=16", "fft:depth=4", "receive_tree:depth=5"};
  double explained = 0;
  std::vector<Time> periods;
  for (const std::string_view shape : shapes) {
    const ExplainedPeriod found =
        explain_period(expensive_graph(shape, 100, 2), expensive_machine(16), 10'000);
    EXPECT_LE(found.bound, found.period) << shape;
    EXPECT_GE(found.processors_used, 15U) << shape;
    explained += found.explained();
    periods.push_back(found.period);
  }
  EXPECT_GE(explained / std::size(shapes), 0.6);
  // From the best cuts alone, with the whole effort, it would be 1973.
  EXPECT_LT(periods.front(), Time{1600});
}

TEST(UnlikeSpeeds, are_explained_by_the_bound) {
  double explained = 0;
  constexpr std::size_t shapes = 2;
  for (const std::string_view shape : unequal_shapes().first(shapes)) {
    const ExplainedPeriod found = explain_period(unequal_graph(shape), unequal_machine(16), 3'000);
    EXPECT_LE(found.bound, found.period) << shape;
    explained += found.explained();
  }
  EXPECT_GE(explained / shapes, 0.95);
}

/// A cell that is fast with the default effort, to the last digit, and the text's claims about the means.
TEST(BoundTables, are_those_of_their_document) {
  const std::string text = test::read_file(TAKT_SOURCE_DIR "/docs/reproduction/bounds.md");
  const std::string_view shape = expensive_shapes().front();
  const ExplainedPeriod found = explain_period(expensive_graph(shape, 10, 1), expensive_machine(64));
  const std::size_t line = text.find(fmt::format("| `{}` |", shape));
  EXPECT_NE(text.substr(line, text.find('\n', line) - line)
                .find(fmt::format(" {:.3f} ({} / {}) |", found.explained(), found.bound.count(),
                                  found.period.count())),
            std::string::npos);
  const auto mean_of_16_after = [&](std::string_view title) {
    constexpr std::string_view before = "| **mean** | **";
    return std::stod(text.substr(text.find(before, text.find(title)) + before.size()));
  };
  EXPECT_GE(mean_of_16_after("### Unlike speeds"), 0.97);
  EXPECT_GE(mean_of_16_after("### Expensive messages"), 0.8);
}

}  // namespace
}  // namespace takt::schedulers
