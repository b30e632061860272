#include "pipeline/tasking/graph.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace takt::tasking {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(TaskGraph, UnitsOfOneWorkerRunInTheOrderInWhichTheyBecomeReady) {
  // Figure 4.1 of the SCHEDULE guide: A after B and C, B after D, D and E; the leaves in the order of `add`.
  Pool pool;
  Graph graph;
  std::string order;
  std::vector<Graph::Unit> unit;
  for (const char name : {'A', 'B', 'C', 'D', 'd', 'E'})
    unit.push_back(graph.add([&order, name] { order += name; }));
  for (const auto& [before, after] : {std::pair{1, 0}, {2, 0}, {3, 1}, {4, 1}, {5, 1}})
    graph.precede(unit[static_cast<std::size_t>(before)], unit[static_cast<std::size_t>(after)]);
  pool.run([&] { graph.run(); });
  EXPECT_EQ(order, "CDdEBA");
  EXPECT_THAT(graph.order(), ElementsAre(2, 3, 4, 5, 1, 0));
  pool.run([&] { graph.run(); });
  EXPECT_EQ(order, "CDdEBACDdEBA");
}

TEST(TaskGraph, AUnitStartsAfterTheDescendantsOfThoseBefore) {
  for (const int workers : {1, 2, 4}) {
    Pool pool({.workers = workers});
    Graph graph;
    std::atomic<int> done{0};
    int seen = 0;
    const auto first = graph.add([&] {
      for (int i = 0; i < 10; ++i)
        spawn([&] {
          for (int k = 0; k < 10; ++k) spawn([&] { ++done; });
        });
    });
    graph.precede(first, graph.add([&] { seen = done; }));
    pool.run([&] { graph.run(); });
    EXPECT_EQ(seen, 100);
  }
}

TEST(TaskGraph, AUnitMayRunAgain) {
  Pool pool;
  Graph graph;
  std::string order;
  graph.add([&] {
    order += 'a';
    if (order.size() < 40) run_again();
  });
  graph.precede(0, graph.add([&] { order += 'b'; }));
  pool.run([&] { graph.run(); });
  EXPECT_EQ(order, std::string(40, 'a') + 'b');
  EXPECT_THAT(graph.order(), ElementsAre(0, 1));
}

TEST(TaskGraph, APriorityChangesWhileTheGraphRuns) {
  Pool pool;
  Graph graph;
  std::string order;
  for (const char name : {'0', '1', '2', '3', '4', '5', '6', '7'})
    graph.add([&order, name] { order += name; });
  graph.precede(1, 6);
  graph.precede(1, 7);
  // Unit 5 is ready, and unit 7 is not.
  bool is_first = true;
  const auto change = graph.add([&] {
    EXPECT_EQ(graph.set_priority(5, 3), is_first) << "it has ended in the second run";
    EXPECT_TRUE(graph.set_priority(7, 2));
    EXPECT_FALSE(graph.set_priority(0, 9)) << "it has ended";
    order += 'c';
  });
  graph.precede(0, change);
  graph.set_priority(change, 1);
  pool.run([&] { graph.run(); });
  EXPECT_EQ(order, "0c5172346");
  // The priorities count in later runs.
  order.clear();
  is_first = false;
  graph.set_priority(0, 0);
  pool.run([&] { graph.run(); });
  EXPECT_EQ(order, "50c172346");
  EXPECT_THROW(graph.set_priority(9, 0), std::out_of_range);
  EXPECT_THROW(graph.set_priority(0, 200), std::invalid_argument);
}

TEST(TaskGraph, ACircleIsRefusedBeforeAnythingRuns) {
  Pool pool;
  Graph graph;
  bool has_run = false;
  for (int i = 0; i < 4; ++i) graph.add([&] { has_run = true; });
  graph.precede(0, 1);
  graph.precede(1, 2);
  graph.precede(2, 1);
  EXPECT_THAT([&] { pool.run([&] { graph.run(); }); },
              ThrowsMessage<std::invalid_argument>(HasSubstr(": 1 (waits for 2) 2 (waits for 1)")));
  EXPECT_FALSE(has_run);
  EXPECT_THROW(graph.precede(0, 4), std::out_of_range);
}

