/// Where messages are dear, most of the period is proven: what the table of
/// docs/decisions/0099-chains-also-begin-with-even-shares.md says, on graphs and with an effort that are
/// quick.

#include <vector>

#include <gtest/gtest.h>

#include "tests/schedulers/frequency/dear_messages_study.hpp"

namespace takt::schedulers {
namespace {

TEST(DearMessages, are_explained_by_the_bound_on_all_processors) {
  constexpr std::string_view shapes[] = {"gauss:size=16", "fft:depth=4", "receive_tree:depth=5"};
  double explained = 0;
  std::vector<Time> periods;
  for (const std::string_view shape : shapes) {
    const DearPeriod found =
        plan_dear({.shape = shape, .processors = 16, .largest_datum = 100, .seed = 2, .effort = 10'000});
    EXPECT_LE(found.bound, found.period) << shape;
    EXPECT_GE(found.processors_used, 15U) << shape;
    explained += found.explained();
    periods.push_back(found.period);
  }
  EXPECT_GE(explained / std::size(shapes), 0.6);
  // From the best cuts alone, with the whole effort, it would be 1973.
  EXPECT_LT(periods.front(), Time{1600});
}

}  // namespace
}  // namespace takt::schedulers
