/// Tests that sources on several ranks agree on frames and epochs, for any order of execution and message
/// delays.

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "tests/sensors/joining/scripted_source.hpp"

namespace takt::sensors::joining {
namespace joining_joined_ranks_test {

/// Several processes whose iterations advance with frames and messages. Each polls its sources in the order
/// of a schedule, several frames per iteration. It may have to wait for an earlier step of another process,
/// and releases frames at the end of the iteration. It is a limited number of iterations ahead of the slowest
/// process (the capacity of its channels), and receives messages late.
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
           std::deque<ScriptedSource::Frame> script, bool is_live,
           std::size_t depth = std::numeric_limits<std::size_t>::max()) {
    const FrameType type = type_of(own_rows);
    Process& at = processes_[process];
    at.members.push_back(member);
    auto source = std::make_unique<ScriptedSource>(member, type, std::move(script));
    source->depth = depth;
    at.sources.push_back(std::make_unique<JoinedSource>(
        std::move(source), with_rows(type, rows_), *at.group,
        JoinedOptions{.member = member, .is_live = is_live, .clock = virtual_clock}));
    at.sources.back()->start();
  }
  /// Returns whether all streams ended.
  bool run(std::int64_t until_ns) {
    make_programs();
    while (virtual_ns < until_ns) {
      if (std::ranges::all_of(processes_, &Process::is_over)) return true;
      virtual_ns += static_cast<std::int64_t>(random_() % row_ns);
      step(processes_[random_() % processes_.size()]);
    }
    return false;
  }
  std::map<std::size_t, std::vector<Given>> given;
  /// Largest uninterrupted work of a process in an iteration.
  std::int64_t most_work_ns = 0;

 private:
  struct News {
    std::int64_t arrival_ns;
    GroupMessage what;
  };
  struct Step {
    std::size_t source;
    /// The step of a process that must come first in the same iteration: it sends an awaited message.
    std::optional<std::pair<std::size_t, std::size_t>> behind = {};
  };
  struct Process {
    std::optional<SourceGroup> group;
    std::vector<std::size_t> members;
    std::vector<std::unique_ptr<JoinedSource>> sources;
    /// The source polled by each step of an iteration.
    std::vector<Step> program;
    std::size_t at = 0;
    /// By source: frames delivered in this iteration, and requests without a frame.
    std::vector<std::size_t> lent, ended;
    std::uint64_t round = 0;
    bool is_over = false;
    std::int64_t works_until_ns = 0;
    std::vector<News> inbox;
  };
  void make_programs() {
    std::vector<std::pair<std::size_t, std::size_t>> order;
    for (std::size_t p = 0; p < processes_.size(); ++p) {
      const std::size_t sources = processes_[p].sources.size();
      processes_[p].lent.resize(sources);
      processes_[p].ended.resize(sources);
      for (std::size_t s = 0; s < sources; ++s) order.insert(order.end(), granule_, {p, s});
    }
    std::ranges::shuffle(order, random_);
    std::vector<std::pair<std::size_t, std::size_t>> steps;
    for (const auto& [p, source] : order) {
      std::vector<Step>& program = processes_[p].program;
      Step step{.source = source};
      if (!steps.empty() && random_() % 2 == 0) step.behind = steps[random_() % steps.size()];
      steps.emplace_back(p, program.size());
      program.push_back(step);
    }
  }
  [[nodiscard]] bool is_done(const std::pair<std::size_t, std::size_t>& step, std::uint64_t round) const {
    const Process& process = processes_[step.first];
    return process.is_over || process.round > round || (process.round == round && process.at > step.second);
  }
  void step(Process& process) {
    if (virtual_ns < process.works_until_ns) return;
    // Messages of different members may overtake one another, those of one member not.
    std::erase_if(process.inbox, [&](const News& news) {
      if (news.arrival_ns > virtual_ns) return false;
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
    const auto& [s, behind] = process.program[process.at];
    if (behind && !is_done(*behind, process.round)) return false;
    FrameView view;
    const SourceState state = process.sources[s]->poll(view);
    if (state == SourceState::waiting) return false;
    if (state == SourceState::ended) ++process.ended[s];
    if (state == SourceState::frame) {
      EXPECT_EQ(process.ended[s], 0U);
      const std::span<const float> values = view.as<float>();
      given[process.members[s]].push_back({*view.header, {values.begin(), values.end()}});
      ++process.lent[s];
    }
    if (++process.at < process.program.size()) return true;
    process.at = 0;
    ++process.round;
    for (std::size_t source = 0; source < process.sources.size(); ++source)
      for (; process.lent[source] > 0; --process.lent[source]) process.sources[source]->release();
    if (most_work_ns > 0)
      process.works_until_ns =
          virtual_ns + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most_work_ns));
    // All at the same frame, which may be any of the iteration.
    for (const std::size_t ended : process.ended) EXPECT_EQ(ended, process.ended.front());
    process.is_over = process.ended.front() > 0;
    return false;
  }
  void tell(Process& from) {
    for (const GroupMessage& news : from.group->take_outgoing())
      for (Process& to : processes_)
        if (&to != &from) {
          const std::int64_t last = to.inbox.empty() ? 0 : to.inbox.back().arrival_ns;
          to.inbox.push_back(
              {std::max(last, virtual_ns + static_cast<std::int64_t>(random_() % (3 * row_ns))), news});
        }
  }

