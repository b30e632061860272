/// Tests that frames of several sources match by time, for any behaviour of the sources.

#include "sensors/joining/joined_source.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/error.hpp"
#include "tests/sensors/joining/scripted_source.hpp"

namespace takt::sensors::joining {
namespace joining_joined_source_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Sources of one process, polled in turn as by a rank.
class Bench {
 public:
  explicit Bench(GroupOptions options, std::size_t rows)
      : rows_(rows), group_((options.frame_ns = static_cast<double>(rows) * row_ns, options)) {
    virtual_ns = 0;
  }
  ScriptedSource& add(const FrameType& type, std::deque<ScriptedSource::Frame> script,
                      JoinedOptions options = {}) {
    options.member = sources_.size();
    options.clock = virtual_clock;
    auto source = std::make_unique<ScriptedSource>(options.member, type, std::move(script));
    ScriptedSource& scripted = *source;
    sources_.push_back(
        std::make_unique<JoinedSource>(std::move(source), with_rows(type, rows_), group_, options));
    sources_.back()->start();
    return scripted;
  }
  /// Iterates until all have ended, or the time is over; returns the frames of each source.
  std::vector<std::vector<Given>> run(std::int64_t until_ns, std::int64_t step_ns = row_ns / 4) {
    std::vector<std::vector<Given>> given(sources_.size());
    std::size_t ended = 0;
    while (ended < sources_.size()) {
      for (std::size_t i = 0; i < sources_.size(); ++i) {
        FrameView view;
        SourceState state = sources_[i]->poll(view);
        while (state == SourceState::waiting) {
          virtual_ns += step_ns;
          if (virtual_ns > until_ns) return given;
          for (auto& source : sources_) source->advance(virtual_ns);
          state = sources_[i]->poll(view);
        }
        if (state == SourceState::ended) {
          ++ended;
          continue;
        }
        const std::span<const float> values = view.as<float>();
        given[i].push_back({*view.header, {values.begin(), values.end()}});
        sources_[i]->release();
      }
      EXPECT_TRUE(ended == 0 || ended == sources_.size());
      virtual_ns += round_ns;
    }
    has_ended = true;
    return given;
  }
  JoinedSource& source(std::size_t i) { return *sources_[i]; }
  SourceGroup& group() { return group_; }
  bool has_ended = false;
  /// The pipeline's work per frame.
  std::int64_t round_ns = 0;

 private:
  std::size_t rows_;
  SourceGroup group_;
  std::vector<std::unique_ptr<JoinedSource>> sources_;
};

GroupOptions two(std::int64_t wait_ns) {
  return {.members = 2, .wait_ns = wait_ns, .longest_gap_ns = 10 * second};
}

std::set<std::int64_t> range(std::int64_t from, std::int64_t to) {
  std::set<std::int64_t> rows;
  for (std::int64_t row = from; row < to; ++row) rows.insert(rows.end(), row);
  return rows;
}

TEST(JoinedSource, begins_when_all_have_data_and_splits_frames_at_common_times) {
  Bench bench(two(second), 10);
  // Frames of the second one begin 13 rows later, with other boundaries.
  bench.add(type_of(10), stream(1000, 10, 8));
  bench.add(type_of(10, false), stream(1013, 10, 8));
  const auto given = bench.run(100 * second);
  ASSERT_TRUE(bench.has_ended);
  EXPECT_EQ(*bench.group().origin(), 1013 * row_ns);
  EXPECT_EQ(given[0].size(), 8);
  EXPECT_EQ(rows_there(0, given[0], 10, 1013 * row_ns), range(1013, 1080));
  EXPECT_EQ(rows_there(1, given[1], 10, 1013 * row_ns, false), range(1013, 1093));
}

TEST(JoinedSource, combines_frames_of_a_faster_source) {
  Bench bench({.members = 3, .wait_ns = second, .longest_gap_ns = 10 * second}, 12);
  bench.add(type_of(12), stream(0, 12, 5));
  bench.add(type_of(4), stream(0, 4, 15));
  bench.add(type_of(5), stream(0, 5, 12));
  const auto given = bench.run(100 * second);
  ASSERT_TRUE(bench.has_ended);
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(given[i].size(), 5);
    EXPECT_EQ(rows_there(i, given[i], 12, 0), range(0, 60));
  }
  EXPECT_EQ(given[1][0].header.parts, 12);
}

TEST(JoinedSource, subtracts_its_delay_from_the_time) {
  Bench bench(two(second), 10);
  bench.add(type_of(10), stream(100, 10, 4));
  bench.add(type_of(10), stream(107, 10, 4), {.delay_ns = 7 * row_ns});
  const auto given = bench.run(100 * second);
  ASSERT_EQ(given[1].size(), 4);
  EXPECT_EQ(given[0][0].values[0], value_of(0, 100, 0));
  EXPECT_EQ(given[1][0].values[0], value_of(1, 107, 0));
  EXPECT_EQ(given[1][0].header.utc_ns, 100 * row_ns);
}

