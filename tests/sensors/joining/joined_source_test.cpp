/// Do frames of several sources come together by their time, whatever each of them does?

#include "sensors/joining/joined_source.hpp"

#include <cmath>
#include <deque>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/error.hpp"

namespace takt::sensors {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The test's time.
std::int64_t virtual_ns = 0;
std::int64_t virtual_clock() {
  return virtual_ns;
}

/// A row lasts a millisecond; row n of every source begins at n ms since 1970.
constexpr std::int64_t row_ns = 1'000'000;

FrameType type_of(std::size_t rows, bool time_is_first = true) {
  FrameType type{.element = ElementType::float32,
                 .axes = {{"time", rows, {}}, {"channel", 2, {}}},
                 .rate_hz = 1e9 / static_cast<double>(row_ns) / static_cast<double>(rows)};
  if (!time_is_first) std::swap(type.axes[0], type.axes[1]);
  return type;
}

/// What row n of a source has in a channel.
float value_of(std::size_t source, std::int64_t row, std::size_t channel) {
  return static_cast<float>(row % 100'000 * 10 + static_cast<std::int64_t>(channel) * 5 +
                            static_cast<std::int64_t>(source));
}

/// Frames that come at moments of the test's time.
class ScriptedSource final : public Source {
 public:
  struct Frame {
    std::int64_t row = 0;
    std::int64_t comes_ns = 0;
    std::uint16_t epoch = 0;
    std::uint64_t sequence = 0;
    /// What its header's clock shows too much.
    std::int64_t utc_error_ns = 0;
  };
  ScriptedSource(std::size_t number, const FrameType& type, std::deque<Frame> script)
      : number_(number), type_(type), script_(std::move(script)), memory_(1, type.size()) {}

  const FrameType& type() const override { return type_; }
  void start() override {}
  SourceState poll(FrameView& view) override {
    EXPECT_FALSE(is_lent_);
    // A queue that drops what comes when it is full.
    for (std::size_t i = depth; i < script_.size() && script_[i].comes_ns <= virtual_ns;)
      script_.erase(script_.begin() + static_cast<std::ptrdiff_t>(i));
    if (stopped_ || (script_.empty() && ends)) return SourceState::ended;
    if (script_.empty() || script_.front().comes_ns > virtual_ns) return SourceState::waiting;
    const Frame frame = script_.front();
    script_.pop_front();
    const FrameRows rows = rows_of(type_);
    const std::span<float> to{reinterpret_cast<float*>(memory_.frame(0).data()), type_.element_count()};
    for (std::size_t row = 0; row < rows.rows; ++row)
      for (std::size_t channel = 0; channel < 2; ++channel)
        to[rows.outer == 1 ? row * 2 + channel : channel * rows.rows + row] =
            value_of(number_, frame.row + static_cast<std::int64_t>(row), channel);
    header_ = {.sequence = frame.sequence,
               .utc_ns = frame.row * row_ns + frame.utc_error_ns,
               .first_sample = static_cast<std::uint64_t>(frame.row),
               .ingested_ns = frame.comes_ns,
               .parts = 4,
               .epoch = frame.epoch};
    view = {&header_, memory_.frame(0)};
    is_lent_ = true;
    return SourceState::frame;
  }
  void release() override { is_lent_ = false; }
  void stop() override { stopped_ = true; }
  SourceCounters counters() const override { return {}; }

  /// Otherwise it is silent behind its last frame.
  bool ends = true;
  std::size_t depth = std::numeric_limits<std::size_t>::max();

 private:
  std::size_t number_;
  FrameType type_;
  std::deque<Frame> script_;
  FrameMemory memory_;
  FrameHeader header_;
  bool is_lent_ = false, stopped_ = false;
};

/// `count` frames of so many rows from a row on, each coming `lag_ns` behind its last row.
std::deque<ScriptedSource::Frame> stream(std::int64_t row, std::size_t rows, std::size_t count,
                                         std::int64_t lag_ns = 0) {
  std::deque<ScriptedSource::Frame> script;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t first = row + static_cast<std::int64_t>(i * rows);
    script.push_back({first, (first + static_cast<std::int64_t>(rows)) * row_ns + lag_ns, 0, i});
  }
  return script;
}

struct Given {
  FrameHeader header;
  std::vector<float> values;
};

