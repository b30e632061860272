/// Does `optfo` reach its goals?

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "logp/diagnostics.hpp"
#include "logp/period.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/frequency/basic_fo.hpp"
#include "schedulers/frequency/brent.hpp"
#include "schedulers/frequency/chains.hpp"
#include "schedulers/frequency/greedy.hpp"
#include "schedulers/frequency/other_loads.hpp"
#include "schedulers/frequency/single.hpp"
#include "schedulers/registry/registry.hpp"
#include "schedulers/sequences/arrangement.hpp"
#include "tests/schedulers/frequency/oracle.hpp"
#include "tests/schedulers/frequency/searches.hpp"

namespace takt::schedulers {
namespace {

TEST(Optfo, is_never_below_the_baselines_even_without_any_effort) {
  for (std::string_view shape :
       {"send_tree:depth=3,cost=1..100,data=3,seed={}", "fft:depth=3,cost=1..100,data=10,seed={}",
        "diamond:depth=4,cost=1..100,data=10,seed={}", "fork_join:depth=1,width=9,cost=1..900,seed={}",
        "layered:tasks=40,jump=3,cost=1..100,data=1..20,seed={}"})
    for (std::string_view machine_text :
         {"logp:P=3,L=0,o=0,g=0", "logp:P=8,L=1,o=1,g=2", "loglinear:P=5,L=1+1,o=1+1,g=2+2",
          "loglinear:P=3,L=1+1,o=9+1,g=2+2", "logp:P=4,L=3,o=9,g=2,speed=1/3/0.25/2", "delay:P=4"})
      for (int seed = 0; seed < 3; ++seed)
        for (std::uint64_t effort : {0, 3000}) {
          const TaskGraph graph = generate(fmt::format(fmt::runtime(shape), seed));
          const logp::Machine machine = logp::parse_machine(machine_text);
          const Time period = measure(optfo(graph, machine, {.effort = effort})).repetition;
          for (auto baseline : {single, basic_fo, greedy, chains})
            EXPECT_LE(period, measure(baseline(graph, machine, {})).repetition)
                << shape << " on " << machine_text;
        }
}

TEST(Optfo, finds_the_best_of_all_relay_chains_of_small_graphs_or_something_better) {
  Random random(10);
  for (std::string_view machine_text :
       {"logp:P=3,L=0,o=0,g=0", "logp:P=3,L=1,o=3,g=4", "loglinear:P=3,L=1+1,o=1+1,g=2+2",
        "logp:P=3,L=1,o=1,g=1,speed=1/2/0.5"})
    for (int i = 0; i < 15; ++i) {
      const TaskGraph graph = oracle::random_graph(random, 2 + random.below(6), 35, 20, 6);
      const logp::Machine machine = logp::parse_machine(machine_text);
      EXPECT_LE(measure(optfo(graph, machine, {.effort = 30'000})).repetition.count(),
                oracle::least_period_relay(graph, machine))
          << "graph " << i << " on " << machine_text;
    }
}

/// Every generator, with costs, data and a seed.
constexpr std::string_view every_shape[] = {"chain:depth=9",          "fork_join:depth=2,width=5",
                                            "diamond:depth=5",        "send_tree:depth=3",
                                            "receive_tree:depth=3",   "fft:depth=3",
                                            "inverse_fft:depth=2",    "wave:depth=3,width=5",
                                            "gauss:size=5",           "laplace:size=4",
                                            "nbody:size=5",           "strassen:",
                                            "layered:tasks=40,jump=2"};

TEST(Optfo, is_never_below_the_baselines_on_any_shape_and_random_machines) {
  Random random(12);
  for (std::string_view shape : every_shape)
    for (int i = 0; i < 6; ++i) {
      const TaskGraph graph =
          generate(fmt::format("{}{}cost=1..{},data=1..20,seed={}", shape, shape.back() == ':' ? "" : ",",
                               random.between(2, 200), i));
      const std::size_t processors = 1 + random.below(6);
      const std::string speeds = [&] {
        std::string text = "1";
        for (std::size_t p = 1; p < processors; ++p) text += fmt::format("/{:.2f}", 0.2 + random.unit() * 3);
        return text;
      }();
      const auto draw = [&] { return random.between(0, 12); };
      const std::string costs =
          i % 2 == 0
              ? fmt::format("logp:P={},L={},o={},g={}", processors, draw(), draw(), draw())
              : fmt::format("loglinear:P={},L={}+1,o={}+0.5,g={}+2", processors, draw(), draw(), draw());
      const std::string text = costs + (i % 3 == 0 ? ",speed=" + speeds : "");
      const logp::Machine machine = logp::parse_machine(text);
      const Schedule schedule = optfo(graph, machine, {.effort = 2000});
      EXPECT_TRUE(logp::diagnose(graph, machine, schedule, {.limit = 1}).empty()) << shape << " on " << text;
      for (auto baseline : {single, basic_fo, greedy, chains})
        EXPECT_LE(measure(schedule).repetition, measure(baseline(graph, machine, {})).repetition)
            << shape << " on " << text;
    }
}

TEST(Optfo, comes_within_two_thousandths_of_the_exact_optimum_on_average) {
  Random random(13);
  double sum = 0;
  constexpr int count = 40;
  for (int i = 0; i < count; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 5 + random.below(4), 30, 100);
    const logp::Machine machine = logp::parse_machine(i % 2 == 0 ? "logp:P=2" : "logp:P=3");
    const Schedule best = exact_fo(graph, machine, {});
    ASSERT_TRUE(best.optimal) << "graph " << i;
    sum += static_cast<double>(measure(best).repetition.count()) /
           static_cast<double>(measure(optfo(graph, machine, {})).repetition.count());
  }
  EXPECT_GE(sum / count, 0.998);
}

/// Mean of bound / period over seeds 1..5.
double mean_ratio(std::string_view shape, std::size_t processors) {
  const logp::Machine machine = logp::parse_machine(fmt::format("logp:P={},L=0,o=0,g=0", processors));
  double sum = 0;
  constexpr int count = 5;
  for (int seed = 1; seed <= count; ++seed) {
    const TaskGraph graph = generate(fmt::format("{},cost=1..100,seed={}", shape, seed));
    const Time period = measure(optfo(graph, machine, {})).repetition;
    sum += static_cast<double>(PeriodBounds(graph, machine).best().period.time_of(1).count()) /
           static_cast<double>(period.count());
  }
  return sum / count;
}

TEST(Optfo, comes_within_two_thousandths_of_the_bound_on_three_processors) {
  for (std::string_view shape : {"send_tree:depth=5", "send_tree:depth=6", "fft:depth=4",
                                 "wave:depth=4,width=6", "wave:depth=9,width=6"})
    EXPECT_GE(mean_ratio(shape, 3), 0.998) << shape;
}

TEST(Optfo, comes_within_one_hundredth_of_the_bound_on_eight_processors) {
  // n >= 15 P = 120.
  for (std::string_view shape : {"send_tree:depth=6", "fft:depth=5", "wave:depth=20,width=6"})
    EXPECT_GE(mean_ratio(shape, 8), 0.99) << shape;
}

/// The claims of docs/reproduction/frequency-sizes.md about data of unequal sizes: basic_fo, chains and optfo
/// rank in this order, and the gap between the two ends is at least a fifth of the bound's frequency.
TEST(Optfo, moves_heavy_data_off_the_boundaries) {
  const logp::Machine machine = logp::parse_machine("loglinear:P=3,L=1+1,o=1+1,g=2+2");
  double sum_of_basic = 0, sum_of_chains = 0, sum_of_optfo = 0;
  int count = 0;
  for (std::string_view shape : {"send_tree:depth=4", "fft:depth=3", "wave:width=6,depth=2"})
    for (int seed = 1; seed <= 2; ++seed) {
      const TaskGraph graph = generate(fmt::format("{},cost=1..100,data=1..19,seed={}", shape, seed));
      const Schedule best = optfo(graph, machine, {.effort = 10'000});
      const double bound = best.period_bound->ticks();
      const auto share = [&](const Schedule& schedule) { return bound / measure(schedule).period(); };
      sum_of_basic += share(basic_fo(graph, machine, {}));
      sum_of_chains += share(chains(graph, machine, {}));
      sum_of_optfo += share(best);
      ++count;
    }
  EXPECT_GT(sum_of_chains, sum_of_basic);
  EXPECT_GT(sum_of_optfo, sum_of_basic + 0.2 * count);
  // 0.957, 0.896 and 0.933 there, with five times the effort.
  EXPECT_GT(sum_of_optfo, 0.9 * count);
}

/// All except searches with a proof, which themselves start from the result of optfo.
void expect_not_worse_than_any(const TaskGraph& graph, const logp::Machine& machine,
                               const std::string& what) {
  const Options options{.effort = 2'000};
  const Period period = measure(optfo(graph, machine, options)).exact_period();
  for (const Scheduler& scheduler : all_schedulers()) {
    if (scheduler.traits.proves) continue;
    EXPECT_LE(period, measure(scheduler.schedule(graph, machine, options)).exact_period())
        << what << ": " << scheduler.name;
  }
}

TEST(Optfo, is_never_worse_than_any_scheduler_of_the_library) {
  Random random(91);
  for (std::string_view shape :
       {"layered:tasks=40,jump=3", "gauss:size=6", "fork_join:depth=2,width=9", "receive_tree:depth=4"})
    for (std::string_view ccr : {"0.1", "1", "10"})
      for (std::string_view machine_format :
           {"delay:P={}", "logp:P={},L=9,o=4,g=6", "loglinear:P={},L=10+0.5,o=2+0.25,g=2+0.25",
            "loglinear:P={0},L=9+1,o=2,g=3,network=ring:{0},link=3+1"}) {
        const std::string text = fmt::format("{},cost=1..100,ccr={},seed={}", shape, ccr, random.below(1000));
        const std::string machine_text = fmt::format(fmt::runtime(machine_format), 3 + random.below(8));
        expect_not_worse_than_any(generate(text), logp::parse_machine(machine_text),
                                  text + " on " + machine_text);
      }
}

TEST(Optfo, is_never_worse_than_any_scheduler_on_random_graphs_with_and_without_state) {
  Random random(92);
  for (int i = 0; i < 40; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 1 + random.below(30), 5 + random.below(20), 60, 90);
    const logp::Machine machine = i % 3 == 0 ? oracle::random_levels(random, 2 + random.below(7))
                                             : logp::parse_machine("loglinear:P=6,L=3+1,o=1+1,g=2+1");
    expect_not_worse_than_any(i % 2 == 0 ? graph : oracle::with_stateless_tasks(random, graph), machine,
                              fmt::format("graph {}", i));
  }
}

TEST(Brent, with_needed_messages_has_the_same_tasks_on_each_processor_and_no_message_without_data) {
  Random random(94);
  for (int i = 0; i < 60; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 2 + random.below(30), 5 + random.below(20), 60, 90);
    const logp::Machine machine = i % 3 == 0 ? oracle::random_levels(random, 2 + random.below(7))
                                             : logp::parse_machine("loglinear:P=6,L=3+1,o=1+1,g=2+1");
    const Schedule whole = brent(graph, machine, {}), needed = brent_with_needed_messages(graph, machine, {});
    EXPECT_TRUE(logp::diagnose(graph, machine, needed).empty()) << i;
    EXPECT_EQ(allocation_of(needed).order, allocation_of(whole).order) << i;
    std::size_t with_data = 0;
    for (const MessageId message : ids<MessageId>(whole.messages.size()))
      with_data += whole.payload(message).empty() ? 0 : 1;
    EXPECT_EQ(needed.messages.size(), with_data) << i;
  }
}

/// The shape of parallel sensor channels. Whole chains by longest processing time, computed here.
TEST(Optfo, is_never_worse_than_whole_independent_chains_by_longest_processing_time) {
  Random random(93);
  for (int i = 0; i < 15; ++i) {
    TaskGraphBuilder builder;
    std::vector<std::int64_t> works;
    for (std::size_t chain = 9 + random.below(40); chain > 0; --chain) {
      std::optional<TaskId> before;
      std::int64_t& sum = works.emplace_back(0);
      for (std::size_t length = 2 + random.below(5); length > 0; --length) {
        const auto work = random.between(1, 100);
        const TaskId task =
            builder.add_task({.name = fmt::format("{}.{}", chain, length), .work = Time(work)});
        if (before)
          builder.add_edge(*before, task, Bytes{static_cast<std::uint64_t>(random.between(1, 100))});
        before = task;
        sum += work;
      }
    }
    const TaskGraph graph = std::move(builder).build();
    const std::size_t processors = 4 + random.below(13);
    std::ranges::sort(works, std::greater{});
    std::vector<std::int64_t> load(processors, 0);
    for (std::int64_t work : works) *std::ranges::min_element(load) += work;
    const logp::Machine machine =
        logp::parse_machine(fmt::format("loglinear:P={},L=10+1,o=5+0.2,g=5+0.2", processors));
    for (std::uint64_t effort : {0, 20'000})
      EXPECT_LE(measure(optfo(graph, machine, {.effort = effort})).repetition.count(), std::ranges::max(load))
          << works.size() << " chains on " << processors << " processors, effort " << effort;
  }
}

TEST(Optfo, is_reproducible_for_the_same_seed) {
  const TaskGraph graph = generate("layered:tasks=60,jump=3,cost=1..100,seed=12,data=1..20");
  const logp::Machine machine = logp::parse_machine("loglinear:P=4,L=1+1,o=1+1,g=2+2");
  const Schedule first = optfo(graph, machine, {.seed = 5, .effort = 20'000});
  EXPECT_EQ(first, optfo(graph, machine, {.seed = 5, .effort = 20'000}));
}

/// A caller that stops it at a time limit has the schedules reported so far.
TEST(Optfo, reports_schedules_as_it_finds_them) {
  for (const char* text : {"logp:P=4,L=2,o=1,g=2", "delay:P=4,network=ring:4"})
    for (const char* shape : {"layered:tasks=20,cost=1..100,data=1..9,seed=3",
                              "layered:tasks=12,cost=1..100,data=1..9,seed=5,stateless=1"}) {
      const TaskGraph graph = generate(shape);
      const logp::Machine machine = logp::parse_machine(text);
      Options options{.effort = 2'000};
      const Schedule unheard = find_scheduler("optfo").schedule(graph, machine, options);
      std::optional<Period> least;
      int told = 0;
      const ScheduleListener listener = [&](const Schedule& schedule) {
        EXPECT_TRUE(logp::diagnose(graph, machine, schedule).empty());
        const Period period = measure(schedule).exact_period();
        least = std::min(least.value_or(period), period);
        ++told;
      };
      options.listener = &listener;
      EXPECT_EQ(find_scheduler("optfo").schedule(graph, machine, options), unheard);
      EXPECT_GE(told, 1);
      EXPECT_EQ(least, measure(unheard).exact_period()) << shape << " on " << text;
    }
}

TEST(Optfo, reports_optimal_when_the_bound_is_met) {
  const TaskGraph graph = generate("send_tree:depth=5,cost=1..100,seed=1");
  const Schedule schedule = optfo(graph, logp::parse_machine("logp:P=3,L=0,o=0,g=0"), {});
  EXPECT_TRUE(schedule.optimal);
  EXPECT_EQ(schedule.period_bound, measure(schedule).exact_period());
}

TEST(Optfo, does_not_depend_on_the_numbering_of_processors) {
  // 16 processors in four nodes of four, numbered node by node; then alternating between the nodes.
  Platform platform = Platform::uniform(16);
  platform.cluster_of_node = {0, 0, 0, 0};
  std::vector<std::size_t> new_numbers;
  for (std::size_t p = 0; p < 16; ++p) {
    platform.node_of[p] = static_cast<std::uint32_t>(p / 4);
    new_numbers.push_back(p % 4 * 4 + p / 4);
  }
  const logp::LinkCosts near{{1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}};
  const logp::LinkCosts far{{30, 0}, {20, 0}, {20, 0}, {20, 0}, {20, 0}};
  const logp::Machine machine(platform, {logp::LinkCosts{}, near, far, far});
  const logp::Machine renumbered = oracle::renumbered(machine, new_numbers);
  for (const char* graph : {"wave:depth=8,width=6,cost=1..100,seed=5", "layered:tasks=40,cost=1..100,seed=2",
                            "fft:depth=3,cost=1..100,seed=1"}) {
    const Schedule schedule = optfo(generate(graph), machine, {.effort = 50'000});
    const Schedule other = optfo(generate(graph), renumbered, {.effort = 50'000});
    EXPECT_EQ(measure(schedule).repetition, measure(other).repetition) << graph;
  }
}

/// exact_fo proves this in a fifth of a second.
TEST(Optfo, is_as_good_as_exact_fo_on_small_waves_with_messages) {
  for (const char* text : {"loglinear:P=3,L=1+1,o=1+1,g=2+2", "logp:P=3,L=1,o=1,g=2"})
    for (int seed = 1; seed <= 4; ++seed) {
      const TaskGraph graph = generate(fmt::format("wave:width=6,depth=2,data=10,cost=1..100,seed={}", seed));
      const logp::Machine machine = logp::parse_machine(text);
      EXPECT_EQ(measure(optfo(graph, machine, {})).repetition,
                measure(exact_fo(graph, machine, {})).repetition)
          << text << " seed " << seed;
    }
}

/// Graphs with a longer search of all schedules (the first), or of more relay chains (of 64 tasks).
TEST(Optfo, searches_as_far_as_exact_fo) {
  for (const auto& [text, machine_text] :
       {std::pair("receive_tree:depth=3,cost=1..100,data=5..40,seed=702838", "logp:P=3,L=1,o=1,g=2"),
        std::pair("nbody:size=8,cost=1..100,ccr=0.1,seed=902", "loglinear:P=4,L=0+1,o=0+1,g=0+1")}) {
    const TaskGraph graph = generate(text);
    const logp::Machine machine = logp::parse_machine(machine_text);
    const Options options{.frames = FrameClass::one_at_a_time};
    EXPECT_LE(measure(optfo(graph, machine, options)).repetition,
              measure(exact_fo(graph, machine, options)).repetition)
        << text;
  }
}

/// With small efforts results vary. The first graph had period 11 instead of 9: copies of two stateless tasks
/// had used up all steps.
TEST(Optfo, is_not_worse_than_exact_fo_with_any_small_effort) {
  TaskGraphBuilder builder;
  const std::vector<std::int64_t> work{18, 11, 11, 4, 1, 3, 17, 3};
  for (std::size_t i = 0; i < work.size(); ++i)
    builder.add_task({fmt::format("t{}", i), Time(work[i]), i == 0 || i == 4});
  for (std::size_t i = 1; i + 1 < work.size(); ++i) builder.add_edge(TaskId(0), TaskId(i), Bytes{1});
  for (std::size_t i = 1; i + 1 < work.size(); ++i)
    builder.add_edge(TaskId(i), TaskId(work.size() - 1), Bytes{1});
  const TaskGraph fork = std::move(builder).build();
  for (const std::uint64_t effort : {500, 10'000})
    EXPECT_EQ(
        measure(optfo(fork, logp::parse_machine("logp:P=5,L=19,o=0,g=4,speed=2/2/2/1/2"), {.effort = effort}))
            .exact_period(),
        (Period{Time{9}, 1}));

  Random random(123);
  for (const char* text : {"logp:P=4,L=19,o=2,g=6", "logp:P=3,L=1,o=3,g=11", "logp:P=2", "delay:P=5",
                           "delay:P=4,network=ring:4,link=1+1"})
    for (int i = 0; i < 6; ++i) {
      TaskGraph graph = oracle::random_graph(random, 6 + random.below(12), 20, 30, 6);
      if (i % 2 == 0) graph = oracle::with_stateless_tasks(random, graph);
      const logp::Machine machine = logp::parse_machine(text);
      const Options options{.effort = 20 + random.below(1'000)};
      EXPECT_LE(measure(optfo(graph, machine, options)).exact_period(),
                measure(exact_fo(graph, machine, options)).exact_period())
          << text << " graph " << i;
    }
}

/// On 16 of them it had 462, on 8 of them 460.
TEST(Optfo, is_not_better_on_half_of_the_processors_with_any_small_effort) {
  const TaskGraph graph = generate("fft:depth=2,cost=1..100,data=60,seed=89");
  const auto period = [&](int processors) {
    const std::string machine = fmt::format("loglinear:P={},L=1+1,o=1+1,g=2+2", processors);
    return measure(optfo(graph, logp::parse_machine(machine), {.effort = 1'000})).exact_period();
  };
  EXPECT_LE(period(16), period(8));
  EXPECT_LE(period(6), period(4));
}

/// Found with random graphs: the first had period 46 with an effort of 2,000, but 47 with 20,000 and 47.5 by
/// default, the second 499 / 3 and 169. More frames with a gain below 3 % were not tried where fewer frames
/// had a longer search.
TEST(Optfo, is_not_worse_than_with_less_effort) {
  const auto mixed = [](const std::vector<std::int64_t>& works, const std::vector<std::size_t>& with_state,
                        const std::vector<std::tuple<std::size_t, std::size_t, std::uint64_t>>& edges) {
    TaskGraphBuilder builder;
    for (std::size_t i = 0; i < works.size(); ++i)
      builder.add_task(
          {fmt::format("t{}", i), Time(works[i]), std::ranges::find(with_state, i) == with_state.end()});
    for (const auto& [from, to, size] : edges) builder.add_edge(TaskId(from), TaskId(to), Bytes{size});
    return std::move(builder).build();
  };
  const auto expect = [](const TaskGraph& graph, const char* machine_text, Period least) {
    const logp::Machine machine = logp::parse_machine(machine_text);
    for (const std::uint64_t effort : {2'000, 20'000, 200'000, 750'000}) {
      const Period period = measure(optfo(graph, machine, {.effort = effort})).exact_period();
      EXPECT_LE(period, least) << machine_text << ", effort " << effort;
      least = std::min(least, period);
    }
  };
  expect(mixed({17, 18, 20, 17, 6, 13}, {0}, {{0, 3, 11}, {0, 4, 13}, {0, 5, 7}, {3, 5, 17}}),
         "logp:P=2,L=4,o=2,g=3", {Time{46}, 1});
  expect(mixed({46, 49, 24, 1, 50, 50, 51, 58, 1}, {2, 8}, {{4, 8, 9}}), "delay:P=2", {Time{499}, 3});
}

/// From 100,000 tasks on, other schedulers run only if they may be better: their schedules keep the decisions
/// that they make without messages.
TEST(Optfo, leaves_out_only_schedulers_whose_loads_are_too_large) {
  Random random(124);
  std::size_t left_out = 0, asked = 0;
  for (const char* text :
       {"delay:P=3", "logp:P=4,L=1,o=1,g=2", "loglinear:P=3,L=1+1,o=1+1,g=1+1,speed=1/2/4"})
    for (int i = 0; i < 4; ++i) {
      const TaskGraph graph = oracle::random_graph(random, 12 + random.below(20), 15, 30, 6);
      const logp::Machine machine = logp::parse_machine(text);
      const Time best = measure(optfo(graph, machine, {.effort = 500})).repetition;
      for (const OtherScheduler& other : frequency_starts().others) {
        if (other.decide == nullptr) continue;
        Time work{0}, busy{0};
        for (const Occupancy& each : measure(other.schedule(graph, machine, {})).occupancy) {
          work = std::max(work, each.compute);
          busy = std::max(busy, each.occupied());
        }
        EXPECT_TRUE(has_as_much_work(other, graph, machine, {}, work)) << text;
        EXPECT_FALSE(has_as_much_work(other, graph, machine, {}, work + Time{1})) << text;
        ++(has_as_much_work(other, graph, machine, {}, best) ? left_out : asked);
        EXPECT_FALSE(busy < best && has_as_much_work(other, graph, machine, {}, best)) << text;
      }
    }
  EXPECT_GT(left_out, 10U);
  EXPECT_GT(asked, 10U);
}

TEST(Optfo, finds_the_best_of_all_schedules_of_tiny_graphs) {
  Random random(78);
  for (const char* text : {"logp:P=2,L=1,o=1,g=2", "logp:P=2,L=0,o=1,g=4", "loglinear:P=2,L=1+1,o=0+1,g=1+1",
                           "logp:P=2,L=3,o=1,g=2,speed=1/0.5"})
    for (int i = 0; i < 6; ++i) {
      const logp::Machine machine = logp::parse_machine(text);
      const TaskGraph graph = oracle::random_graph(random, 2 + random.below(4), 45, 12, 4);
      const Schedule schedule =
          optfo(graph, machine, {.effort = 400'000, .frames = FrameClass::one_at_a_time});
      const std::int64_t period = measure(schedule).repetition.count();
      EXPECT_TRUE(schedule.optimal) << text << " graph " << i;
      EXPECT_FALSE(oracle::has_schedule_within(graph, machine, period - 1)) << text << " graph " << i;
    }
  for (const char* text : {"delay:P=3", "logp:P=3,L=4,o=0,g=0,speed=1/2/1"})
    for (int i = 0; i < 20; ++i) {
      const logp::Machine machine = logp::parse_machine(text);
      const TaskGraph graph = oracle::random_graph(random, 2 + random.below(5), 35, 20, 6);
      EXPECT_EQ(measure(optfo(graph, machine, {.frames = FrameClass::one_at_a_time})).repetition.count(),
                oracle::least_period_without_overheads(graph, machine))
          << text << " graph " << i;
    }
}

TEST(Greedy, has_a_period_of_at_least_its_load) {
  Random random(77);
  for (int i = 0; i < 40; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 1 + random.below(25), 20, 30, 6);
    const logp::Machine machine = i % 2 == 0 ? oracle::random_levels(random, 2 + random.below(5))
                                             : logp::parse_machine("loglinear:P=4,L=1+1,o=1+1,g=2+2");
    const Schedule schedule = greedy(graph, machine, {});
    Time busiest{0};
    for (const std::vector<Operation>& operations : schedule.processors) {
      Time busy{0};
      for (const Operation& operation : operations) busy += operation.end - operation.start;
      busiest = std::max(busiest, busy);
    }
    EXPECT_EQ(greedy_load(graph, machine), busiest) << "graph " << i;
  }
}

}  // namespace
}  // namespace takt::schedulers
