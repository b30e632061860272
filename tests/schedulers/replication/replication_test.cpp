/// Does replication of stateless tasks reach the possible periods?

#include "schedulers/replication/replication.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "core/random.hpp"
#include "logp/diagnostics.hpp"
#include "logp/period.hpp"
#include "logp/simulation.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/judge/evaluation.hpp"
#include "schedulers/registry/registry.hpp"
#include "schedulers/replication/copies.hpp"

namespace takt::schedulers {
namespace {

const Options quick{.effort = 20'000};

Evaluation plan(const TaskGraph& graph, const logp::Machine& machine) {
  const Evaluation evaluation = evaluate(find_scheduler("optfo"), graph, machine, quick);
  for (const logp::Finding& finding : evaluation.findings) ADD_FAILURE() << finding.rule << finding.message;
  return evaluation;
}

/// source (stateful) -> first -> second -> sink (stateful), with these works and sizes.
TaskGraph pipeline(Time source, Time first, Time second, Time sink, std::uint64_t bytes) {
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"source", source});
  const TaskId b = builder.add_task({"first", first, true});
  const TaskId c = builder.add_task({"second", second, true});
  const TaskId d = builder.add_task({"sink", sink});
  (void)builder.add_edge(a, b, Bytes{bytes});
  (void)builder.add_edge(b, c, Bytes{bytes});
  (void)builder.add_edge(c, d, Bytes{bytes});
  return std::move(builder).build();
}

/// A random graph with some stateful tasks.
TaskGraph random_mixed(std::uint64_t seed, std::size_t tasks) {
  Random random(seed);
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < tasks; ++i)
    (void)builder.add_task(
        {fmt::format("t{}", i), Time(1 + static_cast<Time::rep>(random.below(50))), random.below(3) > 0});
  for (std::size_t to = 1; to < tasks; ++to)
    for (std::size_t from = 0; from < to; ++from)
      if (random.below(tasks) < 2)
        (void)builder.add_edge(TaskId(from), TaskId(to), Bytes{1 + random.below(20)});
  return std::move(builder).build();
}

TEST(Replication, meets_the_area_bound_on_every_graph_without_state_with_free_messages) {
  for (const char* shape : {"send_tree:depth=4", "receive_tree:depth=3", "fft:depth=3", "diamond:depth=5",
                            "wave:depth=3,width=6", "chain:depth=0", "chain:depth=7", "gauss:size=6",
                            "layered:tasks=40,jump=3", "fork_join:depth=2,width=5"})
    for (std::size_t processors : {2, 3, 5, 8, 100}) {
      const TaskGraph graph = generate(fmt::format("{},cost=1..100,seed=3,stateless=1", shape));
      const Evaluation evaluation = plan(graph, logp::parse_machine(fmt::format("delay:P={}", processors)));
      const Period shared{graph.total_work(), static_cast<std::uint32_t>(processors)};
      EXPECT_EQ(evaluation.figures.exact_period(), shared) << shape << " P=" << processors;
      EXPECT_EQ(evaluation.figures.bound, shared);
      EXPECT_TRUE(evaluation.figures.optimal);
    }
}

// Speeds 1, 1 and 2 do 4 times the work of one: period W / 4 with 1, 1 and 2 of four frames.
TEST(Replication, assigns_fast_processors_more_frames) {
  const TaskGraph graph = generate("chain:depth=5,cost=8,stateless=1");
  const logp::Machine machine = logp::parse_machine("logp:P=3,L=5,o=2,g=3,speed=1/1/2");
  EXPECT_EQ(best_shares(graph, machine, 64), (Shares{1, 1, 2}));
  const Evaluation evaluation = plan(graph, machine);
  EXPECT_EQ(evaluation.figures.exact_period(), (Period{graph.total_work(), 4}));
  EXPECT_TRUE(evaluation.figures.optimal);
}

