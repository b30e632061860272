/// States that travel: is the smallest period minimal, and does the checker find every state that is late?

#include <algorithm>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "logp/diagnostics.hpp"
#include "logp/period.hpp"
#include "logp/simulation.hpp"
#include "logp/timing.hpp"
#include "schedulers/replication/frame_graph.hpp"

namespace takt::logp {
namespace {

/// A graph whose tasks with an even number have a state that travels.
struct Case {
  TaskGraph graph;
  std::vector<TaskId> travelling;
  Schedule schedule;
};

/// Each instance of each task is on a random processor, or whole frames take turns; processors work frame
/// after frame.
Case random_case(const std::string& shape, const Machine& machine, std::uint32_t replicas, bool is_whole,
                 std::mt19937_64& random) {
  Case made{.graph = generate(shape), .travelling = {}, .schedule = Schedule{}};
  std::vector<TaskId> all;
  for (const TaskId task : made.graph.tasks()) all.push_back(task);
  for (const TaskId task : made.graph.tasks())
    if (task.index() % 2 == 0) made.travelling.push_back(task);
  const TaskGraph free = made.graph.with_stateless(all);
  const schedulers::FrameGraph frames(free, replicas);
  Allocation allocation{std::vector<std::vector<TaskId>>(machine.processor_count())};
  for (std::uint32_t frame = 0; frame < replicas; ++frame)
    for (const TaskId task : free.topological_order())
      allocation.order[(is_whole ? frame : random()) % machine.processor_count()].push_back(
          frames.of_frame(task, frame));
  made.schedule = frames.replicated(time_task_messages(frames.graph(), machine, allocation));
  made.schedule.travelling = made.travelling;
  std::vector<TaskId> others;
  for (const TaskId task : all)
    if (task.index() % 2 != 0) others.push_back(task);
  made.graph = made.graph.with_stateless(others);
  return made;
}

/// Whether start times exist that repeat every `period`: by definition, a matrix of distances (Floyd and
/// Warshall) without a positive cycle. For machines without gaps and capacity. O(n^3).
bool can_repeat(const Machine& machine, const Schedule& schedule, Time period) {
  struct Node {
    std::size_t processor;
    Operation operation;
  };
  std::vector<Node> nodes;
  for (std::size_t p = 0; p < schedule.processors.size(); ++p)
    for (const Operation& operation : schedule.processors[p]) nodes.push_back({p, operation});
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min() / 4;
  const std::size_t n = nodes.size();
  std::vector<std::vector<std::int64_t>> longest(n, std::vector<std::int64_t>(n, none));
  const auto require = [&](std::size_t from, std::size_t to, Time distance) {
    longest[from][to] = std::max(longest[from][to], std::int64_t{distance.count()});
  };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const auto& [p, a] = nodes[i];
      const auto& [q, b] = nodes[j];
      if (p == q) require(i, j, i < j ? a.end - a.start : a.end - a.start - period);
      if (a.kind == OperationKind::send && b.kind == OperationKind::receive && a.subject == b.subject) {
        const Message& message = schedule.message(a.message());
        require(i, j, a.end - a.start + machine.latency(message.from, message.to, message.size));
      }
      if (a.kind != OperationKind::compute || b.kind != OperationKind::compute || a.subject != b.subject ||
          !std::ranges::binary_search(schedule.travelling, a.task()))
        continue;
      if (a.instance < b.instance) require(i, j, a.end - a.start);
      if (a.instance >= b.instance) require(i, j, a.end - a.start - period);
    }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (longest[i][k] > none && longest[k][j] > none)
          longest[i][j] = std::max(longest[i][j], longest[i][k] + longest[k][j]);
  for (std::size_t i = 0; i < n; ++i)
    if (longest[i][i] > 0) return false;
  return true;
}

TEST(TravellingStates, have_the_smallest_period_that_they_allow) {
  std::mt19937_64 random(5);
  int longer = 0;
  for (const char* shape : {"chain:depth=3,cost=1..9", "diamond:depth=2,cost=1..9"})
    for (const char* text : {"logp:P=2", "logp:P=4", "logp:P=3,L=3,o=1,g=0"})
      for (std::uint32_t replicas = 2; replicas <= 4; ++replicas)
        for (int seed = 1; seed <= 8; ++seed) {
          const Machine machine = parse_machine(text);
          const Case given =
              random_case(fmt::format("{},seed={}", shape, seed), machine, replicas, seed % 2 == 0, random);
          const std::optional<Schedule> best = with_travelling_states(machine, given.schedule);
          ASSERT_TRUE(best);
          for (const Finding& finding : diagnose(given.graph, machine, *best))
            FAIL() << finding.rule << ": " << finding.message << " (" << shape << ", " << text << ")";
          const Time period = measure(*best).repetition;
          EXPECT_TRUE(can_repeat(machine, given.schedule, period));
          EXPECT_FALSE(can_repeat(machine, given.schedule, period - Time{1}));
          // Frame after frame, as soon as each operation can begin.
          const SimulationResult simulated = simulate(given.graph, machine, *best, {.frames = 2000});
          EXPECT_NEAR(*simulated.sustained_period, measure(*best).period(), 0.05);
          Schedule without = given.schedule;
          without.travelling.clear();
          longer += period > least_repetition(machine, without);
        }
  EXPECT_GT(longer, 10) << "the states do not matter in these cases";
}

/// Whole frames on P processors: a frame must not begin its task with a state before the previous frame has
/// ended it, so an iteration of P frames takes at least P times the longest such task.
TEST(TravellingStates, limit_copies_of_the_graph_by_the_longest_task) {
  for (const int work : {1, 3, 5, 10, 20}) {
    TaskGraphBuilder builder;
    const TaskId a = builder.add_task({"a", Time{4}, true}), b = builder.add_task({"b", Time{work}}),
                 c = builder.add_task({"c", Time{6}, true}), d = builder.add_task({"d", Time{2}});
    builder.add_edge(a, b, Bytes{1});
    builder.add_edge(b, c, Bytes{1});
    builder.add_edge(c, d, Bytes{1});
    const TaskGraph graph = std::move(builder).build();
    const Machine machine = parse_machine("logp:P=3");
    Schedule schedule("copies", 3);
    schedule.replicas = 3;
    schedule.travelling = {b, d};
    for (std::uint32_t k = 0; k < 3; ++k) {
      Time at{0};
      for (const TaskId task : {a, b, c, d}) {
        const Time end = at + graph.task(task).work;
        schedule.add_compute(ProcessorId(k), task, at, end, k);
        at = end;
      }
    }
    // As copies begin together, the states are not available.
    EXPECT_FALSE(diagnose(graph, machine, schedule).empty());
    const std::optional<Schedule> timed = with_travelling_states(machine, schedule);
    ASSERT_TRUE(timed);
    EXPECT_TRUE(diagnose(graph, machine, *timed).empty());
    EXPECT_EQ(measure(*timed).repetition, std::max(Time{3 * work}, Time{4 + work + 6 + 2}));
    // Without the declaration the task must stay on one processor.
    Schedule undeclared = *timed;
    undeclared.travelling.clear();
    EXPECT_FALSE(diagnose(graph, machine, undeclared).empty());
  }
}

TEST(TravellingStates, are_checked_for_every_instance) {
  std::mt19937_64 random(6);
  int found = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    const Machine machine = parse_machine("logp:P=2");
    const Case given =
        random_case(fmt::format("chain:depth=2,cost=2..9,seed={}", seed), machine, 3, false, random);
    const Schedule timed = *with_travelling_states(machine, given.schedule);
    // Other operations of the same times: the second instance begins one tick before the first one has ended.
    for (const TaskId task : given.travelling) {
      Schedule early = timed;
      Time end{0};
      for (auto& operations : early.processors)
        for (Operation& operation : operations)
          if (operation.kind == OperationKind::compute && operation.task() == task && operation.instance == 0)
            end = operation.end;
      for (auto& operations : early.processors)
        for (Operation& operation : operations)
          if (operation.kind == OperationKind::compute && operation.task() == task &&
              operation.instance == 1) {
            const Time length = operation.end - operation.start;
            operation.start = end - Time{1};
            operation.end = operation.start + length;
          }
      std::size_t states = 0;
      for (const Finding& finding : diagnose(given.graph, machine, early)) states += finding.rule == "state";
      EXPECT_GT(states, 0U);
      ++found;
    }
  }
  EXPECT_GT(found, 0);
}

/// With orders of operations that contradict the turns or the messages, on a machine of limited capacity.
TEST(TravellingStates, have_no_timetable_for_impossible_orders) {
  const Machine machine = parse_machine("logp:P=3,L=50,o=2,g=10");
  std::mt19937_64 random(11);
  std::size_t impossible = 0;
  for (int i = 0; i < 60; ++i) {
    Case made = random_case("fft:depth=2,cost=1..20,data=3", machine, 2, false, random);
    for (std::vector<Operation>& operations : made.schedule.processors)
      std::ranges::shuffle(operations, random);
    const std::optional<Schedule> found = with_travelling_states(machine, made.schedule);
    if (!found) ++impossible;
  }
  EXPECT_GT(impossible, 50U);
}

}  // namespace
}  // namespace takt::logp
