/// Are negative costs raised to 0?

#include "logp/cost.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace takt::logp {
namespace {

TEST(Cost, at_least_zero_keeps_positive_values_and_is_zero_elsewhere) {
  const std::vector<Cost> costs{
      Cost(5, 0.5),
      Cost(-150, 0.1),
      Cost(150, -0.1),
      Cost(-3, 0),
      Cost(0, -1),
      Cost({{Bytes{0}, -20, 1}, {Bytes{10}, 30, -1}, {Bytes{100}, -70, 1}}),
      Cost(0.4, -1),
      // A line that begins at zero.
      Cost({{Bytes{0}, 2, 0}, {Bytes{64}, -64, 1}, {Bytes{128}, 0, 0.25}}),
  };
  for (const Cost& cost : costs) {
    const Cost clamped = cost.at_least_zero();
    EXPECT_FALSE(clamped.first_below_zero());
    for (std::uint64_t size = 0; size < 3000; ++size) {
      const Time expected = std::max(Time{0}, cost.at(Bytes{size}));
      EXPECT_EQ(clamped.at(Bytes{size}), expected) << size;
    }
  }
}

}  // namespace
}  // namespace takt::logp