TEST(Replication, divides_work_whose_sum_over_many_frames_would_overflow) {
  // 250 + 230 + 210 = 690, in units of 1e15 ticks, on 3, 7, 400 equal processors, or on speeds 1 and 2.
  constexpr Time unit{1'000'000'000'000'000};
  TaskGraphBuilder builder;
  for (int work : {250, 230, 210})
    builder.add_task({.name = fmt::format("{}", work), .work = work * unit, .stateless = true});
  builder.add_edge(TaskId(0), TaskId(1), Bytes{1});
  builder.add_edge(TaskId(1), TaskId(2), Bytes{1});
  const TaskGraph graph = std::move(builder).build();
  for (const auto& [machine, speed] : {std::pair("logp:P=3", 3U), std::pair("logp:P=7", 7U),
                                       std::pair("logp:P=400", 400U), std::pair("logp:P=2,speed=1/2", 3U)}) {
    const Schedule schedule = find_scheduler("optfo").schedule(graph, logp::parse_machine(machine), quick);
    EXPECT_EQ(measure(schedule).exact_period(), (Period{690 * unit, speed})) << machine;
    EXPECT_TRUE(schedule.optimal) << machine;
    EXPECT_TRUE(logp::diagnose(graph, logp::parse_machine(machine), schedule).empty()) << machine;
  }
}

TEST(Replication, keeps_one_copy_of_graphs_whose_data_would_overflow) {
  // Messages take the same time for any size: times fit, but two sizes of 2.8e18 bytes exceed 4e18.
  constexpr std::uint64_t quadrillion = 1'000'000'000'000'000;
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"a", Time{400}, true}), b = builder.add_task({"b", Time{100}}),
               c = builder.add_task({"c", Time{100}, true});
  builder.add_edge(a, c, Bytes{900 * quadrillion});
  builder.add_edge(a, b, Bytes{1900 * quadrillion});
  EXPECT_EQ(plan(std::move(builder).build(), logp::parse_machine("logp:P=3,L=1,o=1,g=1")).schedule.replicas,
            1);
}

TEST(Replication, keeps_one_copy_of_graphs_with_state_only) {
  const TaskGraph graph = generate("fft:depth=2,cost=1..100,seed=4");
  EXPECT_EQ(plan(graph, logp::parse_machine("delay:P=3")).schedule.replicas, 1U);
}

TEST(Replication, keeps_every_stateful_task_on_one_processor) {
  const Evaluation evaluation =
      plan(pipeline(Time{5}, Time{40}, Time{60}, Time{5}, 10), logp::parse_machine("logp:P=4,L=2,o=1,g=1"));
  EXPECT_GT(evaluation.schedule.replicas, 1U);
  for (const std::uint32_t task : {0U, 3U}) {
    std::vector<std::size_t> where;
    for (std::size_t p = 0; p < 4; ++p)
      for (const Operation& operation : evaluation.schedule.processors[p])
        if (operation.kind == OperationKind::compute && operation.subject == task) where.push_back(p);
    EXPECT_EQ(where.size(), evaluation.schedule.replicas);
    EXPECT_EQ(std::count(where.begin(), where.end(), where.front()),
              static_cast<std::ptrdiff_t>(where.size()));
  }
}

// Work 110, of which a split on 2 processors reaches 65 | 45 at best; the cost of a message decides.
TEST(Replication, weighs_fusing_splitting_and_replicating_by_the_cost_of_moving_a_frame) {
  const TaskGraph graph = pipeline(Time{5}, Time{40}, Time{60}, Time{5}, 100);
  const Evaluation cheap = plan(graph, logp::parse_machine("loglinear:P=2,L=1,o=1,g=1"));
  EXPECT_GT(cheap.schedule.replicas, 1U);
  EXPECT_LT(cheap.figures.period(), 60);
  // 100 bytes at 1 per byte at both ends: two messages per frame cost more than the second processor gains.
  const Evaluation expensive = plan(graph, logp::parse_machine("loglinear:P=2,L=1,o=1+1,g=1"));
  EXPECT_EQ(expensive.figures.processors_used, 1U);
  EXPECT_EQ(expensive.figures.exact_period(), (Period{Time{110}, 1}));

  // Half of the work is stateful and cannot be replicated: splitting is the only option.
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"a", Time{50}});
  const TaskId b = builder.add_task({"b", Time{50}, true});
  (void)builder.add_edge(a, b, Bytes{1});
  const Evaluation split = plan(std::move(builder).build(), logp::parse_machine("logp:P=2,L=1,o=1,g=1"));
  EXPECT_EQ(split.schedule.replicas, 1U);
  EXPECT_EQ(split.figures.exact_period(), (Period{Time{51}, 1}));
}