/// Sources of one process, polled in turn, as a rank does.
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
  /// Rounds until all have ended, or until the time is over: the frames of each source.
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
  /// What the pipeline works at a frame.
  std::int64_t round_ns = 0;

 private:
  std::size_t rows_;
  SourceGroup group_;
  std::vector<std::unique_ptr<JoinedSource>> sources_;
};

constexpr std::int64_t second = 1'000'000'000;
GroupOptions two(std::int64_t wait_ns) {
  return {.members = 2, .wait_ns = wait_ns, .longest_gap_ns = 10 * second};
}

/// The rows of a source that are there, as the time says where they must be.
std::set<std::int64_t> rows_there(std::size_t source, const std::vector<Given>& frames, std::size_t rows,
                                  std::int64_t origin_ns, bool time_is_first = true) {
  std::set<std::int64_t> there;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const std::uint64_t number = frames[k].header.sequence;
    EXPECT_GE(number, k == 0 ? 0 : frames[k - 1].header.sequence + 1);
    EXPECT_EQ(frames[k].header.utc_ns, origin_ns + static_cast<std::int64_t>(number * rows) * row_ns);
    bool is_missing = false;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::int64_t at = origin_ns / row_ns + static_cast<std::int64_t>(number * rows + row);
      for (std::size_t channel = 0; channel < 2; ++channel) {
        const float value = frames[k].values[time_is_first ? row * 2 + channel : channel * rows + row];
        if (std::isnan(value)) {
          is_missing = true;
          const std::size_t piece = row * std::min<std::size_t>(rows, 64) / rows;
          EXPECT_TRUE(frames[k].header.missing_mask >> piece & 1U);
        } else {
          EXPECT_EQ(value, value_of(source, at, channel)) << "source " << source << " row " << at;
          there.insert(at);
        }
      }
    }
    EXPECT_EQ(frames[k].header.missing_parts > 0, is_missing);
    EXPECT_LE(frames[k].header.missing_parts, frames[k].header.parts);
  }
  return there;
}

std::set<std::int64_t> range(std::int64_t from, std::int64_t to) {
  std::set<std::int64_t> rows;
  for (std::int64_t row = from; row < to; ++row) rows.insert(rows.end(), row);
  return rows;
}

TEST(JoinedSource, begins_where_all_are_there_and_cuts_frames_at_the_same_times) {
  Bench bench(two(second), 10);
  // Frames of the second one begin 13 rows later, and are cut differently.
  bench.add(type_of(10), stream(1000, 10, 8));
  bench.add(type_of(10, false), stream(1013, 10, 8));
  const auto given = bench.run(100 * second);
  ASSERT_TRUE(bench.has_ended);
  EXPECT_EQ(*bench.group().origin(), 1013 * row_ns);
  EXPECT_EQ(given[0].size(), 8);
  EXPECT_EQ(rows_there(0, given[0], 10, 1013 * row_ns), range(1013, 1080));
  EXPECT_EQ(rows_there(1, given[1], 10, 1013 * row_ns, false), range(1013, 1093));
}

