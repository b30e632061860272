/// Do frames that return to earlier processors reach periods that chains cannot?

#include "schedulers/replication/interleaving.hpp"

#include <cstdlib>
#include <initializer_list>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "logp/diagnostics.hpp"
#include "logp/simulation.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/registry/registry.hpp"
#include "schedulers/replication/frame_graph.hpp"

namespace takt::schedulers {
namespace {

const Options little{.effort = 60'000};

/// A chain of tasks with these works; negative ones are stateful.
TaskGraph chain_of_tasks(std::initializer_list<int> works, std::uint64_t bytes = 1) {
  TaskGraphBuilder builder;
  std::uint32_t count = 0;
  for (const int work : works) {
    (void)builder.add_task(
        {.name = fmt::format("t{}", count), .work = Time{std::abs(work)}, .stateless = work > 0});
    if (count > 0) (void)builder.add_edge(TaskId(count - 1), TaskId(count), Bytes{bytes});
    ++count;
  }
  return std::move(builder).build();
}

Schedule optfo_of(const TaskGraph& graph, const char* machine) {
  const logp::Machine model = logp::parse_machine(machine);
  Schedule schedule = find_scheduler("optfo").schedule(graph, model, little);
  EXPECT_TRUE(logp::diagnose(graph, model, schedule).empty()) << machine;
  return schedule;
}

// Rank 0 has the state and a part of one of the others; in a chain rank 0 or rank 1 has two whole tasks: 20.
TEST(Interleaving, divides_the_work_before_and_after_a_state_evenly) {
  const Schedule schedule = optfo_of(chain_of_tasks({10, -10, 10}), "delay:P=2");
  EXPECT_EQ(measure(schedule).exact_period(), (Period{Time{15}, 1}));
  EXPECT_TRUE(schedule.optimal);
}

TEST(Interleaving, is_unused_where_tasks_must_follow_each_other) {
  const TaskGraph graph = chain_of_tasks({10, -10, 10});
  const logp::Machine machine = logp::parse_machine("delay:P=2");
  Options options = little;
  options.may_interleave = false;
  options.frames = FrameClass::interleaved;
  const Schedule schedule = find_scheduler("optfo").schedule(graph, machine, options);
  EXPECT_TRUE(logp::diagnose(graph, machine, schedule).empty());
  EXPECT_EQ(measure(schedule).exact_period(), (Period{Time{20}, 1}));
}

TEST(Interleaving, meets_the_area_bound_of_chains_with_free_messages) {
  EXPECT_EQ(measure(optfo_of(chain_of_tasks({8, -4, 12}), "delay:P=2")).exact_period(),
            (Period{Time{12}, 1}));
  EXPECT_EQ(measure(optfo_of(chain_of_tasks({30, -10, 20}), "delay:P=3")).exact_period(),
            (Period{Time{20}, 1}));
  EXPECT_EQ(measure(optfo_of(chain_of_tasks({6, -2, 6, -2, 6}), "delay:P=2")).exact_period(),
            (Period{Time{11}, 1}));
}

// A moved frame costs two messages of 100 + 100 ticks: relative to 15,000 they do not matter.
TEST(Interleaving, pays_off_with_cheap_messages) {
  const Schedule schedule = optfo_of(chain_of_tasks({10'000, -10'000, 10'000}), "logp:P=2,L=200,o=100,g=50");
  EXPECT_GT(schedule.replicas, 1U);
  EXPECT_LT(measure(schedule).period(), 15'800);
}

TEST(Interleaving, is_unused_where_messages_cost_more_than_it_gains) {
  const Schedule schedule = optfo_of(chain_of_tasks({10, -10, 10}), "logp:P=2,L=20,o=30,g=5");
  EXPECT_EQ(schedule.replicas, 1U);
  EXPECT_EQ(measure(schedule).exact_period(), (Period{Time{30}, 1}));
}

TEST(Interleaving, supports_graphs_with_both_kinds_of_tasks) {
  const logp::Machine two = logp::parse_machine("delay:P=2");
  EXPECT_TRUE(can_interleave(chain_of_tasks({1, -1}), two));
  EXPECT_FALSE(can_interleave(chain_of_tasks({1, 1}), two));
  EXPECT_FALSE(can_interleave(chain_of_tasks({-1, -1}), two));
  EXPECT_FALSE(can_interleave(chain_of_tasks({1, -1}), logp::parse_machine("delay:P=1")));
}

/// Stateful and stateless tasks, and edges between any of them.
TaskGraph random_states(std::uint64_t seed) {
  Random random(seed);
  TaskGraphBuilder builder;
  const std::size_t tasks = 3 + random.below(6);
  for (std::size_t i = 0; i < tasks; ++i)
    (void)builder.add_task({.name = fmt::format("t{}", i),
                            .work = Time(1 + static_cast<Time::rep>(random.below(40))),
                            .stateless = random.below(2) > 0});
  for (std::size_t to = 1; to < tasks; ++to)
    for (std::size_t from = 0; from < to; ++from)
      if (random.below(tasks) < 2)
        (void)builder.add_edge(TaskId(from), TaskId(to), Bytes{1 + random.below(20)});
  return std::move(builder).build();
}

TEST(Interleaving, has_valid_schedules_with_the_reported_period) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const TaskGraph graph = random_states(seed);
    for (const char* const text :
         {"delay:P=2", "logp:P=3,L=4,o=1,g=2", "loglinear:P=2,L=3,o=1+0.1,g=1,speed=1/2"}) {
      const logp::Machine machine = logp::parse_machine(text);
      if (!can_interleave(graph, machine)) continue;
      std::uint64_t budget = 4'000;
      const Period bound = PeriodBounds(graph, machine).best().period;
      const auto schedule = interleave(graph, machine, {graph.total_work() * 2, 1}, bound, budget, seed);
      if (!schedule) continue;
      ++found;
      for (const logp::Finding& finding : logp::diagnose(graph, machine, *schedule))
        ADD_FAILURE() << seed << " " << text << ": " << finding.message;
      const ScheduleMetrics metrics = measure(*schedule);
      EXPECT_GE(metrics.exact_period(), bound) << seed << " " << text;
      const logp::SimulationOptions options{.frames = 40ULL * schedule->replicas + 1, .buffers = 64};
      const logp::SimulationResult run = logp::simulate(graph, machine, *schedule, options);
      EXPECT_EQ(run.delivered, options.frames);
      ASSERT_TRUE(run.sustained_period);
      EXPECT_LE(*run.sustained_period, metrics.period() * 1.1 + 1) << seed << " " << text;
    }
  }
  EXPECT_GT(found, 100U);
}

TEST(FrameGraph, connects_the_frames_of_a_stateful_task_only) {
  const TaskGraph graph = chain_of_tasks({3, -4, 5}, 7);
  const FrameGraph frames(graph, 3);
  ASSERT_EQ(frames.graph().task_count(), 9U);
  EXPECT_EQ(frames.graph().edge_count(), 3U * 2U + 2U);
  EXPECT_EQ(frames.bundles(), (std::vector<std::vector<std::uint32_t>>{{1, 4, 7}}));
  EXPECT_EQ(frames.graph().total_work(), 3 * graph.total_work());
  EXPECT_EQ(frames.task_of(TaskId(5)), TaskId(2));
  EXPECT_EQ(frames.frame_of(TaskId(5)), 1U);
  EXPECT_EQ(frames.of_frame(TaskId(2), 1), TaskId(5));
}

}  // namespace
}  // namespace takt::schedulers
