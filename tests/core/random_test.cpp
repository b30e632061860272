#include "core/random.hpp"

#include <array>
#include <limits>

#include <gmock/gmock.h>

namespace takt {
namespace {

using ::testing::ElementsAre;

std::array<std::uint64_t, 8> eight_below(Random random, std::uint64_t bound) {
  std::array<std::uint64_t, 8> numbers{};
  for (std::uint64_t& number : numbers) number = random.below(bound);
  return numbers;
}

// Expected numbers: computed by a separate Python program from the standard's definitions of seed_seq
// ([rand.util.seedseq]) and mersenne_twister_engine ([rand.eng.mers]).
TEST(Random, returns_the_numbers_of_the_standard) {
  EXPECT_THAT(eight_below(Random(7), 1000), ElementsAre(753, 246, 485, 784, 765, 791, 459, 266));
  EXPECT_THAT(eight_below(Random(7, 1), 100), ElementsAre(29, 57, 11, 0, 72, 46, 86, 64));
}

TEST(Random, draws_every_number_of_a_range_about_equally_often) {
  Random random(1);
  std::array<int, 6> count{};
  for (int i = 0; i < 60'000; ++i) ++count[static_cast<std::size_t>(random.between(-2, 3) + 2)];
  // Standard deviation of each count: sqrt(60000 * 1/6 * 5/6) = 91; the tolerance is five of them.
  for (int each : count) EXPECT_NEAR(each, 10'000, 456);
}

TEST(Random, covers_the_whole_range_of_integers) {
  Random random(1);
  constexpr auto least = std::numeric_limits<std::int64_t>::min(),
                 most = std::numeric_limits<std::int64_t>::max();
  bool negative = false, positive = false;
  for (int i = 0; i < 100; ++i) (random.between(least, most) < 0 ? negative : positive) = true;
  EXPECT_TRUE(negative && positive);
  EXPECT_EQ(random.between(5, 5), 5);
}

TEST(Random, draws_fractions_below_one) {
  Random random(3);
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double fraction = random.unit();
    ASSERT_GE(fraction, 0);
    ASSERT_LT(fraction, 1);
    sum += fraction;
  }
  // Mean 1/2, standard deviation of the mean sqrt(1/12/10000) = 0.0029; the tolerance is five of them.
  EXPECT_NEAR(sum / 10'000, 0.5, 0.0145);
}

}  // namespace
}  // namespace takt
