/// Does the search in order of time work without a start, on graphs of all kinds, and is no schedule shorter
/// than its result?

#include "schedulers/baseline/makespan_search.hpp"

#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "schedulers/baseline/allocation_search.hpp"
#include "tests/schedulers/baseline/proof_study.hpp"

namespace takt::schedulers {
namespace {

/// With many equal works and sizes, so that many tasks are interchangeable; with many zeros.
TaskGraph drawn(Random& draw, const ProofKind& kind, std::size_t tasks) {
  const std::int64_t least = draw.between(0, 1), most = draw.between(1, 6), unit = draw.between(1, 3);
  const std::int64_t most_size = draw.between(0, 12);
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < tasks; ++i)
    builder.add_task({fmt::format("t{}", i), Time(unit * draw.between(least, most))});
  for (const auto& [from, to] : kind.edges(tasks, draw))
    builder.add_edge(TaskId(from), TaskId(to), Bytes{static_cast<std::uint64_t>(draw.between(0, most_size))});
  return std::move(builder).build();
}

// The search over allocations shares neither order nor rules, and only one bound.
TEST(MakespanSearch, agrees_with_the_search_over_allocations_on_all_kinds) {
  constexpr std::uint64_t ample = 10'000'000;
  Random draw(21);
  for (int round = 0; round < 150; ++round)
    for (const ProofKind& kind : proof_kinds()) {
      SCOPED_TRACE(testing::Message() << round << " " << kind.name);
      const TaskGraph graph = drawn(draw, kind, 5 + draw.below(6));
      const logp::Machine machine = logp::Machine::delay(static_cast<std::size_t>(draw.between(1, 4)));
      const DelayModel model(graph, machine);
      std::uint64_t effort = ample;
      const MakespanSearch by_allocations = search_allocations(model, Time{1000}, effort);
      ASSERT_TRUE(by_allocations.is_complete && by_allocations.timetable);
      const Time least = by_allocations.timetable->length();
      effort = ample;
      const MakespanSearch found = search_makespan(model, Time{1000}, effort);
      ASSERT_TRUE(found.is_complete && found.timetable);
      EXPECT_EQ(found.timetable->length(), least);
      // With limits that are just feasible, and just infeasible.
      EXPECT_TRUE(search_makespan(model, least + Time{1}, effort).timetable);
      EXPECT_FALSE(search_makespan(model, least, effort).timetable);
      EXPECT_LE(makespan_bound(model), least);
    }
}

Time shortest(const TaskGraph& graph, std::size_t processors) {
  const logp::Machine machine = logp::Machine::delay(processors);
  std::uint64_t effort = 10'000;
  return search_makespan(DelayModel(graph, machine), Time{100}, effort).timetable->length();
}

// Only tasks without children can run anywhere after their data arrive: the first of tasks that only look
// equal need not come first.
TEST(MakespanSearch, exchanges_tasks_without_children_only) {
  const auto four_tasks = [](std::initializer_list<std::pair<std::size_t, std::size_t>> edges) {
    TaskGraphBuilder builder;
    for (const char* name : {"a", "b", "c", "d"}) builder.add_task({name, Time{1}});
    for (const auto& [from, to] : edges) builder.add_edge(TaskId(from), TaskId(to), Bytes{4});
    return std::move(builder).build();
  };
  // c and d on one processor from 0 on, a and b on the other.
  EXPECT_EQ(shortest(four_tasks({{2, 3}}), 2), Time{2});
  // a, b and c on one processor, d at any time: it must not wait for the first task, which has a child.
  EXPECT_EQ(shortest(four_tasks({{0, 2}, {1, 2}}), 3), Time{3});
}

}  // namespace
}  // namespace takt::schedulers
