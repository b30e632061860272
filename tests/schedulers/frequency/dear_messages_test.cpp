/// Where messages are dear, most of the period is proven: what the table of
/// docs/decisions/0099-chains-also-begin-with-even-shares.md says, on those of its graphs that are quick.

#include <gtest/gtest.h>

#include "tests/schedulers/frequency/dear_messages_study.hpp"

namespace takt::schedulers {
namespace {

constexpr std::uint64_t quick = 100'000;

TEST(DearMessages, are_explained_by_the_bound) {
  constexpr std::string_view shapes[] = {"gauss:size=16", "fft:depth=4", "receive_tree:depth=5"};
  double explained = 0;
  for (const std::string_view shape : shapes) {
    const DearPeriod found = plan_dear({shape, 16, 100, 2, quick});
    EXPECT_LE(found.bound, found.period) << shape;
    explained += found.explained();
  }
  EXPECT_GE(explained / std::size(shapes), 0.6);
}

/// All of the 16 share its work; from the best cuts alone it would be 1973.
TEST(DearMessages, do_not_leave_processors_out) {
  EXPECT_LT(plan_dear({"gauss:size=16", 16, 100, 2, quick}).period, Time{1500});
}

}  // namespace
}  // namespace takt::schedulers
