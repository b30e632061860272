/// Does any schedule contradict the bounds, proofs and refusals of plans? Random graphs, and schedules from
/// outside: all allocations, and plain lists of several frames.

#include <algorithm>

#include <gmock/gmock.h>

#include "logp/period.hpp"
#include "logp/timing.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/plan/shortfall.hpp"
#include "schedulers/registry/registry.hpp"
#include "schedulers/replication/frame_graph.hpp"
#include "tests/core/graphs/random_graph.hpp"
#include "tests/schedulers/pipelining/allocation_oracle.hpp"

namespace takt::schedulers {
namespace pipelining_claims_test {

constexpr RandomGraphOptions with_state{
    .odd_names = false, .stateless = false, .work_table = false, .unused_data = false};

struct Case {
  TaskGraph graph;
  logp::Machine machine;
  /// No schedule has a smaller period.
  Time least;
};

/// Tasks with state on two or three processors; messages take time, but occupy no processor.
std::vector<Case> cases() {
  std::vector<Case> result;
  for (std::uint64_t seed = 1000; seed < 1120; ++seed) {
    TaskGraph graph = random_graph(seed, with_state);
    if (graph.task_count() < 3 || graph.task_count() > 7) continue;
    logp::Machine machine = logp::parse_machine(seed % 2 == 0 ? "delay:P=2" : "logp:P=3,L=4,o=0,g=0");
    const Time least = least_largest_load(graph, machine, false);
    if (least > Time{0}) result.push_back({std::move(graph), std::move(machine), least});
  }
  return result;
}

/// The period of a list of eight frames: each task somewhere, tasks by frames or frames by tasks.
Period period_of_lists(const TaskGraph& graph, const logp::Machine& machine, Random& random) {
  constexpr std::uint32_t count = 8;
  const FrameGraph frames(graph, count);
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < graph.task_count(); ++i) at.push_back(random.below(machine.processor_count()));
  Period best{Time::max(), 1};
  for (const bool by_frame : {true, false}) {
    logp::Allocation allocation{std::vector<std::vector<TaskId>>(machine.processor_count())};
    const auto put = [&](TaskId task, std::uint32_t frame) {
      allocation.order[at[task.index()]].push_back(frames.of_frame(task, frame));
    };
    if (by_frame) {
      for (std::uint32_t frame = 0; frame < count; ++frame)
        for (TaskId task : graph.topological_order()) put(task, frame);
    } else {
      for (TaskId task : graph.topological_order())
        for (std::uint32_t frame = 0; frame < count; ++frame) put(task, frame);
    }
    const Schedule schedule = frames.replicated(
        logp::with_least_repetition(machine, logp::time_task_messages(frames.graph(), machine, allocation)));
    best = std::min(best, measure(schedule).exact_period());
  }
  return best;
}

TEST(Claims, no_allocation_and_no_list_of_frames_contradicts_a_bound_or_a_proof) {
  Random random(3);
  std::size_t pipelined = 0;
  for (const auto& [graph, machine, least] : cases())
    for (const std::string_view name : {"optfo", "exact_fo"}) {
      const Evaluation made = evaluate(find_scheduler(name), graph, machine, {.effort = 2'000});
      const Figures& figures = made.figures;
      EXPECT_TRUE(figures.valid);
      EXPECT_EQ(figures.bound_among, "");
      EXPECT_LE(figures.bound, (Period{least, 1}));
      EXPECT_EQ(figures.exact_period(), (Period{least, 1})) << name;
      if (figures.optimal) {
        EXPECT_GE((Period{least, 1}), figures.exact_period());
      }
      for (int i = 0; i < 20; ++i)
        EXPECT_GE(period_of_lists(graph, machine, random), figures.exact_period()) << name;
      pipelined += made.schedule.repetition ? 1 : 0;
    }
  EXPECT_GT(pipelined, 5U);
}

TEST(Claims, no_rate_that_some_schedule_holds_is_called_impossible) {
  for (const auto& [graph, machine, least] : cases()) {
    const auto answer = [&](double period) {
      const Goal goal{.rate = RequiredRate{period}, .options = {.effort = 2'000}};
      const Plan plan = make_plan(graph, machine, goal);
      const Figures& figures = plan.evaluation.figures;
      return explain_shortfall(*goal.rate, graph, machine,
                               {figures.exact_period(), figures.bound, figures.bound_among},
                               {.search = {.effort = 200}});
    };
    const auto period = static_cast<double>(least.count());
    EXPECT_FALSE(answer(period).is_impossible);
    const Shortfall refused = answer(period * 0.4);
    EXPECT_TRUE(refused.among.empty());
  }
}

TEST(Claims, of_narrower_classes_name_them) {
  TaskGraphBuilder builder;
  for (const auto& [name, work] : {std::pair("a", 5), {"b", 10}, {"c", 5}})
    (void)builder.add_task({name, Time{work}});
  for (std::size_t i = 1; i < 3; ++i) (void)builder.add_edge(TaskId(i - 1), TaskId(i), Bytes{1});
  const TaskGraph graph = std::move(builder).build();
  const logp::Machine machine = logp::Machine::delay(2);
  const RequiredRate rate{12};
  const Options one{.frames = FrameClass::one_at_a_time};
  const Plan plan = make_plan(graph, machine, {.rate = rate, .options = one});
  const Figures& figures = plan.evaluation.figures;
  const Shortfall shortfall = explain_shortfall(
      rate, graph, machine, {figures.exact_period(), figures.bound, figures.bound_among}, {.search = one});
  EXPECT_TRUE(shortfall.is_impossible);
  EXPECT_EQ(shortfall.among, one_frame_at_a_time);
  EXPECT_THAT(to_text(shortfall, rate), ::testing::HasSubstr("cannot be held by schedules of one"));
  EXPECT_TRUE(make_plan(graph, machine, {.rate = rate}).holds_rate);
}

}  // namespace pipelining_claims_test
}  // namespace takt::schedulers