  std::mt19937& random_;
  std::size_t rows_;
  std::uint64_t granule_;
  std::vector<Process> processes_;
};

/// Reports whether each frame has data of at least one source.
bool all_have_something(const std::map<std::size_t, std::vector<Given>>& given) {
  for (std::size_t k = 0; k < given.at(0).size(); ++k)
    if (!std::ranges::any_of(given, [&](const auto& of_member) {
          return !std::ranges::all_of(of_member.second[k].values,
                                      [](float value) { return std::isnan(value); });
        }))
      return false;
  return true;
}

TEST(JoinedSource, delivers_every_row_at_its_time_and_equal_frame_counts_on_any_ranks) {
  std::mt19937 random(7);
  const auto pick = [&](std::size_t from, std::size_t to) { return from + random() % (to - from + 1); };
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(fmt::format("trial {}", trial));
    const std::size_t members = pick(2, 4), processes = pick(1, 3);
    constexpr std::size_t lengths[] = {2, 3, 4, 6, 12};
    // More than the jitter below and the time between two polls.
    constexpr std::int64_t wait_ns = 60 * row_ns;
    // One of the processes with sources decides.
    const std::size_t decider = random() % processes;
    Ranks ranks(random, processes, members, 12, pick(1, 5), wait_ns, decider);
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
        last_ns = frame.arrival_ns =
            std::max(last_ns, frame.arrival_ns + static_cast<std::int64_t>(random() % (5 * row_ns)));
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
    EXPECT_TRUE(all_have_something(ranks.given));
    if (::testing::Test::HasFailure()) return;
  }
}

/// Ranks that sometimes keep up and sometimes do not, while their sources drop frames without space: a
/// member's answer may be outdated before another one has answered.
TEST(JoinedSource, continues_for_any_order_of_answers_of_slow_ranks) {
  std::mt19937 random(27);
  const auto pick = [&](std::size_t from, std::size_t to) { return from + random() % (to - from + 1); };
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(fmt::format("trial {}", trial));
    const std::size_t members = pick(2, 3), processes = pick(2, 3);
    Ranks ranks(random, processes, members, 12, pick(1, 4), static_cast<std::int64_t>(pick(1, 40)) * row_ns,
                0);
    ranks.most_work_ns = static_cast<std::int64_t>(pick(12, 80)) * row_ns;
    for (std::size_t member = 0; member < members; ++member) {
      constexpr std::size_t lengths[] = {3, 6, 12, 24};
      const std::size_t own_rows = lengths[random() % 4];
      ranks.add(member % processes, member, own_rows,
                stream(static_cast<std::int64_t>(1000 + random() % 30), own_rows, 3000 / own_rows), true,
                pick(1, 8));
    }
    ASSERT_TRUE(ranks.run(100 * second));
    ASSERT_FALSE(ranks.given[0].empty());
    const FrameHeader& first = ranks.given[0].front().header;
    const std::int64_t origin_ns = first.utc_ns - static_cast<std::int64_t>(first.sequence * 12) * row_ns;
    for (std::size_t member = 0; member < members; ++member) {
      ASSERT_EQ(ranks.given[member].size(), ranks.given[0].size());
      for (std::size_t k = 0; k < ranks.given[member].size(); ++k)
        ASSERT_EQ(ranks.given[member][k].header.sequence, ranks.given[0][k].header.sequence);
      (void)rows_there(member, ranks.given[member], 12, origin_ns);
    }
    // The streams' last frames are included.
    EXPECT_GT(ranks.given[0].back().header.sequence, 230U);
    EXPECT_TRUE(all_have_something(ranks.given));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(JoinedSource, steps_of_all_clocks_are_the_same_epochs_on_any_ranks) {
  std::mt19937 random(17);
  const auto pick = [&](std::size_t from, std::size_t to) { return from + random() % (to - from + 1); };
  for (int trial = 0; trial < 100; ++trial) {
    SCOPED_TRACE(fmt::format("trial {}", trial));
    const std::size_t members = pick(2, 4), processes = pick(1, 3), decider = random() % processes;
    Ranks ranks(random, processes, members, 12, pick(1, 5), 60 * row_ns, decider);
    const std::size_t steps = pick(1, 3);
    for (std::size_t member = 0; member < members; ++member) {
      constexpr std::size_t lengths[] = {2, 3, 4, 6, 12};
      const std::size_t own_rows = lengths[random() % 5];
      auto script = stream(static_cast<std::int64_t>(1000 + random() % 30), own_rows, 2000 / own_rows);
      // Every 480 rows, all clocks simultaneously, back and forth by an hour.
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
        // All data are at their times.
        const std::int64_t error = header.epoch % 2 == 1 ? 3600 * second : 0;
        for (std::int64_t row = 0; row < 12; ++row) {
          const float value = given[k].values[static_cast<std::size_t>(row) * 2];
          if (std::isnan(value)) continue;
          ++there;
          ASSERT_EQ(value, value_of(member, (header.utc_ns - error) / row_ns + row, 0));
        }
      }
      EXPECT_EQ(given.back().header.epoch, steps);
      // Of 2000 rows few are lost with each step, and those before the common beginning.
      EXPECT_GT(there, 1900 - 90 * steps);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace joining_joined_ranks_test
}  // namespace takt::sensors::joining
