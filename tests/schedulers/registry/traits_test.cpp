/// Do the lists for searches and choices agree with the table's traits?

#include <algorithm>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>

#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {
namespace {

using ::testing::ElementsAreArray;

TEST(Traits, name_one_scheduler_for_the_frequency) {
  EXPECT_EQ(
      std::ranges::count_if(all_schedulers(), [](const Scheduler& each) { return each.traits.is_default; }),
      1);
  EXPECT_EQ(rate_schedulers().fastest, default_scheduler().schedule);
}

TEST(Traits, have_every_place_at_a_rate_once) {
  std::vector<unsigned> places;
  for (const Scheduler& scheduler : all_schedulers())
    if (scheduler.traits.place_at_a_rate > 0) places.push_back(scheduler.traits.place_at_a_rate);
  std::ranges::sort(places);
  std::vector<unsigned> expected(places.size());
  std::iota(expected.begin(), expected.end(), 1U);
  EXPECT_THAT(places, ElementsAreArray(expected));
  ASSERT_EQ(rate_schedulers().all.size(), places.size());
  for (const Scheduler& scheduler : all_schedulers())
    if (const unsigned place = scheduler.traits.place_at_a_rate; place > 0) {
      EXPECT_EQ(rate_schedulers().all[place - 1], scheduler.schedule) << scheduler.name;
    }
}

TEST(Traits, run_on_large_graphs_only_schedulers_of_small_ones) {
  ASSERT_FALSE(rate_schedulers().quick.empty());
  for (const SchedulerFunction quick : rate_schedulers().quick)
    EXPECT_NE(std::ranges::find(rate_schedulers().all, quick), rate_schedulers().all.end());
}

/// A search without starts would have no schedule.
TEST(Traits, provide_every_search_with_starts) {
  const auto& starts = frequency_starts().starts;
  EXPECT_TRUE(
      std::ranges::any_of(starts, [](const FrequencyStart& start) { return !start.least_repetition; }));
  EXPECT_EQ(frequency_starts().on_links.size(), starts.size());
  EXPECT_TRUE(std::ranges::any_of(makespan_starts(),
                                  [](const MakespanStart& start) { return !start.is_for_small_graphs; }));
}

/// `optfo` is never worse than a scheduler that it runs.
TEST(Traits, let_the_frequency_search_run_all_other_schedulers) {
  for (const Scheduler& scheduler : all_schedulers()) {
    const bool is_start = scheduler.traits.frequency_start.schedule != nullptr;
    const auto asked =
        std::ranges::count(frequency_starts().others, scheduler.schedule, &OtherScheduler::schedule);
    EXPECT_EQ(asked + (is_start || scheduler.traits.is_default || scheduler.traits.proves ? 1 : 0), 1)
        << scheduler.name;
  }
}

}  // namespace
}  // namespace takt::schedulers