TEST(JoinedSource, gathers_the_frames_of_a_faster_one) {
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

TEST(JoinedSource, takes_its_delay_off_the_time) {
  Bench bench(two(second), 10);
  bench.add(type_of(10), stream(100, 10, 4));
  bench.add(type_of(10), stream(107, 10, 4), {.delay_ns = 7 * row_ns});
  const auto given = bench.run(100 * second);
  ASSERT_EQ(given[1].size(), 4);
  EXPECT_EQ(given[0][0].values[0], value_of(0, 100, 0));
  EXPECT_EQ(given[1][0].values[0], value_of(1, 107, 0));
  EXPECT_EQ(given[1][0].header.utc_ns, 100 * row_ns);
}

TEST(JoinedSource, goes_on_without_one_that_never_comes) {
  Bench bench(two(50 * row_ns), 10);
  bench.add(type_of(10), stream(1000, 10, 20));
  ScriptedSource& dead = bench.add(type_of(10), {});
  dead.ends = false;
  const auto given = bench.run(3 * second);
  EXPECT_EQ(rows_there(0, given[0], 10, 1000 * row_ns), range(1000, 1200));
  ASSERT_EQ(given[1].size(), 20);
  EXPECT_THAT(rows_there(1, given[1], 10, 1000 * row_ns), IsEmpty());
  EXPECT_THAT(bench.source(1).warnings(),
              ElementsAre("frames are missing that other sources have: they are flagged and counted"));
}

TEST(JoinedSource, flags_a_stall_and_is_there_again_with_its_first_frame_after_it) {
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

TEST(JoinedSource, waits_for_one_that_lags_but_not_for_one_that_falls_behind) {
  Bench bench(two(30 * row_ns), 10);
  bench.add(type_of(10), stream(0, 10, 100));
  // 25 ms late at first, then 1 ms more with each frame.
  auto script = stream(0, 10, 100, 25 * row_ns);
  for (std::size_t i = 50; i < 100; ++i) script[i].comes_ns += static_cast<std::int64_t>(i - 49) * row_ns;
  bench.add(type_of(10), script);
  const auto given = bench.run(100 * second);
  ASSERT_TRUE(bench.has_ended);
  EXPECT_EQ(rows_there(0, given[0], 10, 0), range(0, 1000));
  const auto there = rows_there(1, given[1], 10, 0);
  EXPECT_TRUE(std::ranges::includes(there, range(0, 540)));
  EXPECT_LT(there.size(), 560);
  EXPECT_THAT(bench.source(1).warnings().at(1),
              HasSubstr("frames came more than 30 ms later than those of other sources"));
}

TEST(JoinedSource, throws_frames_of_a_wrong_clock_away_and_takes_it_back) {
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

/// Rows of a source's frames in an epoch, by the time of their headers.
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
  // Back and forth, by an hour; the second source's frames are seven rows beside the first one's.
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
    // What was thrown away until all had stepped: three frames at most.
    EXPECT_GE(origin, 1000 * row_ns);
    EXPECT_LE(origin, 1030 * row_ns);
    EXPECT_EQ(rows_in_epoch(0, given[0], 0, 7 * row_ns, 0), range(7, 1000));
    EXPECT_EQ(rows_in_epoch(1, given[1], 0, 7 * row_ns, 0), range(7, 1007));
    EXPECT_EQ(rows_in_epoch(0, given[0], 1, origin, error), range(origin / row_ns, 3000));
    EXPECT_EQ(rows_in_epoch(1, given[1], 1, origin, error), range(origin / row_ns, 3007));
  }
}

TEST(JoinedSource, follows_a_clock_that_stepped_when_the_others_are_silent_for_long) {
  Bench bench({.members = 2, .wait_ns = 30 * row_ns, .longest_gap_ns = second}, 10);
  auto script = stream(0, 10, 500);
  for (std::size_t i = 100; i < 500; ++i) script[i].utc_error_ns = 3600 * second, script[i].epoch = 1;
  bench.add(type_of(10), script);
  bench.add(type_of(10), stream(0, 10, 100)).ends = false;
  const auto given = bench.run(20 * second);
  const auto first = std::ranges::find(given[0], 1, [](const Given& frame) { return frame.header.epoch; });
  ASSERT_NE(first, given[0].end());
  // The other one was heard until row 1000; a second later its silence was too long.
  const std::int64_t origin = first->header.utc_ns - 3600 * second;
  EXPECT_THAT(origin / row_ns, testing::AllOf(testing::Ge(1990), testing::Le(2060)));
  EXPECT_EQ(rows_in_epoch(0, given[0], 1, origin, 3600 * second), range(origin / row_ns, 5000));
}

TEST(JoinedSource, begins_with_the_clocks_that_most_agree_on) {
  Bench bench({.members = 3, .wait_ns = second, .longest_gap_ns = 10 * second}, 10);
  bench.add(type_of(10), stream(0, 10, 20));
  auto script = stream(0, 10, 20);
  for (auto& frame : script) frame.utc_error_ns = 100 * second;
  bench.add(type_of(10), script);
  bench.add(type_of(10), stream(3, 10, 20));
  (void)bench.run(100 * second);
  EXPECT_EQ(*bench.group().origin(), 3 * row_ns);
}

TEST(JoinedSource, leaves_out_what_no_source_has) {
  Bench bench(two(30 * row_ns), 10);
  auto script = stream(0, 10, 200);
  script.erase(script.begin() + 50, script.begin() + 150);
  bench.add(type_of(10), script);
  script.erase(script.begin() + 40, script.begin() + 60);
  bench.add(type_of(10), script);
  const auto given = bench.run(100 * second);
  ASSERT_TRUE(bench.has_ended);
  // 40 to 49 and 150 to 159 the first one alone has; 50 to 149 nobody.
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

TEST(JoinedSource, keeps_up_where_the_pipeline_is_too_slow_by_leaving_out_what_was_dropped) {
  Bench bench(two(30 * row_ns), 10);
  for (int source = 0; source < 2; ++source) bench.add(type_of(10), stream(0, 10, 3000)).depth = 8;
  // A frame comes every 10 ms.
  bench.round_ns = 15 * row_ns;
  const auto given = bench.run(1000 * second);
  ASSERT_TRUE(bench.has_ended);
  // Two of three can be worked at, and hardly any time goes into frames that are not there.
  std::size_t whole = 0;
  for (const Given& frame : given[0]) whole += frame.header.missing_parts == 0;
  EXPECT_GT(whole, 1800);
  EXPECT_GT(given[0].back().header.sequence, 2950);
  (void)rows_there(0, given[0], 10, 0);
}

TEST(JoinedSource, ends_without_frames_where_none_come) {
  Bench bench(two(second), 10);
  bench.add(type_of(10), {});
  bench.add(type_of(10), {});
  EXPECT_THAT(bench.run(second), ElementsAre(IsEmpty(), IsEmpty()));
  EXPECT_TRUE(bench.has_ended);
}

/// Several processes, whose rounds go on as frames and news come: each polls its sources in an order of its
/// own, several frames a round, is at most so many rounds ahead of the slowest one (its channels hold no
/// more), and hears of the others late.
class Ranks {
 public:
  Ranks(std::mt19937& random, std::size_t processes, std::size_t members, std::size_t rows,
        std::uint64_t granule, std::int64_t wait_ns, std::size_t decider)
      : random_(random), rows_(rows), granule_(granule), processes_(processes) {
    virtual_ns = 0;
    for (std::size_t p = 0; p < processes; ++p)
      processes_[p].group.emplace(GroupOptions{.members = members,
                                               .frame_ns = static_cast<double>(rows) * row_ns,
                                               .wait_ns = wait_ns,
                                               .longest_gap_ns = 10 * second,
                                               .granule = granule,
                                               .decides = p == decider});
  }
  void add(std::size_t process, std::size_t member, std::size_t own_rows,
           std::deque<ScriptedSource::Frame> script, bool is_live) {
    const FrameType type = type_of(own_rows);
    Process& at = processes_[process];
    at.members.push_back(member);
    at.sources.push_back(std::make_unique<JoinedSource>(
        std::make_unique<ScriptedSource>(member, type, std::move(script)), with_rows(type, rows_), *at.group,
        JoinedOptions{.member = member, .is_live = is_live, .clock = virtual_clock}));
    at.sources.back()->start();
  }
  /// Whether all came to an end.
  bool run(std::int64_t until_ns) {
    for (Process& process : processes_) {
      for (std::uint64_t instance = 0; instance < granule_; ++instance)
        for (std::size_t s = 0; s < process.sources.size(); ++s) process.program.push_back(s);
      std::ranges::shuffle(process.program, random_);
    }
    while (virtual_ns < until_ns) {
      if (std::ranges::all_of(processes_, &Process::is_over)) return true;
      virtual_ns += static_cast<std::int64_t>(random_() % row_ns);
      step(processes_[random_() % processes_.size()]);
    }
    return false;
  }
  std::map<std::size_t, std::vector<Given>> given;

 private:
  struct News {
    std::int64_t comes_ns;
    GroupNews what;
  };
  struct Process {
    std::optional<SourceGroup> group;
    std::vector<std::size_t> members;
    std::vector<std::unique_ptr<JoinedSource>> sources;
    /// Which source each step of a round polls.
    std::vector<std::size_t> program;
    std::size_t at = 0, ended = 0;
    std::uint64_t round = 0;
    bool is_over = false;
    std::vector<News> inbox;
  };
  void step(Process& process) {
    // News may overtake one another between members, never of one.
    std::erase_if(process.inbox, [&](const News& news) {
      if (news.comes_ns > virtual_ns) return false;
      process.group->take(news.what, virtual_ns);
      return true;
    });
    for (auto& source : process.sources) source->advance(virtual_ns);
    tell(process);
    std::uint64_t slowest = process.round;
    for (const Process& other : processes_)
      if (!other.is_over && !other.sources.empty()) slowest = std::min(slowest, other.round);
    if (process.round > slowest + 2) return;
    while (!process.is_over && poll(process)) {
    }
    tell(process);
  }
  bool poll(Process& process) {
    if (process.program.empty()) {
      process.is_over = true;
      return false;
    }
    const std::size_t s = process.program[process.at];
    FrameView view;
    const SourceState state = process.sources[s]->poll(view);
    if (state == SourceState::waiting) return false;
    if (state == SourceState::ended) ++process.ended;
    if (state == SourceState::frame) {
      const std::span<const float> values = view.as<float>();
      given[process.members[s]].push_back({*view.header, {values.begin(), values.end()}});
      process.sources[s]->release();
    }
    if (++process.at < process.program.size()) return true;
    process.at = 0;
    ++process.round;
    EXPECT_TRUE(process.ended == 0 || process.ended == process.program.size());
    process.is_over = process.ended > 0;
    return false;
  }
  void tell(Process& from) {
    for (const GroupNews& news : from.group->take_outgoing())
      for (Process& to : processes_)
        if (&to != &from) {
          const std::int64_t last = to.inbox.empty() ? 0 : to.inbox.back().comes_ns;
          to.inbox.push_back(
              {std::max(last, virtual_ns + static_cast<std::int64_t>(random_() % (3 * row_ns))), news});
        }
  }

  std::mt19937& random_;
  std::size_t rows_;
  std::uint64_t granule_;
  std::vector<Process> processes_;
};

TEST(JoinedSource, gives_every_row_at_its_time_on_any_ranks_and_as_many_frames_as_the_others) {
  std::mt19937 random(7);
  const auto pick = [&](std::size_t from, std::size_t to) { return from + random() % (to - from + 1); };
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(fmt::format("trial {}", trial));
    const std::size_t members = pick(2, 4), processes = pick(1, 3);
    constexpr std::size_t lengths[] = {2, 3, 4, 6, 12};
    // More than the jitter below and what time passes between two looks.
    constexpr std::int64_t wait_ns = 60 * row_ns;
    // One of those that have sources decides.
    const std::size_t decider = random() % processes;
    Ranks ranks(random, processes, members, 12, pick(1, 3), wait_ns, decider);
    std::vector<std::set<std::int64_t>> sent(members);
    std::int64_t latest_first = 0;
    const bool is_live = trial % 2 == 0;
    for (std::size_t member = 0; member < members; ++member) {
      const std::size_t own_rows = lengths[random() % 5];
      const auto first = static_cast<std::int64_t>(1000 + random() % 30);
      auto script = stream(first, own_rows, pick(1, 400 / own_rows));
      const double loss = static_cast<double>(pick(0, 2)) * 0.2;
      std::int64_t last_ns = 0;
      for (auto& frame : script) {
        last_ns = frame.comes_ns =
            std::max(last_ns, frame.comes_ns + static_cast<std::int64_t>(random() % (5 * row_ns)));
      }
      // The first one stays, so that the origin is known.
      for (std::size_t i = script.size() - 1; i > 0; --i)
        if (static_cast<double>(random() % 1000) < 1000 * loss)
          script.erase(script.begin() + static_cast<std::ptrdiff_t>(i));
      for (const auto& frame : script)
        for (std::size_t row = 0; row < own_rows; ++row)
          sent[member].insert(frame.row + static_cast<std::int64_t>(row));
      latest_first = std::max(latest_first, first);
      ranks.add(member == 0 ? decider : random() % processes, member, own_rows, script, is_live);
    }
    ASSERT_TRUE(ranks.run(100 * second));
    std::int64_t last = 0;
    for (std::size_t member = 0; member < members; ++member) {
      ASSERT_EQ(ranks.given[member].size(), ranks.given[0].size());
      for (std::size_t k = 0; k < ranks.given[member].size(); ++k)
        ASSERT_EQ(ranks.given[member][k].header.sequence, ranks.given[0][k].header.sequence);
      std::set<std::int64_t> expected;
      for (const std::int64_t row : sent[member])
        if (row >= latest_first) expected.insert(row);
      if (!expected.empty()) last = std::max(last, *expected.rbegin());
      EXPECT_EQ(rows_there(member, ranks.given[member], 12, latest_first * row_ns), expected);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(JoinedSource, steps_of_all_clocks_are_the_same_epochs_on_any_ranks) {
  std::mt19937 random(17);
  const auto pick = [&](std::size_t from, std::size_t to) { return from + random() % (to - from + 1); };
  for (int trial = 0; trial < 100; ++trial) {
    SCOPED_TRACE(fmt::format("trial {}", trial));
    const std::size_t members = pick(2, 4), processes = pick(1, 3), decider = random() % processes;
    Ranks ranks(random, processes, members, 12, pick(1, 3), 60 * row_ns, decider);
    const std::size_t steps = pick(1, 3);
    for (std::size_t member = 0; member < members; ++member) {
      constexpr std::size_t lengths[] = {2, 3, 4, 6, 12};
      const std::size_t own_rows = lengths[random() % 5];
      auto script = stream(static_cast<std::int64_t>(1000 + random() % 30), own_rows, 2000 / own_rows);
      // Every 480 rows, all at one time, back and forth by an hour.
      for (auto& frame : script) {
        const std::size_t step =
            std::min<std::size_t>(static_cast<std::size_t>(frame.row - 1000) / 480, steps);
        frame.epoch = static_cast<std::uint16_t>(step);
        frame.utc_error_ns = step % 2 == 1 ? 3600 * second : 0;
      }
      ranks.add(member == 0 ? decider : random() % processes, member, own_rows, script, true);
    }
    ASSERT_TRUE(ranks.run(100 * second));
    for (std::size_t member = 0; member < members; ++member) {
      const std::vector<Given>& given = ranks.given[member];
      ASSERT_EQ(given.size(), ranks.given[0].size());
      std::size_t there = 0;
      for (std::size_t k = 0; k < given.size(); ++k) {
        const FrameHeader& header = given[k].header;
        ASSERT_EQ(header.epoch, ranks.given[0][k].header.epoch);
        ASSERT_EQ(header.sequence, ranks.given[0][k].header.sequence);
        // Whatever is there is at its time.
        const std::int64_t error = header.epoch % 2 == 1 ? 3600 * second : 0;
        for (std::int64_t row = 0; row < 12; ++row) {
          const float value = given[k].values[static_cast<std::size_t>(row) * 2];
          if (std::isnan(value)) continue;
          ++there;
          ASSERT_EQ(value, value_of(member, (header.utc_ns - error) / row_ns + row, 0));
        }
      }
      EXPECT_EQ(given.back().header.epoch, steps);
      // Of 2000 rows few are lost with each step, and what lies before the common beginning.
      EXPECT_GT(there, 1900 - 90 * steps);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(FrameSplicer, keeps_flags_with_their_rows) {
  const FrameType type{.element = ElementType::complex_int8,
                       .axes = {{"packet", 4, {}}, {"beamlet", 2, {}}},
                       .rate_hz = 100,
                       .parts = {4, 2}};
  const FrameType cut = with_rows(type, 6);
  EXPECT_EQ(cut.parts, (std::vector<std::size_t>{6, 2}));
  FrameSplicer splicer(type, cut);
  std::vector<std::byte> in(type.size().count, std::byte{7}), out(cut.size().count, std::byte{9});
  // The second lane of packet 3 is missing.
  std::fill(in.begin() + 16, in.end(), std::byte{0});
  in[16 + 3 * 2 + 1] = std::byte{1};
  const FrameHeader header{.parts = 8, .missing_parts = 1};
  FrameHeader made;
  splicer.begin({&made, out});
  splicer.skip(1);
  splicer.copy({&header, in}, 2, 2);
  splicer.copy({&header, in}, 0, 3);
  splicer.end();
  const auto flags = std::span(out).subspan(24);
  std::vector<int> numbers;
  for (const std::byte flag : flags) numbers.push_back(static_cast<int>(flag));
  EXPECT_THAT(numbers, ElementsAre(1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(out[0], std::byte{0});
  EXPECT_EQ(out[4], std::byte{7});
  EXPECT_EQ(made.parts, 12);
  // A row, and of five rows of two frames an eighth at most of a quarter each: rounded up.
  EXPECT_EQ(made.missing_parts, 4);
}

TEST(FrameSplicer, refuses_what_has_no_time_to_gather_along) {
  FrameType type{.element = ElementType::float32, .axes = {{"channel", 8, {}}}, .rate_hz = 10};
  EXPECT_EQ(with_rows(type, 1), type);
  EXPECT_THROW((void)with_rows(type, 2), ConfigError);
  type = {.element = ElementType::int16, .axes = {{"time", 8, {}}}, .rate_hz = 10, .parts = {4}};
  EXPECT_THROW((void)with_rows(type, 16), ConfigError);
}

}  // namespace
}  // namespace takt::sensors
