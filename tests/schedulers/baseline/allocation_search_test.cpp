/// Does the search over allocations find the shortest schedules, and refute shorter lengths?

#include "schedulers/baseline/allocation_search.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "core/random.hpp"
#include "schedulers/baseline/makespan_search.hpp"
#include "tests/schedulers/frequency/oracle.hpp"

namespace takt::schedulers {
namespace {

constexpr std::uint64_t ample_effort = 20'000'000;

/// Every assignment, with every order of all tasks that respects the edges.
std::int64_t least_length(const TaskGraph& graph, std::size_t processors) {
  std::int64_t least = INT64_MAX;
  std::vector<std::size_t> order(graph.task_count()), place(graph.task_count(), 0);
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    std::vector<std::size_t> rank(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
    if (std::ranges::any_of(graph.edges(), [&](EdgeId id) {
          return rank[graph.edge(id).from.index()] > rank[graph.edge(id).to.index()];
        }))
      continue;
    std::ranges::fill(place, std::size_t{0});
    for (std::size_t digit = 0; digit < place.size();) {
      std::vector<std::int64_t> end(order.size(), 0), free(processors, 0);
      for (std::size_t task : order) {
        std::int64_t start = free[place[task]];
        for (EdgeId in : graph.in_edges(TaskId(task))) {
          const std::size_t parent = graph.edge(in).from.index();
          const bool is_here = place[parent] == place[task];
          start = std::max(
              start, end[parent] + (is_here ? 0 : static_cast<std::int64_t>(graph.edge(in).size.count)));
        }
        free[place[task]] = end[task] = start + graph.task(TaskId(task)).work.count();
      }
      least = std::min(least, *std::ranges::max_element(end));
      for (digit = 0; digit < place.size() && ++place[digit] == processors; ++digit) place[digit] = 0;
    }
  } while (std::ranges::next_permutation(order).found);
  return least;
}

void expect_schedule(const TaskGraph& graph, std::size_t processors, const Timetable& made) {
  for (TaskId task : graph.tasks()) {
    EXPECT_LT(made.processor[task.index()].index(), processors);
    EXPECT_EQ(made.end[task.index()] - made.start[task.index()], graph.task(task).work);
    for (TaskId other : graph.tasks()) {
      if (other == task || made.processor[other.index()] != made.processor[task.index()]) continue;
      EXPECT_TRUE(made.end[task.index()] <= made.start[other.index()] ||
                  made.end[other.index()] <= made.start[task.index()]);
    }
  }
  for (EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    const bool is_here = made.processor[edge.from.index()] == made.processor[edge.to.index()];
    const Time delay(is_here ? 0 : static_cast<Time::rep>(edge.size.count));
    EXPECT_GE(made.start[edge.to.index()], made.end[edge.from.index()] + delay);
  }
}

/// Some works are 0, and some data.
TaskGraph graph_with_zeros(Random& random, std::size_t tasks, std::int64_t most_size) {
  const TaskGraph drawn = oracle::random_graph(random, tasks, 20 + random.below(50), 9, most_size + 1);
  TaskGraphBuilder builder;
  for (TaskId id : drawn.tasks()) {
    Task task = drawn.task(id);
    task.work -= Time{1};
    builder.add_task(std::move(task));
  }
  for (EdgeId id : drawn.edges())
    builder.add_edge(drawn.edge(id).from, drawn.edge(id).to, Bytes{drawn.edge(id).size.count - 1});
  return std::move(builder).build();
}

TEST(AllocationSearch, finds_the_shortest_schedule_and_no_shorter_one) {
  Random random(51);
  for (int i = 0; i < 150; ++i) {
    SCOPED_TRACE(i);
    const std::size_t processors = 1 + random.below(3);
    const TaskGraph graph =
        graph_with_zeros(random, 2 + random.below(4), static_cast<std::int64_t>(random.below(20)));
    const logp::Machine machine = logp::Machine::delay(processors);
    const DelayModel model(graph, machine);
    ASSERT_TRUE(can_search_allocations(model));
    const Time least(least_length(graph, processors));
    std::uint64_t effort = ample_effort;
    const MakespanSearch found = search_allocations(model, least + Time{1}, effort);
    ASSERT_TRUE(found.is_complete);
    ASSERT_TRUE(found.timetable);
    EXPECT_EQ(found.timetable->length(), least);
    expect_schedule(graph, processors, *found.timetable);
    const MakespanSearch shorter = search_allocations(model, least, effort);
    EXPECT_TRUE(shorter.is_complete);
    EXPECT_FALSE(shorter.timetable);
    for (std::uint64_t few : {0, 1, 5, 20}) {
      const MakespanSearch cut_off = search_allocations(model, least + Time{4}, few);
      EXPECT_TRUE(!cut_off.is_complete || cut_off.timetable->length() == least);
      if (cut_off.timetable) {
        EXPECT_GE(cut_off.timetable->length(), least);
      }
    }
  }
}

/// Two searches without common steps.
TEST(AllocationSearch, agrees_with_the_search_in_order_of_time) {
  Random random(52);
  std::size_t compared = 0;
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(i);
    const std::size_t processors = 2 + random.below(3);
    const std::int64_t sizes[] = {2, 15, 80};
    const TaskGraph graph = graph_with_zeros(random, 8 + random.below(4), sizes[i % 3]);
    const logp::Machine machine = logp::Machine::delay(processors);
    const DelayModel model(graph, machine);
    std::uint64_t effort = 200'000, other_effort = 200'000;
    const MakespanSearch found = search_allocations(model, Time{10'000}, effort);
    const MakespanSearch other = search_makespan(model, Time{10'000}, other_effort);
    if (!found.is_complete || !other.is_complete) continue;
    ++compared;
    ASSERT_TRUE(found.timetable && other.timetable);
    EXPECT_EQ(found.timetable->length(), other.timetable->length());
    expect_schedule(graph, processors, *found.timetable);
  }
  EXPECT_GE(compared, 50U);
}

TEST(AllocationSearch, supports_equal_processors_and_up_to_64_tasks) {
  const TaskGraph small = generate("chain:depth=63"), large = generate("chain:depth=64");
  const logp::Machine equal = logp::Machine::delay(2), unequal = logp::parse_machine("delay:P=2,speed=1/2");
  EXPECT_TRUE(can_search_allocations(DelayModel(small, equal)));
  EXPECT_FALSE(can_search_allocations(DelayModel(large, equal)));
  EXPECT_FALSE(can_search_allocations(DelayModel(small, unequal)));
  std::uint64_t effort = 1000;
  const DelayModel model(small, equal);
  const MakespanSearch found = search_allocations(model, Time{1'000'000}, effort);
  EXPECT_TRUE(found.is_complete);
}

}  // namespace
}  // namespace takt::schedulers
