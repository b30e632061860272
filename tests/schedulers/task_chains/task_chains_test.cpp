/// Do the published algorithms for chains on two classes of cores reproduce their authors' results?

#include <algorithm>
#include <array>
#include <limits>
#include <sstream>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/task_chains/chain_schedulers.hpp"
#include "schedulers/task_chains/greedy_stages.hpp"
#include "schedulers/task_chains/herad.hpp"
#include "tests/schedulers/task_chains/published_chains.hpp"
#include "tests/support/program.hpp"

namespace takt::schedulers {
namespace {

ChainStages stages_by(const std::string& algorithm, const CoreChain& chain, const CoreCounts& cores) {
  if (algorithm == "HeRAD") return herad_stages(chain, cores);
  if (algorithm == "2CATAC") return twocatac_stages(chain, cores);
  if (algorithm == "FERTAC") return fertac_stages(chain, cores);
  if (algorithm == "OTAC_big") return otac_stages(chain, cores[big_core], big_core);
  return otac_stages(chain, cores[little_core], little_core);
}

/// Returns a number with six significant digits, as the program of the study prints it.
std::string printed(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

/// Returns a text per stage, separated by `|`.
template <class Text>
std::string column(const ChainStages& stages, const Text& text) {
  std::string all;
  for (const ChainStage& stage : stages) all += (all.empty() ? "" : "|") + text(stage);
  return all;
}

/// Compares period, used cores, and tasks, cores, class and load of each stage.
void expect_equal(const CoreChain& chain, const PublishedResult& published) {
  const ChainStages stages = stages_by(published.algorithm, chain, published.cores);
  CoreCounts used{};
  for (const ChainStage& stage : stages) used[stage.core_class] += stage.cores;
  const auto classes = column(
      stages, [](const ChainStage& stage) { return std::string(stage.core_class == 0 ? "Big" : "Little"); });
  const auto tasks =
      column(stages, [](const ChainStage& stage) { return std::to_string(stage.end - stage.begin); });
  const auto cores = column(stages, [](const ChainStage& stage) { return std::to_string(stage.cores); });
  const auto loads = column(stages, [&](const ChainStage& stage) {
    return printed(chain.load(stage.begin, stage.end, chain.usable(stage.begin, stage.end, stage.cores),
                              stage.core_class));
  });
  EXPECT_EQ(std::tuple(printed(chain.period(stages).ticks()), used, tasks, cores, classes, loads),
            std::tuple(published.period, published.used, published.tasks_of_stages, published.cores_of_stages,
                       published.classes_of_stages, published.loads_of_stages))
      << fmt::format("chain {}, {} on {} + {}", published.chain, published.algorithm,
                     published.cores[big_core], published.cores[little_core]);
}

TEST(TaskChains, equal_the_published_results_of_five_algorithms) {
  if (test::test_data().empty()) GTEST_SKIP() << "needs the published chains in TAKT_TEST_DATA";
  const std::filesystem::path folder = test::test_data() / "chains";
  const std::map<std::string, CoreChain> chains = published_chains(folder);
  const std::vector<PublishedResult> results = published_results(folder / "results.csv.gz");
  ASSERT_GE(results.size(), 27'000u);
  for (const PublishedResult& result : results) {
    expect_equal(chains.at(result.chain), result);
    EXPECT_EQ(result.tasks, chains.at(result.chain).size());
  }
}

TEST(TaskChains, equal_the_published_schedules_of_a_dvb_s2_receiver) {
  if (test::test_data().empty()) GTEST_SKIP() << "needs the published chains in TAKT_TEST_DATA";
  const std::filesystem::path folder = test::test_data() / "chains";
  for (const char* name : {"m1", "u9"}) {
    const CoreChain chain = measured_chain(folder / "dvbs2" / fmt::format("{}_tasks.csv", name));
    ASSERT_EQ(chain.size(), 23u);
    for (const PublishedResult& result :
         published_results(folder / "dvbs2" / fmt::format("{}_results.csv", name))) {
      expect_equal(chain, result);
      // The one column that is wrong: the stages, like the list of tasks, have 23 of them.
      EXPECT_EQ(result.tasks, 22u);
    }
  }
}

CoreChain random_chain(Random& random, std::size_t tasks) {
  std::array<std::vector<Time>, 2> times;
  std::vector<bool> stateless;
  for (std::size_t i = 0; i < tasks; ++i) {
    times[big_core].emplace_back(1 + random.below(20));
    times[little_core].push_back(times[big_core].back() * static_cast<Time::rep>(1 + random.below(4)));
    stateless.push_back(random.below(2) == 0);
  }
  return {std::move(times), std::move(stateless)};
}

/// The least period over all ways to cut the chain into stages of any class and number of cores.
double least_period(const CoreChain& chain, std::size_t begin, const CoreCounts& cores) {
  if (begin == chain.size()) return 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t end = begin + 1; end <= chain.size(); ++end)
    for (const std::size_t core_class : {big_core, little_core})
      for (std::size_t used = 1; used <= cores[core_class]; ++used) {
        CoreCounts left = cores;
        left[core_class] -= used;
        least = std::min(least,
                         std::max(chain.load(begin, end, used, core_class), least_period(chain, end, left)));
      }
  return least;
}

TEST(Herad, reaches_the_least_period_of_all_cuts) {
  Random random(7);
  for (int i = 0; i < 60; ++i) {
    const CoreChain chain = random_chain(random, 1 + random.below(6));
    const CoreCounts cores{1 + random.below(3), random.below(4)};
    EXPECT_DOUBLE_EQ(chain.period(herad_stages(chain, cores)).ticks(), least_period(chain, 0, cores))
        << "chain " << i;
  }
}

TEST(Otac, reaches_the_least_period_of_all_cuts_on_equal_cores) {
  Random random(8);
  for (int i = 0; i < 60; ++i) {
    const CoreChain chain = random_chain(random, 1 + random.below(7));
    const CoreCounts cores{1 + random.below(5), 0};
    EXPECT_DOUBLE_EQ(chain.period(otac_stages(chain, cores[big_core], big_core)).ticks(),
                     least_period(chain, 0, cores))
        << "chain " << i;
  }
}

constexpr std::array<SchedulerFunction, 4> published{otac, fertac, twocatac, herad};

TEST(TaskChains, become_valid_schedules_with_the_period_of_their_stages) {
  Random random(9);
  for (int i = 0; i < 40; ++i) {
    const CoreChain chain = random_chain(random, 2 + random.below(10));
    const CoreCounts cores{1 + random.below(4), 1 + random.below(4)};
    const TaskGraph graph = graph_of(chain, cores);
    const logp::Machine machine =
        logp::Machine::constant(cores[big_core] + cores[little_core], Time{0}, Time{0}, Time{0});
    // Random times may make both classes equal.
    const ChainOnCores problem{Workload(graph, machine)};
    for (const SchedulerFunction scheduler : published) {
      const Schedule schedule = scheduler(graph, machine, {});
      EXPECT_TRUE(logp::diagnose(graph, machine, schedule).empty()) << schedule.scheduler << ", chain " << i;
    }
    EXPECT_EQ(measure(herad(graph, machine, {})).exact_period(),
              problem.chain.period(herad_stages(problem.chain, problem.counts())))
        << "chain " << i;
  }
}

/// The checker confirms the period of the schedule of a graph with a table of times.
TEST(TaskChains, are_schedules_with_the_published_periods) {
  if (test::test_data().empty()) GTEST_SKIP() << "needs the published chains in TAKT_TEST_DATA";
  const std::filesystem::path folder = test::test_data() / "chains";
  const std::map<std::string, CoreChain> chains = published_chains(folder);
  const std::map<std::string, SchedulerFunction> schedulers{
      {"HeRAD", herad}, {"2CATAC", twocatac}, {"FERTAC", fertac}};
  const std::vector<PublishedResult> results = published_results(folder / "results.csv.gz");
  for (std::size_t i = 0; i < results.size(); i += 71) {
    const auto scheduler = schedulers.find(results[i].algorithm);
    if (scheduler == schedulers.end()) continue;
    const CoreCounts cores = results[i].cores;
    const TaskGraph graph = graph_of(chains.at(results[i].chain), cores);
    const logp::Machine machine =
        logp::Machine::constant(cores[big_core] + cores[little_core], Time{0}, Time{0}, Time{0});
    const Schedule schedule = scheduler->second(graph, machine, {});
    EXPECT_TRUE(logp::diagnose(graph, machine, schedule).empty()) << results[i].chain;
    EXPECT_EQ(printed(measure(schedule).exact_period().ticks()), results[i].period)
        << results[i].algorithm << " of chain " << results[i].chain;
  }
}

TEST(TaskChains, support_machines_of_one_and_of_three_classes_and_other_graphs) {
  Random random(10);
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({.name = "a", .work = Time{40}});
  const TaskId b = builder.add_task({.name = "b", .work = Time{30}, .stateless = true});
  const TaskId c = builder.add_task({.name = "c", .work = Time{50}, .stateless = true});
  const TaskId d = builder.add_task({.name = "d", .work = Time{20}});
  builder.add_edge(a, b, Bytes{3});
  builder.add_edge(a, c, Bytes{3});
  builder.add_edge(b, d, Bytes{3});
  builder.add_edge(c, d, Bytes{3});
  const TaskGraph graph = std::move(builder).build();
  for (const char* text :
       {"logp:P=1,L=1,o=1,g=2", "logp:P=4,L=1,o=1,g=2", "logp:P=5,L=1,o=1,g=2,speed=4/2/2/1/1"}) {
    const logp::Machine machine = logp::parse_machine(text);
    for (const SchedulerFunction scheduler : published)
      EXPECT_TRUE(logp::diagnose(graph, machine, scheduler(graph, machine, {})).empty()) << text;
  }
}

}  // namespace
}  // namespace takt::schedulers