TEST(Replication, has_valid_schedules_that_the_simulation_sustains_on_random_graphs) {
  std::size_t replicated = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const TaskGraph graph = random_mixed(seed, 3 + seed % 9);
    const char* const kinds[] = {"delay:P={}", "logp:P={},L=3,o=1,g=2",
                                 "loglinear:P={},L=1+1,o=1+0.5,g=1+0.25"};
    const logp::Machine machine =
        logp::parse_machine(fmt::format(fmt::runtime(kinds[seed % 3]), 2 + seed % 4));
    if (!can_replicate(graph, machine)) continue;
    const Evaluation evaluation = plan(graph, machine);
    EXPECT_GE(evaluation.figures.exact_period(), evaluation.figures.bound) << seed;
    replicated += evaluation.schedule.replicas > 1 ? 1 : 0;
    logp::SimulationOptions options{.frames = 40ULL * evaluation.schedule.replicas + 1, .buffers = 64};
    const logp::SimulationResult run = logp::simulate(graph, machine, evaluation.schedule, options);
    EXPECT_EQ(run.delivered, options.frames);
    ASSERT_TRUE(run.sustained_period);
    EXPECT_LE(*run.sustained_period, evaluation.figures.period() * 1.1 + 1) << seed;
  }
  EXPECT_GT(replicated, 20U);
}

// Found with random graphs: a segment may go no further than any stateful task that depends on it through
// other segments.
TEST(Replication, keeps_segments_before_stateful_tasks_that_follow_through_other_segments) {
  TaskGraphBuilder builder;
  const auto add = [&](const char* name, Time work, bool stateless) {
    return builder.add_task({.name = name, .work = work, .stateless = stateless});
  };
  const TaskId t22 = add("t22", Time{1}, false), t25 = add("t25", Time{1}, true),
               t30 = add("t30", Time{1}, true), t31 = add("t31", Time{1}, false),
               t32 = add("t32", Time{1}, true), t34 = add("t34", Time{10}, true);
  (void)builder.add_edge(t25, t32, Bytes{20});
  (void)builder.add_edge(t22, t30, Bytes{19});
  (void)builder.add_edge(t31, t34, Bytes{9});
  const DatumId shared = builder.add_datum(t30, Bytes{11});
  for (const TaskId to : {t31, t32, t34}) (void)builder.add_edge(shared, to);
  plan(std::move(builder).build(), logp::parse_machine("logp:P=3"));
}

TEST(Replication, has_valid_schedules_on_graphs_of_every_size_with_and_without_state) {
  for (std::uint64_t seed = 1; seed <= 49; ++seed) {
    const TaskGraph graph = random_mixed(seed, 3 + 2 * seed);
    const char* const kinds[] = {"delay:P={}", "logp:P={}", "logp:P={},L=3,o=1,g=2",
                                 "loglinear:P=4,L=1+1,o=1+0.5,g=1+0.25,speed=1/2/1/3"};
    const logp::Machine machine =
        logp::parse_machine(fmt::format(fmt::runtime(kinds[seed % 4]), 2 + seed % 15));
    const Evaluation evaluation = plan(graph, machine);
    EXPECT_GE(evaluation.figures.exact_period(), evaluation.figures.bound) << seed;
  }
}

/// The smallest load over every placement of the items of 2 or 3 frames on the stages of a chain with data
/// directly to higher stages: an exhaustive search without code of the library's loads.
double least_load(const TaskGraph& graph, const logp::Machine& machine, std::uint32_t replicas) {
  const std::size_t stages = machine.processor_count(), count = graph.task_count();
  std::vector<std::size_t> stage(count * replicas, 0);
  double least = std::numeric_limits<double>::max();
  std::function<void(std::size_t)> place = [&](std::size_t i) {
    if (i < stage.size()) {
      const std::size_t task = i % count, frame = i / count;
      if (frame > 0 && !graph.task(TaskId(task)).stateless) {
        stage[i] = stage[task];
        return place(i + 1);
      }
      for (stage[i] = 0; stage[i] < stages; ++stage[i]) place(i + 1);
      return;
    }
    std::vector<Time::rep> load(stages, 0);
    for (std::size_t k = 0; k < stage.size(); ++k)
      load[stage[k]] += graph.task(TaskId(k % count)).work.count();
    for (std::uint32_t frame = 0; frame < replicas; ++frame)
      for (std::size_t from = 0; from < stages; ++from)
        for (std::size_t to = 0; to < stages; ++to) {
          Bytes size;
          bool any = false;
          for (EdgeId id : graph.edges()) {
            const Edge edge = graph.edge(id);
            if (stage[frame * count + edge.from.index()] != from ||
                stage[frame * count + edge.to.index()] != to)
              continue;
            if (from > to) return;
            if (from == to) continue;
            any = true;
            size += edge.size;
          }
          if (!any) continue;
          load[from] += machine.send_overhead(ProcessorId(from), ProcessorId(to), size).count();
          load[to] += machine.receive_overhead(ProcessorId(from), ProcessorId(to), size).count();
        }
    least = std::min(least, static_cast<double>(*std::max_element(load.begin(), load.end())) / replicas);
  };
  place(0);
  return least;
}