TEST(JoinedSource, continues_without_a_source_that_never_sends) {
  Bench bench(two(50 * row_ns), 10);
  bench.add(type_of(10), stream(1000, 10, 20));
  ScriptedSource& dead = bench.add(type_of(10), {});
  dead.ends = false;
  const auto given = bench.run(3 * second);
  EXPECT_EQ(rows_there(0, given[0], 10, 1000 * row_ns), range(1000, 1200));
  ASSERT_EQ(given[1].size(), 20);
  EXPECT_THAT(rows_there(1, given[1], 10, 1000 * row_ns), IsEmpty());
  EXPECT_THAT(bench.source(1).warnings(),
              ElementsAre("frames are missing, but other sources have them: they are flagged and counted"));
}

TEST(JoinedSource, flags_a_stall_and_resumes_with_the_next_frame) {
  Bench bench(two(30 * row_ns), 10);
  bench.add(type_of(10), stream(0, 10, 200));
  auto script = stream(0, 10, 200);
  script.erase(script.begin() + 50, script.begin() + 120);
  bench.add(type_of(10), script);
  const auto given = bench.run(100 * second);
  ASSERT_TRUE(bench.has_ended);
  EXPECT_EQ(rows_there(0, given[0], 10, 0), range(0, 2000));
  std::set<std::int64_t> heard = range(0, 500);
  heard.merge(range(1200, 2000));
  EXPECT_EQ(rows_there(1, given[1], 10, 0), heard);
}

TEST(JoinedSource, waits_for_a_constant_lag_but_not_for_a_growing_one) {
  Bench bench(two(30 * row_ns), 10);
  bench.add(type_of(10), stream(0, 10, 100));
  // 25 ms late at first, then 1 ms more with each frame.
  auto script = stream(0, 10, 100, 25 * row_ns);
  for (std::size_t i = 50; i < 100; ++i) script[i].arrival_ns += static_cast<std::int64_t>(i - 49) * row_ns;
  bench.add(type_of(10), script);
  const auto given = bench.run(100 * second);
  ASSERT_TRUE(bench.has_ended);
  EXPECT_EQ(rows_there(0, given[0], 10, 0), range(0, 1000));
  const auto there = rows_there(1, given[1], 10, 0);
  EXPECT_TRUE(std::ranges::includes(there, range(0, 540)));
  EXPECT_LT(there.size(), 560);
  EXPECT_THAT(bench.source(1).warnings().at(1),
              HasSubstr("frames arrived more than 30 ms later than those of other sources"));
}

TEST(JoinedSource, discards_frames_of_a_wrong_clock_until_it_is_right) {
  Bench bench(two(30 * row_ns), 10);
  bench.add(type_of(10), stream(0, 10, 100));
  auto script = stream(0, 10, 100);
  for (std::size_t i = 40; i < 60; ++i) {
    script[i].epoch = 1;
    script[i].utc_error_ns = (i < 50 ? 1 : -1) * 3600 * second;
  }
  for (std::size_t i = 60; i < 100; ++i) script[i].epoch = 2;
  bench.add(type_of(10), script);
  const auto given = bench.run(100 * second);
  ASSERT_TRUE(bench.has_ended);
  std::set<std::int64_t> heard = range(0, 400);
  heard.merge(range(600, 1000));
  EXPECT_EQ(rows_there(1, given[1], 10, 0), heard);
  EXPECT_THAT(bench.source(1).warnings().at(1),
              HasSubstr("its clock was further than 10 s from the time of the run"));
}

/// Returns the rows of a source's frames in an epoch, by the time of their headers.
std::set<std::int64_t> rows_in_epoch(std::size_t source, const std::vector<Given>& given, std::uint16_t epoch,
                                     std::int64_t origin_ns, std::int64_t error_ns) {
  std::vector<Given> of_epoch;
  for (Given frame : given) {
    if (frame.header.epoch != epoch) continue;
    frame.header.utc_ns -= error_ns;
    of_epoch.push_back(frame);
  }
  return rows_there(source, of_epoch, 10, origin_ns);
}