TEST(TaskGraph, UnitsAfterOneThatHasFailedAreLeftOut) {
  for (const int workers : {1, 3}) {
    Pool pool({.workers = workers});
    Graph graph;
    std::atomic<int> ran{0};
    const auto failing = graph.add([] { throw std::runtime_error("unit"); });
    const auto skipped = graph.add([&] { ran += 100; });
    const auto last = graph.add([&] { ran += 100; });
    graph.add([&] { ran += 1; });
    graph.precede(failing, skipped);
    graph.precede(skipped, last);
    EXPECT_THAT([&] { pool.run([&] { graph.run(); }); }, ThrowsMessage<std::runtime_error>("unit"));
    EXPECT_EQ(ran, 1);
  }
}

TEST(TaskGraph, DependenciesFollowFromReadsAndWrites) {
  Pool pool({.workers = 4});
  Graph graph;
  std::vector<int> data(100);
  int sum = 0, maximum = 0;
  graph.add([&] { data.assign(100, 1); }, {writes(data.data(), 100)});
  graph.add(
      [&] {
        for (int i = 0; i < 50; ++i) data[static_cast<std::size_t>(i)] += 1;
      },
      {writes(data.data(), 50)});
  graph.add(
      [&] {
        for (int i = 50; i < 100; ++i) data[static_cast<std::size_t>(i)] += 2;
      },
      {writes(&data[50], 50)});
  graph.add(
      [&] {
        for (const int each : data) sum += each;
      },
      {reads(data.data(), 100), writes(sum)});
  graph.add(
      [&] {
        for (const int each : data) maximum = std::max(maximum, each);
      },
      {reads(data.data(), 100), writes(maximum)});
  graph.add([&] { data.assign(100, 9); }, {writes(data.data(), 100)});
  for (int i = 0; i < 200; ++i) {
    sum = maximum = 0;
    pool.run([&] { graph.run(); });
    ASSERT_EQ(sum, 250);  // 50 * 2 + 50 * 3
    ASSERT_EQ(maximum, 3);
  }
}

TEST(TaskGraph, ARecordedOrderIsReplayed) {
  Pool pool({.workers = 4});
  Graph graph;
  std::vector<Graph::Unit> ran;
  for (Graph::Unit i = 0; i < 30; ++i)
    graph.add([&ran, &pool, i] {
      if (pool.workers() == 1) ran.push_back(i);
    });
  for (Graph::Unit i = 0; i + 7 < 30; ++i) graph.precede(i, i + 7);
  pool.run([&] { graph.run(); });
  const std::vector<Graph::Unit> recorded = graph.order();
  Pool alone;
  Graph again;
  std::vector<Graph::Unit> replayed;
  for (Graph::Unit i = 0; i < 30; ++i) again.add([&replayed, i] { replayed.push_back(i); });
  for (Graph::Unit i = 0; i + 7 < 30; ++i) again.precede(i, i + 7);
  alone.run([&] { again.run_in(recorded); });
  EXPECT_EQ(replayed, recorded);
  const std::vector<Graph::Unit> wrong(30, 29);
  EXPECT_THROW(alone.run([&] { again.run_in(wrong); }), std::invalid_argument);
}

/// A graph drawn at random: unit i depends on earlier ones, and computes a value of theirs. Some units spawn,
/// and some wait.
struct RandomGraph {
  explicit RandomGraph(std::uint32_t seed) {
    std::mt19937 random(seed);
    const std::size_t units = 1 + random() % 60;
    before.resize(units);
    kind.resize(units);
    for (std::size_t i = 0; i < units; ++i) {
      kind[i] = random() % 4;
      const std::size_t most = std::min<std::size_t>(i, random() % 5);
      for (std::size_t k = 0; k < most; ++k) before[i].push_back(static_cast<Graph::Unit>(random() % i));
    }
  }