TEST(Replication, is_not_above_the_best_placement_of_two_or_three_frames) {
  double sum = 0;
  std::size_t cases = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const TaskGraph graph = random_mixed(seed, 4);
    // Without gaps, loads can be reached.
    const logp::Machine machine =
        logp::parse_machine(seed % 2 == 0 ? "loglinear:P=2,L=1,o=1+0.5,g=0" : "delay:P=2");
    if (!can_replicate(graph, machine)) continue;
    const double least = std::min(least_load(graph, machine, 2), least_load(graph, machine, 3));
    const double ratio = plan(graph, machine).figures.period() / least;
    EXPECT_LE(ratio, 1.05) << seed;
    sum += ratio;
    ++cases;
  }
  EXPECT_LE(sum / static_cast<double>(cases), 1.001);
}

/// Costs accurate to a tenth: no frames with a smaller gain, and a period within a tenth of the best.
TEST(Replication, adds_no_frames_with_a_gain_below_the_accuracy_of_the_costs) {
  constexpr double noise = 0.1;
  std::size_t fewer = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const TaskGraph graph = random_mixed(seed, 6);
    const logp::Machine machine =
        logp::parse_machine(seed % 2 == 0 ? "loglinear:P=3,L=1,o=1+0.5,g=0" : "delay:P=3");
    const auto figures_of = [&](const TaskGraph& of, double with_noise) {
      Options options = quick;
      options.cost_noise = with_noise;
      options.frames = FrameClass::interleaved;
      const Evaluation evaluation = evaluate(find_scheduler("optfo"), of, machine, options);
      EXPECT_TRUE(evaluation.findings.empty()) << seed;
      return evaluation.figures;
    };
    TaskGraphBuilder builder;
    for (const TaskId task : graph.tasks())
      (void)builder.add_task({graph.task(task).name, graph.task(task).work});
    for (const EdgeId edge : graph.edges())
      (void)builder.add_edge(graph.edge(edge).from, graph.edge(edge).to, graph.edge(edge).size);
    const Figures best = figures_of(graph, 0), taken = figures_of(graph, noise),
                  of_one = figures_of(std::move(builder).build(), 0);
    EXPECT_LE(taken.period(), best.period() * (1 + noise) * 1.01) << seed;
    if (taken.replicas > 1) {
      EXPECT_LE(taken.period() * (1 + noise), of_one.period() * 1.0001) << seed;
    }
    EXPECT_LE(taken.replicas, best.replicas) << seed;
    fewer += taken.replicas < best.replicas ? 1 : 0;
  }
  EXPECT_GT(fewer, 3U);
}

TEST(Copies, repeat_a_schedule_on_groups_of_processors) {
  const TaskGraph graph = generate("fft:depth=2,cost=1..20,seed=2,data=3,stateless=1");
  const logp::Machine two = logp::parse_machine("logp:P=2,L=2,o=1,g=2"),
                      six = logp::parse_machine("logp:P=6,L=2,o=1,g=2");
  const Schedule one = find_scheduler("chains").schedule(graph, two, {});
  const Schedule three = copies_on_groups(one, 2, 3, 6);
  EXPECT_TRUE(logp::diagnose(graph, six, three).empty());
  EXPECT_EQ(measure(three).exact_period(), (Period{measure(one).repetition, 3}));
  EXPECT_EQ(measure(three).latency, measure(one).makespan);
}

}  // namespace
}  // namespace takt::schedulers
