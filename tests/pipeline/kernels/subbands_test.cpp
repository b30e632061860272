/// Tests the subband method: channels are off by at most the tolerance, the sums are otherwise equal and
/// cheaper, and it finds the pulses that brute force finds.

#include "pipeline/kernels/subbands.hpp"

#include <cmath>
#include <random>

#include <gmock/gmock.h>

#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::pipeline::test {
namespace kernels_subbands_test {

struct Search {
  double lowest_mhz, width_mhz;
  std::size_t channels, trials;
  double step, rate;
  bool is_falling;
};

const std::vector<Search> searches{
    {1200, 1, 64, 50, 2, 1e3, true},      {150, 0.1, 50, 33, 0.3, 2e3, false},
    {400, 0.5, 37, 100, 0.05, 1e4, true}, {1300, 0.25, 128, 20, 30, 1e3, true},
    {150, 0.01, 16, 1, 1, 1e3, true},     {300, 10, 8, 3, 50, 100, false},
};

double mhz_of(const Search& of, std::size_t channel) {
  const std::size_t place = of.is_falling ? of.channels - 1 - channel : channel;
  return of.lowest_mhz + of.width_mhz * static_cast<double>(place);
}

/// Returns the seconds between the highest channel and this one, from the
/// plasma frequency: e^2 / (2 pi m c) in s MHz^2 cm^3 / pc.
double delay_s(const Search& of, std::size_t trial, std::size_t channel) {
  const double top = of.lowest_mhz + of.width_mhz * static_cast<double>(of.channels - 1);
  return 1 / 2.41e-4 * of.step * static_cast<double>(trial) *
         (std::pow(mhz_of(of, channel), -2) - std::pow(top, -2));
}

std::vector<std::size_t> rows_of(const Search& of) {
  std::vector<std::size_t> rows;
  for (std::size_t d = 0; d < of.trials; ++d)
    for (std::size_t c = 0; c < of.channels; ++c)
      rows.push_back(static_cast<std::size_t>(std::llround(delay_s(of, d, c) * of.rate)));
  return rows;
}

TEST(Subbands, are_off_by_at_most_the_tolerance_and_cheaper) {
  std::size_t planned = 0;
  for (const Search& search : searches)
    for (const std::size_t tolerance : {0, 1, 2, 5})
      for (const std::size_t rows : {1, 100, 1000}) {
        const std::vector<std::size_t> all = rows_of(search);
        const TrialDelays delays{all, search.channels};
        const auto plan = plan_subbands(delays, rows, tolerance);
        if (!plan) continue;
        ++planned;
        std::size_t next = 0, additions = 0;
        for (const SubbandPlan::Group& group : plan->groups) {
          EXPECT_EQ(group.first, next);
          next = group.last + 1;
          std::size_t moved = 0;
          for (std::size_t d = group.first; d <= group.last; ++d)
            for (std::size_t c = 0; c < search.channels; ++c) {
              EXPECT_NEAR(static_cast<double>(plan->delay(delays, group, d, c)),
                          static_cast<double>(all[d * search.channels + c]), static_cast<double>(tolerance));
              moved = std::max(moved, plan->delay(delays, group, group.last, c) -
                                          plan->delay(delays, group, group.first, c));
            }
          additions += search.channels * (rows + moved);
        }
        EXPECT_EQ(next, search.trials);
        additions += search.trials * rows * ((search.channels + plan->width - 1) / plan->width);
        EXPECT_LT(additions, search.trials * search.channels * rows);
      }
  EXPECT_GE(planned, 20U);
}

TEST(Subbands, add_present_values_along_the_delays_of_the_plan) {
  std::mt19937 random(3);
  for (const Search& search : searches)
    for (const bool has_holes : {false, true}) {
      constexpr std::size_t rows = 60;
      const std::vector<std::size_t> all = rows_of(search);
      const TrialDelays delays{all, search.channels};
      const auto plan = plan_subbands(delays, rows, 2);
      if (!plan) continue;
      SubbandSums sums(delays, *plan, rows);
      const std::size_t length = rows + sums.most_delay() + 3;
      std::vector<float> window(search.channels * length);
      for (float& value : window)
        value = has_holes && random() % 2 == 0 ? std::nanf("") : static_cast<float>(random() % 100);
      std::size_t next = 0;
      sums.add(serial_tasks(), delays, window.data(), length, has_holes,
               [&](std::size_t trial, std::span<const float> got, std::span<const float> present) {
                 EXPECT_EQ(trial, next++);
                 const auto group = std::ranges::find_if(plan->groups, [&](const SubbandPlan::Group& each) {
                   return each.first <= trial && trial <= each.last;
                 });
                 for (std::size_t t = 0; t < rows; ++t) {
                   double sum = 0, count = 0;
                   for (std::size_t c = 0; c < search.channels; ++c) {
                     const float value = window[c * length + t + plan->delay(delays, *group, trial, c)];
                     sum += std::isnan(value) ? 0 : value;
                     count += std::isnan(value) ? 0 : 1;
                   }
                   ASSERT_NEAR(got[t], sum, 1e-3 * (1 + sum));
                   if (has_holes) {
                     ASSERT_EQ(present[t], count);
                   }
                 }
               });
      EXPECT_EQ(next, search.trials);
    }
}

FrameType search_type(const Search& of, std::size_t rows) {
  FrameType type = spectra(rows, of.channels);
  type.rate_hz = of.rate / static_cast<double>(rows);
  for (std::size_t c = 0; c < of.channels; ++c) type.axes[1].coordinates.push_back(mhz_of(of, c) * 1e6);
  return type;
}

/// Returns the series by trial, in rows from the stream's beginning.
std::vector<std::vector<double>> series_of(const Search& search, const std::string& method,
                                           std::size_t tolerance,
                                           const std::vector<std::vector<float>>& stream, double loss) {
  constexpr std::size_t rows = 100;
  KernelBench bench("dedisperse",
                    {{"step", std::to_string(search.step)},
                     {"trials", std::to_string(search.trials)},
                     {"method", method},
                     {"tolerance", std::to_string(tolerance)}},
                    {search_type(search, rows)});
  std::mt19937 random(8);
  std::bernoulli_distribution is_lost(loss);
  std::vector<std::vector<double>> series(search.trials, std::vector<double>(stream.size(), std::nan("")));
  const auto take = [&] {
    const auto first = std::llround(static_cast<double>(bench.output().header().utc_ns) * 1e-9 * search.rate);
    for (std::size_t t = 0; t < rows; ++t)
      for (std::size_t d = 0; d < search.trials; ++d)
        if (const std::int64_t at = first + static_cast<std::int64_t>(t);
            at >= 0 && at < static_cast<std::int64_t>(stream.size()))
          series[d][static_cast<std::size_t>(at)] = bench.output().as<float>()[t * search.trials + d];
  };
  for (std::size_t k = 0; k * rows < stream.size(); ++k) {
    std::uint32_t missing = 0;
    for (std::size_t t = 0; t < rows; ++t) {
      const bool row_is_lost = is_lost(random);
      missing += row_is_lost ? 1 : 0;
      for (std::size_t c = 0; c < search.channels; ++c)
        bench.input().as<float>()[t * search.channels + c] =
            row_is_lost ? std::nanf("") : stream[k * rows + t][c];
    }
    bench.input().header() = {.sequence = k,
                              .utc_ns = std::llround(static_cast<double>(k * rows) / search.rate * 1e9),
                              .parts = rows,
                              .missing_parts = missing,
                              .combined = 1};
    if (k == 2) bench.transfer_state();
    if (bench.process() == Outcome::produced) take();
  }
  for (Outcome rest = Outcome::more; rest == Outcome::more;)
    if (rest = bench.finish(); rest != Outcome::absorbed) take();
  return series;
}

TEST(Subbands, equal_brute_force_with_a_tolerance_of_0) {
  std::mt19937 random(4);
  std::normal_distribution<float> normal(10, 1);
  for (const Search& search : {searches[0], searches[2], searches[4]})
    for (const double loss : {0.0, 0.3}) {
      std::vector<std::vector<float>> stream(500, std::vector<float>(search.channels));
      for (auto& row : stream) std::ranges::generate(row, [&] { return normal(random); });
      const auto brute = series_of(search, "brute", 0, stream, loss);
      const auto subband = series_of(search, "subband", 0, stream, loss);
      for (std::size_t d = 0; d < search.trials; ++d)
        for (std::size_t t = 0; t < stream.size(); ++t)
          if (std::isnan(brute[d][t]))
            ASSERT_TRUE(std::isnan(subband[d][t]));
          else
            ASSERT_NEAR(subband[d][t], brute[d][t], 1e-4);
    }
}

/// A boxcar as wide as a pulse of w spectra finds at least 1 - tolerance / w of brute force.
TEST(Subbands, find_pulses_with_the_strength_that_the_tolerance_allows) {
  const Search& search = searches[0];
  constexpr std::size_t width = 8, at = 150;
  const auto boxcar = [](const std::vector<double>& series) {
    double most = 0;
    for (std::size_t t = 0; t + width <= series.size(); ++t) {
      double sum = 0;
      for (std::size_t i = 0; i < width; ++i) sum += std::isnan(series[t + i]) ? 0 : series[t + i];
      most = std::max(most, sum / width);
    }
    return most;
  };
  for (const std::size_t trial : {0, 7, 23, 49}) {
    std::vector<std::vector<float>> stream(600, std::vector<float>(search.channels));
    for (std::size_t c = 0; c < search.channels; ++c)
      for (std::size_t i = 0; i < width; ++i)
        stream[at + i + static_cast<std::size_t>(std::llround(delay_s(search, trial, c) * search.rate))][c] =
            1;
    // The last digits of the constants move no channel by half a spectrum here.
    EXPECT_NEAR(boxcar(series_of(search, "brute", 0, stream, 0)[trial]), 1, 1 / 16.0);
    for (const std::size_t tolerance : {1, 3})
      EXPECT_GE(boxcar(series_of(search, "subband", tolerance, stream, 0)[trial]),
                1 - static_cast<double>(tolerance) / width - 1 / 16.0);
  }
}

}  // namespace kernels_subbands_test
}  // namespace takt::pipeline::test
