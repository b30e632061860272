/// Do the schedules for a required rate have the least latency, or the fewest processors? Exhaustive search
/// on small graphs decides.

#include "schedulers/plan/rate_objective.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/graphs/generators.hpp"
#include "core/random.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/plan/pareto.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/plan/shortfall.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/frequency/oracle.hpp"

namespace takt::schedulers {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Options quick{.effort = 3'000};
/// For oracles that know no others.
const Options one_at_a_time{.effort = 3'000, .frames = FrameClass::one_at_a_time};

TaskGraph random_graph(std::uint64_t seed, std::size_t tasks, std::size_t most_data) {
  Random random(seed);
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < tasks; ++i)
    (void)builder.add_task({fmt::format("t{}", i), Time(1 + static_cast<Time::rep>(random.below(9)))});
  for (std::size_t to = 1; to < tasks; ++to)
    for (std::size_t from = 0; from < to; ++from)
      if (random.below(3) == 0)
        (void)builder.add_edge(TaskId(from), TaskId(to), Bytes{random.below(most_data + 1)});
  return std::move(builder).build();
}

/// All schedules of the delay model on this many processors: each task on some processor and the tasks in
/// some sequence. Start times obey s_to >= s_from + work (+ size between processors), successive tasks of a
/// processor do not overlap, and a processor's last task ends within `period` of its first one's start.
/// Longest paths by Bellman and Ford; a graph of n variables without a solution still changes in iteration n.
Time::rep least_makespan(const TaskGraph& graph, std::size_t processors, Time::rep period) {
  const std::size_t n = graph.task_count();
  std::vector<std::size_t> sequence(n), place(n, 0);
  std::iota(sequence.begin(), sequence.end(), std::size_t{0});
  struct Constraint {
    std::size_t from, to;
    Time::rep weight;
  };
  const auto work = [&](std::size_t i) { return graph.task(TaskId(i)).work.count(); };
  Time::rep best = std::numeric_limits<Time::rep>::max();
  do {
    std::vector<std::size_t> rank(n);
    for (std::size_t i = 0; i < n; ++i) rank[sequence[i]] = i;
    const bool is_topological = std::ranges::all_of(graph.edges(), [&](EdgeId id) {
      return rank[graph.edge(id).from.index()] < rank[graph.edge(id).to.index()];
    });
    if (!is_topological) continue;
    std::size_t combinations = 1;
    for (std::size_t i = 0; i < n; ++i) combinations *= processors;
    for (std::size_t code = 0; code < combinations; ++code) {
      for (std::size_t i = 0, rest = code; i < n; ++i, rest /= processors) place[i] = rest % processors;
      std::vector<Constraint> constraints;
      for (EdgeId id : graph.edges()) {
        const std::size_t from = graph.edge(id).from.index(), to = graph.edge(id).to.index();
        const auto flight = place[from] == place[to] ? 0 : static_cast<Time::rep>(graph.edge(id).size.count);
        constraints.push_back({from, to, work(from) + flight});
      }
      for (std::size_t p = 0; p < processors; ++p) {
        std::vector<std::size_t> row;
        for (const std::size_t i : sequence)
          if (place[i] == p) row.push_back(i);
        for (std::size_t i = 1; i < row.size(); ++i)
          constraints.push_back({row[i - 1], row[i], work(row[i - 1])});
        if (!row.empty()) constraints.push_back({row.back(), row.front(), work(row.back()) - period});
      }
      std::vector<Time::rep> start(n, 0);
      bool changes = true;
      for (std::size_t round = 0; changes && round <= n; ++round) {
        changes = false;
        for (const auto& [from, to, weight] : constraints)
          if (start[from] + weight > start[to]) {
            start[to] = start[from] + weight;
            changes = true;
          }
      }
      if (changes) continue;
      Time::rep end = 0;
      for (std::size_t i = 0; i < n; ++i) end = std::max(end, start[i] + work(i));
      best = std::min(best, end);
    }
  } while (std::ranges::next_permutation(sequence).found);
  return best;
}

constexpr Time::rep impossible = std::numeric_limits<Time::rep>::max();

TEST(Objective, latency_is_the_least_that_sustains_the_rate) {
  std::size_t held = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const TaskGraph graph = random_graph(seed, 5, 3);
    const logp::Machine machine = logp::parse_machine("delay:P=2");
    const Time::rep total = graph.total_work().count();
    for (const Time::rep period : {total / 2 + 1, total * 2 / 3, total * 4 / 5}) {
      const RequiredRate rate{static_cast<double>(period)};
      const RateSchedule result =
          schedule_for_rate(Objective::latency, rate, graph, machine, rate_schedulers(), one_at_a_time);
      const Time::rep least = least_makespan(graph, 2, period);
      ASSERT_EQ(result.is_held, least != impossible) << "seed " << seed << " period " << period;
      if (!result.is_held) continue;
      ++held;
      EXPECT_TRUE(logp::diagnose(graph, machine, result.schedule).empty());
      EXPECT_TRUE(rate.is_held_by(measure(result.schedule).exact_period()));
      EXPECT_EQ(measure(result.schedule).latency.count(), least) << "seed " << seed << " period " << period;
    }
  }
  EXPECT_GT(held, 15U);
}

/// With costs that are accurate to a tenth: of all schedules of one frame whose period exceeds the least one
/// by at most a tenth, or meets the required one if that is sustained without the margin, the one with the
/// least latency, within a tenth.
TEST(Objective, also_applies_to_nearly_as_fast_schedules_where_none_sustains_the_rate) {
  constexpr double noise = 0.1;
  const logp::Machine machine = logp::parse_machine("delay:P=2");
  std::size_t shorter = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const TaskGraph graph = random_graph(seed, 5, 6);
    Time::rep fastest = 1;
    while (least_makespan(graph, 2, fastest) == impossible) ++fastest;
    const auto plan_for = [&](double period, double with_noise) {
      Goal goal{.objective = Objective::latency,
                .rate = RequiredRate{period},
                .margin = 2,
                .options = {.effort = 1'000, .frames = FrameClass::one_at_a_time}};
      goal.options.cost_noise = with_noise;
      return make_plan(graph, machine, goal);
    };
    const auto latency_of = [](const Plan& plan) { return plan.evaluation.metrics.latency.count(); };
    // Out of reach, and sustained without a margin.
    for (const auto& [required, longest] :
         {std::pair{fastest - 1, static_cast<Time::rep>(static_cast<double>(fastest) * (1 + noise))},
          std::pair{fastest, fastest}}) {
      if (required == 0) continue;
      const Plan plan = plan_for(static_cast<double>(required), noise);
      EXPECT_TRUE(plan.evaluation.findings.empty()) << seed;
      EXPECT_EQ(plan.objective, Objective::frequency);
      EXPECT_EQ(plan.holds_rate, required == fastest) << seed;
      EXPECT_LE(plan.prediction.period, static_cast<double>(longest)) << seed;
      const auto least = static_cast<double>(least_makespan(graph, 2, longest));
      EXPECT_LE(static_cast<double>(latency_of(plan)), least * (1 + noise)) << seed;
      EXPECT_GE(static_cast<double>(latency_of(plan)), least) << seed;
      const Plan exact = plan_for(static_cast<double>(required), 0);
      EXPECT_EQ(exact.prediction.period, static_cast<double>(fastest)) << seed;
      shorter += latency_of(plan) < latency_of(exact) ? 1 : 0;
    }
  }
  EXPECT_GT(shorter, 3U);
}

/// Tasks of 10 in a row, without state, every 30: copies on two processors, or two of them in a chain. With a
/// source of one frame every 35 the last one of many frames waits for the previous ones.
TEST(Objective, uses_few_frames_per_iteration_and_finds_the_best_with_one) {
  const TaskGraph graph = generate("chain:depth=5,cost=10,stateless=1,data=1");
  const logp::Machine machine = logp::parse_machine("logp:P=2,L=5,o=3,g=3");
  const RateSchedule found =
      schedule_for_rate(Objective::latency, {36}, graph, machine, rate_schedulers(), quick, 36);
  ASSERT_TRUE(found.is_held);
  EXPECT_EQ(found.schedule.replicas, 2U);
  EXPECT_EQ(measure(found.schedule).latency, Time{60});
  ASSERT_TRUE(found.of_one_frame);
  EXPECT_EQ(found.of_one_frame->replicas, 1U);
  EXPECT_EQ(measure(*found.of_one_frame).latency, Time{60 + 3 + 5 + 3});
  EXPECT_TRUE(RequiredRate{36}.is_held_by(measure(*found.of_one_frame).exact_period()));
  EXPECT_TRUE(logp::diagnose(graph, machine, *found.of_one_frame).empty());
}

/// With a limit of the latency: the fewest processors for which some sequence ends in time, by trying all.
TEST(Objective, processors_are_the_fewest_that_also_hold_the_latency) {
  const logp::Machine machine = logp::parse_machine("delay:P=3");
  std::size_t more = 0, late = 0;
  for (std::uint64_t seed = 21; seed <= 28; ++seed) {
    const TaskGraph graph = random_graph(seed, 5, 0);
    const Time::rep total = graph.total_work().count(), period = total;
    for (const Time::rep limit : {total, total * 4 / 5, total * 3 / 5, total / 3}) {
      const auto is_in_time = [&](std::size_t count) {
        return least_makespan(graph, count, period) <= limit;
      };
      std::size_t fewest = 1;
      while (fewest <= 3 && !is_in_time(fewest)) ++fewest;
      const RateSchedule result =
          schedule_for_rate(Objective::processors, {static_cast<double>(period)}, graph, machine,
                            rate_schedulers(), quick, {}, Time{limit});
      ASSERT_TRUE(result.is_held) << seed;
      const ScheduleMetrics metrics = measure(result.schedule);
      EXPECT_EQ(metrics.latency <= Time{limit}, fewest <= 3) << "seed " << seed << " limit " << limit;
      if (fewest > 3) {
        // Then the least latency of all.
        EXPECT_EQ(metrics.latency.count(), least_makespan(graph, 3, period)) << seed;
        ++late;
        continue;
      }
      EXPECT_EQ(metrics.processors_used, fewest) << "seed " << seed << " limit " << limit;
      more += fewest > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(more, 3U);
  EXPECT_GT(late, 3U);
}

TEST(Objective, processors_are_the_fewest_that_sustain_the_rate) {
  for (std::uint64_t seed = 21; seed <= 30; ++seed) {
    const TaskGraph graph = random_graph(seed, 5, 0);
    const logp::Machine machine = logp::parse_machine("delay:P=3");
    const Time::rep total = graph.total_work().count();
    for (const Time::rep period : {total, total * 2 / 3, total / 2 + 1, total / 3 + 2}) {
      std::size_t fewest = 1;
      while (fewest <= 3 && least_makespan(graph, fewest, period) == impossible) ++fewest;
      const RateSchedule result = schedule_for_rate(Objective::processors, {static_cast<double>(period)},
                                                    graph, machine, rate_schedulers(), quick);
      ASSERT_EQ(result.is_held, fewest <= 3) << "seed " << seed << " period " << period;
      if (!result.is_held) continue;
      EXPECT_EQ(measure(result.schedule).processors_used, fewest) << seed;
    }
  }
}

/// Independent tasks with a table of times.
TaskGraph random_table(Random& random, std::size_t tasks, std::size_t processors) {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < tasks; ++i) {
    std::vector<Time> times;
    for (std::size_t p = 0; p < processors; ++p) times.emplace_back(random.between(1, 20));
    builder.set_work_table(builder.add_task({.name = fmt::format("t{}", i)}), times);
  }
  return std::move(builder).build();
}

/// The fewest processors for a distribution of independent tasks in which none is busy for longer.
std::size_t fewest_by_distribution(const TaskGraph& graph, std::size_t processors, Time period) {
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < graph.task_count(); ++i) combinations *= processors;
  std::size_t fewest = processors + 1;
  for (std::size_t code = 0; code < combinations; ++code) {
    std::vector<Time> load(processors, Time{0});
    std::size_t rest = code;
    for (TaskId task : graph.tasks()) {
      load[rest % processors] += graph.work_on(task, ProcessorId(rest % processors)).value();
      rest /= processors;
    }
    if (std::ranges::max(load) > period) continue;
    fewest = std::min<std::size_t>(fewest, processors - std::ranges::count(load, Time{0}));
  }
  return fewest;
}

TEST(Objective, processors_are_the_fewest_of_all_selections_with_a_table_of_times) {
  Random random(41);
  std::size_t proven = 0;
  for (int i = 0; i < 30; ++i) {
    const TaskGraph graph = random_table(random, 6, 4);
    const logp::Machine machine = logp::parse_machine("logp:P=4,L=0,o=0,g=0");
    for (const Time period : {Time{15}, Time{25}, Time{40}}) {
      const std::size_t fewest = fewest_by_distribution(graph, 4, period);
      const RateSchedule result = schedule_for_rate(
          Objective::processors, {static_cast<double>(period.count())}, graph, machine, rate_schedulers());
      ASSERT_EQ(result.is_held, fewest <= 4) << "graph " << i << " period " << period.count();
      if (!result.is_held) continue;
      EXPECT_EQ(measure(result.schedule).processors_used, fewest) << i << " period " << period.count();
      EXPECT_TRUE(logp::diagnose(graph, machine, result.schedule).empty());
      proven += result.is_proven ? 1 : 0;
    }
  }
  EXPECT_GT(proven, 10U);
}

TEST(Objective, processors_are_chosen_among_all_with_different_links) {
  const Options some{.effort = 20'000};
  Random random(42);
  for (int i = 0; i < 12; ++i) {
    const logp::Machine machine = oracle::random_levels(random, 4);
    const TaskGraph graph = oracle::random_graph(random, 5, 35, 20, 4);
    // Every selection of processors, by the set bits of a number, and the best relay chain on it.
    std::array<Time, 5> least;
    least.fill(Time::max());
    for (unsigned selected = 1; selected < 16; ++selected) {
      std::vector<ProcessorId> processors;
      for (unsigned p = 0; p < 4; ++p)
        if ((selected >> p & 1U) != 0) processors.emplace_back(p);
      Time& of_number = least.at(processors.size());
      of_number = std::min(of_number, Time(oracle::least_period_relay(graph, machine.subset(processors))));
    }
    for (std::size_t number = 1; number <= 4; ++number) {
      const RequiredRate rate{static_cast<double>(least.at(number).count())};
      const RateSchedule result =
          schedule_for_rate(Objective::processors, rate, graph, machine, rate_schedulers(), some);
      ASSERT_TRUE(result.is_held) << "graph " << i << " number " << number;
      EXPECT_LE(measure(result.schedule).processors_used, number) << "graph " << i;
      EXPECT_TRUE(
          schedule_for_rate(Objective::latency, rate, graph, machine, rate_schedulers(), some).is_held)
          << "graph " << i;
    }
  }
}

TEST(Objective, a_low_rate_costs_no_latency) {
  const TaskGraph graph = generate("fft:depth=2,cost=1..9,seed=1");
  const logp::Machine machine = logp::parse_machine("logp:P=3,L=1,o=1,g=1");
  auto latency = [&](double frequency) {
    const RateSchedule result =
        schedule_for_rate(Objective::latency, {1 / frequency}, graph, machine, rate_schedulers(), quick);
    EXPECT_TRUE(result.is_held) << frequency;
    return measure(result.schedule).latency;
  };
  const Time without_demand = latency(1e-6);
  for (double frequency : {1e-15, 1e-18, 1e-19, 1e-30, 1e-300})
    EXPECT_EQ(latency(frequency), without_demand) << frequency;
}

TEST(Objective, alternates_between_groups_of_processors_for_a_graph_without_state) {
  // 6 tasks of 10 in a row: one processor takes 60 per frame. A frame every 30 needs two processors and has a
  // latency of 60, in either way.
  const TaskGraph graph = generate("chain:depth=5,cost=10,stateless=1,data=1");
  const logp::Machine machine = logp::parse_machine("logp:P=4,L=5,o=3,g=3");
  const RateSchedule result =
      schedule_for_rate(Objective::latency, {30}, graph, machine, rate_schedulers(), quick);
  ASSERT_TRUE(result.is_held);
  EXPECT_EQ(measure(result.schedule).latency, Time{60});
  EXPECT_EQ(measure(result.schedule).processors_used, 2U);
  EXPECT_TRUE(logp::diagnose(graph, machine, result.schedule).empty());
}

TEST(RequiredRate, is_frames_per_tick_or_hertz) {
  EXPECT_DOUBLE_EQ(parse_required_rate("0.05").period, 20);
  EXPECT_DOUBLE_EQ(parse_required_rate("50Hz").period, 2e7);
  EXPECT_THROW((void)parse_required_rate("0"), ConfigError);
  EXPECT_THROW((void)parse_required_rate("often"), ConfigError);
}

TEST(Shortfall, names_the_task_that_is_too_long_and_the_number_of_parts) {
  TaskGraphBuilder builder;
  (void)builder.add_task({"short", Time{10}});
  (void)builder.add_task({"long", Time{100}});
  const TaskGraph graph = std::move(builder).build();
  const Shortfall shortfall =
      explain_shortfall({40}, graph, logp::parse_machine("delay:P=4"), {{Time{100}, 1}}, {.search = quick});
  EXPECT_TRUE(shortfall.is_impossible);
  EXPECT_THAT(shortfall.advice.front(), HasSubstr("'long' takes 100"));
  EXPECT_THAT(shortfall.advice.front(), HasSubstr("3 tasks"));
  EXPECT_THAT(to_text(shortfall, {40}), HasSubstr("cannot be held"));
  EXPECT_EQ(nlohmann::json::parse(to_json(shortfall, {40}))["impossible"], true);
}

TEST(Shortfall, advises_no_change_of_built_in_tasks) {
  const TaskGraph graph = generate("chain:depth=2,cost=100");
  const Shortfall shortfall =
      explain_shortfall({40}, graph, logp::parse_machine("delay:P=4"), {{Time{100}, 1}},
                        {.search = quick, .built_in = {TaskId(0), TaskId(1), TaskId(2)}});
  const std::string advice = fmt::format("{}", fmt::join(shortfall.advice, "|"));
  EXPECT_THAT(advice, HasSubstr("task '0' takes 100, 2.5 times the 40 between frames: it is built in"));
  EXPECT_THAT(advice, AllOf(Not(HasSubstr("split")), Not(HasSubstr("stateless"))));
  // The user can only change their own tasks.
  const Shortfall mixed = explain_shortfall({40}, graph, logp::parse_machine("delay:P=4"), {{Time{100}, 1}},
                                            {.search = quick, .built_in = {TaskId(0), TaskId(2)}});
  EXPECT_THAT(mixed.advice,
              Contains(HasSubstr(
                  "task '1' takes 100, 2.5 times the 40 between frames: make it 2.5 times faster, or split "
                  "it into at least 3 tasks, or declare it stateless if it keeps no data between frames")));
}

TEST(Shortfall, counts_the_processors_that_would_suffice) {
  // 64 tasks of 10 on 4 processors: 160. A frame every 80 needs 8 of them.
  const TaskGraph graph = generate("fork_join:depth=1,width=62,cost=10");
  const Shortfall shortfall =
      explain_shortfall({80}, graph, logp::parse_machine("delay:P=4"), {{Time{160}, 1}}, {.search = quick});
  EXPECT_THAT(shortfall.advice.front(), HasSubstr("8 processors"));
  EXPECT_THAT(shortfall.advice.front(), HasSubstr("the least number"));
}

TEST(Shortfall, has_times_with_units_where_they_are_known) {
  const TaskGraph graph = generate("fork_join:depth=1,width=62,cost=10000");
  const Shortfall shortfall = explain_shortfall({80'000}, graph, logp::parse_machine("delay:P=4"),
                                                {{Time{160'000}, 1}}, {.search = quick, .is_in_ns = true});
  EXPECT_THAT(shortfall.advice, AllOf(Contains(HasSubstr("period 80 us found")),
                                      Contains(HasSubstr("the best schedule found has period 160 us"))));
}

TEST(Shortfall, counts_processors_on_free_nodes_of_a_network_only) {
  const TaskGraph graph = generate("fork_join:depth=1,width=62,cost=10,data=0");
  const auto advice_on = [&](const char* machine) {
    return fmt::format("{}", fmt::join(explain_shortfall({80}, graph, logp::parse_machine(machine),
                                                         {{Time{160}, 1}}, {.search = quick})
                                           .advice,
                                       "|"));
  };
  EXPECT_THAT(advice_on("delay:P=4,network=complete:9"), HasSubstr("8 processors"));
  EXPECT_THAT(advice_on("delay:P=4,network=complete:7"), HasSubstr("more processors are not enough"));
  EXPECT_THAT(advice_on("delay:P=4,network=complete:4"), Not(HasSubstr("processors")));
  EXPECT_THAT(advice_on("delay:P=4,network=fat_tree:2x2"), Not(HasSubstr("processors")));
}

TEST(Shortfall, reports_when_replication_would_suffice) {
  const TaskGraph graph = generate("chain:depth=1,cost=60");
  const Shortfall shortfall =
      explain_shortfall({40}, graph, logp::parse_machine("delay:P=3"), {{Time{60}, 1}}, {.search = quick});
  EXPECT_THAT(fmt::format("{}", fmt::join(shortfall.advice, "|")), HasSubstr("period 40"));
}

/// Every assignment and order of one frame at a time, by the oracle: a rate is feasible or impossible, and
/// the plan decides which.
TEST(Rates, of_small_graphs_are_decided) {
  Random random(4);
  for (int round = 0; round < 20; ++round) {
    const TaskGraph graph = oracle::random_graph(random, 5, 40, 9, 6);
    const logp::Machine machine =
        logp::parse_machine(round % 2 == 0 ? "logp:P=2,L=3" : "loglinear:P=3,L=1+1");
    const std::int64_t least = oracle::least_period_without_overheads(graph, machine);
    for (const std::int64_t period : {least - 1, least}) {
      if (period <= 0) continue;
      const Goal goal{.objective = Objective::latency,
                      .rate = RequiredRate{static_cast<double>(period)},
                      .options = {.frames = FrameClass::one_at_a_time}};
      const Plan plan = make_plan(graph, machine, goal);
      EXPECT_EQ(plan.holds_rate, period == least) << "round " << round;
      if (plan.holds_rate) continue;
      const Figures& figures = plan.evaluation.figures;
      const Shortfall shortfall = explain_shortfall(
          *goal.rate, graph, machine, {figures.exact_period(), figures.bound}, {.search = quick});
      EXPECT_TRUE(shortfall.is_impossible) << "round " << round;
      EXPECT_EQ(nlohmann::json::parse(to_json(shortfall, *goal.rate))["answer"], "impossible");
    }
  }
}

TEST(Shortfall, reports_when_the_rate_is_undecided) {
  // A bound of 40 and a schedule of 50 leave 45 undecided.
  const TaskGraph graph = generate("fork_join:depth=1,width=4,cost=10,data=9");
  const logp::Machine machine = logp::parse_machine("delay:P=2");
  const Shortfall shortfall =
      explain_shortfall({45}, graph, machine, {{Time{50}, 1}, {Time{40}, 1}}, {.search = quick});
  EXPECT_FALSE(shortfall.is_impossible);
  EXPECT_THAT(to_text(shortfall, {45}), HasSubstr("neither reached nor excluded"));
  EXPECT_EQ(nlohmann::json::parse(to_json(shortfall, {45}))["answer"], "not decided");
}

TEST(ParetoFront, has_points_that_do_not_dominate_each_other) {
  const TaskGraph graph = generate("fft:depth=2,cost=1..20,seed=5,data=2");
  const logp::Machine machine = logp::parse_machine("logp:P=4,L=2,o=1,g=2");
  const std::vector<ParetoPoint> front = pareto_front(graph, machine, rate_schedulers(), {.effort = 500});
  ASSERT_GT(front.size(), 3U);
  for (const ParetoPoint& a : front) {
    EXPECT_TRUE(logp::diagnose(graph, machine, a.schedule).empty());
    for (const ParetoPoint& b : front)
      EXPECT_TRUE(&a == &b || a.processors < b.processors || a.period < b.period || a.latency < b.latency);
  }
  EXPECT_EQ(front.front().processors, 1U);
  EXPECT_EQ(front.front().period, (Period{graph.total_work(), 1}));
  EXPECT_EQ(nlohmann::json::parse(to_json(front)).size(), front.size());
}

TEST(ParetoFront, has_the_least_latency_of_each_of_its_frequencies) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 41; seed <= 48; ++seed) {
    const TaskGraph graph = random_graph(seed, 5, 3);
    for (const ParetoPoint& point :
         pareto_front(graph, logp::parse_machine("delay:P=2"), rate_schedulers(), one_at_a_time)) {
      EXPECT_EQ(point.latency.count(), least_makespan(graph, point.processors, point.period.time.count()))
          << "seed " << seed << " period " << point.period.time.count();
      ++compared;
    }
  }
  EXPECT_GT(compared, 20U);
}

TEST(ParetoFront, is_valid_and_falls_with_processors_with_expensive_messages) {
  for (std::string_view text :
       {"logp:P=5,L=1,o=1,g=2", "loglinear:P=4,L=1+1,o=1+1,g=2+2", "logp:P=4,L=3,o=1,g=1,speed=1/2/1/0.5"}) {
    const TaskGraph graph = generate("layered:tasks=40,cost=1..20,data=1..4,seed=3");
    const logp::Machine machine = logp::parse_machine(text);
    const std::vector<ParetoPoint> front = pareto_front(graph, machine, rate_schedulers(), {.effort = 300});
    for (std::size_t i = 0; i < front.size(); ++i) {
      EXPECT_TRUE(logp::diagnose(graph, machine, front[i].schedule).empty()) << text;
      EXPECT_EQ(front[i].latency, measure(front[i].schedule).latency);
      if (i == 0 || front[i - 1].processors != front[i].processors) continue;
      EXPECT_LT(front[i - 1].period, front[i].period) << text;
      EXPECT_GT(front[i - 1].latency, front[i].latency) << text;
    }
  }
}

TEST(Objective, finds_far_less_latency_than_a_chain_on_a_wide_graph) {
  // optfo fills a chain of eight processors: a frame takes eight periods.
  // A period of 1.3 times the least one is also sustained by groups that
  // work on a part of the graph each, with less than half of that latency.
  const TaskGraph graph = generate("layered:tasks=200,seed=1,cost=1..20,data=1..4");
  const logp::Machine machine = logp::parse_machine("logp:P=8,L=1,o=1,g=2");
  const ScheduleMetrics chain = measure(find_scheduler("optfo").schedule(graph, machine, quick));
  const RequiredRate rate{1.35 * chain.period()};
  const RateSchedule result =
      schedule_for_rate(Objective::latency, rate, graph, machine, rate_schedulers(), quick);
  ASSERT_TRUE(result.is_held);
  EXPECT_TRUE(rate.is_held_by(measure(result.schedule).exact_period()));
  EXPECT_LT(measure(result.schedule).latency * 2, chain.latency);
  EXPECT_TRUE(logp::diagnose(graph, machine, result.schedule).empty());
}

}  // namespace
}  // namespace takt::schedulers
