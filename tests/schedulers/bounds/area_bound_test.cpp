/// Is the area bound the work over the joint speed of the processors?

#include "schedulers/bounds/area_bound.hpp"

#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"

namespace takt::schedulers {
namespace {

Fraction mean(std::string_view graph, std::string_view machine, std::size_t used) {
  return AreaBound(generate(graph), logp::parse_machine(machine)).mean(used);
}

TEST(AreaBound, is_the_work_over_the_processors) {
  // 7 tasks of 2 over 3 processors, and over speeds 1, 1, 2, of which two do 3 per tick.
  EXPECT_EQ(mean("send_tree:depth=2,cost=2", "logp:P=3", 3).floor(), (Period{Time{14}, 3}));
  EXPECT_EQ(mean("send_tree:depth=2,cost=2", "logp:P=3", 3).ceiling(), Time{5});
  EXPECT_EQ(mean("send_tree:depth=2,cost=2", "logp:P=3,speed=1/1/2", 3).floor(), (Period{Time{14}, 4}));
  EXPECT_EQ(mean("send_tree:depth=2,cost=2", "logp:P=3,speed=1/1/2", 2).floor(), (Period{Time{14}, 3}));
}

TEST(AreaBound, counts_whole_ticks_on_equal_processors) {
  // 3 tasks of 3 on speed 2 take 2 each.
  EXPECT_EQ(mean("chain:depth=2,cost=3", "logp:P=2,speed=2/2", 2).floor(), (Period{Time{3}, 1}));
}

TEST(AreaBound, counts_overhead_with_the_lowest_speed) {
  const AreaBound bound(generate("chain:depth=0,cost=10"), logp::parse_machine("logp:P=2,speed=2/0.5"));
  EXPECT_EQ(bound.mean(2, 3, Time{8}).floor(), (Period{Time{3 * 10 * 2 + 8}, 5}));
}

TEST(AreaBound, is_hardly_below_the_quotient_for_speeds_with_many_digits) {
  const AreaBound bound(generate("chain:depth=0,cost=1000000"),
                        logp::parse_machine("logp:P=2,speed=0.3333333333333333/1.2345678901"));
  constexpr double quotient = 1'000'000 / (0.3333333333333333 + 1.2345678901);
  EXPECT_LE(bound.mean(2).floor().ticks(), quotient);
  EXPECT_GT(bound.mean(2).floor().ticks(), quotient * (1 - 1e-9));
}

TEST(AreaBound, waits_for_processors_that_become_free_later) {
  // 10 over processors that are free from 0, 4 and 20 on: 7 and 7.
  EXPECT_EQ(area_bound({Time{4}, Time{20}, Time{0}}, Time{10}), Time{7});
}

TEST(Fraction, is_rounded_down_for_a_large_denominator) {
  const Fraction third{Wide{1'000'000'000'000'000'003}, Wide{3'000'000'019}};
  EXPECT_LE(third.floor().ticks(), 333333331.23);
  EXPECT_GT(third.floor().ticks(), 333333331.2);
  EXPECT_EQ(third.ceiling(), Time{333333332});
  // A numerator beyond the range of a time.
  const Fraction large{Wide{4'000'000'000'000'000'000} * 1000 + 1, Wide{1001}};
  EXPECT_NEAR(large.floor().ticks() / (4e21 / 1001), 1, 1e-12);
}

}  // namespace
}  // namespace takt::schedulers
