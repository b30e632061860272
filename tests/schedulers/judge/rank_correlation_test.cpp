#include "schedulers/judge/rank_correlation.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace takt::schedulers {
namespace {

using List = std::vector<double>;

TEST(KendallsTau, agrees_with_its_definition) {
  EXPECT_EQ(kendall_tau(List{1, 2, 3, 4}, List{10, 20, 30, 40}), 1);
  EXPECT_EQ(kendall_tau(List{1, 2, 3, 4}, List{4, 3, 2, 1}), -1);
  // Five of six pairs agree, one does not.
  EXPECT_NEAR(kendall_tau(List{1, 2, 3, 4}, List{1, 2, 4, 3}), 4 / 6.0, 1e-12);
  // Five pairs differ in the first list, six in the second; all five agree.
  EXPECT_NEAR(kendall_tau(List{1, 1, 3, 4}, List{1, 2, 3, 4}), 5 / std::sqrt(30.0), 1e-12);
  EXPECT_EQ(kendall_tau(List{1, 1}, List{1, 2}), 0);
}

TEST(KendallsTau, leaves_out_pairs_that_hardly_differ) {
  // Only the pair of the first two is in another order, and these differ by 2 %.
  const List planned{100, 102, 150, 200}, executed{11, 10, 15, 20};
  EXPECT_EQ(kendall_tau(planned, executed, 0.05), 1);
  EXPECT_LT(kendall_tau(planned, executed), 1);
  EXPECT_EQ(pairs_apart(planned, 0.05), 5U);
  EXPECT_EQ(pairs_apart(planned, 0), 6U);
}

}  // namespace
}  // namespace takt::schedulers