  static std::uint64_t mix(std::uint64_t value, std::uint64_t add) {
    return (value ^ add) * 0x9E3779B97F4A7C15U + 1;
  }

  /// What unit i makes of the values of those before.
  static std::uint64_t piece(const std::vector<std::uint64_t>& values, const std::vector<Graph::Unit>& from,
                             std::uint64_t salt) {
    std::uint64_t value = salt;
    for (const Graph::Unit each : from) value = mix(value, values[each]);
    return value;
  }

  [[nodiscard]] std::vector<std::uint64_t> serially() const {
    std::vector<std::uint64_t> values(before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      values[i] = piece(values, before[i], i);
      for (std::uint64_t child = 0; child < kind[i]; ++child)
        values[i] += piece(values, before[i], 1000 + child);
    }
    return values;
  }

  [[nodiscard]] std::vector<std::uint64_t> in(Pool& pool) const {
    std::vector<std::uint64_t> values(before.size());
    std::vector<std::array<std::uint64_t, 3>> children(before.size());
    Graph graph;
    for (std::size_t i = 0; i < before.size(); ++i) {
      graph.add([&, i] {
        for (std::uint64_t child = 0; kind[i] != 2 && child < kind[i]; ++child)
          spawn([&, i, child] { children[i][child] = piece(values, before[i], 1000 + child); });
        // Of units that have ended, run, are ready, and are not.
        if (kind[i] == 3)
          for (std::size_t k = 0; k < 3; ++k)
            graph.set_priority(static_cast<Graph::Unit>((7 * i + 11 * k) % before.size()),
                               static_cast<int>(i + k) % 3 - 1);
        const std::uint64_t own = piece(values, before[i], i);
        if (kind[i] != 2) {
          wait();
          values[i] = own;
          for (std::uint64_t child = 0; child < kind[i]; ++child) values[i] += children[i][child];
        } else {
          // Two children, of which a third task makes the sum.
          spawn([&, i, own] {
            const auto one = start([&, i] { children[i][0] = piece(values, before[i], 1000); });
            const auto two = start([&, i] { children[i][1] = piece(values, before[i], 1001); });
            wait({one, two});
            values[i] = own + children[i][0] + children[i][1];
          });
          wait();
        }
      });
      for (const Graph::Unit each : before[i]) graph.precede(each, static_cast<Graph::Unit>(i));
    }
    pool.run([&] { graph.run(); });
    return values;
  }

  std::vector<std::vector<Graph::Unit>> before;
  std::vector<std::uint64_t> kind;
};

class RandomGraphs : public ::testing::TestWithParam<Options> {};

TEST_P(RandomGraphs, GiveWhatASerialRunGives) {
  Pool pool(GetParam());
  const char* const wanted = std::getenv("TAKT_RANDOM_GRAPHS");
#ifdef __SANITIZE_THREAD__
  constexpr int usual = 1'000;  // Twenty times as slow.
#else
  constexpr int usual = 10'000;
#endif
  const auto count = static_cast<std::uint32_t>(wanted == nullptr ? usual : std::atoi(wanted));
  for (std::uint32_t seed = 1; seed <= count; ++seed) {
    const RandomGraph graph(seed);
    ASSERT_EQ(graph.in(pool), graph.serially()) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, RandomGraphs,
                         ::testing::Values(Options{.workers = 1}, Options{.workers = 1, .seed = 7},
                                           Options{.workers = 2}, Options{.workers = 4},
                                           Options{.workers = 4, .order = Order::oldest_first}),
                         [](const auto& each) {
                           return std::to_string(each.param.workers) +
                                  (each.param.order == Order::oldest_first ? "Fifo" : "") +
                                  (each.param.seed == 0 ? "" : "Seed");
                         });

}  // namespace
}  // namespace takt::tasking
