/// Tests that the stream which exceeds its costs is distinguished from the disturbed one.

#include "pipeline/streams/disturbances.hpp"

#include <gmock/gmock.h>

namespace takt::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Time ms{std::chrono::milliseconds{1}};

ProcessorUse as_planned(std::size_t processor, double delayed) {
  return {.processor = processor,
          .given = 0.4,
          .used = 0.32,
          .delayed = delayed,
          .planned = 4 * ms,
          .taken = 4 * ms};
}
ProcessorUse over(std::size_t processor) {
  return {
      .processor = processor, .given = 0.4, .used = 0.7, .delayed = 0.1, .planned = 4 * ms, .taken = 8 * ms};
}

TEST(Disturbances, blame_the_stream_over_its_costs_on_the_awaited_processor) {
  const std::vector<StreamUse> streams{
      {"a", false, {as_planned(0, 0.2)}}, {"b", true, {over(0)}}, {"c", true, {over(1)}}};
  const std::vector<Disturbance> found = find_disturbances(streams);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].by, "b");
  EXPECT_EQ(found[0].of, "a");
  EXPECT_THAT(found[0].text, HasSubstr("'b' disturbed 'a': its frames took 8 ms of processor 0, not 4 ms"));
  EXPECT_THAT(slower_than_costs(streams), ElementsAre(HasSubstr("'c' exceeds its measured costs")));
}

TEST(Disturbances, are_none_when_rates_are_held) {
  EXPECT_THAT(find_disturbances({{"a", true, {as_planned(0, 0.3)}}, {"b", true, {over(0)}}}), IsEmpty());
}

TEST(Disturbances, blame_a_stream_that_is_itself_too_slow) {
  const auto found = find_disturbances({{"a", false, {over(0)}}, {"b", true, {as_planned(0, 0)}}});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].by, "a");
  EXPECT_THAT(found[0].text, HasSubstr("'a' is too slow for its share"));
}

TEST(Disturbances, blame_other_processes_when_all_streams_are_as_planned) {
  const auto found = find_disturbances({{"a", false, {as_planned(0, 0.3)}}, {"b", true, {as_planned(0, 0)}}});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].by, "");
  EXPECT_THAT(found[0].text, HasSubstr("other processes used it"));
}

}  // namespace
}  // namespace takt::pipeline