TEST(JoinedSource, a_step_of_all_clocks_is_a_new_epoch_of_all) {
  // Back and forth, by an hour; the second source's frames are offset by seven rows from the first one's.
  for (const std::int64_t error : {3600 * second, -3600 * second}) {
    Bench bench(two(30 * row_ns), 10);
    for (std::size_t source = 0; source < 2; ++source) {
      auto script = stream(static_cast<std::int64_t>(7 * source), 10, 300);
      for (std::size_t i = 100; i < 300; ++i) script[i].utc_error_ns = error, script[i].epoch = 1;
      bench.add(type_of(10), script);
    }
    const auto given = bench.run(100 * second);
    ASSERT_TRUE(bench.has_ended);
    ASSERT_EQ(given[0].size(), given[1].size());
    std::int64_t origin = 0;
    for (std::size_t k = 0; k < given[0].size(); ++k) {
      ASSERT_EQ(given[0][k].header.epoch, given[1][k].header.epoch);
      ASSERT_EQ(given[0][k].header.sequence, given[1][k].header.sequence);
      if (given[0][k].header.epoch == 1 && given[0][k].header.sequence == 0)
        origin = given[0][k].header.utc_ns - error;
    }
    EXPECT_EQ(given[0].back().header.epoch, 1);
    // Rows discarded until all had stepped: three frames at most.
    EXPECT_GE(origin, 1000 * row_ns);
    EXPECT_LE(origin, 1030 * row_ns);
    EXPECT_EQ(rows_in_epoch(0, given[0], 0, 7 * row_ns, 0), range(7, 1000));
    EXPECT_EQ(rows_in_epoch(1, given[1], 0, 7 * row_ns, 0), range(7, 1007));
    EXPECT_EQ(rows_in_epoch(0, given[0], 1, origin, error), range(origin / row_ns, 3000));
    EXPECT_EQ(rows_in_epoch(1, given[1], 1, origin, error), range(origin / row_ns, 3007));
  }
}

TEST(JoinedSource, follows_a_stepped_clock_after_a_long_silence_of_the_others) {
  Bench bench({.members = 2, .wait_ns = 30 * row_ns, .longest_gap_ns = second}, 10);
  auto script = stream(0, 10, 500);
  for (std::size_t i = 100; i < 500; ++i) script[i].utc_error_ns = 3600 * second, script[i].epoch = 1;
  bench.add(type_of(10), script);
  bench.add(type_of(10), stream(0, 10, 100)).ends = false;
  const auto given = bench.run(20 * second);
  const auto first = std::ranges::find(given[0], 1, [](const Given& frame) { return frame.header.epoch; });
  ASSERT_NE(first, given[0].end());
  // The other one sent until row 1000; a second later its silence was too long.
  const std::int64_t origin = first->header.utc_ns - 3600 * second;
  EXPECT_THAT(origin / row_ns, testing::AllOf(testing::Ge(1990), testing::Le(2060)));
  EXPECT_EQ(rows_in_epoch(0, given[0], 1, origin, 3600 * second), range(origin / row_ns, 5000));
}

TEST(JoinedSource, begins_with_the_majority_of_the_clocks) {
  Bench bench({.members = 3, .wait_ns = second, .longest_gap_ns = 10 * second}, 10);
  bench.add(type_of(10), stream(0, 10, 20));
  auto script = stream(0, 10, 20);
  for (auto& frame : script) frame.utc_error_ns = 100 * second;
  bench.add(type_of(10), script);
  bench.add(type_of(10), stream(3, 10, 20));
  (void)bench.run(100 * second);
  EXPECT_EQ(*bench.group().origin(), 3 * row_ns);
}

TEST(JoinedSource, omits_frames_without_any_data) {
  Bench bench(two(30 * row_ns), 10);
  auto script = stream(0, 10, 200);
  script.erase(script.begin() + 50, script.begin() + 150);
  bench.add(type_of(10), script);
  script.erase(script.begin() + 40, script.begin() + 60);
  bench.add(type_of(10), script);
  const auto given = bench.run(100 * second);
  ASSERT_TRUE(bench.has_ended);
  // 40 to 49 and 150 to 159 are only in the first one; 50 to 149 in none.
  ASSERT_EQ(given[0].size(), 100);
  EXPECT_EQ(given[0][49].header.sequence, 49);
  EXPECT_EQ(given[0][50].header.sequence, 150);
  std::set<std::int64_t> there = range(0, 500);
  there.merge(range(1500, 2000));
  EXPECT_EQ(rows_there(0, given[0], 10, 0), there);
  there = range(0, 400);
  there.merge(range(1600, 2000));
  EXPECT_EQ(rows_there(1, given[1], 10, 0), there);
}

TEST(JoinedSource, omits_dropped_frames_if_the_pipeline_is_too_slow) {
  Bench bench(two(30 * row_ns), 10);
  for (int source = 0; source < 2; ++source) bench.add(type_of(10), stream(0, 10, 3000)).depth = 8;
  // A frame arrives every 10 ms.
  bench.round_ns = 15 * row_ns;
  const auto given = bench.run(1000 * second);
  ASSERT_TRUE(bench.has_ended);
  // Two of three can be processed, and little time is spent on missing frames.
  std::size_t whole = 0;
  for (const Given& frame : given[0]) whole += frame.header.missing_parts == 0;
  EXPECT_GT(whole, 1800);
  EXPECT_GT(given[0].back().header.sequence, 2950);
  (void)rows_there(0, given[0], 10, 0);
}

TEST(JoinedSource, ends_without_frames_if_none_arrive) {
  Bench bench(two(second), 10);
  bench.add(type_of(10), {});
  bench.add(type_of(10), {});
  EXPECT_THAT(bench.run(second), ElementsAre(IsEmpty(), IsEmpty()));
  EXPECT_TRUE(bench.has_ended);
}

}  // namespace joining_joined_source_test
}  // namespace takt::sensors::joining
