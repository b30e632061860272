#include "pipeline/tasking/conflicts.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>

#include "pipeline/tasking/graph.hpp"

// Unordered accesses to the same memory.

namespace takt::tasking {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Conflicts, OfRandomOrdersAreThoseThatBruteForceFinds) {
  std::mt19937 random(5);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
  static const std::array<char, 16> memory{};
  static const std::array<int, 3> locks{};
  for (int round = 0; round < 2000; ++round) {
    // More steps than one block of 512 now and then.
    const std::size_t steps = 2 + below(round % 100 == 0 ? 1200 : 12);
    ConflictFinder finder;
    std::vector<std::size_t> owner(steps);
    for (std::size_t i = 0; i < steps; ++i) finder.add(static_cast<std::int64_t>(owner[i] = below(steps)));
    std::vector<std::vector<bool>> reaches(steps, std::vector<bool>(steps));
    for (std::size_t to = 1; to < steps; ++to)
      for (std::size_t k = below(3); k > 0; --k) {
        // From any step to one with a higher number: no circle.
        const std::size_t from = below(to);
        finder.order(static_cast<ConflictFinder::Step>(from), static_cast<ConflictFinder::Step>(to));
        reaches[from][to] = true;
        for (std::size_t before = 0; before < from; ++before)
          if (reaches[before][from]) reaches[before][to] = true;
      }
    struct Use {
      std::size_t step, begin, bytes;
      bool writes;
      std::size_t lock;
    };
    std::vector<Use> uses;
    for (std::size_t i = 0; i < 20; ++i) {
      const Use use{below(steps), below(memory.size()), 1 + below(4), below(3) == 0, below(6)};
      uses.push_back(use);
      ConflictFinder::Locks held;
      if (use.lock < locks.size()) held.push_back(&locks[use.lock]);
      finder.note(static_cast<ConflictFinder::Step>(use.step), memory.data() + use.begin, use.bytes,
                  use.writes, held);
    }
    std::set<std::tuple<std::size_t, std::size_t, std::size_t>> expected, found;
    for (const Use& a : uses)
      for (const Use& b : uses) {
        if (owner[a.step] >= owner[b.step] || (!a.writes && !b.writes)) continue;
        if (a.lock < locks.size() && a.lock == b.lock) continue;
        if (reaches[a.step][b.step] || reaches[b.step][a.step]) continue;
        for (std::size_t at = std::max(a.begin, b.begin); at < std::min(a.begin + a.bytes, b.begin + b.bytes);
             ++at)
          expected.insert({owner[a.step], owner[b.step], at});
      }
    for (const ConflictFinder::Conflict& each : finder.find())
      for (std::size_t at = 0; at < each.bytes; ++at)
        found.insert({static_cast<std::size_t>(each.first), static_cast<std::size_t>(each.second),
                      each.begin - reinterpret_cast<std::uintptr_t>(memory.data()) + at});
    ASSERT_EQ(found, expected) << "round " << round;
  }
}

TEST(Conflicts, OfAGraphNameItsUnitsAndTheBytes) {
  for (const int workers : {1, 3}) {
    Pool pool({.workers = workers});
    std::array<double, 4> a{};
    double sum = 0;
    Graph graph;
    const auto writer = graph.add([&] { touches(writes(a.data(), 2)); });
    const auto reader = graph.add([&] {
      // A task of the unit.
      spawn([&] { touches(reads(a.data() + 1, 2)); });
    });
    const auto last = graph.add([&] { touches(reads(a.data(), 4)); });
    graph.precede(writer, last);
    const auto conflicts = pool.run([&] { return graph.run_checked(); });
    ASSERT_THAT(conflicts, SizeIs(1));
    EXPECT_EQ(conflicts[0].first, writer);
    EXPECT_EQ(conflicts[0].second, reader);
    EXPECT_EQ(conflicts[0].begin, reinterpret_cast<std::uintptr_t>(&a[1]));
    EXPECT_EQ(conflicts[0].bytes, sizeof(double));
    EXPECT_TRUE(conflicts[0].first_writes);
    EXPECT_FALSE(conflicts[0].second_writes);
    graph.precede(writer, reader);
    EXPECT_THAT(pool.run([&] { return graph.run_checked(); }), IsEmpty());
    // Without the check it does nothing.
    pool.run([&] { graph.run(); });
    pool.run([&] { touches(writes(sum)); });
  }
}

TEST(Conflicts, OfDeclaredAndUndeclaredAccessesAreFound) {
  Pool pool({.workers = 2});
  double value = 0, other = 0;
  Graph graph;
  graph.add([] {}, {writes(value)});
  graph.add([&] { touches(writes(other)); }, {reads(value)});
  graph.add([&] { touches(reads(value)); }, {writes(other)});
  // 1 writes other without saying so; 2 reads value without saying so.
  EXPECT_THAT(pool.run([&] { return graph.run_checked(); }), SizeIs(2));
}

TEST(Conflicts, AFailedRunThrowsAndChecksAgainLater) {
  Pool pool;
  Graph graph;
  bool fails = true;
  graph.add([&] {
    if (fails) throw std::runtime_error("no");
  });
  EXPECT_THROW(pool.run([&] { (void)graph.run_checked(); }), std::runtime_error);
  fails = false;
  EXPECT_THAT(pool.run([&] { return graph.run_checked(); }), IsEmpty());
}

}  // namespace
}  // namespace takt::tasking
